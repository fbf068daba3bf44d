"""Advice for students: a sentence for each kind of finding and each outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: What a finding of each kind is called in a sentence: "not yet: a race".
NAMES: dict[str, str] = {
    "oob_global": "an index outside an array",
    "oob_shared": "an index outside shared memory",
    "oob_local": "an index outside a local array",
    "oob_const": "an index outside a constant array",
    "misaligned": "an address that the access's size does not divide",
    "null_pointer": "an access through a null pointer",
    "wild_pointer": "an access where there is no array",
    "use_after_free": "an access to memory that was freed",
    "invalid_free": "freeing what was not allocated",
    "readonly_write": "a write to memory that is only to be read",
    "uninit_global": "a read of an array's cell that nobody has written",
    "uninit_shared": "a read of shared memory that nobody has written",
    "uninit_local": "a variable that was never given a value",
    "uninit_register": "a variable that was never given a value",
    "race_shared": "a race in shared memory",
    "race_global": "a race",
    "race_host": "a race with the host",
    "race_stream": "a race of two launches",
    "race_benign": "several threads that store the same value",
    "barrier_divergence": "a barrier that not all threads reach",
    "warp_sync": "a warp operation whose lanes do not agree",
    "deadlock": "threads that wait for ever",
    "timeout": "a kernel that does not end",
    "stack_overflow": "calls that are nested too deeply",
    "div_by_zero": "a division by zero",
    "trap": "a kernel that stopped itself",
    "assert": "an assertion that failed",
    "launch_config": "a launch that cannot start",
    "arg_mismatch": "arguments that do not fit the kernel",
    "compile_error": "a kernel that does not compile",
    "compile_warning": "a warning of the compiler",
    "entry_not_found": "a kernel that is not in the file",
    "unsupported": "an instruction that the emulator does not know",
    "device_fault": "a fault that the GPU does not explain",
    "output_limit": "more output than is kept",
    "nan": "a value that is not a number",
    "bank_conflict": "a bank conflict",
}

#: What to try, by kind. Races are finer: see `RACES`.
KINDS: dict[str, str] = {
    "oob_global": "Which is the last thread that has a cell of its own? Let the others "
    "do nothing: put the access behind a condition on the index, such as `if i < n`. "
    "If it has one, is the index made of this array's own shape and strides?",
    "oob_shared": "Compare the largest index on this line with the size of the shared "
    "array. Is the array as large as the block, and does a thread add an offset?",
    "oob_local": "Compare the index with the size of the local array, also in the last "
    "round of the loop.",
    "oob_const": "Compare the index with the size of the constant array.",
    "misaligned": "A load of 8 or 16 bytes at once needs an address that is a multiple "
    "of its size. Begin at such a place, or use the narrower type.",
    "null_pointer": "This pointer has no array behind it. Which argument of the launch "
    "is it, and is it set before it is used?",
    "wild_pointer": "The address is near no array. Look at how the index is computed: "
    "a product that overflows or a stride too many gives such addresses.",
    "use_after_free": "Free the memory after its last use, or do not free it at all.",
    "invalid_free": "Free only what `malloc` gave, and once.",
    "readonly_write": "Write the result into the output array, or into a variable of "
    "the thread; constant memory and parameters stay as they are.",
    "uninit_global": "Nobody has written this cell before it is read. Does the kernel "
    "add to an output that was never set? Start with 0 in a variable of the thread, "
    "and store once.",
    "uninit_shared": "Which thread should have written this cell of shared memory, and "
    "is it behind a condition? Cells without data need a neutral value, such as 0.",
    "uninit_local": "Give the variable a value on every way that leads to this line, "
    "also when the loop makes no round.",
    "uninit_register": "Give the variable a value on every way that leads to this "
    "line, also when the loop makes no round.",
    "race_host": "Wait for the kernel before the host copies: synchronize first.",
    "race_stream": "Let the second launch wait for the first: use one stream, or an "
    "event.",
    "race_benign": "Whichever thread stores last, the cell is right. All but one of "
    "them work for nothing: which thread owns the cell, and what should the others do?",
    "barrier_divergence": "Move the barrier out of the `if` or the loop, so that every "
    "thread of the block reaches it. Put the condition around the work instead.",
    "warp_sync": "All lanes that are named in the mask must come to this line. Move "
    "the call out of the condition and behind no `return`; a lane without data gives a "
    "neutral value.",
    "deadlock": "Which thread should wake the others, and does it come to this line? "
    "Draw who waits for whom.",
    "timeout": "What changes in each round of the loop, and when does its condition "
    "become false?",
    "stack_overflow": "Write the recursion as a loop, or let it end earlier.",
    "div_by_zero": "Which value is the divisor at the border, and what should the "
    "result be then? Treat that case first.",
    "trap": "The kernel ended itself here. Which condition led to it?",
    "assert": "The condition of the assertion is false here. Print its parts for the "
    "thread that is named.",
    "launch_config": "Compare grid, block and shared memory of the launch with the "
    "limits: at most 1024 threads a block, and as much shared memory as the task says.",
    "arg_mismatch": "Compare the kernel's parameters with the task: their number, "
    "their order, their types.",
    "compile_error": "Read the compiler's first message; the later ones often follow "
    "from it.",
    "compile_warning": "Read the warning: the compiler may have removed what it speaks "
    "of.",
    "entry_not_found": "The kernel must have the name that the task gives, and "
    '`extern "C"` in CUDA C++.',
    "unsupported": "Write this line with the functions that the task names.",
    "device_fault": "Run the same launch on the emulator: it names the thread and the "
    "line.",
    "output_limit": "Print less: only for one thread, or not in a loop.",
    "nan": "Where does the first such value come from: 0 / 0, the logarithm of a "
    "negative number, or memory that nobody has written?",
    "bank_conflict": "Which bank does each lane of the warp use? Pad the rows by one "
    "cell, or let neighbouring lanes take neighbouring cells.",
}

#: What to try about a race, by what the two accesses are.
RACES: dict[str, str] = {
    "update": "Both threads read the cell, add, and store: one of the sums is lost. "
    "Use an atomic, or let each thread add into a cell of its own.",
    "store": "Both threads store: which one should own this cell? Put a guard around "
    "the store, or compute another index.",
    "block": "One thread writes what another one reads, in the same block. Which "
    "barrier stands between the two lines? Put one there.",
    "blocks": "Threads of two blocks meet in one cell, and no barrier orders blocks. "
    "Use an atomic, or split the work into two kernels.",
    "copy": "The copy is not over yet. Wait for it, then let the threads meet at a "
    "barrier.",
    "unknown": "Two threads use one cell and one of them writes. Is it an update (then "
    "an atomic), a store by too many threads (then a guard or another index), or a "
    "value that is read too early (then a barrier)?",
}


@dataclass(frozen=True)
class Outcome:
    """Words for an outcome of a row.

    Attributes:
        word: in front of the row, such as "right".
        means: a sentence: what it means.
        advice: a sentence: what to do; "" where there is nothing to do.
        lost: whether it is drawn as wrong; the others are right or not judged.
    """

    word: str
    means: str
    advice: str
    lost: bool


#: Every outcome of `minitorch.grade/1`.
OUTCOMES: dict[str, Outcome] = {
    "passed": Outcome("right", "This is right.", "", False),
    "partial": Outcome(
        "partly",
        "A part of this is right.",
        "Look at what the row says of the rest.",
        True,
    ),
    "failed": Outcome(
        "not yet",
        "The values differ from what they should be.",
        "Try the smallest input for which you can compute the result by hand, then a "
        "size that is no multiple of the block, then one row or one column.",
        True,
    ),
    "not_yet": Outcome(
        "not judged yet",
        "This is judged when the row before it is right.",
        "",
        False,
    ),
    "reported": Outcome(
        "not yet",
        "The values are right, and the checks found a mistake all the same.",
        "Go to the line that is named; the picture shows the threads.",
        True,
    ),
    "too_costly": Outcome(
        "not yet",
        "Values and checks are right, and it takes more than the limit.",
        "Which counter is over its limit, and which line causes most of it? Change "
        "that line first.",
        True,
    ),
    "does_not_compile": Outcome(
        "not yet",
        "The kernel does not compile.",
        "Read the first message of the compiler and the line that it names.",
        True,
    ),
    "error": Outcome(
        "not yet",
        "Your code raised an exception.",
        "Call the function yourself with a small input; the last line of your own in "
        "the traceback is where to look.",
        True,
    ),
    "timeout": Outcome(
        "not yet",
        "It did not end in time.",
        "What changes in each round of the loop? A loop without a way out, or one over "
        "far too much, takes all the time.",
        True,
    ),
    "memory": Outcome(
        "not yet",
        "It asked for more memory than the task may use.",
        "Which array is the largest, and does it grow in a loop?",
        True,
    ),
    "crash": Outcome(
        "not yet",
        "The process that runs your code ended before it gave a result.",
        "Your code must return, not end Python: no exit(), no endless recursion.",
        True,
    ),
    "blocked": Outcome(
        "not yet",
        "Your code asked for something that is not allowed here.",
        "Work with the arguments alone: no files, no network, no other programs, and "
        "only the modules that the task names.",
        True,
    ),
    "not_run": Outcome(
        "not run",
        "This was not run.",
        "Your teacher sees why; you need not change anything because of it.",
        False,
    ),
    "manual": Outcome(
        "read by a person",
        "A person reads this and gives the points.",
        "",
        False,
    ),
}


def race_case(race: Mapping[str, Any] | None, same_block: bool) -> str:
    """Classify the two accesses of a race.

    Args:
        race: of a finding; None where that is not told.
        same_block: whether both threads are of one block.

    Returns:
        A key of `RACES`.

    Example:
        >>> race_case(None, True)
        'unknown'
    """
    if race is None:
        return "unknown"
    if race["remedy"].startswith("AwaitCopy"):
        return "copy"
    if race["access"] == race["other_access"]:
        return "store"
    if race["remedy"] in ("AtomicUpdate", "AtomicExtremum"):
        return "update"
    return "block" if same_block else "blocks"


def of_finding(finding: Mapping[str, Any]) -> str:
    """Return advice on a finding.

    Args:
        finding: one of a report's row: `kind`, and `race` where it is told.

    Returns:
        One or two sentences without inputs or values.

    Raises:
        ValueError: a kind that has no advice.

    Example:
        >>> of_finding({"kind": "race_benign"})[:50]
        'Whichever thread stores last, the cell is right. A'
    """
    kind = str(finding.get("kind"))
    if kind in ("race_global", "race_shared"):
        race = finding.get("race")
        same_block = race is None or finding["block"] == race["other"]["block"]
        return RACES[race_case(race, same_block)]
    if kind not in KINDS:
        raise ValueError(
            f"[advice] got a finding of kind {kind!r}; need one of docs/checks.md: "
            f"{', '.join(sorted(KINDS))}."
        )
    return KINDS[kind]


def of_row(row: Mapping[str, Any]) -> str:
    """Return advice for a row that lost points, or ""."""
    # What was found in a row that is right is a note.
    severity = "note" if row["outcome"] == "passed" else "error"
    for finding in row.get("findings", []):
        # A kind that is new elsewhere does not break a report.
        if finding.get("severity") == severity and finding.get("kind") in NAMES:
            return of_finding(finding)
    return OUTCOMES[row["outcome"]].advice

"""Owns what the hour consists of: its parts, in the order in which they run.

What matters most is first. A part's module in parts/ has `items(quick)`, the names of
what is measured, and `measure(name, folder)`, which gives the Row of one on the card;
where it `compares`, `reference(name, folder)` runs before, on the emulator. This file
is read by an interpreter that need not have the library.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

Columns = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Part:
    """A part, as it is run and as its table looks.

    Attributes:
        name: of its module.
        title: of its table.
        shows: what is compared with what, a sentence.
        item_seconds: after these an item is given up.
        workers: processes at a time; 1 where time is measured.
        compares: the emulator runs it before.
        opens_device: its own processes open device cuda.
        lists: "all" rows, or those "not ok".
            A row with a true `quiet` is in the JSON only.
        columns: figures of a row that the table shows: heading, key.
    """

    name: str
    title: str
    shows: str
    item_seconds: float
    workers: int
    compares: bool
    opens_device: bool
    lists: str
    columns: Columns

    def as_json(self) -> dict[str, Any]:
        """What a reader of the results needs."""
        return asdict(self)


PARTS = (
    Part(
        name="faults",
        title="Faults",
        shows="what the library raises after each kind of fault, and whether "
        "cuda.reset() gives a context that works",
        item_seconds=60,
        workers=4,
        compares=False,
        opens_device=True,
        lists="all",
        columns=(("raises", "raises"), ("after cuda.reset()", "reset")),
    ),
    Part(
        name="opcodes",
        title="Opcode rows",
        shows="32 rows of operands for each instruction form: the card's bits, the "
        "emulator's, and exact results",
        item_seconds=60,
        workers=8,
        compares=True,
        opens_device=True,
        lists="not ok",
        columns=(("words that differ", "wrong"), ("of", "words")),
    ),
    Part(
        name="corpus",
        title="Corpus",
        shows="kernels of tests/ptx/data: all memory they were given, bit for bit",
        item_seconds=60,
        workers=8,
        compares=True,
        opens_device=True,
        lists="not ok",
        columns=(("bytes that differ", "wrong"), ("of", "bytes"), ("worst ULP", "ulp")),
    ),
    Part(
        name="cases",
        title="Kernel cases",
        shows="the right kernels of tests/cases give the right values on the card; "
        "what the card says of the wrong ones, beside the emulator",
        item_seconds=20,
        workers=6,
        compares=True,
        opens_device=True,
        lists="all",
        columns=(("need", "expect"), ("the card says", "card"), ("ours", "ours")),
    ),
    Part(
        name="overhead",
        title="Launch overhead",
        shows="microseconds of the host for one launch in a queue, and for a launch "
        "and a wait",
        item_seconds=60,
        workers=1,
        compares=False,
        opens_device=True,
        lists="all",
        columns=(("queued, us", "queued_us"), ("with its end, us", "waited_us")),
    ),
    Part(
        name="speed",
        title="Speed",
        shows="our kernels and PyTorch's (matmul: cuBLAS, float32 without TF32), on "
        "the same card",
        item_seconds=60,
        workers=1,
        compares=False,
        opens_device=True,
        lists="all",
        columns=(
            ("ours, ms", "ours_ms"),
            ("PyTorch, ms", "torch_ms"),
            ("ours : PyTorch", "ratio"),
            ("ours, GFLOP/s", "gflops"),
            ("ours, GB/s", "gbytes"),
        ),
    ),
    Part(
        name="counters",
        title="Counters",
        shows="memory counters of the emulator against Nsight Compute's, one launch "
        "each",
        item_seconds=90,
        workers=1,
        compares=True,
        opens_device=False,
        lists="all",
        columns=(("counters that agree", "agree"), ("of", "compared")),
    ),
    Part(
        name="lessons",
        title="Lessons",
        shows="the cells of each notebook, and the arrays they make beside the "
        "emulator's",
        item_seconds=200,
        workers=8,
        compares=True,
        opens_device=True,
        lists="all",
        columns=(
            ("cells run", "ran"),
            ("only for the emulator", "emulator"),
            ("arrays equal", "equal"),
            ("close", "close"),
            ("apart", "apart"),
            ("note", "note"),
        ),
    ),
    Part(
        name="suite",
        title="Tests",
        shows="every test marked cuda or gpu, on the card",
        item_seconds=400,
        workers=12,
        compares=False,
        opens_device=False,
        lists="not ok",
        columns=(
            ("ok", "passed"),
            ("differ", "differ"),
            ("fail on both", "both"),
            ("only for the emulator", "emulator"),
            ("skipped", "skipped"),
        ),
    ),
    Part(
        name="sanitizer",
        title="Compute Sanitizer",
        shows="each sample case under the four tools of compute-sanitizer, beside "
        "the emulator",
        item_seconds=150,
        workers=12,
        compares=False,
        opens_device=False,
        lists="all",
        columns=(
            ("need", "expect"),
            ("ours", "ours"),
            ("memcheck", "memcheck"),
            ("racecheck", "racecheck"),
            ("initcheck", "initcheck"),
            ("synccheck", "synccheck"),
        ),
    ),
)

NAMES = tuple(part.name for part in PARTS)


def part(name: str) -> Part:
    """The part of that name.

    Raises:
        ValueError: No such part.
    """
    for each in PARTS:
        if each.name == name:
            return each
    raise ValueError(f"[gpu] got part {name!r}; need one of {', '.join(NAMES)}.")

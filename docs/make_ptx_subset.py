"""Writes docs/ptx_subset.md from the tables that the decoder reads.

    python docs/make_ptx_subset.py          # writes the page
    python docs/make_ptx_subset.py --check  # exit status 1 if it is out of date

Owns the layout of that page; the facts are those of cpp/ptx/*.inc.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PTX = ROOT / "cpp" / "ptx"
PAGE = Path(__file__).parent / "ptx_subset.md"
OPCODES = "PTX_OP|PTX_LANE"

HEAD = """\
# The PTX that runs on the emulator

<!-- Written by docs/make_ptx_subset.py from cpp/ptx/*.inc: change those. -->

The emulator executes what NVRTC makes of CUDA C++ for compute capability 7.5 to 9.0,
and the rest of the PTX ISA of those architectures that works in one thread, warp or
block. An instruction below takes any of its types and at most one modifier of each
group, in the combinations of the ISA. A text that is no PTX is an error with line and
column when the module is loaded. What is refused is refused only when it is *reached*:
a module that holds it loads, and a launch that comes to it ends with the finding
`unsupported`, its line, its opcode, and for features of a card (clusters, bulk copies,
products by warp groups) what to use in their place.

## What is exact, and what is not

- Integer, bit and conversion instructions, and `.rn .rz .rm .rp` arithmetic of `f16`,
  `bf16`, `f32` and `f64`, give exactly the bits that the ISA defines, NaN and -0
  included: a NaN is `0x7fffffff` (`f32`) or `0x7fff` (`f16`, `bf16`).
- `.approx` and `.full` forms are computed in double and rounded once. Their error is
  within what the ISA allows; a GPU's bits may differ.
- Products of matrices add one product after the other in the order of k, each with one
  rounding to `f32` (`f64` for `f64`), and round once more to `f16` where the result is
  `f16`. The ISA leaves the order open: a GPU's last bits may differ.
- The fragments of `mma`, `ldmatrix` and `movmatrix` lie as the ISA's tables say, those
  of `wmma` as the emulator chooses, which programs may not depend on.
- `cp.async` reads at once and writes shared memory at the `wait_group` or `wait_all`
  for it, never before, so that a forgotten wait shows; after `cp.async.mbarrier.arrive`
  also when the phase ends that waits for it.
- An `mbarrier` holds the phase, the arrivals it lacks and those of the next phase in
  its 8 bytes and in the states it gives, in a form of the emulator's own. `try_wait`
  does not suspend; the time that it may take is not used.
- Caching hints, prefetches, cache policies, `discard`, `applypriority`, `pmevent` and
  `griddepcontrol` change nothing. `%pm` counters are refused. Of `%envreg`, 1 and 2
  hold the grid barrier of a cooperative launch, the others 0.

## Instructions
"""

SPECIAL = """
## Special registers

{names}.

The clock counts instructions of the warp; `%globaltimer` is the host's time in ns.

## Refused

Legal PTX that the emulator does not execute, by mnemonic (`mma`, `wmma`, `shfl` and
`vote` stand for their forms that are not above):

{refused}.

Of the instructions above, forms with these words are refused as well:
{words}.
"""


def rows(name: str, macro: str) -> Iterator[tuple[str, list[str]]]:
    """The rows of a table with the comment that heads each group."""
    text = (PTX / name).read_text()
    heading, end = "", -2  # the first line of a comment, and where its last one ended
    pattern = re.compile(
        rf"^// ([^\n]+)$|^(?:{macro})\((.*?)\)$", re.MULTILINE | re.DOTALL
    )
    for found in pattern.finditer(text):
        if found.group(1) is not None:
            heading = heading if found.start() == end + 1 else found.group(1)
            end = found.end()
        elif "minitorch." not in found.group(2):  # which is no instruction of PTX
            yield heading, fields(found.group(2))


def fields(text: str) -> list[str]:
    """Arguments of a macro, strings joined and unquoted."""
    found, depth, quoted, current = [], 0, False, ""
    for letter in text:
        quoted ^= letter == '"'
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not quoted and depth == 0:
            found.append(current)
            current = ""
        else:
            current += letter
    found.append(current)
    return [
        "".join(re.findall(r'"([^"]*)"', field)) if '"' in field else field.strip()
        for field in found
    ]


def sets_of_types() -> dict[str, list[str]]:
    """kInt -> u16 s16 ...; as type_sets.h defines them."""
    text = (PTX / "type_sets.h").read_text()
    known: dict[str, list[str]] = {}
    for name, value in re.findall(
        r"\b(k\w+) =\s+((?:types\([^)]*\)|k\w+|[\s|])+)", text
    ):
        types = [word.lower() for word in re.findall(r"Type::(\w+)", value)]
        for other in re.findall(r"\bk\w+", value):
            types += known.get(other, [])
        known[name] = types
    return known


def groups_of_modifiers() -> dict[str, list[str]]:
    made: dict[str, list[str]] = {}
    for _, (word, group, *_rest) in rows("modifiers.inc", "PTX_MODIFIER"):
        made.setdefault(group, []).append("." + word)
    made["kFloatMods"] = made["kFtz"] + made["kSat"] + made["kRound"]
    return made


def named(expression: str, known: dict[str, list[str]]) -> list[str]:
    return [
        word for name in re.findall(r"k\w+", expression) for word in known.get(name, [])
    ]


def cell(words: list[str]) -> str:
    return " ".join(f"`{word}`" for word in dict.fromkeys(words))


def row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def instruction_tables() -> Iterator[str]:
    types, groups = sets_of_types(), groups_of_modifiers()
    heading = None
    for title, (op, mnemonics, _signature, first, second, modifiers, *_facts) in rows(
        "opcodes.inc", OPCODES
    ):
        if op == "Unsupported" or not mnemonics:
            continue
        if title != heading:
            heading = title
            yield f"\n### {title.split('.')[0].split(';')[0]}\n"
            yield "| instruction | types | second types | modifiers |"
            yield "|---|---|---|---|"
        hints = ["*caching hints*"] if "kHint" in modifiers else []
        words = named(modifiers.replace("kHint", ""), groups)
        note = " ".join([cell(words), *hints]).strip()
        if "kMatrix" in modifiers:
            note = (
                "see the next table"
                if "mma" in mnemonics
                else "`.x1` `.x2` `.x4` `.trans`"
            )
        kinds = (cell(named(kind, types)) for kind in (first, second))
        yield row(cell(mnemonics.split("|")), *kinds, note)


def matrix_table() -> Iterator[str]:
    types = sets_of_types()
    yield "\n### Products of matrices\n"
    yield "| instruction | shape | a, b | c, d |"
    yield "|---|---|---|---|"
    for _, (op, m, n, k, factors, sums) in rows("matrices.inc", "PTX_MATRIX"):
        name = "mma.sync" if op == "Mma" else "wmma"
        kinds = (cell(named(kind, types)) for kind in (factors, sums))
        yield row(f"`{name}`", f"`m{m}n{n}k{k}`", *kinds)


def quoted_words(name: str, start: str, end: str) -> list[str]:
    text = (PTX / name).read_text()
    begin = text.index(start)
    return re.findall(r'"([^"\n]+)"', text[begin : text.index(end, begin)])


def page() -> str:
    refused = next(
        r[1] for _, r in rows("opcodes.inc", OPCODES) if r[0] == "Unsupported"
    )
    names = quoted_words("special_registers.cpp", "kNames[]", "};")
    words = quoted_words("opcode_reader.cpp", "kForeign[]", "};")
    tail = SPECIAL.format(
        names=cell(names), refused=cell(sorted(refused.split("|"))), words=cell(words)
    )
    return HEAD + "\n".join([*instruction_tables(), *matrix_table()]) + "\n" + tail


def main() -> int:
    text = page()
    if "--check" in sys.argv[1:]:
        return int(not PAGE.exists() or PAGE.read_text() != text)
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

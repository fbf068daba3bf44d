"""Lay out the tables of docs/ptx_subset.md from those that the decoder reads,
cpp/ptx/*.inc.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PTX = ROOT / "cpp" / "ptx"
OPCODES = "PTX_OP|PTX_LANE"


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


def tables() -> dict[str, str]:
    """Return what the page leaves open."""
    refused = next(
        r[1] for _, r in rows("opcodes.inc", OPCODES) if r[0] == "Unsupported"
    )
    names = quoted_words("special_registers.cpp", "kNames[]", "};")
    words = quoted_words("opcode_reader.cpp", "kForeign[]", "};")
    return {
        "instructions": "\n".join([*instruction_tables(), *matrix_table()]).strip("\n"),
        "registers": f"{cell(names)}.",
        "refused": f"{cell(sorted(refused.split('|')))}.",
        "words": f"{cell(words)}.",
    }

"""The comparison of our typing with Numba's, recorded in data/numba_typing.json.

Where we differ on purpose, `DIFFERENCES` says why; one that is listed there and is none
any more fails, too.
"""

from __future__ import annotations

import json
import linecache
import math
import re
from typing import Any

import numpy as np
import pytest

from minitorch import cuda
from minitorch.cuda.language.errors import TranslationError
from minitorch.cuda.language.kernel import result_of
from minitorch.cuda.language.types import ArrayType, TupleType, Type

from .typing_cases import FILE, TABLE, Case, environment, read_cases, split_types
from .typing_differences import DIFFERENCES

RECORDED: dict[str, Any] = json.loads(TABLE.read_text())
GROUPS = [group for group in RECORDED if group != "numba-cuda"]

# Its inference took these cases and its code generator broke down: no judgement.
NUMBAS_OWN_FAULTS = ("rejected: KeyError", "rejected: AssertionError")


def rows(group: str) -> list[tuple[Case, str]]:
    """The cases of a group with what Numba said."""
    cases = (case for case in read_cases(FILE.read_text()) if case.group == group)
    return list(zip(cases, RECORDED[group], strict=True))


def our_type(text: str, scope: dict[str, Any]) -> Any:
    """Give our type for the table's words: "float32[:, ::1]", "Point(int64, bool)"."""
    if text.endswith(")"):
        name, _, inside = text.partition("(")
        items = tuple(our_type(each, scope) for each in split_types(inside[:-1]))
        return TupleType(items, scope[name]._fields if name else ())
    name, bracket, dimensions = text.partition("[")
    if not bracket:
        return Type(name)
    if dimensions == "()]":
        return ArrayType(Type(name), 0, "C")
    steps = dimensions[:-1].split(",")
    layout = "C" if steps[-1].strip() == "::1" else "A"
    return ArrayType(Type(name), len(steps), layout)


def our_outcome(case: Case) -> str:
    """Type a case with our front end, in the words of the table."""
    scope = environment(math=math, np=np, numba=cuda, cuda=cuda)
    file = f"<case {case.source}>"
    lines = case.source.splitlines(keepends=True)
    linecache.cache[file] = (len(case.source), None, lines, file)
    exec(compile(case.source, file, "exec"), scope)
    arguments = tuple(our_type(text, scope) for text in case.arguments)
    try:
        return str(result_of(scope["f"], arguments) or "none")
    except TranslationError as error:
        return f"rejected: {error.problem}"


def reason_of(case: Case) -> str | None:
    """Why we differ from Numba here, if `DIFFERENCES` knows the case."""
    text = f"{', '.join(case.arguments)} | {case.body.strip()}"
    for pattern, reason in DIFFERENCES.items():
        if re.fullmatch(pattern, text, re.DOTALL):
            return reason
    return None


@pytest.mark.parametrize("group", GROUPS)
def test_types_are_numbas(group: str) -> None:
    wrong = []
    for case, said in rows(group):
        if said in NUMBAS_OWN_FAULTS:
            continue
        ours = our_outcome(case)
        same = ours == said or (
            ours.startswith("rejected") and said.startswith("rejected")
        )
        if same == (reason_of(case) is not None):
            known = "listed as a difference, " if same else ""
            wrong.append(
                f"{', '.join(case.arguments)} | {case.body}\n"
                f"    {known}Numba: {said}; ours: {ours}"
            )
    assert not wrong, f"{len(wrong)} cases\n" + "\n".join(wrong)


def test_the_table_belongs_to_the_cases() -> None:
    assert (
        list(dict.fromkeys(case.group for case in read_cases(FILE.read_text())))
        == GROUPS
    )
    assert sum(len(RECORDED[group]) for group in GROUPS) >= 2000


def test_every_difference_has_a_case() -> None:
    texts = [
        f"{', '.join(case.arguments)} | {case.body.strip()}"
        for group in GROUPS
        for case, _ in rows(group)
    ]
    for pattern in DIFFERENCES:
        assert any(re.fullmatch(pattern, text, re.DOTALL) for text in texts), pattern

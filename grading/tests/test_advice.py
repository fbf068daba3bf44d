"""The tests of what students are advised: complete, simple, fitting."""

from __future__ import annotations

import re

import numpy as np
import pytest

from minitorch import cuda
from minitorch.cuda.errors import KINDS as CATALOGUE
from minitorch_grading.report import advice
from minitorch_grading.runner.finding_data import finding_data

# minitorch.grade/1, in docs/teaching.md.
OUTCOMES = {
    *("passed", "partial", "failed", "not_yet", "reported", "too_costly"),
    *("does_not_compile", "error", "timeout", "memory", "crash", "blocked"),
    *("not_run", "manual"),
}


def test_every_kind_of_finding_has_a_name_and_advice():
    races = {"race_shared", "race_global"}
    assert set(CATALOGUE) <= set(advice.KINDS)
    assert {name for name, kind in advice.KINDS.items() if not kind.advice} == races


def test_every_outcome_has_words():
    assert set(advice.OUTCOMES) == OUTCOMES


def sentences() -> list[str]:
    said = [kind.advice for kind in advice.KINDS.values() if kind.advice]
    said += advice.RACES.values()
    for outcome in advice.OUTCOMES.values():
        said += [outcome.means, outcome.advice] if outcome.advice else [outcome.means]
    return said


@pytest.mark.parametrize("said", sentences())
def test_advice_is_short_whole_sentences(said):
    assert said[0].isupper()
    assert said[-1] in ".?"
    assert len(said) <= 240
    words = [len(part.split()) for part in re.split(r"[.?:;] ", said)]
    assert max(words) <= 32, said


@cuda.jit
def add_up(out, n):
    i = cuda.grid(1)
    out[i % n] += 1.0


@cuda.jit
def store_all(out, n):
    i = cuda.grid(1)
    out[i % n] = i


@cuda.jit
def turn(out, n):
    room = cuda.shared.array(64, "float64")
    i = cuda.threadIdx.x
    room[i] = i
    out[i] = room[63 - i]


@cuda.jit
def shift(out, n):
    i = cuda.grid(1)
    if i + 1 < n:
        out[i] = out[i + 1]


@pytest.mark.parametrize(
    ("kernel", "grid", "cells", "case"),
    [
        (add_up, 1, 15, "update"),
        (store_all, 1, 15, "store"),
        (turn, 1, 64, "block"),
        (shift, 1, 64, "block"),
        (shift, 2, 128, "block"),
    ],
)
def test_advice_depends_on_what_the_two_accesses_are(kernel, grid, cells, case):
    kernel[grid, 64](cuda.to_device(np.zeros(cells)), cells)
    with pytest.raises(cuda.KernelError) as raised:
        cuda.synchronize()
    finding = finding_data(raised.value)
    assert advice.of_finding(finding) == advice.RACES[case]


def race(**other: object) -> dict[str, object]:
    second = {"file": "k.cu", "line": 9, "block": [0, 0, 0], "thread": [16, 0, 0]}
    sides = {"element": "s[16]", "access": "write", "other_access": "read"}
    site = {"file": "k.cu", "line": 9, "block": [0, 0, 0], "thread": [0, 0, 0]}
    return {**site, "race": {**sides, "remedy": "", "other": {**second, **other}}}


def test_blocks_that_race_are_not_advised_a_barrier():
    finding = {"kind": "race_global", **race(block=[1, 0, 0], line=6)}
    assert advice.of_finding(finding) == advice.RACES["blocks"]


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="got a finding of kind 'surprise'; need one"):
        advice.of_finding({"kind": "surprise"})


def test_a_row_is_advised_by_its_first_error():
    note = {"kind": "race_benign", "severity": "note", "line": 3, "text": ""}
    error = {"kind": "race_global", "severity": "error", "line": 7, "text": ""}
    row = {"outcome": "reported", "findings": [note, error]}
    assert advice.of_row(row) == advice.RACES["unknown"]
    assert advice.of_row({"outcome": "passed", "findings": []}) == ""
    cost = {"outcome": "too_costly", "findings": [note]}
    assert advice.of_row(cost) == advice.OUTCOMES["too_costly"].advice

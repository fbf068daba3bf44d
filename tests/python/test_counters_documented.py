"""The page on counters names each one, its metric and its meaning as the table does."""

from __future__ import annotations

import re

from .source_tree import ROOT

_ROW = re.compile(r'COUNTER\(\s*\w+,\s*(\w+),\s*"([^"]*)",\s*((?:"[^"]*"\s*)+)\)')


def _table() -> list[tuple[str, str, str]]:
    text = (ROOT / "cpp/cuda_abi/counters.inc").read_text()
    return [
        (name, metric, "".join(re.findall(r'"([^"]*)"', meaning)))
        for name, metric, meaning in _ROW.findall(text)
    ]


def test_every_counter_has_its_row():
    rows = _table()
    assert len(rows) >= 35
    page = (ROOT / "docs/counters.md").read_text()
    documented = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*) \|$", page, re.MULTILINE)
    spelled = [
        (name, f"`{metric}`" if metric else "–", meaning)
        for name, metric, meaning in rows
    ]
    assert documented == spelled


def test_names_and_metrics_are_unique():
    rows = _table()
    metrics = [metric for _, metric, _ in rows if metric]
    assert len({name for name, _, _ in rows}) == len(rows)
    assert len(set(metrics)) == len(metrics)

"""Owns the check that docs/source.md is true: its snippets, and what it shows."""

from __future__ import annotations

import re

import pytest

from .source_tree import ROOT

TEXT = (ROOT / "docs" / "source.md").read_text()
SNIPPETS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
SHOWN = re.findall(r"```text\n(.*?)```", TEXT, re.DOTALL)


def without_lines(text: str) -> list[str]:
    """Lines without the numbers of lines and the width that depends on them."""
    return re.sub(r"(?<=\w) +", " ", re.sub(r":\d+ ", ":N ", text)).splitlines()


@pytest.mark.cuda
def test_the_page_runs(capsys):
    assert len(SNIPPETS) >= 6
    names: dict[str, object] = {"__name__": "__main__"}
    for number, snippet in enumerate(SNIPPETS):
        exec(compile(snippet, f"docs/source.md, snippet {number}", "exec"), names)
    printed = without_lines(capsys.readouterr().out)
    assert len(SHOWN) == 2
    for text in SHOWN:
        shown = without_lines(text)
        start = printed.index(shown[0])
        assert printed[start : start + len(shown)] == shown


def test_each_kind_of_line_is_explained():
    table = re.findall(r"^\| ([a-z, ]+) \| [^-]", TEXT, re.MULTILINE)
    kinds = {kind for row in table for kind in row.split(", ")}
    assert kinds == {
        "line", "python", "autograd", "op", "loop", "kernel", "backward", "copy",
        "fill",
    }  # fmt: skip


@pytest.mark.parametrize("name", sorted(set(re.findall(r"\]\(([^)#:, ]+)", TEXT))))
def test_links_lead_somewhere(name):
    assert (ROOT / "docs" / name).exists()

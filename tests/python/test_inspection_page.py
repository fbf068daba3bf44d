"""Owns the check that docs/inspection.md is true: its snippets run as one program."""

from __future__ import annotations

import re

import pytest

from .source_tree import ROOT

TEXT = (ROOT / "docs" / "inspection.md").read_text()
SNIPPETS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.cuda
def test_the_page_runs(capsys):
    assert len(SNIPPETS) >= 3
    names: dict[str, object] = {"__name__": "__main__"}
    for number, snippet in enumerate(SNIPPETS):
        exec(compile(snippet, f"docs/inspection.md, snippet {number}", "exec"), names)
    shown = capsys.readouterr().out
    assert "transpose.cu:5" in shown
    assert "memory-bound on Tesla T4" in shown
    assert "shared memory    4,096 bytes a block" in shown
    assert "past the end of 'x'" in shown


@pytest.mark.parametrize("name", sorted(set(re.findall(r"\]\(([^)#:, ]+)\)", TEXT))))
def test_links_lead_somewhere(name):
    assert (ROOT / "docs" / name).exists()

"""Owns the check that docs/network.md is true: its snippets run as one program."""

from __future__ import annotations

import re

import pytest

import minitorch

from .source_tree import ROOT

TEXT = (ROOT / "docs" / "network.md").read_text()
SNIPPETS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.cuda
def test_the_page_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = minitorch.get_default_dtype()
    assert len(SNIPPETS) >= 8
    names: dict[str, object] = {"__name__": "__main__"}
    try:
        for number, snippet in enumerate(SNIPPETS):
            exec(compile(snippet, f"docs/network.md, snippet {number}", "exec"), names)
    finally:
        minitorch.set_default_dtype(before)
    shown = capsys.readouterr().out
    # Multiply-adds useful and executed, bytes touched and asked for, the bound.
    first = r"layer1\.matmul .* 256 / 8,192 +1,184 \.\. 4,256 +\d{3} ns"
    assert re.search(first, shown)
    assert re.search(r"^10\. layer2, out: 32 B are written\.", shown, re.MULTILINE)
    assert "nothing need return to the card's memory" in shown
    assert "1/64 of the operations" in shown
    assert "block (0, 2, 0), thread (3, 5, 0), warp 2, lane 19, SM 2" in shown
    assert "net.0.matmul (back)" in shown
    assert (tmp_path / "mymodel.json").exists()


@pytest.mark.parametrize("name", sorted(set(re.findall(r"\]\(([^)#:, ]+)\)", TEXT))))
def test_links_lead_somewhere(name):
    assert (ROOT / "docs" / name).exists()

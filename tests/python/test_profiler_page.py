"""Owns the check that docs/profiler.md is true: its snippets run as one program."""

from __future__ import annotations

import re

import pytest

from .chrome_trace_reader import Trace
from .source_tree import ROOT

TEXT = (ROOT / "docs" / "profiler.md").read_text()
SNIPPETS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.cuda
def test_the_page_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(SNIPPETS) >= 5
    names: dict[str, object] = {"__name__": "__main__"}
    for number, snippet in enumerate(SNIPPETS):
        exec(compile(snippet, f"docs/profiler.md, snippet {number}", "exec"), names)
    shown = capsys.readouterr().out
    assert re.search(r"minitorch::conv2d .* 1  $", shown, re.MULTILINE)
    assert "conv2d (conv2d.cu)" in shown
    assert re.search(r"minitorch::matmul .* \[\[5, 8\], \[8, 4\]\]", shown)
    assert "CUDA times are the emulator's" in shown
    assert "step 4: 2 steps recorded" in shown
    assert re.search(r"^value ", shown, re.MULTILINE)
    assert "value × " in (tmp_path / "timeline.html").read_text("utf-8")
    assert Trace(tmp_path / "trace.json.gz").named("ProfilerStep#3")


@pytest.mark.parametrize("name", sorted(set(re.findall(r"\]\(([^)#:, ]+)\)", TEXT))))
def test_links_lead_somewhere(name):
    assert (ROOT / "docs" / name).exists()

"""Owns the check that pages on CUDA C++, operators, queues are true: they run."""

from __future__ import annotations

import linecache
import re
from typing import Any

import pytest

from minitorch import cuda

from .source_tree import ROOT

pytestmark = pytest.mark.cuda

_SNIPPET = re.compile(r"```python\n(.*?)```", re.DOTALL)


def run_page(name: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "page"}
    snippets = _SNIPPET.findall((ROOT / "docs" / name).read_text())
    for number, snippet in enumerate(snippets, 1):
        file = f"docs/{name}, snippet {number}"
        write_cache(file, snippet)
        exec(compile(snippet, file, "exec"), names)
    return names


def write_cache(file: str, text: str) -> None:
    """Lets `inspect` find the source, as a notebook does."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)


def test_custom_operators(capsys):
    names = run_page("custom_ops.md")
    x = names["minitorch"].tensor([[0.5, -1.0]]).to("cuda")
    same = names["gelu"](x) - names["python_gelu"](x)
    assert abs(same.numpy()).max() < 1e-12


def test_cuda_cpp(capsys):
    run_page("cuda_cpp.md")
    printed = capsys.readouterr().out
    assert "[ 0.  9. 18. 27.]" in printed
    assert "[  1.  10. 100.]" in printed
    assert "[[4. 1. 0.]\n [1. 4. 9.]]" in printed
    assert "[3. 3. 3. 3.]" in printed
    assert "_join" in printed


def test_asynchrony(capsys):
    page = (ROOT / "docs" / "asynchrony.md").read_text()
    run_page("asynchrony.md")
    shown = "".join(re.findall(r"```text\n(.*?)```", page, re.DOTALL))
    assert capsys.readouterr().out == shown
    assert cuda.queue_limit() == 960


def test_change_operators(capsys):
    if not cuda.is_emulated():
        pytest.skip("a GPU counts no sectors")
    page = (ROOT / "docs" / "change_operators.md").read_text()
    run_page("change_operators.md")
    shown = "".join(re.findall(r"```text\n(.*?)```", page, re.DOTALL))
    assert capsys.readouterr().out == shown


def test_launching_shows_the_message_of_today():
    if not cuda.is_emulated():
        pytest.skip("a GPU does not name the line")
    page = (ROOT / "docs" / "launching.md").read_text()
    (shown,) = re.findall(r"```\n(\[copy\] .*?)```", page, re.DOTALL)
    head = ["from minitorch import cuda", *[""] * 7]
    kernel = ["@cuda.jit", "def copy(x, y):", "    i = cuda.grid(1)", "    y[i] = x[i]"]
    end = [*[""] * 7, "copy[1, 32](x, y)", "cuda.synchronize()"]
    program = "\n".join([*head, *kernel, *end])
    write_cache("lesson.py", program)
    arrays = {"x": cuda.to_device([0.0] * 17), "y": cuda.device_array(32)}
    with pytest.raises(cuda.KernelError) as found:
        exec(compile(program, "lesson.py", "exec"), arrays)
    assert shown.split() == str(found.value).split()


def test_puzzles(capsys):
    run_page("puzzles.md")
    printed = capsys.readouterr().out
    assert "Puzzle 3: Guard" in printed
    assert "Puzzle 3, Guard: reported" in printed
    assert "puzzles.md, snippet 1:10: a[i] with i = 4 of 4" in printed

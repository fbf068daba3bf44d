"""Tests of the puzzles in Python: solutions pass, and wrong twins do not get away."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

from minitorch import cuda
from minitorch.learn import puzzles

from .puzzle_mistakes import MISTAKES
from .puzzle_solutions import SOLUTIONS
from .source_tree import ROOT

pytestmark = pytest.mark.cuda

NUMBERS = range(1, 15)


@pytest.mark.parametrize("number", NUMBERS)
def test_solutions_are_accepted_and_reach_the_aim(number):
    result = puzzles.check(number, SOLUTIONS[number - 1])
    assert result.state == "solved", result
    assert result.findings == []
    assert result.reaches_aim, result


def marked_line(function):
    """The line of the file that ends with the comment `wrong`."""
    lines, first = inspect.getsourcelines(function)
    (line,) = [number for number, text in enumerate(lines) if "# wrong" in text]
    return first + line


@pytest.mark.parametrize("number", NUMBERS)
def test_wrong_twins_are_reported_with_kind_and_line(number):
    twin, kind = MISTAKES[number - 1]
    result = puzzles.check(number, twin)
    assert result.state == "reported", result
    line = marked_line(twin)
    named = []
    for finding in result.findings:
        sites = [finding.finding.site, finding.finding.other]
        named += [
            (finding.kind, Path(site.file).name, site.line)
            for site in sites
            if site is not None
        ]
    assert (kind, "puzzle_mistakes.py", line) in named, result
    assert f"puzzle_mistakes.py:{line}" in str(result)


def as_function(out, a, size):
    i = cuda.threadIdx.x
    if i < size:
        out[i] = a[i] + 10


def as_factory(cuda):
    def call(out, a, size):
        local_i = cuda.threadIdx.x
        if local_i < size:
            out[local_i] = a[local_i] + 10

    return call


def as_decorated_factory(cuda):
    @cuda.jit
    def call(out, a, size):
        local_i = cuda.threadIdx.x
        if local_i < size:
            out[local_i] = a[local_i] + 10

    return call


@pytest.mark.parametrize(
    "form",
    [as_function, as_factory, as_decorated_factory],
    ids=lambda form: form.__name__,
)
def test_forms_of_a_kernel(form):
    assert puzzles.check(3, form).reaches_aim
    assert puzzles.puzzle(3).check(form).reaches_aim


def template_function(number, tmp_path):
    """The kernel of a template as a learner pastes it, without a line of their own."""
    path = tmp_path / f"puzzle_{number}.py"
    path.write_text(f"from minitorch import cuda\n\n{puzzles.puzzle(number).template}")
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    (kernel,) = [value for value in names.values() if hasattr(value, "py_func")]
    return kernel


@pytest.mark.parametrize("number", NUMBERS)
def test_templates_are_not_yet_solutions(number, tmp_path):
    result = puzzles.check(number, template_function(number, tmp_path))
    assert result.state == "not yet", result


def test_the_notebook_has_every_puzzle():
    cells = json.loads((ROOT / "notebooks" / "puzzles.ipynb").read_text())["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    for each in puzzles.PUZZLES:
        code = f"{each.template.rstrip()}\n\n\npuzzles.check({each.number}, "
        assert [text for text in texts if text.startswith(code)], each
        heading = f"## {each.number}. {each.title}\n"
        assert [text for text in texts if text.startswith(heading)], each

"""The tests of the launch's source line: files, notebooks, code without a file."""

from __future__ import annotations

import linecache
import re
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import minitorch
from minitorch import cuda
from minitorch.cuda.tracebacks import launch_site


def test_names_file_and_line_of_the_caller():
    lines = Path(__file__).read_text().splitlines()
    site = launch_site()  # here
    line = 1 + next(i for i, text in enumerate(lines) if text.endswith("# here"))
    assert site == f"{Path(__file__).name}:{line}"


def call_from(filename, *, through=None):
    """The site as seen by code of `filename` (that calls code of `through`)."""
    space = {"launch_site": launch_site}
    inner = "def f():\n    return launch_site()\n"
    exec(compile(inner, through or filename, "exec"), space)
    outer = "\n\ndef g():\n    return f()\n"
    exec(compile(outer, filename, "exec"), space)
    return space["g"]()


def test_frames_of_the_package_are_left_out():
    import minitorch

    package = Path(minitorch.__file__).parent
    assert (
        call_from("/home/me/train.py", through=str(package / "nn.py")) == "train.py:4"
    )


CELL, OTHER = "/scratch/ipykernel_42/1234.py", "/scratch/ipykernel_42/5678.py"


@pytest.fixture
def notebook(monkeypatch):
    """Two files that are the cells 7 and 8 of a notebook."""
    shell = SimpleNamespace(compile=SimpleNamespace(_filename_map={CELL: 7, OTHER: 8}))
    ipython = SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", ipython)


def run_cell(name, text, **names):
    lines = text.splitlines(True)
    linecache.cache[name] = (len(text), None, lines, name)
    space = {"__name__": "__main__", "cuda": cuda, **names}
    exec(compile(text, name, "exec"), space)
    return space


@pytest.mark.usefixtures("notebook")
def test_a_cell_of_a_notebook_has_its_number():
    assert call_from(CELL) == "cell [7]:2"


@pytest.mark.usefixtures("notebook")
def test_a_compile_error_names_the_cell():
    kernel = run_cell(CELL, "@cuda.jit\ndef k(x):\n    x[0] = {}\n")["k"]
    with pytest.raises(cuda.CompileError) as told:
        kernel.compile("void(float32[:])")
    assert "\n  cell [7]:3\n    x[0] = {}\n" in str(told.value)
    assert "ipykernel" not in str(told.value)
    assert (told.value.file, told.value.line) == (CELL, 3)
    run_cell(CELL, "pass\n")
    with pytest.raises(
        cuda.CompileError, match=r"the source of 'k' at cell \[7\]:1 has"
    ):
        kernel.compile("void(float64[:])")


@pytest.mark.usefixtures("notebook")
def test_nan_on_the_way_back_names_the_cell():
    text = "with detect_anomaly():\n    (x.sqrt() * 0).backward()\n"
    x = minitorch.tensor([0.0], requires_grad=True)
    with pytest.raises(RuntimeError, match=r"cell \[7\]:2, in <module>"):
        run_cell(CELL, text, x=x, detect_anomaly=minitorch.autograd.detect_anomaly)


@pytest.mark.usefixtures("notebook")
def test_warnings_name_the_cell_once_for_each_line():
    text = "for _ in range(2):\n    cuda.jit(lto=True)(lambda x: x)\n"
    space = {"__name__": "__main__", "cuda": cuda}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        for name in (CELL, OTHER, CELL):
            exec(compile(text, name, "exec"), space)
    assert [(each.filename, each.lineno) for each in told] == [
        ("cell [7]", 2),
        ("cell [8]", 2),
    ]


def test_code_without_a_file():
    assert call_from("<stdin>") == "<stdin>:2"


def test_a_cell_of_a_terminal_has_its_number():
    assert call_from("<ipython-input-12-8f00d1e2>") == "cell [12]:2"


def add_one(x):
    for v in x:
        v += 1


def scale_some(x):
    for i, v in enumerate(x):
        if i < 3:
            v = v * 2


def sum_of_more(x):
    total = 0.0
    for v in x:
        v += 1
        total += v
    x[0] = total


@pytest.mark.cuda
@pytest.mark.parametrize(
    ("function", "told"),
    [
        (
            add_one,
            "v += 1 changes the variable v, not x. .* in range(len(x)): x[i] += 1",
        ),
        (
            scale_some,
            "v = v * 2 changes the variable v, .* in range(len(x)): x[i] = x[i] * 2",
        ),
        (sum_of_more, ""),
    ],
)
def test_a_change_of_a_loop_s_variable_is_noted_at_the_launch(function, told):
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        cuda.jit(function)[1, 1](cuda.to_device(np.zeros(4)))
        cuda.synchronize()
    pattern = re.escape(told).replace(r"\.\*", ".*")
    assert [each.category for each in notes] == [cuda.KernelWarning] * bool(told)
    for each in notes:
        assert re.search(pattern, str(each.message))
        assert Path(each.filename).name == Path(__file__).name

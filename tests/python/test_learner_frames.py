"""Owns the tests that tracebacks show the learner's lines, and none of the library."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitorch
from minitorch import cuda, tensor_ops
from minitorch.compat.numba_ufuncs import vectorize
from minitorch.cuda.learner_frames import hide_library, learner_frames

pytestmark = pytest.mark.cuda
PACKAGE = str(Path(minitorch.__file__).parent)


def refused(x: Any) -> None:
    x[0] = {}


def no_number(a: Any, b: Any = 0) -> Any:
    return {}


kernel = cuda.jit(refused)
ONE = np.zeros(1)
SIGNATURE = "void(float64[:])"

# Every way in, with a mistake in what it is given.
ENTRIES: dict[str, Callable[[], object]] = {
    "launch": lambda: kernel[1, 1](ONE),
    "forall": lambda: kernel.forall(1)(ONE),
    "argument": lambda: kernel[1, 1]([1]),
    "grid": lambda: kernel[0, 1],
    "no grid": lambda: kernel(ONE),
    "compile": lambda: kernel.compile(SIGNATURE),
    "specialize": lambda: kernel.specialize(ONE),
    "inspect": lambda: kernel.inspect_ptx(SIGNATURE),
    "jit": lambda: cuda.jit(SIGNATURE)(refused),
    "device": lambda: cuda.jit(SIGNATURE, device=True)(refused),
    "jit of no function": lambda: cuda.jit(3),
    "compile_ptx": lambda: cuda.compile_ptx(refused, SIGNATURE),
    "for_device": lambda: cuda.compile_for_current_device(refused, SIGNATURE),
    "RawKernel": lambda: cuda.RawKernel("mistake", "f"),
    "RawModule": lambda: cuda.RawModule(code="mistake"),
    "get_function": lambda: cuda.RawModule(code="").get_function("f"),
    "elementwise": lambda: cuda.ElementwiseKernel("T x", "T y", "y = q")(
        cuda.to_device(ONE)
    ),
    "reduction": lambda: cuda.ReductionKernel("T x", "T y", "q", "a", "y = a", "0")(
        cuda.to_device(ONE)
    ),
    "reduce": lambda: cuda.reduce(no_number)(np.ones(3)),
    "map": lambda: tensor_ops.map(no_number)(minitorch.zeros(1)),
    "zip": lambda: tensor_ops.zip(no_number)(minitorch.zeros(1), minitorch.zeros(1)),
    "fold": lambda: tensor_ops.reduce(no_number)(minitorch.zeros(1), 0),
    "backend": lambda: minitorch.CudaOps.map(no_number)(minitorch.zeros(1).to("cuda")),
    "vectorize": lambda: vectorize(no_number, target="cuda")(ONE, ONE),
}


def files_of(run: Callable[[], object]) -> tuple[list[str], str]:
    """Files of the traceback, and all that Python prints."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cuda.NumbaPerformanceWarning)
        try:
            run()
        except Exception as error:
            entries = traceback.extract_tb(error.__traceback__)
            return [entry.filename for entry in entries], traceback.format_exc()
    raise AssertionError("nothing was refused")


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_learners_lines_alone_are_shown(entry: str) -> None:
    files, printed = files_of(ENTRIES[entry])
    assert set(files) == {__file__}
    assert PACKAGE not in printed
    assert "During handling" not in printed


def test_all_lines_are_shown_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINITORCH_TRACEBACK", "full")
    files, _ = files_of(ENTRIES["launch"])
    assert len([file for file in files if file.startswith(PACKAGE)]) > 5


def test_what_the_caller_was_handling_stays() -> None:
    def run() -> None:
        try:
            raise KeyError("before")
        except KeyError:
            ENTRIES["launch"]()

    _, printed = files_of(run)
    assert "KeyError: 'before'" in printed
    assert "During handling" in printed


def test_mistakes_of_the_library_keep_their_lines() -> None:
    file = str(Path(PACKAGE, "nowhere.py"))
    scope: dict[str, Any] = {"hide": hide_library, "guard": learner_frames}
    text = "def f(error):\n    with guard:\n        raise error\n"
    exec(compile(text, file, "exec"), scope)
    assert file in files_of(lambda: scope["f"](KeyError(3)))[0]
    assert file not in files_of(lambda: scope["f"](ValueError("[f] got 3.")))[0]


@pytest.mark.parametrize(
    "make",
    [
        lambda: cuda.RawKernel("__global__ void f() { int x = 3; }", "f"),
        lambda: cuda.RawModule(code="__global__ void f() { int x = 3; }"),
        lambda: cuda.ElementwiseKernel("T x", "T y", "int z = 3; y = x")(
            cuda.to_device(ONE)
        ),
        lambda: cuda.jit(lto=True)(refused),
    ],
)
def test_warnings_name_the_callers_line(make: Callable[[], object]) -> None:
    with pytest.warns(cuda.KernelWarning) as told:
        make()
    assert {each.filename for each in told} == {__file__}

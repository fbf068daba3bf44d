"""The tests that tracebacks show the learner's lines, and none of the library."""

from __future__ import annotations

import traceback
import warnings
from pathlib import Path

import numpy as np
import pytest

import minitorch
from minitorch import cuda, tensor_ops
from minitorch.cuda.tracebacks import hide_library, learner_frames

pytestmark = pytest.mark.cuda
PACKAGE = str(Path(minitorch.__file__).parent)


def refused(x):
    x[0] = {}


def no_number(a, b=0):
    return {}


kernel = cuda.jit(refused)
ONE = np.zeros(1)
SIGNATURE = "void(float64[:])"

# Every way in, with a mistake in what it is given.
ENTRIES = {
    "launch": lambda: kernel[1, 1](ONE),
    "forall": lambda: kernel.forall(1)(ONE),
    "argument": lambda: kernel[1, 1]([1]),
    "grid": lambda: kernel[0, 1],
    "no grid": lambda: kernel(ONE),
    "compile": lambda: kernel.compile(SIGNATURE),
    "inspect": lambda: kernel.inspect_ptx(SIGNATURE),
    "jit": lambda: cuda.jit(SIGNATURE)(refused),
    "device": lambda: cuda.jit(SIGNATURE, device=True)(refused),
    "jit of no function": lambda: cuda.jit(3),
    "compile_ptx": lambda: cuda.compile_ptx(refused, SIGNATURE),
    "RawKernel": lambda: cuda.RawKernel("mistake", "f"),
    "RawModule": lambda: cuda.RawModule(code="mistake"),
    "get_function": lambda: cuda.RawModule(code="").get_function("f"),
    "elementwise": lambda: cuda.ElementwiseKernel("float64 x", "float64 y", "y = q")(
        cuda.to_device(ONE)
    ),
    "reduce": lambda: cuda.reduce(no_number)(np.ones(3)),
    "map": lambda: tensor_ops.map(no_number)(minitorch.zeros(1)),
    "zip": lambda: tensor_ops.zip(no_number)(minitorch.zeros(1), minitorch.zeros(1)),
    "fold": lambda: tensor_ops.reduce(no_number)(minitorch.zeros(1), 0),
    "backend": lambda: minitorch.CudaOps.map(no_number)(minitorch.zeros(1).to("cuda")),
}


# The rest of `minitorch.cuda`, with an argument that it refuses; test_sweep_cuda has
# more of them.
REFUSED = {
    "array interface": lambda: cuda.to_device(ONE).__cuda_array_interface__,
    "dlpack": lambda: cuda.to_device(ONE).__dlpack__(),
    "checks": lambda: cuda.checks("some"),
    "launch limits": lambda: cuda.set_launch_limits(seconds=-1),
    "attribute of a device": lambda: cuda.get_current_device().NOTHING,
    "copy of a mapped array": lambda: cuda.mapped_array(1).copy().pointer,
    "inspect": lambda: cuda.inspect(checks="some"),
    "trace": lambda: launched().trace,
    "counters": lambda: launched().counters,
    "unknown counter": lambda: launched(counters=True).counters["mistake"],
    "step": lambda: launched(trace=True).trace.at(1 << 30),
    "card of a roofline": lambda: launched(counters=True).roofline("mistake"),
    "show": lambda: launched().show(),
    "RawKernel call": lambda: RAW(1, 1, (ONE,)),
    "RawKernel brackets": lambda: RAW[1, 1](ONE),
    "resources": lambda: RAW.resources("mistake"),
    "shared bytes": lambda: setattr(RAW, "max_dynamic_shared_size_bytes", 1 << 30),
    "no tasks": lambda: kernel.forall(-1),
    "declare_device": lambda: cuda.declare_device("3", SIGNATURE),
    "CUSource": lambda: cuda.CUSource(3),
    "atomic": lambda: cuda.atomic.add(ONE, 0, 1),
    "grid in Python": lambda: cuda.grid(1),
}

OUT_OF_BOUNDS = "__global__ void past(int* x) { x[threadIdx.x + 4] = 1; }"
RAW = cuda.RawKernel(OUT_OF_BOUNDS, "past")


def launched(counters=False, trace=False):
    """A launch of which nothing else was kept."""
    with cuda.inspect(counters=counters, trace=trace) as run:
        cuda.RawKernel("__global__ void nothing() {}", "nothing")[1, 1]()
    return run.launches[0]


def synchronized_event(x):
    mark = cuda.event()
    mark.record()
    mark.synchronize()


def inspected(x):
    with cuda.inspect():
        pass


# What waits for the device, where a launch has had a fault.
WAITS = {
    "synchronize": lambda x: cuda.synchronize(),
    "copy_to_host": lambda x: x.copy_to_host(),
    "copy to an array": lambda x: x.copy_to_host(np.zeros(4, np.int32)),
    "one element": lambda x: x[0],
    "rows": lambda x: list(x),
    "item": lambda x: x[:1].item(),
    "strided": lambda x: x[::2].copy_to_host(),
    "numpy": np.asarray,
    "stream": lambda x: cuda.default_stream().synchronize(),
    "event": synchronized_event,
    "inspect": inspected,
}


def files_of(run):
    """Files of the traceback, and all that Python prints."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cuda.NumbaPerformanceWarning)
        try:
            run()
        except Exception as error:
            entries = traceback.extract_tb(error.__traceback__)
            return [entry.filename for entry in entries], traceback.format_exc()
    raise AssertionError("nothing was refused")


def shows_only_this_file(run):
    files, printed = files_of(run)
    assert set(files) == {__file__}
    assert PACKAGE not in printed
    assert "During handling" not in printed


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_learners_lines_alone_are_shown(entry):
    shows_only_this_file(ENTRIES[entry])


@pytest.mark.parametrize("entry", REFUSED)
def test_a_bad_argument_shows_the_learners_lines_alone(entry):
    shows_only_this_file(REFUSED[entry])


@pytest.mark.parametrize("wait", WAITS)
def test_a_fault_shows_the_learners_lines_alone(wait):
    x = cuda.to_device(np.zeros(4, np.int32))
    RAW[1, 1](x)
    shows_only_this_file(lambda: WAITS[wait](x))


def test_all_lines_are_shown_on_request(monkeypatch):
    monkeypatch.setenv("MINITORCH_TRACEBACK", "full")
    files, _ = files_of(ENTRIES["launch"])
    assert len([file for file in files if file.startswith(PACKAGE)]) > 5


def test_what_the_caller_was_handling_stays():
    def run():
        try:
            raise KeyError("before")
        except KeyError:
            ENTRIES["launch"]()

    _, printed = files_of(run)
    assert "KeyError: 'before'" in printed
    assert "During handling" in printed


def test_mistakes_of_the_library_keep_their_lines():
    file = str(Path(PACKAGE, "nowhere.py"))
    scope = {"hide": hide_library, "guard": learner_frames}
    text = "def f(run):\n    with guard:\n        raise ValueError(run[3])\n"
    exec(compile(text, file, "exec"), scope)
    assert file in files_of(lambda: scope["f"]([]))[0]
    assert file not in files_of(lambda: scope["f"](range(4)))[0]


@pytest.mark.parametrize(
    "make",
    [
        lambda: cuda.RawKernel("__global__ void f() { int x = 3; }", "f"),
        lambda: cuda.RawModule(code="__global__ void f() { int x = 3; }"),
        lambda: cuda.ElementwiseKernel("float64 x", "float64 y", "int z = 3; y = x")(
            cuda.to_device(ONE)
        ),
        lambda: cuda.jit(lto=True)(refused),
    ],
)
def test_warnings_name_the_callers_line(make):
    with pytest.warns(cuda.KernelWarning) as told:
        make()
    assert {each.filename for each in told} == {__file__}

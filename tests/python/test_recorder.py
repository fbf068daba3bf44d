"""What runs is told to the recordings that are open: scopes, work, waits, memory."""

from __future__ import annotations

import gc
import itertools
import os
import sys
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest

import minitorch
from minitorch import _core, cuda


class Recorded:
    """A `with` block's recording, read out at its end."""

    def __init__(self, **options):
        self.recording = _core.Recording.open(**options)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.recording.close()
        self.scopes = self.recording.scopes()
        self.works = self.recording.works()
        self.waits = self.recording.waits()
        self.memory = self.recording.memory()
        self.dropped = self.recording.dropped

    def names(self, kind="op"):
        return [scope["name"] for scope in self.scopes if scope["kind"] == kind]

    def kernels(self):
        return [work for work in self.works if work["kind"] == "kernel"]


@contextmanager
def scope(name, kind="user", detail=""):
    _core.begin_scope(name, kind, detail)
    try:
        yield
    finally:
        _core.end_scope()


def line_here():
    return sys._getframe(1).f_lineno


def ones(*shape, **options):
    return minitorch.tensor(np.ones(shape), **options)


def test_an_op_has_its_room_lines_shapes_and_dtypes():
    a, b = ones(3, 4), ones(4, 5)
    with Recorded(shapes=True) as r:
        line = line_here() + 1
        a @ b
    outer, inner = r.scopes[:2]
    assert (outer["name"], outer["kind"]) == ("matmul", "op")
    assert (inner["name"], inner["kind"]) == ("matmul", "inner")
    assert outer["file"] == "cpp/autograd/matmul.cpp"
    assert inner["file"] == "cpp/ops/matmul.cpp"
    assert outer["line"] > 1
    assert outer["site"] == inner["site"] == f"test_recorder.py:{line}"
    assert outer["shapes"] == [(3, 4), (4, 5)]
    assert outer["dtypes"] == ["float64", "float64"]
    assert (outer["id"], outer["parent"]) == (0, -1)
    assert (inner["id"], inner["parent"]) == (1, 0)
    assert outer["thread"] == threading.get_native_id()
    assert outer["begin"] <= inner["begin"] <= inner["end"] <= outer["end"]


def test_scopes_are_timed_on_the_monotonic_clock():
    a = ones(10)
    before = time.monotonic_ns()
    with Recorded() as r:
        a + a
    after = time.monotonic_ns()
    assert r.names() == ["add"]
    assert before <= r.scopes[0]["begin"] <= r.scopes[0]["end"] <= after
    assert before <= r.recording.opened <= r.recording.closed <= after


def test_without_shapes_and_stack_there_are_none():
    a = ones(10)
    with Recorded() as r:
        a + a
    op = r.scopes[0]
    assert (op["shapes"], op["dtypes"], op["site"], op["stack"]) == ([], [], "", ())


def test_a_stack_has_all_frames_the_innermost_first():
    def inner(a):
        return a + a

    a = ones(2)
    with Recorded(stack=True) as r:
        call = line_here() + 1
        inner(a)
    stack = r.scopes[0]["stack"]
    line = inner.__code__.co_firstlineno + 1
    assert stack[0] == f"test_recorder.py({line}): inner"
    name = "test_a_stack_has_all_frames_the_innermost_first"
    assert stack[1] == f"test_recorder.py({call}): {name}"
    assert r.scopes[0]["site"] == f"test_recorder.py:{line}"


def test_a_deep_recursion_has_a_bounded_stack():
    def deep(n):
        return a + a if n == 0 else deep(n - 1)

    a = ones(2)
    with Recorded(stack=True) as r:
        deep(600)
    assert len(r.scopes[0]["stack"]) == 256
    assert r.scopes[0]["stack"][300 - 256].endswith(": deep")


def test_an_exception_ends_the_scopes_it_leaves():
    a, b = ones(2, 3), ones(2, 3)
    with Recorded() as r:
        with pytest.raises(ValueError, match="inner sizes differ"):
            a @ b
        a + b
    matmul, add = (s for s in r.scopes if s["kind"] == "op")
    assert (matmul["name"], add["name"]) == ("matmul", "add")
    assert matmul["end"] <= add["begin"]
    assert add["parent"] == -1


def test_another_kind_is_refused():
    with pytest.raises(ValueError, match=r"\[begin_scope\] got kind 'opp'; need op"):
        _core.begin_scope("mine", "opp")


def test_an_open_recording_cannot_be_read():
    recording = _core.Recording.open()
    with pytest.raises(RuntimeError, match=r"\[recording\] got scopes\(\) of a"):
        recording.scopes()
    recording.close()
    recording.close()
    assert recording.scopes() == []


def test_what_has_no_room_is_counted():
    a = ones(2)
    with Recorded(most_records=5) as r:
        for _ in range(10):
            a + a  # two scopes each
    assert len(r.scopes) == 5
    assert r.dropped == 15


def test_a_recording_that_is_dropped_is_closed():
    recording = _core.Recording.open()
    assert _core.recording() is True
    del recording
    gc.collect()
    assert _core.recording() is False
    ones(2) + ones(2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork()")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_records_nothing_of_its_parent():
    a = ones(2)
    recording = _core.Recording.open()
    child = os.fork()
    if child == 0:
        quiet = not _core.recording()
        a + a
        recording.close()
        with Recorded() as own:
            a * a
        os._exit(0 if quiet and own.names() == ["mul"] else 1)
    _, status = os.waitpid(child, 0)
    a - a
    recording.close()
    assert os.waitstatus_to_exitcode(status) == 0
    assert [s["name"] for s in recording.scopes() if s["kind"] == "op"] == ["sub"]


def test_memory_is_told_when_it_is_made_and_given_back():
    with Recorded(memory=True) as r:
        a = minitorch.ones(1000)
        del a
    made = next(m for m in r.memory if m["bytes"] >= 4000)
    back = next(m for m in r.memory if m["bytes"] == -made["bytes"])
    assert (made["device"], back["address"]) == ("cpu", made["address"])
    assert made["allocated"] - back["allocated"] == made["bytes"]
    assert made["reserved"] >= made["allocated"]
    assert r.scopes[made["scope"]]["name"] in ("full", "ones")


class Net(minitorch.Module):
    def __init__(self):
        super().__init__()
        self.first = Block()
        self.last = minitorch.ReLU()
        self._hidden = [Block()]

    def forward(self, x):
        return self._hidden[0](self.last(self.first(x)))


class Block(minitorch.Module):
    def __init__(self):
        super().__init__()
        self.a = Leaf()
        self.b = Leaf()

    def forward(self, x):
        return self.b(self.a(x))


class Leaf(minitorch.Module):
    def forward(self, x):
        return x + x


def test_modules_are_called_by_their_path():
    net = Net()
    x = ones(2)
    net(x)
    with Recorded() as r:
        net(x)
        net.first(x)
    modules = [s for s in r.scopes if s["kind"] == "module"]
    paths = [(s["name"], s["detail"]) for s in modules]
    assert paths == [
        ("", "Net"),
        ("first", "Block"),
        ("first.a", "Leaf"),
        ("first.b", "Leaf"),
        ("last", "ReLU"),
        ("(Block)", "Block"),  # which is in a list: the net does not know it
        ("(Block).a", "Leaf"),
        ("(Block).b", "Leaf"),
        ("", "Block"),
        ("a", "Leaf"),
        ("b", "Leaf"),
    ]
    add = next(s for s in r.scopes if s["name"] == "add" and s["kind"] == "op")
    assert r.scopes[add["parent"]]["name"] == "first.a"


def test_a_module_that_raises_ends_its_scope():
    class Bad(minitorch.Module):
        def forward(self, x):
            raise KeyError("no")

    with Recorded() as r:
        with pytest.raises(KeyError):
            Bad()(1)
        Leaf()(ones(1))
    assert [s["name"] for s in r.scopes if s["kind"] == "module"] == ["", ""]


@pytest.mark.cuda
def test_a_launch_is_told_with_its_arrays():
    a, b = ones(3, 4).to("cuda"), ones(4, 5).to("cuda")
    with Recorded(shapes=True) as r:
        line = line_here() + 1
        a @ b
    (work,) = r.kernels()
    assert work["name"] == work["entry"] == "matmul_tiled"
    assert work["file"] == "matmul_tiled.cu"
    assert "using Scalar = double;" in work["spec"]
    assert "__global__ void matmul_tiled" in work["source"]
    assert (work["grid"], work["library"]) == ((1, 1, 1), True)
    assert work["block"][0] * work["block"][1] >= 64
    assert work["registers"] > 0
    assert work["static_shared"] > 0
    assert work["site"] == f"test_recorder.py:{line}"
    assert r.scopes[work["scope"]]["file"] == "cpp/ops/matmul.cpp"
    assert work["host_begin"] <= work["host_end"]
    known = [(x["parameter"], x["shape"], x["dtype"]) for x in work["arrays"]]
    assert known == [
        ("out", (3, 5), "float64"),
        ("a", (3, 4), "float64"),
        ("b", (4, 5), "float64"),
    ]
    assert [x["strides"] for x in work["arrays"]] == [(5, 1), (4, 1), (5, 1)]
    assert [x["bytes"] for x in work["arrays"]] == [120, 96, 160]


@pytest.mark.cuda
def test_a_users_launch_is_told_with_addresses():
    kernel = cuda.RawKernel(
        'extern "C" __global__ void twice(float* out, int n) '
        "{ if (threadIdx.x < n) out[threadIdx.x] *= 2; }",
        "twice",
    )
    out = cuda.to_device(np.ones(8, np.float32))
    with Recorded() as r:
        kernel((1,), (32,), (out, 8))
    (work,) = r.kernels()
    assert (work["name"], work["library"], work["spec"]) == ("twice", False, "")
    (array,) = work["arrays"]
    assert (array["parameter"], array["bytes"], array["shape"]) == ("out", 32, None)


@pytest.mark.cuda
def test_device_times_follow_the_host_and_each_other():
    a = ones(64, 64).to("cuda")
    a @ a
    with Recorded(device=True) as r:
        for _ in range(5):
            a @ a
    times = [(w["device_begin"], w["device_end"]) for w in r.kernels()]
    assert len(times) == 5
    for work, (begin, end) in zip(r.kernels(), times, strict=True):
        assert work["host_begin"] <= begin + 5000  # on a GPU the clocks are compared
        assert begin <= end <= r.recording.closed + 10**9
    for (_, end), (begin, _) in itertools.pairwise(times):
        assert end <= begin + 5000
    assert r.kernels()[0]["depth"] == 0
    assert all(0 <= w["depth"] < 5 for w in r.kernels())


@pytest.mark.cuda
def test_copies_and_fills_are_told():
    host = cuda.pinned_array(100, dtype=np.float32)
    there = cuda.device_array(100, np.float32)
    stream = cuda.stream()
    with Recorded(device=True) as r:
        ones(10).to("cuda").cpu()
        there.copy_to_device(host, stream=stream)
        stream.synchronize()
    copies = [
        (w["direction"], w["bytes"], w["pinned"])
        for w in r.works
        if w["kind"] == "copy"
    ]
    assert copies == [("HtoD", 80, False), ("DtoH", 80, False), ("HtoD", 400, True)]
    assert all(0 < w["device_begin"] <= w["device_end"] for w in r.works)
    assert r.works[-1]["stream"] == stream.handle
    assert r.works[0]["site"].startswith("test_recorder.py:")


@pytest.mark.cuda
def test_a_launch_that_is_refused_leaves_no_record():
    kernel = cuda.RawKernel('extern "C" __global__ void f(int* p) {}', "f")
    out = cuda.to_device(np.ones(1, np.int32))
    with Recorded() as r, pytest.raises(cuda.LaunchError):
        kernel((1,), (4096,), (out,))
    assert r.works == []


@pytest.mark.cuda
def test_a_reset_ends_times_but_not_records():
    a = ones(4).to("cuda")
    recording = _core.Recording.open(device=True)
    a + a
    cuda.synchronize()
    del a
    _core.reset()
    ones(4).to("cuda") * 2
    recording.close()
    names = [w["file"] for w in recording.works() if w["kind"] == "kernel"]
    assert names[0] == "zip.cu"
    assert len(names) >= 2


@pytest.mark.parametrize("on", [True, False])
def test_reading_leaves_the_collector_of_garbage_as_it_is(on):
    recording = _core.Recording.open()
    with pytest.raises(RuntimeError):
        recording.scopes()
    recording.close()
    was_on = gc.isenabled()
    try:
        (gc.enable if on else gc.disable)()
        recording.scopes(), recording.works(), recording.waits(), recording.memory()
        assert gc.isenabled() is on
    finally:
        (gc.enable if was_on else gc.disable)()

"""The tests of captures and replays: what they do, hold and refuse."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest

import minitorch
from minitorch import cuda

from .processes import run_python

pytestmark = pytest.mark.cuda

SCALE = r"""
extern "C" __global__ void scale(float* out, const float* in, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * factor;
}
"""


def floats(*values):
    return cuda.to_device(np.array(values, dtype=np.float32))


def tensor(values, **named):
    return minitorch.tensor(values, device="cuda", **named)


def numbers(a):
    return a.numpy().tolist()


def capture(body, g=None, **named):
    g = g or cuda.CUDAGraph()
    with cuda.graph(g, **named):
        body()
    return g


def test_capturing_runs_nothing_and_replays_do():
    kernel = cuda.RawKernel(SCALE, "scale")
    x, y = floats(1, 2, 3), floats(0, 0, 0)
    g = cuda.CUDAGraph()
    with cuda.graph(g):
        kernel((1,), (32,), (y, x, np.float32(2), np.int32(3)))
    assert y.copy_to_host().tolist() == [0, 0, 0]
    g.replay()
    assert y.copy_to_host().tolist() == [2, 4, 6]
    x.copy_to_device(np.array([5, 6, 7], dtype=np.float32))
    g.replay()
    assert y.copy_to_host().tolist() == [10, 12, 14]
    assert (g.launches, repr(g)) == (1, "CUDAGraph(1 nodes, 1 launches)")


def test_kernels_written_in_python_are_captured():
    @cuda.jit
    def add_one(a):
        i = cuda.grid(1)
        if i < a.size:
            a[i] += 1

    a = floats(1, 2)
    add_one[1, 32](a)
    g = cuda.CUDAGraph()
    with cuda.graph(g):
        add_one[1, 32](a)
        add_one[1, 32](a)
    for _ in range(3):
        g.replay()
    assert a.copy_to_host().tolist() == [8, 9]


def test_a_copy_of_page_locked_memory_reads_it_at_each_replay():
    host = cuda.pinned_array(2, dtype=np.float32)
    x = floats(0, 0)
    g = cuda.CUDAGraph()
    stream = cuda.Stream()
    with cuda.graph(g, stream=stream):
        x.copy_to_device(host, stream=stream)
    for values in ([1, 2], [3, 4]):
        host[:] = values
        g.replay()
        assert x.copy_to_host().tolist() == values


def test_memory_of_a_capture_lives_with_the_graph_and_its_tensors():
    gc.collect()
    before = minitorch._core.memory_statistics()["allocated"]
    x = tensor([1.0, 2.0, 3.0])
    (x * x).exp()
    g = cuda.CUDAGraph()
    with cuda.graph(g):
        y = (x * x).exp()
    noise = [tensor([9.0] * 3) * 9 for _ in range(200)]  # would take freed blocks
    g.replay()
    np.testing.assert_allclose(y.numpy(), np.exp([1.0, 4.0, 9.0]))
    g.reset()
    np.testing.assert_allclose(y.numpy(), np.exp([1.0, 4.0, 9.0]))
    del x, y, g, noise
    gc.collect()
    assert minitorch._core.memory_statistics()["allocated"] == before


def test_a_stream_that_was_not_joined_is_named():
    x = tensor([1.0, 2.0])
    x + x
    side = cuda.Stream()

    def fork():
        side.wait_stream(cuda.current_stream())
        with cuda.stream(side):
            x + x

    with pytest.raises(cuda.GraphCaptureError, match=r"UNJOINED.*wait_stream"):
        capture(fork)
    assert numbers(x + x) == [2.0, 4.0]


LATE = {
    "item": lambda x: x.sum().item(),
    "float": lambda x: float(x.sum()),
    "bool": lambda x: bool(x.sum() > 0),
    "print": lambda x: print(x),
    "numpy": lambda x: x.numpy(),
    "cpu": lambda x: x.to("cpu"),
    "synchronize": lambda x: cuda.synchronize(),
    "stream": lambda x: cuda.current_stream().synchronize(),
    "event": lambda x: cuda.current_stream().record_event().synchronize(),
    "query": lambda x: cuda.current_stream().query(),
    "pageable": lambda x: tensor([1.0, 2.0]),
    "large": lambda x: cuda.to_device(np.zeros(100_000)),
    "raw": lambda x: cuda.RawKernel(SCALE + "// other", "scale")((1,), (1,), ()),
    "copy to the host": lambda x: cuda.to_device(x).copy_to_host(),
}


@pytest.mark.parametrize("what", LATE)
def test_what_no_graph_can_hold_ends_the_capture_with_its_line(what):
    x = tensor([[1.0, 2.0], [3.0, 4.0]])
    assert x.sum().item() == 10
    assert bool(x.sum() > 0)
    cuda.to_device(x)
    g = cuda.CUDAGraph()
    with pytest.raises(cuda.GraphCaptureError, match=r"test_graphs.py:\d+ while a gr"):
        capture(lambda: (x + x, LATE[what](x)), g)
    assert not cuda.is_current_stream_capturing()
    assert x.sum().item() == 10  # eager work goes on, on the same stream
    with pytest.raises(RuntimeError, match="before a capture"):
        g.replay()
    with cuda.graph(g):  # and so does the graph
        y = x + x
    g.replay()
    assert numbers(y) == [[2.0, 4.0], [6.0, 8.0]]


def test_a_kernel_that_is_not_loaded_yet_ends_the_capture():
    program = """\
import minitorch
from minitorch import cuda
x = minitorch.tensor([1.0, 2.0], device="cuda")
with cuda.graph(cuda.CUDAGraph()):
    x.sigmoid()
"""  # in a process of its own: others' tests load kernels
    ran = run_python(program)
    assert ran.returncode == 1
    last = ran.stderr.splitlines()[-1]
    assert last.startswith("minitorch.cuda.GraphCaptureError: [graph] got the kernel")
    assert "<string>:5 while a graph is captured" in last


def test_an_error_of_the_program_leaves_no_capture():
    g = cuda.CUDAGraph()
    with pytest.raises(ZeroDivisionError):
        capture(lambda: 1 / 0, g)
    assert not cuda.is_current_stream_capturing()
    assert repr(g) == "CUDAGraph(not captured)"
    assert tensor([2.0]).item() == 2


def test_a_caught_error_is_told_again_at_the_end():
    x = tensor([1.0])

    def caught():
        with pytest.raises(cuda.GraphCaptureError):
            x.item()
        assert x.item() == 1

    with pytest.raises(cuda.GraphCaptureError, match=r"had ended before.*wait .value."):
        capture(caught)


def test_begin_and_end_without_a_block():
    x = tensor([1.0, 2.0])
    x + x
    g, side = cuda.CUDAGraph(), cuda.Stream()
    cuda.synchronize()
    with cuda.stream(side):
        g.capture_begin()
        assert cuda.is_current_stream_capturing()
        y = x + x
        g.capture_end()
    g.replay()
    assert numbers(y) == [2.0, 4.0]


def test_calls_in_the_wrong_order():
    g = cuda.CUDAGraph()
    with pytest.raises(RuntimeError, match=r"capture_end\(\) without"):
        g.capture_end()
    with pytest.raises(RuntimeError, match="before a capture"):
        g.replay()
    with pytest.raises(RuntimeError, match=r"pool\(\) before a capture"):
        g.pool()
    with pytest.raises(RuntimeError, match="before a capture"):
        g.debug_dump("nowhere.dot")
    with pytest.raises(RuntimeError, match="default stream"):
        g.capture_begin()
    with cuda.graph(g), pytest.raises(RuntimeError, match="within a capture"):
        cuda.CUDAGraph().capture_begin()
    with pytest.raises(RuntimeError, match="captured already"):
        capture(lambda: None, g)
    g.reset()
    capture(lambda: None, g)
    with pytest.raises(cuda.GraphCaptureError, match="replay of another graph"):
        capture(g.replay)


@pytest.mark.parametrize(
    "pool", [3, (1, 1), (0, 0), (0, True), (0, 1, 2), "x", (0, "1")]
)
def test_a_wrong_pool(pool):
    with pytest.raises(ValueError, match="graph_pool_handle"):
        capture(lambda: None, pool=pool)


def test_wrong_arguments():
    with pytest.raises(ValueError, match="thread_local"):
        capture(lambda: None, capture_error_mode="strict")
    with pytest.raises(TypeError, match=r"need a cuda.CUDAGraph"):
        cuda.graph(3)
    with pytest.raises(TypeError, match=r"need a cuda.Stream"):
        cuda.graph(cuda.CUDAGraph(), stream=3)
    with pytest.raises(RuntimeError, match="default stream"):
        capture(lambda: None, stream=cuda.default_stream())
    assert cuda.current_stream() == cuda.default_stream()


@pytest.mark.parametrize("mode", ["global", "thread_local", "relaxed"])
def test_another_thread_works_during_a_capture(mode):
    x = tensor([1.0, 2.0])
    x + x
    found = []

    def other():
        y = tensor([3.0, 4.0]) + tensor([1.0, 1.0])
        found.append(numbers(y))
        cuda.synchronize()

    g = cuda.CUDAGraph()
    with cuda.graph(g, capture_error_mode=mode):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        y = x + x
    g.replay()
    assert found == [[4.0, 5.0]]
    assert numbers(y) == [2.0, 4.0]


def test_the_end_belongs_to_the_thread_of_the_beginning():
    g, side, errors = cuda.CUDAGraph(), cuda.Stream(), []

    def other():
        try:
            g.capture_end()
        except RuntimeError as error:
            errors.append(str(error))

    with cuda.stream(side):
        g.capture_begin()
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert "another thread" in errors[0]
    with cuda.stream(side):
        g.capture_end()
    g.replay()


def test_a_fault_in_a_replay_names_the_line_of_the_capture():
    kernel = cuda.RawKernel(SCALE, "scale")
    x, y = floats(1, 2), floats(0, 0)
    kernel((1,), (32,), (y, x, np.float32(1), np.int32(2)))
    g = cuda.CUDAGraph()
    with cuda.graph(g):
        kernel((1,), (32,), (y, x, np.float32(1), np.int32(5)))  # the line
    line = test_a_fault_in_a_replay_names_the_line_of_the_capture.__code__
    g.replay()
    with pytest.raises(cuda.KernelError) as found:
        cuda.synchronize()
    assert found.value.kind == "oob_global"
    assert found.value.launch_site == f"test_graphs.py:{line.co_firstlineno + 6}"
    assert y.copy_to_host().tolist() == [1, 2]


def test_replays_are_launches_of_the_table():
    x = tensor([1.0, 2.0])
    x + x
    cuda.clear_launch_table()
    g = cuda.CUDAGraph()
    with cuda.graph(g):
        y = x + x
    assert sum(row.launches for row in cuda.launch_table()) == 0
    for _ in range(3):
        g.replay()
    assert sum(row.launches for row in cuda.launch_table()) == 3
    cuda.clear_launch_table()
    g.replay()
    assert cuda.launch_table() == []
    assert numbers(y) == [2.0, 4.0]


def test_a_replay_can_be_inspected():
    kernel = cuda.RawKernel(SCALE, "scale")
    x, y = floats(1, 2, 3), floats(0, 0, 0)
    g = cuda.CUDAGraph()
    with cuda.graph(g):
        kernel((1,), (32,), (y, x, np.float32(2), np.int32(3)))
        kernel((1,), (32,), (x, y, np.float32(2), np.int32(3)))
    with cuda.inspect(trace=True) as report:
        g.replay()
    assert [launch.kernel for launch in report.launches] == ["scale", "scale"]
    first = report.launches[0]
    assert first.counters["global_load_sectors"] == 1
    assert len(first.trace) > 3
    assert "test_graphs.py" in first.launch_site


def test_a_reset_of_the_device_ends_graphs():
    x = tensor([1.0, 2.0])
    x + x
    g = cuda.CUDAGraph()
    with cuda.graph(g):
        y = x + x
    del x, y
    cuda.reset()
    with pytest.raises(RuntimeError, match="before the device was reset"):
        g.replay()
    g.reset()
    x = tensor([1.0, 2.0])
    x + x
    with cuda.graph(g):
        y = x + x
    g.replay()
    assert numbers(y) == [2.0, 4.0]

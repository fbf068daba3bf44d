"""The tests of waits that nobody asked for, and of the length of a queue."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
import warnings
from functools import partial

import numpy as np
import pytest

import minitorch
from minitorch import _core, cuda

pytestmark = pytest.mark.cuda

SPIN = r"""
extern "C" __global__ void spin(int* out, int rounds) {
  int sum = 0;
  #pragma unroll 1
  for (int i = 0; i < rounds; ++i) sum += i ^ (sum << 1);
  out[0] = sum == 12345 ? 1 : 7;
}
"""


@pytest.fixture(autouse=True)
def quiet():
    yield
    cuda.set_sync_debug_mode("default")
    cuda.queue_limit(960)


def tensor(values, **named):
    return minitorch.tensor(values, device="cuda", **named)


X = [[1.0, 2.0], [3.0, 4.0]]


def full_queue():
    """Launches beyond a limit of 2 while a function of the host holds the stream."""
    kernel = cuda.RawKernel(SPIN, "spin")
    out = cuda.to_device(np.zeros(1, dtype=np.int32))
    gate = threading.Event()
    stream = cuda.Stream()
    cuda.queue_limit(2)
    stream.add_callback(lambda *_: gate.wait(20))
    opener = threading.Timer(0.3, gate.set)
    opener.start()
    try:
        with stream:
            for _ in range(4):
                kernel((1,), (1,), (out, np.int32(1)))
    finally:
        gate.set()
        opener.cancel()


def no_memory_left():
    cuda.device_array(1000)  # there is something to give back
    cuda.device_array(2**47, np.uint8)


CAUSES = {
    "item": ("value", lambda x: x.sum().item()),
    "float": ("value", lambda x: float(x.sum())),
    "int": ("value", lambda x: int(x.sum())),
    "bool": ("value", lambda x: bool(x.sum() > 0)),
    "print": ("value", lambda x: print(x)),
    "numpy": ("value", lambda x: x.numpy()),
    "asarray": ("value", lambda x: np.asarray(x)),
    "cpu": ("value", lambda x: x.cpu()),
    "to": ("value", lambda x: x.to("cpu")),
    "t[0, 1]": ("value", lambda x: x[0, 1]),
    "nonzero": ("value", lambda x: x.nonzero()),
    "mask": ("value", lambda x: x[x.gt(2.0)]),
    "pageable": ("copy", lambda x: cuda.to_device(np.zeros(8193))),
    "to the host": ("copy", lambda x: cuda.as_cuda_array(x).copy_to_host()),
    "queue": ("queue_full", lambda x: full_queue()),
    "memory": ("memory", lambda x: no_memory_left()),
    "dlpack": ("exchange", lambda x: _core.to_dlpack(x, True, False)),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_each_cause_is_an_error_before_it_waits(cause):
    reason, call = CAUSES[cause]
    x = tensor(X)
    with (
        cuda.sync_debug_mode("error"),
        pytest.raises(RuntimeError, match="called a synchronizing CUDA op") as found,
    ):
        call(x)
    assert f"({reason})" in str(found.value)
    assert "test_sync_debug.py:" in str(found.value)
    assert x.sum().item() == 10  # the same call is allowed again


@pytest.mark.parametrize("cause", sorted(set(CAUSES) - {"memory"}))
def test_each_cause_warns_at_its_line(cause):
    reason, call = CAUSES[cause]
    x = tensor(X)
    with (
        cuda.sync_debug_mode("warn"),
        pytest.warns(cuda.SynchronizeWarning, match="called a synchronizing") as found,
    ):
        call(x)
    assert f"({reason})" in str(found[0].message)
    assert found[0].filename == __file__


QUEUED = {
    "arithmetic": lambda x: (x * 2 + x).relu().sum(),
    "product": lambda x: x @ x,
    "slice": lambda x: x[0:1],
    "row": lambda x: x[0],
    "small copy": lambda x: cuda.to_device(np.zeros(8192)),
    "tensor": lambda x: tensor(X),
    "launch": lambda x: cuda.default_stream().record_event(),
    "query": lambda x: cuda.default_stream().query(),
    "order": lambda x: cuda.Stream().wait_stream(cuda.current_stream()),
    "explicit": lambda x: cuda.synchronize(),
    "stream": lambda x: cuda.current_stream().synchronize(),
    "event": lambda x: cuda.current_stream().record_event().synchronize(),
    "table": lambda x: cuda.launch_table(),
}


@pytest.mark.parametrize("what", QUEUED)
def test_what_queues_or_waits_on_request_is_allowed(what):
    x = tensor(X)
    with cuda.sync_debug_mode("error"):
        QUEUED[what](x)


def test_no_wait_has_happened_when_the_error_comes():
    gate = threading.Event()
    stream = cuda.Stream()
    stream.add_callback(lambda *_: gate.wait(60))
    with stream:
        x = tensor([1.0]) + tensor([2.0])
        with cuda.sync_debug_mode("error"), pytest.raises(RuntimeError):
            x.item()
        assert not stream.query()  # else the error came after the wait
        gate.set()
        assert x.item() == 3


@pytest.mark.parametrize(
    ("given", "mode"),
    [("default", 0), ("warn", 1), ("error", 2), (0, 0), (1, 1), (2, 2)],
)
def test_modes_have_torchs_names_and_numbers(given, mode):
    cuda.set_sync_debug_mode(given)
    assert cuda.get_sync_debug_mode() == mode


def test_the_mode_is_that_of_the_process_and_a_block_that_of_its_thread():
    x, found = tensor([1.0]), []
    with cuda.sync_debug_mode("error"):
        with cuda.sync_debug_mode("default"):
            assert x.item() == 1
        thread = threading.Thread(target=lambda: found.append(x.item()))
        thread.start()
        thread.join()
        assert cuda.get_sync_debug_mode() == 2
    assert found == [1.0]
    cuda.set_sync_debug_mode("error")
    modes = []
    thread = threading.Thread(target=lambda: modes.append(cuda.get_sync_debug_mode()))
    thread.start()
    thread.join()
    assert modes == [2]
    with pytest.raises(RuntimeError, match="synchronizing"):
        x.item()


def test_one_block_in_several_threads_and_its_end_without_a_begin():
    x, mode, wrong = tensor([1.0]), cuda.sync_debug_mode("error"), []

    def run():
        for _ in range(50):
            with mode, pytest.raises(RuntimeError, match="synchronizing"):
                x.item()
            wrong.append(x.item() != 1)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(wrong) == 150
    assert not any(wrong)
    with pytest.raises(RuntimeError, match="this thread did not begin"):
        mode.__exit__(None, None, None)


def test_a_warning_that_is_an_error_is_raised():
    x = tensor([1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with cuda.sync_debug_mode(1), pytest.raises(cuda.SynchronizeWarning):
            x.item()
    assert x.item() == 1


@pytest.mark.parametrize(
    ("call", "wrong", "error", "need"),
    [
        *[
            (call, wrong, error, "'default', 'warn' or 'error'")
            for call in (cuda.set_sync_debug_mode, cuda.sync_debug_mode)
            for wrong, error in (
                (True, TypeError),
                (None, TypeError),
                (3, ValueError),
                ("Error", ValueError),
            )
        ],
        (cuda.queue_limit, True, TypeError, "an int"),
        (cuda.queue_limit, 0, ValueError, "1 to 960"),
        (cuda.queue_limit, 961, ValueError, "1 to 960"),
    ],
)
def test_wrong_modes_and_limits(call, wrong, error, need):
    with pytest.raises(error, match=rf"\[{call.__name__}\] got .*; need {need}"):
        call(wrong)
    assert (cuda.get_sync_debug_mode(), cuda.queue_limit()) == (0, 960)


def calls_before_the_queue_is_full(call):
    """How many calls return while nothing of their stream can run."""
    gate, stream, count = threading.Event(), cuda.Stream(), 0
    stream.add_callback(lambda *_: gate.wait(60))

    def call_on():
        nonlocal count
        while count < 1000:
            call()
            count += 1

    with stream, cuda.sync_debug_mode("error"):
        try:
            with pytest.raises(RuntimeError, match="queue_full"):
                call_on()
        finally:
            gate.set()
    stream.synchronize()
    return count


@pytest.mark.parametrize("limit", [1, 33, 960])
def test_so_many_launches_are_queued(limit):
    kernel = cuda.RawKernel(SPIN, "spin")
    out = cuda.to_device(np.zeros(1, dtype=np.int32))
    cuda.queue_limit(limit)
    call = partial(kernel, (1,), (1,), (out, np.int32(1)))
    assert calls_before_the_queue_is_full(call) == limit


def test_copies_that_keep_memory_count_as_several():
    block = np.zeros(8192)  # 64 KiB
    target = cuda.to_device(block)
    count = calls_before_the_queue_is_full(lambda: target.copy_to_device(block))
    assert 10 <= count <= (8 << 20) // block.nbytes


def test_a_loop_runs_on_after_the_queue_was_full():
    x = tensor([0.0] * 64)
    cuda.queue_limit(3)
    for _ in range(100):
        x += 1.0
    assert x.numpy().tolist() == [100.0] * 64


INTERRUPTED = """
import numpy as np
from minitorch import cuda
kernel = cuda.RawKernel(CODE, "spin")
out = cuda.to_device(np.zeros(1, dtype=np.int32))
kernel((1,), (1,), (out, np.int32(1)))
cuda.synchronize()
cuda.set_launch_limits(seconds=0, instructions=0)
cuda.queue_limit(LIMIT)
print("ready", flush=True)
try:
    while True:
        kernel((1,), (1,), (out, np.int32(50_000_000)))
except KeyboardInterrupt:
    print("interrupted", flush=True)
kernel((1,), (1,), (out, np.int32(1)))
print(out.copy_to_host().tolist(), flush=True)
"""


@pytest.mark.parametrize("limit", [1, 960])
def test_ctrl_c_ends_the_wait_for_a_full_queue(limit):
    program = f"CODE = {SPIN!r}\nLIMIT = {limit}\n" + INTERRUPTED
    child = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(1.5)
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=60)
    finally:
        child.kill()
    assert out.splitlines() == ["interrupted", "[7]"]

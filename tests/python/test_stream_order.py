"""The tests of streams whose work goes on: reuse of memory, waits, Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

import minitorch
from minitorch import _core, cuda

pytestmark = pytest.mark.cuda

BUSY = """
extern "C" __global__ void busy(int* x, long long rounds) {
  for (long long i = 0; i < rounds; ++i) x[threadIdx.x] += (int)i;
}
"""
StartBusy = Callable[["cuda.Stream | None"], None]


def interrupted(call, progress=lambda: 0):
    """Run `call`, which Ctrl-C must end once it makes no progress."""

    def interrupt():
        seen = -1
        while seen != progress():
            seen = progress()
            time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)

    interrupter = threading.Thread(target=interrupt)

    def call_and_wait():
        interrupter.start()
        call()
        interrupter.join()
        pytest.fail("it did not wait")

    with pytest.raises(KeyboardInterrupt):
        call_and_wait()


@pytest.fixture
def start_busy():
    """Queues work that does not end before it is cancelled."""
    if not _core.is_emulated():
        pytest.skip("work on a GPU cannot be cancelled")
    kernel = cuda.RawKernel(BUSY, "busy")
    x = cuda.to_device(np.zeros(32, np.int32))
    cuda.synchronize()
    budget = _core.budget()
    _core.set_budget(0)
    yield lambda stream: kernel(1, 32, (x, 2**60), stream=stream)
    _core.set_budget(budget)
    cuda.synchronize()


@pytest.mark.parametrize("kind", ["kernel", "copy"])
def test_freed_memory_waits_for_the_streams_that_used_it(start_busy, kind):
    owner, user = cuda.Stream(), cuda.Stream()
    other = minitorch.ones((64,), device="cuda")
    kept = [other + other]  # compiled and loaded before anything waits
    with owner:
        tensor = minitorch.ones((64,), device="cuda")
        array = cuda.device_array(64, np.float32)
    cuda.synchronize()
    start_busy(user)
    with user:
        if kind == "kernel":
            kept.append(tensor + tensor)
        else:
            array.copy_to_device(np.zeros(64, np.float32))
    event = cuda.Event()
    event.record(owner)
    event.synchronize()
    del tensor
    array.free()
    event.record(owner)
    time.sleep(0.2)
    waiting = not event.query()
    interrupted(cuda.synchronize)
    assert waiting, "the owner's stream must wait for the user's"
    assert kept[-1].shape == (64,)


def test_control_c_ends_a_large_copy_that_waits(start_busy):
    start_busy(None)
    values = np.zeros(1 << 20)
    interrupted(lambda: cuda.to_device(values))


def test_control_c_ends_a_copy_that_waits_for_another_stream(
    start_busy,
):
    stream = cuda.Stream()
    x = cuda.to_device(np.zeros(4))
    cuda.synchronize()
    start_busy(stream)
    interrupted(x.copy_to_host)


def test_control_c_ends_small_copies_that_pile_up(start_busy):
    copied = [0]

    def copies():
        while copied[0] < 1 << 20:
            cuda.to_device(np.zeros(4))
            copied[0] += 1

    start_busy(None)
    interrupted(copies, lambda: copied[0])


def test_many_arrays_can_be_freed_while_work_waits(start_busy):
    arrays = [cuda.device_array(4) for _ in range(1500)]
    cuda.synchronize()
    start_busy(None)
    arrays.clear()  # must not wait: nothing could interrupt it
    interrupted(cuda.synchronize)


def test_a_stream_can_be_dropped_while_it_works(start_busy):
    stream = cuda.Stream()
    start_busy(stream)
    del stream  # must not wait
    interrupted(cuda.synchronize)

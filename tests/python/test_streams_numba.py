"""The tests of streams and events under Numba's names: order, calls back, time."""

from __future__ import annotations

import threading
import warnings

import numpy as np
import pytest

from minitorch import _core, cuda

pytestmark = pytest.mark.cuda

SPIN = """
__global__ void spin(int* x, int n) {
  #pragma unroll 1
  for (int i = 0; i < n; ++i) atomicAdd(x, 1);
}
"""


@pytest.fixture
def spin():
    return cuda.RawKernel(SPIN, "spin")


def test_arrays_are_copied_and_kernels_run_on_the_stream_given(spin):
    stream = cuda.stream()
    x = cuda.to_device(np.zeros(1, np.int32), stream=stream)
    spin[1, 1, stream](x, 100)
    assert x.copy_to_host(stream=stream)[0] == 100
    x.copy_to_device(np.full(1, 5, np.int32), stream=stream)
    assert x.copy_to_host(stream=stream)[0] == 5


def test_the_drivers_own_streams(spin):
    x = cuda.to_device(np.zeros(1, np.int32))
    for stream, handle, name in (
        (cuda.default_stream(), 0, "default stream"),
        (cuda.legacy_default_stream(), 1, "legacy default stream"),
        (cuda.per_thread_default_stream(), 2, "per-thread default stream"),
    ):
        spin[1, 1, stream](x, 10)
        stream.synchronize()
        assert (stream.handle, int(stream), stream.__cuda_stream__()) == (
            handle,
            handle,
            (0, handle),
        )
        assert repr(stream) == f"Stream({name})"
    assert x.copy_to_host()[0] == 30


def test_callbacks_come_in_order_with_their_argument(spin):
    stream, seen = cuda.stream(), []
    x = cuda.to_device(np.zeros(1, np.int32), stream=stream)
    spin[1, 1, stream](x, 2000)
    stream.add_callback(lambda *given: seen.append(given), "first")
    stream.add_callback(lambda *given: seen.append(given))
    stream.synchronize()
    assert seen == [(stream, 0, "first"), (stream, 0, None)]


def test_a_callback_holds_back_the_work_behind_it(spin):
    stream, go, before = cuda.stream(), threading.Event(), []
    x = cuda.to_device(np.zeros(1, np.int32), stream=stream)
    behind = cuda.event()
    stream.add_callback(lambda *given: before.append(go.wait(10)))
    spin[1, 1, stream](x, 1)
    behind.record(stream)
    assert not behind.query()
    go.set()
    stream.synchronize()
    assert (before, behind.query()) == ([True], True)


def test_callbacks_may_be_the_last_to_know_arrays():
    """More of them than Python's queue of pending calls holds."""

    def work():
        stream = cuda.stream()
        for _ in range(100):
            array = cuda.to_device(np.ones(100), stream=stream)
            stream.add_callback(lambda stream, status, kept: None, array)
            del array
        stream.synchronize()

    before = _core.memory_statistics()["live_blocks"]
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    sum(number for number in range(1000))  # the interpreter takes its turn here
    cuda.synchronize()
    assert _core.memory_statistics()["live_blocks"] <= before


def test_what_a_callback_raises_is_a_warning():
    stream = cuda.stream()

    def fails(*given):
        raise KeyError("lost")

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        stream.add_callback(fails)
        stream.synchronize()
    assert ["KeyError('lost')" in str(each.message) for each in caught] == [True]


def test_elapsed_time_is_that_between_the_records(spin):
    start, end, stream = cuda.event(), cuda.event(), cuda.stream()
    x = cuda.to_device(np.zeros(1, np.int32), stream=stream)
    start.record(stream=stream)
    spin[1, 1, stream](x, 3000)
    end.record(stream=stream)
    end.synchronize()
    time = start.elapsed_time(end)
    assert time > 0
    assert end.elapsed_time(start) == -time


def test_zero_is_the_current_stream():
    event = cuda.event()
    event.record(0)
    event.wait(0)
    event.synchronize()
    assert event.query()
    assert cuda.to_device([1.0], 0).copy_to_host(None, 0).tolist() == [1]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: cuda.event().record("s"), TypeError, "stream 's'"),
        (lambda: cuda.event().wait(1), TypeError, "stream 1"),
        (lambda: cuda.event().elapsed_time(3), TypeError, "need a cuda.Event"),
        (lambda: cuda.event().elapsed_time(4), TypeError, "need a cuda.Event"),
        (lambda: cuda.event().elapsed_time(cuda.event()), ValueError, "not recorded"),
        (lambda: cuda.stream().add_callback(3), TypeError, "need a function"),
        (lambda: cuda.to_device([1.0], stream=1.5), TypeError, "stream 1.5"),
        (lambda: cuda.device_array(1, stream="s"), TypeError, "stream 's'"),
    ],
)
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_events_without_a_clock_have_no_time():
    start, end = cuda.event(timing=False), cuda.event()
    start.record()
    end.record()
    end.synchronize()
    with pytest.raises(ValueError, match="timing=False"):
        start.elapsed_time(end)

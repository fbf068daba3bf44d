"""The tests of streams and events under PyTorch's names: who waits for whom."""

from __future__ import annotations

import contextlib
import threading

import numpy as np
import pytest

import minitorch
from minitorch import cuda
from minitorch.profiler import profile

pytestmark = pytest.mark.cuda

SPIN = r"""
extern "C" __global__ void spin(int* out, int rounds) {
  int sum = 0;
  #pragma unroll 1
  for (int i = 0; i < rounds; ++i) sum += i ^ (sum << 1);
  out[0] = sum == 12345 ? 1 : 7;
}
extern "C" __global__ void copy(int* out, const int* in) { out[0] = in[0]; }
"""


@pytest.fixture(scope="module")
def kernels():
    module = cuda.RawModule(SPIN)
    return module.get_function("spin"), module.get_function("copy")


def slow_write(kernels, out):
    """Sets `out` to 7 after some milliseconds."""
    kernels[0]((1,), (1,), (out, np.int32(100_000)))


def integers(count):
    return [cuda.to_device(np.zeros(1, dtype=np.int32)) for _ in range(count)]


def test_the_current_stream_is_that_of_the_block_and_the_thread():
    outside = cuda.current_stream()
    assert outside == cuda.default_stream()
    side, found = cuda.Stream(), []
    with cuda.stream(side) as entered:
        assert entered is side
        assert cuda.current_stream() == side
        thread = threading.Thread(target=lambda: found.append(cuda.current_stream()))
        thread.start()
        thread.join()
        with cuda.stream(None):
            assert cuda.current_stream() == side
        with cuda.stream(cuda.default_stream()):
            assert cuda.current_stream() == outside
    assert cuda.current_stream() == outside
    assert found == [outside]


def test_equal_streams_are_one_key():
    side = cuda.stream()
    with side:
        assert {side: 1}[cuda.current_stream()] == 1
    assert side != cuda.Stream()
    assert side != 3


def test_a_stream_that_waits_sees_what_another_has_queued(kernels):
    a, b = integers(2)
    first, second = cuda.Stream(), cuda.Stream()
    with first:
        slow_write(kernels, a)
    second.wait_stream(first)
    with second:
        kernels[1]((1,), (1,), (b, a))
    second.synchronize()
    assert b.copy_to_host().tolist() == [7]


def test_events_order_streams(kernels):
    a, b = integers(2)
    first, second = cuda.Stream(), cuda.Stream()
    with first:
        slow_write(kernels, a)
    event = first.record_event()
    second.wait_event(event)
    with second:
        kernels[1]((1,), (1,), (b, a))
    mine = cuda.Event(enable_timing=True)
    assert second.record_event(mine) is mine
    mine.synchronize()
    assert event.query()
    assert b.copy_to_host().tolist() == [7]


def test_a_query_does_not_wait(kernels):
    (a,) = integers(1)
    gate = threading.Event()
    stream = cuda.Stream()
    stream.add_callback(lambda *_: gate.wait(30))
    with stream:
        slow_write(kernels, a)
    event = stream.record_event()
    assert not stream.query()
    assert not event.query()
    gate.set()
    stream.synchronize()
    assert stream.query()
    assert event.query()


@pytest.mark.parametrize("wrong", [0, 3, "side", object()])
def test_what_is_no_stream(wrong):
    with pytest.raises(TypeError, match=r"\[stream\] got .* need a cuda.Stream"):
        cuda.stream(wrong)
    with pytest.raises(TypeError, match=r"\[wait_stream\] got .* need a cuda.Stream"):
        cuda.Stream().wait_stream(wrong)
    with pytest.raises(TypeError, match=r"\[wait_event\] got .* need a cuda.Event"):
        cuda.Stream().wait_event(wrong)


@contextlib.contextmanager
def never_idle(stream):
    """Another thread keeps the stream busy: new work is there before the last ends.

    Yields what says whether it still does; it gives up after a while.
    """
    stop, gates = threading.Event(), [threading.Event()]
    stream.add_callback(lambda *_, gate=gates[0]: gate.wait(60))

    def feed():
        while not stop.wait(0.001):
            gates.append(threading.Event())
            stream.add_callback(lambda *_, gate=gates[-1]: gate.wait(60))
            gates[-2].set()
        gates[-1].set()

    thread, watchdog = threading.Thread(target=feed), threading.Timer(30, stop.set)
    thread.start()
    watchdog.start()
    try:
        yield lambda: not stop.is_set()
    finally:
        watchdog.cancel()
        stop.set()
        thread.join()


@pytest.mark.parametrize(
    "wait",
    [
        lambda stream: cuda.synchronize(),
        lambda stream: stream.synchronize(),
        lambda stream: profile().__enter__().__exit__(None, None, None),
    ],
)
def test_a_wait_ends_though_others_keep_the_stream_busy(wait):
    stream = cuda.Stream()
    with stream:
        x = minitorch.ones(4, device="cuda") + 1
        with never_idle(stream) as busy:
            wait(stream)
            assert busy()
        stream.synchronize()
    assert x.sum().item() == 8

"""The tests of graphs that outlive what they use, or are used by many at once: nothing
is overwritten, nobody hangs, and eager work goes on.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import threading
import time

import numpy as np
import pytest

import minitorch
from minitorch import cuda, nn
from minitorch import functional as F

from .processes import run_python

pytestmark = pytest.mark.cuda


def ones(*shape):
    return minitorch.ones(*shape, device="cuda")


def captured(call, **options):
    call()  # compiles
    cuda.synchronize()
    graph = cuda.CUDAGraph()
    with cuda.graph(graph, **options):
        out = call()
    return graph, out


def noise():
    """Arrays that take what memory was given back, and write into it."""
    return [minitorch.zeros(4, 4, device="cuda") + 7 for _ in range(300)]


def is_noise(arrays):
    return all((array.numpy() == 7).all() for array in arrays)


@pytest.mark.parametrize("with_output", [True, False])
def test_a_graph_may_go_while_it_is_replayed(with_output):
    x, held, stream = ones(4, 4), threading.Event(), cuda.Stream()
    graph, out = captured(lambda: x @ x + x)
    stream.add_callback(lambda *_: held.wait(60))
    with cuda.stream(stream):
        graph.replay()
    del graph
    if not with_output:
        del out
    gc.collect()
    arrays = noise()
    held.set()
    stream.synchronize()
    assert is_noise(arrays)
    if with_output:
        assert (out.numpy() == 5).all()


def test_weights_that_were_deleted_or_moved_stay_with_the_graph():
    kept = [nn.Linear(4, 4).to("cuda"), ones(3, 4)]
    expected = kept[0](kept[1]).detach().numpy()
    graph, out = captured(lambda: kept[0](kept[1]).detach())
    kept.pop()
    kept[0].to("cpu")
    gc.collect()
    arrays = noise()
    graph.replay()
    np.testing.assert_array_equal(out.numpy(), expected)
    kept.clear()
    gc.collect()
    graph.replay()
    np.testing.assert_array_equal(out.numpy(), expected)
    assert is_noise(arrays)


def test_no_memory_in_a_capture_ends_it_and_gives_back_what_it_had():
    x, kept = ones(4, 4), []
    x @ x
    before = minitorch._core.memory_statistics()["allocated"]

    def too_much():
        with cuda.graph(cuda.CUDAGraph()):
            kept.append(x @ x)
            kept.append(minitorch.zeros(2**42, device="cuda"))

    with pytest.raises(minitorch.cuda.OutOfMemoryError):
        too_much()
    assert len(kept) == 1
    kept.clear()
    gc.collect()
    assert minitorch._core.memory_statistics()["allocated"] == before
    assert captured(lambda: x @ x)[0].launches == 1


def run_all(*calls):
    """What went wrong in the threads of the calls."""
    wrong = []

    def guarded(call):
        try:
            call()
        except Exception as error:
            wrong.append(f"{type(error).__name__}: {error}")

    threads = [threading.Thread(target=guarded, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


def test_threads_replay_one_graph():
    x = ones(4, 4)
    graph, out = captured(lambda: x @ x + x)

    def replay():
        for _ in range(200):
            graph.replay()

    assert run_all(*[replay] * 4) == []
    assert (out.numpy() == 5).all()


def test_threads_work_while_another_captures():
    x = ones(4, 4)

    def work():
        for _ in range(50):
            assert (x @ x + x).sum().item() == 80

    def capture():
        for _ in range(20):
            graph, out = captured(lambda: x @ x + x, capture_error_mode="relaxed")
            graph.replay()
            assert out[0, 0] == 5

    assert run_all(capture, work, work) == []


def test_a_reset_under_replays_is_an_error_of_the_replays():
    x = ones(4, 4)
    graph, _ = captured(lambda: x @ x + x)

    def replay():
        for _ in range(500):
            graph.replay()

    wrong = run_all(replay, replay, graph.reset, replay)
    assert all("before a capture" in each for each in wrong)
    assert (x @ x).sum().item() == 64


def test_a_thread_that_ends_within_its_capture():
    x, graphs, stream = ones(4, 4), [], cuda.Stream()
    x @ x
    cuda.synchronize()

    def begin():
        graphs.append(cuda.CUDAGraph())
        stream.__enter__()
        graphs[0].capture_begin()
        x @ x

    assert run_all(begin) == []
    # Python joins a thread before the system has ended it.
    for _ in range(1000):
        with contextlib.suppress(cuda.GraphCaptureError):
            assert (x @ x).sum().item() == 64
            break
        time.sleep(0.01)
    else:
        pytest.fail("the capture has not ended with its thread")
    with pytest.raises(RuntimeError, match="another thread began"):
        graphs[0].capture_end()
    with pytest.raises(RuntimeError, match="before a capture"):
        graphs[0].replay()


def test_a_generator_that_another_thread_closes():
    x, closed = ones(4, 4), []
    x @ x
    F.dropout(x, 0.5)

    def capture():
        with cuda.graph(cuda.CUDAGraph()):
            yield x @ x

    def own():
        generator = capture()
        next(generator)
        closed.extend(run_all(generator.close))
        with pytest.raises(cuda.GraphCaptureError):  # ends what is left of it
            x.sum().item()
        assert not cuda.is_current_stream_capturing()
        minitorch.manual_seed(1)
        first = F.dropout(x, 0.5).numpy()
        minitorch.manual_seed(1)
        np.testing.assert_array_equal(F.dropout(x, 0.5).numpy(), first)
        graph, out = captured(lambda: F.dropout(x, 0.5))
        graph.replay()
        before = out.numpy()
        graph.replay()
        assert not np.array_equal(out.numpy(), before)

    # In a thread of its own: nobody can leave the block there any more.
    assert run_all(own) == []
    (error,) = closed
    assert "this thread did not begin" in error


def test_threads_enter_one_stream_from_others():
    """Each leaves it for the stream on which it was, in any order."""
    shared, own, gate = cuda.Stream(), cuda.Stream(), threading.Barrier(2)

    def first():
        with shared:
            gate.wait()  # both are in
            gate.wait()  # the other is out
        assert cuda.current_stream() == cuda.default_stream()

    def second():
        with own:
            with shared:
                gate.wait()
            assert cuda.current_stream() == own
            gate.wait()
        assert cuda.current_stream() == cuda.default_stream()

    assert run_all(first, second) == []
    with pytest.raises(
        RuntimeError, match=r"\[stream\] a `with` block must begin and end"
    ):
        shared.__exit__(None, None, None)


PROGRAMS = {
    "block": "with cuda.graph(g):\n    x @ x\n    sys.exit(0)",
    "begin": "s = cuda.Stream(); s.__enter__(); g.capture_begin(); x @ x",
    "replay": "with cuda.graph(g): x @ x\nfor _ in range(100): g.replay()",
    "held": "gate = threading.Event(); s = cuda.Stream()\n"
    "with cuda.graph(g): x @ x\n"
    "with cuda.stream(s):\n    g.replay()",
    "fork": "with cuda.graph(g): y = x @ x\n"
    "if os.fork() == 0:\n    del g; sys.exit(0)\n"
    "assert os.wait()[1] == 0; g.replay(); assert y[0, 0] == 4",
}


@pytest.mark.parametrize("how", PROGRAMS)
def test_a_process_may_end_within_a_capture_or_replay(how):
    program = (
        "import os, sys, threading, warnings, minitorch\n"
        "from minitorch import cuda\n"
        "warnings.simplefilter('ignore')\n"
        "x = minitorch.ones(4, 4, device='cuda'); x @ x; cuda.synchronize()\n"
        "g = cuda.CUDAGraph()\n" + PROGRAMS[how] + "\n"
    )
    done = run_python(program, MINITORCH_CUDA="emulator")
    assert (done.returncode, done.stdout) == (0, "")
    assert "Error" not in done.stderr


def test_ctrl_c_ends_a_loop_of_replays():
    x = ones(128, 128)
    graph, _ = captured(lambda: [x @ x for _ in range(20)])

    def replay_for_ever():
        while True:
            graph.replay()

    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        replay_for_ever()
    timer.join()
    assert ones(4, 4).sum().item() == 16


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda g: g.debug_dump(3), TypeError, r"\[debug_dump\] got 3; need a path"),
        (lambda g: g.debug_dump("a\0b"), ValueError, r"must not contain"),
        (lambda g: g.capture_begin(None, ["global"]), ValueError, "need 'global'"),
        (lambda g: g.capture_begin(None, None), ValueError, "need 'global'"),
        (lambda g: cuda.current_stream().record_event(3), TypeError, "record_event"),
    ],
)
def test_arguments_that_are_none(call, error, words):
    with pytest.raises(error, match=words):
        call(cuda.CUDAGraph())
    assert not cuda.is_current_stream_capturing()

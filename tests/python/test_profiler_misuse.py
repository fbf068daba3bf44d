"""The tests of profiles that are used otherwise than meant: nothing is lost there
without a word, and the next profile is as good as ever.
"""

from __future__ import annotations

import gc
import re
import threading

import numpy as np
import pytest

import minitorch
from minitorch import cuda
from minitorch.profiler import profile, record_function, schedule

from .chrome_trace_reader import Trace
from .processes import run_python

pytestmark = pytest.mark.cuda

BEYOND = 'extern "C" __global__ void beyond(float* a) { a[4] = 1; }'


@pytest.fixture(autouse=True)
def next_profile():
    """Whatever a test did, the next profile runs."""
    yield
    assert counts(ran(lambda: None)) == {}


def ran(call, **options):
    with profile(**options) as prof:
        call()
    return prof


def counts(prof):
    return {row.key: row.count for row in prof.key_averages()}


@pytest.mark.parametrize("counters", [False, True])
def test_a_fault_is_raised_at_the_end_and_what_was_recorded_is_there(counters):
    kernel = cuda.RawKernel(BEYOND, "beyond")
    a = cuda.to_device(np.zeros(4, np.float32))
    if counters and not cuda.is_emulated():
        pytest.skip("counters are the emulator's")
    prof = profile(counters=counters)
    prof.start()
    kernel((1,), (1,), (a,))
    with pytest.raises(cuda.KernelError, match=r"past the end of 'a' .16 bytes"):
        prof.stop()
    assert counts(prof)["cuLaunchKernel"] == 1
    cuda.synchronize()  # it is told once


def test_a_running_profile_that_is_let_go_of_makes_room():
    def let_go():
        profile().start()
        gc.collect()

    with pytest.warns(
        RuntimeWarning, match=r"\[profile\] a running profile was deleted"
    ):
        let_go()
    assert not minitorch._core.recording()


ENDS = {
    "open": "p = profile(); p.start(); x @ x",
    "within": "with profile(with_stack=True) as p:\n    x @ x\n    sys.exit(0)",
    "scope": "p = profile(); p.start(); record_function('a').__enter__(); x @ x",
    "counters": "p = profile(counters=True); p.start(); x @ x",
    "capture": "p = profile(); p.start()\n"
    "c = cuda.graph(cuda.CUDAGraph()); c.__enter__(); x @ x",
    "thread": "p = profile(); t = threading.Thread(target=p.start); t.start()\n"
    "t.join(); x @ x",
}


@pytest.mark.parametrize("how", ENDS)
def test_a_process_may_end_within_a_profile(how):
    program = (
        "import sys, threading, minitorch\n"
        "from minitorch import cuda\n"
        "from minitorch.profiler import profile, record_function\n"
        "x = minitorch.ones(4, 4, device='cuda'); x @ x\n" + ENDS[how] + "\n"
    )
    done = run_python(program, MINITORCH_CUDA="emulator")
    assert (done.returncode, done.stdout) == (0, "")
    assert "Error" not in done.stderr


def test_a_block_of_several_threads_at_once():
    shared, gate = record_function("shared"), threading.Barrier(4)

    def run():
        for _ in range(50):
            gate.wait()
            with shared:
                gate.wait()

    def call():
        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert counts(ran(call))["shared"] == 200


@pytest.mark.parametrize("text", ['a"b\\\n', "x" * 10_000, "ü😀", "</script>"])
def test_odd_texts_are_kept(text, tmp_path):
    def call():
        with record_function(text):
            pass

    prof = ran(call)
    assert counts(prof) == {text: 1}
    assert text.split()[0][:50] in prof.key_averages().table()
    prof.export_chrome_trace(tmp_path / "trace.json.gz")
    assert len(Trace(tmp_path / "trace.json.gz").named(text)) == 1


def table(**options):
    return lambda prof: prof.key_averages().table(**options)


def averages(**options):
    return lambda prof: prof.key_averages(**options)


WRONG = [
    (
        lambda p: record_function(3),
        TypeError,
        r"[record_function] got name 3; need a s",
    ),
    (
        lambda p: profile(activities=["cpu"]),
        TypeError,
        "got activities=['cpu']; need",
    ),
    (
        lambda p: profile(schedule=3),
        TypeError,
        "got schedule=3; need a function, such as sch",
    ),
    (
        lambda p: profile(on_trace_ready="x"),
        TypeError,
        "got on_trace_ready='x'; need a",
    ),
    (
        lambda p: p.export_chrome_trace(3),
        TypeError,
        "got path 3; need a str or a P",
    ),
    (averages(group_by_stack_n=-1), ValueError, "[key_averages] got group_by_stack_n"),
    (
        table(sort_by="time"),
        ValueError,
        "[table] got sort_by 'time'; need one of: cpu_",
    ),
    (table(row_limit=-2), ValueError, "row_limit -2; need a number of rows, or -1 for"),
]


@pytest.mark.parametrize(("call", "error", "words"), WRONG)
def test_wrong_calls_are_answered(call, error, words):
    prof = ran(lambda: minitorch.ones(2), with_stack=True)
    with pytest.raises(error, match=re.escape(words)):
        call(prof)


class Mine(Exception):
    pass


def test_errors_of_the_schedule_and_the_handler_are_theirs():
    def fails(step):
        raise Mine

    def handler(prof):
        raise Mine

    with pytest.raises(Mine):
        profile(schedule=fails).start()
    steps = schedule(wait=0, warmup=1, active=1)

    def run():
        with profile(schedule=steps, on_trace_ready=handler) as prof:
            for _ in range(3):
                prof.step()

    with pytest.raises(Mine):
        run()


def test_a_reset_of_the_device_leaves_the_records():
    def call():
        x = minitorch.ones(4, 4, device="cuda")
        (x @ x).sum().item()
        del x
        cuda.reset()
        x = minitorch.ones(4, 4, device="cuda")
        assert (x @ x).sum().item() == 64

    assert counts(ran(call))["minitorch::matmul"] == 2


def test_a_profile_around_a_capture_and_one_that_begins_within_it():
    x = minitorch.ones(4, 4, device="cuda")
    x @ x
    graph = cuda.CUDAGraph()

    def call():
        with cuda.graph(graph):
            x @ x
        graph.replay()

    assert counts(ran(call))["graph of 1 launches"] == 1
    prof, other = profile(), cuda.CUDAGraph()
    with cuda.graph(other):
        prof.start()
        x @ x
    other.replay()
    prof.stop()
    assert counts(prof)["graph of 1 launches"] == 1

    def ends_within():
        with cuda.graph(cuda.CUDAGraph()):
            ran(lambda: x @ x)

    with pytest.raises(cuda.GraphCaptureError, match=r"a wait .explicit."):
        ends_within()

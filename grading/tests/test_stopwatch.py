"""Tests what counts as a process's time: not that it waited for a core."""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import sys
import threading
import time

import pytest

from minitorch_grading.author.requests import Author
from minitorch_grading.judge.clock import TaskClock
from minitorch_grading.sandbox import stopwatch
from minitorch_grading.sandbox.process import PeerEnded, confined
from minitorch_grading.sandbox.stopwatch import Stopwatch

pytestmark = pytest.mark.skipif(
    not os.path.exists("/proc/self/schedstat"), reason="Linux tells nothing of waits"
)

BUSY = "import os; os.sched_setaffinity(0, {%d})\nwhile True: pass"


@contextlib.contextmanager
def one_core_shared_with(count):
    """This thread and `count` endless programs have one core together."""
    before = os.sched_getaffinity(0)
    core = min(before)
    busy = [subprocess.Popen([sys.executable, "-c", BUSY % core]) for _ in range(count)]
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
        for each in busy:
            each.kill()
            each.wait()


def work(seconds):
    """Works for so many seconds of the clock; what the processor gave of them."""
    end, before = time.monotonic() + seconds, time.thread_time()
    while time.monotonic() < end:
        pass
    return time.thread_time() - before


def test_waiting_for_a_core_does_not_count():
    with one_core_shared_with(3):
        time.sleep(0.3)  # until they are all there
        watch = Stopwatch(os.getpid())
        given = work(2.0)
        took = watch.seconds()
    # However many others there are: what it was given counts, at least a quarter.
    assert abs(took - max(given, 0.5)) < 0.3


def test_waiting_for_threads_of_ones_own_counts(monkeypatch):
    monkeypatch.setattr(stopwatch, "MOST_CLOCK", 100.0)  # whatever else runs here
    over = threading.Event()
    block = bytes(32 << 20)  # each takes long, and holds no lock of Python

    def hash_on():
        while not over.is_set():
            hashlib.sha256(block).digest()

    with one_core_shared_with(0):
        watch, before = Stopwatch(os.getpid()), time.process_time()
        threads = [threading.Thread(target=hash_on) for _ in range(20)]
        for each in threads:
            each.start()
        time.sleep(2.0)
        took, given = watch.seconds(), time.process_time() - before
        over.set()
        for each in threads:
            each.join()
    assert took > given - 0.1  # on one core; each thread had a twentieth of it


def test_sleeping_counts():
    watch = Stopwatch(os.getpid())
    time.sleep(0.3)
    assert watch.seconds() > 0.25


def test_who_is_gone_is_measured_by_the_clock():
    process = subprocess.Popen([sys.executable, "-c", ""])
    watch = Stopwatch(process.pid)
    process.wait()
    assert 0 <= watch.seconds() < 60


SLOW = """
import time
def f():
    end = time.process_time() + 0.7
    while time.process_time() < end: pass
    return 7
"""


def asked(folder, text, seconds):
    """The answer within so many seconds, what it took, and the clock's seconds."""
    with confined("author", level="confined", sees="nothing", folder=folder) as peer:
        before, begin = peer.seconds, time.monotonic()
        got = Author(peer, seconds=seconds).call(text, "f", [])
        return got, peer.seconds - before, time.monotonic() - begin


def test_a_confined_process_has_its_seconds_on_a_busy_machine(tmp_path):
    with one_core_shared_with(3):
        got, took, clock = asked(tmp_path, SLOW, 1.2)
    assert got == 7  # though the clock may have gone on for longer than 1.2 seconds
    assert took < 1.2
    assert took <= clock


def test_who_sleeps_has_no_more_than_was_said(tmp_path):
    with pytest.raises(PeerEnded, match=r"within 0\.4 seconds"):
        asked(tmp_path, "import time\ndef f(): time.sleep(60)", 0.4)


def test_a_task_counts_what_its_process_took():
    clock, taken = TaskClock(10), iter([2.0, 5.0])
    clock.begin_row()
    with clock.running(lambda: next(taken)) as seconds:
        assert seconds == 10
    assert clock.left == 7

"""The acceptance that a profile tells each cause of a wait, with its reason, its line
and how often; what only queues has none. The causes are those of docs/asynchrony.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minitorch
from minitorch import Tensor, _core, cuda
from minitorch.profiler import profile

pytestmark = pytest.mark.cuda

#: What is on the device and page-locked, for the calls below.
Things = dict[str, Any]


@pytest.fixture(scope="module")
def things() -> Things:
    x = minitorch.tensor([[1.0, 2.0], [3.0, 4.0]], device="cuda")
    return {"x": x, "number": x.sum(), "row": x[0], "labels": x[0].to("int64")}


def full_queue(things: Things) -> None:
    """Four pieces of work for a queue of two, whose first waits for the host."""
    former, gate, stream = cuda.queue_limit(2), threading.Event(), cuda.Stream()
    stream.add_callback(lambda *_: gate.wait(60))
    opener = threading.Timer(0.2, gate.set)
    opener.start()
    try:
        with stream:
            for _ in range(4):
                things["x"].add_(0.0)
    finally:
        gate.set()
        opener.join()
        cuda.queue_limit(former)


def no_memory_left(things: Things) -> None:
    kept = cuda.device_array(1000)  # to be given back
    del kept
    with pytest.raises(cuda.OutOfMemoryError):
        cuda.device_array(2**47, np.uint8)


def hand_over(things: Things) -> None:
    # The emulator's memory is no other library's: the binding below `__dlpack__`.
    _core.to_dlpack(things["x"], True, False)


CAUSES: dict[str, tuple[str, Callable[[Things], Any]]] = {
    "item": ("value", lambda t: t["number"].item()),
    "float": ("value", lambda t: float(t["number"])),
    "bool": ("value", lambda t: bool(t["number"])),
    "print": ("value", lambda t: print(t["x"])),
    "numpy": ("value", lambda t: t["x"].numpy()),
    "cpu": ("value", lambda t: t["x"].cpu()),
    "t[3]": ("value", lambda t: t["row"][1]),
    "nonzero": ("value", lambda t: t["x"].nonzero()),
    "mask": ("value", lambda t: t["x"][t["x"].gt(2.0)]),
    "pageable": ("copy", lambda t: cuda.to_device(np.zeros(8193))),
    "DLPack": ("exchange", hand_over),
    "full queue": ("queue_full", full_queue),
    "memory": ("memory", no_memory_left),
    "synchronize": ("explicit", lambda t: cuda.synchronize()),
}

QUEUED: dict[str, Callable[[Things], Any]] = {
    "checked indices": lambda t: minitorch.functional.gather(
        t["x"], 1, t["labels"].reshape(2, 1) - 1
    ),
    "small copies": lambda t: cuda.to_device(np.zeros(8192)),
    "a row": lambda t: t["x"][1],
    "a step": lambda t: (t["x"] @ t["x"] * 2 + 1).relu().mean(),
}


def waits_of(call: Callable[[Things], Any], things: Things) -> list[tuple[str, int]]:
    cuda.synchronize()
    with profile() as prof:
        call(things)
    file = __file__.rsplit("/", 1)[-1]
    lines, first = inspect.getsourcelines(call)
    for row in prof.waits():
        name, line = row.line.split(":")
        assert name == file
        assert first <= int(line) < first + len(lines)
        assert row.seconds >= 0
    return [(row.reason, row.count) for row in prof.waits()]


@pytest.mark.parametrize("cause", CAUSES)
def test_a_cause_has_its_reason_and_its_line(cause: str, things: Things) -> None:
    reason, call = CAUSES[cause]
    call(things)  # what is compiled waits for nothing, but takes memory
    found = waits_of(call, things)
    assert {each for each, _ in found} == {reason}
    if cause not in ("full queue", "memory"):
        assert sum(count for _, count in found) == 1


@pytest.mark.parametrize("what", QUEUED)
def test_what_only_queues_has_none(what: str, things: Things) -> None:
    QUEUED[what](things)
    assert waits_of(QUEUED[what], things) == []


def test_a_loop_is_one_row_with_its_count() -> None:
    x: Tensor = minitorch.ones(2, device="cuda")
    with profile() as prof:
        for _ in range(5):
            total = x.sum()
            total.item()
    (row,) = prof.waits()
    assert (row.reason, row.count) == ("value", 5)
    assert "5" in str(prof.waits())

"""A profile tells each cause of a wait, with its reason, its line and how often; what
only queues has none.
"""

from __future__ import annotations

import contextlib
import inspect
from pathlib import Path

import pytest

import minitorch
from minitorch import cuda
from minitorch.profiler import profile

from . import test_sync_debug
from .test_sync_debug import CAUSES, QUEUED, X, quiet, tensor

pytestmark = pytest.mark.cuda
assert quiet  # a fixture: the queue's limit goes back

EXPLICIT = {"explicit", "stream", "event"}
ELSEWHERE = {"queue", "memory"}  # which wait in lines of functions that they call


def waits_of(call):
    """Reason and count of each wait, and whether it names a line of the call."""
    x = tensor(X)
    for _ in range(2):  # what is compiled takes memory
        cuda.synchronize()
        with profile() as prof, contextlib.suppress(cuda.OutOfMemoryError):
            call(x)
        cuda.queue_limit(960)
    lines, first = inspect.getsourcelines(call)
    found = []
    for row in prof.waits():
        name, _, line = row.line.partition(":")
        assert name == Path(test_sync_debug.__file__).name
        assert row.seconds >= 0
        inside = first <= int(line) < first + len(lines)
        found.append((row.reason, row.count, inside))
    return found


@pytest.mark.parametrize("cause", CAUSES)
def test_a_cause_has_its_reason_and_its_line(cause):
    reason, call = CAUSES[cause]
    found = waits_of(call)
    if cause in ELSEWHERE:
        assert {each for each, _, _ in found} == {reason}
    else:
        assert found == [(reason, 1, True)]


@pytest.mark.parametrize("what", QUEUED)
def test_what_only_queues_has_none(what):
    found = waits_of(QUEUED[what])
    assert found == ([("explicit", 1, True)] if what in EXPLICIT else [])


def test_a_loop_is_one_row_with_its_count():
    x = minitorch.ones(2, device="cuda")
    with profile() as prof:
        for _ in range(5):
            x.sum().item()
    (row,) = prof.waits()
    assert (row.reason, row.count) == ("value", 5)
    assert "5" in str(prof.waits())

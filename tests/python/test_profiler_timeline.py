"""Tests of waits by line, and of a profile as data for pictures."""

from __future__ import annotations

import json

from minitorch.profiler.records import Records
from minitorch.profiler.timeline import timeline_of
from minitorch.profiler.waits import REASONS, WaitRow, waits_of

from .profile_records import BEGIN, THREAD, at, scope, step_records, wait
from .source_tree import ROOT

SAMPLE = ROOT / "tests" / "python" / "data" / "timeline_sample.json"


def test_waits_by_reason_and_line():
    records = step_records()
    records.waits += [
        wait("value", 91, 92, site="train.py:21"),
        wait("queue_full", 20, 40, site="train.py:12"),
    ]
    waits = waits_of(records)
    assert list(waits) == [
        WaitRow("queue_full", "train.py:12", 1, 20e-6),
        WaitRow("value", "train.py:21", 2, 16e-6),
    ]


def test_a_wait_without_a_line_has_that_of_what_is_around_it():
    records = step_records()
    records.waits = [
        wait("memory", 30, 31, scope=2),
        wait("value", 93, 94, scope=5),  # on the way back: the forward's
        wait("value", 105, 106),
    ]
    rows = {(row.reason, row.line): row.count for row in waits_of(records)}
    assert rows == {
        ("memory", "train.py:12"): 1,
        ("value", "train.py:12"): 1,
        ("value", ""): 1,
    }


def test_waits_print_as_a_table_that_explains():
    lines = str(waits_of(step_records())).splitlines()
    assert lines[0].split() == ["Reason", "Line", "Count", "Time"]
    assert lines[1].split()[:4] == ["value", "train.py:21", "1", "15.000us"]
    assert lines[1].endswith(REASONS["value"])
    assert str(waits_of(Records())).startswith("The host never waited. If ")


def test_the_timeline_of_a_step():
    data = timeline_of(step_records())
    assert data["schema"] == "minitorch.timeline/1"
    assert (data["begin"], data["end"]) == (BEGIN, at(110))
    assert data["emulated"] is True
    (thread,) = data["threads"]
    assert (thread["id"], thread["name"]) == (THREAD, "MainThread")
    assert [
        (s["name"], s["kind"], s["depth"], s["site"]) for s in thread["scopes"]
    ] == [
        ("ProfilerStep#3", "step", 0, ""),
        ("", "module", 1, ""),
        ("conv2d", "op", 2, "train.py:12"),
        ("loss", "user", 1, ""),
        ("add", "op", 2, "train.py:20"),
        ("Conv2dBackward", "backward", 2, "train.py:12"),
    ]
    assert thread["calls"][0] == {
        "name": "cuLaunchKernel",
        "begin": at(10),
        "end": at(15),
        "work": 0,
    }
    assert thread["waits"] == [
        {"reason": "value", "begin": at(75), "end": at(90), "site": "train.py:21"}
    ]
    (stream,) = data["streams"]
    assert stream["id"] == 7
    assert stream["works"][1] == {
        "id": 1,
        "name": "Memset (Device)",
        "kind": "fill",
        "begin": at(50),
        "end": at(52),
        "bytes": 4000,
    }


def test_how_far_launching_is_ahead():
    steps = timeline_of(step_records())["depth"]
    # Two launches before the first has run; then one at a time.
    assert [(step["time"] - BEGIN) / 1000 for step in steps] == [
        *(10, 16, 50, 52, 63, 68, 92, 99, 101, 104),
    ]
    assert [step["depth"] for step in steps] == [1, 2, 1, 0, 1, 0, 1, 0, 1, 0]
    assert {step["stream"] for step in steps} == {7}


def test_a_timeline_of_nothing():
    data = timeline_of(Records())
    assert (data["threads"], data["streams"], data["depth"]) == ([], [], [])
    assert data["emulated"] is False


def test_the_sample_is_of_today():
    """The picture's tests draw the sample."""
    assert json.loads(SAMPLE.read_text()) == timeline_of(step_records())


def test_depth_counts_scopes_only():
    records = Records(
        scopes=[scope(0, "op", "a", 0, 9), scope(1, "op", "b", 2, 3)],
        waits=[wait("explicit", 1, 8)],
        begin=BEGIN,
        end=at(9),
    )
    (thread,) = timeline_of(records)["threads"]
    assert [each["depth"] for each in thread["scopes"]] == [0, 1]

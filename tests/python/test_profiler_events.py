"""Tests of how events come of records: nesting, own times, device time, memory."""

from __future__ import annotations

import pytest

from minitorch.profiler import DeviceType, EventList
from minitorch.profiler.event_building import EventOptions, build_events
from minitorch.profiler.records import Records
from minitorch.profiler.spans import Span, nest

from .profile_records import (
    BEGIN,
    FORWARD_STACK,
    THREAD,
    at,
    kernel,
    scope,
    step_records,
    wait,
    work,
)


def events_of(records, **shown):
    return {each.name: each for each in build_events(records, EventOptions(**shown))}


def test_of_equal_times_the_first_recorded_is_outside():
    outer, inner = Span("scope", {"id": 1}, 5, 9), Span("call", {"id": 2}, 5, 9)
    nest([outer, inner])
    assert inner.parent is outer
    short, long = Span("scope", {}, 5, 9), Span("scope", {}, 5, 20)
    nest([short, long])
    assert short.parent is long


def test_own_time_is_what_no_event_inside_takes():
    events = events_of(step_records())
    # conv2d: 38 us less the calls of 5 and 2 us.
    assert events["minitorch::conv2d"].cpu_time_total == 38
    assert events["minitorch::conv2d"].self_cpu_time_total == 31
    # loss: 38 us less add's 8, the wait's 15 and the way back's 7.
    assert events["loss"].self_cpu_time_total == 8
    # The step: 100 us less conv2d's 38 and the loss's 38; modules are not shown.
    assert events["ProfilerStep#3"].self_cpu_time_total == 24
    assert events["Wait (value)"].self_cpu_time_total == 15


def test_device_time_belongs_to_the_innermost_op_and_counts_once_upwards():
    events = events_of(step_records())
    conv = events["minitorch::conv2d"]
    assert (conv.self_device_time_total, conv.device_time_total) == (32, 32)
    assert [(each.name, each.duration) for each in conv.kernels] == [
        ("conv2d (conv2d.cu)", 30),
        ("Memset (Device)", 2),
    ]
    loss = events["loss"]
    assert (loss.self_device_time_total, loss.device_time_total) == (0, 7.5)
    step = events["ProfilerStep#3"]
    assert (step.self_cuda_time_total, step.cuda_time_total) == (0, 39.5)
    assert events["cuLaunchKernel"].device_time_total == 0


def test_rows_of_the_device():
    events = build_events(step_records(), EventOptions())
    rows = [each for each in events if each.device_type is DeviceType.CUDA]
    assert [(each.name, each.device_time_total, each.thread) for each in rows] == [
        ("conv2d (conv2d.cu)", 30, -1),
        ("Memset (Device)", 2, -1),
        ("zip (zip.cu)", 2, -1),
        ("conv2d_back (conv2d_back.cu)", 5.5, -1),
        ("Memcpy HtoD (Pageable -> Device)", 1, -1),
    ]
    assert all(each.cpu_time_total == 0 for each in rows)
    assert rows[0].time_range == (20, 50)


@pytest.mark.parametrize(
    ("direction", "pinned", "expected"),
    [
        ("HtoD", True, "Memcpy HtoD (Pinned -> Device)"),
        ("DtoH", False, "Memcpy DtoH (Device -> Pageable)"),
        ("DtoD", False, "Memcpy DtoD (Device -> Device)"),
        ("HtoH", False, "Memcpy HtoH (Pageable -> Pageable)"),
    ],
)
def test_names_of_copies(direction, pinned, expected):
    copy = work(0, "copy", (0, 1), (2, 3), direction=direction, pinned=pinned)
    assert expected in events_of(Records(works=[copy], begin=BEGIN, end=at(4)))


def test_names_of_other_work():
    replay = work(0, "graph", (0, 1), (2, 9), name="graph of 20 launches")
    event_wait = work(1, "event_wait", (3, 4), (5, 6))
    own = work(2, "kernel", (5, 6), (9, 10), name="twice")
    records = Records(works=[replay, event_wait, own], begin=BEGIN, end=at(9))
    assert set(events_of(records)) == {
        *("cuGraphLaunch", "graph of 20 launches"),
        "cuStreamWaitEvent",  # nothing runs on the device
        *("cuLaunchKernel", "twice"),
    }


def test_each_activity_alone():
    host = events_of(step_records(), device=False)
    assert set(host) == {
        *("ProfilerStep#3", "minitorch::conv2d", "loss", "minitorch::add"),
        "Conv2dBackward",
    }
    # Calls are not shown, so their time is the op's own.
    assert host["minitorch::conv2d"].self_cpu_time_total == 38
    assert host["minitorch::conv2d"].device_time_total == 0
    device = events_of(step_records(), host=False)
    assert set(device) == {
        *("cuLaunchKernel", "cuMemsetD8Async", "cuMemcpyHtoDAsync", "Wait (value)"),
        *("conv2d (conv2d.cu)", "Memset (Device)", "zip (zip.cu)"),
        *("conv2d_back (conv2d_back.cu)", "Memcpy HtoD (Pageable -> Device)"),
    }


def test_shapes_and_stacks_only_if_wanted():
    plain = events_of(step_records())["minitorch::conv2d"]
    assert (plain.input_shapes, plain.stack) == ([], ())
    full = events_of(step_records(), shapes=True, stacks=True)["minitorch::conv2d"]
    assert full.input_shapes == [[1, 3, 8, 8], [4, 3, 3, 3]]
    assert full.stack == FORWARD_STACK


def test_the_way_back_has_the_forwards_lines():
    back = events_of(step_records(), stacks=True)["Conv2dBackward"]
    assert back.stack == FORWARD_STACK
    assert back.sequence_nr == 7


def test_modules_have_rows():
    records = step_records()
    inner = scope(9, "module", "layer1.0", 1.5, 50, detail="Conv2d", parent=1)
    records.scopes[2]["parent"] = 9
    records.scopes.append(inner)
    events = events_of(records, modules=True)
    layer = events["nn.Module: Conv2d (layer1.0)"]
    assert (layer.cpu_time_total, layer.device_time_total) == (48.5, 32)
    assert layer.cpu_parent is events["nn.Module: Net"]


def test_memory_counts_where_it_was_made():
    events = events_of(step_records(), memory=True)
    conv, add = events["minitorch::conv2d"], events["minitorch::add"]
    assert (conv.device_memory_usage, conv.self_device_memory_usage) == (1000, 1000)
    # Given back during the launch: the call's own, and part of add's total.
    assert (add.device_memory_usage, add.self_device_memory_usage) == (-400, 0)
    assert events["ProfilerStep#3"].device_memory_usage == 600
    assert events["[memory]"].cpu_memory_usage == 64
    assert "[memory]" not in events_of(step_records())


def test_threads_do_not_mix():
    records = Records(
        scopes=[
            scope(0, "op", "outer", 0, 10),
            scope(1, "op", "other", 2, 8, thread=THREAD + 1),
        ],
        works=[kernel(0, "add", (3, 4), (5, 7), thread=THREAD + 1)],
        begin=BEGIN,
        end=at(20),
    )
    events = events_of(records)
    assert events["minitorch::outer"].device_time_total == 0
    assert events["minitorch::other"].device_time_total == 2
    assert events["minitorch::other"].cpu_parent is None


def test_what_is_open_at_the_end_ends_with_the_recording():
    open_scope = scope(0, "user", "epoch", 1, 0, thread=THREAD) | {"end": 0}
    records = Records(
        scopes=[open_scope],
        waits=[wait("explicit", 5, 0) | {"end": 0}],
        begin=BEGIN,
        end=at(20),
    )
    events = events_of(records)
    assert events["epoch"].cpu_time_total == 19
    assert events["Wait (explicit)"].cpu_time_total == 15


def test_counters_are_the_launchs_and_go_up():
    records = step_records()
    counted = {"sectors_loaded": 10, "sectors_stored": 3, "macs": 64}
    records.counters = {0: counted, 2: {**counted, "macs": 0}}
    events = events_of(records)
    assert events["minitorch::conv2d"].counters == counted
    assert events["zip (zip.cu)"].counters["sectors_loaded"] == 10
    assert events["loss"].counters == {**counted, "macs": 0, "waits": 1}
    step = events["ProfilerStep#3"].counters
    assert step == {"sectors_loaded": 20, "sectors_stored": 6, "macs": 64, "waits": 1}


def test_averages_are_sums_by_key():
    first, second = step_records(), step_records()
    second.scopes[0]["name"] = "ProfilerStep#4"
    events = EventList(
        [*build_events(first, EventOptions()), *build_events(second, EventOptions())]
    )
    rows = {row.key: row for row in events.key_averages()}
    step = rows["ProfilerStep*"]
    assert (step.count, step.cpu_time_total, step.cpu_time) == (2, 200, 100)
    launches = rows["cuLaunchKernel"]
    assert (launches.count, launches.self_cpu_time_total) == (6, 16)
    assert rows["conv2d (conv2d.cu)"].device_time == 30


def test_shapes_and_lines_part_rows_if_wanted():
    records = Records(
        scopes=[
            scope(0, "op", "add", 0, 2, shapes=[(2,)], stack=("a.py(1): f", "m")),
            scope(1, "op", "add", 3, 4, shapes=[(2,)], stack=("a.py(2): f", "m")),
            scope(2, "op", "add", 5, 6, shapes=[(3,)], stack=("a.py(1): f", "n")),
        ],
        begin=BEGIN,
        end=at(9),
    )
    events = EventList(build_events(records, EventOptions(shapes=True, stacks=True)))
    assert [row.count for row in events.key_averages()] == [3]
    by_shape = events.key_averages(group_by_input_shapes=True)
    assert [(row.input_shapes, row.count) for row in by_shape] == [
        ([[2]], 2),
        ([[3]], 1),
    ]
    by_line = events.key_averages(group_by_stack_n=1)
    assert [(row.stack, row.count) for row in by_line] == [
        (("a.py(1): f",), 2),
        (("a.py(2): f",), 1),
    ]
    assert len(events.key_averages(group_by_stack_n=2)) == 3


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("conv2d", "Conv2dBackward"),
        ("log_softmax", "LogSoftmaxBackward"),
        ("SquareBackward", "SquareBackward"),
        ("accumulate", "AccumulateGrad"),
    ],
)
def test_names_of_nodes_that_go_back(name, expected):
    records = Records(scopes=[scope(0, "backward", name, 0, 1)], end=at(2))
    assert set(events_of(records)) == {expected}

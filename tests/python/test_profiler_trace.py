"""Tests of the Chrome trace, which a reader of its own takes apart."""

from __future__ import annotations

import os
from decimal import Decimal

import pytest

from minitorch.profiler.chrome_trace import kernel_arguments, write_trace
from minitorch.profiler.event_building import EventOptions
from minitorch.profiler.records import DeviceFacts, Records

from .chrome_trace_reader import Trace
from .profile_records import (
    BEGIN,
    THREAD,
    at,
    kernel,
    scope,
    step_records,
    wait,
    work,
)

HOST = (os.getpid(), THREAD)


def written(tmp_path, records, name="trace.json", **shown):
    path = tmp_path / name
    write_trace(str(path), records, EventOptions(**shown))
    return Trace(path)


def place(event):
    return event["pid"], event["tid"], event["ts"], event["dur"]


def test_the_trace_of_a_step(tmp_path):
    trace = written(tmp_path, step_records())
    assert trace.data["displayTimeUnit"] == "ms"
    assert trace.data["baseTimeNanoseconds"] == BEGIN + 1_000_000_000_000
    assert trace.data["traceName"] == str(tmp_path / "trace.json")
    (conv,) = trace.named("minitorch::conv2d")
    assert (conv["cat"], *place(conv)) == ("cpu_op", *HOST, 2, 38)
    assert conv["args"] == {
        "Sequence number": 7,
        "C++": "cpp/ops/conv2d.cpp:41",
        "Python": "train.py:12",
    }
    (loss,) = trace.named("loss")
    assert loss["cat"] == "user_annotation"
    (value,) = trace.named("Wait (value)")
    assert (value["cat"], *place(value)) == ("cuda_sync", *HOST, 75, 15)
    assert value["args"] == {"reason": "value", "line": "train.py:21"}
    (first, second, _) = trace.named("cuLaunchKernel")
    assert (first["cat"], *place(first)) == ("cuda_driver", *HOST, 10, 5)
    assert second["args"] == {"correlation": 2}


def test_the_devices_rows(tmp_path):
    trace = written(tmp_path, step_records())
    (conv,) = trace.named("conv2d (conv2d.cu)")
    assert (conv["cat"], *place(conv)) == ("kernel", 0, 7, 20, 30)
    assert conv["args"] == {
        "device": 0,
        "stream": 7,
        "correlation": 0,
        "grid": [41, 4, 1],
        "block": [64, 1, 1],
        "registers per thread": 32,
        "shared memory": 512,
        "blocks per SM": 2,
        "warps per SM": 4,
    }
    (back,) = trace.named("conv2d_back (conv2d_back.cu)")
    assert (back["ts"], back["dur"]) == (Decimal("93.5"), Decimal("5.5"))
    (fill,) = trace.named("Memset (Device)")
    assert fill["cat"] == "gpu_memset"
    (copy,) = trace.named("Memcpy HtoD (Pageable -> Device)")
    assert copy["cat"] == "gpu_memcpy"
    assert copy["args"]["bytes"] == 8000
    assert copy["args"]["memory bandwidth (GB/s)"] == 8  # in one microsecond


def test_an_arrow_from_each_call_to_what_it_launched(tmp_path):
    trace = written(tmp_path, step_records())
    arrows = trace.arrows("ac2g")
    assert sorted(arrows) == [0, 1, 2, 3, 4]
    start, end = sorted(arrows[2], key=lambda each: each["ph"], reverse=True)
    assert (start["pid"], start["tid"], start["ts"]) == (*HOST, 63)
    assert (end["pid"], end["tid"], end["ts"]) == (0, 7, 66)
    ((start, end),) = trace.arrows("fwdbwd").values()
    assert (start["ts"], end["ts"]) == (2, 91)


def test_rows_have_names_and_an_order(tmp_path):
    trace = written(tmp_path, step_records())
    names = trace.metadata("thread_name")
    assert names == {HOST: "MainThread", (0, 7): "stream 7"}
    order = trace.metadata("process_sort_index")
    assert order[0, 0] > order[os.getpid(), 0]
    labels = trace.metadata("process_labels")
    assert labels[0, 0] == "NVIDIA GeForce RTX 3090"


def test_packed_traces(tmp_path):
    trace = written(tmp_path, step_records(), "trace.json.gz")
    assert (tmp_path / "trace.json.gz").read_bytes()[:2] == b"\x1f\x8b"
    assert len(trace.slices) == 11 + 5  # of the host, of the device


def test_shapes_and_modules_are_arguments(tmp_path):
    trace = written(tmp_path, step_records(), shapes=True, modules=True)
    (conv,) = trace.named("minitorch::conv2d")
    assert conv["args"]["Input Dims"] == [[1, 3, 8, 8], [4, 3, 3, 3]]
    assert conv["args"]["Input type"] == ["float32", "float32"]
    assert conv["args"]["Module Hierarchy"] == "Net"
    (back,) = trace.named("Conv2dBackward")
    assert back["args"]["Module Hierarchy"] == "Net"
    assert "Input Dims" not in back["args"]
    (net,) = trace.named("nn.Module: Net")
    assert net["cat"] == "user_annotation"


def test_what_overlaps_is_cut(tmp_path):
    records = Records(
        scopes=[
            scope(0, "user", "a", 0, 10),
            scope(1, "user", "b", 8, 20),
            scope(2, "user", "c", 30, 0) | {"end": 0},  # open at the end
        ],
        waits=[wait("explicit", 35, 0) | {"end": 0}],
        # Times of a GPU's events are not exact: work seems to begin too early.
        works=[
            kernel(0, "one", (1, 2), (3, 6)),
            kernel(1, "two", (8.5, 9), (5.5, 9)),
            kernel(2, "three", (9.2, 9.4), (7, 8)),
        ],
        begin=BEGIN,
        end=at(40),
    )
    trace = written(tmp_path, records)  # which checks the nesting
    kernels = [event for event in trace.slices if event["cat"] == "kernel"]
    assert [(e["ts"], e["dur"]) for e in kernels] == [(3, 3), (6, 3), (9, 0)]
    assert trace.named("c")[0]["dur"] == 10


def test_work_without_times_has_no_arrow(tmp_path):
    works = [kernel(0, "add", (0, 1), ()), work(1, "event_wait", (2, 3), (4, 5))]
    trace = written(tmp_path, Records(works=works, begin=BEGIN, end=at(9)))
    assert [event["name"] for event in trace.slices] == [
        "cuLaunchKernel",
        "cuStreamWaitEvent",
    ]
    assert trace.arrows("ac2g") == {}
    assert trace.data["deviceProperties"] == []


def test_a_trace_of_nothing(tmp_path):
    trace = written(tmp_path, Records(begin=BEGIN, end=at(1)))
    assert trace.slices == []


@pytest.mark.parametrize(
    ("grid", "fits", "expected"),
    [
        # 82 SMs of 1,536 threads. 164 blocks: 2 each, of 256 threads.
        ((164, 1, 1), 6, {"blocks": 2, "warps": 16, "occupancy": 33}),
        # 820 blocks: 10 each, of which 6 fit at once.
        ((82, 10, 1), 6, {"blocks": 10, "warps": 80, "occupancy": 100}),
        ((41, 1, 1), 6, {"blocks": 0.5, "warps": 4, "occupancy": 8}),
    ],
)
def test_occupancy_is_what_the_grid_fills_and_what_fits(grid, fits, expected):
    facts = DeviceFacts("x", False, 82, 1536)
    launched = kernel(0, "k", (0, 1), (2, 3), grid=grid, block=(256, 1, 1))
    found = kernel_arguments(launched | {"blocks_per_sm": fits}, facts)
    assert found["blocks per SM"] == expected["blocks"]
    assert found["warps per SM"] == expected["warps"]
    assert found["est. achieved occupancy %"] == expected["occupancy"]


def test_counters_are_arguments_of_kernels(tmp_path):
    records = step_records()
    records.counters = {0: {"sectors_loaded": 12, "sectors_stored": 3, "macs": 64}}
    (conv,) = written(tmp_path, records).named("conv2d (conv2d.cu)")
    assert conv["args"]["sectors_loaded"] == 12

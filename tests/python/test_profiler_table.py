"""Tests of a profile's table: PyTorch's columns, widths, units, footers."""

from __future__ import annotations

import re

import pytest

from minitorch.profiler import EventList, FunctionEvent
from minitorch.profiler.event_building import EventOptions, build_events
from minitorch.profiler.notes import notes_of
from minitorch.profiler.records import Records
from minitorch.profiler.table import format_memory, format_share, format_time

from .profile_records import BEGIN, at, kernel, memory, scope, step_records


def averages(records, notes=(), memory=False, **shown):
    events = build_events(records, EventOptions(memory=memory, **shown))
    return EventList(events, notes).key_averages()


def cells(line):
    return re.split(r"\s{2,}", line.strip())


def rows_of(text):
    """Cells of each row by its name, with those of the titles under "Name"."""
    lines = [line for line in text.splitlines() if "  " in line and "--  -" not in line]
    return {cells(line)[0]: cells(line)[1:] for line in lines}


@pytest.mark.parametrize(
    ("microseconds", "expected"),
    [
        (0, "0.000us"),
        (25, "25.000us"),
        (999.9994, "999.999us"),
        (1000, "1.000ms"),
        (1500, "1.500ms"),
        (1_200_000, "1.200s"),
    ],
)
def test_times_have_the_unit_of_their_size(microseconds, expected):
    assert format_time(microseconds) == expected


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1536, "1.50 KB"),
        (-(2 << 20), "-2.00 MB"),
        (3 << 30, "3.00 GB"),
    ],
)
def test_sizes(size, expected):
    assert format_memory(size) == expected


def test_shares():
    assert format_share(1, 8) == "12.50%"
    assert format_share(0, 8) == "0.00%"
    assert format_share(0, 0) == "NaN"


def test_the_table_of_a_step():
    """Worked out by hand: 101 us of the host in all, 40.5 of the device."""
    rows = rows_of(averages(step_records()).table())
    assert rows["Name"] == [
        *("Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"),
        *("Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg", "# of Calls"),
    ]
    assert rows["minitorch::conv2d"] == [
        *("30.69%", "31.000us", "37.62%", "38.000us", "38.000us"),
        *("32.000us", "79.01%", "32.000us", "32.000us", "1"),
    ]
    assert rows["cuLaunchKernel"] == [
        *("7.92%", "8.000us", "7.92%", "8.000us", "2.667us"),
        *("0.000us", "0.00%", "0.000us", "0.000us", "3"),
    ]
    assert rows["conv2d (conv2d.cu)"] == [
        *("0.00%", "0.000us", "0.00%", "0.000us", "0.000us"),
        *("30.000us", "74.07%", "30.000us", "30.000us", "1"),
    ]
    assert rows["ProfilerStep*"][0] == "23.76%"


def test_widths_and_lines():
    lines = averages(step_records()).table(row_limit=2).splitlines()
    rule = lines[0]
    # The longest name has 32 characters and takes 4 more.
    assert [len(part) for part in rule.split("  ") if part] == [36] + [12] * 10
    assert lines[2] == rule == lines[5]
    assert lines[1].startswith(" " * 32 + "Name    Self CPU %")
    assert len(lines) == 8
    assert lines[3].startswith("ProfilerStep*".rjust(36) + "  ")
    assert lines[6] == "Self CPU time total: 101.000us"
    assert lines[7] == "Self CUDA time total: 40.500us"


def test_order_and_number_of_rows():
    table = averages(step_records()).table
    by_device = table(sort_by="cuda_time_total", row_limit=3).splitlines()[3:6]
    assert [cells(line)[0] for line in by_device] == [
        "ProfilerStep*",
        "minitorch::conv2d",
        "conv2d (conv2d.cu)",
    ]
    assert table(sort_by="device_time_total") == table(sort_by="cuda_time_total")
    assert len(table(row_limit=-1).splitlines()) == 3 + 14 + 3
    assert len(table(row_limit=0).splitlines()) == 3 + 3
    calls = table(sort_by="count").splitlines()[3]
    assert calls.split()[0] == "cuLaunchKernel"


def test_names_are_cut_at_their_column():
    def first(length):
        row = EventList([FunctionEvent("n" * length)])
        return row.table().splitlines()[3].split()[0]

    assert first(51) == "n" * 51
    assert first(52) == "n" * 52 + "..."  # no room for three characters more
    assert first(90) == "n" * 52 + "..."


def test_shapes_and_lines_have_columns():
    events = build_events(step_records(), EventOptions(shapes=True, stacks=True))
    lines = EventList(events).key_averages(True, 2).table().splitlines()
    assert cells(lines[1])[-2:] == ["Input Shapes", "Source Location"]
    (place,) = (n for n, line in enumerate(lines) if "minitorch::conv2d" in line)
    shapes = "[[1, 3, 8, 8], [4, 3, 3, 3]]"
    assert cells(lines[place])[-2:] == [shapes, "train.py(12): forward"]
    assert lines[place + 1].strip() == "train.py(30): <module>"
    assert lines[place + 2].strip() == ""


def test_memory_has_columns():
    records = step_records()
    rows = rows_of(averages(records, memory=True).table())
    assert rows["Name"][-5:-1] == [
        *("CPU Mem", "Self CPU Mem", "CUDA Mem", "Self CUDA Mem"),
    ]
    assert rows["minitorch::conv2d"][-5:-1] == ["0 B", "0 B", "1000 B", "1000 B"]
    assert rows["[memory]"][-5:-1] == ["64 B", "64 B", "0 B", "0 B"]
    records.memory = [memory(8, 3, "cpu")]
    titles = rows_of(averages(records, memory=True).table())["Name"]
    assert titles[-3:] == ["CPU Mem", "Self CPU Mem", "# of Calls"]


def test_flops_have_the_unit_of_the_smallest():
    def flops(record):
        return {"conv2d": 3_456_000, "add": 4_000}[record["name"]]

    rows = rows_of(averages(step_records()).table())
    assert rows["Name"][-1] == "# of Calls"  # none is known
    events = build_events(step_records(), EventOptions(flops=flops))
    rows = rows_of(EventList(events).key_averages().table())
    assert rows["Name"][-1] == "Total KFLOPs"
    assert rows["minitorch::conv2d"][-1] == "3456.000"
    assert rows["minitorch::add"][-1] == "4.000"
    assert rows["loss"][-1] == "--"


def test_counters_have_columns():
    records = step_records()
    records.counters = {0: {"sectors_loaded": 12345, "sectors_stored": 3, "macs": 64}}
    rows = rows_of(averages(records).table())
    assert rows["Name"][-4:] == ["Sectors in", "Sectors out", "MACs", "Waits"]
    assert rows["minitorch::conv2d"][-4:] == ["12,345", "3", "64", "0"]
    assert rows["Wait (value)"][-4:] == ["0", "0", "0", "1"]


def test_without_device_time_there_are_no_columns_for_it():
    records = Records(scopes=[scope(0, "op", "add", 0, 2)], begin=BEGIN, end=at(3))
    text = averages(records, notes=["No CUDA times: nothing ran."]).table()
    assert "CUDA total" not in text
    assert text.endswith("Self CPU time total: 2.000us\nNo CUDA times: nothing ran.\n")


def test_a_table_of_nothing():
    text = EventList([], notes=["Nothing was recorded."]).table()
    assert text.splitlines()[1].split()[0] == "Name"
    assert text.endswith("Self CPU time total: 0.000us\nNothing was recorded.\n")


def test_notes_say_what_is_not_there():
    step = step_records()
    assert notes_of(step, EventOptions()) == [
        "CUDA times are the emulator's on this computer, not a GPU's; the "
        "counts of profile(counters=True) are exact."
    ]
    assert notes_of(step, EventOptions(device=False)) == [
        "No CUDA times: activities has no ProfilerActivity.CUDA."
    ]
    host = Records(scopes=[scope(0, "op", "add", 0, 1)])
    assert notes_of(host, EventOptions()) == [
        "No CUDA times: nothing was launched on device cuda."
    ]
    assert (
        notes_of(Records(), EventOptions())[-1] == "No op ran while this was recorded."
    )
    untimed = Records(works=[kernel(0, "add", (0, 1), ())])
    assert notes_of(untimed, EventOptions()) == [
        "No CUDA times: the driver reported none for these launches."
    ]
    untimed.works.append(kernel(1, "add", (2, 3), (4, 5)))
    assert notes_of(untimed, EventOptions()) == ["1 of 2 launches have no CUDA time."]


def test_notes_count_what_was_not_kept():
    full = Records(scopes=[scope(0, "op", "add", 0, 1)], dropped=2_400)
    assert notes_of(full, EventOptions(device=False))[-1] == (
        "2,400 more records were not kept. Record fewer steps, with schedule(...)."
    )

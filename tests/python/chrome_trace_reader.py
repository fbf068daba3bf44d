"""A reader of Chrome traces that believes nothing: schema, nesting, arrows, names.

It knows the format from its description, not from the writer.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from decimal import Decimal

TOP_LEVEL = {
    "schemaVersion": int,
    "deviceProperties": list,
    "displayTimeUnit": str,
    "baseTimeNanoseconds": int,
    "traceEvents": list,
    "traceName": str,
}
HOST = {"cpu_op", "user_annotation", "cuda_driver", "cuda_sync"}
DEVICE = {"kernel", "gpu_memcpy", "gpu_memset"}


class Trace:
    """A trace that was read, with its events by phase."""

    def __init__(self, path):
        packed = path.suffix == ".gz"
        text = gzip.decompress(path.read_bytes()) if packed else path.read_bytes()
        # Decimals as they are written: no rounding hides a fourth one.
        self.data = json.loads(text, parse_float=Decimal)
        for name, kind in TOP_LEVEL.items():
            assert isinstance(self.data[name], kind), name
        assert self.data["schemaVersion"] == 1
        self.events = self.data["traceEvents"]
        for event in self.events:
            _check_event(event)
        self.slices = [event for event in self.events if event["ph"] == "X"]
        self._check_nesting()
        self._check_arrows()
        self._check_rows()

    def named(self, name):
        """Slices of that name, in the order of their begin."""
        found = [event for event in self.slices if event["name"] == name]
        return sorted(found, key=lambda event: event["ts"])

    def arrows(self, name):
        """Starts and ends of arrows, by number."""
        found = defaultdict(list)
        for event in self.events:
            if event["ph"] in "sf" and event["name"] == name:
                found[event["id"]].append(event)
        return dict(found)

    def metadata(self, name):
        """The value of an `M` event for each row."""
        found = {}
        for event in self.events:
            if event["ph"] == "M" and event["name"] == name:
                (value,) = event["args"].values()
                found[event["pid"], event["tid"]] = value
        return found

    def _check_nesting(self):
        rows = defaultdict(list)
        for event in self.slices:
            begin = round(event["ts"] * 1000)
            row = rows[event["pid"], event["tid"]]
            row.append((begin, -begin - round(event["dur"] * 1000), event["name"]))
        for row in rows.values():
            open_now = []
            for begin, end, name in sorted(row):
                while open_now and begin >= open_now[-1]:
                    open_now.pop()
                assert not open_now or -end <= open_now[-1], f"{name} overlaps"
                open_now.append(-end)

    def _check_arrows(self):
        for name in ("ac2g", "fwdbwd"):
            for number, ends in self.arrows(name).items():
                assert sorted(end["ph"] for end in ends) == ["f", "s"], number
                assert all(end["cat"] == name for end in ends)
                (finish,) = (end for end in ends if end["ph"] == "f")
                assert finish["bp"] == "e"
                for end in ends:
                    assert any(_holds(event, end) for event in self.slices), end

    def _check_rows(self):
        rows = {(event["pid"], event["tid"]) for event in self.slices}
        assert rows <= set(self.metadata("thread_name"))
        assert {pid for pid, _ in rows} <= {
            pid for pid, _ in self.metadata("process_name")
        }


def _holds(event, end):
    """Is the end of an arrow at a slice?"""
    same = (event["pid"], event["tid"]) == (end["pid"], end["tid"])
    return same and event["ts"] <= end["ts"] <= event["ts"] + event["dur"]


def _check_event(event):
    phase = event["ph"]
    assert phase in "XMsf", phase
    assert isinstance(event["name"], str)
    assert event["name"]
    assert isinstance(event["pid"], int)
    assert isinstance(event["tid"], int)
    for key in {"ts", "dur"} & event.keys():
        value = Decimal(event[key])
        assert value >= 0, event
        assert value == round(value, 3), event
    if phase == "X":
        assert event["cat"] in HOST | DEVICE, event
        assert (event["cat"] in DEVICE) == (event["pid"] == 0)
        assert "dur" in event

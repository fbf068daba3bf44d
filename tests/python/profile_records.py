"""Records as the recorder gives them, made by hand: what a profile is tested with.

Times are written in microseconds and become nanoseconds of a clock that began earlier.
"""

from __future__ import annotations

from typing import Any

from minitorch.profiler.records import DeviceFacts, Records

Record = dict[str, Any]
BEGIN = 5_000_000_000  # of recording, on the clock of all records
THREAD = 41


def at(microseconds):
    return BEGIN + round(microseconds * 1000)


def scope(number, kind, name, begin, end, **more):
    made = {
        "id": number,
        "parent": -1,
        "thread": THREAD,
        "name": name,
        "kind": kind,
        "detail": "",
        "begin": at(begin),
        "end": at(end),
        "sequence": -1,
        "file": "",
        "line": 0,
        "site": "",
        "stack": (),
        "shapes": [],
        "dtypes": [],
        "output": None,
    }
    assert more.keys() <= made.keys()
    return made | more


def work(number, kind, host, device, **more):
    made = {
        "id": number,
        "kind": kind,
        "name": "",
        "file": "",
        "entry": "",
        "spec": "",
        "options": "",
        "grid": (1, 1, 1),
        "block": (1, 1, 1),
        "static_shared": 0,
        "dynamic_shared": 0,
        "registers": 0,
        "stream": 7,
        "bytes": 0,
        "direction": "",
        "pinned": False,
        "host_begin": at(host[0]),
        "host_end": at(host[1]),
        "device_begin": at(device[0]) if device else 0,
        "device_end": at(device[1]) if device else 0,
        "scope": -1,
        "thread": THREAD,
        "depth": 0,
        "site": "",
        "arrays": [],
        "library": True,
        "launch": number,
    }
    assert more.keys() <= made.keys()
    return made | more


def wait(reason, begin, end, **more):
    made = {
        "reason": reason,
        "begin": at(begin),
        "end": at(end),
        "scope": -1,
        "thread": THREAD,
        "site": "",
        "stack": (),
    }
    assert more.keys() <= made.keys()
    return made | more


def memory(size, time, device="cuda", **more):
    made = {
        "address": 4096,
        "bytes": size,
        "device": device,
        "allocated": 0,
        "reserved": 0,
        "time": at(time),
        "scope": -1,
        "thread": THREAD,
    }
    assert more.keys() <= made.keys()
    return made | more


FORWARD_STACK = ("train.py(12): forward", "train.py(30): <module>")


def kernel(number, name, host, device, **more):
    file = f"{name}.cu"
    return work(number, "kernel", host, device, name=name, file=file, **more)


def step_records():
    """One step of a network of one layer: module, loss, way back, and a copy."""
    conv = {
        "sequence": 7,
        "site": "train.py:12",
        "stack": FORWARD_STACK,
        "shapes": [(1, 3, 8, 8), (4, 3, 3, 3)],
        "dtypes": ["float32", "float32"],
        "file": "cpp/ops/conv2d.cpp",
        "line": 41,
        "parent": 1,
    }
    here = {"stack": ("train.py(20): <module>",), "site": "train.py:20"}
    grid = {"grid": (41, 4, 1), "block": (64, 1, 1), "registers": 32}
    scopes = [
        scope(0, "step", "ProfilerStep#3", 0, 100),
        scope(1, "module", "", 1, 60, detail="Net", parent=0),
        scope(2, "op", "conv2d", 2, 40, **conv),
        scope(3, "user", "loss", 61, 99, parent=0),
        scope(4, "op", "add", 62, 70, parent=3, shapes=[(4,), (4,)], **here),
        scope(5, "backward", "Conv2dBackward", 91, 98, sequence=7, parent=3),
    ]
    works = [
        kernel(0, "conv2d", (10, 15), (20, 50), scope=2, static_shared=512, **grid),
        work(1, "fill", (16, 18), (50, 52), scope=2, bytes=4000),
        kernel(2, "zip", (63, 65), (66, 68), scope=4),
        kernel(3, "conv2d_back", (92, 93), (93.5, 99), scope=5),
        work(4, "copy", (101, 102), (103, 104), bytes=8000, direction="HtoD"),
    ]
    return Records(
        scopes=scopes,
        works=works,
        waits=[wait("value", 75, 90, scope=3, site="train.py:21")],
        memory=[memory(1000, 3), memory(-400, 64), memory(64, 105, "cpu")],
        begin=BEGIN,
        end=at(110),
        names={THREAD: "MainThread"},
        wall=1_000_000_000_000,
        device=DeviceFacts("NVIDIA GeForce RTX 3090", True, 82, 1536),
    )

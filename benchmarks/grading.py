"""Measures what judging costs: start, compile, launch, and whole assignments.

Whole assignments are the solutions, judged in a fresh process that has no cache; beside
the wall clock stands the processor's time, which a busy machine does not change much.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from statistics import median

import numpy as np

from minitorch import cuda
from minitorch_grading.kernels import kernel_form
from minitorch_grading.runner.launches import Exchange, Unwritten, launch
from minitorch_grading.sandbox.confine import landlock_version
from minitorch_grading.sandbox.process import Peer, confined
from minitorch_grading.sandbox.starting import Prepared

from .report import Row, child

_TYPES = ["float32[::1]", "float32[::1]", "int64"]
_SIZE = 1 << 16
_COMPILED = """
import time
from benchmarks.grading import _TYPES, sum_blocks
from minitorch_grading.kernels import kernel_form
start = time.perf_counter()
kernel_form.of(sum_blocks, _TYPES)
print((time.perf_counter() - start) * 1e3)
"""

_GRADED = """
import json, os, resource, sys, tempfile, time
from pathlib import Path
from minitorch_grading.course.sources import read_source
from minitorch_grading.course.trees import sources_tree, write_tree
from minitorch_grading.judge.grade import grade_one
from minitorch_grading.sandbox import levels

name, items, cores = {told!r}
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
levels.best()  # a grader tries its machine once
source = read_source(Path("assignments") / name)
tree = sources_tree(source, "solution")
with tempfile.TemporaryDirectory() as place:
    handed_in, to = Path(place, "handed-in"), Path(place, "to")
    write_tree({{file: tree[file] for file in source.files if file in tree}}, handed_in)
    start = time.perf_counter()
    report = grade_one(
        source.folder, handed_in, to, b"a secret of the benchmark", rows=items
    )
    wall = time.perf_counter() - start
judged = [row for row in report["rows"] if row["outcome"] not in ("not_run", "manual")]
assert judged and all(row["outcome"] == "passed" for row in judged), judged
used = resource.getrusage(resource.RUSAGE_CHILDREN)
processor = used.ru_utime + used.ru_stime
print(json.dumps([wall, processor, used.ru_maxrss / 1024]))
"""


def sum_blocks(out, a, n):  # type: ignore[no-untyped-def]
    """A block adds 256 numbers, in shared memory."""
    part = cuda.shared.array(256, cuda.float32)
    i, at = cuda.grid(1), cuda.threadIdx.x
    part[at] = a[i] if i < n else 0.0
    cuda.syncthreads()
    half = 128
    while half > 0:
        if at < half:
            part[at] += part[at + half]
        cuda.syncthreads()
        half //= 2
    if at == 0:
        out[cuda.blockIdx.x] = part[0]


def _asking(peer: Peer) -> Exchange:
    def exchange(question, arrays):  # type: ignore[no-untyped-def]
        frame = peer.ask(question, arrays)
        return frame.header, frame.arrays

    return exchange


def _measured() -> dict[str, float]:
    """Milliseconds of a runner's start, its first launch, and the median of others."""
    form = kernel_form.packed(kernel_form.of(sum_blocks, _TYPES))
    a = np.ones(_SIZE, np.float32)
    out = Unwritten(np.zeros(_SIZE // 256, np.float32))
    level = "confined" if landlock_version() else "process"
    marks = [time.perf_counter()]
    with (
        tempfile.TemporaryDirectory() as folder,
        confined("runner", level=level, sees="runner", folder=Path(folder)) as peer,
    ):
        exchange = _asking(peer)
        marks.append(time.perf_counter())
        emulated = []
        for _ in range(9):
            done = launch(exchange, form, _SIZE // 256, 256, (out, a, _SIZE))
            assert done.outcome == "done"
            emulated.append(done.seconds * 1e3)
            marks.append(time.perf_counter())
    steps = np.diff(marks) * 1e3
    return {
        "start": float(steps[0]),
        "first": float(steps[1]),
        "launch": float(median(steps[2:])) - median(emulated),
    }


def _copied() -> float:
    """Milliseconds until a confined author is there, as judges start them."""
    level = "confined" if landlock_version() else "process"
    times = []
    with tempfile.TemporaryDirectory() as folder, closing(Prepared()) as prepared:
        for _ in range(6):
            start = time.perf_counter()
            with confined(
                "author",
                level=level,
                sees="cuda",
                folder=Path(folder),
                prepared=prepared,
            ):
                times.append((time.perf_counter() - start) * 1e3)
    return min(times)


# Assignment, items (none: all), cores, and the most seconds.
_WHOLE = (
    ("m3", (), 2, 60.0),
    ("m3", (), 1, 240.0),
    ("reductions", ("6.2-sum",), 2, 8.0),
)
_MOST_MB = 600.0


def _whole() -> Iterator[Row]:
    for name, items, cores, most in _WHOLE:
        told = child(_GRADED.format(told=(name, items, cores)))
        wall, processor, memory = json.loads(told)
        what = f"grading: {' '.join((name, *items))} on {cores} of the cores"
        got = f"{wall:.1f} s, {processor:.1f} of the processor"
        yield Row(what, got, f"<= {most:g} s", wall <= most)
        bar = f"<= {_MOST_MB:g} MB"
        yield Row(f"{what}, memory", f"{memory:.0f} MB", bar, memory <= _MOST_MB)


def rows() -> Iterator[Row]:
    """Starts, forms and launches; the emulator's own time is taken off a launch."""
    _measured()  # the library's part for confined processes is copied once
    found = [_measured() for _ in range(5)]
    best = {name: min(each[name] for each in found) for name in found[0]}
    compiled = min(
        float(child(_COMPILED, MINITORCH_CACHE_DIR="", MINITORCH_CUDA="emulator"))
        for _ in range(3)
    )
    bars = {
        "a confined runner starts, anew": (best["start"], 1000.0),
        "a confined author starts, as a copy": (_copied(), 200.0),
        "its first launch of a kernel, with loading": (best["first"], 200.0),
        "each further launch, beside the emulator's time": (best["launch"], 20.0),
        "form of a kernel in Python, empty cache": (compiled, 500.0),
    }
    for what, (got, bar) in bars.items():
        yield Row(f"grading: {what}", f"{got:.1f} ms", f"<= {bar:g} ms", got <= bar)
    yield from _whole()

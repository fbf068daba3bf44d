"""Measures what judging a kernel costs beside the kernel: start, compile, launch."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

from minitorch import cuda
from minitorch.grading.kernels import kernel_form
from minitorch.grading.runner.launches import Runner, Unwritten
from minitorch.grading.sandbox.confine import landlock_version
from minitorch.grading.sandbox.process import Peer, confined

from .report import Row, child

_TYPES = ["float32[::1]", "float32[::1]", "int64"]
_SIZE = 1 << 16
_COMPILED = """
import time
from benchmarks.grading import _TYPES, sum_blocks
from minitorch.grading.kernels import kernel_form
start = time.perf_counter()
kernel_form.of(sum_blocks, _TYPES)
print((time.perf_counter() - start) * 1e3)
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


def _runner(peer: Peer) -> Runner:
    def exchange(question, arrays):  # type: ignore[no-untyped-def]
        frame = peer.ask(question, arrays)
        return frame.header, frame.arrays

    return Runner(exchange)


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
        runner = _runner(peer)
        marks.append(time.perf_counter())
        assert runner.load("k", form).outcome == "done"
        emulated = []
        for _ in range(9):
            done = runner.launch("k", _SIZE // 256, 256, (out, a, _SIZE))
            assert done.outcome == "done"
            emulated.append(done.seconds * 1e3)
            marks.append(time.perf_counter())
    steps = np.diff(marks) * 1e3
    return {
        "start": float(steps[0]),
        "first": float(steps[1]),
        "launch": float(median(steps[2:])) - median(emulated),
    }


def rows() -> list[Row]:
    """Starts, forms and launches; the emulator's own time is taken off a launch."""
    _measured()  # the library's part for confined processes is copied once
    found = [_measured() for _ in range(5)]
    best = {name: min(each[name] for each in found) for name in found[0]}
    compiled = min(
        float(child(_COMPILED, MINITORCH_CACHE_DIR="", MINITORCH_CUDA="emulator"))
        for _ in range(3)
    )
    bars = {
        "a confined runner starts": (best["start"], 1000.0),
        "its first launch of a kernel, with loading": (best["first"], 200.0),
        "each further launch, beside the emulator's time": (best["launch"], 20.0),
        "form of a kernel in Python, empty cache": (compiled, 500.0),
    }
    return [
        Row(f"grading: {what}", f"{got:.1f} ms", f"<= {bar:g} ms", got <= bar)
        for what, (got, bar) in bars.items()
    ]

"""Owns the speed of our kernels on the card, beside PyTorch and its cuBLAS."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import minitorch
from minitorch import cuda
from minitorch import functional as F

from ...report import KERNELS
from ..place import is_hardware
from ..rows import Row, row
from ..timing import card_milliseconds, torch_on_card

_MATMULS = (512, 1024, 2048, 4096)
_CELLS = 1 << 24
_SMALL = {"matmul 512": 64, "add": 1 << 12, "softmax": 1 << 12, "conv2d": 1}

Call = Callable[[], object]


def items(quick: bool) -> list[str]:
    """What is timed."""
    if quick:
        return list(_SMALL)[:2]
    return [
        *(f"matmul {n}" for n in _MATMULS),
        "kernel matmul_tiled16 1024",
        "add",
        "exp",
        "sum",
        "softmax",
        "conv2d",
    ]


def _pair(*shapes: tuple[int, ...]) -> tuple[list[Any], list[Any], Any]:
    """The same random arrays as our tensors and PyTorch's, and PyTorch or None."""
    random = np.random.default_rng(0)
    arrays = [random.random(shape, np.float32) - 0.5 for shape in shapes]
    ours = [minitorch.tensor(each, device="cuda") for each in arrays]
    torch: Any = torch_on_card()
    theirs = [] if torch is None else [torch.from_numpy(a).cuda() for a in arrays]
    return ours, theirs, torch


def _size(name: str, size: int) -> int:
    """`size` on a card; what the emulator does in a moment elsewhere."""
    return size if is_hardware() else _SMALL.get(name, 64)


def _matmul(name: str) -> tuple[Call, Call | None, dict[str, float]]:
    n = _size(name, int(name.split()[1]))
    (a, b), theirs, torch = _pair((n, n), (n, n))
    figures = {"flops": 2.0 * n**3, "n": n}
    if torch is None:
        return lambda: a @ b, None, figures
    torch.backends.cuda.matmul.allow_tf32 = False
    return lambda: a @ b, lambda: torch.matmul(*theirs), figures


def _tiled16(name: str) -> tuple[Call, Call | None, dict[str, float]]:
    n = _size(name, 1024)
    random = np.random.default_rng(0)
    a, b = (cuda.to_device(random.random((n, n), np.float32)) for _ in range(2))
    c = cuda.device_array((n, n), np.float32)
    source = (KERNELS / "matmul_tiled16.cu").read_text()
    kernel = cuda.RawKernel(source, "matmul_tiled16")
    grid = (n + 15) // 16
    (_, theirs, torch) = _pair((n, n), (n, n))
    run = lambda: kernel((grid, grid), (16, 16), (c, a, b, n))  # noqa: E731
    if torch is None:
        return run, None, {"flops": 2.0 * n**3, "n": n}
    torch.backends.cuda.matmul.allow_tf32 = False
    return run, lambda: torch.matmul(*theirs), {"flops": 2.0 * n**3, "n": n}


def _cells(name: str) -> tuple[Call, Call | None, dict[str, float]]:
    n = _size(name, _CELLS)
    shape = (n // 1024, 1024) if name == "softmax" else (n,)
    (a, b), theirs, torch = _pair(shape, shape)
    moved = {"add": 12.0, "exp": 8.0, "sum": 4.0, "softmax": 8.0}[name] * n
    ours = {
        "add": lambda: a + b,
        "exp": lambda: a.exp(),
        "sum": lambda: a.sum(),
        "softmax": lambda: F.softmax(a, -1),
    }
    if torch is None:
        return ours[name], None, {"bytes": moved}
    c, d = theirs
    other = {
        "add": lambda: c + d,
        "exp": lambda: c.exp(),
        "sum": lambda: c.sum(),
        "softmax": lambda: torch.softmax(c, -1),
    }
    return ours[name], other[name], {"bytes": moved}


def _conv2d(name: str) -> tuple[Call, Call | None, dict[str, float]]:
    images, channels, width, filters = _size(name, 32), 16, 64, 32
    shapes = (images, channels, width, width), (filters, channels, 3, 3)
    (x, w), theirs, torch = _pair(*shapes)
    flops = 2.0 * images * filters * (width - 2) ** 2 * channels * 9
    ours = lambda: F.conv2d(x, w)  # noqa: E731
    if torch is None:
        return ours, None, {"flops": flops}
    torch.backends.cudnn.allow_tf32 = False
    return ours, lambda: torch.conv2d(*theirs), {"flops": flops}


def _prepared(name: str) -> tuple[Call, Call | None, dict[str, float]]:
    if name.startswith("matmul"):
        return _matmul(name)
    if name.startswith("kernel"):
        return _tiled16(name)
    return _conv2d(name) if name == "conv2d" else _cells(name)


def measure(name: str, folder: Path) -> Row:
    """Time a call of ours, and PyTorch's where it is there."""
    ours, theirs, figures = _prepared(name)
    milliseconds = card_milliseconds(ours)
    made = row(name, "ok", ours_ms=round(milliseconds, 5), **figures)
    if "flops" in figures:
        made["gflops"] = round(figures["flops"] / milliseconds / 1e6, 1)
    if "bytes" in figures:
        made["gbytes"] = round(figures["bytes"] / milliseconds / 1e6, 1)
    if theirs is None:
        made["why"] = "PyTorch with a card is not here"
        return made
    made["torch_ms"] = round(card_milliseconds(theirs), 5)
    made["ratio"] = round(milliseconds / made["torch_ms"], 3)
    return made

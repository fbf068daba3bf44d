"""The picture of a kernel at work: the network's first filter on one digit."""

from __future__ import annotations

import inspect
import re

import numpy as np

from minitorch import cuda, viz

from .digits import SIDE

BLOCK = 4  # threads of a block along each axis


@cuda.jit
def convolve(image, weights, out):  # type: ignore[no-untyped-def]
    """Each thread computes one pixel: the sum of its neighbours times the weights."""
    column, row = cuda.grid(2)
    total = 0
    for i in range(3):
        for j in range(3):
            r = row + i - 1
            c = column + j - 1
            if 0 <= r < 8 and 0 <= c < 8:
                total += image[r, c] * weights[i, j]
    out[row, column] = total


def source() -> str:
    """The kernel's text, without what is meant for a type checker."""
    return re.sub("  # type: .*", "", inspect.getsource(convolve.py_func))


def _darkest(image: np.ndarray) -> tuple[int, int]:
    """Row and column of the pixel, not at the border, with most ink around it."""
    sides = range(1, SIDE - 1)
    inks = {
        (row, column): image[row - 1 : row + 2, column - 1 : column + 2].sum()
        for row in sides
        for column in sides
    }
    return max(inks, key=lambda place: float(inks[place]))


def draw(image: np.ndarray, weights: np.ndarray) -> viz.Figure:
    """Run the kernel on the emulator, one thread a pixel, and draw what threads touch.

    Args:
        image: (8, 8), 0 to 1; the kernel gets whole numbers, 0 to 16.
        weights: (3, 3), of a filter; the kernel gets whole quarters.

    Returns:
        The figure of `viz.grid`; on a GPU, too, for which the emulator runs it beside.
    """
    pixels = np.rint(image * 16).astype(np.int32)
    quarters = np.rint(weights * 4).astype(np.int32)
    out = np.zeros((SIDE, SIDE), np.int32)
    blocks = SIDE // BLOCK
    launch = viz.trace(
        convolve, (blocks, blocks), (BLOCK, BLOCK), pixels, quarters, out
    )
    row, column = _darkest(image)
    thread, block = (column % BLOCK, row % BLOCK), (column // BLOCK, row // BLOCK)
    return viz.grid(launch, thread, block)

"""The exercises of lesson 16: the threads of a neuron, and the data they move."""

from __future__ import annotations

from .function_task import FunctionTask
from .question import Question

_SIDE = 16  # of a block of the tiled product, and of its tiles


def _owner_of(row: int, column: int) -> tuple[int, ...]:
    """Return block (x, y), thread (x, y), warp and lane that store [row, column]."""
    thread = row % _SIDE * _SIDE + column % _SIDE
    block = (column // _SIDE, row // _SIDE)
    return (*block, column % _SIDE, row % _SIDE, thread // 32, thread % 32)


def _executed(rows: int, inner: int, columns: int) -> int:
    """Return the multiply-adds of (rows, inner) @ (inner, columns) in full tiles."""
    tiles = [-(-size // _SIDE) for size in (rows, inner, columns)]
    return tiles[0] * tiles[1] * tiles[2] * _SIDE**3


WARP_OF_A_NEURON = Question(
    "16.1",
    2,
    "Threads of a block are counted row by row, 16 in a row. A warp is 32 of them.",
    {5: "That is the thread's row in its block. A warp is two rows of threads.",
     0: "That is the warp of rows 0 and 1 of a block.",
     37: "The row of the result lies in block 37 // 16, in row 37 % 16.",
     1: "Warp 1 has rows 2 and 3 of a block."},
)  # fmt: skip

DIFFERENT_SECTORS = Question(
    "16.2",
    36,
    "Count the bytes of the sample and of the weights, and divide them by 32.",
    {32: "Those are the weights. The sample is read as well.",
     4: "That is the sample. The weights are read as well.",
     132: "That is how many the warps ask for. Many of these are the same.",
     288: "That is how many numbers there are. A sector has eight.",
     1_152: "That is how many bytes there are. A sector has 32."},
)  # fmt: skip

WHO_STORES_IT = FunctionTask(
    "16.3",
    _owner_of,
    ((0, 0), (37, 3), (0, 15), (16, 16), (15, 17), (63, 0), (100, 200), (17, 31)),
    "Divide by 16 for the block; the remainders are the thread. Then count threads.",
)

EXECUTED = FunctionTask(
    "16.4",
    _executed,
    ((64, 32, 8), (1, 32, 8), (1, 8, 1), (16, 16, 16), (17, 16, 1), (5, 100, 40)),
    "Round each of the three sizes up to a multiple of 16.",
)

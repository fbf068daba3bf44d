"""The exercises of lesson 08: banks of shared memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..puzzles import Counts, Limit, Puzzle, Setup, covering
from ..puzzles.exercise import Array
from .question import Question

_TILE = 32
_SECTOR_CELLS = 8  # float32 in a sector of 32 bytes
_PASSES = Limit(
    "shared_bank_conflicts",
    lambda *sizes: 0,
    "passes too many",
    "Lanes want different words of one bank. Is there a row of 33 words?",
)


def _transposed(a: Array) -> Array:
    # out is made like this: in C order.
    return np.ascontiguousarray(a.T)


def _sectors(counter: str, unit: str, cells: Callable[..., int]) -> Limit:
    return Limit(
        counter,
        lambda *sizes: cells(*sizes) // _SECTOR_CELLS,
        unit,
        "Let neighbouring threads take neighbouring cells, as in lesson 7.",
    )


def _cells_of_tiles(down: int, across: int) -> int:
    return down * across * _TILE * _TILE


EVERY_SECOND = Question(
    "08.1",
    2,
    "Put t = 0 and t = 16 into 2 * t, and look for the banks.",
    {1: "Lanes 0 and 16 want words 0 and 32. Which banks are those?",
     16: "That is how many banks are in use. How many words does each have to deliver?",
     32: "That takes 32 words of one bank."},
)  # fmt: skip

TURN = Puzzle(
    number=24,
    name="08.2",
    title="Transpose a matrix",
    task=(
        "Write the transpose of a to out, through a tile in shared memory. Blocks "
        "have 32 by 32 threads and cover a: x counts its columns, y its rows, and "
        "every thread has a cell."
    ),
    specification=_transposed,
    setup=lambda down, across: covering((_TILE, _TILE), (down * _TILE, across * _TILE)),
    sizes=((2, 2), (1, 1), (3, 1), (1, 2)),
    aim=Counts(1, 1, 1, 1),
    template="@cuda.jit\ndef transpose(out, a):\n    x = cuda.threadIdx.x\n",
    hints=(
        "Block (bx, by) writes the part of out at (by, bx). Whenever you access global "
        "memory, let threadIdx.x count the columns.",
    ),
    limits=(
        _sectors("global_load_sectors", "sectors loaded", _cells_of_tiles),
        _sectors("global_store_sectors", "sectors stored", _cells_of_tiles),
        _PASSES,
    ),
)

ROW_SUMS = Puzzle(
    number=25,
    name="08.3",
    title="Sums of rows",
    task=(
        "Write the sum of row r of a to out[r]. One block of 32 threads; a has 32 "
        "columns and 32 rows. Load it row by row into shared memory first."
    ),
    specification=lambda a: a.sum(axis=1),
    # Other draws are other numbers.
    setup=lambda draw: Setup(((_TILE, _TILE),), (1, 1), (_TILE, 1)),
    sizes=((1,), (2,)),
    aim=Counts(32, 1, 32, 32),
    template="@cuda.jit\ndef row_sums(out, a):\n    t = cuda.threadIdx.x\n",
    hints=("for row in range(32): tile[row, t] = a[row, t]; then a barrier.",),
    limits=(
        _sectors("global_load_sectors", "sectors loaded", lambda draw: _TILE * _TILE),
        _PASSES,
    ),
)

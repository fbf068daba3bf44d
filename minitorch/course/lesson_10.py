"""Owns the exercises of lesson 10: multiplying matrices by tiles."""

from __future__ import annotations

from ..puzzles import Counts, Setup
from ..puzzles.exercise import Array
from .measured_task import Limit, MeasuredTask
from .question import Question

_TILE, _SIDE = 16, 48


def _product(a: Array, b: Array) -> Array:
    return a @ b


READS_OF_A_CELL = Question(
    "10.1",
    32,
    "Cell a[3, 5] is needed for c[3, 0], c[3, 1], and so on.",
    {1: "That would be enough if threads shared what they read.",
     1024: "So many threads there are. Which of them need row 3 of a?",
     64: "a and b together."},
)  # fmt: skip

READS_WITH_TILES = Question(
    "10.2",
    2,
    "32 columns of c are covered by how many tiles of 16?",
    {16: "So many threads share what one of them has loaded.",
     1: "One block is not enough for a row of c.",
     32: "That is without tiles."},
)  # fmt: skip

TILED = MeasuredTask(
    number=28,
    name="10.3",
    title="Product by tiles",
    task=(
        "Write a @ b to out, with tiles of 16 by 16 in shared memory. The matrices are "
        "square; no thread is left over. x counts columns, y rows."
    ),
    arguments=("out", "a", "b"),
    specification=_product,
    setup=lambda tiles: Setup(
        ((tiles * _TILE, tiles * _TILE),) * 2, (), (tiles, tiles), (_TILE, _TILE)
    ),
    sizes=((3,), (1,), (2,)),
    aim=Counts(2 * (_SIDE // _TILE), 1, None, None),
    template="@cuda.jit\ndef tiled(out, a, b):\n    column, row = cuda.grid(2)\n",
    hints=(
        "For each tile: load one cell of a and of b, barrier, add 16 products, "
        "barrier.",
    ),
    limits=(
        Limit(
            "global_load_sectors",
            # Each of the 3 x 3 blocks loads 3 tiles of a and of b, 8 cells a sector.
            2 * 3**3 * _TILE * _TILE // 8,
            "sectors loaded",
            "Load each cell of a tile once, by one thread, and share it.",
        ),
    ),
)

EXERCISES = (READS_OF_A_CELL, READS_WITH_TILES, TILED)

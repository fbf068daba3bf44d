"""The exercises of lesson 10: multiplying matrices by tiles."""

from __future__ import annotations

from ..puzzles import Counts, Limit, Puzzle, Setup
from .question import Question

_TILE = 16
_SECTOR_CELLS = 8  # float32 in a sector of 32 bytes


def _sectors(rows: int, inner: int, columns: int) -> int:
    """Return the sectors loaded by rows x columns blocks, `inner` tiles of a and b
    each.
    """
    return rows * columns * 2 * inner * _TILE * _TILE // _SECTOR_CELLS


READS_OF_A_CELL = Question(
    "10.1",
    32,
    "Cell a[3, 5] is needed for c[3, 0], c[3, 1], and so on.",
    {1: "That would be enough if threads shared what they read.",
     1024: "That is the number of all threads. Which of them need row 3 of a?",
     64: "That counts a and b together."},
)  # fmt: skip

READS_WITH_TILES = Question(
    "10.2",
    2,
    "How many tiles of 16 columns cover the 32 columns of c?",
    {16: "That is how many threads share a cell that one of them loads.",
     1: "One block is not enough for a row of c.",
     32: "That is the count without tiles."},
)  # fmt: skip

TILED = Puzzle(
    number=28,
    name="10.3",
    title="Product by tiles",
    task=(
        "Write a @ b to out, with tiles of 16 by 16 in shared memory. The sides of "
        "the matrices are multiples of 16, and every thread has a cell. x counts "
        "columns, y rows."
    ),
    specification=lambda a, b: a @ b,
    setup=lambda rows, inner, columns: Setup(
        ((rows * _TILE, inner * _TILE), (inner * _TILE, columns * _TILE)),
        (columns, rows),
        (_TILE, _TILE),
    ),
    # The first are squares of 48 by 48.
    sizes=((3, 3, 3), (1, 1, 1), (1, 2, 1), (2, 1, 3)),
    aim=Counts(2 * 3, 1, None, None),
    template="@cuda.jit\ndef tiled(out, a, b):\n    column, row = cuda.grid(2)\n",
    hints=(
        "For each tile: load one cell of a and of b, barrier, add 16 products, "
        "barrier.",
    ),
    limits=(
        Limit(
            "global_load_sectors",
            _sectors,
            "sectors loaded",
            "Load each cell of a tile once, by one thread, and share it.",
        ),
    ),
)

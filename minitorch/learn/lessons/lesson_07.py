"""The exercises of lesson 07: coalesced access."""

from __future__ import annotations

from ..puzzles import Counts, Limit, Puzzle, Setup
from .question import Question

_SECTOR_CELLS = 8  # float32 in a sector of 32 bytes
_WARP = 32


def _sectors_of_rows(rows: int, columns: int) -> int:
    """Count the sectors that warps load, one warp per 32 elements of a row."""
    count = 0
    for row in range(rows):
        for column in range(0, columns, _WARP):
            first = row * columns + column
            last = row * columns + min(column + _WARP, columns) - 1
            count += last // _SECTOR_CELLS - first // _SECTOR_CELLS + 1
    return count


EVERY_FOURTH = Question(
    "07.1",
    16,
    "Every fourth float is 16 bytes from the one before. A sector has 32 bytes.",
    {4: "That is for neighbours, without gaps.",
     32: "That takes gaps of 32 bytes or more.",
     8: "That is for every second cell."},
)  # fmt: skip

_NEIGHBOURS = "Neighbouring threads should take cells that lie side by side in memory."

PLUS_ONE = Puzzle(
    number=22,
    name="07.2",
    title="Plus one",
    task=(
        "Write a + 1 to out for every cell of a matrix, with blocks of 32 by 4 "
        "threads. There may be more threads than cells."
    ),
    specification=lambda a: a + 1,
    # Enough threads either way round: who lets x count the rows is too costly.
    setup=lambda rows, columns: Setup(
        ((rows, columns),),
        (-(-max(rows, columns) // _WARP), -(-max(rows, columns) // 4)),
        (_WARP, 4),
    ),
    sizes=((64, 64), (32, 8), (5, 40), (1, 1)),
    aim=Counts(1, 1),
    template="@cuda.jit\ndef plus_one(out, a):\n    x, y = cuda.grid(2)\n",
    hints=("Threads of a warp differ in x, so let x count the columns.",),
    limits=(
        Limit(
            "global_load_sectors",
            _sectors_of_rows,
            "sectors loaded",
            _NEIGHBOURS,
        ),
    ),
)

FOUR_EACH = Puzzle(
    number=23,
    name="07.3",
    title="Four cells each",
    task=(
        "Write 2 * a[i] to out[i]. There are only a quarter as many threads as cells, "
        "so each thread takes four of them."
    ),
    specification=lambda a: 2 * a,
    setup=lambda n: Setup(((n,),), (n // 256, 1), (64, 1)),
    sizes=((512,), (256,), (1024,)),
    aim=Counts(4, 4),
    template="@cuda.jit\ndef four_each(out, a):\n    i = cuda.grid(1)\n",
    hints=("Cells i, i + cuda.gridsize(1), i + 2 * cuda.gridsize(1), ...",),
    limits=(
        Limit(
            "global_load_sectors",
            lambda n: n // _SECTOR_CELLS,
            "sectors loaded",
            _NEIGHBOURS + " That holds for each of the four instructions.",
        ),
    ),
)

"""The picture of a grid: its blocks, their threads, the focused one.

Detail follows the number of threads: each with its number, each as a cell, or each
block as a cell.
"""

from __future__ import annotations

from ...scene.drawing import Drawing, number
from ...scene.marks import ring
from ...scene.palette import strong, tint
from ...traces.launches import Place, hue_of, place_of, spelled
from .cell_view import LEFT, SIDE, TOP, lattice

_LARGEST, _NUMBERED, _SMALLEST = 19.0, 15.0, 4.0
# Of blocks with y or z: the largest, and the least that holds all numbers.
_ROOMY, _PLACED = 30.0, 26.0
_LETTERS = 9.5
_FOLD = 32  # threads in a row of a block that is wider
_SMALL = 256  # threads of one dimension that are drawn in shorter rows, with numbers
_MOST_BLOCKS = 1024
_MOST_NUMBERS = 400


class Plan:
    """Where blocks and threads are drawn: (columns, rows) of each, size of a cell."""

    def __init__(self, grid: Place, block: Place) -> None:
        self.grid, self.block = grid, block
        count = grid[0] * grid[1] * grid[2]
        small = block[1] * block[2] == 1 and block[0] * count <= _SMALL
        self.fold = fold = min(block[0], _FOLD // 2 if small else _FOLD)
        self.inner = (fold, -(-block[0] // fold) * block[1] * block[2])
        self.drawn = min(count, _MOST_BLOCKS)
        self.flat = grid[1] * grid[2] == 1
        across = grid[0]
        if self.flat or grid[0] > 32:
            # As many beside each other as makes the whole about square.
            tall = self.inner[1] / self.inner[0]
            across = max(1, min(self.drawn, round((self.drawn * tall) ** 0.5)))
            self.flat = True
        self.outer = (across, -(-self.drawn // across))
        columns = self.inner[0] * self.outer[0]
        rows = self.inner[1] * self.outer[1]
        deep = block[1] * block[2] > 1
        self.cell = min(_ROOMY if deep else _LARGEST, SIDE / columns, SIDE / rows)
        self.axes = (3 if block[2] > 1 else 2) if deep and self.cell >= _PLACED else 1
        if self.axes == 1:
            self.cell = min(self.cell, _LARGEST)
        self.threads = self.cell >= _SMALLEST
        if not self.threads:
            self.cell = 0.0
            side = min(36.0, SIDE / self.outer[0], SIDE / self.outer[1])
            self.size = (side, side)
        else:
            self.size = (self.inner[0] * self.cell, self.inner[1] * self.cell)
        self.numbered = self.threads and self.cell >= _NUMBERED
        self.letters = _LETTERS if self.axes < 3 else 8.0

    def label(self, number_: int) -> str:
        """What stands in a thread: threadIdx.x, or all its numbers where they fit."""
        return ",".join(map(str, place_of(number_, self.block)[: self.axes]))

    def corner(self, number_: int) -> tuple[float, float]:
        """Where a block is drawn."""
        across = self.outer[0]
        w, h = self.size
        return LEFT + number_ % across * w, TOP + number_ // across * h

    def thread(self, number_: int) -> tuple[float, float]:
        """Where a thread is drawn within its block."""
        x = number_ % self.block[0]
        rows = -(-self.block[0] // self.fold)
        row = number_ // self.block[0] * rows + x // self.fold
        return x % self.fold * self.cell, row * self.cell


def _threads(view: Drawing, plan: Plan, at: int, fill: str) -> None:
    """The threads of a block, those of one row drawn as one."""
    x, y = plan.corner(at)
    starts = range(0, plan.block[0] * plan.block[1] * plan.block[2], plan.block[0])
    parts = []
    for row in starts:
        for thread in range(row, row + plan.block[0], plan.fold):
            dx, dy = plan.thread(thread)
            wide = min(plan.fold, row + plan.block[0] - thread) * plan.cell
            parts.append(
                f"M{x + dx:.1f} {y + dy:.1f}h{wide:.2f}v{plan.cell:.2f}h{-wide:.2f}z"
            )
    view.path("".join(parts), fill=fill)


def _numbers(view: Drawing, plan: Plan, at: int) -> None:
    x, y = plan.corner(at)
    for thread in range(plan.block[0] * plan.block[1] * plan.block[2]):
        dx, dy = plan.thread(thread)
        view.text(
            x + dx + plan.cell / 2, y + dy + plan.cell / 2 + 3.4, plan.label(thread),
            plan.letters, fill="var(--mut)", anchor="middle", mono=True,
        )  # fmt: skip


def _layers(view: Drawing, plan: Plan, at: int) -> None:
    """A line between threads of one z and of the next."""
    x, y = plan.corner(at)
    layer = plan.block[0] * plan.block[1]
    lines = [y + plan.thread(z * layer)[1] for z in range(1, plan.block[2])]
    if lines and plan.numbered:
        view.path(
            "".join(f"M{x:.1f} {line:.1f}h{plan.size[0]:.1f}" for line in lines),
            stroke=strong(hue_of(at, plan.grid)), stroke_width=1.6,
        )  # fmt: skip


def _blocks(view: Drawing, plan: Plan) -> None:
    count = plan.block[0] * plan.block[1] * plan.block[2]
    numbered = plan.cell >= _NUMBERED and count * plan.drawn <= _MOST_NUMBERS
    w, h = plan.size
    if plan.threads:
        for at in range(plan.drawn):
            _threads(view, plan, at, tint(hue_of(at, plan.grid)))
        columns, rows = (a * b for a, b in zip(plan.inner, plan.outer, strict=True))
        lattice(LEFT, TOP, columns, rows, plan.cell, view)
    for at in range(plan.drawn):
        x, y = plan.corner(at)
        if numbered:
            _numbers(view, plan, at)
        _layers(view, plan, at)
        view.rect(
            x + 0.5, y + 0.5, w - 1, h - 1, rx=3,
            fill="none" if plan.threads else tint(hue_of(at, plan.grid)),
            stroke=strong(hue_of(at, plan.grid)),
            stroke_width=0.8,
        )  # fmt: skip


def _focus(view: Drawing, plan: Plan, at_block: int, at_thread: int) -> None:
    """The focused block's outline, and its thread with a ring."""
    if at_block >= plan.drawn:
        return
    x, y = plan.corner(at_block)
    w, h = plan.size
    hue = strong(hue_of(at_block, plan.grid))
    view.rect(
        x + 0.5, y + 0.5, w - 1, h - 1, rx=3, fill="none", stroke=hue, stroke_width=2.4
    )
    if plan.threads:
        dx, dy = plan.thread(at_thread)
        x, y, w, h = x + dx, y + dy, plan.cell, plan.cell
        view.rect(x + 1, y + 1, w - 2, h - 2, rx=2.5, fill=hue)
    ring(view, x, y, w, h, inside=plan.threads)
    if plan.numbered:
        view.text(
            x + w / 2, y + h / 2 + 3.4, plan.label(at_thread), plan.letters,
            fill="var(--bg)", anchor="middle", mono=True, bold=True,
        )  # fmt: skip


def _names(view: Drawing, plan: Plan) -> None:
    """The blocks' own places, beside blocks that stand alone or in pairs."""
    w, h = plan.size
    for at in range(plan.drawn):
        across, column = plan.outer[0], at % plan.outer[0]
        if h < 12 or across > 2:
            continue
        x, y = plan.corner(at)
        place = (at % plan.grid[0], at // plan.grid[0] % plan.grid[1],
                 at // (plan.grid[0] * plan.grid[1]))  # fmt: skip
        name = spelled(place, plan.grid).strip("()").replace(" ", "")
        side = x + w + 6 if column else x - 6
        view.text(
            side, y + h / 2 + 4, name, 12, fill=strong(hue_of(at, plan.grid)),
            bold=True, mono=True,
            anchor=None if column else "end",
        )  # fmt: skip


def _times(place: Place) -> str:
    used = 3 if place[2] > 1 else 2 if place[1] > 1 else 1
    return " × ".join(map(number, place[:used]))


def draw_grid(grid: Place, block: Place, at_block: int, at_thread: int) -> Drawing:
    """All blocks of a launch with the focused thread ringed.

    Args:
        grid, block: (x, y, z).
        at_block: Number of the focused block.
        at_thread: Number of the focused thread in it.
    """
    view, plan = Drawing(LEFT + SIDE), Plan(grid, block)
    blocks = grid[0] * grid[1] * grid[2]
    size = block[0] * block[1] * block[2]
    words = f"Grid: {_times(grid)} block{'s' * (blocks > 1)} of {_times(block)} thread"
    words += "s" * (size > 1)
    view.text(LEFT, 14, words, 13.5, bold=True)
    said = "colour: block"
    if plan.numbered:
        said += f" · number: threadIdx.{','.join('xyz'[: plan.axes])}"
    elif not plan.threads:
        said += " · one cell: a block"
    view.text(LEFT, 31, said, 11.5, fill="var(--mut)")
    _blocks(view, plan)
    _names(view, plan)
    focus = Drawing()
    _focus(focus, plan, at_block, at_thread)
    view.put(Drawing(), 0, 0, data_at="threads-cell")
    view.put(focus, 0, 0, data_at="threads-focus")
    bottom = TOP + plan.outer[1] * plan.size[1] + 16
    if plan.drawn < blocks:
        more = f"… and {blocks - plan.drawn:,} more blocks like these"
        view.text(LEFT, bottom, more, 12, fill="var(--mut)")
    view.height = bottom + 10
    return view

"""Arrows between items as SVG."""

from __future__ import annotations

from .cells import Grid
from .drawing import Drawing, tenth
from .marks import VALUE_IN, VALUE_OUT, ring
from .scene import Arrows, Guide, State, first, matches

_MOST, _VERBS = 3, ("reads", "writes")  # a verb from a cell, and to one
Placed = dict[str, tuple[float, float, Grid]]


def draw_arrows(mark: Arrows, state: State, placed: Placed, width: float) -> Drawing:
    """Arrows run in the gaps between boxes, and beside marks to those below."""
    view = Drawing()
    x, y, grid = placed[mark.start]
    start = grid.place(state[mark.by])
    if start is None:
        return view
    right = tenth(x + grid.left + grid.columns * grid.w + 10)
    ends: list[tuple[float, float, Grid, int, float, float]] = []
    for target, cell, out in _ends(mark, state):
        if not placed.get(mark.targets[target]):
            continue
        tx, ty, other = placed[mark.targets[target]]
        corner = other.place(cell)
        if corner and len(ends) < _MOST:
            x_, y_ = tenth(tx + corner[0]), tenth(ty + corner[1])
            ends.append((x_, y_, other, out, tx, ty))
    beyond = right  # all marks and verbs between, of arrows to marks below
    for _, _, other, _, tx, ty in ends:
        if tx + other.left - 26 < right:
            beyond = max(
                beyond, tx + other.left + other.columns * other.w + 52,
                *[mx + cells.left + cells.columns * cells.w + 10
                  for mx, my, cells in placed.values() if mx <= x and y < my < ty],
            )  # fmt: skip
    taken: list[tuple[float, float]] = []  # middles of verbs

    def free(x: float, y: float) -> float:
        """Return where a verb at x does not cover another one, from y on down."""
        while any(abs(x - a) < 44 and abs(y - b) < 20 for a, b in taken):
            y = tenth(y + 20)
        taken.append((x, y))
        return y

    for at, (cx, cy, other, out, tx, _) in enumerate(
        sorted(ends, key=lambda each: each[1])
    ):
        ring(view, cx, cy, other.w, other.h, inside=False)
        above = at == 0 and len(ends) > 1
        sy = tenth(y + start[1] + (0 if above else grid.h))
        end = tenth(cy + (0 if cy + other.h / 2 > sy else other.h))
        left = tenth(tx + other.left - 26)
        middle = side = tenth((right + left) / 2)
        said, head = (sy + end) / 2, cx - 1
        if left < right:
            middle = tenth(tx + other.left + other.columns * other.w + 26)
            side = tenth(min(beyond + 6 * at, width - 2))
            said, head = end, cx + other.w
            if middle + 22 > width:  # no room beside the mark: the verb above it
                middle, said = tenth(width - 22), end - 20
        said = free(middle, tenth(said))
        path = f"M{tenth(x + start[0] + grid.w + 1):g} {sy:g}"
        path += f"H{side:g}V{end:g}H{tenth(head):g}"
        view.path(path, stroke="var(--bg)", stroke_width=4)
        view.path(
            path, stroke="var(--ink)", stroke_width=2.4 if out else 1.6,
            marker_start=None if out else VALUE_OUT,
            marker_end=VALUE_IN if out else None,
        )  # fmt: skip
        _verb(view, middle, said, _VERBS[out])
    return view


def draw_guide(mark: Guide, state: State, placed: Placed) -> Drawing:
    """An arrow to the row or column of a cell, where both marks show the same ones."""
    view = Drawing()
    fx, fy, other = placed[mark.start]
    x, y, grid = placed[mark.end]
    cell = grid.place(first(mark.cell, state))
    firsts = [divmod(cells.first, cells.wide)[int(mark.down)]
              for cells in (grid, other)]  # fmt: skip
    if mark.item is not None:
        item = other.place(first(mark.item, state))
        if item and cell:
            left, top = tenth(fx + item[0] + other.w / 2), tenth(fy + other.bottom)
            right = tenth(x + grid.left + grid.columns * grid.w)
            out = mark.out is not None and first(mark.out, state) > 0
            view.path(
                f"M{left:g} {top + 1:g}V{top + 9:g}H{right + 9:g}"
                f"V{tenth(y + cell[1] + grid.h / 2):g}H{right + 2:g}",
                stroke="var(--ink)", stroke_width=2.4 if out else 1.6,
                marker_start=None if out else VALUE_OUT,
                marker_end=VALUE_IN if out else None,
            )  # fmt: skip
        return view
    if cell is None or firsts[0] != firsts[1]:
        return view
    path = ""
    if (
        mark.down
        and fx == x
        and fy < y
        and other.left == grid.left
        and other.w == grid.w
    ):
        top = tenth(fy + other.bottom + 18)  # below the numbers of columns
        path = f"M{tenth(x + cell[0] + grid.w / 2):g} {top:g}"
        path += f"V{tenth(y + 1):g}"
    elif not mark.down and fy == y and fx < x and other.h == grid.h:
        path = f"M{tenth(fx + other.left + other.columns * other.w + 6):g} "
        path += f"{tenth(y + cell[1] + grid.h / 2):g}H{tenth(x + 2):g}"
    if path:
        view.path(path, stroke="var(--ink)", stroke_width=1.6, marker_end=VALUE_IN)
    return view


def _ends(mark: Arrows, state: State) -> list[tuple[int, int, int]]:
    columns = mark.rows.columns
    known: dict[str, tuple[int, int, int]] = {}
    for at in matches(mark.rows, {mark.by: state[mark.by]}, state):
        target, cell, out = [columns[name][at] for name in ("target", "cell", "out")]
        if target >= 0:
            known[f"{target} {cell} {out}"] = (target, cell, out)
    return [(target, cell, out) for target, cell, out in known.values()
            if out or not known.get(f"{target} {cell} 1")]  # fmt: skip


def _verb(view: Drawing, x: float, y: float, words: str) -> None:
    view.rect(x - 21, y - 9, 42, 18, rx=4, fill="var(--bg)", stroke="var(--ink)",
              stroke_width=0.8)  # fmt: skip
    view.text(x, y + 4, words, 11, anchor="middle")

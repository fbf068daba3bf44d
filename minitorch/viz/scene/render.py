"""The still picture of one state of a scene, at any width.

`assets/render.js` draws the same for a page. Both return equal elements for equal
states, which a test compares; a change here is a change there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .drawing import Drawing, shortened
from .marks import EMPTY, VALUE_IN, VALUE_OUT, WRONG, ring, triangle
from .palette import depth, strong, tint
from .scene import (
    Arrows,
    Bars,
    Cells,
    Code,
    Key,
    Match,
    Panel,
    Scene,
    State,
    Track,
    matches,
    numbers,
    spoken,
)

_BETWEEN = 18.0  # marks below each other, and lines of panels
_LETTER, _ROW = 7.224, 21  # of code at 12 px, and its lines
_LEAST = 4.5  # width of a box without words
_NUMBER = re.compile(r"(-?[\d,]+)\.(\d+)(e.*)?")


def tenth(value: float) -> float:
    """Return a length in tenths of pixels, as the script rounds."""
    return math.floor(value * 10 + 0.5) / 10


def box(x: float, y: float, w: float, h: float, r: float = 0) -> str:
    """Return a rectangle as a part of a path, with round corners."""
    x, y, w, h = (tenth(each) for each in (x, y, w, h))
    if not r:
        return f"M{x:g} {y:g}h{w:g}v{h:g}h{-w:g}z"
    across, down = f"{tenth(w - 2 * r):g}", f"{tenth(h - 2 * r):g}"
    turn = f"a{r:g} {r:g} 0 0 1 "
    return (
        f"M{tenth(x + r):g} {y:g}h{across}{turn}{r:g} {r:g}v{down}{turn}{-r:g} {r:g}"
        f"h-{across}{turn}{-r:g} {-r:g}v-{down}{turn}{r:g} {-r:g}z"
    )


def fitted(words: str, most: int) -> str:
    """Return a value in so many letters: with fewer decimals, else cut off.

    Example:
        >>> [fitted(each, 5) for each in ("0.04762", "1.235e+05", "1,234.5", "0.00012")]
        ['0.047', '1e+05', '1,234', '≈0']
    """
    if len(words) <= most:
        return words
    found = _NUMBER.fullmatch(words)
    if found:
        power = found[3] or ""
        digits = found[2][: max(most - len(found[1]) - 1 - len(power), 0)]
        short = f"{found[1]}.{digits}{power}" if digits else found[1] + power
        if len(short) <= most:
            return short if re.search("[1-9]", short) else "≈0"
    return f"{words[: most - 1]}…"


@dataclass(frozen=True)
class Grid:
    """Where the boxes of a mark are, from the corner of the mark."""

    columns: int
    rows: int
    wide: int
    first: int
    count: int
    left: float
    top: float
    w: float
    h: float
    group: int = 0
    gap: float = 0
    slots: Any = None

    def place(self, item: int) -> tuple[float, float] | None:
        """Return the corner of a box; None for one that is not drawn."""
        slot = item
        if self.slots is not None and 0 <= item < self.count:
            slot = int(self.slots[item])
        row, column = divmod(slot, self.wide)
        row -= self.first // self.wide
        column -= self.first % self.wide
        inside = 0 <= row < self.rows and 0 <= column < self.columns
        if not inside or not 0 <= item < self.count:
            return None
        apart = item // self.group * self.gap if self.group else 0
        return tenth(self.left + column * self.w), tenth(
            self.top + row * self.h + apart
        )

    @property
    def items(self) -> list[int]:
        """The items that are drawn."""
        if self.slots is not None:
            return [item for item in range(self.count) if self.place(item)]
        rows = range(self.first, self.first + self.rows * self.wide, self.wide)
        every = (row + at for row in rows for at in range(self.columns))
        return [item for item in every if item < self.count]

    @property
    def bottom(self) -> float:
        """Below the last row."""
        groups = (self.count - 1) // self.group if self.group else 0
        return self.top + self.rows * self.h + groups * self.gap


def grid_of(mark: Cells, state: State, room: float) -> Grid:
    """Return where boxes are; of an array that is too large, those around the focus."""
    top = 40.0 if mark.title else 4.0
    w, h = mark.size
    if not mark.columns:
        wide = max(1, min(int(room // w), mark.count))
        rows = -(-mark.count // wide)
        return Grid(wide, rows, wide, 0, mark.count, 0, top, tenth(room / wide), h)
    wide = mark.columns
    slots = mark.count if mark.slots is None else int(mark.slots.max()) + 1
    every = -(-slots // wide)
    left = 30.0 if mark.labelled else 0.0
    if mark.group:
        left = 44.0 if wide < 32 else 30.0
    elif mark.labels:
        last = every - 1 if mark.labels == "row" else mark.count
        left = 12 + 6.1 * len(str(last))
    least = w if mark.words is not None else _LEAST
    w = max(math.floor(min(w, (room - left) / wide) * 10) / 10, least)
    columns = max(1, min(wide, int((room - left + 0.5) / w)))
    rows = min(every, mark.most or every)
    row = column = 0
    center = mark.ring if mark.center is None else mark.center
    if (rows < every or columns < wide) and center is not None:
        at = max(_first(center, state), 0)
        at = at if mark.slots is None else int(mark.slots[at])
        row = max(0, min(at // wide - rows // 2, every - rows))
        column = max(0, min(at % wide - columns // 2, wide - columns))
    gap = tenth(h / 4 if h > 12 else 2) if mark.group else 0
    if mark.words is None:
        h = min(h, w)
    first = row * wide + column
    return Grid(
        columns, rows, wide, first, mark.count, left, top, w, h, mark.group, gap,
        mark.slots,
    )  # fmt: skip


def part_of(grid: Grid) -> str:
    """Return in words which part of an array is drawn; "" for all."""
    every = -(-grid.count // grid.wide)
    row, column = divmod(grid.first, grid.wide)
    parts = []
    if grid.rows < every:
        parts.append(f"rows {row}–{row + grid.rows - 1} of {every:,}")
    if grid.columns < grid.wide:
        last = column + grid.columns - 1
        parts.append(f"columns {column}–{last} of {grid.wide:,}")
    return ", ".join(parts)


# How a kind of look is drawn as boxes: inset, and attributes by the hue.
_LOOKS: dict[str, tuple[float, Callable[[int], dict[str, Any]]]] = {
    "belongs": (1, lambda who: {"fill": tint(who)}),
    "waits": (1, lambda who: {"fill": tint(who)}),
    "runs": (1, lambda who: {"fill": strong(who)}),
    "empty": (1, lambda _: {"fill": EMPTY, "stroke": "var(--line)"}),
    "bare": (1, lambda _: {"stroke": "var(--line)"}),
    "untouched": (1, lambda _: {"fill": "var(--off)"}),
    "reads": (1, lambda who: {"fill": "var(--bg)", "stroke": strong(who),
                              "stroke_width": 1.4, "stroke_dasharray": "2.6 1.8"}),
    "read": (2.6, lambda _: {"stroke": "var(--ink)", "stroke_dasharray": "2.5 2"}),
    "written": (1, lambda who: {"stroke": strong(who), "stroke_width": 2}),
    "wrong": (1, lambda _: {"fill": WRONG, "stroke": "var(--bad)"}),
    "missed": (1, lambda _: {"fill": WRONG, "stroke": "var(--bad)"}),
}  # fmt: skip
_PALE, _BOLD = ("empty", "bare"), ("runs", "written")


_SMALL = 12.0  # boxes of less height touch each other, and lines are drawn between


def _boxes(grid: Grid, corners: list[tuple[float, float]], inset: float) -> str:
    if grid.h < _SMALL:
        return "".join(box(x, y, wide, grid.h) for x, y, wide in _runs(grid, corners))
    gap = tenth(inset * min(1, grid.w / 25))
    r = 5 if grid.h >= 32 else 3 if grid.h >= 24 else 0
    return "".join(
        box(x + gap, y + gap, grid.w - 2 * gap, grid.h - 2 * gap, r) for x, y in corners
    )


def _runs(
    grid: Grid, corners: list[tuple[float, float]]
) -> list[tuple[float, float, float]]:
    """Corners of neighbours in a row as one, with its width."""
    runs: list[tuple[float, float, float]] = []
    for x, y in sorted(corners, key=lambda each: (each[1], each[0])):
        if runs and runs[-1][1] == y and abs(runs[-1][0] + runs[-1][2] - x) < 0.15:
            runs[-1] = (runs[-1][0], y, x - runs[-1][0] + grid.w)
        else:
            runs.append((x, y, grid.w))
    return runs


def _lattice(view: Drawing, grid: Grid) -> None:
    """Lines in the colour of the ground between small boxes."""
    if grid.h >= _SMALL or grid.group:
        return
    right, bottom = grid.columns * grid.w, grid.rows * grid.h
    across = "".join(
        f"M{tenth(grid.left):g} {tenth(grid.top + at * grid.h):g}h{tenth(right):g}"
        for at in range(1, grid.rows)
    )
    down = "".join(
        f"M{tenth(grid.left + at * grid.w):g} {tenth(grid.top):g}v{tenth(bottom):g}"
        for at in range(1, grid.columns)
    )
    view.path(across + down, stroke="var(--bg)", stroke_width=tenth(grid.w / 6))


def _look(view: Drawing, grid: Grid, items: list[int], kind: str, who: int) -> None:
    inset, attributes = _LOOKS[kind]
    corners = [at for at in map(grid.place, items) if at]
    view.path(_boxes(grid, corners, inset), **attributes(who))
    if kind == "waits":
        bars = "".join(
            box(x + grid.w * at, y + grid.h * 0.14, max(1.2, grid.w / 18), grid.h / 6)
            for x, y in corners
            for at in (0.7, 0.8)
        )
        view.path(bars, fill=strong(who))
    if (
        kind in ("wrong", "missed") and grid.h >= 19
    ):  # a number on hatching needs its own ground
        clear = "".join(
            box(x + 3.4, y + grid.h / 2 - 6.5, grid.w - 6.8, 13, 2) for x, y in corners
        )
        view.path(clear, fill="var(--bg)")


def _cells(scene: Scene, mark: Cells, state: State, room: float) -> Drawing:
    view, grid = Drawing(room), grid_of(mark, state, room)
    items = grid.items
    if mark.title:
        note = " · ".join(
            filter(None, [spoken(scene, mark.note, state), part_of(grid)])
        )
        title = spoken(scene, mark.title, state)
        view.text(grid.left, 14, shortened(title, int(room / 7.8)), 13, bold=True)
        view.text(grid.left, 30, shortened(note, int(room / 6)), 11.5,
                  fill="var(--mut)")  # fmt: skip
    kinds: dict[int, list[str]] = {}
    for layer in mark.looks:
        found = numbers(layer, state, items)
        for look in np.unique(found[found >= 0]).tolist():
            own = [item for item, at in zip(items, found, strict=True) if at == look]
            kind, who = scene.looks[look]
            _look(view, grid, own, kind, who)
            for item in own:
                kinds.setdefault(item, []).append(kind)
    if mark.looks:
        _lattice(view, grid)
    if mark.captions:
        _facts(view, scene, mark, state, grid)
    elif mark.words is not None:
        _values(view, scene, mark, state, grid, kinds)
    _labels(view, mark, grid)
    _groups(view, scene, mark, state, grid)
    _outlines(view, mark, state, grid)
    at = grid.place(_first(mark.ring, state)) if mark.ring is not None else None
    if at:
        ring(view, *at, grid.w, grid.h, inside=grid.h > 12)
    view.height = grid.bottom
    return view


def _first(channel: Any, state: State) -> int:
    return int(numbers(channel, state, [0])[0])


def _outlines(view: Drawing, mark: Cells, state: State, grid: Grid) -> None:
    """Boxes around items, and their names beside them."""
    if mark.outlines is None:
        return
    thick = _first(mark.outlined, state)
    for at, (row, column, rows, columns, who) in enumerate(mark.outlines.tolist()):
        x, y = tenth(grid.left + column * grid.w), tenth(grid.top + row * grid.h)
        w, h = tenth(columns * grid.w), tenth(rows * grid.h)
        view.rect(
            x + 0.5, y + 0.5, w - 1, h - 1, rx=3, fill="none", stroke=strong(who),
            stroke_width=2.4 if at == thick else 0.8,
        )  # fmt: skip
        if mark.labelled and h >= 12:
            view.text(x + w + 4 if column else x - 4, tenth(y + h / 2 + 4),
                      mark.labelled[at], 11, fill=strong(who), bold=True, mono=True,
                      anchor=None if column else "end")  # fmt: skip


def _bars(scene: Scene, mark: Bars, state: State, room: float) -> Drawing:
    view = Drawing(room)
    view.text(0, 14, spoken(scene, mark.title, state), 13, bold=True)
    rows = list(range(len(mark.names)))
    step = tenth((room - 140) / len(mark.heads))
    lengths = numbers(mark.lengths, state, rows).tolist()
    for at, head in enumerate(mark.heads):
        view.text(tenth(90 + step * (at + 1)), 34, head, 11.5, fill="var(--mut)",
                  anchor="end")  # fmt: skip
    for row, name in enumerate(mark.names):
        y = 60 + 27 * row
        view.path(f"M0 {y - 18}H{room:g}", stroke="var(--line)")
        view.text(0, y, name, 12.5, bold=row == 0)
    for at, column in enumerate(mark.columns):
        for row, words in enumerate(numbers(column, state, rows).tolist()):
            if words >= 0:
                view.text(
                    tenth(90 + step * (at + 1)), 60 + 27 * row, scene.words[words],
                    12.5, anchor="end", bold=row == 0,
                )  # fmt: skip
    for row, length in enumerate(lengths):
        if length > 0:
            wide = tenth(40 * length / max(lengths))
            view.rect(room - 42, 51 + 27 * row, wide, 8, rx=2, fill=depth(30))
    view.height = 60 + 27 * len(mark.names) - 14
    return view


def _values(view: Drawing, scene: Scene, mark: Cells, state: State, grid: Grid,
            kinds: dict[int, list[str]]) -> None:  # fmt: skip
    values = numbers(mark.words, state, grid.items).tolist()
    most = max(int((grid.w - 1) / 6.02), 2)
    for item, value in zip(grid.items, values, strict=True):
        if value < 0 and mark.blank:
            continue
        x, y = grid.place(item) or (0, 0)
        own = kinds.get(item, [])
        words = fitted(scene.words[value], most) if value >= 0 else "·"
        ink = "ink" if value >= 0 and not set(own) & set(_PALE) else "faint"
        ink = "bg" if "runs" in own else "bad" if "missed" in own else ink
        size = 10 if len(words) > (3 if grid.w < 30 else 4) else 11
        view.text(
            tenth(x + grid.w / 2), tenth(y + grid.h / 2 + 4), words,
            13 if size > 10 and grid.h >= 32 else size, anchor="middle", mono=True,
            fill=f"var(--{ink})",
            bold=bool(set(own) & set(_BOLD)),
        )  # fmt: skip


def _facts(view: Drawing, scene: Scene, mark: Cells, state: State, grid: Grid) -> None:
    """Boxes with a name and a value; an edge of ink where the value is new."""
    items = grid.items
    names = [numbers(each, state, items).tolist() for each in mark.captions]
    now = numbers(mark.words, state, items).tolist()
    old = now
    if mark.changes:
        before = {**state, mark.changes: state[mark.changes] - 1}
        old = numbers(mark.words, before, items).tolist()
    most = int((grid.w - 22) / 7.53)
    for at, item in enumerate(items):
        said = " ".join(scene.words[each[at]] for each in names if each[at] >= 0)
        if not said:
            continue
        x, y = grid.place(item) or (0, 0)
        new = now[at] != old[at]
        words = scene.words[now[at]] if now[at] >= 0 else "not set"
        both = f"{scene.words[old[at]]} → {words}" if new and old[at] >= 0 else words
        words = both if len(both) <= most else shortened(words, most)
        view.rect(x + 0.5, y + 0.5, grid.w - 7, grid.h - 7, rx=6, fill="none",
                  stroke="var(--ink)" if new else "var(--line)",
                  stroke_width=1.6 if new else 1)  # fmt: skip
        view.text(x + 8, y + 15, shortened(said, int((grid.w - 20) / 6.2)), 11,
                  fill="var(--mut)")  # fmt: skip
        view.text(x + 8, y + 31, words, 12.5, mono=True)


def _labels(view: Drawing, mark: Cells, grid: Grid) -> None:
    if not mark.labels:
        return
    each = 1 if mark.labels == "row" else grid.wide
    row = grid.first // grid.wide
    for at in range(0, grid.rows, max(1, math.floor(11 / grid.h + 0.9))):
        y = tenth(grid.top + at * grid.h + grid.h / 2 + 3.6)
        view.text(grid.left - 6, y, (row + at) * each, 10, fill="var(--mut)",
                  anchor="end", mono=True)  # fmt: skip


def _groups(view: Drawing, scene: Scene, mark: Cells, state: State, grid: Grid) -> None:
    """Brackets and names beside groups of items."""
    if not mark.group or mark.names is None:
        return
    groups = list(range(-(-grid.count // mark.group)))
    names = numbers(mark.names, state, groups).tolist()
    for at, name, who in zip(
        groups, names, numbers(mark.hues, state, groups), strict=True
    ):
        x, y = grid.place(at * mark.group) or (0, 0)
        own = min(grid.count - at * mark.group, mark.group)
        high = -(-own // grid.wide) * grid.h
        hue, words = strong(int(who)), scene.words[name]
        if grid.wide < 32:
            bracket = f"M{tenth(x - 8):g} {tenth(y + 2):g}h-5v{tenth(high - 4):g}h5"
            view.path(bracket, stroke=hue, stroke_width=1.6)
        if high > 100:
            turn = f"translate({tenth(x - 19):g} {tenth(y + high / 2):g}) rotate(-90)"
            view.text(0, 0, words, 11.5, fill=hue, anchor="middle", bold=True,
                      transform=turn)  # fmt: skip
        else:
            short = words.partition(" · ")[0].replace("warp ", "w")
            view.text(tenth(x - (17 if grid.wide < 32 else 6)),
                      tenth(y + high / 2 + 4), short, 10, fill=hue, anchor="end",
                      bold=True)  # fmt: skip


def wrap(text: str, most: int) -> list[str]:
    """Return a line of code in lines of `most` letters, the later ones further in.

    Example:
        >>> wrap("  total += a[i] * b[i];", 14)
        ['  total +=', '      a[i] *', '      b[i];']
    """
    indent = min(len(text) - len(text.lstrip()) + 4, most // 2)
    lines = []
    while len(text) > most:
        at = text.rfind(" ", 0, most + 1)
        at = at if text[:at].strip() and at > 0 else most
        lines.append(text[:at].rstrip())
        text = " " * indent + text[at:].lstrip()
    return [*lines, text]


@dataclass(frozen=True)
class _Lines:
    """Where lines of code are: letters in a row, rows of each, the first base line."""

    left: float
    tail: float
    rows: list[list[str]]
    y: list[float]
    bottom: float


def _lines(mark: Code, room: float) -> _Lines:
    widest = f"{int(max(mark.totals.max(initial=1), 1)):,}"
    chip = 27.0
    tail = 6.9 * (2 * len(widest) + 1) + (36 if room >= 400 else 8)
    left = 2 * chip + 14 + 7.3 * max(len(str(each)) for each in mark.numbers)
    most = max(int((room - left - tail) / _LETTER), 12)
    rows = [wrap(text, most) for text in mark.texts]
    y, at = [], 58.0
    for each in rows:
        y.append(at)
        at += _ROW * len(each)
    return _Lines(left, tail, rows, y, at - 10)


def _spans(code: str, mark: Code, inside: bool) -> list[tuple[str, str]]:
    """Code in runs: keywords bold, comments pale; `inside` where a comment goes on."""
    body, sign, comment = ("", "", code) if inside else code.partition(mark.comment)
    runs, last = [], 0
    for found in re.finditer(mark.keywords, body):
        runs += [(body[last : found.start()], ""), (found[0], "bold")]
        last = found.end()
    runs += [(body[last:], ""), (sign + comment, "mut")]
    return [run for run in runs if run[0]]


def _code(scene: Scene, mark: Code, state: State, room: float) -> Drawing:
    view, lines = Drawing(room), _lines(mark, room)
    view.text(0, 14, shortened(spoken(scene, mark.title, state), int(room / 7)), 13,
              bold=True)  # fmt: skip
    view.text(0, 30, spoken(scene, mark.note, state), 11.5, fill="var(--mut)")
    every = np.arange(len(mark.numbers))
    active = int(numbers(mark.active, state, [0])[0])
    who = int(numbers(mark.who, state, [0])[0])
    if active >= 0:
        y, high = lines.y[active] - 15, _ROW * len(lines.rows[active])
        view.rect(0, y, room, high, fill="var(--panel)")
        view.rect(lines.left - 8, y, 3, high, fill="var(--ink)")
    for at in every[numbers(mark.wrong, state, every) >= 0].tolist():
        view.rect(lines.left - 8, lines.y[at] - 15, 3, _ROW * len(lines.rows[at]),
                  fill="var(--bad)")  # fmt: skip
    for at, rows in enumerate(lines.rows):
        y = lines.y[at]
        view.text(lines.left - 12, y, mark.numbers[at], 12, fill="var(--faint)",
                  anchor="end", mono=True)  # fmt: skip
        inside = False
        for row, text in enumerate(rows):
            code = text.lstrip()
            spans = _spans(code, mark, inside)
            inside = inside or mark.comment in code
            if spans:
                x = lines.left + (len(text) - len(code)) * _LETTER
                view.runs(tenth(x), y + row * _ROW, 12, *spans, mono=True)
    _where(view, scene, mark, state, lines, (active, who))
    counts = numbers(mark.counts, state, every).tolist()
    most = max(int(mark.totals.max(initial=1)), 1)
    for at, count in enumerate(counts):
        if not mark.totals[at]:
            continue
        y, total = lines.y[at], int(mark.totals[at])
        if room >= 400 and count > 0:
            wide = tenth(26 * count / most)
            view.rect(tenth(room - lines.tail + 4), y - 8, wide, 7, rx=2,
                      fill=depth(30))  # fmt: skip
        view.text(room - 2, y, f"{max(count, 0):,}/{total:,}", 11, fill="var(--mut)",
                  anchor="end")  # fmt: skip
    view.height = lines.bottom
    return view


def _where(view: Drawing, scene: Scene, mark: Code, state: State, lines: _Lines,
           now: tuple[int, int]) -> None:  # fmt: skip
    """Names of who runs a line, and of others that are there."""

    def chip(x: float, y: float, words: str, fill: str, ink: str, edge: Any) -> None:
        view.rect(x, y - 12, 25, 16, rx=4, fill=fill, stroke=edge)
        view.text(x + 12.5, y, words, 10.5, fill=ink, anchor="middle", bold=True)

    every = np.arange(len(mark.numbers))
    others = numbers(mark.others, state, every).tolist()
    whose = numbers(mark.whose, state, every).tolist()
    for at, words, who in zip(every.tolist(), others, whose, strict=True):
        if words >= 0:
            hue = strong(who) if who >= 0 else "var(--mut)"
            chip(0.5, lines.y[at], scene.words[words], "var(--bg)", hue, hue)
    active, who = now
    if active >= 0:
        words = spoken(scene, mark.sign, state)
        chip(27, lines.y[active], words, strong(who), "var(--bg)", None)


def track_at(scene: Scene, mark: Track, room: float) -> tuple[float, float, float]:
    """Return where a track begins, how wide an index is, how high a row is."""
    axis = next(each for each in scene.axes if each.name == mark.axis)
    left = 12 + 7 * max(len(name) for name in mark.names)
    high = min(27.0, max(5.0, 170 / len(mark.names)))
    return left, (room - left - 6) / axis.count, high


def _track(scene: Scene, mark: Track, state: State, room: float) -> Drawing:
    view, top = Drawing(room), 18.0
    left, wide, high = track_at(scene, mark, room)
    bottom, gap = tenth(top + high * len(mark.names)), 0.6 if wide > 4 else 0
    every = max(1, math.floor(11 / high + 0.9))
    paths = [""] * len(mark.names)
    for row, low, end, count in mark.bars.tolist():
        tall = max(1.0, (high - 3) * count / mark.full)
        across = max((end - low) * wide - 2 * gap, 0.4)
        paths[row] += box(left + low * wide + gap, top + (row + 1) * high - 3 - tall,
                          across, tall)  # fmt: skip
    thick = min(2.0, high / 8)
    for row, low, end in mark.lines.tolist():
        middle = top + row * high + (high - 3) / 2
        for y in (middle - 1.5 * thick, middle + 0.5 * thick):
            paths[row] += box(left + low * wide, y, (end - low) * wide, thick)
    for row, name in enumerate(mark.names):
        y, hue = top + row * high, strong(mark.hues[row])
        view.path(f"M{tenth(left):g} {tenth(y + high - 3):g}H{tenth(room - 6):g}",
                  stroke="var(--line)")  # fmt: skip
        view.path(paths[row], fill=hue)
        if row % every == 0:
            view.text(0, tenth(y + high / 2 + 2.5), name, 12 if high > 14 else 10,
                      fill=hue, bold=True)  # fmt: skip
    now = state[mark.axis]
    after = tenth(left + (now + 1) * wide)
    view.rect(after, 14, max(tenth(room - 6 - after), 0), tenth(bottom - 16),
              fill="var(--bg)", opacity=0.72)  # fmt: skip
    _signs(view, mark, room, (left, wide, bottom))
    x = tenth(left + (now + 0.5) * wide)
    view.path(f"M{x:g} 14V{tenth(bottom + 4):g}", stroke="var(--ink)", stroke_width=2)
    view.path(f"M{x:g} {tenth(bottom + 1):g}l6 10h-12z", fill="var(--ink)")
    near = x > room - 80
    words = spoken(scene, f"{mark.axis} {{{mark.axis}}}", state)
    view.text(x - 9 if near else x + 9, bottom + 12, words, 11,
              anchor="end" if near else None, bold=True)  # fmt: skip
    if x < room - 130 - 5.6 * len(mark.note):
        view.text(room - 6, bottom + 12, mark.note, 10.5, fill="var(--mut)",
                  anchor="end")  # fmt: skip
    view.height = bottom + 18
    return view


def _signs(
    view: Drawing, mark: Track, room: float, place: tuple[float, float, float]
) -> None:
    """Bars of ink and triangles, each with its name where that fits."""
    left, wide, bottom = place
    taken = [
        (x - 7, x + 7)
        for at, _ in mark.flags
        for x in [tenth(left + (at + 0.5) * wide)]
    ]

    def fits(x: float, words: str) -> bool:
        end = x + 6.6 * len(words) + 4
        free = end < room and all(end < a or x > b for a, b in taken)
        if free:
            taken.append((x, end))
        return free

    for at, words in mark.flags:
        x = tenth(left + (at + 0.5) * wide)
        if fits(x + 8, words):
            view.text(x + 10, 12, words, 11, fill="var(--bad)", bold=True)
        triangle(view, x, 3, 6)
    for at, words in mark.rules:
        x = tenth(left + (at + 1) * wide)
        view.path(f"M{x:g} 14V{bottom:g}", stroke="var(--ink)", stroke_width=1.6)
        start = tenth(x - 3.1 * len(words))
        if fits(start, words):
            view.text(x, 10, words, 10.5, fill="var(--mut)", anchor="middle")


Placed = dict[str, tuple[float, float, Grid]]


def _arrows(mark: Arrows, state: State, placed: Placed, width: float) -> Drawing:
    """Arrows run in the gaps between boxes; below each other a word stands for one."""
    view = Drawing()
    x, y, grid = placed[mark.start]
    start = grid.place(state[mark.by])
    if start is None:
        return view
    right = tenth(x + grid.left + grid.columns * grid.w + 10)
    ends: list[tuple[float, float, Grid, int, float]] = []
    for target, cell, out in _ends(mark, state):
        if mark.targets[target] not in placed:
            continue
        tx, ty, other = placed[mark.targets[target]]
        at = other.place(cell)
        if at and len(ends) < mark.most:
            ends.append((tenth(tx + at[0]), tenth(ty + at[1]), other, out, tx))
    ends.sort(key=lambda each: each[1])
    taken: list[float] = []
    for number, (cx, cy, other, out, tx) in enumerate(ends):
        ring(view, cx, cy, other.w, other.h, inside=False)
        above = number == 0 and len(ends) > 1
        sy = tenth(y + start[1] + (0 if above else grid.h))
        end = tenth(cy + (0 if cy + other.h / 2 > sy else other.h))
        left = tenth(other_x(placed, mark) - 26)
        if left < right:
            middle = tenth(tx + other.left + other.columns * other.w + 26)
            if middle + 22 < width:
                _verb(view, middle, tenth(cy + other.h / 2), mark.verbs[out])
            continue
        middle, said = tenth((right + left) / 2), tenth((sy + end) / 2)
        while any(abs(said - each) < 20 for each in taken):
            said = tenth(said + 20)
        taken.append(said)
        path = (
            f"M{tenth(x + start[0] + grid.w + 1):g} {sy:g}H{right:g}"
            f"C{tenth(middle + 14):g} {sy:g} {tenth(middle - 14):g} {end:g} "
            f"{left:g} {end:g}H{tenth(cx - 1):g}"
        )
        view.path(path, stroke="var(--bg)", stroke_width=4)
        view.path(
            path, stroke="var(--ink)", stroke_width=2.4 if out else 1.6,
            marker_start=None if out else VALUE_OUT,
            marker_end=VALUE_IN if out else None,
        )  # fmt: skip
        _verb(view, middle, said, mark.verbs[out])
    return view


def other_x(placed: Placed, mark: Arrows) -> float:
    """Return where the boxes begin that arrows lead to."""
    known = [placed[each] for each in mark.targets if each in placed]
    return min(x + grid.left for x, _, grid in known)


def _ends(mark: Arrows, state: State) -> list[tuple[int, int, int]]:
    columns = mark.rows.columns
    rows = matches(Match(mark.rows, "", "", by=(mark.by,)), state)
    target, cell, out = (
        columns[name][rows].tolist() for name in ("target", "cell", "out")
    )
    every = zip(target, cell, out, strict=True)
    known = [each for each in dict.fromkeys(every) if each[0] >= 0]
    written = {each[:2] for each in known if each[2]}
    return [each for each in known if each[2] or each[:2] not in written]


def _verb(view: Drawing, x: float, y: float, words: str) -> None:
    view.rect(x - 21, y - 9, 42, 18, rx=4, fill="var(--bg)", stroke="var(--ink)",
              stroke_width=0.8)  # fmt: skip
    view.text(x, y + 4, words, 11, anchor="middle")


def _key(key: Key, room: float) -> Drawing:
    view = Drawing(room)
    view.path(f"M0 4H{room:g}", stroke="var(--line)")
    view.text(0, 28, "Key", 12, bold=True)
    x, y = 40.0, 28.0
    for swatch, meaning, wide in key.entries:
        if x + 22 + wide > room and x > 40:
            x, y = 40.0, y + 23
        view.element("g", swatch, transform=f"translate({tenth(x):g} {y - 12:g})")
        view.text(tenth(x + 22), y, meaning, 12, fill="var(--mut)")
        x = tenth(x + 40 + wide)
    view.height = y + 4
    return view


def flow(panels: tuple[Panel, ...], width: float) -> list[list[tuple[Panel, float]]]:
    """Return panels in lines with their widths: beside each other while they fit."""
    lines: list[list[Panel]] = []
    room = -1.0
    for panel in panels:
        room -= panel.gap + panel.width
        if room < 0:
            lines.append([])
            room = width - panel.width
        lines[-1].append(panel)
    placed = []
    for line in lines:
        used = sum(each.width for each in line) + sum(each.gap for each in line[1:])
        first = next((at for at, each in enumerate(line) if each.grow), 0)
        left = width - used if line[first].grow or len(line) == 1 else 0
        placed.append([
            (each, tenth(each.width + (left if at == first else 0)))
            for at, each in enumerate(line)
        ])  # fmt: skip
    return placed


def draw(scene: Scene, state: State, width: float) -> Drawing:
    """Draw a state of a scene, so many pixels wide."""
    view, placed = Drawing(width), Placed()
    y = 0.0
    for line in flow(scene.panels, width):
        x = bottom = 0.0
        for panel, room in line:
            x += panel.gap if x else 0
            top = y
            for mark in panel.marks:
                part = _drawn(scene, mark, state, room)
                view.put(part, x, top)
                if isinstance(mark, Cells):
                    placed[mark.name] = (x, top, grid_of(mark, state, room))
                top = tenth(top + part.height + _BETWEEN)
            x, bottom = tenth(x + room), max(bottom, top)
        y = bottom
    for arrows in scene.over:
        view.put(_arrows(arrows, state, placed, width), 0, 0)
    if scene.key is not None:
        key = _key(scene.key, width)
        view.put(key, 0, y)
        y += key.height
    view.height = y
    return view


def _drawn(scene: Scene, mark: Any, state: State, room: float) -> Drawing:
    if isinstance(mark, Cells):
        return _cells(scene, mark, state, room)
    if isinstance(mark, Code):
        return _code(scene, mark, state, room)
    if isinstance(mark, Bars):
        return _bars(scene, mark, state, room)
    return _track(scene, mark, state, room)

"""Owns the picture of a race: two lines, two threads, one cell, both orders.

Must not know launches: it draws the numbers of `races`.
"""

from __future__ import annotations

from .code_view import draw_code
from .drawing import Drawing, shortened, width_of
from .figure import WIDTH, Figure, KeyEntry
from .launches import short_file
from .marks import VALUE_IN, VALUE_OUT, WRONG, ring
from .palette import strong, tint
from .races import RaceData, Side

_CODE, _PANELS = 372.0, 398.0
_WIDE, _HIGH, _APART = 214.0, 300.0, 234.0
_CELLS = 64


def _sides(data: RaceData) -> tuple[Side, Side]:
    """Left and right in the picture: the other thread, and the writer."""
    return data.other, data.writer


def _short(side: Side) -> str:
    return shortened(side.name.replace(" of block ", " · "), 18)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _answer(data: RaceData) -> str:
    writer, other, cell = data.writer, data.other, data.cell
    if other.kind != "reads":
        return (
            f"{_capital(writer.name)} and {other.name} both write {cell}, in any order."
        )
    if other.line and other.line < writer.line:
        return (
            f"{_capital(writer.name)} may write {cell} before {other.name} has read it."
        )
    return (
        f"{_capital(other.name)} may read {cell} before {writer.name} has written it."
    )


def _detail(data: RaceData) -> str:
    noun = {"reads": "read", "writes": "write"}.get(data.other.kind, "use")
    if data.writer.line == data.other.line:
        where = f"the {noun} and the write, both on line {data.writer.line},"
    else:
        where = (
            f"the write on line {data.writer.line} and the {noun} on line "
            f"{data.other.line}"
        )
    if not data.same_block:
        return f"Nothing orders {where} since blocks run in any order."
    what = "two threads of the warp" if data.same_warp else "two warps"
    return (
        f"No barrier stands between {where.rstrip(',')}, so the {what} may run in "
        "either order."
    )


def _wire(view: Drawing, side: Side, x: float) -> None:
    words = _short(side)
    view.text(x, 62, words, 12, fill=strong(side.who), anchor="middle", bold=True)
    view.path(f"M{x} 72V238", stroke=strong(side.who), stroke_width=2.4)


def _event(
    view: Drawing, side: Side, x: float, y: float, value: str, owner: int | None
) -> None:
    """A dot on the thread, an arrow between it and the cell, and the cell's value."""
    middle = _WIDE / 2
    unknown = value == "?"
    wide = max(36.0, width_of(value, 13, mono=True) + 12)
    edge = middle + (wide / 2 + 1) * (1 if x > middle else -1)
    dot = x + (5 if x < middle else -5)
    reads = side.kind == "reads"
    start, end = (edge, dot) if reads else (dot, edge)
    view.path(
        f"M{start:.1f} {y}H{end:.1f}", stroke="var(--ink)",
        stroke_width=1.6 if reads else 3, marker_end=VALUE_OUT if reads else VALUE_IN,
    )  # fmt: skip
    words_at = (edge + dot) / 2
    view.text(words_at, y - 9, side.kind, 11, anchor="middle")
    view.element("circle", cx=x, cy=y, r=5, fill=strong(side.who))
    view.rect(
        middle - wide / 2, y - 12, wide, 24, rx=4,
        fill="var(--bg)" if owner is None else tint(owner),
        stroke="var(--mut)" if owner is None else strong(owner),
        stroke_dasharray="3 2" if unknown else None,
    )  # fmt: skip
    view.text(middle, y + 4.5, value, 13, anchor="middle", mono=True, bold=not unknown)
    if side.line:
        half = width_of(f"line {side.line}", 11) / 2 + 2
        view.rect(x - half, y + 10, 2 * half, 13, fill="var(--bg)")
        view.text(
            x, y + 20, f"line {side.line}", 11, fill="var(--mut)", anchor="middle"
        )


def _panel(data: RaceData, first: str, barrier: bool = False) -> Drawing:
    """One order of the two accesses; `first`: "writer" or "other"."""
    view = Drawing(_WIDE, _HIGH)
    here = first == data.first and not barrier
    view.rect(
        0.5, 0.5, _WIDE - 1, _HIGH - 1, rx=8, fill="none",
        stroke="var(--ink)" if here else "var(--line)", stroke_width=1.8 if here else 1,
    )  # fmt: skip
    left, right = _sides(data)
    ahead = data.writer if first == "writer" else data.other
    title = "With a barrier" if barrier else f"{_capital(_short(ahead))} goes first"
    said = "the only order left" if barrier else "allowed" + " · this run" * here
    view.text(12, 22, title, 13, bold=True)
    view.text(12, 38, said, 12, fill="var(--mut)")
    middle = _WIDE / 2
    view.path(f"M{middle} 72V238", stroke="var(--line)")
    _wire(view, left, 46)
    _wire(view, right, _WIDE - 46)
    view.text(middle, 62, data.cell if len(data.cell) < 8 else "cell", 12,
              anchor="middle", mono=True, bold=True)  # fmt: skip
    order = (
        (data.writer, data.other) if first == "writer" else (data.other, data.writer)
    )
    for side, y in zip(order, (104.0, 196.0), strict=True):
        x = 46.0 if side is left else _WIDE - 46
        late = side.kind == "reads" and first == "other"
        owner = side.who if side.kind != "reads" else data.writer.who
        _event(view, side, x, y, _seen(data, side, first), None if late else owner)
    if barrier:
        view.rect(8, 142, _WIDE - 16, 18, rx=4, fill="var(--ink)")
        words = f"barrier: all {data.threads:,} wait here"
        view.text(middle, 155, words, 11, fill="var(--bg)", anchor="middle", bold=True)
    _outcome(view, data, first)
    return view


def _seen(data: RaceData, side: Side, first: str) -> str:
    """What the cell holds as a thread uses it."""
    if side.kind != "reads":
        return side.value or "?"
    return (data.writer.value if first == "writer" else data.before) or "?"


def _outcome(view: Drawing, data: RaceData, first: str) -> None:
    # Only what nobody wrote is wrong for sure; which order is meant, no trace says.
    reads = data.other.kind == "reads"
    wrong = reads and data.space == "shared" and _seen(data, data.other, first) == "?"
    ground = WRONG if wrong else "var(--panel)"
    view.rect(10, 250, _WIDE - 20, 40, rx=6, fill=ground)
    if wrong:
        view.rect(15, 255, _WIDE - 30, 30, rx=4, fill="var(--bg)")
    if reads:
        value = _seen(data, data.other, first)
        nothing = "not written yet" if data.space == "shared" else "an older value"
        words = f"{_short(data.other)} reads"
        result = value if value != "?" else nothing
    else:
        last = data.other if first == "writer" else data.writer
        words, result = f"{shortened(data.cell, 16)} ends as", last.value or "?"
    view.text(_WIDE / 2, 267, words, 11.5, fill="var(--mut)", anchor="middle")
    view.text(
        _WIDE / 2, 281, f"✕ {result}" if wrong else result, 13,
        fill="var(--bad)" if wrong else "var(--ink)", anchor="middle", bold=True,
    )  # fmt: skip


def _strip(data: RaceData) -> Drawing:
    """The array's cells around the racing ones; those hatched."""
    view = Drawing(WIDTH, 74)
    count = len(data.cells)
    title = f"One finding, {count:,} cell{'s' * (count != 1)}"
    view.runs(0, 14, 13, (title, "bold"), ("  the same two lines every time", "mut"))
    size = max(data.size, data.cells[-1] + 1)
    first = 0 if size <= _CELLS else max(0, min(data.cells[0] - 8, size - _CELLS))
    shown = range(first, min(first + _CELLS, size))
    wide = min(WIDTH / max(len(shown), 1), 30.0)
    racing = set(data.cells)
    focus = data.cell.rpartition("[")[2].rstrip("]")
    for at in shown:
        x, wrong = (at - first) * wide, at in racing
        view.rect(
            x + 0.8, 28, wide - 1.6, 22, rx=3,
            fill=WRONG if wrong else "var(--off)",
            stroke="var(--bad)" if wrong else None,
        )  # fmt: skip
        if wrong:
            view.rect(x + 2.2, 33, wide - 4.4, 12, rx=2, fill="var(--bg)")
        view.text(
            x + wide / 2, 43, at, 9.5 if at < 1000 else 6, anchor="middle", mono=True,
            fill="var(--ink)" if wrong else "var(--mut)",
        )  # fmt: skip
        if str(at) == focus:
            ring(view, x + 0.8, 28, wide - 1.6, 22, inside=False)
    name = data.array or "the array"
    words = f"cells of {name}"
    if len(shown) < size:
        words += f": {shown[0]:,} to {shown[-1]:,} of {size:,}"
    view.text(0, 66, words, 12, fill="var(--mut)")
    return view


def _notes(data: RaceData) -> dict[int, tuple[str, int]]:
    writer, other = data.writer, data.other
    if writer.line == other.line:
        return {writer.line: (f"both threads use {data.cell}", writer.who)}
    return {
        side.line: (f"{_short(side)} {side.kind} {data.cell}", side.who)
        for side in (other, writer)
    }


def draw_race(data: RaceData, lines: list[str], note: str = "") -> Figure:
    """Draw a race.

    Args:
        data: From `race_data`.
        lines: The kernel's code; empty where nobody has it.
        note: A sentence to add to the detail.
    """
    body = Drawing(WIDTH)
    body.runs(0, 14, 13, (short_file(data.file) or "The code", "bold"),
              (f" · blocks of {data.threads:,} threads", "mut"))  # fmt: skip
    body.runs(_PANELS, 14, 13, ("What can happen to the cell", "bold"),
              (" · time runs downwards", "mut"))  # fmt: skip
    low, high = sorted((data.writer.line, data.other.line))
    ordered = data.same_block and low < high
    code = draw_code(lines, _notes(data), _CODE, low if ordered else 0)
    body.put(code, 0, 30)
    body.put(_panel(data, "writer"), _PANELS, 30)
    body.put(_panel(data, "other"), _PANELS + _APART, 30)
    if ordered:
        ahead = "writer" if data.writer.line == low else "other"
        body.put(_panel(data, ahead, barrier=True), _PANELS + 2 * _APART, 30)
    body.height = 30 + max(_HIGH, code.height) + 22
    if data.cells:
        body.path(f"M0 {body.height - 4}H{WIDTH}", stroke="var(--line)")
        body.put(_strip(data), 0, body.height + 8)
        body.height += 84
    return Figure(
        question="Which two threads are not in order?",
        answer=_answer(data),
        detail=" ".join(filter(None, [_detail(data), note])),
        body=body,
        key=_key(data),
        findings=data.findings,
        data=data,
    )


def _key(data: RaceData) -> tuple[KeyEntry, ...]:
    unit = "warp" if data.same_block else "block"
    owners = sorted({data.writer.who, data.other.who})
    key = [KeyEntry("runs", f"{unit} {who}", who) for who in owners]
    if data.cells:
        key += [KeyEntry("wrong", "cell in the finding"), KeyEntry("untouched", "cell")]
        key.append(KeyEntry("focus", "cell in focus"))
    return tuple(key)

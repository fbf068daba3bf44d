"""Owns the picture of the memory view: lanes, sectors and banks.

Must not know launches: it draws the numbers of `traffic`.
"""

from __future__ import annotations

from ..cuda.trace import LANES
from .bank_view import draw_banks
from .drawing import Drawing, number, width_of
from .figure import WIDTH, Figure, KeyEntry
from .marks import VALUE_IN, VALUE_OUT, ring
from .palette import depth, strong
from .traffic import LINE, SECTOR, WORD, Request, Traffic

HALF = 526
_CELL = 15.3
_LEFT = 34.0
_MOST_LINES = 8
_WORDS = LINE // WORD


def counted(count: int, noun: str) -> str:
    """A number and its noun: 1 sector, 4 sectors, 2 passes."""
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{number(count)} {noun if count == 1 else plural}"


def _head(view: Drawing, request: Request) -> None:
    chip = f"line {request.line}" if request.line else request.opcode
    room = width_of(chip, 13, mono=True) + 12
    view.rect(0, 0, room, 20, rx=4, fill="var(--panel)")
    view.text(6, 14.5, chip, 13, bold=True, mono=True)
    sectors = counted(len(request.sectors), "sector")
    lines = counted(len(request.lines), "line")
    share = f"{100 * request.used / request.moved:.4g} %"
    view.runs(
        room + 8, 15, 13,
        (f"{request.noun} · ", ""), (sectors, "bold"), (f" in {lines} · ", ""),
        (share, "bold"), (" of the bytes used", ""),
    )  # fmt: skip


def _focus(request: Request) -> int:
    """The access whose lane gets the arrow: the last of the first six in one line."""
    lines = (request.address[:6] // LINE).tolist()
    return max(at for at, line in enumerate(lines) if line == min(lines))


def _draw_lanes(view: Drawing, request: Request, y: float) -> None:
    taking = set(request.lane.tolist())
    for lane in range(LANES):
        x, on = _LEFT + lane * _CELL, lane in taking
        view.rect(
            x + 0.6, y, _CELL - 1.2, 18, rx=3,
            fill=strong(request.warp) if on else "none",
            stroke=None if on else "var(--line)",
        )  # fmt: skip
        ink = "var(--bg)" if on else "var(--faint)"
        middle = x + _CELL / 2
        view.text(middle, y + 12.5, lane, 9.5, fill=ink, anchor="middle", mono=True)


def _draw_line(view: Drawing, request: Request, line: int, y: float) -> None:
    sectors = set(request.sectors.tolist())
    for part in range(LINE // SECTOR):
        on = line * (LINE // SECTOR) + part in sectors
        x = _LEFT + part * 8 * _CELL
        view.rect(
            x + 0.7, y - 1, 8 * _CELL - 1.4, 20, rx=4,
            fill=depth(16) if on else "none",
            stroke=depth(45) if on else "var(--line)",
        )  # fmt: skip


def _draw_uses(view: Drawing, request: Request, rows: dict[int, float]) -> None:
    """What lanes use, each with its number; of lanes on one word the first's."""
    drawn = set()
    columns = (request.lane, request.address, request.size)
    for lane, address, size in zip(*(each.tolist() for each in columns), strict=True):
        y = rows.get(address // LINE)
        if y is None or (address, size) in drawn:
            continue
        drawn.add((address, size))
        x = _LEFT + address % LINE / WORD * _CELL
        wide = size / WORD * _CELL
        view.rect(x + 0.6, y + 0.6, wide - 1.2, 16.8, rx=2.5, fill=strong(request.warp))
        if wide >= 12:
            view.text(
                x + wide / 2, y + 12.6, lane, 9.5,
                fill="var(--bg)", anchor="middle", mono=True,
            )  # fmt: skip


def _draw_arrow(view: Drawing, request: Request, top: float, y: float) -> None:
    at = _focus(request)
    lane, address = int(request.lane[at]), int(request.address[at])
    wide = max(int(request.size[at]) / WORD * _CELL, 8.0)
    x, start = _LEFT + address % LINE / WORD * _CELL, _LEFT + (lane + 0.5) * _CELL
    ring(view, _LEFT + lane * _CELL, top, _CELL, 18)
    ring(view, x, y, wide, 18)
    # The first line of memory is next to the lanes: no number lies between.
    d = f"M{start:.1f} {top + 21}V{top + 28.5}H{x + wide / 2:.1f}V{y - 2:.1f}"
    reads = request.noun == "load"
    view.path(
        d, stroke="var(--ink)", stroke_width=1.6 if reads else 2.4,
        stroke_linejoin="round", marker_start=VALUE_OUT if reads else None,
        marker_end=None if reads else VALUE_IN,
    )  # fmt: skip


def draw_request(request: Request) -> Drawing:
    """One instruction: lanes above, the lines of memory that they touch below."""
    view = Drawing(HALF)
    _head(view, request)
    view.text(0, 38, f"the lanes of warp {request.warp}", 11.5, fill="var(--mut)")
    top = 46.0
    _draw_lanes(view, request, top)
    lines = request.lines.tolist()
    rows = {line: top + 42 + 24 * at for at, line in enumerate(lines[:_MOST_LINES])}
    for line, y in rows.items():
        offset = number((line - lines[0]) * LINE)
        view.text(
            _LEFT - 6, y + 12, offset, 10, fill="var(--mut)", anchor="end", mono=True
        )
        _draw_line(view, request, line, y)
    _draw_uses(view, request, rows)
    focused = rows.get(int(request.address[_focus(request)]) // LINE)
    if focused == top + 42:
        _draw_arrow(view, request, top, focused)
    view.height = top + 42 + 24 * len(rows)
    if len(lines) > len(rows):
        more = counted(len(lines) - len(rows), "more line")
        view.text(_LEFT, view.height + 12, f"… and {more}", 12, fill="var(--mut)")
        view.height += 20
    return view


def _named(request: Request) -> str:
    return f"The {request.noun} on line {request.line}" if request.line else (
        f"The instruction {request.opcode}"
    )  # fmt: skip


def _answer(data: Traffic) -> str:
    if not data.requests:
        return _shared_answer(data)
    best, worst = data.requests[0], data.requests[-1]
    if best is worst:
        return (
            f"{_named(best)} uses {counted(best.used, 'byte')} and moves "
            f"{number(best.moved)}."
        )
    name = _named(worst)[0].lower() + _named(worst)[1:]
    if best.used != worst.used:
        return (
            f"{_named(best)} uses {number(best.used)} bytes and moves "
            f"{number(best.moved)}; {name} uses {number(worst.used)} and moves "
            f"{number(worst.moved)}."
        )
    times = number(round(worst.moved / best.moved, 2))
    more = f": {times} times as much" if worst.moved > best.moved else ""
    return (
        f"Both use {counted(best.used, 'byte')}. {_named(best)} moves "
        f"{number(best.moved)}, {name} moves {number(worst.moved)}{more}."
    )


def _shared_answer(data: Traffic) -> str:
    assert data.shared is not None
    passes = counted(data.banks[0].passes, "pass")
    padded = ""
    if len(data.banks) > 1:
        after = counted(data.banks[1].passes, "pass")
        padded = f", and {after} with 1 padding word a row"
    where = f"The shared {data.shared.noun} on line {data.shared.line}"
    return f"{where} takes {passes}{padded}."


def draw_memory(data: Traffic, note: str = "") -> Figure:
    """Draw what single instructions of a warp move.

    Args:
        data: From `memory_data`.
        note: A sentence to add to the detail.
    """
    body = Drawing(WIDTH)
    for at, request in enumerate(data.requests):
        part = draw_request(request)
        body.put(part, at * (WIDTH - HALF), 0)
        body.height = max(body.height, part.height + 8)
    key = _traffic_key(data)
    if data.shared is not None:
        if data.requests:
            body.path(f"M0 {body.height + 6}H{WIDTH}", stroke="var(--line)")
            body.text(0, body.height + 34, _shared_answer(data), 16, bold=True)
            body.height += 54
        part = draw_banks(data.banks, data.shared)
        body.put(part, 0, body.height)
        body.height += part.height
        key += _bank_key(data)
    return Figure(
        question="How much memory traffic does one warp instruction cause?",
        answer=_answer(data),
        detail=" ".join(filter(None, [_detail(data), note])),
        body=body,
        key=(
            *key,
            KeyEntry("focus", "focused lane and its word; only it gets an arrow"),
        ),
        data=data,
    )


def _detail(data: Traffic) -> str:
    if data.requests:
        return (
            "Global memory moves in sectors of 32 bytes; four sectors make a line of "
            "128 bytes. One touched byte moves its whole sector."
        )
    return (
        "Word w of shared memory lives in bank w mod 32. A bank serves one word in a "
        "pass."
    )


def _traffic_key(data: Traffic) -> tuple[KeyEntry, ...]:
    warps = sorted({each.warp for each in data.requests})
    if data.shared is not None and not warps:
        warps = [data.shared.warp]
    key = tuple(
        KeyEntry("runs", f"word that a lane of warp {warp} uses (number: lane)", warp)
        for warp in warps
    )
    if any(each.moved > each.used for each in data.requests):
        key += (KeyEntry("moved", "moved but not used"),)
    if any(len(each.lines) * 4 > len(each.sectors) for each in data.requests):
        key += (KeyEntry("bare", "not touched"),)
    return key


def _bank_key(data: Traffic) -> tuple[KeyEntry, ...]:
    conflict = data.banks[0].passes > 1
    key: tuple[KeyEntry, ...] = (
        KeyEntry("untouched", "word of shared memory, not used now"),
    )
    if conflict:
        key += (KeyEntry("wrong", "bank conflict: more than one pass"),)
    if len(data.banks) > 1:
        key += (KeyEntry("empty", "padding word"),)
    return key

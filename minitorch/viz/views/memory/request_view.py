"""The picture of one request to global memory: lanes, sectors, the focused lane."""

from __future__ import annotations

from dataclasses import dataclass

from ....cuda.inspecting.trace import LANES
from ...scene.drawing import Drawing, number, width_of
from ...scene.marks import VALUE_IN, VALUE_OUT, ring
from ...scene.palette import depth, strong
from ...scene.phrases import counted
from .traffic import LINE, SECTOR, WORD, Request

HALF = 526
LEFT, CELL = 34.0, 15.3
_TOP, _FIRST, _APART = 46.0, 88.0, 24.0
_MOST_LINES = 8


@dataclass(frozen=True)
class Focus:
    """What one lane does in a request, where it is drawn.

    Attributes:
        lane: Which.
        word: Left end, upper end and width of what it uses; () where that is not drawn.
        arrow: Between the lane and what it uses; "" for none.
        reads: Whether the value goes to the lane.
        words: The arithmetic.
    """

    lane: int
    word: tuple[float, ...]
    arrow: str
    reads: bool
    words: str


def rows_of(request: Request) -> dict[int, float]:
    """The upper end of each 128-byte line that is drawn, by its number."""
    lines = request.lines.tolist()[:_MOST_LINES]
    return {line: _FIRST + _APART * at for at, line in enumerate(lines)}


def focus_of(request: Request, lane: int) -> Focus:
    """Look at one lane: what it uses, and the way from one to the other."""
    reads, found = request.noun == "load", (request.lane == lane).nonzero()[0]
    if not len(found):
        return Focus(lane, (), "", reads, f"lane {lane} takes no part")
    address = int(request.address[found[0]])
    byte = address - int(request.lines[0]) * LINE
    words = (
        f"lane {lane} → byte {number(byte)} → sector {number(byte // SECTOR)} → line "
        f"{number(byte // LINE)}"
    )
    y = rows_of(request).get(address // LINE)
    if y is None:
        return Focus(lane, (), "", reads, words)
    wide = max(int(request.size[found[0]]) / WORD * CELL, 8.0)
    x, start = LEFT + address % LINE / WORD * CELL, LEFT + (lane + 0.5) * CELL
    middle, arrow = x + wide / 2, ""
    # It runs between the rows, never over a number; a head needs the room of the first.
    if y == _FIRST:
        arrow = f"M{start:.1f} 67V74.5H{middle:.1f}V{y - 2:.1f}"
    elif reads:
        edge = LEFT + LANES * CELL + 2
        arrow = f"M{start:.1f} 67V74.5H{edge:.1f}V{y - 3:.1f}H{middle:.1f}V{y:.1f}"
    return Focus(lane, (round(x, 2), y, round(wide, 2)), arrow, reads, words)


def places_of(request: Request) -> list[list[tuple[float, ...]]]:
    """For each lane where it is drawn, and what it uses: left, top, width, height."""
    found = []
    for lane in range(LANES):
        word = focus_of(request, lane).word
        own: list[tuple[float, ...]] = [(LEFT + lane * CELL, _TOP, CELL, 18.0)]
        found.append([*own, (*word, 18.0)] if word else own)
    return found


def draw_focus(focus: Focus) -> Drawing:
    """The rings around a lane and what it uses, and the arrow between them."""
    view = Drawing(HALF)
    ring(view, LEFT + focus.lane * CELL, _TOP, CELL, 18)
    if focus.word:
        x, y, wide = focus.word
        ring(view, x, y, wide, 18)
    if focus.arrow:
        view.path(
            focus.arrow, stroke="var(--ink)", stroke_width=1.6 if focus.reads else 2.4,
            stroke_linejoin="round", marker_start=VALUE_OUT if focus.reads else None,
            marker_end=None if focus.reads else VALUE_IN,
        )  # fmt: skip
    return view


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


def _draw_lanes(view: Drawing, request: Request) -> None:
    taking = set(request.lane.tolist())
    for lane in range(LANES):
        x, on = LEFT + lane * CELL, lane in taking
        view.rect(
            x + 0.6, _TOP, CELL - 1.2, 18, rx=3,
            fill=strong(request.warp) if on else "none",
            stroke=None if on else "var(--line)",
        )  # fmt: skip
        ink = "var(--bg)" if on else "var(--faint)"
        middle = x + CELL / 2
        view.text(middle, _TOP + 12.5, lane, 9.5, fill=ink, anchor="middle", mono=True)


def _draw_line(view: Drawing, request: Request, line: int, y: float) -> None:
    sectors = set(request.sectors.tolist())
    for part in range(LINE // SECTOR):
        on = line * (LINE // SECTOR) + part in sectors
        x = LEFT + part * 8 * CELL
        view.rect(
            x + 0.7, y - 1, 8 * CELL - 1.4, 20, rx=4,
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
        x = LEFT + address % LINE / WORD * CELL
        wide = size / WORD * CELL
        view.rect(x + 0.6, y + 0.6, wide - 1.2, 16.8, rx=2.5, fill=strong(request.warp))
        if wide >= 12:
            view.text(
                x + wide / 2, y + 12.6, lane, 9.5,
                fill="var(--bg)", anchor="middle", mono=True,
            )  # fmt: skip


def draw_request(request: Request) -> Drawing:
    """One instruction: lanes above, the lines of memory that they touch below."""
    view = Drawing(HALF)
    _head(view, request)
    view.text(0, 38, f"the lanes of warp {request.warp}", 11.5, fill="var(--mut)")
    _draw_lanes(view, request)
    lines, rows = request.lines.tolist(), rows_of(request)
    for line, y in rows.items():
        offset = number((line - lines[0]) * LINE)
        view.text(
            LEFT - 6, y + 12, offset, 10, fill="var(--mut)", anchor="end", mono=True
        )
        _draw_line(view, request, line, y)
    _draw_uses(view, request, rows)
    view.height = _FIRST + _APART * len(rows)
    if len(lines) > len(rows):
        more = counted(len(lines) - len(rows), "more line")
        view.text(LEFT, view.height + 12, f"… and {more}", 12, fill="var(--mut)")
        view.height += 20
    return view

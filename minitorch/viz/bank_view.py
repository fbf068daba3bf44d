"""Owns the picture of shared memory's banks: columns, and what a request takes of them.

Must not know launches: it draws the numbers of `traffic`.
"""

from __future__ import annotations

from collections.abc import Sequence

from .drawing import Drawing, number
from .figure import WIDTH
from .marks import EMPTY, WRONG, ring
from .palette import depth, strong
from .traffic import BANKS, Banks, Request

HALF = 526
_CELL, _ROW, _LEFT = 15.3, 9.0, 34.0
_TOP, _BARS = 148.0, 84.0
_BASE = _TOP - 18
_MOST_ROWS = 40


def _title(view: Drawing, banks: Banks) -> None:
    passes = f"{banks.passes} pass{'es' * (banks.passes != 1)}"
    padded = (
        f"with {banks.padding} padding word a row" if banks.padding else "as it ran"
    )
    lane, word = _focused(banks)
    way = f"  lane {lane} → word {number(word)} → bank {word % BANKS}"
    view.runs(0, 14, 13, (f"{padded} · ", ""), (passes, "bold"), (way, "mut"))
    words = "words served by each bank"
    view.text(0, 34, words, 11.5, fill="var(--mut)")


def _focused(banks: Banks) -> tuple[int, int]:
    at = min(5, len(banks.lane) - 1)
    return int(banks.lane[at]), int(banks.word[at])


def _bars(view: Drawing, banks: Banks, warp: int) -> None:
    served = banks.served.tolist()
    unit = _BARS / max(*served, BANKS) if max(served) > 4 else 4.0
    for bank, count in enumerate(served):
        x = _LEFT + bank * _CELL
        view.rect(x + 1, _BASE, _CELL - 2, 1, fill="var(--line)")
        if count:
            wrong = banks.passes > 1 and count > 1
            view.rect(
                x + 1.5, _BASE - count * unit, _CELL - 3, count * unit, rx=1.5,
                fill=WRONG if wrong else strong(warp),
                stroke="var(--bad)" if wrong else None,
            )  # fmt: skip
        view.text(
            x + _CELL / 2, _BASE + 12, bank, 9, anchor="middle", mono=True,
            bold=bool(count), fill="var(--ink)" if count else "var(--mut)",
        )  # fmt: skip
    _say(view, banks, unit)


def _say(view: Drawing, banks: Banks, unit: float) -> None:
    served = banks.served.tolist()
    most = max(served)
    if banks.passes == 1:
        words = "every bank serves at most one word: one pass"
        view.text(_LEFT, _BASE - 12, words, 12, bold=True)
        return
    first, busiest = served.index(most), served.count(most)
    if busiest > 1:
        words = f"{busiest} banks serve {most} words each"
        y = _BASE - most * unit - 8
        view.text(_LEFT, y, words, 12, bold=True, fill="var(--bad)")
        return
    words = f"{most} words lie in bank {first}"
    left = first > 20
    x = _LEFT + first * _CELL + (-5 if left else _CELL + 5)
    anchor = "end" if left else None
    view.text(
        x, _BASE - most * unit + 11, words, 12, bold=True, fill="var(--bad)",
        anchor=anchor,
    )  # fmt: skip


def _shelf(view: Drawing, rows: int) -> None:
    """All words, one path a row."""
    for row in range(rows):
        y = _TOP + row * _ROW + 0.5
        shape = f"h{_CELL - 1.6:.1f}v{_ROW - 1:.1f}h{1.6 - _CELL:.1f}z"
        starts = (_LEFT + bank * _CELL + 0.8 for bank in range(BANKS))
        cells = "".join(f"M{x:.1f} {y:.1f}{shape}" for x in starts)
        view.path(cells, fill="var(--off)")


def _cell(word: int, first: int) -> tuple[float, float]:
    return (
        _LEFT + word % BANKS * _CELL + 0.8,
        _TOP + (word // BANKS - first) * _ROW + 0.5,
    )


def _words(view: Drawing, banks: Banks, warp: int, first: int, rows: int) -> None:
    wide = banks.width + banks.padding
    if banks.padding:
        for word in range(first * BANKS, (first + rows) * BANKS):
            if word % wide >= banks.width:
                view.rect(
                    *_cell(word, first), _CELL - 1.6, _ROW - 1, rx=1.2,
                    fill=EMPTY, stroke=depth(30), stroke_width=0.6,
                )  # fmt: skip
    drawn = set()
    for lane, word in zip(banks.lane.tolist(), banks.word.tolist(), strict=True):
        x, y = _cell(word, first)
        if word in drawn or word // BANKS >= first + rows:
            continue
        drawn.add(word)
        wrong = banks.passes > 1 and banks.served[word % BANKS] > 1
        ink = "var(--bad)" if wrong else strong(warp)
        view.rect(x, y, _CELL - 1.6, _ROW - 1, rx=1.2, fill=ink)
        view.text(
            x + _CELL / 2 - 0.8, y + 7.2, lane, 8.4,
            anchor="middle", mono=True, bold=True, fill="var(--bg)",
        )  # fmt: skip


def draw_shelf(banks: Banks, warp: int) -> Drawing:
    """One request: how often each bank serves, above the words it serves."""
    view = Drawing(HALF)
    _title(view, banks)
    _bars(view, banks, warp)
    first, last = int(banks.word.min()) // BANKS, int(banks.word.max()) // BANKS
    total = last - first + 1
    rows = min(total, _MOST_ROWS)
    _shelf(view, rows)
    _words(view, banks, warp, first, rows)
    for row in sorted({*range(0, rows, 8), rows - 1}):
        if row == rows - 1 or rows - 1 - row > 1:
            start = number((first + row) * BANKS)
            y = _TOP + row * _ROW + 7.5
            view.text(
                _LEFT - 5, y, start, 10, fill="var(--mut)", anchor="end", mono=True
            )
    _, word = _focused(banks)
    if word // BANKS < first + rows:
        x, y = _cell(word, first)
        ring(view, x, y, _CELL - 1.6, _ROW - 1, inside=False)
        ring(view, _LEFT + word % BANKS * _CELL, _BASE + 2.5, _CELL, 12, inside=False)
    words = f"{total} row{'s' * (total != 1)} of 32 words"
    if total > rows:
        words += f", the first {rows} drawn"
    view.height = _TOP + rows * _ROW + 18
    view.text(_LEFT, view.height - 4, words, 11.5, fill="var(--mut)")
    return view


def draw_banks(variants: Sequence[Banks], request: Request) -> Drawing:
    """A request as it ran and, where that has conflicts, with padding beside it."""
    view = Drawing(WIDTH)
    for at, banks in enumerate(variants):
        part = draw_shelf(banks, request.warp)
        view.put(part, at * (WIDTH - HALF), 0)
        view.height = max(view.height, part.height)
    return view

"""The picture of shared memory's banks: columns, and what a request takes of them."""

from __future__ import annotations

from ...scene.drawing import Drawing, number
from ...scene.marks import EMPTY, WRONG, ring
from ...scene.palette import depth, strong
from .traffic import BANKS, Banks

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
    view.runs(0, 14, 13, (f"{padded} · ", ""), (passes, "bold"))
    words = "words served by each bank"
    view.text(0, 34, words, 11.5, fill="var(--mut)")


def word_of(banks: Banks, lane: int) -> int:
    """The first word that a lane uses; -1 for none."""
    found = banks.word[banks.lane == lane]
    return int(found[0]) if len(found) else -1


def shelf_words(banks: Banks, lane: int) -> str:
    """The arithmetic from a lane to its bank."""
    word = word_of(banks, lane)
    if word < 0:
        return f"lane {lane} takes no part"
    return f"lane {lane} → word {number(word)} → bank {word % BANKS}"


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
    """All words: a row is one thick line with gaps."""
    for row in range(rows):
        y = _TOP + row * _ROW + _ROW / 2
        view.path(
            f"M{_LEFT + 0.8} {y}h{BANKS * _CELL - 1.6:.1f}", stroke="var(--off)",
            stroke_width=_ROW - 1, stroke_dasharray=f"{_CELL - 1.6:.1f} 1.6",
        )  # fmt: skip


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
    words = f"{total} row{'s' * (total != 1)} of 32 words"
    if total > rows:
        words += f", the first {rows} drawn"
    view.height = _TOP + rows * _ROW + 18
    view.text(_LEFT, view.height - 4, words, 11.5, fill="var(--mut)")
    return view


def rings_of(banks: Banks, lane: int) -> list[tuple[float, float, float, float]]:
    """Where the rings around a lane's word and its bank are."""
    word = word_of(banks, lane)
    if word < 0:
        return []
    x = round(_LEFT + word % BANKS * _CELL, 2)
    found = [(x, _BASE + 2.5, _CELL, 12.0)]
    first = int(banks.word.min()) // BANKS
    if word // BANKS < first + _MOST_ROWS:
        _, y = _cell(word, first)
        found.append((round(x + 0.8, 2), y, _CELL - 1.6, _ROW - 1))
    return found


def draw_bank_focus(banks: Banks | None, lane: int) -> Drawing:
    """The rings around a lane's word and its bank; nothing for no banks."""
    view = Drawing(HALF)
    for place in rings_of(banks, lane) if banks is not None else ():
        ring(view, *place, inside=False)
    return view

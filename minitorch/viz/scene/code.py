"""Lines of code as SVG."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .code_view import KEYWORDS
from .drawing import Drawing, kept, tenth
from .headings import draw_heading, is_one_line
from .palette import depth, strong, tint
from .scene import Code, Scene, State, first, numbers, spoken

_LETTER, _ROW = 7.224, 21  # of code at 12 px, and its lines


def wrap(text: str, most: int) -> list[str]:
    """Return a line of code in lines of `most` letters, the later ones further in.

    Example:
        >>> wrap("  total += a[i] * b[i];", 14)
        ['  total +=', '      a[i] *', '      b[i];']
    """
    own = len(text) - len(text.lstrip())
    text = text[max(own - most // 2, 0) :]  # the indentation takes half at most
    indent = min(own + 4, most // 2)
    lines: list[str] = []
    while len(text) > most:
        at = text[: most + 1].rfind(" ")
        at = at if text[:at].strip() and at > 0 else most
        lines.append(text[:at].rstrip())
        text = " " * indent + text[at:].lstrip()
    return [*lines, text]


@dataclass(frozen=True)
class _Lines:
    """Where lines of code are: letters in a row, rows of each, the first base line.

    And how many rows each takes, with one for its note where that has no room beside.
    """

    left: float
    tail: float
    rows: list[list[str]]
    y: list[float]
    high: list[int]
    bottom: float


def code_rows(scene: Scene, mark: Code, room: float) -> _Lines:
    totals = _totals(mark)
    widest = f"{max(1, *totals):,}"
    tail = mark.room or 6.9 * (2 * len(widest) + 1)
    tail = tail if mark.room or any(each > 0 for each in totals) else 0
    tail = 0 if mark.noted else tail
    tail += 36 if room >= 400 and any(each > 0 for each in totals) else 8
    digits = max([len(str(line)) for line in mark.numbers])
    left = (68 if mark.sign != "" else 14) + 7.3 * digits
    most = max(int((room - left - tail) / _LETTER), 12)
    rows = [wrap(text, most) for text in mark.texts]
    y: list[float] = []
    high: list[int] = []
    at = 42.0 if is_one_line(scene, mark, room, 0) else 58.0
    for place, each in enumerate(rows):
        y.append(at)
        end = left + _LETTER * len(each[-1]) + 20 + mark.room
        high.append(len(each) + int(place in mark.noted and end > room))
        at += _ROW * (high[-1] + int(place == mark.gap))
    return _Lines(left, tail, rows, y, high, at - 10)


def _spans(code: str, comment: str, inside: bool) -> list[tuple[str, str]]:
    """Code in runs: keywords bold, comments pale; `inside` where a comment goes on."""
    body, sign, rest = ("", "", code) if inside else code.partition(comment)
    parts = re.split(f"({KEYWORDS})", body)
    runs = [(words, "bold" if at % 2 else "") for at, words in enumerate(parts)]
    return [run for run in [*runs, (sign + rest, "mut")] if run[0]]


def _line(view: Drawing, x: float, y: float, rows: list[str], comment: str) -> None:
    """Draw a line of code that `wrap` broke."""
    inside = False
    for row, text in enumerate(rows):
        code = text.lstrip()
        spans = _spans(code, comment, inside)
        inside = inside or comment in code
        if spans:
            left = tenth(x + (len(text) - len(code)) * _LETTER)
            view.runs(left, y + row * _ROW, 12, *spans, mono=True)


def _totals(mark: Code) -> list[int]:
    return [0] * len(mark.numbers) if mark.totals is None else mark.totals.tolist()


def _text(mark: Code, lines: _Lines) -> list[str]:
    """Return all lines and their numbers."""
    view = Drawing()
    for at, rows in enumerate(lines.rows):
        view.text(lines.left - 12, lines.y[at], mark.numbers[at], 12,
                  fill="var(--faint)", anchor="end", mono=True)  # fmt: skip
        _line(view, lines.left, lines.y[at], rows, mark.comment)
    return view.parts


def draw_code(scene: Scene, mark: Code, state: State, room: float) -> Drawing:
    view, lines = Drawing(room), code_rows(scene, mark, room)
    title, note = (spoken(scene, each, state) for each in (mark.title, mark.note))
    draw_heading(view, room, title, note, lines.y[0] < 50)
    every = list(range(len(mark.numbers)))
    for at in mark.noted:
        view.rect(0, lines.y[at] - 15, room, _ROW * lines.high[at],
                  fill="var(--panel)")  # fmt: skip
    if mark.gap >= 0:
        y = lines.y[mark.gap] + _ROW * lines.high[mark.gap]
        view.rect(0, y - 15, room, _ROW, fill="var(--badt)")
        view.rect(0, y - 15, 3, _ROW, fill="var(--bad)")
        view.text(lines.left, y, "✕ a barrier is missing here", 12, fill="var(--bad)",
                  bold=True)  # fmt: skip
    active, who = first(mark.active, state), first(mark.who, state)
    last = max(active, first(mark.last, state))
    if active >= 0:
        y = lines.y[active] - 15
        high = lines.y[last] - 15 + _ROW * lines.high[last] - y
        view.rect(0, y, room, high, fill="var(--panel)")
        view.rect(lines.left - 8, y, 3, high, fill="var(--ink)")
    for at, wrong in enumerate(numbers(mark.wrong, state, every)):
        if wrong >= 0:
            view.rect(lines.left - 8, lines.y[at] - 15, 3, _ROW * lines.high[at],
                      fill="var(--bad)")  # fmt: skip
    view.parts.extend(kept(mark, f"{room:g}", lambda: _text(mark, lines)))
    _where(view, scene, mark, state, lines, (active, who))
    totals = _totals(mark)
    most = max(1, *totals)
    notes, whose = [numbers(each, state, every) for each in (mark.notes, mark.whose)]
    for at, count in enumerate(numbers(mark.counts, state, every)):
        y, total = lines.y[at], totals[at]
        words = f"{max(count, 0):,}/{total:,}" if total else ""
        if mark.notes is not None:
            words = scene.words[notes[at]] if notes[at] >= 0 else ""
        if not words:
            continue
        if room >= 400 and count > 0:
            wide = tenth(26 * count / most)
            view.rect(tenth(room - lines.tail + 4), y - 8, wide, 7, rx=2,
                      fill=depth(30))  # fmt: skip
        if at in mark.noted:
            y, wide = y + _ROW * (lines.high[at] - 1), 6.4 * len(words) + 12
            view.rect(room - wide, y - 12, wide, 17, rx=3, fill=tint(whose[at]))
            view.text(room - 6, y, words, 11, anchor="end")
        else:
            view.text(room - 2, y, words, 11, fill="var(--mut)", anchor="end")
    view.height = lines.bottom
    return view


def _where(view: Drawing, scene: Scene, mark: Code, state: State, lines: _Lines,
           now: tuple[int, int]) -> None:  # fmt: skip
    """Names of who runs a line, and of others that are there."""

    def chip(x: float, y: float, words: str, fill: str, ink: str, edge: Any) -> None:
        view.rect(x, y - 12, 25, 16, rx=4, fill=fill, stroke=edge)
        view.text(x + 12.5, y, words, 10.5, fill=ink, anchor="middle", bold=True)

    every = list(range(len(mark.numbers)))
    whose = numbers(mark.whose, state, every)
    for at, there in enumerate(numbers(mark.others, state, every)):
        if there >= 0:
            hue = strong(whose[at])
            chip(0.5, lines.y[at], scene.words[there], "var(--bg)", hue, hue)
    active, who = now
    if active >= 0 and mark.sign != "":
        words = spoken(scene, mark.sign, state)
        chip(27, lines.y[active], words, strong(who), "var(--bg)", None)

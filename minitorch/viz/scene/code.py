"""Lines of code as SVG, as `assets/code.js` draws them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from .drawing import Drawing, shortened, tenth
from .palette import depth, strong
from .scene import Code, Scene, State, numbers, spoken

_LETTER, _ROW = 7.224, 21  # of code at 12 px, and its lines


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


def draw_code(scene: Scene, mark: Code, state: State, room: float) -> Drawing:
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

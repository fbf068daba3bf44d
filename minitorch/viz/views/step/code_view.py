"""The code of the step view: the line of each warp, and how often each ran.

`code_state` is what a script gives the tagged parts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...scene.code_view import (
    LETTER,
    SIZE,
    STEP,
    comment_of,
    draw_text,
    shown_lines,
    texts_of,
)
from ...scene.drawing import Drawing, width_of
from ...scene.palette import depth, strong
from .data import StepData

TOP = 54.0

_BAR = 26.0  # of the line that runs most often
_WIDE = 400.0  # from where on there is room for bars
_FEW = 10  # warps whose names are short


@dataclass(frozen=True)
class Code:
    """Where lines are drawn: numbers in order, and the room beside them."""

    lines: tuple[int, ...]
    total: dict[int, int]
    width: float
    chip: float
    bars: bool

    @property
    def tail(self) -> float:
        """Room for counts at the end of a line."""
        most = max(self.total.values(), default=1)
        return width_of(f"{most:,}/{most:,}", 11) + (36 if self.bars else 6)

    def y(self, line: int) -> float:
        """The base line of a line of code."""
        return TOP + STEP * self.lines.index(line)

    @property
    def bottom(self) -> float:
        """Below the last line."""
        return TOP + STEP * len(self.lines)


def _is_python(data: StepData) -> bool:
    """Cells of notebooks have names of their own; CUDA C++ has its endings."""
    return bool(data.file) and not data.file.endswith((".cu", ".cuh", ".cpp", ".h"))


def code_of(data: StepData, width: float) -> Code:
    """Choose the lines to draw: all of a short text, else those around what ran."""
    ran = sorted({int(line) for line in data.steps.line if line > 0})
    wanted = ran + [line for mark in data.marks for line in mark.lines]
    known = data.lines if wanted and max(wanted) <= len(data.lines) else []
    if known and _is_python(data):
        chosen = list(range(ran[0], ran[-1] + 1))
        chosen = chosen if len(chosen) <= 26 else shown_lines(known, ran)
    else:
        chosen = shown_lines(known, ran) if known else sorted(set(wanted))[:26]
    lines, often = np.unique(data.steps.line, return_counts=True)
    total = dict(zip(lines.tolist(), often.tolist(), strict=True))
    chip = 27.0 if len(data.steps.lanes) <= _FEW else 37.0
    return Code(tuple(chosen), total, width, chip, width >= _WIDE)


def chips(data: StepData, step: int, line: int) -> tuple[str, str, int]:
    """Words at a line: the warp that runs it, other warps there, whose hue these have.

    "" where there is none; the hue is -1 where several share it.
    """
    steps, own = data.steps, int(data.steps.warp[step])
    mine = ""
    if int(steps.line[step]) == line:
        mine = f"w{own}‖" if steps.waits[step, own] else f"w{own}"
    here = (steps.at[step] == line) & (steps.lanes & ~steps.done[step] != 0)
    others = [warp for warp in np.nonzero(here)[0].tolist() if warp != own]
    if len(others) > 1:
        return mine, f"+{len(others)}", -1
    if not others:
        return mine, "", -1
    wait = "‖" if steps.waits[step, others[0]] else ""
    return mine, f"w{others[0]}{wait}", others[0]


def _text(view: Drawing, data: StepData, code: Code) -> None:
    """The lines themselves; blanks that all share at their start say nothing."""
    left = 2 * code.chip + 38
    texts = texts_of(data.lines, code.lines)
    comment = comment_of(texts)
    room = int((code.width - left - code.tail) / LETTER)
    for line, text in zip(code.lines, texts, strict=True):
        draw_text(view, left, code.y(line), text, room, comment)


def count_shapes(code: Code, counts: dict[int, int], line: int) -> tuple[float, str]:
    """Width of a line's bar, and its count in words."""
    most = max(code.total.values(), default=1)
    now, every = counts.get(line, 0), code.total.get(line, 0)
    wide = int(_BAR * 10 * now / most + 0.5) / 10
    return wide, f"{now:,}/{every:,}"


def _counts(view: Drawing, data: StepData, code: Code) -> None:
    counts = data.counts(data.step)
    for line in code.lines:
        if not code.total.get(line):
            continue
        y = code.y(line)
        wide, words = count_shapes(code, counts, line)
        if code.bars:
            view.rect(code.width - code.tail + 2, y - 8, wide, 7, rx=2,
                      fill=depth(30), data_at=f"bar{line}")  # fmt: skip
        view.text(code.width - 2, y, words, 11, fill="var(--mut)", anchor="end",
                  data_at=f"count{line}")  # fmt: skip


def _chip(view: Drawing, x: float, y: float, wide: float, words: str, name: str,
          fill: str, ink: str, edge: str | None) -> None:  # fmt: skip
    """A warp's name in a box; not shown without words."""
    seen = "inline" if words else "none"
    view.rect(x, y - 12, wide - 2, 16, rx=4, fill=fill, stroke=edge, display=seen,
              data_at=f"{name}box")  # fmt: skip
    view.text(x + wide / 2 - 1, y, words, 10.5, fill=ink, anchor="middle", bold=True,
              data_at=name, display=seen)  # fmt: skip


def _warps(view: Drawing, data: StepData, code: Code) -> None:
    own = int(data.steps.warp[data.step])
    for line in code.lines:
        if not code.total.get(line):
            continue
        y = code.y(line)
        mine, others, who = chips(data, data.step, line)
        hue = strong(who) if who >= 0 else "var(--mut)"
        _chip(view, 0.5, y, code.chip, others, f"other{line}", "var(--bg)", hue, hue)
        _chip(view, code.chip, y, code.chip, mine, f"own{line}", strong(own),
              "var(--bg)", None)  # fmt: skip


def current(data: StepData, code: Code, step: int) -> float:
    """Where the current line is; far above the picture where it is not drawn."""
    line = int(data.steps.line[step])
    return code.y(line) - 15 if line in code.lines else -1000


def wrong_lines(data: StepData, step: int) -> set[int]:
    """Lines of the findings that are there after a step."""
    return {line for mark in data.marks if mark.step <= step for line in mark.lines}


def _heading(view: Drawing, data: StepData, code: Code) -> None:
    launch, place = data.launch, data.place
    used = 3 if launch.grid[2] > 1 else 2 if launch.grid[1] > 1 else 1
    grid = " × ".join(f"{size:,}" for size in launch.grid[:used])
    at = ", ".join(map(str, place[:used]))
    flat = 3 if launch.block[2] > 1 else 2 if launch.block[1] > 1 else 1
    threads = " × ".join(map(str, launch.block[:flat]))
    language = "Python" if _is_python(data) else "CUDA C++"
    block = f"({at})" if used > 1 else at
    said = f" · block {block} of {grid}, {threads} threads"
    view.runs(0, 14, 13, (language, "bold"), (said, "mut"))
    build = (
        "debug build (-G)" if launch.debug else "normal build: no names of variables"
    )
    bars = " · grey bar: times run so far, of all" if code.bars else ""
    view.text(0, 30, f"{build}{bars}", 11.5, fill="var(--mut)")


def draw_code(view: Drawing, data: StepData, code: Code) -> None:
    """Draw the code with what runs after the step in focus."""
    _heading(view, data, code)
    y = current(data, code, data.step)
    left = 2 * code.chip + 30
    view.rect(0, y, code.width, STEP, fill="var(--panel)", data_at="line")
    view.rect(left, y, 3, STEP, fill="var(--ink)", data_at="lineedge")
    wrong = wrong_lines(data, data.step)
    for line in sorted({at for mark in data.marks for at in mark.lines}):
        if line in code.lines:
            view.rect(left, code.y(line) - 15, 3, STEP, fill="var(--bad)",
                      data_at=f"wrong{line}",
                      display="inline" if line in wrong else "none")  # fmt: skip
    for line in code.lines:
        view.text(left - 5, code.y(line), line, SIZE, fill="var(--faint)",
                  anchor="end", mono=True)  # fmt: skip
    _text(view, data, code)
    _warps(view, data, code)
    _counts(view, data, code)

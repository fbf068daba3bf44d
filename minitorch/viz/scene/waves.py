"""Waves of blocks as SVG."""

from __future__ import annotations

import math

from .drawing import Drawing, tenth
from .marks import EMPTY, ring
from .palette import strong
from .phrases import counted
from .scene import Scene, State, Waves, first

_ABOVE, _HIGH, _APART = 60.0, 64.0, 106.0


def waves_at(
    mark: Waves, state: State, room: float
) -> tuple[int, int, list[int], float, float]:
    """Return blocks that an SM holds and all, drawn waves, the size of a place."""
    fit, blocks = first(mark.fit, state), first(mark.blocks, state)
    waves = -(-blocks // (fit * mark.sms)) if fit else 0
    shown = [0, 1, waves - 1][:waves]
    w = max(math.floor(min(room / mark.sms, 15) * 10) / 10, 1)
    return fit, blocks, shown, w, tenth(min(16, _HIGH / max(fit, 1)))


def draw_waves(scene: Scene, mark: Waves, state: State, room: float) -> Drawing:
    view = Drawing(room, _ABOVE + _APART * (mark.most - 1) + 84)
    sms, block = mark.sms, state[mark.axis]
    fit, blocks, shown, w, h = waves_at(mark, state, room)
    places = max(fit * sms, 1)
    waves = shown[-1] + 1 if shown else 0
    said = f"{counted(blocks, 'block')} on {sms} SMs: {counted(waves, 'wave')}"
    view.text(0, 14, said, 13, bold=True)
    view.text(0, 30, "one column: one SM · one cell: room for one block", 11.5,
              fill="var(--mut)")  # fmt: skip
    where = f"block {block:,}: wave {block // places + 1:,}, SM {block % sms}"
    for row, wave in enumerate(shown):
        top = _ABOVE + _APART * row
        count = min(places, blocks - wave * places)
        full, rest = divmod(count, sms)
        view.rect(0, top, tenth(sms * w), tenth(fit * h), fill=EMPTY,
                  stroke="var(--line)")  # fmt: skip
        view.rect(0, tenth(top + (fit - full) * h), tenth(sms * w), tenth(full * h),
                  fill=strong(0))  # fmt: skip
        if rest:
            view.rect(0, tenth(top + (fit - full - 1) * h), tenth(rest * w), h,
                      fill=strong(0))  # fmt: skip
        down = "".join(f"M{tenth(at * w):g} {top:g}v{tenth(fit * h):g}"
                       for at in range(1, sms))  # fmt: skip
        across = "".join(f"M0 {tenth(top + at * h):g}h{tenth(sms * w):g}"
                         for at in range(1, fit))  # fmt: skip
        view.path(down + across, stroke="var(--bg)", stroke_width=tenth(min(w, h) / 7))
        empty = f"{places - count:,} of {places:,} places empty"
        taken = "every place is taken" if count == places else empty
        view.text(0, tenth(top + fit * h + 15),
                  f"wave {wave + 1:,}: {counted(count, 'block')}, {taken}", 12,
                  bold=count < places)  # fmt: skip
        if wave > 2:
            more = f"… and {counted(wave - 2, 'more wave')} like these"
            view.text(0, top - 8, more, 12, fill="var(--mut)")
        if block // places == wave and block < blocks:
            level = block % places // sms
            ring(view, tenth(block % sms * w), tenth(top + (fit - 1 - level) * h), w, h,
                 inside=False)  # fmt: skip
    if not fit or block >= blocks:
        where = f"block {block:,} is not launched" if fit else "no block fits"
    view.text(0, 48, where, 12)
    return view

"""The curves of a training as SVG: the loss of each step, the share read right."""

from __future__ import annotations

import math
from collections.abc import Sequence

from minitorch.viz.scene.drawing import UI, Drawing, escaped, number

_WIDTH, _HEIGHT = 520.0, 240.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 58.0, 508.0, 34.0, 200.0
_SIZE = 15  # of words: on a telephone two thirds of it are left


def _x(part: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * part


def _y(part: float) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * part


def _chart(
    title: str,
    says: str,
    values: Sequence[float],
    epochs: int,
    marks: Sequence[tuple[float, str]],
    color: str,
    *,
    dots: bool = False,
) -> str:
    """Draw values at equal distances; one that is no number leaves a gap.

    Args:
        title, says: words above, and those of a screen reader.
        values: the last one is at the end of the last epoch.
        epochs: at most six have their numbers below.
        marks: heights with a line and words; the last one is the top.
        color: variable of the style sheet; dots: whether each value has one.
    """
    view, most, muted = Drawing(), marks[-1][0], "var(--mut)"
    for value, words in marks:
        y = _y(value / most)
        view.path(f"M{_LEFT} {y:.1f}H{_RIGHT}", stroke="var(--line)")
        view.text(_LEFT - 8, y + 5, words, _SIZE, anchor="end", fill=muted)
    places = [
        (_x(at / len(values)), _y(value / most)) if math.isfinite(value) else None
        for at, value in enumerate(values, 1)
    ]
    path, pen = "", "M"
    for place in places:
        path += "" if place is None else f"{pen}{place[0]:.1f} {place[1]:.1f}"
        pen = "M" if place is None else "L"
    view.path(path, stroke=color, stroke_width=1.5, stroke_linejoin="round")
    for x, y in filter(None, places if dots else ()):
        view.element("circle", cx=round(x, 1), cy=round(y, 1), r=4, fill=color)
    for epoch in range(0, epochs + 1, max(1, math.ceil(epochs / 5))):
        x = _x(epoch / epochs)
        view.text(x, _BOTTOM + 20, epoch, _SIZE, anchor="middle", fill=muted)
    view.text(_RIGHT, _HEIGHT - 3, "epoch", _SIZE, anchor="end", fill=muted)
    view.text(0, 16, title, _SIZE, bold=True)
    return (
        f'<svg role="img" aria-label="{escaped(says)}" font-family="{UI}" '
        f'viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}">{view}</svg>'
    )


def draw_loss(loss: Sequence[float], epochs: int) -> str:
    """Draw the loss of every step.

    Args:
        loss: One number a step.
        epochs: How many epochs these are, for the axis.
    """
    highest = max(filter(math.isfinite, loss), default=1.0)
    most = max(math.ceil(2 * highest) / 2, 0.5)
    marks = [(value, number(value)) for value in (0, most / 2, most)]
    says = f"Loss of {len(loss)} steps: {loss[0]:.2f} at first, {loss[-1]:.3f} at last."
    return _chart("Loss of each step", says, loss, epochs, marks, "var(--c0)")


def draw_accuracy(accuracy: Sequence[float]) -> str:
    """Draw the share of test digits that are read right after each epoch.

    Args:
        accuracy: 0 to 1, one number an epoch.
    """
    marks = [(part, f"{100 * part:.0f} %") for part in (0, 0.5, 1)]
    shares = ", ".join(f"{100 * part:.1f} %" for part in accuracy)
    says = f"Share of test digits read right after each epoch: {shares}."
    title, epochs = "Test digits read right", len(accuracy)
    return _chart(title, says, accuracy, epochs, marks, "var(--c1)", dots=True)

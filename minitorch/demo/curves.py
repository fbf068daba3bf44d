"""The curves of a training as SVG: the loss of each step, the share read right."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..viz.scene.drawing import UI, Drawing, escaped, number

_WIDTH, _HEIGHT = 520.0, 240.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 58.0, 508.0, 34.0, 200.0
_SIZE = 15  # of words: on a telephone two thirds of it are left


def _x(at: float, last: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * at / last


def _y(value: float, most: float) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * value / most


def _axes(view: Drawing, marks: Sequence[tuple[float, str]], most: float) -> None:
    """Lines at the heights of some values, each with its words."""
    for value, words in marks:
        y = _y(value, most)
        view.path(f"M{_LEFT} {y:.1f}H{_RIGHT}", stroke="var(--line)")
        view.text(_LEFT - 8, y + 5, words, _SIZE, anchor="end", fill="var(--mut)")


def _epochs(view: Drawing, count: int) -> None:
    """Numbers of epochs below, at most six, and what they are."""
    apart = max(1, math.ceil(count / 5))
    for epoch in range(0, count + 1, apart):
        view.text(
            _x(epoch, count), _BOTTOM + 20, epoch, _SIZE,
            anchor="middle", fill="var(--mut)",
        )  # fmt: skip
    view.text(_RIGHT, _HEIGHT - 3, "epoch", _SIZE, anchor="end", fill="var(--mut)")


def _finished(view: Drawing, title: str, says: str) -> str:
    view.text(0, 16, title, _SIZE, bold=True)
    return (
        f'<svg role="img" aria-label="{escaped(says)}" font-family="{UI}" '
        f'viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}">{view}</svg>'
    )


def draw_loss(loss: Sequence[float], epochs: int) -> str:
    """Draw the loss of every step; one that is no number leaves a gap.

    Args:
        loss: One number a step.
        epochs: How many epochs these are, for the axis.
    """
    highest = max((value for value in loss if math.isfinite(value)), default=1.0)
    view, most = Drawing(), max(math.ceil(2 * highest) / 2, 0.5)
    _axes(view, [(value, number(value)) for value in (0, most / 2, most)], most)
    path, pen = "", "M"
    for at, value in enumerate(loss):
        if not math.isfinite(value):
            pen = "M"
            continue
        path += f"{pen}{_x(at + 1, len(loss)):.1f} {_y(value, most):.1f}"
        pen = "L"
    view.path(path, stroke="var(--c0)", stroke_width=1.5, stroke_linejoin="round")
    _epochs(view, epochs)
    says = f"Loss of {len(loss)} steps: {loss[0]:.2f} at first, {loss[-1]:.3f} at last."
    return _finished(view, "Loss of each step", says)


def draw_accuracy(accuracy: Sequence[float]) -> str:
    """Draw the share of test digits that are read right after each epoch.

    Args:
        accuracy: 0 to 1, one number an epoch.
    """
    view, count = Drawing(), len(accuracy)
    _axes(view, [(part, f"{100 * part:.0f} %") for part in (0, 0.5, 1)], 1)
    places = [(_x(at, count), _y(part, 1)) for at, part in enumerate(accuracy, 1)]
    line = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    view.path(f"M{line}", stroke="var(--c1)", stroke_width=1.5)
    for x, y in places:
        view.element("circle", cx=round(x, 1), cy=round(y, 1), r=4, fill="var(--c1)")
    _epochs(view, count)
    shares = ", ".join(f"{100 * part:.1f} %" for part in accuracy)
    says = f"Share of test digits read right after each epoch: {shares}."
    return _finished(view, "Test digits read right", says)

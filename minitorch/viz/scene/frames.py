"""Drawings made in advance as marks of a scene."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .drawing import Drawing
from .scene import Axis, Channel, Frames, Index, State, first

WIDTHS = (340, 696, 1080)  # of a telephone, of the site's column, of a notebook


def frames_of(
    axes: tuple[Axis, ...],
    draw: Callable[[Mapping[str, int], int], Drawing],
    widths: tuple[int, ...] = WIDTHS,
) -> Frames:
    """Return what draws a state by its indices of these axes, at each width.

    Example:
        >>> def draw(state, width):
        ...     view = Drawing(width, 20)
        ...     view.text(0, 14, f"turn {state['turn']}")
        ...     return view
        >>> mark = frames_of((Axis("turn", "Turn", 3),), draw)
        >>> str(draw_frames(None, mark, {"turn": 2}, 700)).endswith("turn 2</text>")
        True
    """
    strides, stride = {}, 1
    for axis in reversed(axes):
        strides[axis.name] = stride
        stride *= axis.count
    states = [
        dict(zip((axis.name for axis in axes), indices, strict=True))
        for indices in itertools.product(*(range(axis.count) for axis in axes))
    ]
    return frames_at(
        Index(strides), len(states), lambda at, width: draw(states[at], width), widths
    )


def frames_at(
    at: Channel,
    count: int,
    draw: Callable[[int, int], Drawing],
    widths: tuple[int, ...] = WIDTHS,
) -> Frames:
    """Return what shows one of `count` drawings, whose number is that of a channel."""
    known: dict[str, int] = {}
    start, order, heights = [0], [], []
    for width in widths:
        drawings = [draw(number, width) for number in range(count)]
        heights.append(float(max(each.height for each in drawings)))
        for drawing in drawings:
            order += [known.setdefault(each, len(known)) for each in drawing.parts]
            start.append(len(order))
    return Frames(
        at, widths, tuple(heights), tuple(known),
        np.array(start), np.array(order, np.int64),
    )  # fmt: skip


def draw_frames(_scene: Any, mark: Frames, state: State, room: float) -> Drawing:
    """Return the drawing of a state, of the widest width that fits."""
    width = max(len([each for each in mark.widths if each <= room]) - 1, 0)
    drawings = (len(mark.start) - 1) // len(mark.widths)
    at = width * drawings + first(mark.at, state)
    view, element, depth = Drawing(room, mark.heights[width]), "", 0
    for name in mark.order[mark.start[at] : mark.start[at + 1]].tolist():
        part = mark.elements[name]
        element += part
        if part == "</g>":
            depth -= 1
        elif part.rfind("<") == 0 and part.startswith("<g") and not part.endswith("/>"):
            depth += 1
        if not depth:  # a group is one element
            view.parts.append(element)
            element = ""
    return view

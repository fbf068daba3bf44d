"""Figures of scenes: the still of one state, and all of them for a page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..scene.drawing import width_of
from ..scene.marks import swatch
from ..scene.render import draw
from ..scene.scene import Axis, Key, Scene, State, sentences
from .figure import WIDTH, Figure
from .live import Live

_KEYS = {
    "slider": (("← →", "{}"), ("Shift+← Shift+→", "previous, next mark"),
               ("Home End", "first, last"), ("Space", "play")),
    "grid": (("W A S D", "move the focus to another {}"),),
    "choice": (("V", "next {}"),),
}  # fmt: skip


def swatches(entries: Iterable[tuple[str, int, str]]) -> Key:
    """Return a key of these kinds of marks, their hues and meanings."""
    return Key(
        tuple(
            (str(swatch(kind, who)), meaning, width_of(meaning, 12))
            for kind, who, meaning in entries
        )
    )


def _keys(axes: tuple[Axis, ...]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (keys, does.format(axis.label.lower()))
        for axis in axes
        if axis.count > 1
        for keys, does in _KEYS[axis.control]
    )


def scene_figure(
    question: str, scene: Scene, state: State, *, findings: int = 0, data: Any = None
) -> Figure:
    """Return a figure that shows a state of a scene, and every other one in a page."""
    answer, detail = sentences(scene, state)
    return Figure(
        question=question,
        answer=answer,
        detail=detail,
        body=draw(scene, state, WIDTH),
        findings=findings,
        data=data,
        live=Live(
            script="scene",
            data={"packed": scene.packed(), "state": dict(state)},
            keys=_keys(scene.axes),
        ),
    )

"""Figures of launches that failed: what went wrong is their headline."""

from __future__ import annotations

from dataclasses import replace

from ...cuda import Launch
from ..figure.figure import Figure
from .faults import Fault, fault_of
from .launches import cut_note


def with_alarm(figure: Figure, *faults: Fault | None) -> Figure:
    """A picture of something else, with what went wrong as its headline."""
    found = [each for each in faults if each is not None]
    if not found:
        return figure
    said = " ".join(each.sentence for each in found)
    return replace(figure, alarm=said, findings=max(figure.findings, len(found)))


def of_trace(figure: Figure, launch: Launch, said: bool = False) -> Figure:
    """A picture of a launch's trace: it says if that was cut, and what went wrong.

    Args:
        figure: Without these words.
        launch: With a trace.
        said: Whether the answer is about what went wrong.
    """
    scene = replace(figure.scene, detail=(*figure.scene.detail, cut_note(launch.trace)))
    figure = replace(figure, scene=scene)
    return figure if said else with_alarm(figure, fault_of(launch))

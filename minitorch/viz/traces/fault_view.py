"""Figures of launches that failed: what went wrong is their headline."""

from __future__ import annotations

from dataclasses import replace

from ..figure.figure import Figure
from .faults import Fault


def with_alarm(figure: Figure, *faults: Fault | None) -> Figure:
    """A picture of something else, with what went wrong as its headline."""
    found = [each for each in faults if each is not None]
    if not found:
        return figure
    said = " ".join(each.sentence for each in found)
    return replace(figure, alarm=said, findings=max(figure.findings, len(found)))

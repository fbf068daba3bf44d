"""The figures of docs/make_viz_pictures.py, by the name of their view."""

from __future__ import annotations

import runpy
from functools import cache
from pathlib import Path

from minitorch import viz

_SCRIPT = Path(__file__).parents[2] / "docs" / "make_viz_pictures.py"
VIEWS = runpy.run_path(str(_SCRIPT), run_name="make_viz_pictures")["VIEWS"]
del VIEWS["guard"]  # README's drawing, without a figure's frame


@cache
def figure_of(name: str) -> viz.Figure:
    """Return the figure, drawn once."""
    return VIEWS[name]()

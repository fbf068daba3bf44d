"""Live figures as Jupyter widgets, whose state a program can read and set.

Figures are live without it: it only adds the way back to Python.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import Any

from .live import bundle


@cache
def _widget_class() -> Any:
    """The widget class, whose front end moves pictures."""
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise ImportError(
            "[figure] widgets need anywidget, which is not installed. Run: pip "
            "install anywidget. Without it figures are live, but Python cannot see "
            "what the reader does."
        ) from error
    fields = {
        "__module__": __name__,
        "__doc__": "A live figure; `state` is what it shows, {} before it is shown.",
        "_esm": f"{bundle('widget')}export default m_widget;\n",
        "part": traitlets.Unicode().tag(sync=True),
        "state": traitlets.Dict().tag(sync=True),
    }
    return type("LiveFigure", (anywidget.AnyWidget,), fields)


def make_widget(part: str) -> Any:
    """A widget that shows a figure.

    Args:
        part: The still picture and its data, as a part of a page.

    Raises:
        ImportError: The package anywidget is missing.
    """
    return _widget_class()(part=part)


def in_notebook() -> bool:
    """Whether IPython runs as the kernel of a notebook."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell else None
    return getattr(running, "kernel", None) is not None


def are_wanted() -> bool:
    """Whether all live figures should show themselves as widgets.

    So where `MINITORCH_WIDGETS=1` says it, anywidget is there, and a notebook's kernel
    runs. Nobody else gets widgets unasked: a saved notebook that is opened again shows
    an error in place of a widget whose kernel is gone, and GitHub shows nothing.
    """
    if os.environ.get("MINITORCH_WIDGETS") != "1":
        return False
    if not in_notebook():
        return False
    try:
        import anywidget  # noqa: F401
    except ImportError:
        return False
    return True

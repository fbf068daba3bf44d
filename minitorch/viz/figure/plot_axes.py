"""What our matplotlib plots share: axes to draw on, our colours, refusals.

Nothing global is changed: no style, no backend.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..scene.palette import PALETTES
from .widget import in_notebook

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK = PALETTES["light"]["ink"]
MUTED = PALETTES["light"]["mut"]
LINE = PALETTES["light"]["line"]
HUES = [PALETTES["light"][f"c{number}"] for number in range(4)]
MARKERS = "os^D"  # shape repeats the hue
STYLES = ("-", "--", "-.", ":")


def axes_of(ax: Any, view: str) -> Axes:
    """The axes that a user gave, or those of a new figure.

    Raises:
        TypeError: something else.
        ImportError: the package matplotlib is missing.
    """
    try:
        from matplotlib.axes import Axes
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            f"[viz.{view}] matplotlib is not installed; plots need it. Run: "
            "pip install matplotlib."
        ) from error
    if ax is not None and not isinstance(ax, Axes):
        raise TypeError(
            f"[viz.{view}] got ax {type(ax).__name__}; need matplotlib's Axes, as "
            "plt.subplots() gives them."
        )
    if ax is None:
        # pyplot shows its figures in notebooks by itself, and keeps them otherwise.
        if in_notebook():
            from matplotlib import pyplot

            return pyplot.subplots(figsize=(6.4, 4.0), layout="constrained")[1]
        return Figure(figsize=(6.4, 4.0), layout="constrained").subplots()
    return ax


def plain(ax: Axes) -> None:
    """No frame at the top and the right; pale grid behind."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.grid(True, color=LINE, linewidth=0.8)
    ax.set_axisbelow(True)

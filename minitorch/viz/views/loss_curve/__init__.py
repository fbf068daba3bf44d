"""The loss curve: how a training went."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import view

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@view
def loss_curve(losses: Any, ax: Axes | None = None) -> Axes:
    """Plot losses over the steps of a training, with matplotlib.

    Args:
        losses: Numbers in order of steps; or a dict of names and such, for several
            curves. NaN and infinite ones leave a gap, which the title tells.
        ax: Where to plot; None: a new figure.

    Returns:
        The axes.

    Raises:
        TypeError: No numbers, or axes that are none.
        ValueError: No loss at all.
        ImportError: The package matplotlib is missing.

    Example:
        >>> from minitorch import viz
        >>> viz.loss_curve([2.3, 1.2, 0.7]).get_ylabel()
        'loss'
    """
    from .plot import plot_losses

    return plot_losses(losses, ax)

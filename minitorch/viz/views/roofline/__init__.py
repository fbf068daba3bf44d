"""The roofline: how fast launches can be at most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import view

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@view
def roofline(*launches: Any, gpu: str | None = None, ax: Axes | None = None) -> Axes:
    """Plot how fast launches can be at most on a card, with matplotlib.

    Args:
        launches: Recorded with `cuda.inspect()`; they need no trace.
        gpu: The card, such as "t4"; None: the device's card.
        ax: Where to plot; None: a new figure.

    Returns:
        The axes: floating-point operations for each byte against FLOP/s, both
        logarithmic. Launches without operations or without bytes have no place on them.

    Raises:
        TypeError: No launches, or axes that are none.
        ValueError: No launch, an unknown card, or a launch with counters=False.
        ImportError: The package matplotlib is missing.

    Example:
        >>> from minitorch import cuda, viz
        >>> scale = cuda.RawKernel(
        ...     "__global__ void scale(float* x) { x[threadIdx.x] *= 2; }", "scale")
        >>> with cuda.inspect() as run:
        ...     scale[1, 32](cuda.device_array(32, "float32"))
        >>> axes = viz.roofline(*run.launches, gpu="t4")
        >>> axes.get_xlabel()
        'operations a byte'
    """
    from .plot import plot_roofline

    return plot_roofline(launches, gpu, ax)

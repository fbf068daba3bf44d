"""Owns the views of what was counted, as users call them.

Must not know how they count or draw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .code_view import lines_of
from .compare_view import draw_compare
from .compared import compared
from .counter_view import draw_counters
from .fault_view import with_alarm
from .faults import fault_of
from .figure import Figure
from .line_metrics import counted_lines, metric_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def counters(
    launch: Any, metric: str = "instructions", *, source: Any = None
) -> Figure:
    """Draw which line does the work: the code, with a number and a bar a line.

    Args:
        launch: Recorded with `cuda.inspect()`; it needs no trace.
        metric: "instructions", "lanes" (threads an instruction), "sectors",
            "sectors_per_request", "bytes", "passes", "conflicts", "flops", "divergent"
            or "barriers"; or a counter's name, also Nsight Compute's.
        source: The kernel's text or the `cuda.RawKernel`; None: the launch's own.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        TypeError: Not a launch, no name, or a source that is no text.
        ValueError: An unknown metric, or a launch with counters=False.

    Example:
        >>> from minitorch import cuda, viz
        >>> kernel = cuda.RawKernel('''__global__ void k(float* x) {
        ...   int i = threadIdx.x;
        ...   x[8 * i] = 1;
        ...   x[i] = 2;
        ... }''', "k")
        >>> with cuda.inspect() as run:
        ...     kernel[1, 32](cuda.device_array(256, "float32"))
        >>> viz.counters(run.launches[0], "sectors")
        Figure(Line 3 asks for 89 % of the sectors.)
    """
    chosen = metric_of(metric)
    data = counted_lines(launch, "counters")
    lines = lines_of(source, data.file, launch.source)
    return with_alarm(draw_counters(data, chosen, lines), fault_of(launch))


def compare(one: Any, other: Any, gpu: str | None = None) -> Figure:
    """Draw two launches side by side: what the second one changed, at what price.

    Args:
        one, other: Recorded with `cuda.inspect()`; they need no trace.
        gpu: The card of the speed limit, such as "t4"; None: the device's card.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        TypeError: No launches, or no name of a card.
        ValueError: An unknown card, a launch with counters=False, or a debug build
            beside a normal one.

    Example:
        >>> from minitorch import cuda, viz
        >>> text = "__global__ void {}(float* x) {{ x[{} * threadIdx.x] = 1; }}"
        >>> apart = cuda.RawKernel(text.format("apart", 8), "apart")
        >>> dense = cuda.RawKernel(text.format("dense", 1), "dense")
        >>> x = cuda.device_array(256, "float32")
        >>> with cuda.inspect() as run:
        ...     apart[1, 32](x)
        ...     dense[1, 32](x)
        >>> viz.compare(*run.launches)
        Figure(dense moves 8 times fewer bytes.)
    """
    data = compared(one, other, gpu)
    lines = [
        lines_of(None, side.file, launch.source)
        for side, launch in zip(data.sides, (one, other), strict=True)
    ]
    return with_alarm(draw_compare(data, lines), fault_of(one), fault_of(other))


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
    from .roofline_plot import plot_roofline

    return plot_roofline(launches, gpu, ax)


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
    from .loss_plot import plot_losses

    return plot_losses(losses, ax)

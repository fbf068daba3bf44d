"""The comparison: what a second kernel changed."""

from __future__ import annotations

from typing import Any

from ...figure.figure import Figure
from ...traces.fault_view import with_alarm
from ...traces.faults import fault_of
from .data import compared
from .picture import draw_compare


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
        >>> viz.compare(*run.launches).answer.partition(" because ")[0]
        'dense moves 8 times fewer bytes than apart'
    """
    figure = draw_compare(compared(one, other, gpu))
    return with_alarm(figure, fault_of(one), fault_of(other))

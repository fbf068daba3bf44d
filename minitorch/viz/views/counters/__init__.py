"""The counters view: which line does the work."""

from __future__ import annotations

from typing import Any

from ...figure.figure import Figure
from ...scene.code_view import lines_of
from ...traces.fault_view import with_alarm
from ...traces.faults import fault_of
from ...traces.line_metrics import counted_lines, metric_of
from .. import view
from .picture import draw_counters


@view
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

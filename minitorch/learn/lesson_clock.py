"""`timing`: the time of a launch on a GPU, or an estimate from counters.

Lessons run on the emulator, which has no clock.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from ..cuda import Kernel, inspect
from ..cuda.errors import Coordinates
from ..cuda.inspecting.counters import CounterValues
from ..cuda.inspecting.roofline import Roofline
from ..cuda.launching.launch_data import Job
from ..cuda.launching.launch_shape import extent
from ..cuda.python_kernels.dispatcher import Dispatcher
from ..cuda.python_kernels.launch_process import GpuTime, on_device, time_in_process
from ..cuda.tracebacks import launch_site
from ..viz.scene.phrases import duration
from ..viz.traces.rerun import described, host_copies

# As the user set it: `learn` sets it as well, after this file is loaded.
_ASKED = os.environ.get("MINITORCH_CUDA")

_no_gpu: list[bool] = []  # whether one was looked for in vain


@dataclass(frozen=True)
class Timing:
    """What `timing` found; its text names the machine that ran the kernel.

    Attributes:
        kernel: its name.
        seconds: of the fastest launch on the GPU; None on the emulator.
        estimate: seconds for its bytes and operations at the emulated card's peaks,
            if no cache helps; None on a GPU.
        gpu: name of the card: the one that ran it, or the emulated one.
    """

    kernel: str
    seconds: float | None
    estimate: float | None
    gpu: str
    _note: str

    def __str__(self) -> str:
        return f"{self.kernel} {self._note}"

    __repr__ = __str__


def timing(kernel: Any, grid: Any, block: Any, *args: Any) -> Timing:
    """Time a kernel on this machine's GPU, or estimate its time from its counters.

    A GPU is used in a separate process, which starts in a second or two; if you set
    MINITORCH_CUDA=emulator, no GPU is used. Without one, the kernel runs here once: the
    emulator counts its bytes and operations, and the roofline of the emulated card says
    how long these take if no cache helps. Nothing that the kernel writes reaches the
    arguments. A GPU runs it several times, each time on the results of the last run.

    Args:
        kernel: A `cuda.RawKernel`, or a function under `@cuda.jit`.
        grid: Blocks, an int or a tuple of 1 to 3.
        block: Threads of a block, in the same form.
        args: Device arrays, host arrays, tensors, numbers, and tuples of them.

    Raises:
        TypeError: Not a kernel, or an argument that no kernel takes.
        LaunchError: A grid, block or argument that does not fit.
        KernelError: The kernel has a fault.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda
        >>> from minitorch.learn.lesson_clock import timing
        >>> copy = cuda.RawKernel(
        ...     "__global__ void copy(float* to, const float* from) {"
        ...     "  int i = blockIdx.x * blockDim.x + threadIdx.x; to[i] = from[i]; }",
        ...     "copy")
        >>> x = np.ones(1 << 16, np.float32)
        >>> print(timing(copy, 256, 256, 0 * x, x))  # doctest: +ELLIPSIS
        copy on ...
    """
    if not isinstance(kernel, Kernel | Dispatcher):
        raise TypeError(
            f"[timing] got {type(kernel).__name__}; need a kernel: a cuda.RawKernel or "
            "a function with @cuda.jit."
        )
    values = host_copies(args, "timing")
    shape = extent(grid, "grid"), extent(block, "block")
    if _ASKED != "emulator" and not _no_gpu:
        text, known = described(kernel, values, debug=False)
        measured = time_in_process(Job(text, *shape, values, 0, False, launch_site()))
        if measured is not None:
            return _on_gpu(known["kernel"], measured)
        _no_gpu.append(True)
    return _by_its_counters(kernel, shape, values)


def _on_gpu(kernel: str, measured: GpuTime) -> Timing:
    note = (
        f"on {measured.gpu}: {duration(measured.seconds)}, the fastest of "
        f"{measured.launches} launches."
    )
    return Timing(kernel, measured.seconds, None, measured.gpu, note)


def _by_its_counters(
    kernel: Kernel | Dispatcher,
    shape: tuple[Coordinates, Coordinates],
    values: tuple[Any, ...],
) -> Timing:
    values, (grid, block) = on_device(values, {}), shape
    with inspect() as run:
        if isinstance(kernel, Kernel):
            kernel(grid, block, values)
        else:
            kernel[grid, block](*values)
    for finding in run.findings:
        if finding.severity == "error":
            raise finding
    launch = run.launches[-1]
    roof = launch.roofline()
    gpu = roof.gpu.partition(" (emulated")[0]
    estimate = max(roof.memory_seconds, roof.compute_seconds)
    note = (
        f"on the emulator, which has no clock. Without caches, {gpu} would need at "
        f"least {duration(estimate)}: {_reason(roof, launch.counters)}."
    )
    return Timing(launch.kernel, None, estimate, gpu, note)


def _reason(roof: Roofline, counters: CounterValues) -> str:
    if roof.bound == "compute":
        operations = sum(counters.flops.values())
        return f"the kernel does {operations:,.0f} operations (compute-bound)"
    return f"the kernel moves {counters.bytes:,.0f} bytes (memory-bound)"

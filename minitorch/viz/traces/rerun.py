"""Running a kernel on the emulator to look at it, whatever device is in use."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...cuda import Kernel, Launch, as_cuda_array, inspect, is_emulated
from ...cuda.launching.launch_data import CudaText, Job, PythonText
from ...cuda.launching.launch_notes import Launched, Note, NoteBook
from ...cuda.launching.launch_shape import extent, shared_bytes
from ...cuda.python_kernels.dispatcher import Dispatcher
from ...cuda.python_kernels.findings import finding_words
from ...cuda.python_kernels.launch_process import on_device, run_in_process
from ...cuda.tracebacks import launch_site


def trace(
    kernel: Any,
    grid: Any,
    block: Any,
    *args: Any,
    debug: bool = False,
    shared_mem: int = 0,
) -> Launch:
    """Run a kernel on the emulator with copies of the arguments, and trace it.

    On a GPU this takes a process of its own, which starts in about a second. Nothing
    that the kernel writes reaches the arguments. Views of one array become arrays of
    their own.

    Args:
        kernel: A `cuda.RawKernel`, or a function under `@cuda.jit`.
        grid: Blocks, an int or a tuple of 1 to 3.
        block: Threads of a block, the same.
        args: Device arrays, host arrays, tensors, numbers, and tuples of them.
        debug: Run a build for debuggers, whose variables have their names.
        shared_mem: Bytes of dynamic shared memory of a block.

    Returns:
        The launch; a fault of the kernel is among its findings.

    Raises:
        TypeError: Not a kernel, or an argument that no kernel takes.
        LaunchError: A grid, block or argument that does not fit.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda, viz
        >>> double = cuda.RawKernel(
        ...     "__global__ void k(float* x) { x[threadIdx.x] *= 2; }", "k")
        >>> x = np.ones(64, np.float32)
        >>> viz.grid(viz.trace(double, 1, 64, x), thread=5)
        Figure(Thread 5 reads x[5], and writes x[5].)
        >>> float(x[5])
        1.0
    """
    if not isinstance(kernel, Kernel | Dispatcher):
        raise TypeError(
            f"[viz.trace] got {type(kernel).__name__}; need a kernel: a cuda.RawKernel "
            "or a function with @cuda.jit."
        )
    shape = extent(grid, "grid"), extent(block, "block")
    shared, site = shared_bytes(shared_mem), launch_site()
    values = host_copies(args, "viz.trace")
    if not is_emulated():
        return _traced_apart(kernel, *shape, values, shared, bool(debug), site)
    values = on_device(values, {})
    with inspect(trace=True, debug=bool(debug)) as run:
        if isinstance(kernel, Kernel):
            kernel(*shape, values, shared)
        else:
            kernel[(*shape, 0, shared)](*values)
    return run.launches[-1]


def host_copies(args: tuple[Any, ...], where: str) -> tuple[Any, ...]:
    """Copy the arrays of a launch to the host; one that is given twice stays one.

    Args:
        args: Device arrays, host arrays, tensors, numbers, and tuples of them.
        where: For the error: what was called.

    Raises:
        TypeError: An argument that no kernel takes.
    """
    known: dict[int, tuple[Any, Any]] = {}

    def copied(value: Any) -> Any:
        """Copy arrays, and arrays in tuples; numbers stay."""
        if isinstance(value, tuple):
            return getattr(type(value), "_make", tuple)(map(copied, value))
        if value is None or isinstance(value, int | float | complex | np.generic):
            return value
        if id(value) not in known:  # kept with its copy, so that ids stay
            known[id(value)] = value, _host(value, where)
        return known[id(value)][1]

    return tuple(map(copied, args))


def _host(value: Any, where: str) -> Any:
    if hasattr(value, "copy_to_host"):
        return value.copy_to_host()
    if isinstance(value, np.ndarray):
        return value.copy(order="K")
    if hasattr(value, "__cuda_array_interface__") or getattr(
        value, "__minitorch_device_view__", None
    ):
        return as_cuda_array(value).copy_to_host()
    if hasattr(value, "__array__"):
        return np.array(value)
    raise TypeError(
        f"[{where}] got an argument of type {type(value).__name__}; need arrays, "
        "tensors, numbers or tuples of these."
    )


def _traced_apart(
    kernel: Kernel | Dispatcher,
    grid: Any,
    block: Any,
    values: tuple[Any, ...],
    shared: int,
    debug: bool,
    site: str,
) -> Launch:
    text, known = described(kernel, values, debug)
    record = run_in_process(Job(text, grid, block, values, shared, debug, site))
    owner = known["owner"]
    record.facts().update(owner=owner)
    for fields in record.tables["findings"]:
        fields["owner"] = owner
        fields["message"] = finding_words(fields) or fields["message"]
    launched = Launched(
        grid=grid, block=block, names=(), values=values, ptx=lambda: record.ptx, **known
    )
    book = NoteBook(debug=debug, most=1)
    book.write(Note(launched, record.arguments))
    return Launch(record, counters=True, trace=True, notes=book)


def described(
    kernel: Kernel | Dispatcher, values: tuple[Any, ...], debug: bool
) -> tuple[CudaText | PythonText, dict[str, Any]]:
    """What another process compiles, and what only this one knows of the kernel."""
    if isinstance(kernel, Dispatcher):
        chosen = kernel.chosen_for(values)
        return chosen.portable(debug), {
            "kernel": kernel.__name__,
            "owner": chosen.number,
            "source": chosen.python_source,
            "debug": debug,
            "renamed": chosen.source.variables,
        }
    compiled = kernel.compiled_from
    cooperative = kernel.enable_cooperative_groups
    return CudaText(kernel.name, compiled, kernel.ptx, cooperative), {
        "kernel": kernel.name,
        "owner": 0,
        "source": lambda: kernel.code,
        "debug": debug and compiled is not None,
    }

"""The launch of small Python kernels on device arrays, for several tests."""

from __future__ import annotations

import numpy as np

from minitorch import cuda


def launched(kernel, *arrays, grid=1, block=32):
    """Compile a function as a kernel, launch it, give the arrays after.

    Numbers and device arrays are passed on as they are.
    """
    given = [cuda.to_device(x) if isinstance(x, np.ndarray) else x for x in arrays]
    cuda.jit(kernel)[grid, block](*given)
    cuda.synchronize()
    return [x.copy_to_host() for x in given if hasattr(x, "copy_to_host")]


def refused(kernel, *arrays):
    """Give the message with which a function is refused as a kernel."""
    try:
        launched(kernel, *arrays)
    except cuda.CompileError as error:
        return str(error)
    raise AssertionError(f"{kernel.__name__} was taken")

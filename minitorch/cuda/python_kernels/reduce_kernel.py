"""`cuda.reduce`: reduce an array with a Python function of two numbers.

The kernel is written in the kernel language.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays.array_creation import device_array, to_device
from ..arrays.array_interface import as_cuda_array, is_cuda_array
from ..arrays.array_types import element
from ..arrays.device_array import DeviceArray
from ..device.stream import StreamLike, on_stream
from ..tracebacks import learner_frames

_BLOCK = 128
_BLOCKS = 64  # of the first launch at most; the second one folds what they give


class Reduce:
    """Function that reduces arrays on the device; see `@cuda.reduce`.

    Args:
        functor: A function of two numbers, or a device function; associative and
            commutative, since the numbers meet in no particular order.

    Raises:
        TypeError: It cannot be called.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda
        >>> @cuda.reduce
        ... def total(a, b):
        ...     return a + b
        >>> int(total(np.arange(1000)))
        499500
        >>> int(total(cuda.to_device(np.arange(4)), init=100))
        106

    Kernel: 128 threads a block. Each folds every so-manieth number; then a tree in
    shared memory, whose rounds a barrier parts, folds those of the block.
    """

    @learner_frames
    def __init__(self, functor: Callable[[Any, Any], Any]) -> None:
        if not callable(functor):
            raise TypeError(
                f"[reduce] got {functor!r}; need a function with two arguments."
            )
        self._functor = functor
        self._kernels: dict[np.dtype[Any], Any] = {}

    @learner_frames
    def __call__(self, arr: Any, *, init: Any = 0, stream: StreamLike = 0) -> Any:
        """Reduce an array, starting with `init`, to one number.

        Args:
            arr: A host or device array, or a tensor on cuda, with one dimension.
            init: What the fold starts with, converted to the dtype.
            stream: Where to queue the work; 0 or None is the current stream.

        Returns:
            A NumPy scalar of the array's dtype.

        Raises:
            TypeError: No array, or another number of dimensions.
            CompileError: The function means nothing for such numbers.
        """
        with on_stream(stream, "reduce"):
            array = _array(arr)
            start = array.dtype.type(init)
            return self._folded(array, start) if array.size else start

    def _folded(self, array: DeviceArray, start: Any) -> Any:
        # A small grid is meant here: launched so, it gives no warning.
        from .dispatcher import ConfiguredKernel

        kernel = self._kernels.get(array.dtype)
        if kernel is None:
            kernel = self._kernels[array.dtype] = _kernel(self._functor, array.dtype)
        blocks = min(-(-array.size // _BLOCK), _BLOCKS)
        result = device_array(1, array.dtype)
        if blocks > 1:
            partial = device_array(blocks, array.dtype)
            ConfiguredKernel(kernel, (blocks, _BLOCK))(array, partial, start, 0)
            array = partial
        ConfiguredKernel(kernel, (1, _BLOCK))(array, result, start, 1)
        return result[0]

    def __repr__(self) -> str:
        return f"Reduce({getattr(self._functor, '__name__', self._functor)})"


#: Numba's name for the decorator.
reduce = Reduce


def _array(arr: Any) -> DeviceArray:
    if isinstance(arr, np.ndarray):
        array = to_device(arr)
    elif is_cuda_array(arr):
        array = as_cuda_array(arr)
    else:
        raise TypeError(
            f"[reduce] got {type(arr).__name__}; need an array. Try np.array(...)."
        )
    if array.ndim != 1:
        raise TypeError(
            f"[reduce] got an array of shape {array.shape}; need 1 dimension. Try "
            "array.reshape(-1)."
        )
    return array


@functools.lru_cache(maxsize=64)
def _kernel(functor: Callable[[Any, Any], Any], numbers: np.dtype[Any]) -> Any:
    """Return the kernel that folds an array of `numbers` to one number per block."""
    from ..language.names import DEVICE_NAMES
    from .jit_decorator import jit

    names: dict[str, Any] = {**DEVICE_NAMES}
    grid, gridsize = names["grid"], names["gridsize"]
    threads, blocks = names["threadIdx"], names["blockIdx"]
    shared, barrier = names["shared"], names["syncthreads"]
    dtype, _ = element(numbers)
    half = _BLOCK // 2

    def fold(values, out, start, use_start):  # type: ignore[no-untyped-def]
        cells = shared.array(_BLOCK, dtype)
        thread = threads.x
        first = grid(1)
        if first < values.size:
            folded = values[first]
            for place in range(first + gridsize(1), values.size, gridsize(1)):
                folded = functor(folded, values[place])
            cells[thread] = folded
        live = values.size - blocks.x * _BLOCK  # threads that have a number
        barrier()
        width = half
        while width > 0:
            if thread < width and thread + width < live:
                cells[thread] = functor(cells[thread], cells[thread + width])
            barrier()
            width //= 2
        if thread == 0:
            if use_start:
                out[blocks.x] = functor(start, cells[0])
            else:
                out[blocks.x] = cells[0]

    return jit(fold)

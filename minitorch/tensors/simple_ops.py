"""The reference backend: loops over elements in plain Python.

It works on the rows of memory of tensors (`TensorData`) and is slow; the same
operations run natively in `fast_ops` and `cuda_ops`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..tensor import Tensor
from ..tensor_data import shape_broadcast
from .tensor_backend import MapProto, TensorBackend, TensorOps

Kernel = Callable[..., None]


def positions(out_shape: Any, shape: Any, strides: Any) -> list[int]:
    """Return the storage position of each element of `out_shape`.

    The tensor is broadcast: a dimension of size 1, or one that it lacks, is not stepped
    along.

    Example:
        >>> positions((2, 3), (3,), (1,))
        [0, 1, 2, 0, 1, 2]
    """
    added = len(out_shape) - len(shape)
    steps = [0] * added
    for size, stride in zip(shape, strides, strict=True):
        steps.append(0 if size == 1 else int(stride))
    offsets = [0]
    for size, step in zip(out_shape, steps, strict=True):
        offsets = [start + i * step for start in offsets for i in range(size)]
    return offsets


def tensor_map(fn: Callable[[float], float]) -> Kernel:
    """Return a kernel over flat memory: out[i] = fn(a[i]), `a` broadcast to `out`.

    Example:
        >>> import numpy as np
        >>> out = np.zeros(4)
        >>> double = tensor_map(lambda x: 2 * x)
        >>> double(out, (2, 2), (2, 1), np.array([1.0, 2.0]), (2,), (1,))
        >>> out
        array([2., 4., 2., 4.])
    """

    def kernel(
        out: Any, out_shape: Any, out_strides: Any, a: Any, a_shape: Any, a_strides: Any
    ) -> None:
        to = positions(out_shape, out_shape, out_strides)
        of_a = positions(out_shape, a_shape, a_strides)
        for i, j in zip(to, of_a, strict=True):
            out[i] = fn(a[j])

    return kernel


def tensor_zip(fn: Callable[[float, float], float]) -> Kernel:
    """Return a kernel over flat memory: out[i] = fn(a[i], b[i]), both broadcast."""

    def kernel(
        out: Any,
        out_shape: Any,
        out_strides: Any,
        a: Any,
        a_shape: Any,
        a_strides: Any,
        b: Any,
        b_shape: Any,
        b_strides: Any,
    ) -> None:
        to = positions(out_shape, out_shape, out_strides)
        of_a = positions(out_shape, a_shape, a_strides)
        of_b = positions(out_shape, b_shape, b_strides)
        for i, j, k in zip(to, of_a, of_b, strict=True):
            out[i] = fn(a[j], b[k])

    return kernel


def tensor_reduce(fn: Callable[[float, float], float]) -> Kernel:
    """Return a kernel over flat memory that reduces a dimension of `a` into `out`.

    `out` has size 1 there and holds the value to start with.
    """

    def kernel(
        out: Any,
        out_shape: Any,
        out_strides: Any,
        a: Any,
        a_shape: Any,
        a_strides: Any,
        reduce_dim: int,
    ) -> None:
        size, step = a_shape[reduce_dim], a_strides[reduce_dim]
        to = positions(out_shape, out_shape, out_strides)
        first = positions(out_shape, out_shape, a_strides)  # of the cells to join
        for i, start in zip(to, first, strict=True):
            total = out[i]
            for cell in range(size):
                total = fn(total, a[start + cell * step])
            out[i] = total

    return kernel


def _parts(tensor: Tensor) -> tuple[Any, ...]:
    """Return storage, shape and strides, as kernels take them."""
    data = tensor._tensor
    return data._storage, data.shape, data.strides


class SimpleOps(TensorOps):
    """Every operation as a loop in Python.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([[1.0, 2.0]], backend=minitorch.SimpleBackend)
        >>> (x * x).sum(1).numpy()
        array([[5.]])
    """

    @staticmethod
    def map(fn: Callable[[float], float]) -> MapProto:
        """Return a function for out[i] = fn(a[i])."""
        kernel = tensor_map(fn)

        def mapped(a: Tensor, out: Tensor | None = None, /) -> Tensor:
            result: Tensor = a.zeros(a.shape) if out is None else out
            kernel(*_parts(result), *_parts(a))
            return result

        return mapped

    @staticmethod
    def zip(fn: Callable[[float, float], float]) -> Callable[[Tensor, Tensor], Tensor]:
        """Return a function for out[i] = fn(a[i], b[i]); shapes broadcast."""
        kernel = tensor_zip(fn)

        def zipped(a: Tensor, b: Tensor) -> Tensor:
            out: Tensor = a.zeros(shape_broadcast(a.shape, b.shape))
            kernel(*_parts(out), *_parts(a), *_parts(b))
            return out

        return zipped

    @staticmethod
    def reduce(
        fn: Callable[[float, float], float], start: float = 0.0
    ) -> Callable[[Tensor, int], Tensor]:
        """Return a function that reduces a dimension to size 1 with fn."""
        kernel = tensor_reduce(fn)

        def reduced(a: Tensor, dim: int) -> Tensor:
            shape = list(a.shape)
            shape[dim] = 1
            out: Tensor = a.zeros(tuple(shape))
            row, *layout = _parts(out)
            row[:] = start
            kernel(row, *layout, *_parts(a), dim)
            return out

        return reduced

    @staticmethod
    def matrix_multiply(a: Tensor, b: Tensor) -> Tensor:
        """Return (..., m, k) @ (..., k, n) as a sum of broadcast products."""
        if a.dims < 2 or b.dims < 2 or a.shape[-1] != b.shape[-2]:
            raise ValueError(
                f"[matmul] a is {tuple(a.shape)}, b is {tuple(b.shape)}; need (..., m, "
                "k) @ (..., k, n)."
            )
        m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]
        left = a.contiguous().view(*a.shape[:-2], m, k, 1)
        right = b.contiguous().view(*b.shape[:-2], 1, k, n)
        # (..., m, k, 1) * (..., 1, k, n) -> (..., m, k, n) -> (..., m, n)
        summed: Tensor = (left * right).sum(-2 % max(left.dims, right.dims))
        return summed.view(*summed.shape[:-2], n)


SimpleBackend = TensorBackend(SimpleOps)

"""Operations in compiled loops on the CPU: map, zip, reduce, matmul (3.1, 3.2).

Numba compiles what `njit` marks and shares the rounds of `prange` among the cores.
Where Numba is not installed the same functions run as plain Python, slowly and with the
same results. Must not know histories: numbers in, numbers out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, prange

from .tensor import Tensor
from .tensor_data import (
    MAX_DIMS,
    broadcast_index,
    index_to_position,
    shape_broadcast,
    to_index,
)
from .tensor_ops import MapProto, TensorOps

# Your functions of module 2, for use inside compiled loops.
to_index = njit(inline="always")(to_index)
index_to_position = njit(inline="always")(index_to_position)
broadcast_index = njit(inline="always")(broadcast_index)


@njit(inline="always")
def same_layout(shape, strides, other_shape, other_strides):
    """Do two tensors have their cells at the same places of their storages?"""
    if len(shape) != len(other_shape):
        return False
    for dim in range(len(shape)):
        if shape[dim] != other_shape[dim] or strides[dim] != other_strides[dim]:
            return False
    return True


class FastOps(TensorOps):
    """What a backend needs, in compiled loops.

    Example:
        >>> backend = TensorBackend(FastOps)  # doctest: +SKIP
    """

    @staticmethod
    def map(fn: Callable[[float], float]) -> MapProto:
        """out[i] = fn(a[i]), `a` broadcast to `out` if that is given."""
        loop = tensor_map(njit()(fn))

        def mapped(a: Tensor, out: Tensor | None = None) -> Tensor:
            if out is None:
                out = a.zeros(a.shape)
            loop(*out.tuple(), *a.tuple())
            return out

        return mapped

    @staticmethod
    def zip(fn: Callable[[float, float], float]) -> Callable[[Tensor, Tensor], Tensor]:
        """out[i] = fn(a[i], b[i]), both broadcast to a common shape."""
        loop = tensor_zip(njit()(fn))

        def zipped(a: Tensor, b: Tensor) -> Tensor:
            out = a.zeros(shape_broadcast(a.shape, b.shape))
            loop(*out.tuple(), *a.tuple(), *b.tuple())
            return out

        return zipped

    @staticmethod
    def reduce(
        fn: Callable[[float, float], float], start: float = 0.0
    ) -> Callable[[Tensor, int], Tensor]:
        """The cells along `dim`, which stays with size 1, joined to `start` by fn."""
        loop = tensor_reduce(njit()(fn))

        def reduced(a: Tensor, dim: int) -> Tensor:
            shape = list(a.shape)
            shape[dim] = 1
            out = a.zeros(tuple(shape))
            out._tensor._storage[:] = start
            loop(*out.tuple(), *a.tuple(), dim)
            return out

        return reduced

    @staticmethod
    def matrix_multiply(a: Tensor, b: Tensor) -> Tensor:
        """(m, k) @ (k, n) -> (m, n), or batches of that, which are broadcast."""
        flat = len(a.shape) == len(b.shape) == 2
        if len(a.shape) == 2:
            a = a.contiguous().view(1, *a.shape)
        if len(b.shape) == 2:
            b = b.contiguous().view(1, *b.shape)
        assert a.shape[-1] == b.shape[-2], f"inner sizes of {a.shape} and {b.shape}"
        batches = shape_broadcast(a.shape[:-2], b.shape[:-2])
        out = a.zeros((*batches, a.shape[-2], b.shape[-1]))
        tensor_matrix_multiply(*out.tuple(), *a.tuple(), *b.tuple())
        return out.view(*out.shape[1:]) if flat else out


def tensor_map(fn: Callable[[float], float]) -> Any:
    """A loop (out, shape, strides, a, shape, strides): out[i] = fn(a[i]).

    Task 3.1. `a` is broadcast to `out`; both may have any strides. The outer loop is a
    `prange`: its rounds may run at the same time, so each has index buffers of its own.
    Where both have the same layout no index is needed.
    """

    def _map(out, out_shape, out_strides, in_storage, in_shape, in_strides):
        ### BEGIN SOLUTION
        if same_layout(out_shape, out_strides, in_shape, in_strides):
            for i in prange(len(out)):
                out[i] = fn(in_storage[i])
        else:
            for i in prange(len(out)):
                out_index = np.empty(MAX_DIMS, np.int32)
                in_index = np.empty(MAX_DIMS, np.int32)
                to_index(i, out_shape, out_index)
                broadcast_index(out_index, out_shape, in_shape, in_index)
                value = in_storage[index_to_position(in_index, in_strides)]
                out[index_to_position(out_index, out_strides)] = fn(value)
        ### END SOLUTION

    return njit(parallel=True)(_map)


def tensor_zip(fn: Callable[[float, float], float]) -> Any:
    """A loop (out, …, a, …, b, …): out[i] = fn(a[i], b[i]).

    Task 3.1. As `tensor_map`, with two tensors that are broadcast to `out`.
    """

    def _zip(
        out, out_shape, out_strides,
        a_storage, a_shape, a_strides, b_storage, b_shape, b_strides,
    ):  # fmt: skip
        ### BEGIN SOLUTION
        aligned = same_layout(out_shape, out_strides, a_shape, a_strides)
        if aligned and same_layout(out_shape, out_strides, b_shape, b_strides):
            for i in prange(len(out)):
                out[i] = fn(a_storage[i], b_storage[i])
        else:
            for i in prange(len(out)):
                out_index = np.empty(MAX_DIMS, np.int32)
                a_index = np.empty(MAX_DIMS, np.int32)
                b_index = np.empty(MAX_DIMS, np.int32)
                to_index(i, out_shape, out_index)
                broadcast_index(out_index, out_shape, a_shape, a_index)
                broadcast_index(out_index, out_shape, b_shape, b_index)
                x = a_storage[index_to_position(a_index, a_strides)]
                y = b_storage[index_to_position(b_index, b_strides)]
                out[index_to_position(out_index, out_strides)] = fn(x, y)
        ### END SOLUTION

    return njit(parallel=True)(_zip)


def tensor_reduce(fn: Callable[[float, float], float]) -> Any:
    """A loop (out, …, a, …, reduce_dim): each cell of `out` joined to those of `a`.

    Task 3.1. `out` has size 1 along `reduce_dim` and holds the value to start with. The
    outer loop, over `out`, is a `prange`; the inner one calls nothing but fn and writes
    only to a local variable.
    """

    def _reduce(out, out_shape, out_strides, a_storage, a_shape, a_strides, reduce_dim):
        ### BEGIN SOLUTION
        for i in prange(len(out)):
            index = np.empty(MAX_DIMS, np.int32)
            to_index(i, out_shape, index)
            place = index_to_position(index, out_strides)
            cell = index_to_position(index, a_strides)
            total = out[place]
            for _ in range(a_shape[reduce_dim]):
                total = fn(total, a_storage[cell])
                cell += a_strides[reduce_dim]
            out[place] = total
        ### END SOLUTION

    return njit(parallel=True)(_reduce)


def _tensor_matrix_multiply(
    out, out_shape, out_strides,
    a_storage, a_shape, a_strides, b_storage, b_shape, b_strides,
):  # fmt: skip
    """out = a @ b for batches: (n, rows, inner) @ (n, inner, columns), any strides.

    A batch of size 1 serves all. The outer loop is a `prange`; there are no index
    buffers and no calls, and the inner loop does one multiplication and writes only to
    a local variable.
    """
    ### BEGIN SOLUTION
    ### BEGIN STARTER
    # a_batch_stride = a_strides[0] if a_shape[0] > 1 else 0
    # b_batch_stride = b_strides[0] if b_shape[0] > 1 else 0
    # raise NotImplementedError("Task 3.2")
    ### END STARTER
    a_batch_stride = a_strides[0] if a_shape[0] > 1 else 0
    b_batch_stride = b_strides[0] if b_shape[0] > 1 else 0
    rows, columns, inner = out_shape[1], out_shape[2], a_shape[2]
    for row in prange(out_shape[0] * rows):
        batch, i = row // rows, row % rows
        for j in range(columns):
            a_cell = batch * a_batch_stride + i * a_strides[1]
            b_cell = batch * b_batch_stride + j * b_strides[2]
            total = 0.0
            for _ in range(inner):
                total += a_storage[a_cell] * b_storage[b_cell]
                a_cell += a_strides[2]
                b_cell += b_strides[1]
            place = batch * out_strides[0] + i * out_strides[1] + j * out_strides[2]
            out[place] = total
    ### END SOLUTION


tensor_matrix_multiply = njit(parallel=True)(_tensor_matrix_multiply)

"""Map, zip and reduce of tensors, as loops in plain Python, and what a backend is.

Must not know gradients. Modules 3 and 4 bring faster classes beside SimpleOps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from . import operators
from .tensor_data import (
    broadcast_index,
    index_to_position,
    shape_broadcast,
    to_index,
)

if TYPE_CHECKING:
    from .tensor import Tensor
    from .tensor_data import Shape, Storage, Strides

Kernel: TypeAlias = Callable[..., None]


class MapProto(Protocol):
    """What `TensorOps.map` gives: a function of a tensor, into `out` if given."""

    def __call__(self, x: Tensor, out: Tensor | None = ..., /) -> Tensor:
        """out[i] = fn(x[i])"""


class TensorOps:
    """How to compute with tensors: what a backend is made from.

    `map`, `zip` and `reduce` take a function of numbers and give one of tensors.
    """

    cuda = False

    @staticmethod
    def map(fn: Callable[[float], float]) -> MapProto:
        """out[i] = fn(a[i])"""
        raise NotImplementedError("[TensorOps] need a static method map(fn).")

    @staticmethod
    def cmap(fn: Callable[[float], float]) -> Callable[[Tensor, Tensor], Tensor]:
        """Of MiniTorch 2022: nothing here needs it."""
        raise NotImplementedError("[TensorOps] has no cmap.")

    @staticmethod
    def zip(fn: Callable[[float, float], float]) -> Callable[[Tensor, Tensor], Tensor]:
        """out[i] = fn(a[i], b[i]), shapes broadcast"""
        raise NotImplementedError("[TensorOps] need a static method zip(fn).")

    @staticmethod
    def reduce(
        fn: Callable[[float, float], float], start: float = 0.0
    ) -> Callable[[Tensor, int], Tensor]:
        """Cells along a dimension joined by fn; the dimension stays with size 1"""
        raise NotImplementedError("[TensorOps] need a static method reduce(fn).")

    @staticmethod
    def matrix_multiply(a: Tensor, b: Tensor) -> Tensor:
        """(..., m, k) @ (..., k, n) -> (..., m, n), from module 3 on"""
        raise NotImplementedError("[matmul] comes with FastOps, in module 3.")


class TensorBackend:
    """The operations that functions of tensors call, all made from a TensorOps.

    Example:
        >>> import minitorch
        >>> backend = TensorBackend(minitorch.SimpleOps)
        >>> print(backend.neg_map(minitorch.tensor([1.0, 2.0])))
        <BLANKLINE>
        [-1.00 -2.00]
    """

    def __init__(self, ops: type[TensorOps]) -> None:
        self.neg_map = ops.map(operators.neg)
        self.sigmoid_map = ops.map(operators.sigmoid)
        self.relu_map = ops.map(operators.relu)
        self.log_map = ops.map(operators.log)
        self.exp_map = ops.map(operators.exp)
        self.id_map = ops.map(operators.id)
        self.inv_map = ops.map(operators.inv)

        self.add_zip = ops.zip(operators.add)
        self.mul_zip = ops.zip(operators.mul)
        self.lt_zip = ops.zip(operators.lt)
        self.eq_zip = ops.zip(operators.eq)
        self.is_close_zip = ops.zip(operators.is_close)
        self.relu_back_zip = ops.zip(operators.relu_back)
        self.log_back_zip = ops.zip(operators.log_back)
        self.inv_back_zip = ops.zip(operators.inv_back)

        self.add_reduce = ops.reduce(operators.add, 0.0)
        self.mul_reduce = ops.reduce(operators.mul, 1.0)
        self.matrix_multiply = ops.matrix_multiply
        self.cuda = ops.cuda


def _parts(tensor: Tensor) -> tuple[Any, Any, Any]:
    """The row, the shape and the strides; Python's integers are faster than NumPy's."""
    data = tensor._tensor
    return data._storage, data.shape, data.strides


class SimpleOps(TensorOps):
    """Every operation as a loop over cells, in the order in which one would explain it.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([[1.0, 2.0]])
        >>> float((x * x).sum(1)[0, 0])
        5.0
    """

    @staticmethod
    def map(fn: Callable[[float], float]) -> MapProto:
        """A function of a tensor; `a` is broadcast to `out`, if that is given."""
        kernel = tensor_map(fn)

        def mapped(a: Tensor, out: Tensor | None = None, /) -> Tensor:
            if out is None:
                out = a.zeros(a.shape)
            kernel(*_parts(out), *_parts(a))
            return out

        return mapped

    @staticmethod
    def zip(fn: Callable[[float, float], float]) -> Callable[[Tensor, Tensor], Tensor]:
        """A function of two tensors, whose shapes are broadcast to one."""
        kernel = tensor_zip(fn)

        def zipped(a: Tensor, b: Tensor) -> Tensor:
            out = a.zeros(shape_broadcast(a.shape, b.shape))
            kernel(*_parts(out), *_parts(a), *_parts(b))
            return out

        return zipped

    @staticmethod
    def reduce(
        fn: Callable[[float, float], float], start: float = 0.0
    ) -> Callable[[Tensor, int], Tensor]:
        """A function of a tensor and a dimension, which stays with size 1."""
        kernel = tensor_reduce(fn)

        def reduced(a: Tensor, dim: int) -> Tensor:
            shape = list(a.shape)
            shape[dim] = 1
            out = a.zeros(tuple(shape))
            out._tensor._storage[:] = start
            kernel(*_parts(out), *_parts(a), dim)
            return out

        return reduced


# Task 2.3: the loops.


def tensor_map(fn: Callable[[float], float]) -> Kernel:
    """A function over rows of memory: out[i] = fn(a[i]) for every index i of `out`.

    `a` broadcasts to `out`. Neither need have its cells in order, so that a place in a
    row always comes from an index and strides.

    Args:
        fn: A function of one number.

    Example:
        >>> out = [0.0, 0.0, 0.0, 0.0]
        >>> double = tensor_map(lambda x: 2 * x)
        >>> double(out, (2, 2), (2, 1), [1.0, 2.0], (2,), (1,))
        >>> out
        [2.0, 4.0, 2.0, 4.0]
    """

    def _map(
        out: Storage,
        out_shape: Shape,
        out_strides: Strides,
        in_storage: Storage,
        in_shape: Shape,
        in_strides: Strides,
    ) -> None:
        ### BEGIN SOLUTION
        out_index, in_index = [0] * len(out_shape), [0] * len(in_shape)
        for ordinal in range(len(out)):
            to_index(ordinal, out_shape, out_index)
            broadcast_index(out_index, out_shape, in_shape, in_index)
            value = in_storage[index_to_position(in_index, in_strides)]
            out[index_to_position(out_index, out_strides)] = fn(value)
        ### END SOLUTION

    return _map


def tensor_zip(fn: Callable[[float, float], float]) -> Kernel:
    """A function over rows of memory: out[i] = fn(a[i], b[i]), `a` and `b` broadcast.

    Args:
        fn: A function of two numbers.
    """

    def _zip(
        out: Storage,
        out_shape: Shape,
        out_strides: Strides,
        a_storage: Storage,
        a_shape: Shape,
        a_strides: Strides,
        b_storage: Storage,
        b_shape: Shape,
        b_strides: Strides,
    ) -> None:
        ### BEGIN SOLUTION
        out_index = [0] * len(out_shape)
        a_index, b_index = [0] * len(a_shape), [0] * len(b_shape)
        for ordinal in range(len(out)):
            to_index(ordinal, out_shape, out_index)
            broadcast_index(out_index, out_shape, a_shape, a_index)
            broadcast_index(out_index, out_shape, b_shape, b_index)
            a = a_storage[index_to_position(a_index, a_strides)]
            b = b_storage[index_to_position(b_index, b_strides)]
            out[index_to_position(out_index, out_strides)] = fn(a, b)
        ### END SOLUTION

    return _zip


def tensor_reduce(fn: Callable[[float, float], float]) -> Kernel:
    """A function over rows of memory that joins the cells of `a` along a dimension.

    `out` has the shape of `a` but for size 1 there. Its cells hold the value to start
    with; each becomes fn(... fn(fn(start, a_0), a_1) ...).

    Args:
        fn: A function of two numbers: what there was, and a cell.
    """

    def _reduce(
        out: Storage,
        out_shape: Shape,
        out_strides: Strides,
        a_storage: Storage,
        a_shape: Shape,
        a_strides: Strides,
        reduce_dim: int,
    ) -> None:
        ### BEGIN SOLUTION
        out_index = [0] * len(out_shape)
        size, step = a_shape[reduce_dim], a_strides[reduce_dim]
        for ordinal in range(len(out)):
            to_index(ordinal, out_shape, out_index)
            at = index_to_position(out_index, out_strides)
            first = index_to_position(out_index, a_strides)
            total = out[at]
            for i in range(size):
                total = fn(total, a_storage[first + i * step])
            out[at] = total
        ### END SOLUTION

    return _reduce


SimpleBackend = TensorBackend(SimpleOps)

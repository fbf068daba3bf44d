"""The backend of native loops on the CPU; Python functions of numbers run as native
operations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _core, operators, tensor_ops
from ._core import Tensor
from .cuda.tracebacks import learner_frames
from .tensors.tensor_backend import MapProto, TensorBackend, TensorOps, like, plain

__all__ = [
    "FastBackend",
    "FastOps",
    "NativeOps",
    "native_map",
    "native_reduce",
    "native_zip",
    "tensor_map",
    "tensor_matrix_multiply",
    "tensor_reduce",
    "tensor_zip",
]


def __dir__() -> list[str]:
    return sorted(__all__)


# Functions of numbers that are operations of the core; others are translated.
_MAPS: dict[Any, Callable[[Tensor], Tensor]] = {
    operators.neg: lambda a: -a,
    operators.sigmoid: lambda a: a.sigmoid(),
    operators.relu: lambda a: a.relu(),
    operators.log: lambda a: (a + operators.EPS).log(),
    operators.exp: lambda a: a.exp(),
    operators.id: lambda a: a + 0,
    operators.inv: lambda a: 1 / a,
}
_ZIPS: dict[Any, Callable[[Tensor, Tensor], Tensor]] = {
    operators.add: lambda a, b: a + b,
    operators.mul: lambda a, b: a * b,
    operators.lt: lambda a, b: a < b,
    operators.eq: lambda a, b: a == b,
    operators.log_back: lambda a, d: d / (a + operators.EPS),
    operators.inv_back: lambda a, d: -d / (a * a),
}


def native_map(fn: Callable[[float], float]) -> Callable[[Tensor], Tensor]:
    """Return `fn` over the elements of a tensor, as an operation of the core.

    Raises:
        CompileError: At the first use, if `fn` cannot be translated.
    """
    return _MAPS.get(fn) or tensor_ops.map(fn)


def native_zip(
    fn: Callable[[float, float], float],
) -> Callable[[Tensor, Tensor], Tensor]:
    """Return `fn` over the elements of two tensors; see `native_map`."""
    return _ZIPS.get(fn) or tensor_ops.zip(fn)


def native_reduce(
    fn: Callable[[float, float], float], start: float
) -> Callable[[Tensor, int], Tensor]:
    """Return a function that reduces a dimension with `fn`; see `native_map`."""
    if fn is operators.add and start == 0:
        return lambda a, dim: a.sum(dim)
    return tensor_ops.reduce(fn, start)


def write(out: Tensor, result: Tensor) -> None:
    """Copy a result, broadcast if necessary, into the memory of `out`."""
    plain(out).copy_(result)


class NativeOps(TensorOps):
    """The tensors' own operations, on the device `place` or where the tensors are."""

    place: str | None = None

    @classmethod
    def _numbers(cls, tensor: Tensor) -> Tensor:
        """Return the tensor without history, on this backend's device."""
        numbers = plain(tensor)
        return numbers if cls.place is None else numbers._to_device(cls.place)

    @classmethod
    def map(cls, fn: Callable[[float], float]) -> MapProto:
        """Return a function for out[i] = fn(a[i])."""
        native = native_map(fn)

        @learner_frames
        def mapped(a: Tensor, out: Tensor | None = None, /) -> Tensor:
            result = native(cls._numbers(a))
            if out is None:
                return like(result, a)
            write(out, result)
            return out

        return mapped

    @classmethod
    def zip(
        cls, fn: Callable[[float, float], float]
    ) -> Callable[[Tensor, Tensor], Tensor]:
        """Return a function for out[i] = fn(a[i], b[i]); shapes broadcast."""
        native = native_zip(fn)
        return learner_frames(
            lambda a, b: like(native(cls._numbers(a), cls._numbers(b)), a)
        )

    @classmethod
    def reduce(
        cls, fn: Callable[[float, float], float], start: float = 0.0
    ) -> Callable[[Tensor, int], Tensor]:
        """Return a function that reduces a dimension to size 1 with fn."""
        native = native_reduce(fn, start)
        return learner_frames(lambda a, dim: like(native(cls._numbers(a), dim), a))

    @classmethod
    def matrix_multiply(cls, a: Tensor, b: Tensor) -> Tensor:
        """Return the product (..., m, k) @ (..., k, n) -> (..., m, n)."""
        return like(cls._numbers(a) @ cls._numbers(b), a)


class FastOps(NativeOps):
    """Native loops on the CPU: the operations that tensors have by themselves.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([1.0, 4.0], backend=minitorch.FastBackend)
        >>> FastOps.map(lambda v: v * v + 1)(x).numpy()
        array([ 2., 17.])
    """

    native: str | None = "cpu"


FastBackend = TensorBackend(FastOps)


def over(row: Any, shape: Any, strides: Any) -> Tensor:
    """View flat memory, of NumPy or on the device, as a tensor."""
    memory = row if isinstance(row, Tensor) else _core.share_numpy(row)
    return memory._strided([int(s) for s in shape], [int(s) for s in strides])


def _kernel(native: Callable[..., Tensor]) -> Callable[..., None]:
    """Return a kernel over flat memory of a function of tensors."""

    def kernel(out: Any, shape: Any, strides: Any, *inputs: Any) -> None:
        tensors = [over(*inputs[i : i + 3]) for i in range(0, len(inputs), 3)]
        write(over(out, shape, strides), native(*tensors))

    return kernel


def tensor_map(fn: Callable[[float], float]) -> Callable[..., None]:
    """Return a kernel over flat memory: out[i] = fn(a[i]), `a` broadcast to `out`.

    Example:
        >>> import numpy as np
        >>> out = np.zeros(2)
        >>> negate = tensor_map(operators.neg)
        >>> negate(out, (2,), (1,), np.array([3.0]), (1,), (1,))
        >>> out
        array([-3., -3.])
    """
    return _kernel(native_map(fn))


def tensor_zip(fn: Callable[[float, float], float]) -> Callable[..., None]:
    """Return a kernel over flat memory: out[i] = fn(a[i], b[i]), both broadcast."""
    return _kernel(native_zip(fn))


def tensor_reduce(fn: Callable[[float, float], float]) -> Callable[..., None]:
    """Return a kernel over flat memory that reduces a dimension of `a` into `out`.

    `out` has size 1 there and holds the value to start with.
    """
    joined = native_zip(fn)

    def kernel(
        out: Any,
        shape: Any,
        strides: Any,
        a: Any,
        a_shape: Any,
        a_strides: Any,
        dim: Any,
    ) -> None:
        target, cells = over(out, shape, strides), over(a, a_shape, a_strides)
        total = target.contiguous()
        for i in range(cells.shape[dim]):
            total = joined(total, cells._slice(int(dim), i, i + 1, 1))
        write(target, total)

    return kernel


def tensor_matrix_multiply(out: Any, shape: Any, strides: Any, *inputs: Any) -> None:
    """Compute out = a @ b over flat memory; batches broadcast."""
    write(over(out, shape, strides), over(*inputs[:3]) @ over(*inputs[3:]))

"""The backend of native loops on the CPU; Python functions of numbers run as native
operations.
"""

from __future__ import annotations

from collections.abc import Callable

from . import tensor_ops
from ._core import Tensor
from .cuda.tracebacks import learner_frames
from .tensors.tensor_backend import MapProto, TensorBackend, TensorOps, like, plain

__all__ = [
    "FastBackend",
    "FastOps",
    "NativeOps",
]


def __dir__() -> list[str]:
    return sorted(__all__)


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
        native = tensor_ops.map(fn)

        @learner_frames
        def mapped(a: Tensor, out: Tensor | None = None, /) -> Tensor:
            result = native(cls._numbers(a))
            if out is None:
                return like(result, a)
            plain(out).copy_(result)
            return out

        return mapped

    @classmethod
    def zip(
        cls, fn: Callable[[float, float], float]
    ) -> Callable[[Tensor, Tensor], Tensor]:
        """Return a function for out[i] = fn(a[i], b[i]); shapes broadcast."""
        native = tensor_ops.zip(fn)
        return learner_frames(
            lambda a, b: like(native(cls._numbers(a), cls._numbers(b)), a)
        )

    @classmethod
    def reduce(
        cls, fn: Callable[[float, float], float], start: float = 0.0
    ) -> Callable[[Tensor, int], Tensor]:
        """Return a function that reduces a dimension to size 1 with fn."""
        native = tensor_ops.reduce(fn, start)
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

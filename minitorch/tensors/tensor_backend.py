"""Backends: operations on tensors built from functions of numbers.

A tensor made with `backend=` carries it, and so do results; a backend of this library
(`native`) stays in C++, any other is called for every operation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from .. import operators
from ..tensor import Tensor


class MapProto(Protocol):
    """Type of the result of `TensorOps.map`: a function of a tensor, and `out`."""

    def __call__(self, x: Tensor, out: Tensor | None = ..., /) -> Tensor:
        """Apply the function to each element."""


class TensorOps:
    """How to compute with tensors; subclass it and hand it to `TensorBackend`.

    `map`, `zip` and `reduce` take a function of numbers and return one of tensors.
    """

    cuda = False
    # "cpu" or "cuda" in a class whose operations the library has in C++; subclasses do
    # not inherit it.
    native: str | None = None

    @staticmethod
    def map(fn: Callable[[float], float]) -> MapProto:
        """Return a function for out[i] = fn(a[i])."""
        raise NotImplementedError("[TensorOps] needs a static method map(fn).")

    @staticmethod
    def zip(fn: Callable[[float, float], float]) -> Callable[[Tensor, Tensor], Tensor]:
        """Return a function for out[i] = fn(a[i], b[i]); shapes broadcast."""
        raise NotImplementedError("[TensorOps] needs a static method zip(fn).")

    @staticmethod
    def reduce(
        fn: Callable[[float, float], float], start: float = 0.0
    ) -> Callable[[Tensor, int], Tensor]:
        """Return a function that reduces a dimension to size 1 with fn."""
        raise NotImplementedError("[TensorOps] needs a static method reduce(fn).")

    @staticmethod
    def matrix_multiply(a: Tensor, b: Tensor) -> Tensor:
        """Return the product (..., m, k) @ (..., k, n) -> (..., m, n)."""
        raise NotImplementedError("[TensorOps] needs matrix_multiply(a, b) for @.")


class TensorBackend:
    """The operations that functions of tensors call, made from a TensorOps.

    Example:
        >>> import minitorch
        >>> backend = TensorBackend(minitorch.SimpleOps)
        >>> x = minitorch.tensor([1.0, 2.0], backend=backend)
        >>> backend.neg_map(x).numpy()
        array([-1., -2.])
        >>> (x + x).backend is backend
        True
    """

    def __init__(self, ops: type[TensorOps]) -> None:
        self.ops = ops
        self.native: str | None = vars(ops).get("native")
        self.cuda = bool(getattr(ops, "cuda", False))

        self.neg_map = ops.map(operators.neg)
        self.sigmoid_map = ops.map(operators.sigmoid)
        self.relu_map = ops.map(operators.relu)
        self.log_map = ops.map(operators.log)
        self.exp_map = ops.map(operators.exp)
        self.id_map = ops.map(operators.id)
        self.inv_map = ops.map(operators.inv)
        if hasattr(ops, "cmap"):  # of MiniTorch 2022
            self.id_cmap = ops.cmap(operators.id)

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

    def __repr__(self) -> str:
        return f"TensorBackend({self.ops.__name__})"


def backend_of(tensor: Tensor) -> Any:
    """Return the backend of a tensor, or None."""
    return tensor._backend()


def is_foreign(tensor: Tensor) -> bool:
    """Return whether a tensor's backend is not this library's own."""
    backend = tensor._backend()
    return backend is not None and getattr(backend, "native", None) is None


def with_backend(tensor: Tensor, backend: Any) -> Tensor:
    """Set the backend of a new tensor and move it to the backend's device."""
    if backend is None:
        return tensor
    if not isinstance(backend, TensorBackend) and not hasattr(backend, "add_zip"):
        name = getattr(backend, "__name__", repr(backend))
        raise TypeError(
            f"[backend] got {name}; need a TensorBackend. Try TensorBackend(SimpleOps)."
        )
    if getattr(backend, "cuda", False):
        tensor = tensor._to_device("cuda")
    tensor._set_backend(backend, getattr(backend, "native", None) is not None)
    return tensor


def plain(tensor: Tensor) -> Tensor:
    """Return the tensor without history and backend, as native loops take it."""
    out = tensor.detach()
    out._set_backend(None, False)
    return out


def like(result: Tensor, source: Tensor) -> Tensor:
    """Return a native loop's result with the backend of its input."""
    return with_backend(result, source._backend())

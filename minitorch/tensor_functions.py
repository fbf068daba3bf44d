"""Functions of tensors with their gradients, over any backend (module 2).

A tensor of a learner's own backend computes by these classes, and so does `apply` by
itself; this library's tensors have the same in C++. `t.f` is the backend's operations.
Numbers such as dims and shapes may come as tensors, as upstream's do.
"""

from __future__ import annotations

from typing import Any

from . import _core
from ._core import Tensor
from .autodiff import Context
from .autograd.function import Function
from .autograd.gradient_check import grad_central_difference, grad_check
from .tensors.create import rand, tensor, zeros
from .tensors.tensor_backend import like, plain

__all__ = [
    "EQ",
    "LT",
    "Add",
    "All",
    "Copy",
    "Exp",
    "Function",
    "Inv",
    "IsClose",
    "Log",
    "MatMul",
    "Mul",
    "Neg",
    "Permute",
    "ReLU",
    "Sigmoid",
    "Sum",
    "View",
    "grad_central_difference",
    "grad_check",
    "rand",
    "tensor",
    "zeros",
]


def __dir__() -> list[str]:
    return sorted(__all__)


Pair = tuple[Any, Any]


def _integers(value: Any) -> tuple[int, ...]:
    """Return a dim, shape or order as integers."""
    if isinstance(value, Tensor):
        return tuple(int(x) for x in value.numpy().reshape(-1))
    return tuple(value) if hasattr(value, "__len__") else (int(value),)


def _dim(value: Any, dims: int) -> int:
    (dim,) = _integers(value)
    if not -dims <= dim < dims:
        raise IndexError(
            f"[dim] got {dim}; need {-dims} to {dims - 1} for {dims} "
            f"dimension{'s' * (dims != 1)}."
        )
    return dim % dims


class BackendFunction(Function):
    """A function of a backend's operations, which record nothing themselves."""

    once = True


class Neg(BackendFunction):
    """-x"""

    @staticmethod
    def forward(ctx: Context, t1: Tensor) -> Any:
        """Return -t1."""
        return t1.f.neg_map(t1)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Any:
        """Return -d."""
        return grad_output.f.neg_map(grad_output)


class Inv(BackendFunction):
    """1 / x"""

    @staticmethod
    def forward(ctx: Context, t1: Tensor) -> Any:
        """Return 1 / t1."""
        ctx.save_for_backward(t1)
        return t1.f.inv_map(t1)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Any:
        """Return -d / t1**2."""
        (t1,) = ctx.saved_values
        return grad_output.f.inv_back_zip(t1, grad_output)


class Add(BackendFunction):
    """x + y"""

    @staticmethod
    def forward(ctx: Context, t1: Tensor, t2: Tensor) -> Any:
        """Return t1 + t2."""
        return t1.f.add_zip(t1, t2)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Pair:
        """Return the gradient for both inputs; broadcast ones are summed later."""
        return grad_output, grad_output


class Mul(BackendFunction):
    """x * y"""

    @staticmethod
    def forward(ctx: Context, a: Tensor, b: Tensor) -> Any:
        """Return a * b."""
        ctx.save_for_backward(a, b)
        return a.f.mul_zip(a, b)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Pair:
        """Return the gradients: d times the other input."""
        a, b = ctx.saved_values
        f = grad_output.f
        return f.mul_zip(grad_output, b), f.mul_zip(grad_output, a)


class Sigmoid(BackendFunction):
    """1 / (1 + exp(-x))"""

    @staticmethod
    def forward(ctx: Context, t1: Tensor) -> Any:
        """Return σ(t1)."""
        out = t1.f.sigmoid_map(t1)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Any:
        """Return d σ (1 - σ)."""
        (out,) = ctx.saved_values
        f = grad_output.f
        rest = f.add_zip(f.neg_map(out), _one(out))
        return f.mul_zip(grad_output, f.mul_zip(out, rest))


class ReLU(BackendFunction):
    """max(x, 0)"""

    @staticmethod
    def forward(ctx: Context, t1: Tensor) -> Any:
        """Return max(t1, 0)."""
        ctx.save_for_backward(t1)
        return t1.f.relu_map(t1)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Any:
        """Return d where t1 is positive, else 0."""
        (t1,) = ctx.saved_values
        return grad_output.f.relu_back_zip(t1, grad_output)


class Log(BackendFunction):
    """log(x + 1e-6)"""

    @staticmethod
    def forward(ctx: Context, t1: Tensor) -> Any:
        """Return operators.log of each element."""
        ctx.save_for_backward(t1)
        return t1.f.log_map(t1)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Any:
        """Return d / (t1 + 1e-6)."""
        (t1,) = ctx.saved_values
        return grad_output.f.log_back_zip(t1, grad_output)


class Exp(BackendFunction):
    """e to the power of x"""

    @staticmethod
    def forward(ctx: Context, t1: Tensor) -> Any:
        """Return exp(t1)."""
        out = t1.f.exp_map(t1)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Any:
        """Return d exp(t1)."""
        (out,) = ctx.saved_values
        return grad_output.f.mul_zip(grad_output, out)


class Sum(BackendFunction):
    """Sum along a dimension, which stays with size 1."""

    @staticmethod
    def forward(ctx: Context, a: Tensor, dim: Any) -> Any:
        """Return a summed along dim."""
        return a.f.add_reduce(a, _dim(dim, a.dims))

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Pair:
        """Return the same gradient for all elements that were summed."""
        return grad_output, 0.0


class All(BackendFunction):
    """1 where all elements along a dimension (or all elements) are 1."""

    @staticmethod
    def forward(ctx: Context, a: Tensor, dim: Any = None) -> Any:
        """Return the product of the elements."""
        if dim is None:
            return a.f.mul_reduce(a.contiguous().view(a.size), 0)
        return a.f.mul_reduce(a, _dim(dim, a.dims))


class LT(BackendFunction):
    """1.0 where x < y, else 0.0"""

    @staticmethod
    def forward(ctx: Context, a: Tensor, b: Tensor) -> Any:
        """Return a < b."""
        ctx.save_for_backward(a.shape, b.shape)
        return a.f.lt_zip(a, b)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Pair:
        """Return zeros: a step is constant almost everywhere."""
        return _flat(ctx, grad_output)


class EQ(BackendFunction):
    """1.0 where x == y, else 0.0"""

    @staticmethod
    def forward(ctx: Context, a: Tensor, b: Tensor) -> Any:
        """Return a == b."""
        ctx.save_for_backward(a.shape, b.shape)
        return a.f.eq_zip(a, b)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Pair:
        """Return zeros: equality is constant almost everywhere."""
        return _flat(ctx, grad_output)


class IsClose(BackendFunction):
    """1.0 where two tensors differ by less than 0.01, else 0.0"""

    @staticmethod
    def forward(ctx: Context, a: Tensor, b: Tensor) -> Any:
        """Return |a - b| < 0.01."""
        return a.f.is_close_zip(a, b)


class Permute(BackendFunction):
    """A view with its dimensions in another order."""

    @staticmethod
    def forward(ctx: Context, a: Tensor, order: Any) -> Any:
        """Return a with dimension order[i] at position i."""
        dims = _integers(order)
        ctx.save_for_backward(dims)
        return like(plain(a)._permute(dims), a)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Pair:
        """Permute the gradient's dimensions back."""
        (dims,) = ctx.saved_values
        back = sorted(range(len(dims)), key=lambda i: dims[i] % len(dims))
        return like(plain(grad_output)._permute(back), grad_output), 0.0


class View(BackendFunction):
    """The same memory with another shape."""

    @staticmethod
    def forward(ctx: Context, a: Tensor, shape: Any) -> Any:
        """Return a with `shape`. Raises AssertionError unless it is contiguous."""
        ctx.save_for_backward(a.shape)
        assert a.is_contiguous(), "[view] need a contiguous tensor. Try .contiguous()."
        return like(plain(a)._reshape(_integers(shape)), a)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Pair:
        """Return the gradient in the input's shape."""
        (shape,) = ctx.saved_values
        return like(plain(grad_output)._reshape(shape), grad_output), 0.0


class Copy(BackendFunction):
    """A contiguous copy."""

    @staticmethod
    def forward(ctx: Context, a: Tensor) -> Any:
        """Return the same elements in row-major order."""
        return a.f.id_map(a)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Any:
        """Return the same gradient."""
        return grad_output


class MatMul(BackendFunction):
    """(..., m, k) @ (..., k, n) -> (..., m, n)"""

    @staticmethod
    def forward(ctx: Context, t1: Tensor, t2: Tensor) -> Any:
        """Return t1 @ t2."""
        ctx.save_for_backward(t1, t2)
        return t1.f.matrix_multiply(t1, t2)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Pair:
        """Return d @ t2.T and t1.T @ d."""
        t1, t2 = ctx.saved_values
        multiply = grad_output.f.matrix_multiply
        return (
            multiply(grad_output, _transposed(t2)),
            multiply(_transposed(t1), grad_output),
        )


def _one(a: Tensor) -> Tensor:
    return like(_core.full((1,), 1, a.dtype, a.device), a)


def _flat(ctx: Context, grad_output: Tensor) -> Pair:
    first, second = ctx.saved_values
    return grad_output.zeros(first), grad_output.zeros(second)


def _transposed(a: Tensor) -> Tensor:
    order = list(range(a.dims))
    order[-2], order[-1] = order[-1], order[-2]
    return like(plain(a)._permute(order), a)

"""The functions of tensors, each with its gradient, and how tensors are made.

A function computes through `t.f`, the backend of its argument. Must not know how that
loops, nor how a graph is walked.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import operators
from .autodiff import Context
from .tensor_data import TensorData
from .tensor_ops import SimpleBackend, TensorBackend

if TYPE_CHECKING:
    from .tensor import Tensor
    from .tensor_data import UserIndex, UserShape


def wrap_tuple(x: Any) -> tuple[Any, ...]:
    """`x` itself if it is a tuple, else a tuple that holds it."""
    return x if isinstance(x, tuple) else (x,)


@dataclass
class History:
    """The step that made a tensor.

    Attributes:
        last_fn: The function; None for a tensor that a user made, a leaf.
        ctx: What the function kept for its backward step.
        inputs: The tensors that it was given.
    """

    last_fn: type[Function] | None = None
    ctx: Context | None = None
    inputs: Sequence[Tensor] = ()


class Function:
    """A function of tensors with its gradient; no object of it is ever made.

    `forward(ctx, *tensors)` gives a tensor. `backward(ctx, grad_output)` gives, for
    each argument, the gradient by it: one tensor, or a tuple of them. A gradient may
    have the shape of the result: it is summed where its argument was broadcast. Numbers
    such as a dimension come as tensors, too, and their gradient is 0.0.
    """

    @classmethod
    def _backward(cls, ctx: Context, grad_out: Tensor) -> tuple[Any, ...]:
        return wrap_tuple(cls.backward(ctx, grad_out))  # type: ignore[attr-defined]

    @classmethod
    def _forward(cls, ctx: Context, *inps: Tensor) -> Tensor:
        return cls.forward(ctx, *inps)  # type: ignore[attr-defined, no-any-return]

    @classmethod
    def apply(cls, *vals: Tensor) -> Tensor:
        """Calls `forward` and, where a gradient will be asked for, writes it down."""
        needs_grad = any(v.requires_grad() for v in vals)
        ctx = Context(no_grad=not needs_grad)
        # Detached: what happens inside of forward is no part of the graph.
        result = cls._forward(ctx, *[v.detach() for v in vals])
        out = result._new(result._tensor)
        out.history = History(cls, ctx, vals) if needs_grad else None
        return out


# Examples.


class Neg(Function):
    """-x"""

    @staticmethod
    def forward(ctx: Context, t1: Tensor) -> Tensor:
        """-t1"""
        return t1.f.neg_map(t1)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Tensor:
        """-d"""
        return grad_output.f.neg_map(grad_output)


class Inv(Function):
    """1 / x"""

    @staticmethod
    def forward(ctx: Context, x: Tensor) -> Tensor:
        """1 / x"""
        ctx.save_for_backward(x)
        return x.f.inv_map(x)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Tensor:
        """-d / x**2"""
        (x,) = ctx.saved_values
        return grad_output.f.inv_back_zip(x, grad_output)


class Add(Function):
    """x + y"""

    @staticmethod
    def forward(ctx: Context, t1: Tensor, t2: Tensor) -> Tensor:
        """t1 + t2"""
        return t1.f.add_zip(t1, t2)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> tuple[Tensor, Tensor]:
        """d for both; who calls sums where one was broadcast."""
        return grad_output, grad_output


# Yours: `forward` in task 2.3, `backward` in task 2.4.


class Mul(Function):
    """x * y"""

    @staticmethod
    def forward(ctx: Context, a: Tensor, b: Tensor) -> Tensor:
        """a * b (task 2.3)"""
        ### BEGIN SOLUTION
        ctx.save_for_backward(a, b)
        return a.f.mul_zip(a, b)
        ### END SOLUTION

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> tuple[Tensor, Tensor]:
        """The gradients by a and by b (task 2.4)"""
        ### BEGIN SOLUTION
        a, b = ctx.saved_values
        f = grad_output.f
        return f.mul_zip(grad_output, b), f.mul_zip(grad_output, a)
        ### END SOLUTION


class Sigmoid(Function):
    """1 / (1 + e^-x)"""

    @staticmethod
    def forward(ctx: Context, t1: Tensor) -> Tensor:
        """σ(t1) (task 2.3)"""
        ### BEGIN SOLUTION
        out = t1.f.sigmoid_map(t1)
        ctx.save_for_backward(out)
        return out
        ### END SOLUTION

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Tensor:
        """d σ (1 - σ) (task 2.4)"""
        ### BEGIN SOLUTION
        (out,) = ctx.saved_values
        return grad_output * out * (1.0 - out)
        ### END SOLUTION


class ReLU(Function):
    """x where it is positive, else 0"""

    @staticmethod
    def forward(ctx: Context, t1: Tensor) -> Tensor:
        """t1 or 0 (task 2.3)"""
        ### BEGIN SOLUTION
        ctx.save_for_backward(t1)
        return t1.f.relu_map(t1)
        ### END SOLUTION

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Tensor:
        """d or 0 (task 2.4)"""
        ### BEGIN SOLUTION
        (t1,) = ctx.saved_values
        return grad_output.f.relu_back_zip(t1, grad_output)
        ### END SOLUTION


class Log(Function):
    """log(x + 1e-6)"""

    @staticmethod
    def forward(ctx: Context, t1: Tensor) -> Tensor:
        """The logarithm of each number (task 2.3)"""
        ### BEGIN SOLUTION
        ctx.save_for_backward(t1)
        return t1.f.log_map(t1)
        ### END SOLUTION

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Tensor:
        """d times the derivative at t1 (task 2.4)"""
        ### BEGIN SOLUTION
        (t1,) = ctx.saved_values
        return grad_output.f.log_back_zip(t1, grad_output)
        ### END SOLUTION


class Exp(Function):
    """e to the power of x"""

    @staticmethod
    def forward(ctx: Context, t1: Tensor) -> Tensor:
        """e to the power of each number (task 2.3)"""
        ### BEGIN SOLUTION
        out = t1.f.exp_map(t1)
        ctx.save_for_backward(out)
        return out
        ### END SOLUTION

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Tensor:
        """d times the derivative at t1 (task 2.4)"""
        ### BEGIN SOLUTION
        (out,) = ctx.saved_values
        return grad_output.f.mul_zip(grad_output, out)
        ### END SOLUTION


class Sum(Function):
    """The sum along a dimension, which stays with size 1"""

    @staticmethod
    def forward(ctx: Context, a: Tensor, dim: Tensor) -> Tensor:
        """`a` summed along `dim`"""
        return a.f.add_reduce(a, int(dim.item()))

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> tuple[Tensor, float]:
        """d for each cell of the sum; who calls repeats it."""
        return grad_output, 0.0


class All(Function):
    """1 where all cells along a dimension are 1, else 0"""

    @staticmethod
    def forward(ctx: Context, a: Tensor, dim: Tensor) -> Tensor:
        """The product along `dim`"""
        return a.f.mul_reduce(a, int(dim.item()))


class LT(Function):
    """1.0 where x < y, else 0.0"""

    @staticmethod
    def forward(ctx: Context, a: Tensor, b: Tensor) -> Tensor:
        """a < b (task 2.3)"""
        ### BEGIN SOLUTION
        ctx.save_for_backward(a.shape, b.shape)
        return a.f.lt_zip(a, b)
        ### END SOLUTION

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> tuple[Tensor, Tensor]:
        """Zeros, each in its argument's shape (task 2.4)"""
        ### BEGIN SOLUTION
        first, second = ctx.saved_values
        return grad_output.zeros(first), grad_output.zeros(second)
        ### END SOLUTION


class EQ(Function):
    """1.0 where x == y, else 0.0"""

    @staticmethod
    def forward(ctx: Context, a: Tensor, b: Tensor) -> Tensor:
        """a == b (task 2.3)"""
        ### BEGIN SOLUTION
        ctx.save_for_backward(a.shape, b.shape)
        return a.f.eq_zip(a, b)
        ### END SOLUTION

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> tuple[Tensor, Tensor]:
        """Zeros, each in its argument's shape (task 2.4)"""
        ### BEGIN SOLUTION
        first, second = ctx.saved_values
        return grad_output.zeros(first), grad_output.zeros(second)
        ### END SOLUTION


class IsClose(Function):
    """1.0 where two tensors differ by less than 0.01, else 0.0; has no gradient"""

    @staticmethod
    def forward(ctx: Context, a: Tensor, b: Tensor) -> Tensor:
        """|a - b| < 0.01 (task 2.3)"""
        ### BEGIN SOLUTION
        return a.f.is_close_zip(a, b)
        ### END SOLUTION


class Permute(Function):
    """The same row with its dimensions in another order"""

    @staticmethod
    def forward(ctx: Context, a: Tensor, order: Tensor) -> Tensor:
        """Dimension i of the result is dimension order[i] of `a` (task 2.3)"""
        ### BEGIN SOLUTION
        dims = [int(order[i]) for i in range(order.size)]
        ctx.save_for_backward(dims)
        return a._new(a._tensor.permute(*dims))
        ### END SOLUTION

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> tuple[Tensor, float]:
        """Dimensions go back to where they were (task 2.4)"""
        ### BEGIN SOLUTION
        (dims,) = ctx.saved_values
        back = sorted(range(len(dims)), key=lambda i: dims[i])
        return grad_output._new(grad_output._tensor.permute(*back)), 0.0
        ### END SOLUTION


class View(Function):
    """The same row as another shape"""

    @staticmethod
    def forward(ctx: Context, a: Tensor, shape: Tensor) -> Tensor:
        """`a` as `shape`; AssertionError unless it is contiguous"""
        ctx.save_for_backward(a.shape)
        assert a._tensor.is_contiguous(), (
            "[view] got a tensor whose rows do not follow one another; need a "
            "contiguous one. Try .contiguous()."
        )
        sizes = tuple(int(shape[i]) for i in range(shape.size))
        return a._new(TensorData(a._tensor._storage, sizes))

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> tuple[Tensor, float]:
        """d in the shape that there was, of a copy in order if it has none"""
        (shape,) = ctx.saved_values
        row = grad_output.contiguous()._tensor._storage
        return grad_output._new(TensorData(row, shape)), 0.0


class Copy(Function):
    """A copy whose rows follow one another"""

    @staticmethod
    def forward(ctx: Context, a: Tensor) -> Tensor:
        """The same numbers, row by row"""
        return a.f.id_map(a)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Tensor:
        """The same gradient"""
        return grad_output


class MatMul(Function):
    """(..., m, k) @ (..., k, n) -> (..., m, n), from module 3 on"""

    @staticmethod
    def forward(ctx: Context, t1: Tensor, t2: Tensor) -> Tensor:
        """t1 @ t2"""
        ctx.save_for_backward(t1, t2)
        return t1.f.matrix_multiply(t1, t2)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> tuple[Tensor, Tensor]:
        """d @ t2.T and t1.T @ d"""
        t1, t2 = ctx.saved_values

        def transposed(a: Tensor) -> Tensor:
            order = list(range(a.dims))
            order[-2], order[-1] = order[-1], order[-2]
            return a._new(a._tensor.permute(*order))

        multiply = grad_output.f.matrix_multiply
        return (
            multiply(grad_output, transposed(t2)),
            multiply(transposed(t1), grad_output),
        )


# How tensors are made.


def zeros(shape: UserShape, backend: TensorBackend = SimpleBackend) -> Tensor:
    """A tensor of zeros.

    Args:
        shape: A tuple of sizes.
        backend: What computes with it.
    """
    return _tensor([0.0] * int(operators.prod(shape)), shape, backend)


def rand(
    shape: UserShape,
    backend: TensorBackend = SimpleBackend,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor of numbers from 0 to 1, from Python's `random`.

    Args:
        shape: A tuple of sizes.
        backend: What computes with it.
        requires_grad: Does it collect a gradient?
    """
    values = [random.random() for _ in range(int(operators.prod(shape)))]
    return _tensor(values, shape, backend, requires_grad)


def _tensor(
    ls: list[float],
    shape: UserShape,
    backend: TensorBackend = SimpleBackend,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor of a list of numbers in a shape."""
    from .tensor import Tensor  # its operators need this file

    made = Tensor.make(ls, shape, backend=backend)
    made.requires_grad_(requires_grad)
    return made


def tensor(
    ls: Any, backend: TensorBackend = SimpleBackend, requires_grad: bool = False
) -> Tensor:
    """A tensor of a number or of lists in lists, which say its shape.

    Args:
        ls: For two dimensions, a list of rows.
        backend: What computes with it.
        requires_grad: Does it collect a gradient?

    Raises:
        ValueError: Rows differ in length.

    Example:
        >>> tensor([[1, 2, 3], [4, 5, 6]]).shape
        (2, 3)
    """

    def is_list(part: Any) -> bool:
        return isinstance(part, list | tuple)

    shape, row = [], [ls]
    while row and is_list(row[0]):
        sizes = {len(part) if is_list(part) else -1 for part in row}
        if len(sizes) > 1:
            raise ValueError(
                f"[tensor] got nested lists of different lengths {sorted(sizes)}; need "
                "nested lists of equal lengths."
            )
        shape.append(sizes.pop())
        row = [element for part in row for element in part]
    return _tensor(row, tuple(shape), backend, requires_grad)


# How gradients are checked.


def grad_central_difference(
    f: Callable[..., Tensor],
    *vals: Tensor,
    arg: int = 0,
    epsilon: float = 1e-6,
    ind: UserIndex,
) -> float:
    """The derivative of the sum of `f` by one cell of one argument, from two calls.

    Args:
        f: A function of tensors.
        vals: Where to take the derivative.
        arg: Which argument is moved.
        epsilon: How far it is moved to each side.
        ind: Which cell of it.
    """
    step = zeros(vals[arg].shape, vals[arg].backend)
    step[ind] = epsilon
    after, before = list(vals), list(vals)
    after[arg], before[arg] = vals[arg] + step, vals[arg] - step
    delta = f(*after).sum() - f(*before).sum()
    return delta.item() / (2.0 * epsilon)


def grad_check(f: Callable[..., Tensor], *vals: Tensor) -> None:
    """Compares the gradients of `f` with central differences, at one cell of each.

    Raises:
        AssertionError: They differ by more than one percent; the message says where.

    Example:
        >>> grad_check(lambda a, b: a + b, tensor([1.0, 2.0]), tensor([3.0]))
    """
    for x in vals:
        x.requires_grad_(True)
        x.zero_grad_()
    f(*vals).sum().backward()
    generator = random.Random(10)  # the same cells in each run
    for i, x in enumerate(vals):
        ind = tuple(generator.randrange(size) for size in x.shape)
        expected = grad_central_difference(f, *vals, arg=i, ind=ind)
        assert x.grad is not None, f"argument {i} got no gradient"
        np.testing.assert_allclose(
            x.grad[ind],
            expected,
            rtol=1e-2,
            atol=1e-2,
            err_msg=f"gradient by argument {i} at {ind}, of {vals}",
        )

"""Products of vectors and matrices: matmul, bmm, inner, outer, tensordot.

Both sides have one dtype, as in PyTorch.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from .._core import Tensor as Base
from .arguments import (
    accept_numpy_names,
    as_dim,
    as_integer,
    operand_function,
    require_torch,
    tensor_function,
)
from .dtypes import bool as bool_
from .tensor import METHODS, Tensor, to_device, to_host

__all__ = [
    "addmm", "baddbmm", "bmm", "dot", "inner", "matmul", "mm", "mv", "outer",
    "tensordot", "trace",
]  # fmt: skip

# The core's plain tuple, without the class that users see.
_shape_of: Any = vars(Base)["shape"].fget


def _one_dtype(where: str, *tensors: Any) -> None:
    require_torch(where, *tensors)
    first = tensors[0].dtype  # one object for each, in PyTorch's dialect
    for tensor in tensors[1:]:
        # Without a dialect, it is MiniTorch's object of the same dtype.
        if tensor.dtype is not first and tensor.dtype != first:
            raise RuntimeError(
                f"[{where}] got {first} and {tensor.dtype}; they must have the same "
                f"dtype. Try .to({first})."
            )
    if first is bool_:
        raise RuntimeError(f"[{where}] is not defined for torch.bool. Try .float().")


def _require_dims(where: str, *wanted: tuple[Any, int]) -> None:
    for tensor, ndim in wanted:
        if len(tensor.shape) != ndim:
            shapes = " and ".join(str(tuple(t.shape)) for t, _ in wanted)
            need = " and ".join(f"{n}" for _, n in wanted)
            raise RuntimeError(
                f"[{where}] got shapes {shapes}; need {need} dimensions."
            )


def _product(where: str, a: Any, b: Any) -> Any:
    """Multiply (…, m, k) @ (…, k, n); vectors count as a row and a column."""
    ours, theirs = _shape_of(a), _shape_of(b)
    if not ours or not theirs:
        raise RuntimeError(
            f"[{where}] got shapes {ours} and {theirs}; both need at least one "
            "dimension. Use * to multiply by a number."
        )
    is_real = a.dtype.is_floating_point
    if is_real and len(ours) == len(theirs) == 2 and ours[1] == theirs[0]:
        return Base.__matmul__(a, b)
    inner = theirs[-2] if len(theirs) > 1 else theirs[0]
    if ours[-1] != inner:
        raise RuntimeError(
            f"[{where}] a is {tuple(a.shape)}, b is {tuple(b.shape)}: inner sizes "
            f"differ ({a.shape[-1]} vs {inner})."
            + " Try b.mT."
            * (a.shape[-1] == b.shape[-1])
        )
    rows = a if len(a.shape) > 1 else Base._reshape(a, (1, inner))
    columns = b if len(b.shape) > 1 else Base._reshape(b, (inner, 1))
    _require_batches(where, rows, columns)
    if is_real:
        result = Base.__matmul__(rows, columns)
    else:  # in whole numbers, which wrap; the core would take float64
        result = to_device(np.matmul(to_host(rows), to_host(columns)), a)
    if len(a.shape) == 1:
        result = Base._reshape(result, (*result.shape[:-2], result.shape[-1]))
    if len(b.shape) == 1:
        result = Base._reshape(result, tuple(result.shape[:-1]))
    return result


def _require_batches(where: str, a: Any, b: Any) -> None:
    ours, theirs = tuple(a.shape[:-2]), tuple(b.shape[:-2])
    pairs = zip(reversed(ours), reversed(theirs), strict=False)
    if any(x != y and 1 not in (x, y) for x, y in pairs):
        raise RuntimeError(
            f"[{where}] a is {tuple(a.shape)}, b is {tuple(b.shape)}: leading sizes "
            "cannot be broadcast."
        )


@tensor_function
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Return the product of matrices, batches of them, or vectors: `input @ other`.

    Args:
        input: (…, m, k), or (k,) for one row.
        other: (…, k, n), or (k,) for one column.

    Returns:
        (…, m, n), whose leading sizes broadcast; without m where `input` is a vector,
        and without n where `other` is one.

    Raises:
        RuntimeError: Inner sizes or dtypes differ, or an operand has no dimensions.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.matmul(torch.tensor([[1, 2], [3, 4]]), torch.tensor([10, 1]))
        tensor([12, 34])
    """
    _one_dtype("matmul", input, other)
    return _product("matmul", input, other)  # type: ignore[no-any-return]


def _of_dims(name: str, summary: str, first: int, second: int, shapes: str) -> Any:
    def function(input: Tensor, other: Tensor) -> Tensor:
        _one_dtype(name, input, other)
        _require_dims(name, (input, first), (other, second))
        if first == 3 and input.shape[0] != other.shape[0]:
            raise RuntimeError(
                f"[{name}] got {input.shape[0]} and {other.shape[0]} matrices; need "
                "equal batch sizes."
            )
        return _product(name, input, other)  # type: ignore[no-any-return]

    rows, columns, result = shapes.split("; ")
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Return {summary}: ({rows}) and ({columns}) -> ({result}).

    Raises:
        RuntimeError: Sizes, dtypes or the numbers of dimensions do not fit.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.{name}(torch.ones({rows}), torch.ones({columns})).shape
        torch.Size([{result.rstrip(",")}])
    """
    return operand_function(function)


mm = _of_dims("mm", "the product of two matrices", 2, 2, "2, 3; 3, 4; 2, 4")
mv = _of_dims("mv", "the product of a matrix and a vector", 2, 1, "2, 3; 3,; 2,")
dot = _of_dims("dot", "the dot product of two vectors", 1, 1, "3,; 3,; ")
bmm = _of_dims(
    "bmm", "the products of batches of matrices", 3, 3, "5, 2, 3; 5, 3, 4; 5, 2, 4"
)


@tensor_function
def inner(input: Tensor, other: Tensor) -> Tensor:
    """Return sums of products along the last dimension of both.

    Args:
        input: (…, k), or a number.
        other: (…, k), or a number.

    Raises:
        RuntimeError: The last sizes or the dtypes differ.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.inner(torch.tensor([1, 2]), torch.tensor([3, 4]))
        tensor(11)
    """
    _one_dtype("inner", input, other)
    if not input.shape or not other.shape:
        return input * other  # type: ignore[return-value]
    k = input.shape[-1]
    if other.shape[-1] != k:
        raise RuntimeError(
            f"[inner] shapes {tuple(input.shape)} and {tuple(other.shape)} differ in "
            "the last size; they must be equal."
        )
    rows = Base._reshape(input, (math.prod(input.shape[:-1]), k))
    columns = Base._reshape(other, (math.prod(other.shape[:-1]), k))
    result = _product("inner", rows, Base._permute(columns, [1, 0]))
    return Base._reshape(result, (*input.shape[:-1], *other.shape[:-1]))  # type: ignore


@tensor_function
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Return the outer product: (n,) and (m,) -> (n, m).

    Raises:
        RuntimeError: One of them is no vector.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.outer(torch.tensor([1, 2]), torch.tensor([3, 4]))
        tensor([[3, 4],
                [6, 8]])
    """
    require_torch("outer", vec2)
    _require_dims("outer", (input, 1), (vec2, 1))
    return Base.unsqueeze(input, 1) * vec2  # type: ignore[return-value]


def _added(where: str, input: Any, product: Any, beta: Any, alpha: Any) -> Any:
    product = product if alpha == 1 else product * alpha
    if beta == 0:  # what `input` holds does not count, not even NaN
        return product
    return (input if beta == 1 else input * beta) + product


def _adding(name: str, product: Any, formula: str, shapes: str) -> Any:
    def function(
        input: Tensor,
        first: Tensor,
        second: Tensor,
        *,
        beta: float = 1,
        alpha: float = 1,
    ) -> Tensor:
        result = product(first, second)
        return _added(name, input, result, beta, alpha)  # type: ignore[no-any-return]

    added, a, b = shapes.split("; ")
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Return beta * input + alpha * {formula}.

    Raises:
        RuntimeError: Sizes, dtypes or the numbers of dimensions do not fit.

    Example:
        >>> import minitorch.torch as torch
        >>> a, b = torch.ones({a}), torch.ones({b})
        >>> torch.{name}(torch.zeros({added}), a, b).shape
        torch.Size([{added.rstrip(",")}])
    """
    return tensor_function(function)


addmm = _adding("addmm", mm, "first @ second", "2, 4; 2, 3; 3, 4")
baddbmm = _adding("baddbmm", bmm, "bmm(first, second)", "5, 2, 4; 5, 2, 3; 5, 3, 4")


@accept_numpy_names
def tensordot(
    a: Tensor, b: Tensor, dims: int | Sequence[Any] = 2, out: Any = None
) -> Tensor:
    """Contract two tensors over some dims of both.

    Args:
        a, b: Tensors of one dtype.
        dims: How many last dims of `a` meet first dims of `b`; or a list of dims of
            each.

    Raises:
        RuntimeError: The sizes of dims that meet differ.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensordot(torch.ones(2, 3), torch.ones(3, 4), dims=1).shape
        torch.Size([2, 4])
    """
    _one_dtype("tensordot", a, b)
    m, n = len(a.shape), len(b.shape)
    if isinstance(dims, Integral):
        dims = as_integer("tensordot", "dims", dims)
        if not 0 <= dims <= min(m, n):
            raise RuntimeError(f"[tensordot] got dims {dims}; need 0 to {min(m, n)}.")
        over_a, over_b = list(range(m - dims, m)), list(range(dims))
    else:
        pairs: Any = dims
        listed = [[d] if isinstance(d, Integral) else list(d) for d in pairs]
        over_a = [as_dim("tensordot", d, m) for d in listed[0]]
        over_b = [as_dim("tensordot", d, n) for d in listed[1]]
    if [a.shape[d] for d in over_a] != [b.shape[d] for d in over_b]:
        raise RuntimeError(
            f"[tensordot] sizes differ: dimensions {over_a} of shape {tuple(a.shape)}, "
            f"dimensions {over_b} of shape {tuple(b.shape)}; they must be equal."
        )
    left = [d for d in range(m) if d not in over_a]
    right = [d for d in range(n) if d not in over_b]
    k = math.prod(a.shape[d] for d in over_a)
    rows = Base._reshape(
        Base._permute(a, left + over_a), (math.prod(a.shape[d] for d in left), k)
    )
    columns = Base._reshape(
        Base._permute(b, over_b + right), (k, math.prod(b.shape[d] for d in right))
    )
    result = _product("tensordot", rows, columns)
    shape = [*(a.shape[d] for d in left), *(b.shape[d] for d in right)]
    return Base._reshape(result, shape)  # type: ignore[return-value]


@tensor_function
def trace(input: Tensor) -> Tensor:
    """Return the sum of a matrix's diagonal.

    Raises:
        RuntimeError: It is no matrix.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.trace(torch.tensor([[1, 2], [3, 4]]))
        tensor(5)
    """
    from .slicing import diagonal

    _require_dims("trace", (input, 2))
    return Base.sum(diagonal(input), 0, False)  # type: ignore[return-value]


def _operator(function: Any, is_reflected: builtins.bool) -> Any:
    def operate(self: Tensor, other: Any) -> Any:
        if isinstance(other, Tensor) and self.dims > 1 and other.dims > 1:
            dtype = self.dtype
            if dtype is other.dtype and dtype.is_floating_point:
                try:  # what fits needs no questions
                    pair = (other, self) if is_reflected else (self, other)
                    return Base.__matmul__(*pair)
                except ValueError:
                    pass
        if not isinstance(other, Base):
            return NotImplemented
        require_torch("matmul", other)  # the library's own have no dialect
        return function(other, self) if is_reflected else function(self, other)

    return operate


METHODS |= {
    "__matmul__": _operator(matmul, False),
    "__rmatmul__": _operator(matmul, True),
}

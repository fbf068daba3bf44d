"""Products of vectors and matrices: matmul, bmm, inner, outer.

Both sides have one dtype, as in PyTorch.
"""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from .. import functional
from .._core import Tensor as Base
from ..functional.products import require_product
from .arguments import (
    operand_function,
    require_torch,
    tensor_function,
)
from .dtypes import bool as bool_
from .tensor import METHODS, Tensor, to_device, to_host

__all__ = [
    "addmm", "bmm", "dot", "inner", "matmul", "mm", "mv", "outer",
    "trace",
]  # fmt: skip

# The core's plain tuple, without the class that users see.


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


def _product(a: Any, b: Any) -> Any:
    try:
        if a.dtype.is_floating_point:
            return functional.matmul(a, b)
        require_product(a, b)
        return to_device(np.matmul(to_host(a), to_host(b)), a)
    except ValueError as error:  # as PyTorch's kind of error
        raise RuntimeError(str(error)) from None


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
    return _product(input, other)  # type: ignore[no-any-return]


def _of_dims(name: str, summary: str, first: int, second: int, shapes: str) -> Any:
    def function(input: Tensor, other: Tensor) -> Tensor:
        _one_dtype(name, input, other)
        _require_dims(name, (input, first), (other, second))
        if first == 3 and input.shape[0] != other.shape[0]:
            raise RuntimeError(
                f"[{name}] got {input.shape[0]} and {other.shape[0]} matrices; need "
                "equal batch sizes."
            )
        return _product(input, other)  # type: ignore[no-any-return]

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
    result = _product(rows, Base._permute(columns, [1, 0]))
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


@tensor_function
def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    """Return beta * input + alpha * mat1 @ mat2.

    Raises:
        RuntimeError: Sizes, dtypes or the numbers of dimensions do not fit.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.addmm(torch.zeros(4), torch.ones(2, 3), torch.ones(3, 4)).shape
        torch.Size([2, 4])
    """
    product = mm(mat1, mat2)
    product = product if alpha == 1 else product * alpha
    if beta == 0:  # what `input` holds does not count, not even NaN
        return product  # type: ignore[no-any-return]
    return (input if beta == 1 else input * beta) + product  # type: ignore


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

"""Reductions with PyTorch's semantics: without `dim` over all elements, to shape (); a
reduced dimension is dropped unless `keepdim`.
"""

from __future__ import annotations

import builtins
import operator as operators
from collections.abc import Callable
from typing import Any, NamedTuple

from .._core import FitError, Tensor
from .arguments import require_tensors

__all__ = [
    "amax",
    "amin",
    "argmax",
    "argmin",
    "cumsum",
    "logsumexp",
    "mean",
    "prod",
    "std",
    "var",
]


class Extremes(NamedTuple):
    """Values along a dimension, and the positions where they are.

    It unpacks into both; methods and operators of a tensor are those of the values.
    """

    values: Tensor
    indices: Tensor

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # protocols ask for these: a pair has none
            raise AttributeError(
                f"[max] got .{name} of a pair (values, indices). Try .values."
            )
        return getattr(self.values, name)


def _are_operands(others: tuple[Any, ...]) -> bool:
    kinds = Tensor | Extremes | int | float
    return builtins.all(isinstance(value, kinds) for value in others)


def _of_values(operator: Callable[..., Any], swapped: bool = False) -> Any:
    def method(self: Extremes, *other: Any) -> Any:
        if not _are_operands(other):
            return NotImplemented  # e.g. a list, which takes the pair's two parts
        sides = (self.values, *other)
        return operator(*(reversed(sides) if swapped else sides))

    return method


# Those of a tuple would repeat or join it.
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"):
    _call = getattr(operators, _name)
    setattr(Extremes, f"__{_name}__", _of_values(_call))
    setattr(Extremes, f"__r{_name}__", _of_values(_call, swapped=True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne", "neg", "abs"):
    setattr(Extremes, f"__{_name}__", _of_values(getattr(operators, _name)))


def _dims(
    input: Tensor, dim: int | tuple[int, ...] | None, keepdim: bool
) -> int | tuple[int, ...] | None:
    # With keepdim, "all" keeps each of them.
    return tuple(range(input.dims)) if dim is None and keepdim else dim


def sum(
    input: Tensor, dim: int | tuple[int, ...] | None = None, keepdim: bool = False
) -> Tensor:
    """Sum over one, several or all dimensions; of integers in int64.

    Args:
        input: Any shape.
        dim: A dimension, several, or None for all.
        keepdim: Keep reduced dimensions with size 1.

    Raises:
        IndexError: There is no such dimension.
        ValueError: A dimension is named twice.

    Kernel:
        `reduce.cu`, a group of threads per output.

    Example:
        >>> import minitorch
        >>> sum(minitorch.ones(2, 3), (0, 1)).item()
        6.0
    """
    require_tensors("sum", input)
    return input.sum(_dims(input, dim, keepdim), keepdim)


def mean(
    input: Tensor, dim: int | tuple[int, ...] | None = None, keepdim: bool = False
) -> Tensor:
    """Return the arithmetic mean over one, several or all dimensions; see `sum`.

    Kernel:
        `reduce.cu`, a group of threads per output.

    Example:
        >>> import minitorch
        >>> mean(minitorch.tensor([[1.0, 3.0]]), 1).numpy()
        array([2.])
    """
    require_tensors("mean", input)
    return input.mean(_dims(input, dim, keepdim), keepdim)


def var(
    input: Tensor,
    dim: int | tuple[int, ...] | None = None,
    correction: float = 1,
    keepdim: bool = False,
) -> Tensor:
    """Return the variance over (count - correction), with dimensions as in `sum`.

    Kernel:
        `reduce.cu`, a group of threads per output.

    Example:
        >>> import minitorch
        >>> var(minitorch.tensor([1.0, 3.0])).item()
        2.0
    """
    require_tensors("var", input)
    return input._var(_dims(input, dim, keepdim), correction, keepdim)


def std(
    input: Tensor,
    dim: int | tuple[int, ...] | None = None,
    correction: float = 1,
    keepdim: bool = False,
) -> Tensor:
    """Root of `var`; the gradient of equal elements is 0.

    Computed in float64, so that squares of distances neither under- nor overflow.

    Kernel:
        `reduce.cu`, a group of threads per output.

    Example:
        >>> import minitorch
        >>> std(minitorch.tensor([1.0, 3.0]), correction=0).item()
        1.0
    """
    require_tensors("std", input)
    return input._std(_dims(input, dim, keepdim), correction, keepdim)


def _values(
    method: str, input: Tensor, dim: int | tuple[int, ...] | None, keepdim: bool
) -> Tensor:
    """Return the extremes without indices, which both dialects name differently."""
    values: Tensor = getattr(Tensor, method)(input, dim, keepdim)
    return values


def _require_cells(input: Tensor, dim: int, where: str) -> None:
    dims = len(input.shape)
    if -dims <= dim < dims and input.shape[dim] == 0:
        raise FitError(
            f"[{where}] dimension {dim} of shape {tuple(input.shape)} has size 0; need "
            "at least one element along it."
        )


def _select(input: Tensor, dim: int, indices: Tensor, keepdim: bool) -> Extremes:
    """Select the values along `dim` at the indices, which keep that dimension."""
    if not input.shape:
        return Extremes(input + 0, indices)
    values = input._pick(dim, indices)
    if not keepdim:
        values, indices = values.squeeze(dim), indices.squeeze(dim)
    return Extremes(values, indices)


def max(
    input: Tensor, dim: int | None = None, keepdim: bool = False
) -> Tensor | Extremes:
    """Return the largest element, or with `dim` (values, indices) along it; NaN wins.

    Without `dim` equal elements share the gradient; with it the first one has it all,
    whose index it is.

    Raises:
        ValueError: There is no element.

    Kernel:
        `reduce.cu` and `arg_reduce.cu`.

    Example:
        >>> import minitorch
        >>> values, indices = max(minitorch.tensor([[1.0, 5.0], [7.0, 2.0]]), 1)
        >>> values.numpy(), indices.numpy()
        (array([5., 7.]), array([1, 0]))
    """
    require_tensors("max", input)
    if dim is None:
        return _values("max", input, None, keepdim)
    _require_cells(input, dim, "max")
    return _select(input, dim, input.argmax(dim, True), keepdim)


def min(
    input: Tensor, dim: int | None = None, keepdim: bool = False
) -> Tensor | Extremes:
    """Return the smallest element, or with `dim` (values, indices) along it; see `max`.

    Kernel:
        `reduce.cu` and `arg_reduce.cu`.

    Example:
        >>> import minitorch
        >>> min(minitorch.tensor([[1.0, 5.0], [7.0, 2.0]]), 1).values.numpy()
        array([1., 2.])
    """
    require_tensors("min", input)
    if dim is None:
        return _values("min", input, None, keepdim)
    _require_cells(input, dim, "min")
    return _select(input, dim, input.argmin(dim, True), keepdim)


def amax(
    input: Tensor, dim: int | tuple[int, ...] | None = None, keepdim: bool = False
) -> Tensor:
    """Return the maximum over one, several or all dims; ties share the gradient.

    Kernel:
        `reduce.cu`, a group of threads per output.

    Example:
        >>> import minitorch
        >>> amax(minitorch.tensor([[1.0, 5.0], [7.0, 2.0]]), (0, 1)).item()
        7.0
    """
    require_tensors("amax", input)
    return _values("max", input, _dims(input, dim, keepdim), keepdim)


def amin(
    input: Tensor, dim: int | tuple[int, ...] | None = None, keepdim: bool = False
) -> Tensor:
    """Return the smallest over one, several or all dimensions; see `amax`.

    Kernel:
        `reduce.cu`, a group of threads per output.

    Example:
        >>> import minitorch
        >>> amin(minitorch.tensor([[1.0, 5.0], [7.0, 2.0]]), 0).numpy()
        array([1., 2.])
    """
    require_tensors("amin", input)
    return _values("min", input, _dims(input, dim, keepdim), keepdim)


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Position of the first largest along `dim`, or in row-major order: int64.

    Kernel:
        `arg_reduce.cu`, a block per output.

    Example:
        >>> import minitorch
        >>> argmax(minitorch.tensor([1.0, 5.0, 5.0])).item()
        1
    """
    require_tensors("argmax", input)
    return input.argmax(dim, keepdim)


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Position of the first smallest along `dim`, or in row-major order: int64.

    Kernel:
        `arg_reduce.cu`, a block per output.

    Example:
        >>> import minitorch
        >>> argmin(minitorch.tensor([4.0, 1.0, 5.0])).item()
        1
    """
    require_tensors("argmin", input)
    return input.argmin(dim, keepdim)


def prod(
    input: Tensor, dim: int | tuple[int, ...] | None = None, keepdim: bool = False
) -> Tensor:
    """Product over one, several or all dimensions; right gradients at zeros, too.

    Kernel:
        `reduce.cu`, a group of threads per output.

    Example:
        >>> import minitorch
        >>> prod(minitorch.tensor([2.0, 3.0])).item()
        6.0
    """
    require_tensors("prod", input)
    return input.prod(_dims(input, dim, keepdim), keepdim)


def any(
    input: Tensor, dim: int | tuple[int, ...] | None = None, keepdim: bool = False
) -> Tensor:
    """Return whether one of the elements is nonzero, as bool.

    Kernel:
        `reduce.cu`, a group of threads per output.

    Example:
        >>> import minitorch
        >>> any(minitorch.tensor([[0, 1], [0, 0]]), 1).numpy()
        array([ True, False])
    """
    require_tensors("any", input)
    return input.any(_dims(input, dim, keepdim), keepdim)


def all(
    input: Tensor, dim: int | tuple[int, ...] | None = None, keepdim: bool = False
) -> Tensor:
    """Return whether all elements are nonzero, as bool.

    Kernel:
        `reduce.cu`, a group of threads per output.

    Example:
        >>> import minitorch
        >>> all(minitorch.tensor([[1, 1], [0, 1]]), 1).numpy()
        array([ True, False])
    """
    require_tensors("all", input)
    return input._all(_dims(input, dim, keepdim), keepdim)


def logsumexp(
    input: Tensor, dim: int | tuple[int, ...] | None, keepdim: bool = False
) -> Tensor:
    """log(sum(exp(x))) along the dimensions, without overflow; -inf of no elements.

    Kernel:
        `reduce.cu`, a group of threads per output.

    Example:
        >>> import minitorch
        >>> logsumexp(minitorch.tensor([1000.0, 1000.0]), 0).item() - 1000
        0.69314718055...
    """
    require_tensors("logsumexp", input)
    return input.logsumexp(_dims(input, dim, keepdim), keepdim)


def cumsum(input: Tensor, dim: int) -> Tensor:
    """Running sums along `dim`.

    Kernel:
        `cumsum.cu`, a block per line.

    Example:
        >>> import minitorch
        >>> cumsum(minitorch.tensor([1.0, 2.0, 3.0]), 0).numpy()
        array([1., 3., 6.])
    """
    require_tensors("cumsum", input)
    return input.cumsum(dim)

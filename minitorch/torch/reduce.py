"""Sums, means, products, variances and scans along dimensions.

A reduced dimension goes away unless `keepdim`; integers are summed in int64 and have no
mean. Largest and smallest elements are another family's.
"""

from __future__ import annotations

from typing import Any

from .. import _core, functional
from .arguments import as_dim, tensor_function
from .dtypes import as_dtype, get_default_dtype, int64
from .dtypes import bool as bool_
from .tensor import Tensor

__all__ = [
    "all", "any", "cumsum", "logsumexp", "mean", "prod",
    "std", "sum", "var",
]  # fmt: skip

_base: Any = _core.Tensor


def axes_of(where: str, input: Tensor, dim: Any, keepdim: Any) -> tuple[Any, bool]:
    """Return the dimensions to reduce, as the core takes them: None for all.

    Raises:
        TypeError: `keepdim` is not a bool, or a dimension not an integer.
        IndexError: There is no such dimension.
        RuntimeError: One is named twice.
    """
    ndim = input.ndim if type(input) is Tensor else -1
    if type(dim) is int and 0 <= dim < ndim and type(keepdim) is bool:
        return (dim,), keepdim  # the common case
    if not isinstance(keepdim, bool):
        raise TypeError(f"[{where}] got keepdim {keepdim!r}; need True or False.")
    ndim = input.ndim
    if dim is None or (isinstance(dim, tuple | list) and not dim):
        return (tuple(range(ndim)), True) if keepdim and ndim else (None, False)
    listed = dim if isinstance(dim, tuple | list) else (dim,)
    dims = tuple(as_dim(where, d, ndim) for d in listed)
    if len(set(dims)) < len(dims):
        raise RuntimeError(
            f"[{where}] got dims {listed}; each dimension may appear only once."
        )
    return (dims, keepdim) if ndim else (None, False)


def name_step(output: Any, name: str) -> Any:
    """Return the result, after naming its graph step as PyTorch does."""
    return _core.call_step(output, name) if output.requires_grad else output


def _numbered(result: Any, name: str, dim: Any) -> Any:
    if not result.requires_grad:
        return result
    return _core.call_step(result, f"{name}Backward{int(dim is not None)}")


def _in(where: str, input: Tensor, dtype: Any) -> Any:
    return input if dtype is None else input._cast(as_dtype(where, dtype))


def _accumulating(where: str, input: Tensor, dtype: Any) -> Any:
    """Cast integers to int64 unless `dtype` says otherwise."""
    if dtype is not None:
        return _in(where, input, dtype)
    return input if input.dtype.is_floating_point else input._cast(int64)


def require_floats(where: str, input: Tensor) -> None:
    """Raise NotImplementedError unless the elements are floats."""
    if not input.dtype.is_floating_point:
        raise NotImplementedError(
            f"[{where}] got a tensor of {input.dtype}; need a floating-point dtype. "
            "Try .float()."
        )


@tensor_function
def sum(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """Return the sum of all elements, or along `dim`.

    Args:
        input: Any shape.
        dim: A dimension, several, or None for all; also as `axis`.
        keepdim: Keep reduced dimensions with size 1.
        dtype: Computes in this dtype; int64 for integers by default.

    Returns:
        Without the dimensions `dim`, or of shape ().

    Raises:
        TypeError: `input` is not a torch.Tensor.
        IndexError: There is no such dimension.
        RuntimeError: A dimension is named twice.

    Kernel:
        `reduce.cu`, a group of threads per output.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.sum(torch.ones(2, 3), dim=1)
        tensor([3., 3.])
    """
    axes, keepdim = axes_of("sum", input, dim, keepdim)
    result = _base.sum(_accumulating("sum", input, dtype), axes, keepdim)
    return _numbered(result, "Sum", dim)


@tensor_function
def mean(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """Return the arithmetic mean of all elements, or along `dim`.

    Args:
        input: Any shape.
        dim: A dimension, several, or None for all; also as `axis`.
        keepdim: Keep reduced dimensions with size 1.
        dtype: Computes in this dtype.

    Raises:
        NotImplementedError: The elements are not floats.
        IndexError: There is no such dimension.

    Kernel:
        `reduce.cu`, a group of threads per output.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([[1.0, 3.0], [5.0, 7.0]]).mean(0)
        tensor([3., 5.])
    """
    axes, keepdim = axes_of("mean", input, dim, keepdim)
    wanted = _in("mean", input, dtype)
    require_floats("mean", wanted)
    return _numbered(_base.mean(wanted, axes, keepdim), "Mean", dim)


@tensor_function
def prod(
    input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """Return the product of all elements, or along one dimension.

    Kernel:
        `reduce.cu`, a group of threads per output.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([2, 3, 4]).prod()
        tensor(24)
    """
    if isinstance(dim, tuple | list):
        raise TypeError(f"[prod] got dim {dim}; need one integer or None.")
    axes, keepdim = axes_of("prod", input, dim, keepdim)
    result = _base.prod(_accumulating("prod", input, dtype), axes, keepdim)
    return _numbered(result, "Prod", dim)


def _moments(
    where: str, input: Tensor, dim: Any, unbiased: Any, keepdim: bool, correction: Any
) -> Any:
    """Return (axes, correction, keepdim) of `var` and `std`."""
    if isinstance(dim, bool):  # var(unbiased)
        dim, unbiased = None, dim
    if unbiased is not None and correction is not None:
        raise TypeError(
            f"[{where}] got both unbiased and correction; need only one of them."
        )
    if correction is None:
        correction = 1 if unbiased is None else int(unbiased)
    axes, keepdim = axes_of(where, input, dim, keepdim)
    require_floats(where, input)
    return axes, correction, keepdim


@tensor_function
def var(
    input: Tensor,
    dim: Any = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Tensor:
    """Return the variance: squared deviations from the mean over (count - correction).

    `var(dim, unbiased, keepdim)` or `var(unbiased)`.

    Args:
        input: Any shape, of floats.
        dim: A dimension, several, or None for all; also as `axis`.
        unbiased: Correction 1, the default, or 0.
        correction: The same as a number.
        keepdim: Keep reduced dimensions with size 1.

    Raises:
        NotImplementedError: The elements are not floats.

    Kernel:
        `reduce.cu`, a group of threads per output.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([1.0, 3.0]).var()
        tensor(2.)
    """
    moments = _moments("var", input, dim, unbiased, keepdim, correction)
    return name_step(_base._var(input, *moments), "VarBackward0")


@tensor_function
def std(
    input: Tensor,
    dim: Any = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Tensor:
    """Return the standard deviation, the root of `var`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([1.0, 3.0]).std(unbiased=False)
        tensor(1.)
    """
    moments = _moments("std", input, dim, unbiased, keepdim, correction)
    return name_step(functional.std(input, *moments), "StdBackward0")


def _truth(where: str, reduce: Any, input: Tensor, dim: Any, keepdim: bool) -> Any:
    if isinstance(dim, tuple | list) and not dim:  # of no dimension, unlike a sum
        result: Any = input._cast(bool_)
    else:
        axes, keepdim = axes_of(where, input, dim, keepdim)
        result = reduce(input, axes, keepdim)
    return result._cast(input.dtype) if input.dtype.name == "uint8" else result


@tensor_function
def all(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return whether no element is 0, of all or along `dim`, as bool.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.all(torch.tensor([True, False]))
        tensor(False)
    """
    return _truth("all", _base._all, input, dim, keepdim)


@tensor_function
def any(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return whether any element is not 0, of all or along `dim`, as bool.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.any(torch.tensor([0, 2]))
        tensor(True)
    """
    return _truth("any", _base.any, input, dim, keepdim)


@tensor_function
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """Return log(sum(exp(x))) along one or more dims, without overflow.

    Kernel:
        `reduce.cu`, a group of threads per output.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([500.0, 500.0]).logsumexp(0)
        tensor(500.6931)
    """
    axes, keepdim = axes_of("logsumexp", input, dim, keepdim)
    real = input if input.dtype.is_floating_point else input._cast(get_default_dtype())
    if axes is None and input.ndim:
        axes = tuple(range(input.ndim))
    return name_step(_base.logsumexp(real, axes, keepdim), "LogsumexpBackward0")


def _scan_input(where: str, input: Tensor, dim: Any, dtype: Any) -> tuple[Any, int]:
    """Return the input in the dtype of the result, and the dimension."""
    axis = as_dim(where, dim, input.ndim)
    if dtype is not None:
        return input._cast(as_dtype(where, dtype)), axis
    return input if input.dtype.is_floating_point else input._cast(int64), axis


@tensor_function
def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Return running sums along `dim`; in int64 for integers.

    Raises:
        IndexError: There is no such dimension.

    Kernel:
        `cumsum.cu`, a block per line.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([1, 2, 3]).cumsum(0)
        tensor([1, 3, 6])
    """
    row, axis = _scan_input("cumsum", input, dim, dtype)
    return name_step(
        _base.cumsum(row, axis) if row.ndim else row * 1, "CumsumBackward0"
    )

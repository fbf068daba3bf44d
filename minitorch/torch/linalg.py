"""`torch.linalg`: inverses, which NumPy computes on the host, and norms."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any

import numpy as np

from .._core import Tensor as Base
from ..autograd.function import Function
from ..functional.arguments import as_dims
from ..functional.distances import norm_of as p_norm
from .arguments import accept_numpy_names, require_torch, tensor_function
from .products import matmul
from .shapes import transpose
from .tensor import Tensor, to_device, to_host


class LinAlgError(RuntimeError):
    """Singular matrix, or a decomposition that does not exist."""


def require_matrices(where: str, input: Any, square: bool = False) -> None:
    require_torch(where, input)
    shape = tuple(input.shape)
    if not input.dtype.is_floating_point or input.dtype.itemsize == 2:
        raise RuntimeError(
            f"[{where}] got {input.dtype}; need torch.float32 or torch.float64."
        )
    if len(shape) < 2 or (square and shape[-1] != shape[-2]):
        kind = "square matrices" if square else "matrices"
        raise RuntimeError(f"[{where}] got shape {shape}; need {kind}.")


class Inverse(Function):
    """Inverse of matrices, with gradient -X⁻ᵀ G X⁻ᵀ."""

    @staticmethod
    def forward(ctx: Any, *values: Any) -> Any:
        """Compute the result."""
        (x,) = values
        ctx.save_for_backward(x)
        try:
            inverse = np.linalg.inv(to_host(x))
        except np.linalg.LinAlgError as error:
            raise LinAlgError(
                f"[linalg.inv] the matrix cannot be inverted ({error}). Is it singular?"
            ) from None
        return to_device(np.asarray(inverse, x.dtype.dtype), x)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        """Return the gradient of the input."""
        turned = transpose(Inverse.apply(ctx.saved_values[0]), -2, -1)
        return -matmul(matmul(turned, gradient), turned)


@accept_numpy_names
def inv(A: Tensor) -> Tensor:
    """Return the inverse of square matrices (…, n, n).

    Raises:
        RuntimeError: A matrix has none, or is not square.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.linalg.inv(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
        tensor([[0.5000, 0.0000],
                [0.0000, 0.2500]])
    """
    require_matrices("linalg.inv", A, square=True)
    return Inverse.apply(A)  # type: ignore[return-value]


@accept_numpy_names
def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Tensor:
    """Return the norm of vectors: (Σ |x|^ord)^(1/ord).

    Args:
        x: Floating; any shape.
        ord: 2 is the length, 1 the sum of sizes, 0 how many are not 0, inf the largest.
        dim: One dimension or several; all by default.
        keepdim: Keep them with size 1.
        dtype: Convert to it first.

    Raises:
        RuntimeError: The numbers are integers.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.linalg.vector_norm(torch.tensor([3.0, 4.0]))
        tensor(5.)
    """
    require_torch("linalg.vector_norm", x)
    input: Any = x if dtype is None else Base._cast(x, dtype)
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            f"[linalg.vector_norm] got {input.dtype}; need a floating-point dtype."
        )
    ndim = len(input.shape)
    over = (
        list(range(ndim)) if dim is None else as_dims("linalg.vector_norm", dim, ndim)
    )
    if not ndim:
        over = []
    kept = [d for d in range(ndim) if d not in over]
    lead = tuple(input.shape[d] for d in kept)
    count = math.prod(input.shape[d] for d in over)
    rows = Base._reshape(Base._permute(input, kept + over), (*lead, count))
    if count or not math.isinf(ord):
        result: Any = p_norm(rows, ord, len(lead), False)
    else:
        result = Base.sum(rows, len(lead), False)
    if keepdim:
        shape = [1 if d in over else size for d, size in enumerate(input.shape)]
        result = Base._reshape(result, shape)
    return result  # type: ignore[return-value]


def _no_matrix_norm(where: str, ord: Any) -> NotImplementedError:
    return NotImplementedError(
        f"[{where}] got the matrix norm {ord!r}; minitorch has only 'fro'. Try "
        f"numpy.linalg.norm(x.numpy(), {ord!r})."
    )


@accept_numpy_names
def norm(
    A: Tensor,
    ord: Any = None,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Tensor:
    """Return a norm of vectors, or "fro" of matrices.

    Raises:
        NotImplementedError: Another norm of matrices is asked for.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.linalg.norm(torch.tensor([3.0, 4.0]))
        tensor(5.)
    """
    require_torch("linalg.norm", A)
    pair = dim is not None and not isinstance(dim, Integral) and len(dim) == 2
    matrices = isinstance(ord, str) or (
        ord is not None and (pair or (dim is None and len(A.shape) == 2))
    )
    if matrices:
        if ord != "fro":
            raise _no_matrix_norm("linalg.norm", ord)
        require_matrices("linalg.norm", A)
        dim = (-2, -1) if dim is None else dim
        ord = 2
    size = 2 if ord is None else ord
    return vector_norm(A, size, dim, keepdim, dtype=dtype)  # type: ignore


def norm_of(
    input: Tensor,
    p: Any = "fro",
    dim: Any = None,
    keepdim: bool = False,
    dtype: Any = None,
) -> Tensor:
    """Return the norm of all elements as one vector, or along `dim`: `torch.norm`.

    Args:
        input: Floating; any shape.
        p: A number, or "fro" for 2.
        dim: One dimension or several; all by default.
        keepdim: Keep them with size 1.
        dtype: Convert to it first.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.norm(torch.tensor([[3.0], [4.0]]))
        tensor(5.)
    """
    if p == "nuc":
        raise _no_matrix_norm("norm", p)
    size = 2 if p in ("fro", None) else p
    return vector_norm(input, size, dim, keepdim, dtype=dtype)  # type: ignore


norm_of.__name__ = norm_of.__qualname__ = "norm"
norm_of = tensor_function(norm_of)


__all__ = ["LinAlgError", "inv", "norm", "vector_norm"]

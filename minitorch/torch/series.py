"""Owns functions of neighbours and of rows: differences, areas, covariances.

Must not know random numbers, or how sums are computed.
"""

from __future__ import annotations

import math
from typing import Any

from .. import _core
from .._core import Tensor as Base
from .arguments import as_dim, numpys_names, place_of, require_torch
from .parts import diagonal
from .products import matmul
from .tensor import Tensor


def _ends(input: Any, dim: int) -> tuple[Any, Any]:
    """All but the last along a dim, and all but the first."""
    size = input.shape[dim]
    return (
        Base._slice(input, dim, 0, max(size - 1, 0), 1),
        Base._slice(input, dim, min(1, size), size, 1),
    )


@numpys_names
def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """Each element less the one before it along `dim`, n times over.

    Args:
        input: One dimension or more; of truth values: do neighbours differ?
        n: How often.
        dim: Along which.
        prepend, append: Put before and behind first.

    Raises:
        RuntimeError: There is no dimension, or n is below 0.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.diff(torch.tensor([1, 4, 9]))
        tensor([3, 5])
    """
    given = [each for each in (prepend, input, append) if each is not None]
    require_torch("diff", *given)
    if not input.shape or n < 0:
        raise RuntimeError(
            f"[diff] got shape {tuple(input.shape)}, n {n}; need a dimension, and 0 or "
            "more."
        )
    at = as_dim("diff", dim, len(input.shape))
    made: Any = _core.cat(given, at) if len(given) > 1 else input
    for _ in range(min(n, made.shape[at] + 1)):  # by then nothing is left
        before, behind = _ends(made, at)
        is_truth = made.dtype == _core.bool_
        made = behind ^ before if is_truth else behind - before
    return Base.clone(made) if n == 0 else made  # type: ignore[return-value]


def _areas(where: str, y: Any, given: Any, dx: Any, dim: int) -> tuple[Any, int]:
    """The area above each step of a dimension."""
    require_torch(where, y)
    at = as_dim(where, dim, len(y.shape))
    before, behind = _ends(y, at)
    if given is None:
        return (before + behind) * (0.5 * dx), at
    require_torch(where, given)
    width = given
    if len(given.shape) == 1:
        shape = [1] * len(y.shape)
        shape[at] = given.shape[0]
        width = Base._reshape(given, shape)
    if width.shape[at - len(y.shape)] != y.shape[at]:
        raise RuntimeError(
            f"[{where}] got y {tuple(y.shape)} and x {tuple(given.shape)}; need "
            f"as many along dim {dim}."
        )
    left, right = _ends(width, at - len(y.shape) + len(width.shape))
    return (right - left) * (before + behind) * 0.5, at


@numpys_names
def trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1
) -> Tensor:
    """The area below points that straight lines join.

    Args:
        y: Heights along `dim`.
        x: Where they are: (n,), or of the shape of `y`.
        dx: Their distance, without `x`.
        dim: Along which.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.trapezoid(torch.tensor([1.0, 2.0, 3.0]))
        tensor(4.)
    """
    areas, at = _areas("trapezoid", y, x, dx, dim)
    return Base.sum(areas, at, False)  # type: ignore[return-value]


trapz = trapezoid


@numpys_names
def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1
) -> Tensor:
    """The areas of `trapezoid` up to each point but the first.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.cumulative_trapezoid(torch.tensor([1.0, 2.0, 3.0]))
        tensor([1.5000, 4.0000])
    """
    areas, at = _areas("cumulative_trapezoid", y, x, dx, dim)
    return Base.cumsum(areas, at)  # type: ignore[return-value]


def _weights(where: str, input: Any, fweights: Any, aweights: Any) -> Any:
    made: Any = None
    for each in (fweights, aweights):
        if each is None:
            continue
        require_torch(where, each)
        if tuple(each.shape) != tuple(input.shape[-1:]):
            raise RuntimeError(
                f"[{where}] got weights of shape {tuple(each.shape)} for "
                f"{tuple(input.shape)}; need one for each column."
            )
        part = Base._cast(each, input.dtype)
        made = part if made is None else made * part
    return made


@numpys_names
def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """The covariances of rows: (n, m) -> (n, n), and of a vector its variance.

    Args:
        input: A variable a row, an observation a column.
        correction: Taken off the number of observations.
        fweights: How often each was observed, in integers.
        aweights: How much each counts.

    Raises:
        RuntimeError: There are more than two dimensions, or weights do not fit.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.cov(torch.tensor([[0.0, 2.0], [1.0, 5.0]]))
        tensor([[2., 4.],
                [4., 8.]])
    """
    require_torch("cov", input)
    if len(input.shape) > 2:
        raise RuntimeError(
            f"[cov] got shape {tuple(input.shape)}; need at most two dimensions."
        )
    x: Any = input
    if not x.dtype.is_floating_point:
        x = Base._cast(x, _core.torch_default_dtype())
    rows = Base._reshape(x, (1, math.prod(x.shape))) if len(x.shape) < 2 else x
    weights = _weights("cov", rows, fweights, aweights)
    if weights is None:
        count = int(rows.shape[1])
        weights = _core.full((count,), 1, x.dtype, place_of(x)).as_torch()
    total = Base.sum(weights, 0, False)
    mean = Base.sum(rows * weights, 1, True) / total
    centred = rows - mean
    if aweights is None:
        freedom = total - correction
    else:
        scale = Base.sum(weights * Base._cast(aweights, x.dtype), 0, False) / total
        freedom = total - correction * scale
    made = matmul(centred * weights, Base._permute(centred, [1, 0]))
    made = made / Base.clamp(freedom, 0.0, None)
    return Base._reshape(made, ()) if len(input.shape) < 2 else made  # type: ignore


@numpys_names
def corrcoef(input: Tensor) -> Tensor:
    """The correlations of rows: (n, m) -> (n, n).

    Example:
        >>> import minitorch.torch as torch
        >>> torch.corrcoef(torch.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
        tensor([[ 1., -1.],
                [-1.,  1.]])
    """
    made: Any = cov(input)
    if not made.shape:
        return made / made  # type: ignore[no-any-return]
    deviation = Base.sqrt(diagonal(made))
    made = made / Base.unsqueeze(deviation, 1) / deviation
    return Base.clamp(made, -1.0, 1.0)  # type: ignore[return-value]


@numpys_names
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Slices of `dim` made shorter where their p-norm is above `maxnorm`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.renorm(torch.tensor([[3.0, 4.0], [0.0, 1.0]]), 2, 0, 1.0)
        tensor([[0.6000, 0.8000],
                [0.0000, 1.0000]])
    """
    from .linalg import vector_norm

    require_torch("renorm", input)
    at = as_dim("renorm", dim, len(input.shape))
    others = tuple(d for d in range(len(input.shape)) if d != at)
    sizes: Any = vector_norm(input, p, others, True)
    shorter = maxnorm / (sizes + 1e-7)
    return input * Base._where(Base.gt(sizes, maxnorm), shorter, 1.0)  # type: ignore


_METHODS = "corrcoef cov diff renorm"

#: Those that are methods of tensors, too.
METHODS: dict[str, Any] = {name: globals()[name] for name in _METHODS.split()}

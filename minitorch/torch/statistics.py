"""Owns differences of neighbours, areas below points, and how rows vary together.

Must not know sums of one tensor, which are `reduce`'s.
"""

from __future__ import annotations

from typing import Any

from .. import _core
from .arguments import as_dim, numpys_names, require_torch
from .tensor import Tensor

_base: Any = _core.Tensor


def _neighbours(input: Any, dim: int) -> tuple[Any, Any]:
    """All but the last along `dim`, and all but the first."""
    size = input.shape[dim]
    return input._slice(dim, 0, size - 1, 1), input._slice(dim, 1, size, 1)


@numpys_names
def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """Each element minus the one before it along `dim`, `n` times.

    Args:
        input: One dimension or more.
        n: How often; each makes the dimension one shorter.
        dim: The dimension; also as `axis`.
        prepend, append: What is put in front and behind before.

    Raises:
        RuntimeError: There is no dimension, or `n` is negative.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.diff(torch.tensor([1, 3, 2]))
        tensor([ 2, -1])
    """
    more = [each for each in (prepend, append) if each is not None]
    require_torch("diff", input, *more)
    if input.ndim == 0 or n < 0:
        raise RuntimeError(
            f"[diff] got {input.ndim} dimensions and n {n}; need one dimension and "
            "n of 0 or more."
        )
    at = as_dim("diff", dim, input.ndim)
    made: Any = input
    if more:
        rows = (prepend, input, append)
        made = _core.cat([row for row in rows if row is not None], at)
    for _ in range(min(n, made.shape[at])):
        before, after = _neighbours(made, at)
        made = _base.ne(after, before) if made.dtype == "bool" else after - before
    return made


def _widths(where: str, y: Any, x: Any, dx: Any, dim: int) -> Any:
    """The distances of the points along `dim`."""
    if x is None:
        return dx
    require_torch(where, x)
    if x.ndim == 1 and y.ndim > 1:
        x = _base._reshape(x, [-1 if d == dim else 1 for d in range(y.ndim)])
    before, after = _neighbours(x, dim if x.ndim == y.ndim else -1 % x.ndim)
    return after - before


def _areas(where: str, y: Any, x: Any, dx: Any, dim: Any) -> tuple[Any, int]:
    require_torch(where, y)
    if y.ndim == 0:
        raise RuntimeError(f"[{where}] got no dimension; need one or more.")
    at = as_dim(where, dim, y.ndim)
    real = y if y.dtype.is_floating_point else y * 1.0
    before, after = _neighbours(real, at)
    return (before + after) * _widths(where, y, x, dx, at) / 2.0, at


def trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: Any = 1, dim: int = -1
) -> Tensor:
    """The area below points joined by lines, along `dim`.

    Args:
        y: The heights.
        x: Where they are, of the same shape or (n,); by default `dx` apart.
        dx: Their distance.
        dim: The dimension.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.trapezoid(torch.tensor([1.0, 3.0, 2.0]))
        tensor(4.5000)
    """
    areas, at = _areas("trapezoid", y, x, dx, dim)
    return _base.sum(areas, at, False)


def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: Any = 1, dim: int = -1
) -> Tensor:
    """The areas of `trapezoid` up to each point behind the first."""
    areas, at = _areas("cumulative_trapezoid", y, x, dx, dim)
    return _base.cumsum(areas, at)


def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """How the rows of (variables, observations) vary together: (variables, variables).

    Args:
        input: Two dimensions, or one for a single variable.
        correction: Taken from the number of observations.
        fweights: How often each observation counts, integers (observations,).
        aweights: How much each observation counts, (observations,).

    Raises:
        RuntimeError: More than two dimensions.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.cov(torch.tensor([[0.0, 2.0], [2.0, 0.0]]))
        tensor([[ 2., -2.],
                [-2.,  2.]])
    """
    require_torch("cov", input)
    if input.ndim > 2:
        raise RuntimeError(f"[cov] got {input.ndim} dimensions; need 1 or 2.")
    rows: Any = input if input.dtype.is_floating_point else input * 1.0
    rows = _base._reshape(rows, (1, -1)) if input.ndim < 2 else rows
    given = [each for each in (fweights, aweights) if each is not None]
    require_torch("cov", *given)
    if not given:
        far = rows - _base.mean(rows, 1, True)
        made = far @ _base._permute(far, (1, 0)) / max(rows.shape[1] - correction, 0)
    else:
        made = _weighted(rows, fweights, aweights, correction)
    return _base._reshape(made, ()) if input.ndim < 2 else made


def _weighted(rows: Any, fweights: Any, aweights: Any, correction: int) -> Any:
    weights = _core.full((rows.shape[1],), 1, rows.dtype, rows.device.type).as_torch()
    for each in (fweights, aweights):
        weights = weights if each is None else weights * each._cast(rows.dtype)
    total = _base.sum(weights, None, False)
    far = rows - _base.sum(rows * weights, 1, True) / total
    norm = total - correction
    if aweights is not None:
        norm = total - correction * _base.sum(weights * aweights, None, False) / total
    return (far * weights) @ _base._permute(far, (1, 0)) / _base.clamp(norm, 0, None)


def corrcoef(input: Tensor) -> Tensor:
    """`cov` over the spreads of both rows: from -1 to 1.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.corrcoef(torch.tensor([[0.0, 2.0], [2.0, 0.0]]))
        tensor([[ 1., -1.],
                [-1.,  1.]])
    """
    together: Any = cov(input)
    if together.ndim == 0:
        return together / together
    n = together.shape[0]
    spread = _base.sqrt(_base.gather(together, 1, _diagonal(together)))  # (n, 1)
    made = together / spread / _base._reshape(spread, (1, n))
    return _base.clamp(made, -1, 1)


def _diagonal(square: Any) -> Any:
    n = square.shape[0]
    places = _core.arange(0, 1, n, _core.int64, square.device.type)
    return _base._reshape(places.as_torch(), (n, 1))


METHODS: dict[str, Any] = {
    "corrcoef": corrcoef,
    "cov": cov,
    "diff": diff,
}

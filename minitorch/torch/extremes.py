"""Owns the largest, smallest, middle and most frequent elements, with their places.

Where an order is needed it is NumPy's on the host, and values are picked by it, so that
gradients go back to their places. Sums are another family's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _core
from . import return_types
from .arguments import as_dim, numpys_names, require_torch
from .on_host import to_device
from .reduce import axes_of, called
from .tensor import Tensor

_base: Any = _core.Tensor


def host_array(input: Tensor) -> np.ndarray[Any, Any]:
    """The elements as a NumPy array of a dtype that NumPy can order."""
    plain = input.detach()
    if plain.dtype.name == "bfloat16":
        plain = plain._cast(_core.float32)
    return _core.to_numpy(plain)


def _beside(array: Any, dtype: Any, input: Tensor) -> Any:
    return to_device(np.array(array, dtype=dtype), input)


def positions(array: Any, input: Tensor) -> Tensor:
    """Whole numbers as int64 beside a tensor."""
    return _beside(array, np.int64, input)


def picked(input: Tensor, dim: int, at: Tensor, keepdim: bool) -> tuple[Tensor, Tensor]:
    """(values, indices) of the places `at`, which keep `dim` with size 1."""
    if input.ndim == 0:
        row = _base._reshape(input, (1,))
        values = _base._reshape(row.gather(0, _base._reshape(at, (1,))), ())
        return values, _base._reshape(at, ())
    values = _base.gather(input, dim, at)
    if keepdim:
        return values, at
    return _base.squeeze(values, dim), _base.squeeze(at, dim)


def require_cells(where: str, input: Tensor, dim: int | None) -> None:
    """PyTorch's errors where there is nothing to choose from."""
    if dim is None:
        if input.numel() == 0:
            raise RuntimeError(
                f"[{where}] got shape {tuple(input.shape)} and no dim; need an "
                "element, or a dimension that has some."
            )
    elif input.ndim and input.shape[dim] == 0:
        raise IndexError(
            f"[{where}] got dim {dim} of size 0 of shape {tuple(input.shape)}; need "
            "a dimension that has elements."
        )


def _extreme(
    where: str,
    kind: Any,
    both: str,
    input: Tensor,
    given: tuple[Any, ...],
    options: Any,
) -> Any:
    """`max` and `min` in their three forms."""
    require_torch(where, input)
    if given and isinstance(given[0], _core.Tensor):
        options["other"], *given = given  # type: ignore[assignment]
    if "other" in options:
        other = options.pop("other")
        require_torch(where, other)
        if given or options:
            raise TypeError(f"[{where}] got other and more; need other alone.")
        made = getattr(_base, both)(input, other)
        return called(made, f"{both.capitalize()}Backward0")
    for name, value in zip(("dim", "keepdim"), given, strict=False):
        options[name] = value
    unknown = set(options) - {"dim", "keepdim"}
    if unknown or len(given) > 2 or ("dim" in options and options["dim"] is None):
        raise TypeError(f"[{where}] got {given}, {options}; need dim and keepdim.")
    if not options:
        require_cells(where, input, None)
        made = getattr(_base, where)(input, None, False)
        return called(made, f"{where.capitalize()}Backward1")
    dim = as_dim(where, options["dim"], input.ndim)
    keepdim = options.get("keepdim", False)
    axes_of(where, input, dim, keepdim)
    require_cells(where, input, dim)
    rows = input if input.ndim else _base._reshape(input, (1,))
    at = getattr(_base, f"arg{where}")(rows, dim, True)
    values, indices = picked(input, dim, at, keepdim)
    return kind(called(values, f"{where.capitalize()}Backward0"), indices)


@numpys_names
def max(input: Tensor, *given: Any, **options: Any) -> Any:
    """The largest element, or (values, indices) along `dim`, or the larger of two.

    `max(input)`, `max(input, dim, keepdim=False)`, `max(input, other)`. NaN wins.

    Args:
        input: Any shape.
        dim: A dimension; also as `axis`.
        keepdim: Keep it with size 1.
        other: A tensor that broadcasts; then elementwise.

    Returns:
        A tensor of shape (), a named tuple, or a tensor.

    Raises:
        RuntimeError: There is no element.
        IndexError: There is no such dimension, or it has size 0.

    Kernel:
        `reduce.cu` and `arg_reduce.cu`.

    Example:
        >>> import minitorch.torch as torch
        >>> values, indices = torch.tensor([[1, 5], [7, 2]]).max(dim=1)
        >>> values, indices
        (tensor([5, 7]), tensor([1, 0]))
    """
    return _extreme("max", return_types.max, "maximum", input, given, options)


@numpys_names
def min(input: Tensor, *given: Any, **options: Any) -> Any:
    """The smallest element, or (values, indices) along `dim`; as `max`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([3.0, 1.0, 2.0]).min()
        tensor(1.)
    """
    return _extreme("min", return_types.min, "minimum", input, given, options)


def _among(where: str, input: Tensor, dim: Any, keepdim: bool) -> Tensor:
    axes, keepdim = axes_of(f"a{where}", input, dim, keepdim)
    for each in axes if isinstance(axes, tuple) else (axes,):
        require_cells(f"a{where}", input, each)
    made = getattr(_base, where)(input, axes, keepdim)
    return called(made, f"A{where}Backward0")


@numpys_names
def amax(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """The largest along `dim`, one or several; equal ones share the gradient.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.amax(torch.tensor([[1, 5], [7, 2]]), dim=(0, 1))
        tensor(7)
    """
    return _among("max", input, dim, keepdim)


@numpys_names
def amin(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """The smallest along `dim`, one or several; equal ones share the gradient.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([[3.0, 1.0], [2.0, 5.0]]).amin(dim=1)
        tensor([1., 2.])
    """
    return _among("min", input, dim, keepdim)


@numpys_names
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:
    """(min, max) of all elements, or along `dim`.

    Example:
        >>> import minitorch.torch as torch
        >>> low, high = torch.tensor([3, 1, 2]).aminmax()
        >>> low, high
        (tensor(1), tensor(3))
    """
    return return_types.aminmax(amin(input, dim, keepdim), amax(input, dim, keepdim))


def _require_numbers(where: str, input: Tensor) -> None:
    """NotImplementedError for truth values."""
    if input.dtype.name == "bool":
        raise NotImplementedError(
            f"[{where}] got torch.bool; need numbers. Try .int()."
        )


def _place(where: str, input: Tensor, dim: Any, keepdim: bool) -> Tensor:
    require_torch(where, input)
    _require_numbers(where, input)
    at = None if dim is None else as_dim(where, dim, input.ndim)
    if at is None and input.numel() == 0:
        raise IndexError(f"[{where}] got shape {tuple(input.shape)}; need an element.")
    require_cells(where, input, at)
    if at is None or input.ndim == 0:
        made = getattr(_base, where)(input, None, False)
        return _base._reshape(made, (1,) * input.ndim) if keepdim else made
    return getattr(_base, where)(input, at, keepdim)


@numpys_names
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The place of the largest along `dim`, or in row-major order, as int64.

    Raises:
        IndexError: There is no such dimension, or no element.

    Kernel:
        `arg_reduce.cu`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([[1, 5], [7, 2]]).argmax(dim=1)
        tensor([1, 0])
    """
    return _place("argmax", input, dim, keepdim)


@numpys_names
def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The place of the smallest along `dim`, or in row-major order, as int64.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([3.0, 1.0, 2.0]).argmin()
        tensor(1)
    """
    return _place("argmin", input, dim, keepdim)


def _along(
    where: str,
    kind: Any,
    place: Callable[[Any], Any],
    input: Tensor,
    dim: Any,
    keepdim: Any,
) -> Any:
    """(values, indices) of the places that `place` finds along the last axis."""
    at = as_dim(where, dim, input.ndim)
    axes_of(where, input, at, keepdim)
    require_cells(where, input, at)
    array = host_array(input)
    rows = np.moveaxis(array.reshape(array.shape or (1,)), at, -1)
    found = np.moveaxis(place(rows)[..., None], -1, at)
    values, indices = picked(input, at, positions(found, input), keepdim)
    return kind(called(values, f"{where.capitalize()}Backward1"), indices)


def _median_places(rows: Any) -> Any:
    """The lower of the middle ones; the first NaN if there is one."""
    order = np.argsort(rows, axis=-1, kind="stable")
    middle = order[..., (rows.shape[-1] - 1) // 2]
    if rows.dtype.kind != "f":
        return middle
    bad = np.isnan(rows)
    return np.where(bad.any(-1), bad.argmax(-1), middle)


def _nanmedian_places(rows: Any) -> Any:
    order = np.argsort(rows, axis=-1, kind="stable")  # NaN last
    bad = np.isnan(rows) if rows.dtype.kind == "f" else np.zeros(rows.shape, bool)
    count = rows.shape[-1] - bad.sum(-1)
    middle = np.maximum(count - 1, 0) // 2
    return np.take_along_axis(order, middle[..., None], -1)[..., 0]


def _middle(
    where: str, kind: Any, place: Any, input: Tensor, dim: Any, keepdim: bool
) -> Any:
    require_torch(where, input)
    _require_numbers(where, input)
    if dim is not None:
        return _along(where, kind, place, input, dim, keepdim)
    row = _base._reshape(input, (input.numel(),))
    if not input.numel():
        if input.dtype.is_floating_point:
            return _base.sum(row, None, False) * float("nan")
        # What PyTorch makes of NaN as an integer.
        least = np.iinfo(input.dtype.name).min
        return _beside(least, input.dtype.name, input)
    return called(_along(where, kind, place, row, 0, False)[0], "MedianBackward0")


@numpys_names
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The middle element, the lower of two; or (values, indices) along `dim`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([3.0, 1.0, 2.0, 4.0]).median()
        tensor(2.)
    """
    kind = return_types.median
    return _middle("median", kind, _median_places, input, dim, keepdim)


@numpys_names
def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """`median` of what is not NaN.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([1.0, float("nan"), 2.0, 3.0]).nanmedian()
        tensor(2.)
    """
    kind = return_types.nanmedian
    return _middle("nanmedian", kind, _nanmedian_places, input, dim, keepdim)


def _mode_place(row: Any) -> int:
    values, counts = np.unique(row, return_counts=True)
    best = values[counts.argmax()]
    return int(np.flatnonzero(row == best if best == best else np.isnan(row))[-1])


@numpys_names
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """The most frequent element along `dim`, the smallest of several; its last place.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([1, 2, 2, 3]).mode().values
        tensor(2)
    """
    require_torch("mode", input)

    def place(rows: Any) -> Any:
        if not rows.size:
            return np.zeros(rows.shape[:-1], dtype=np.int64)
        return np.apply_along_axis(_mode_place, -1, rows)

    return _along("mode", return_types.mode, place, input, dim, keepdim)


_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def _at_share(where: str, input: Tensor, q: Any, interpolation: str) -> Any:
    """The shares as an array, checked."""
    require_torch(where, input)
    if input.dtype.name not in ("float32", "float64"):
        raise RuntimeError(
            f"[{where}] got {input.dtype}; need torch.float32 or torch.float64."
        )
    if interpolation not in _INTERPOLATIONS:
        raise RuntimeError(
            f"[{where}] got interpolation {interpolation!r}; need one of "
            f"{', '.join(_INTERPOLATIONS)}."
        )
    if isinstance(q, Tensor) and q.ndim > 1:
        raise RuntimeError(f"[{where}] got q of shape {tuple(q.shape)}; need (n,).")
    if isinstance(q, Tensor) and q.dtype != input.dtype:
        raise RuntimeError(f"[{where}] got q of {q.dtype}; need {input.dtype}.")
    array = np.asarray(host_array(q) if isinstance(q, Tensor) else q, dtype=np.float64)
    if array.size and not (array.min() >= 0 and array.max() <= 1):
        raise RuntimeError(f"[{where}] got q {q}; need numbers from 0 to 1.")
    if not input.numel():
        raise RuntimeError(f"[{where}] got no element; need one or more.")
    return array


def _between(interpolation: str, exact: Any) -> tuple[Any, Any]:
    """The lower place, and the weight of the one above it."""
    low = np.floor(exact)
    share = exact - low
    if interpolation == "lower":
        share = np.zeros_like(share)
    elif interpolation == "higher":
        share = np.ceil(share)
    elif interpolation == "midpoint":
        share = np.where(share > 0, 0.5, 0.0)
    elif interpolation == "nearest":
        share = np.rint(exact) - low
    return low.astype(np.int64), share


def _lerp(below: Any, above: Any, weight: Any, input: Tensor) -> Any:
    """Between both, from the nearer one, so that an infinite other end does no harm."""
    step = above - below
    front = below + step * _beside(weight, input.dtype.name, input)
    back = above - step * _beside(1 - weight, input.dtype.name, input)
    return _beside(weight < 0.5, np.bool_, input)._where(front, back)


def _quantile(
    where: str,
    input: Tensor,
    q: Any,
    dim: Any,
    keepdim: bool,
    interpolation: str,
    skip: bool,
) -> Tensor:
    shares = _at_share(where, input, q, interpolation)
    ndim = input.ndim
    row = input if dim is not None and ndim else _base._reshape(input, (input.numel(),))
    at = as_dim(where, dim, ndim) if dim is not None else 0
    rows = np.moveaxis(host_array(row), at, -1)
    order = np.argsort(rows, axis=-1, kind="stable")
    bad = np.isnan(rows).sum(-1)
    cells = rows.shape[-1] - (bad if skip else 0)  # that count
    exact = shares.reshape(-1, *[1] * (rows.ndim - 1)) * np.maximum(cells - 1, 0)
    low, share = _between(interpolation, exact)  # (shares, …)
    high = np.minimum(low + 1, rows.shape[-1] - 1)

    def taken(places: Any) -> Any:  # (shares, …) -> values there, along `at`
        there = np.take_along_axis(order, np.moveaxis(places, 0, -1), -1)
        return _base.gather(row, at, positions(np.moveaxis(there, -1, at), row))

    weight = np.moveaxis(np.moveaxis(share, 0, -1), -1, at)
    below = taken(low)
    above = taken(np.where(share > 0, high, low))
    made = _lerp(below, above, weight, input)
    lost = (cells == 0) if skip else (bad > 0)
    if np.any(lost):
        hidden = np.broadcast_to(np.expand_dims(lost, at), made.shape)
        made = _beside(hidden, np.bool_, input)._where(float("nan"), made)
    return _arranged(made, at, input, dim, keepdim, shares.ndim)


def _arranged(
    made: Any, at: int, input: Tensor, dim: Any, keepdim: bool, of_q: int
) -> Tensor:
    """(…, shares, …) -> (shares, …) with the dimensions as asked for."""
    if not of_q:
        made = _base.squeeze(made, at)
        if keepdim:
            sizes = (
                [1] * input.ndim
                if dim is None
                else [*made.shape[:at], 1, *made.shape[at:]]
            )
            made = _base._reshape(made, sizes if input.ndim else ())
        return made  # type: ignore[no-any-return]
    order = [at, *[d for d in range(made.ndim) if d != at]]
    made = _base._permute(made, order)
    if keepdim and input.ndim:
        rest = list(made.shape[1:])
        kept = [1] * input.ndim if dim is None else [*rest[:at], 1, *rest[at:]]
        made = _base._reshape(made, (made.shape[0], *kept))
    return made  # type: ignore[no-any-return]


@numpys_names
def quantile(
    input: Tensor,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """The element below which a share `q` of all, or of those along `dim`, lies.

    Args:
        input: Any shape, float32 or float64.
        q: A number from 0 to 1, or several in a tensor (n,), then the first dimension.
        dim: A dimension, or None for all elements.
        keepdim: Keep it with size 1.
        interpolation: Between two elements: "linear", "lower", "higher", "midpoint" or
            "nearest".

    Raises:
        RuntimeError: Another dtype, `q` outside of 0 to 1, or no element.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([1.0, 2.0, 3.0, 4.0]).quantile(0.5)
        tensor(2.5000)
    """
    return _quantile("quantile", input, q, dim, keepdim, interpolation, False)


@numpys_names
def nanquantile(
    input: Tensor,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """`quantile` of what is not NaN."""
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation, True)


METHODS: dict[str, Any] = {
    "amax": amax,
    "amin": amin,
    "aminmax": aminmax,
    "argmax": argmax,
    "argmin": argmin,
    "max": max,
    "median": median,
    "min": min,
    "mode": mode,
    "nanmedian": nanmedian,
    "nanquantile": nanquantile,
    "quantile": quantile,
}

"""Resize images by interpolation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core import Tensor
from .arguments import require_tensors
from .pooling import numbers_like, places_like

__all__ = ["interpolate"]


@dataclass(frozen=True)
class _Taps:
    """Input indices and weights of each output element: (outputs, taps)."""

    places: np.ndarray
    weights: np.ndarray


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """Resize the input, by interpolation between neighbouring elements.

    Args:
        input: (n, channels, length), (n, channels, height, width) or with a depth
            before the height.
        size: Of the result: one number, or one a dimension.
        scale_factor: The size of the result over that of the input, in its place.
        mode: "nearest", or "bilinear" (images).
        align_corners: The corners' centres stay where they are, rather than the
            outer edges; for "bilinear".

    Returns:
        (n, channels, *sizes), of the dtype and on the device of the input.

    Raises:
        ValueError: Not exactly one of size and scale_factor is given, the mode is
            unknown or not for these dimensions, or an option does not fit the mode.

    Kernel:
        `gather.cu`, for each tap and dimension, and `zip.cu`.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([[[0.0, 2.0]]])
        >>> interpolate(x, scale_factor=2).numpy()
        array([[[0., 0., 2., 2.]]])
        >>> y = x.reshape(1, 1, 1, 2)
        >>> interpolate(y, size=(1, 3), mode="bilinear", align_corners=True).numpy()
        array([[[[0., 1., 2.]]]])
    """
    _require_mode(input, mode, align_corners)
    cells = tuple(input.shape[2:])
    sizes, scales = _sizes(cells, size, scale_factor)
    out = input
    for i, (cell, wanted, scale) in enumerate(zip(cells, sizes, scales, strict=True)):
        taps = _taps(mode, cell, wanted, scale, bool(align_corners))
        out = _along(out, 2 + i, taps)
    return out


def _require_mode(input: Any, mode: str, align_corners: bool | None) -> None:
    require_tensors("interpolate", input)
    spatial = len(input.shape) - 2
    known = ["nearest", "bilinear"] if spatial == 2 else ["nearest"]
    if mode not in known or spatial not in (1, 2, 3) or 0 in input.shape[1:]:
        raise ValueError(
            f"[interpolate] got mode {mode!r} for input {tuple(input.shape)}; need a "
            "non-empty input of 3 to 5 dimensions (n, channels, …), and one of the "
            f"modes {known}."
        )
    if align_corners is not None and mode == "nearest":
        raise ValueError(
            "[interpolate] mode 'nearest' does not take align_corners. Try "
            "mode='bilinear'."
        )


def _sizes(
    cells: tuple[int, ...], size: Any, factor: Any
) -> tuple[list[int], list[float | None]]:
    """Return the sizes of the result, and the scale of each (None: from the sizes)."""
    if (size is None) == (factor is None):
        raise ValueError(
            f"[interpolate] got size {size} and scale_factor {factor}; need exactly "
            "one of them."
        )
    given = size if factor is None else factor
    listed = list(given) if isinstance(given, Sequence) else [given] * len(cells)
    if len(listed) != len(cells):
        raise ValueError(
            f"[interpolate] got {given} for {len(cells)} spatial dimensions; need one "
            f"number, or {len(cells)}."
        )
    if factor is None:
        sizes = [int(number) for number in listed]
        scales: list[float | None] = [None] * len(cells)
    else:
        sizes = [math.floor(c * f) for c, f in zip(cells, listed, strict=True)]
        scales = [1 / f for f in listed]
    if min(sizes) < 1:
        raise ValueError(
            f"[interpolate] the result would have size {tuple(sizes)}; every size must "
            "be at least 1."
        )
    return sizes, scales


def _taps(
    mode: str, cells: int, wanted: int, scale: float | None, align_corners: bool
) -> _Taps:
    index = np.arange(wanted, dtype=np.float64)
    step = cells / wanted if scale is None else scale
    if mode == "nearest":
        # PyTorch finds these cells in float32.
        raw = np.float32(step) * index.astype(np.float32)
        places = np.minimum(np.floor(raw).astype(np.int64), cells - 1)
        return _Taps(places[:, None], np.ones((wanted, 1)))
    if align_corners:
        spot = index * ((cells - 1) / (wanted - 1) if wanted > 1 else 0)
    else:
        spot = np.maximum((index + 0.5) * step - 0.5, 0)
    low = np.floor(spot)
    part = spot - low
    places = low.astype(np.int64)[:, None] + np.arange(2)
    return _Taps(np.clip(places, 0, cells - 1), np.stack([1 - part, part], axis=1))


def _along(x: Tensor, dim: int, taps: _Taps) -> Tensor:
    shape = [1] * len(x.shape)
    shape[dim] = -1
    total: Tensor | None = None
    for places, weights in zip(taps.places.T, taps.weights.T, strict=True):
        index = places_like(places.copy(), x)
        cells = x.index_select(dim, index)
        if len(taps.weights.T) > 1:
            factor = numbers_like(weights.copy(), x)
            cells = cells * factor._reshape(shape)
        total = cells if total is None else total + cells
    assert total is not None
    return total

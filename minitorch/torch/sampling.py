"""Random integers, permutations and choices, and normal numbers of given moments.

Their sequence is `random`'s; the numbers are this library's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .arguments import as_integer, require_torch, tensor_function
from .create import TensorOptions, randn
from .dtypes import int64
from .minmax import index_tensor
from .random import drawing_from
from .tensor import Tensor, sizes_of, to_host

__all__ = ["multinomial", "normal", "randint", "randperm"]

_base: Any = _core.Tensor


def randint(low: Any, high: Any = None, size: Any = None, **options: Any) -> Tensor:
    """Return random integers, uniform in low, …, high - 1.

    `randint(high, size)`, `randint(low, high, size)`.

    Args:
        low, high, size: The bounds, and the shape as a tuple.
        generator: Where they are drawn from.
        dtype: int64 by default; `device`, `requires_grad`, `out` as everywhere.

    Raises:
        RuntimeError: There is no integer between.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.randint(0, 10, (2, 3)).shape
        torch.Size([2, 3])
    """
    if size is None:
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    if not isinstance(size, tuple | list):
        raise TypeError(f"[randint] got size {size!r}; need a tuple of integers.")
    sizes = sizes_of("randint", (size,))
    low = as_integer("randint", "low", low)
    high = as_integer("randint", "high", high)
    generator = options.pop("generator", None)
    if options.get("dtype") is None:
        options["dtype"] = int64
    wanted = TensorOptions("randint", options)
    if not 0 < high - low <= 2**53:
        raise RuntimeError(
            f"[randint] got low {low} and high {high}; need low < high, at most 2**53 "
            "apart."
        )
    with drawing_from("randint", generator):
        drawn = _core.rand(sizes, _core.float64, wanted.device)
    result = (drawn * (high - low))._cast(_core.int64) + low
    return wanted.finish(result._cast(wanted.real()))


def randperm(n: int, **options: Any) -> Tensor:
    """Return 0, …, n - 1 in random order, as int64.

    Args:
        n: How many.
        generator: Where the order is drawn from.

    Raises:
        RuntimeError: `n` is negative.

    Example:
        >>> import minitorch.torch as torch
        >>> sorted(torch.randperm(4).tolist())
        [0, 1, 2, 3]
    """
    generator = options.pop("generator", None)
    if options.get("dtype") is None:
        options["dtype"] = int64
    wanted = TensorOptions("randperm", options)
    (count,) = sizes_of("randperm", (n,))
    with drawing_from("randperm", generator):
        drawn = _core.rand((count,), _core.float64, "cpu")
    order = np.argsort(_core.to_numpy(drawn), kind="stable")
    result = _core.from_numpy(order.astype(np.int64))._to_device(wanted.device)
    return wanted.finish(result._cast(wanted.real()))


def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, **options: Any) -> Tensor:
    """Return normal random numbers; mean and std are numbers or tensors.

    Args:
        mean, std: Numbers, or tensors that broadcast.
        size: The shape, where both are numbers.
        generator: Where they are drawn from.

    Raises:
        RuntimeError: `std` is negative.
        TypeError: There is neither a tensor nor a shape.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.normal(0.0, 1.0, (2, 3)).shape
        torch.Size([2, 3])
    """
    tensors = [t for t in (mean, std) if isinstance(t, _core.Tensor)]
    require_torch("normal", *tensors)
    low = std if not isinstance(std, _core.Tensor) else float(_lowest(std))
    if not low >= 0:
        raise RuntimeError(f"[normal] got std {low}; need at least 0.")
    if tensors and size is None:
        shape: Any = np.broadcast_shapes(*(t.shape for t in tensors))
        options.setdefault("dtype", tensors[0].dtype)
        options.setdefault("device", tensors[0].device)
    elif size is None:
        raise TypeError(
            "[normal] got two numbers and no size; need size=, the shape of the result."
        )
    else:
        shape = sizes_of("normal", (size,))
    result = randn(shape, **options)
    return result.detach() * std + mean if not result.requires_grad else result


def _lowest(std: Any) -> Any:
    return _base.min(std.detach(), None, False).item() if std.numel() else 0


def _require_weights(input: Any, num_samples: int, replacement: bool) -> Any:
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            f"[multinomial] got {input.dtype}; need a floating-point dtype."
        )
    if input.ndim not in (1, 2):
        raise RuntimeError(
            f"[multinomial] got shape {tuple(input.shape)}; need (n,) or (rows, n)."
        )
    weights = np.atleast_2d(to_host(input).astype(np.float64))
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise RuntimeError(
            f"[multinomial] weights must be finite and at least 0, got {weights.min()} "
            f"to {weights.max()}."
        )
    if not 1 <= num_samples < 2**62 or (
        not replacement and num_samples > weights.shape[1]
    ):
        raise RuntimeError(
            f"[multinomial] got num_samples {num_samples} for {weights.shape[1]} "
            f"weights; need 1 to {weights.shape[1]}. More samples need "
            "replacement=True."
        )
    if (weights.sum(1) <= 0).any():
        raise RuntimeError(
            "[multinomial] the weights of a row sum to 0; need at least one positive "
            "weight."
        )
    return weights


@tensor_function
def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None
) -> Tensor:
    """Return indices drawn by their weights, as int64.

    Args:
        input: Weights of 0 or more, (n,) or (rows, n).
        num_samples: How many places to draw in each row.
        replacement: May a place be drawn several times?
        generator: Where they are drawn from.

    Returns:
        (num_samples,) or (rows, num_samples).

    Raises:
        RuntimeError: A weight is negative or not finite, all of a row are 0, or there
            are too few places.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.multinomial(torch.tensor([0.0, 1.0]), 1)
        tensor([1])
    """
    weights = _require_weights(input, num_samples, replacement)
    columns = num_samples if replacement else weights.shape[1]
    with drawing_from("multinomial", generator):
        drawn = _core.rand((weights.shape[0], columns), _core.float64, "cpu")
    chances = _core.to_numpy(drawn)
    if replacement:
        steps = np.cumsum(weights, axis=1)
        rows = zip(steps, chances, strict=True)
        indices = np.stack([np.searchsorted(s, c * s[-1], "right") for s, c in rows])
        last = weights.shape[1] - 1 - np.argmax(weights[:, ::-1] > 0, axis=1)
        indices = np.minimum(indices, last[:, None])
    else:  # the shortest waiting times at these rates
        with np.errstate(divide="ignore"):
            waits = -np.log1p(-chances) / weights
        indices = np.argsort(waits, axis=1, kind="stable")[:, :num_samples]
    return index_tensor(indices if input.ndim == 2 else indices[0], input)

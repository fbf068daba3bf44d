"""Embeddings: `embedding`, `embedding_bag`."""

from __future__ import annotations

import itertools
import math

from .. import _core
from .._core import Tensor
from .arguments import require_tensors
from .indexing import stack
from .reduce import amax

__all__ = ["embedding", "embedding_bag"]


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    *,
    sparse: bool = False,
) -> Tensor:
    """Return the row of `weight` for each number of `input`.

    Args:
        input: (…), integers 0 to rows - 1.
        weight: (rows, width).
        padding_idx: A row that gets no gradient; negative counts from the end.
        sparse: Taken for old programs; gradients are always dense.

    Returns:
        (…, width), of weight's dtype and on its device.

    Raises:
        IndexError: A number lies outside the rows; on `cuda` said at the next
            synchronisation.
        TypeError: The input does not hold integers.

    Kernel:
        cpp/kernels/check_index.cu and embedding.cu, one thread an output cell.

    Example:
        >>> import minitorch
        >>> table = minitorch.tensor([[0.0, 1.0], [2.0, 3.0]])
        >>> embedding(minitorch.tensor([1, 1, 0], dtype="int64"), table).numpy()
        array([[2., 3.],
               [2., 3.],
               [0., 1.]])
    """
    require_tensors("embedding", input, weight)
    skipped = -1
    if padding_idx is not None:
        rows = weight.shape[0] if len(weight.shape) else 0
        if not -rows <= padding_idx < rows:
            raise ValueError(
                f"[embedding] got padding_idx {padding_idx}; need {-rows} to "
                f"{rows - 1}."
            )
        skipped = padding_idx % rows
    return _core.embedding(weight, input, skipped)


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    mode: str = "mean",
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Return the sum, mean or maximum of the rows of each bag of numbers.

    Args:
        input: (bags, numbers), or (numbers,) with offsets; integers 0 to rows - 1.
        weight: (rows, width).
        offsets: (bags,), where each bag begins in a one-dimensional input.
        mode: "mean", "sum" or "max".
        per_sample_weights: Of the input's shape, factors of the rows; for "sum".
        include_last_offset: The last offset is the end of the last bag.
        padding_idx: A row that counts nothing.

    Returns:
        (bags, width); 0 for a bag without numbers.

    Raises:
        ValueError: Shapes, mode or offsets do not fit.
        IndexError: A number lies outside the rows.

    Kernel:
        cpp/kernels/embedding.cu and `reduce.cu`; the offsets wait for the device.

    Example:
        >>> import minitorch
        >>> table = minitorch.tensor([[0.0, 1.0], [2.0, 3.0]])
        >>> embedding_bag(minitorch.tensor([[1, 0]], dtype="int64"), table).numpy()
        array([[1., 2.]])
    """
    where = "embedding_bag"
    optional = (offsets, per_sample_weights)
    require_tensors(where, input, weight, optional=optional)
    _require_bags(input, offsets, mode, per_sample_weights)
    rows = embedding(input, weight, padding_idx)
    counted = None
    if padding_idx is not None:
        counted = input.ne(padding_idx % weight.shape[0])
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(len(input.shape))
    if offsets is None:
        return _bag(rows, counted, mode, 1)
    starts = [int(v) for v in offsets.detach().numpy().ravel()]
    if not include_last_offset:
        starts.append(input.shape[0])
    if starts != sorted(starts) or starts[0] != 0 or starts[-1] > input.shape[0]:
        raise ValueError(
            f"[{where}] got offsets {starts[:8]} for an input of {input.shape[0]} "
            "elements; they must start at 0, be in ascending order, and be at most "
            f"{input.shape[0]}."
        )
    bags = []
    for first, last in itertools.pairwise(starts):
        part = rows._slice(0, first, last, 1)
        seen = None if counted is None else counted._slice(0, first, last, 1)
        bags.append(_bag(part, seen, mode, 0))
    return stack(bags)


def _require_bags(
    input: Tensor, offsets: Tensor | None, mode: str, factors: Tensor | None
) -> None:
    where, dims = "embedding_bag", len(input.shape)
    if mode not in ("mean", "sum", "max"):
        raise ValueError(f"[{where}] got mode {mode!r}; need 'mean', 'sum' or 'max'.")
    if dims != (2 if offsets is None else 1):
        raise ValueError(
            f"[{where}] got input {tuple(input.shape)} and offsets "
            f"{None if offsets is None else tuple(offsets.shape)}; need input (bags, "
            "n), or input (n,) with offsets (bags,)."
        )
    if factors is not None and (mode != "sum" or factors.shape != input.shape):
        raise ValueError(
            f"[{where}] got per_sample_weights {tuple(factors.shape)} and mode "
            f"{mode!r}; need {tuple(input.shape)}, the shape of the input, and mode "
            "'sum'."
        )


def _bag(rows: Tensor, counted: Tensor | None, mode: str, dim: int) -> Tensor:
    """Reduce a bag's rows along `dim` to one row."""
    count: Tensor | int = rows.shape[dim]
    if counted is not None:
        mask = counted._cast(rows.dtype).unsqueeze(dim + 1)
        count = _core.Tensor.sum(mask, dim, False).clamp(1)
        if mode == "max":
            rows = counted.unsqueeze(dim + 1)._where(rows, -math.inf)
        else:
            rows = rows * mask
    if mode == "max" and rows.shape[dim]:
        best = amax(rows, dim, False)
        return best if counted is None else best.eq(-math.inf)._where(0.0, best)
    total = _core.Tensor.sum(rows, dim, False)
    if mode != "mean":
        return total
    out: Tensor = total / (count if counted is not None else max(rows.shape[dim], 1))
    return out

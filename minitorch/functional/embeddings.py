"""Rows of a table by their numbers: `embedding`."""

from __future__ import annotations

from .. import _core
from .._core import FitError, Tensor
from .arguments import require_tensors

__all__ = [
    "embedding",
]


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
            raise FitError(
                f"[embedding] got padding_idx {padding_idx}; need {-rows} to "
                f"{rows - 1}."
            )
        skipped = padding_idx % rows
    return _core.embedding(weight, input, skipped)

"""Owns sequences of several lengths as one tensor, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from .... import _core
from ...tensor import Tensor
from ..arguments import require_torch


def pad_sequence(
    sequences: Iterable[Tensor] | Tensor,
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Sequences (length, …) side by side: (longest, n, …).

    Args:
        sequences: They differ in the first size alone.
        batch_first: (n, longest, …) instead.
        padding_value: What fills up the shorter ones.
        padding_side: "right" or "left": where it is put.

    Raises:
        ValueError: Another padding_side.
        RuntimeError: There is no sequence, or other sizes differ.

    Example:
        >>> import minitorch.torch as torch
        >>> parts = [torch.tensor([1, 2]), torch.tensor([3])]
        >>> pad_sequence(parts, batch_first=True).tolist()
        [[1, 2], [3, 0]]
    """
    parts: list[Any] = list(sequences)
    require_torch("pad_sequence", *parts)
    if padding_side not in ("right", "left"):
        raise ValueError(
            f"[pad_sequence] got padding_side {padding_side!r}; need 'right' or 'left'."
        )
    rests = {tuple(each.shape[1:]) for each in parts}
    if len(rests) != 1 or any(each.dims == 0 for each in parts):
        raise RuntimeError(
            f"[pad_sequence] got sizes {[tuple(each.shape) for each in parts]}; need "
            "one sequence or more, which differ in the first size alone."
        )
    longest = max(each.shape[0] for each in parts)
    rows = []
    for each in parts:
        missing = (longest - each.shape[0], *each.shape[1:])
        fill = _core.full(missing, padding_value, each.dtype, each.device)
        both = [each, fill] if padding_side == "right" else [fill, each]
        rows.append(_core.cat(both, 0).unsqueeze(0 if batch_first else 1))
    return cast(Tensor, _core.cat(rows, 0 if batch_first else 1))


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor | Sequence[int], batch_first: bool = False
) -> list[Tensor]:
    """The sequences that `pad_sequence` joined.

    Args:
        padded_sequences: (longest, n, …), or (n, longest, …) with `batch_first`.
        lengths: Of each sequence.

    Example:
        >>> import minitorch.torch as torch
        >>> rows = torch.tensor([[1, 2], [3, 0]])
        >>> [each.tolist() for each in unpad_sequence(rows, [2, 1], batch_first=True)]
        [[1, 2], [3]]
    """
    require_torch("unpad_sequence", padded_sequences)
    counts = lengths.tolist() if isinstance(lengths, Tensor) else list(lengths)
    across = 0 if batch_first else 1
    found = []
    for place, count in enumerate(counts):
        row: Any = padded_sequences._slice(across, place, place + 1, 1).squeeze(across)
        found.append(row._slice(0, 0, int(count), 1))
    return found

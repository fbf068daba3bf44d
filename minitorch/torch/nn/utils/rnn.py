"""Sequences of different lengths as one tensor, padded or packed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self, cast

from .... import _core
from ...arguments import require_torch
from ...create import tensor
from ...tensor import Tensor


def pad_sequence(
    sequences: Iterable[Tensor] | Tensor,
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Pad sequences (length, …) and stack them: (longest, n, …).

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
    rests = {tuple(part.shape[1:]) for part in parts}
    if len(rests) != 1 or any(part.dims == 0 for part in parts):
        raise RuntimeError(
            f"[pad_sequence] got shapes {[tuple(part.shape) for part in parts]}; need "
            "at least one sequence, and only the first size may differ."
        )
    longest = max(part.shape[0] for part in parts)
    rows = []
    for part in parts:
        missing = (longest - part.shape[0], *part.shape[1:])
        fill = _core.full(missing, padding_value, part.dtype, part.device)
        both = [part, fill] if padding_side == "right" else [fill, part]
        rows.append(_core.cat(both, 0).unsqueeze(0 if batch_first else 1))
    return cast(Tensor, _core.cat(rows, 0 if batch_first else 1))


class PackedSequence(NamedTuple):
    """Sequences of different lengths without padding, the longest first.

    Attributes:
        data: (sum of lengths, …): the rows of step 0, of step 1 and so on.
        batch_sizes: int64 (longest,), how many sequences have each step.
        sorted_indices: int64 (n,), where each stood before they were sorted; or None.
        unsorted_indices: int64 (n,), the way back; or None.
    """

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None = None
    unsorted_indices: Tensor | None = None

    def to(self, *args: Any, **options: Any) -> Self:
        """Return it with the data on another device or of another dtype."""
        moved = cast(Any, self.data).to(*args, **options)
        order = [
            None if indices is None else cast(Any, indices).to(moved.device)
            for indices in (self.sorted_indices, self.unsorted_indices)
        ]
        return type(self)(moved, self.batch_sizes, *order)


def _inverse(permutation: list[int]) -> list[int]:
    inverse = [0] * len(permutation)
    for i, target in enumerate(permutation):
        inverse[target] = i
    return inverse


def _picked(x: Any, order: list[int], across: int) -> Any:
    return x.index_select(across, tensor(order, device=x.device))


def pack_padded_sequence(
    input: Tensor,
    lengths: Tensor | Sequence[int],
    batch_first: bool = False,
    enforce_sorted: bool = True,
) -> PackedSequence:
    """Pack padded sequences (longest, n, …) without padding, for recurrent layers.

    Args:
        input: The sequences.
        lengths: (n,), of each.
        batch_first: They are (n, longest, …).
        enforce_sorted: They stand with the longest first; otherwise they are sorted,
            and layers give their results in the order of the input.

    Raises:
        RuntimeError: A length is below 1 or above the longest, their number is not n,
            or they are not sorted.

    Example:
        >>> import minitorch.torch as torch
        >>> rows = torch.tensor([[1, 2, 3], [4, 5, 0]])
        >>> packed = pack_padded_sequence(rows, [3, 2], batch_first=True)
        >>> packed.data.tolist(), packed.batch_sizes.tolist()
        ([1, 4, 2, 5, 3], [2, 2, 1])
    """
    where = "pack_padded_sequence"
    require_torch(where, input)
    x: Any = input
    counts = [
        int(n) for n in (lengths.tolist() if isinstance(lengths, Tensor) else lengths)
    ]
    wide = x.transpose(0, 1) if batch_first else x
    if len(counts) != wide.shape[1] or not all(0 < n <= wide.shape[0] for n in counts):
        raise RuntimeError(
            f"[{where}] got lengths {counts} for an input of shape {tuple(x.shape)}; "
            f"need {wide.shape[1]} lengths from 1 to {wide.shape[0]}."
        )
    order = sorted(range(len(counts)), key=lambda i: -counts[i])
    if enforce_sorted:
        if counts != sorted(counts, reverse=True):
            raise RuntimeError(
                f"[{where}] got lengths {counts}; they must be in descending order. "
                "Try enforce_sorted=False."
            )
    else:
        wide, counts = _picked(wide, order, 1), [counts[i] for i in order]
    sizes = [sum(n > step for n in counts) for step in range(counts[0])]
    rows = [
        wide._slice(0, step, step + 1, 1).squeeze(0)._slice(0, 0, count, 1)
        for step, count in enumerate(sizes)
    ]
    packed = cast(Tensor, _core.cat(rows, 0))
    if enforce_sorted:
        return PackedSequence(packed, tensor(sizes))
    ways = [tensor(way, device=x.device) for way in (order, _inverse(order))]
    return PackedSequence(packed, tensor(sizes), *ways)


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Pad a packed sequence: the inverse of `pack_padded_sequence`.

    Args:
        sequence: What is packed.
        batch_first: (n, longest, …) instead of (longest, n, …).
        padding_value: What fills up the shorter ones.
        total_length: How long they become; by default as the longest.

    Returns:
        The sequences, and their lengths, int64 (n,).

    Raises:
        ValueError: total_length is below the longest.

    Example:
        >>> import minitorch.torch as torch
        >>> packed = pack_sequence([torch.tensor([1, 2]), torch.tensor([3])])
        >>> rows, lengths = pad_packed_sequence(packed, batch_first=True)
        >>> rows.tolist(), lengths.tolist()
        ([[1, 2], [3, 0]], [2, 1])
    """
    data: Any = sequence.data
    sizes: list[int] = cast(Any, sequence.batch_sizes).tolist()
    longest = len(sizes) if total_length is None else total_length
    if longest < len(sizes):
        raise ValueError(
            f"[pad_packed_sequence] got total_length {total_length}, but the longest "
            f"sequence has length {len(sizes)}."
        )
    many, rest, start, steps = sizes[0], tuple(data.shape[1:]), 0, []
    for size in [*sizes, *[0] * (longest - len(sizes))]:
        fill = _core.full((many - size, *rest), padding_value, data.dtype, data.device)
        both = [data._slice(0, start, start + size, 1), fill]
        steps.append(_core.cat(both, 0).unsqueeze(0))
        start += size
    padded: Any = _core.cat(steps, 0)
    lengths = [sum(size > row for size in sizes) for row in range(many)]
    if sequence.unsorted_indices is not None:
        back: list[int] = cast(Any, sequence.unsorted_indices).tolist()
        padded, lengths = _picked(padded, back, 1), [lengths[i] for i in back]
    return (padded.transpose(0, 1) if batch_first else padded), tensor(lengths)


def pack_sequence(
    sequences: Iterable[Tensor], enforce_sorted: bool = True
) -> PackedSequence:
    """Pack sequences (length, …); see `pack_padded_sequence` for the arguments."""
    parts = list(sequences)
    lengths = [part.shape[0] for part in parts]
    options = {"enforce_sorted": enforce_sorted}
    return pack_padded_sequence(pad_sequence(parts), lengths, **options)

"""Collate samples into batches: tensors, arrays, numbers, and containers of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....functional.indexing import stack
from ... import create, dtypes
from ...tensor import Tensor


def default_convert(data: Any) -> Any:
    """Convert NumPy arrays to tensors, also inside containers; leave the rest."""
    if isinstance(data, np.ndarray | np.generic):
        if data.dtype.kind in "SUO":
            return data
        return create.as_tensor(data)
    if isinstance(data, Mapping):
        return {key: default_convert(value) for key, value in data.items()}
    if isinstance(data, tuple):
        return _tuple_of(data, [default_convert(value) for value in data])
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return [default_convert(value) for value in data]
    return data


def _tuple_of(model: tuple[Any, ...], values: list[Any]) -> Any:
    """Return a namedtuple like `model`; plain tuples become lists, as in PyTorch."""
    return type(model)(*values) if hasattr(model, "_fields") else values


def default_collate(batch: Sequence[Any]) -> Any:
    """Collate samples to a batch along a new first dimension.

    Tensors and arrays are stacked; floats become float64, integers int64; text stays as
    it is; tuples, lists and dicts are joined part by part.

    Raises:
        RuntimeError: Samples differ in shape or in length.
        TypeError: A sample is something else.

    Example:
        >>> from minitorch.torch.utils.data import default_collate
        >>> numbers, texts = default_collate([(1, "a"), (2, "b")])
        >>> numbers.tolist(), texts
        ([1, 2], ('a', 'b'))
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return _stacked(list(batch))
    if isinstance(first, np.ndarray | np.generic):
        return _stacked([_from_array(sample) for sample in batch])
    if isinstance(first, float):
        return create.tensor(list(batch), dtype=dtypes.float64)
    if isinstance(first, int):
        return create.tensor(list(batch))
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return {
            key: default_collate([sample[key] for sample in batch]) for key in first
        }
    if isinstance(first, Sequence):
        return _of_sequences(batch)
    raise TypeError(
        f"[default_collate] got {type(first).__name__}; need tensors, arrays, numbers, "
        "strings, dicts, tuples or lists. Try a collate_fn of your own."
    )


def _stacked(rows: list[Any]) -> Any:
    shapes = {tuple(row.shape) for row in rows}
    if len(shapes) > 1:
        raise RuntimeError(
            f"[default_collate] samples have different shapes: {sorted(shapes)}. Try a "
            "collate_fn of your own that pads them."
        )
    return stack(rows, 0)


def _from_array(array: Any) -> Any:
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"[default_collate] got an array of {array.dtype}; need numbers."
        )
    return create.as_tensor(array)


def _of_sequences(batch: Sequence[Any]) -> Any:
    lengths = {len(sample) for sample in batch}
    if len(lengths) > 1:
        raise RuntimeError(
            f"[default_collate] samples have different lengths: {sorted(lengths)}. "
            "They must be equal."
        )
    joined = [default_collate(column) for column in zip(*batch, strict=True)]
    return _tuple_of(batch[0], joined) if isinstance(batch[0], tuple) else joined

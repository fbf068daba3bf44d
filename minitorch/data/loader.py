"""`DataLoader`: batches of a data set, shuffled with a seed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from .._core import Tensor
from ..tensors.create import tensor
from ..tensors.create_ranges import randint


class Dataset(Protocol):
    """Interface of a DataLoader's data: samples by index."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> Any: ...


class ArrayDataset:
    """Arrays of one length; a sample is a tuple with one row of each.

    Example:
        >>> import numpy as np
        >>> data = ArrayDataset(np.array([[1.0], [2.0]]), np.array([3, 4]))
        >>> len(data)
        2
    """

    def __init__(self, *arrays: Any) -> None:
        self.arrays = tuple(np.asarray(array) for array in arrays)
        lengths = [len(array) if array.ndim else 0 for array in self.arrays]
        if not lengths or len(set(lengths)) > 1:
            raise ValueError(
                f"[ArrayDataset] got arrays of lengths {lengths}; need arrays of equal "
                "length."
            )

    def __len__(self) -> int:
        return len(self.arrays[0])

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(array[index] for array in self.arrays)


def collate(samples: Sequence[Any]) -> Any:
    """Join numbers, arrays, tensors or tuples of them along a new first dimension.

    Raises:
        TypeError: A sample is something else.
        ValueError: Shapes differ.

    Example:
        >>> images, labels = collate([([1.0, 2.0], 0), ([3.0, 4.0], 1)])
        >>> images.shape, labels.dtype
        ((2, 2), minitorch.int64)
    """
    first = samples[0]
    if isinstance(first, tuple):
        return tuple(collate(column) for column in zip(*samples, strict=True))
    if isinstance(first, dict):
        return {key: collate([sample[key] for sample in samples]) for key in first}
    rows = [s.detach().numpy() if isinstance(s, Tensor) else s for s in samples]
    try:
        joined = np.stack([np.asarray(row) for row in rows])
    except ValueError as error:
        raise ValueError(
            f"[collate] samples have different shapes ({error}). Try a collate_fn of "
            "your own."
        ) from None
    if joined.dtype.kind not in "biuf":
        raise TypeError(
            f"[collate] got {type(first).__name__}; need numbers, arrays, tensors or "
            "tuples of these. Try a collate_fn of your own."
        )
    device = first.device if isinstance(first, Tensor) else "cpu"
    return tensor(joined, device=device)


class DataLoader:
    """Hands out a data set in batches; each loop over it is an epoch.

    Args:
        dataset: Has a length and samples by number, as lists and ArrayDataset do.
        batch_size: Samples of a batch; the last one may be smaller.
        shuffle: In another order each epoch, which `manual_seed` decides, or `seed`
            and the number of the epoch.
        drop_last: Leave out a smaller last batch.
        collate_fn: From a list of samples to a batch; `collate` by default.
        seed: Of the shuffles; by default each is drawn where `manual_seed` began.
        device: Where the tensors of `collate` and of an ArrayDataset go.

    Example:
        >>> import numpy as np
        >>> data = ArrayDataset(np.arange(5.0), np.arange(5))
        >>> for x, y in DataLoader(data, batch_size=2, shuffle=True):
        ...     print(x.shape, y.shape)
        (2,) (2,)
        (2,) (2,)
        (1,) (1,)
    """

    def __init__(
        self,
        dataset: Dataset,
        batch_size: int = 1,
        shuffle: bool = False,
        drop_last: bool = False,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        seed: int | None = None,
        device: str = "cpu",
    ) -> None:
        if batch_size < 1:
            raise ValueError(
                f"[DataLoader] got batch_size {batch_size}; need at least 1."
            )
        self.dataset, self.batch_size = dataset, batch_size
        self.shuffle, self.drop_last = shuffle, drop_last
        self.collate_fn, self.seed, self.device = collate_fn, seed, device
        self.epoch = 0

    def __len__(self) -> int:
        batches = len(self.dataset) / self.batch_size
        return math.floor(batches) if self.drop_last else math.ceil(batches)

    def __iter__(self) -> Iterator[Any]:
        order = np.arange(len(self.dataset))
        if self.shuffle:
            order = np.random.default_rng(self._seeds()).permutation(order)
        self.epoch += 1
        for i in range(len(self)):
            yield self._batch(order[i * self.batch_size : (i + 1) * self.batch_size])

    def _seeds(self) -> list[int]:
        if self.seed is not None:
            return [self.seed, self.epoch]
        return [int(seed) for seed in randint(0, 2**31, (2,), device="cpu").numpy()]

    def _batch(self, chosen: np.ndarray[Any, Any]) -> Any:
        if isinstance(self.dataset, ArrayDataset) and self.collate_fn is None:
            rows = self.dataset[chosen]
            return tuple(tensor(array, device=self.device) for array in rows)
        samples = [self.dataset[int(i)] for i in chosen]
        if self.collate_fn is not None:
            return self.collate_fn(samples)
        return _moved(collate(samples), self.device)


def _moved(batch: Any, device: str) -> Any:
    if isinstance(batch, tuple):
        return tuple(_moved(part, device) for part in batch)
    if isinstance(batch, dict):
        return {key: _moved(part, device) for key, part in batch.items()}
    return batch.to(device)

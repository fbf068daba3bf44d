"""Datasets, by index or as iterables, and subsets and concatenations of them."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from ...arguments import require_torch
from .sampler import numbers_of

T = TypeVar("T", covariant=True)


class Dataset(Generic[T]):
    """Samples by index; subclasses define `__getitem__`, and `__len__` if finite.

    Example:
        >>> from minitorch.torch.utils.data import Dataset
        >>> class Squares(Dataset):
        ...     def __len__(self):
        ...         return 3
        ...     def __getitem__(self, index):
        ...         return index**2
        >>> both = Squares() + Squares()
        >>> len(both), both[5]
        (6, 4)
    """

    def __getitem__(self, index: Any) -> T:
        raise NotImplementedError(
            f"[{type(self).__name__}] needs a method __getitem__(self, index)."
        )

    def __add__(self, other: Any) -> ConcatDataset[Any]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T]):
    """Dataset that is iterated in order; subclasses define `__iter__`."""

    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError(
            f"[{type(self).__name__}] needs a method __iter__(self)."
        )


class TensorDataset(Dataset[tuple[Any, ...]]):
    """Dataset of tensors with as many rows each; a sample is one row of each.

    Raises:
        AssertionError: The tensors have different numbers of rows.

    Example:
        >>> import minitorch.torch as torch
        >>> labels = torch.tensor([1, 2, 3])
        >>> data = torch.utils.data.TensorDataset(torch.zeros(3, 2), labels)
        >>> len(data), data[2][0].tolist()
        (3, [0.0, 0.0])
    """

    tensors: tuple[Any, ...]

    def __init__(self, *tensors: Any) -> None:
        require_torch("TensorDataset", *tensors)
        rows = [tensor.shape[0] if tensor.ndim else 0 for tensor in tensors]
        if not tensors or len(set(rows)) > 1:
            raise AssertionError(
                f"[TensorDataset] got tensors of {rows} rows; need tensors with equal "
                "numbers of rows."
            )
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])


class ConcatDataset(Dataset[T]):
    """Concatenation of datasets.

    Raises:
        ValueError: There is none, or one that has no numbers; of an index: it is too
            far below 0.

    Example:
        >>> import minitorch.torch as torch
        >>> from minitorch.torch.utils.data import ConcatDataset
        >>> both = ConcatDataset([[1, 2], [3]])
        >>> len(both), both[2]
        (3, 3)
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("[ConcatDataset] got no datasets; need at least one.")
        for dataset in self.datasets:
            if isinstance(dataset, IterableDataset):
                raise AssertionError(
                    "[ConcatDataset] got an IterableDataset; need datasets with an "
                    "index."
                )
        self.cumulative_sizes = list(itertools.accumulate(map(len, self.datasets)))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> Any:
        position = index + len(self) if index < 0 else index
        if position < 0:
            raise ValueError(
                f"[ConcatDataset] got index {index}; need at least {-len(self)}."
            )
        which = bisect_right(self.cumulative_sizes, position)
        if which == len(self.datasets):
            raise IndexError(
                f"[ConcatDataset] got index {index}; need at most {len(self) - 1}."
            )
        before = self.cumulative_sizes[which - 1] if which else 0
        return self.datasets[which][position - before]


class Subset(Dataset[T]):
    """Subset of a dataset, by indices.

    Example:
        >>> from minitorch.torch.utils.data import Subset
        >>> list(Subset([10, 20, 30], [2, 0]))
        [30, 10]
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Any, lengths: Sequence[float], generator: Any = None
) -> list[Subset[Any]]:
    """Split a dataset at random into disjoint subsets.

    Args:
        dataset: Has a length and numbers.
        lengths: Of the parts; or their shares, which sum to 1.
        generator: Decides; the sequence of `manual_seed` by default.

    Raises:
        ValueError: The lengths do not sum to that of the set.

    Example:
        >>> from minitorch.torch.utils.data import random_split
        >>> [len(part) for part in random_split(range(10), [0.8, 0.2])]
        [8, 2]
    """
    count = len(dataset)
    total = sum(lengths)
    sizes = list(lengths)
    if math.isclose(total, 1) and total <= 1:
        for number, share in enumerate(sizes):
            if not 0 <= share <= 1:
                raise ValueError(
                    f"[random_split] part {number} has fraction {share}; need 0 to 1."
                )
        sizes = [math.floor(count * share) for share in sizes]
        for number in range(int(count - sum(sizes))):  # what rounding left over
            sizes[number % len(sizes)] += 1
    if sum(sizes) != count:
        raise ValueError(
            f"[random_split] got lengths {list(lengths)} for {count} samples; they "
            f"must sum to {count}, or to 1 as fractions."
        )
    order = numbers_of("random_split", generator).permutation(count).tolist()
    ends = list(itertools.accumulate(int(size) for size in sizes))
    return [
        Subset(dataset, order[end - int(size) : end])
        for end, size in zip(ends, sizes, strict=True)
    ]

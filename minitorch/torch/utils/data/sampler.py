"""Samplers: the order in which samples are taken."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from .... import _core
from ....functional.arguments import as_integer
from ...random import drawing_from

T = TypeVar("T", covariant=True)


def numbers_of(where: str, generator: Any) -> np.random.Generator:
    """Return a NumPy generator, seeded by the next number of PyTorch's dialect."""
    with drawing_from(where, generator):
        drawn = _core.to_numpy(_core.rand((1,), _core.float64, "cpu"))
    return np.random.default_rng(int(drawn[0] * 2**53))


def as_count(where: str, name: str, value: Any, least: int) -> int:
    """Return a number of samples as an int; ValueError unless it is `least` or more."""
    try:
        count = as_integer(where, name, value)
    except TypeError as error:
        raise ValueError(str(error)) from None
    if count < least:
        raise ValueError(f"[{where}] got {name} {count}; need at least {least}.")
    return count


class Sampler(Generic[T]):
    """Order of samples; subclasses define `__iter__`, which yields indices."""

    def __init__(self, data_source: Any = None) -> None:
        pass

    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError(
            f"[{type(self).__name__}] needs a method __iter__(self)."
        )


class SequentialSampler(Sampler[int]):
    """Indices in order: 0, 1, 2, ….

    Example:
        >>> import minitorch.torch as torch
        >>> from minitorch.torch.utils.data import SequentialSampler
        >>> list(SequentialSampler([5, 6, 7]))
        [0, 1, 2]
    """

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Indices in random order, another each time, decided by `manual_seed`.

    Args:
        data_source: Has a length.
        replacement: May a number come again before all came?
        num_samples: How many numbers; as many as samples by default.
        generator: Decides instead.

    Raises:
        TypeError: `replacement` is neither True nor False.
        ValueError: `num_samples` is not above 0.

    Example:
        >>> from minitorch.torch.utils.data import RandomSampler
        >>> sorted(RandomSampler(range(4)))
        [0, 1, 2, 3]
    """

    def __init__(
        self,
        data_source: Any,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Any = None,
    ) -> None:
        if not isinstance(replacement, bool):
            raise TypeError(
                f"[RandomSampler] got replacement {replacement!r}; need True or False."
            )
        self.data_source, self.replacement = data_source, replacement
        self._num_samples, self.generator = num_samples, generator
        if num_samples is not None:
            self._num_samples = as_count("RandomSampler", "num_samples", num_samples, 0)

    @property
    def num_samples(self) -> int:
        """Number of indices that it yields."""
        if self._num_samples is None:
            return len(self.data_source)
        return self._num_samples

    def __iter__(self) -> Iterator[int]:
        numbers, count = numbers_of("RandomSampler", self.generator), self.num_samples
        size = len(self.data_source)
        if self.replacement:
            yield from numbers.integers(size, size=count).tolist()
            return
        while count > 0:
            yield from numbers.permutation(size)[:count].tolist()
            count -= size

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Yields the given indices in random order, each once."""

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[int]:
        numbers = numbers_of("SubsetRandomSampler", self.generator)
        for position in numbers.permutation(len(self.indices)).tolist():
            yield self.indices[position]

    def __len__(self) -> int:
        return len(self.indices)


class BatchSampler(Sampler[list[int]]):
    """Lists of `batch_size` indices of another sampler.

    Example:
        >>> from minitorch.torch.utils.data import BatchSampler, SequentialSampler
        >>> list(BatchSampler(SequentialSampler(range(5)), 2, drop_last=False))
        [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self, sampler: Iterable[Any], batch_size: int, drop_last: bool
    ) -> None:
        batch_size = as_count("BatchSampler", "batch_size", batch_size, 1)
        if not isinstance(drop_last, bool):
            raise ValueError(
                f"[BatchSampler] got drop_last {drop_last!r}; need True or False."
            )
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[Any]]:
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch

    def __len__(self) -> int:
        count: int = len(self.sampler)  # type: ignore[arg-type]
        if self.drop_last:
            return count // self.batch_size
        return (count + self.batch_size - 1) // self.batch_size

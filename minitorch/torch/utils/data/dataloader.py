"""`DataLoader`: batches of a dataset, in this thread or by worker threads.

Workers are threads: they share the set and the sequence of random numbers, and the
order of batches does not depend on them.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from ...create import tensor
from .collate import default_collate, default_convert
from .dataset import IterableDataset, TensorDataset
from .sampler import (
    BatchSampler,
    RandomSampler,
    SequentialSampler,
    as_count,
)

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

_PREFETCHED = 2  # batches ahead for each worker
# Options for processes that make batches, which threads do without.
_IGNORED = {
    "in_order",
    "multiprocessing_context",
    "persistent_workers",
    "pin_memory_device",
    "prefetch_factor",
    "timeout",
}


def get_worker_info() -> None:
    """Return None: a dataset is read in one process, whatever `num_workers` is.

    Example:
        >>> from minitorch.torch.utils.data import get_worker_info
        >>> get_worker_info() is None
        True
    """


class DataLoader:
    """Iterable over batches of a dataset; each loop over it is an epoch.

    Args:
        dataset: Has a length and numbers, or is an IterableDataset.
        batch_size: Samples of a batch; None hands out samples one by one.
        shuffle: In another order each epoch, which `manual_seed` decides.
        sampler: An order of your own, in place of `shuffle`.
        batch_sampler: Lists of numbers, in place of all of these and `drop_last`.
        num_workers: Threads that make batches ahead; 0 makes each when it is asked for.
        collate_fn: From a list of samples to a batch; `default_collate` by default.
        pin_memory: For programs of PyTorch; changes nothing.
        drop_last: Leave out a smaller last batch.
        generator: Decides the order instead of `manual_seed`.
        others: PyTorch's options of processes; they change nothing.

    Raises:
        TypeError: Another option.
        ValueError: Options exclude each other.

    Example:
        >>> import minitorch.torch as torch
        >>> labels = torch.tensor([0, 1, 2])
        >>> data = torch.utils.data.TensorDataset(torch.zeros(3, 4), labels)
        >>> for x, y in torch.utils.data.DataLoader(data, batch_size=2):
        ...     print(tuple(x.shape), y.tolist())
        (2, 4) [0, 1]
        (1, 4) [2]
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        *,
        generator: Any = None,
        **others: Any,
    ) -> None:
        for name in others.keys() - _IGNORED:
            raise TypeError(f"[DataLoader] got an unknown argument '{name}'.")
        self.dataset, self.generator = dataset, generator
        self.num_workers = as_count("DataLoader", "num_workers", num_workers, 0)
        self.pin_memory = pin_memory
        self.iterable = isinstance(dataset, IterableDataset)
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "[DataLoader] batch_sampler cannot be combined with batch_size, "
                    "shuffle, sampler or drop_last."
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError("[DataLoader] drop_last=True needs a batch_size.")
        self.batch_size, self.drop_last = batch_size, drop_last
        self.sampler = self._order(sampler, shuffle, batch_sampler)
        self._join(batch_sampler, collate_fn)

    def _join(self, batch_sampler: Any, collate_fn: Any) -> None:
        """Set up the batch sampler and the collate function."""
        if self.batch_size is not None:
            last = bool(self.drop_last)
            batch_sampler = BatchSampler(self.sampler, self.batch_size, last)
        self.batch_sampler = batch_sampler
        plain = default_convert if batch_sampler is None else default_collate
        self.collate_fn = plain if collate_fn is None else collate_fn

    def _order(self, sampler: Any, shuffle: Any, batch_sampler: Any) -> Any:
        if self.iterable:
            if shuffle or sampler is not None or batch_sampler is not None:
                raise ValueError(
                    "[DataLoader] an IterableDataset cannot be combined with shuffle "
                    "or a sampler, because it determines the order itself."
                )
            return itertools.repeat(None)
        if sampler is not None:
            if shuffle:
                raise ValueError(
                    "[DataLoader] sampler and shuffle=True cannot be combined."
                )
            return sampler
        if shuffle:
            return RandomSampler(self.dataset, generator=self.generator)
        return SequentialSampler(self.dataset)

    def __len__(self) -> int:
        if not self.iterable:
            order = self.sampler if self.batch_sampler is None else self.batch_sampler
            return len(order)
        count = len(self.dataset)
        if self.batch_size is None:
            return count
        rest = 0 if self.drop_last else self.batch_size - 1
        return (count + rest) // self.batch_size

    def __iter__(self) -> Iterator[Any]:
        if self.iterable:
            return self._batches_of(iter(self.dataset))
        if self.num_workers:
            return self._ahead()
        order = self.sampler if self.batch_sampler is None else self.batch_sampler
        return map(self._batch, iter(order))

    def _batch(self, chosen: Any) -> Any:
        """Return the batch of several indices, or the sample of one."""
        if self.batch_sampler is None:
            return self.collate_fn(self.dataset[chosen])
        data = self.dataset
        if type(data) is TensorDataset and self.collate_fn is default_collate:
            indices = tensor(list(chosen))
            return [t.index_select(0, indices) for t in data.tensors]
        if hasattr(data, "__getitems__"):
            return self.collate_fn(data.__getitems__(chosen))
        return self.collate_fn([data[i] for i in chosen])

    def _batches_of(self, samples: Iterator[Any]) -> Iterator[Any]:
        """Yield batches of consecutive samples."""
        if self.batch_size is None:
            yield from map(self.collate_fn, samples)
            return
        while batch := list(itertools.islice(samples, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield self.collate_fn(batch)

    def _ahead(self) -> Iterator[Any]:
        """Make batches in threads, some ahead of the one that is asked for."""
        order = self.sampler if self.batch_sampler is None else self.batch_sampler
        pool = ThreadPoolExecutor(self.num_workers, thread_name_prefix="DataLoader")
        waiting: deque[Future[Any]] = deque()
        try:
            for chosen in order:
                waiting.append(pool.submit(self._batch, chosen))
                if len(waiting) > _PREFETCHED * self.num_workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

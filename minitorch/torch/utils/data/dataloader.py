"""`DataLoader`: batches of a dataset, in this thread or by worker threads.

Workers are threads: they share the set and the sequence of random numbers, and the
order of batches does not depend on them.
"""

from __future__ import annotations

import copy
import itertools
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLate
from dataclasses import dataclass
from typing import Any

from ...create import tensor
from .collate import default_collate, default_convert
from .dataset import IterableDataset, TensorDataset
from .sampler import (
    BatchSampler,
    RandomSampler,
    SequentialSampler,
    as_count,
    numbers_of,
)

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

_PREFETCHED = 2  # batches ahead for each worker
_END: Any = object()


@dataclass
class WorkerInfo:
    """Number of this worker, number of workers, seed, and dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


class _ThreadState(threading.local):
    info: WorkerInfo | None = None


_here = _ThreadState()


def get_worker_info() -> WorkerInfo | None:
    """Return the worker of this thread; None outside of workers.

    Example:
        >>> from minitorch.torch.utils.data import get_worker_info
        >>> get_worker_info() is None
        True
    """
    return _here.info


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
        timeout: Seconds that are waited for a worker's batch; 0 for no limit.
        worker_init_fn: Called in each worker with its number.
        generator: Decides the order instead of `manual_seed`.
        prefetch_factor: Batches that each worker makes ahead, 2 by default.
        persistent_workers: Taken; workers begin anew each epoch.
        others: PyTorch's `multiprocessing_context`, `pin_memory_device`, `in_order`.

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
        timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        **others: Any,
    ) -> None:
        _require_known(others)
        _require_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset, self.generator = dataset, generator
        self.num_workers, self.timeout = num_workers, timeout
        self.pin_memory, self.worker_init_fn = pin_memory, worker_init_fn
        self.persistent_workers = persistent_workers
        self.prefetch_factor = prefetch_factor or (_PREFETCHED if num_workers else None)
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
        if self.num_workers:
            return self._ahead()
        if self.iterable:
            return self._batches_of(iter(self.dataset))
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
        """Yield batches that workers make in turn."""
        seed = int(numbers_of("DataLoader", self.generator).integers(2**62))
        workers = [_Worker(self, number, seed) for number in range(self.num_workers)]
        try:
            yield from self._in_turn(workers)
        finally:
            for worker in workers:
                worker.end()

    def _in_turn(self, workers: list[_Worker]) -> Iterator[Any]:
        orders: Any = itertools.repeat(None)
        if not self.iterable:
            order = self.sampler if self.batch_sampler is None else self.batch_sampler
            orders = iter(order)
        turns, waiting = itertools.cycle(workers), deque[tuple[_Worker, Future[Any]]]()
        most = len(workers) * (self.prefetch_factor or _PREFETCHED)
        while True:
            while len(waiting) < most and not all(w.ended for w in workers):
                worker = next(w for w in turns if not w.ended)
                chosen = next(orders, _END)
                if chosen is _END:
                    break
                waiting.append((worker, worker.ask(chosen)))
            if not waiting:
                return
            worker, promised = waiting.popleft()
            try:
                batch = promised.result(self.timeout or None)
            except TooLate:
                if promised.done():
                    raise  # the set's own error
                raise RuntimeError(
                    f"[DataLoader] worker {worker.info.id} delivered no batch within "
                    f"{self.timeout} s. Try a larger timeout."
                ) from None
            if batch is _END:
                worker.ended = True
            else:
                yield batch


class _Worker:
    """Thread that makes the requested batches, one after the other."""

    def __init__(self, loader: DataLoader, number: int, seed: int) -> None:
        self.loader, self.ended = loader, False
        # Each worker may be told its own part of an iterable set.
        data = copy.copy(loader.dataset) if loader.iterable else loader.dataset
        self.info = WorkerInfo(number, loader.num_workers, seed + number, data)
        self.batches: Iterator[Any] | None = None
        self.begun = False
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="DataLoader")

    def ask(self, chosen: Any) -> Future[Any]:
        """Return a future of a batch."""
        return self.thread.submit(self._make, chosen)

    def end(self) -> None:
        """Stop the worker; cancel pending batches."""
        self.thread.shutdown(wait=False, cancel_futures=True)

    def _make(self, chosen: Any) -> Any:
        if not self.begun:
            self.begun, _here.info = True, self.info
            if self.loader.worker_init_fn is not None:
                self.loader.worker_init_fn(self.info.id)
        if not self.loader.iterable:
            return self.loader._batch(chosen)
        if self.batches is None:
            self.batches = self.loader._batches_of(iter(self.info.dataset))
        return next(self.batches, _END)


def _require_known(others: dict[str, Any]) -> None:
    for name in others:
        if name not in ("pin_memory_device", "in_order"):
            raise TypeError(f"[DataLoader] got an unknown argument '{name}'.")


def _require_workers(
    count: int, timeout: float, prefetch_factor: int | None, persistent: bool
) -> None:
    as_count("DataLoader", "num_workers", count, 0)
    if timeout < 0:
        raise ValueError(f"[DataLoader] got timeout {timeout}; need at least 0.")
    if prefetch_factor is not None and (count == 0 or prefetch_factor < 1):
        raise ValueError(
            f"[DataLoader] got prefetch_factor {prefetch_factor} with num_workers "
            f"{count}; both must be at least 1."
        )
    if persistent and count == 0:
        raise ValueError(
            "[DataLoader] persistent_workers=True needs num_workers of at least 1."
        )

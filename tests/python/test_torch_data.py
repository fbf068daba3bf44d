"""The tests of sets of data, orders, batches and workers in PyTorch's dialect."""

from __future__ import annotations

import collections
import threading

import numpy as np
import pytest

import minitorch
import minitorch.torch as torch
from minitorch.torch.utils import data
from minitorch.torch.utils.data.dataloader import DataLoader
from minitorch.torch.utils.data.dataset import TensorDataset

WORKERS = [0, 1, 3]


class Squares(data.Dataset):
    """Samples of three kinds, by number."""

    def __init__(self, count=10):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return torch.full((2,), float(index)), index**2, {"name": str(index)}


class Counting(data.IterableDataset):
    """0, 1, 2 … as a program that asks for its worker makes them."""

    def __init__(self, count):
        self.count = count

    def __iter__(self):
        info = data.get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        return iter(range(first, self.count, step))


def listed(batch):
    """A batch as plain data."""
    if isinstance(batch, minitorch.Tensor | torch.Tensor):
        return batch.tolist()
    if isinstance(batch, dict):
        return {key: listed(value) for key, value in batch.items()}
    if isinstance(batch, list | tuple):
        return [listed(value) for value in batch]
    return batch


def flat(batches):
    """All samples, in order."""
    return [number for batch in batches for number in batch]


@pytest.mark.parametrize("workers", WORKERS)
def test_batches_in_order(workers):
    batches = list(DataLoader(Squares(5), batch_size=2, num_workers=workers))
    assert [listed(batch) for batch in batches] == [
        [[[0, 0], [1, 1]], [0, 1], {"name": ["0", "1"]}],
        [[[2, 2], [3, 3]], [4, 9], {"name": ["2", "3"]}],
        [[[4, 4]], [16], {"name": ["4"]}],
    ]
    x, squares, _ = batches[0]
    assert isinstance(x, torch.Tensor)
    assert (x.dtype, squares.dtype) == (torch.float32, torch.int64)


@pytest.mark.parametrize("workers", WORKERS)
def test_one_seed_gives_one_order_whoever_makes_the_batches(workers):
    loader = DataLoader(range(30), batch_size=4, shuffle=True, num_workers=workers)
    torch.manual_seed(4)
    first, second = listed(list(loader)), listed(list(loader))
    torch.manual_seed(4)
    assert flat(first) != list(range(30))
    assert first != second
    assert sorted(flat(first)) == sorted(flat(second)) == list(range(30))
    if workers == 0:
        assert [listed(list(loader)), listed(list(loader))] == [first, second]
    generator = torch.Generator().manual_seed(9)
    own = DataLoader(range(30), shuffle=True, generator=generator)
    one = listed(list(own))
    generator.manual_seed(9)
    torch.manual_seed(5)
    assert listed(list(own)) == one


@pytest.mark.parametrize("workers", WORKERS)
def test_samples_one_after_another(workers):
    loader = DataLoader(Counting(11), batch_size=3, num_workers=workers)
    batches = listed(list(loader))
    assert sorted(flat(batches)) == list(range(11))
    assert flat(listed(list(loader))) == flat(batches)


@pytest.mark.parametrize("workers", WORKERS)
def test_a_sets_own_error_comes_out(workers):
    class Broken(Squares):
        def __getitem__(self, index):
            if index == 3:
                raise KeyError("number 3")
            return index

    loader = iter(DataLoader(Broken(), batch_size=2, num_workers=workers))
    assert listed(next(loader)) == [0, 1]
    with pytest.raises(KeyError, match="number 3"):
        next(loader)


def test_a_loop_that_is_left_leaves_no_thread():
    loader = iter(DataLoader(Squares(1000), num_workers=2))
    next(loader)
    del loader
    names = [t for t in threading.enumerate() if t.name.startswith("DataLoader")]
    for thread in names:
        thread.join(5)
    assert not any(thread.is_alive() for thread in names)


def test_batches_of_tensors_are_copies_of_their_rows():
    x = torch.tensor([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    (batch,) = next(iter(DataLoader(TensorDataset(x), batch_size=2, shuffle=False)))
    assert batch.tolist() == [[0, 1], [2, 3]]
    batch.zero_()
    assert x.tolist() == [[0, 1], [2, 3], [4, 5]]


@pytest.mark.parametrize(
    ("lengths", "sizes"),
    [([7, 3], [7, 3]), ([0.8, 0.2], [8, 2]), ([0.55, 0.45], [6, 4]), ([10], [10])],
)
def test_parts_by_chance(lengths, sizes):
    torch.manual_seed(2)
    parts = data.random_split(range(10), lengths)
    assert [len(part) for part in parts] == sizes
    assert sorted(i for part in parts for i in part.indices) == list(range(10))
    generator = torch.Generator().manual_seed(3)
    again = [
        [
            list(p)
            for p in data.random_split(range(10), lengths, generator.manual_seed(3))
        ]
        for _ in range(2)
    ]
    assert again[0] == again[1]


BAD = [
    (lambda: DataLoader([1], batch_size=0), ValueError, "batch_size 0"),
    (lambda: DataLoader([1], num_workers=-1), ValueError, "num_workers -1"),
    (lambda: DataLoader([1], wrong=2), TypeError, "argument 'wrong'"),
    (
        lambda: DataLoader([1], shuffle=True, sampler=[0]),
        ValueError,
        "cannot be combined",
    ),
    (lambda: DataLoader([1], 2, batch_sampler=[[0]]), ValueError, "cannot be combined"),
    (lambda: DataLoader([1], None, drop_last=True), ValueError, "needs a batch_size"),
    (lambda: DataLoader(Counting(2), shuffle=True), ValueError, "IterableDataset"),
    (
        lambda: next(iter(DataLoader([1], 1, True, generator=3))),
        TypeError,
        "got generator 3",
    ),
    (lambda: TensorDataset(), AssertionError, "equal numbers of rows"),
    (
        lambda: TensorDataset(torch.ones(2), torch.ones(3)),
        AssertionError,
        r"tensors of \[2, 3\] rows",
    ),
    (lambda: TensorDataset(minitorch.ones(2)), TypeError, "need a torch.Tensor"),
    (lambda: data.ConcatDataset([]), AssertionError, "got no datasets"),
    (
        lambda: data.ConcatDataset([Counting(2)]),
        AssertionError,
        "datasets with an index",
    ),
    (lambda: data.ConcatDataset([[1]])[1], IndexError, "index 1; need at most 0"),
    (lambda: data.ConcatDataset([[1]])[-2], ValueError, "need at least -1"),
    (lambda: data.random_split([1, 2, 3], [1, 1]), ValueError, "for 3 samples"),
    (
        lambda: data.random_split([1, 2], [1.5, -0.5]),
        ValueError,
        "part 0 has fraction 1.5",
    ),
    (lambda: data.RandomSampler([1], replacement=2), TypeError, "True or False"),
    (lambda: data.RandomSampler([1], num_samples=-2), ValueError, "num_samples -2"),
    (lambda: data.BatchSampler([1], 0, False), ValueError, "batch_size 0"),
    (lambda: data.BatchSampler([1], 1, 2), ValueError, "drop_last 2"),
    (lambda: data.default_collate([object()]), TypeError, "got object"),
    (lambda: data.default_collate([np.array("a")]), TypeError, "need numbers"),
    (
        lambda: data.default_collate([[1], [1, 2]]),
        RuntimeError,
        r"different lengths: \[1, 2\]",
    ),
    (
        lambda: data.default_collate([torch.ones(1), torch.ones(2)]),
        RuntimeError,
        "different shapes",
    ),
    (lambda: data.Dataset()[0], NotImplementedError, "__getitem__"),
    (lambda: iter(data.IterableDataset()), NotImplementedError, "__iter__"),
    (lambda: iter(data.Sampler()), NotImplementedError, "__iter__"),
]


@pytest.mark.parametrize(("make", "kind", "message"), BAD)
def test_bad_data(make, kind, message):
    with pytest.raises(kind, match=message):
        make()


def test_sums_and_parts_of_sets():
    both = data.ConcatDataset([[1, 2], [3]])
    assert [both[i] for i in (-3, 0, 1, 2, -1)] == [1, 1, 2, 3, 3]
    assert len(Squares(2) + Squares(3)) == 5
    part = data.Subset(np.arange(5), [4, 0, 2])
    assert part[0] == 4
    assert part[[1, 2]].tolist() == [0, 2]


def test_orders_by_chance():
    torch.manual_seed(0)
    drawn = list(data.RandomSampler(range(3), replacement=True, num_samples=50))
    assert set(drawn) == {0, 1, 2}
    more = list(data.RandomSampler(range(3), num_samples=7))
    assert sorted(more[:3]) == sorted(more[3:6]) == [0, 1, 2]
    assert len(more) == 7
    assert sorted(data.SubsetRandomSampler([5, 7])) == [5, 7]


Point = collections.namedtuple("Point", "x y")


def test_nests_are_joined_part_by_part():
    assert data.default_collate(["a", "b"]) == ["a", "b"]
    assert data.default_collate([b"a"]) == [b"a"]
    made = data.default_collate([Point(1, [2.0, "a"]), Point(3, [4.0, "b"])])
    assert isinstance(made, Point)
    assert made.x.tolist() == [1, 3]
    assert listed(made.y) == [[2.0, 4.0], ["a", "b"]]
    kept = data.default_convert({"a": np.ones(1), "b": (1, "c")})
    assert isinstance(kept["a"], torch.Tensor)
    assert kept["b"] == [1, "c"]

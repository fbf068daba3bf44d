"""The tensors that the tests try, and the words when one comes out wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

import minitorch
from minitorch import Tensor, TensorBackend, TensorData

# Small, and different in what they can show: one cell, a row, a column, odd sizes, more
# than one block of 32 threads.
SHAPES = [(1,), (5,), (3, 2), (2, 1, 3), (7, 5)]


def drawn(
    shape: Sequence[int],
    backend: TensorBackend,
    *,
    seed: int = 0,
    turned: bool = False,
    low: float = -10.0,
    high: float = 10.0,
) -> Tensor:
    """A tensor of numbers by chance, the same ones for the same seed.

    Args:
        shape: Its sizes.
        backend: What computes with it.
        seed: Another one, other numbers.
        turned: Lay it out column by column: the strides are not those of a new tensor.
        low, high: The numbers lie between.
    """
    chance = random.Random(f"{seed} {shape}")
    count = 1
    for size in shape:
        count *= size
    numbers = [round(chance.uniform(low, high), 3) for _ in range(count)]
    if not turned:
        return Tensor(TensorData(numbers, tuple(shape)), backend=backend)
    data = TensorData(numbers, tuple(reversed(shape)))
    order = range(len(shape) - 1, -1, -1)
    return Tensor(data.permute(*order), backend=backend)


def samples(backend: TensorBackend, count: int = 1) -> Iterator[tuple[Tensor, ...]]:
    """Tuples of tensors of one shape, each shape laid out row by row and turned."""
    for shape in SHAPES:
        for turned in (False, True):
            yield tuple(
                drawn(shape, backend, seed=seed, turned=turned) for seed in range(count)
            )


def told(t: Tensor) -> str:
    """How a tensor lies in memory, for messages."""
    return f"shape {t.shape} with strides {t._tensor.strides}"


def close(got: float, need: float, where: str) -> None:
    """Are two numbers the same but for rounding? Else says where they are not."""
    __tracebackhide__ = True
    size = max(1.0, abs(need))
    assert abs(got - need) <= 1e-6 * size, f"{where}: got {got}, need {need}"


def each_cell_is(out: Tensor, need: Callable[..., float], *inputs: Tensor) -> None:
    """Compares every cell of `out` with a function of the inputs' cells."""
    __tracebackhide__ = True
    for index in out._tensor.indices():
        index = tuple(int(i) for i in index)
        numbers = [float(t[index]) for t in inputs]
        layout = " and ".join(told(t) for t in inputs)
        of = " and ".join(map(str, numbers))
        where = f"out[{', '.join(map(str, index))}] for {of} ({layout})"
        close(out[index], need(*numbers), where)


SimpleBackend = minitorch.SimpleBackend
FastBackend = minitorch.TensorBackend(minitorch.FastOps)

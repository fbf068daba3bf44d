"""The tensors that the tests try, and the words when one comes out wrong."""

from __future__ import annotations

import random
from collections.abc import Sequence

import minitorch
from minitorch import Tensor, TensorBackend, TensorData

SimpleBackend = minitorch.SimpleBackend
FastBackend = minitorch.TensorBackend(minitorch.FastOps)


def drawn(
    *shape: int,
    seed: int = 0,
    turned: bool = False,
    backend: TensorBackend = FastBackend,
) -> Tensor:
    """A tensor of numbers by chance, the same ones for the same seed.

    Args:
        shape: Its sizes.
        seed: Another one, other numbers.
        turned: Lay it out with the first dimension running fastest.
        backend: What computes with it.
    """
    chance = random.Random(f"{seed} {shape}")
    count = 1
    for size in shape:
        count *= size
    numbers = [round(chance.uniform(-5.0, 5.0), 3) for _ in range(count)]
    if not turned:
        return Tensor(TensorData(numbers, shape), backend=backend)
    data = TensorData(numbers, tuple(reversed(shape)))
    return Tensor(data.permute(*range(len(shape) - 1, -1, -1)), backend=backend)


def close(got: float, need: float, where: str) -> None:
    """Are two numbers the same but for rounding? Else says where they are not."""
    __tracebackhide__ = True
    assert abs(got - need) <= 1e-5 * max(1.0, abs(need)), (
        f"{where}: got {got}, need {need}"
    )


def cells(t: Tensor) -> list[tuple[int, ...]]:
    """All indices of a tensor."""
    return [tuple(int(i) for i in index) for index in t._tensor.indices()]


def convolved(x: Tensor, w: Tensor, index: Sequence[int], sign: int = 1) -> float:
    """One cell of a convolution in plain loops, in one or two dimensions."""
    batch, o, *place = index
    total = 0.0
    for _, c, *reach in (k for k in cells(w) if k[0] == o):
        at = [i + sign * k for i, k in zip(place, reach, strict=True)]
        if all(0 <= i < size for i, size in zip(at, x.shape[2:], strict=True)):
            total += x[(batch, c, *at)] * w[(o, c, *reach)]
    return total


def check_convolution(x: Tensor, w: Tensor, out: Tensor, sign: int = 1) -> None:
    """Compares every cell of a convolution with plain loops."""
    __tracebackhide__ = True
    for index in cells(out):
        where = f"out{list(index)} of input {x.shape} and weight {w.shape}"
        close(out[index], convolved(x, w, index, sign), where)

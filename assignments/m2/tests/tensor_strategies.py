"""The tensors that hypothesis draws: small ones, of many layouts."""

from __future__ import annotations

from hypothesis.strategies import (
    DrawFn,
    SearchStrategy,
    composite,
    integers,
    lists,
    permutations,
)

import minitorch
from minitorch import Tensor, TensorBackend, TensorData, UserIndex, UserShape

from .strategies import small_floats, small_ints


@composite
def shapes(draw: DrawFn) -> UserShape:
    """One to four sizes of 1 to 3."""
    return tuple(draw(lists(small_ints, min_size=1, max_size=4)))


@composite
def tensor_data(
    draw: DrawFn,
    numbers: SearchStrategy[float] = small_floats,
    shape: UserShape | None = None,
) -> TensorData:
    """Numbers of a shape whose dimensions lie in memory in any order."""
    if shape is None:
        shape = draw(shapes())
    size = 1
    for each in shape:
        size *= each
    row = draw(lists(numbers, min_size=size, max_size=size))
    # Rows of the drawn order follow one another; the shape looks at them from outside.
    order = draw(permutations(range(len(shape))))
    strides, step = [0] * len(shape), 1
    for dim in reversed(order):
        strides[dim] = step
        step *= shape[dim]
    return TensorData(row, shape, tuple(strides))


@composite
def indices(draw: DrawFn, layout: TensorData) -> UserIndex:
    """An index into a tensor."""
    return tuple(draw(integers(min_value=0, max_value=s - 1)) for s in layout.shape)


@composite
def tensors(
    draw: DrawFn,
    numbers: SearchStrategy[float] = small_floats,
    backend: TensorBackend | None = None,
    shape: UserShape | None = None,
) -> Tensor:
    """A tensor of any layout."""
    data = draw(tensor_data(numbers, shape))
    return Tensor(data, backend=backend or minitorch.SimpleBackend)


@composite
def shaped_tensors(
    draw: DrawFn,
    n: int,
    numbers: SearchStrategy[float] = small_floats,
    backend: TensorBackend | None = None,
) -> list[Tensor]:
    """Tensors of one shape and one layout."""
    data = draw(tensor_data(numbers))
    found = []
    for _ in range(n):
        row = draw(lists(numbers, min_size=data.size, max_size=data.size))
        each = TensorData(row, data.shape, data.strides)
        found.append(Tensor(each, backend=backend or minitorch.SimpleBackend))
    return found

"""Owns parts of a tensor along its dimensions, and elements moved: slices, diagonals,
triangles, windows, turns.

Must not know arithmetic, or indexing with brackets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _core
from .._core import Tensor as Base
from ..functional import indexing
from .arguments import as_dim, as_integer, numpys_names, place_of, require_torch
from .layout import Dims, as_dims
from .tensor import Tensor

_AT, _RANGE = 0, 1


def _whole(size: int) -> tuple[int, int, int, int]:
    return (_RANGE, 0, size, 1)


@numpys_names
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """A view of what lies at one position of `dim`, without that dimension.

    Raises:
        IndexError: There is no such dimension or position.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.select(torch.tensor([[1, 2], [3, 4]]), 0, -1)
        tensor([3, 4])
    """
    require_torch("select", input)
    shape = tuple(input.shape)
    if not shape:
        raise IndexError("[select] got a tensor without dimensions; need at least one.")
    at, place = as_dim("select", dim, len(shape)), as_integer("select", "index", index)
    if not -shape[at] <= place < shape[at]:
        raise IndexError(
            f"[select] got index {place} for dim {dim} of size {shape[at]}; need "
            f"{-shape[at]} to {shape[at] - 1}."
        )
    parts = [_whole(size) for size in shape]
    parts[at] = (_AT, place % shape[at], 1, 1)
    return Base._index(input, parts)  # type: ignore[return-value]


@numpys_names
def narrow(input: Tensor, dim: int, start: int | Tensor, length: int) -> Tensor:
    """A view of `length` cells of `dim` from `start` on.

    Raises:
        RuntimeError: They do not lie in the tensor.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.narrow(torch.arange(5), 0, 1, 3)
        tensor([1, 2, 3])
    """
    require_torch("narrow", input)
    at = as_dim("narrow", dim, len(input.shape))
    size = tuple(input.shape)[at]
    number = int(Base._item(start)) if isinstance(start, Base) else start
    begin = as_integer("narrow", "start", number)
    length = as_integer("narrow", "length", length)
    begin = begin + size if begin < 0 else begin
    if length < 0 or not 0 <= begin <= size - length:
        raise RuntimeError(
            f"[narrow] got start {begin}, length {length} for dim {dim} of size "
            f"{size}; need a part of it."
        )
    return Base._slice(input, at, begin, begin + length, 1)  # type: ignore


@numpys_names
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """A view of each position of `dim`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.unbind(torch.tensor([[1, 2], [3, 4]]), 1)
        (tensor([1, 3]), tensor([2, 4]))
    """
    require_torch("unbind", input)
    if not input.shape:
        raise RuntimeError("[unbind] got a tensor of no dimensions; need at least one.")
    at = as_dim("unbind", dim, len(input.shape))
    return tuple(select(input, at, place) for place in range(input.shape[at]))


@numpys_names
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """All windows of `size` cells of a dimension, `step` apart, as a last dimension.

    A copy, where PyTorch has a view.

    Raises:
        RuntimeError: The window is longer than the dimension, or the step below 1.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.arange(4).unfold(0, 2, 1)
        tensor([[0, 1],
                [1, 2],
                [2, 3]])
    """
    require_torch("unfold", input)
    x = input if input.shape else Base._reshape(input, (1,))
    at, ndim = as_dim("unfold", dimension, len(input.shape)), len(x.shape)
    length = tuple(x.shape)[at]
    if not 0 <= size <= length or step < 1:
        raise RuntimeError(
            f"[unfold] got size {size}, step {step} for a dimension of {length}; need "
            "a window that fits and a step of 1 or more."
        )
    count = (length - size) // step + 1
    starts = [step * i + k for i in range(count) for k in range(size)]
    index = _core.from_numpy(_places(starts))._to_device(place_of(x))
    picked = Base.index_select(x, at, index)
    shape = tuple(x.shape)
    apart = Base._reshape(picked, (*shape[:at], count, size, *shape[at + 1 :]))
    order = [d for d in range(ndim + 1) if d != at + 1] + [at + 1]
    made = Base._permute(apart, order)
    return made if input.shape else Base._reshape(made, (size,))  # type: ignore


def _places(places: Sequence[int]) -> Any:
    """Positions as NumPy's int64."""

    return np.asarray(list(places), np.int64)


@numpys_names
def flip(input: Tensor, *dims: Any) -> Tensor:
    """A copy with the elements in reverse order along `dims`.

    Raises:
        IndexError: There is no such dimension.
        RuntimeError: One stands twice.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.flip(torch.tensor([1, 2, 3]), [0])
        tensor([3, 2, 1])
    """
    require_torch("flip", input)
    listed = dims[0] if len(dims) == 1 else dims
    over = as_dims("flip", listed, len(input.shape))
    over = over if input.shape else []
    return Base.clone(Base._flip(input, over))  # type: ignore[return-value]


def _flipped(name: str, dim: int, ndim: int) -> Any:
    def function(input: Tensor) -> Tensor:
        require_torch(name, input)
        if len(input.shape) < ndim:
            raise RuntimeError(
                f"[{name}] got shape {tuple(input.shape)}; need {ndim} dimensions."
            )
        return flip(input, dim)  # type: ignore[no-any-return]

    rows = ("[2, 1]", "[4, 3]") if dim else ("[3, 4]", "[1, 2]")
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""A copy with dimension {dim} in reverse order.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.{name}(torch.tensor([[1, 2], [3, 4]]))
        tensor([{rows[0]},
                {rows[1]}])
    """
    return numpys_names(function)


fliplr = _flipped("fliplr", 1, 2)
flipud = _flipped("flipud", 0, 1)


@numpys_names
def roll(input: Tensor, shifts: Dims, dims: Dims | None = None) -> Tensor:
    """The elements moved on along `dims`; what leaves at the end begins anew.

    Args:
        input: Any shape.
        shifts: By how many cells, below 0 backwards: one number for each dim.
        dims: Without it all elements move, as if they were one row.

    Raises:
        RuntimeError: There are not as many shifts as dims.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.roll(torch.tensor([1, 2, 3]), 1)
        tensor([3, 1, 2])
    """
    require_torch("roll", input)
    moves = list(shifts) if isinstance(shifts, Sequence) else [shifts]
    none = dims is None or (isinstance(dims, Sequence) and not len(dims))
    if none and len(moves) == 1:
        row = Base._reshape(input, (-1,)) if 0 not in input.shape else input
        made = _rolled(row, moves[0], 0)
        return Base._reshape(made, tuple(input.shape))  # type: ignore[return-value]
    listed = list(dims) if isinstance(dims, Sequence) else [dims]
    if none or len(listed) != len(moves):
        raise RuntimeError(
            f"[roll] got shifts {shifts}, dims {dims}; need as many of both."
        )
    made = input
    for move, dim in zip(moves, listed, strict=True):
        made = _rolled(made, move, as_dim("roll", dim, len(input.shape)))
    return made  # type: ignore[no-any-return]


def _rolled(input: Any, move: int, dim: int) -> Any:
    if not input.shape or not input.shape[dim]:
        return Base.clone(input)
    size = input.shape[dim]
    cut = -move % size
    parts = [
        Base._slice(input, dim, cut, size, 1),
        Base._slice(input, dim, 0, cut, 1),
    ]
    return _core.cat(parts, dim)


@numpys_names
def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """The plane of two dims turned by k quarters, from the first towards the second.

    Raises:
        RuntimeError: There are not two different dims.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.rot90(torch.tensor([[1, 2], [3, 4]]))
        tensor([[2, 4],
                [1, 3]])
    """
    require_torch("rot90", input)
    plane = as_dims("rot90", dims, len(input.shape))
    if len(plane) != 2:
        raise RuntimeError(f"[rot90] got dims {tuple(dims)}; need two.")
    a, b = plane
    order = list(range(len(input.shape)))
    order[a], order[b] = b, a
    turned: Any = input
    if k % 4 == 1:
        turned = Base._permute(Base._flip(input, [b]), order)
    elif k % 4 == 2:
        turned = Base._flip(input, [a, b])
    elif k % 4 == 3:
        turned = Base._flip(Base._permute(input, order), [b])
    return Base.clone(turned)  # type: ignore[return-value]


@numpys_names
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonals of the planes of two dims, as the last dimension.

    Args:
        input: Two dimensions or more.
        offset: Above the main diagonal, or below it if negative.
        dim1, dim2: The rows and the columns.

    Returns:
        A view where the tensor is contiguous and the two dims are its last ones.

    Raises:
        RuntimeError: Both dims are the same.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.diagonal(torch.tensor([[1, 2], [3, 4]]))
        tensor([1, 4])
    """
    require_torch("diagonal", input)
    ndim = len(input.shape)
    a, b = as_dim("diagonal", dim1, ndim), as_dim("diagonal", dim2, ndim)
    if a == b or ndim < 2:
        raise RuntimeError(
            f"[diagonal] got dims {dim1} and {dim2} of shape {tuple(input.shape)}; "
            "need two different ones."
        )
    rest = [d for d in range(ndim) if d not in (a, b)]
    planes = Base._permute(input, [*rest, a, b])  # (…, n, m)
    n, m = planes.shape[-2:]
    length = max(0, min(n, m - offset) if offset >= 0 else min(n + offset, m))
    if not length:
        empty = Base._slice(planes, ndim - 1, 0, 0, 1)
        return Base._reshape(empty, (*planes.shape[:-2], 0))  # type: ignore
    flat = Base._reshape(planes, (*planes.shape[:-2], n * m))
    start = offset if offset >= 0 else -offset * m
    last = start + (length - 1) * (m + 1)
    return Base._slice(flat, ndim - 2, start, last + 1, m + 1)  # type: ignore


@numpys_names
def diag_embed(
    input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1
) -> Tensor:
    """Square planes of zeros with the last dimension on a diagonal.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.diag_embed(torch.tensor([1, 2]))
        tensor([[1, 0],
                [0, 2]])
    """
    require_torch("diag_embed", input)
    ndim = len(input.shape) + 1
    a, b = as_dim("diag_embed", dim1, ndim), as_dim("diag_embed", dim2, ndim)
    if a == b or ndim < 2:
        raise RuntimeError(f"[diag_embed] got dims {dim1} and {dim2}; need two.")
    length, lead = input.shape[-1], tuple(input.shape[:-1])
    side = length + abs(offset)
    # Row i of the square is zeros with one number: (…, n, 1) * (n, side).
    places = range(max(offset, 0), max(offset, 0) + length)
    rows = _core.from_numpy(_places(places))._to_device(place_of(input))
    columns = Base._reshape(rows, (length, 1))
    every = _core.from_numpy(_places(range(side)))._to_device(place_of(input))
    here = Base.eq(columns, Base._reshape(every, (1, side)))
    spread = Base._where(here, Base._reshape(input, (*lead, length, 1)), 0)
    zeros = _core.full((*lead, abs(offset), side), 0, input.dtype, place_of(input))
    first = [zeros.as_torch(), spread] if offset < 0 else [spread, zeros.as_torch()]
    square = _core.cat(first, ndim - 2) if offset else spread
    if a > b:
        a, b = b, a
        square = Base._permute(square, [*range(ndim - 2), ndim - 1, ndim - 2])
    order: list[int] = list(range(ndim - 2))
    order.insert(a, ndim - 2)
    order.insert(b, ndim - 1)
    return Base._permute(square, order)  # type: ignore[return-value]


_diagonal_of = diagonal


@numpys_names
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """A diagonal of a matrix, or the matrix with a vector on its diagonal.

    Raises:
        RuntimeError: There is another number of dimensions than one or two.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.diag(torch.tensor([1, 2]))
        tensor([[1, 0],
                [0, 2]])
    """
    require_torch("diag", input)
    if len(input.shape) == 1:
        return diag_embed(input, diagonal)  # type: ignore[no-any-return]
    if len(input.shape) != 2:
        raise RuntimeError(
            f"[diag] got shape {tuple(input.shape)}; need one dimension or two. Try "
            ".diagonal() or torch.diag_embed(...)."
        )
    return Base.clone(_diagonal_of(input, diagonal))  # type: ignore[return-value]


@numpys_names
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """The matrix with all elements on a diagonal.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.diagflat(torch.tensor([[1], [2]]))
        tensor([[1, 0],
                [0, 2]])
    """
    require_torch("diagflat", input)
    count = 1
    for size in input.shape:
        count *= size
    return diag_embed(Base._reshape(input, (count,)), offset)  # type: ignore


def _triangle(name: str, what: str, rows: str) -> Any:
    compute = getattr(indexing, name)

    def function(input: Tensor, diagonal: int = 0) -> Tensor:
        require_torch(name, input)
        if len(input.shape) < 2:
            raise RuntimeError(
                f"[{name}] got shape {tuple(input.shape)}; need two dimensions."
            )
        made = compute(input, diagonal)
        return Base._cast(made, input.dtype)  # type: ignore[return-value]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""The last two dimensions with 0 {what} the diagonal.

    Args:
        input: Two dimensions or more.
        diagonal: Which, counted up from the main one.

    Raises:
        RuntimeError: There are fewer dimensions.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.{name}(torch.tensor([[1, 2], [3, 4]]))
        tensor({rows})
    """
    return numpys_names(function)


tril = _triangle("tril", "above", "[[1, 0],\n                [3, 4]]")
triu = _triangle("triu", "below", "[[1, 2],\n                [0, 4]]")


@numpys_names
def as_strided(
    input: Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    storage_offset: int | None = None,
) -> Tensor:
    """The memory of a contiguous tensor seen with other strides; a copy with gradients.

    Raises:
        RuntimeError: Memory outside of the tensor would be read.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.as_strided(torch.arange(4), (3, 2), (1, 1))
        tensor([[0, 1],
                [1, 2],
                [2, 3]])
    """
    require_torch("as_strided", input)
    steps = np.zeros((), np.int64) + (storage_offset or 0)
    for count, step in zip(size, stride, strict=True):
        steps = steps[..., None] + np.arange(count) * step
    row = Base._reshape(input, (-1,))
    if steps.size and not 0 <= steps.min() <= steps.max() < row.shape[0]:
        raise RuntimeError(
            f"[as_strided] got size {tuple(size)}, stride {tuple(stride)} for "
            f"{row.shape[0]} elements; need strides that stay inside."
        )
    index = _core.from_numpy(steps.reshape(-1))._to_device(place_of(input))
    return Base._reshape(Base.index_select(row, 0, index), tuple(size))  # type: ignore


def _atleast(name: str, ndim: int, shape: str) -> Any:
    def function(*tensors: Any) -> Any:
        several = len(tensors) != 1 or isinstance(tensors[0], list | tuple)
        listed = tensors[0] if several and len(tensors) == 1 else tensors
        require_torch(name, *listed)
        made = tuple(_raised(each, ndim) for each in listed)
        return made if several else made[0]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Views of tensors with {ndim} dimensions or more.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.{name}(torch.ones(3)).shape
        torch.Size({shape})
    """
    return function


def _raised(input: Any, ndim: int) -> Any:
    shape = tuple(input.shape)
    if len(shape) >= ndim:
        return input
    if ndim == 3:
        shape = {0: (1, 1, 1), 1: (1, *shape, 1), 2: (*shape, 1)}[len(shape)]
    else:
        shape = (1,) * (ndim - len(shape)) + shape
    return Base._reshape(input, shape)


atleast_1d = _atleast("atleast_1d", 1, "[3]")
atleast_2d = _atleast("atleast_2d", 2, "[1, 3]")
atleast_3d = _atleast("atleast_3d", 3, "[1, 3, 1]")


def _scattered(where: str, input: Any, src: Any, part: Any) -> Any:
    """A copy of `input` with `src` in the place of a part of it."""
    require_torch(where, input, src)
    made = Base.clone(input)
    there = part(made)
    if tuple(there.shape) != tuple(src.shape):
        raise RuntimeError(
            f"[{where}] got a source of shape {tuple(src.shape)} for a part of "
            f"{tuple(there.shape)}; need the same."
        )
    Base.copy_(there, src)
    return made


@numpys_names
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy of `input` with `src` at one position of `dim`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.select_scatter(torch.zeros(2, 2), torch.ones(2), 0, 1)
        tensor([[0., 0.],
                [1., 1.]])
    """

    def part(made: Any) -> Any:
        return select(made, dim, index)

    return _scattered("select_scatter", input, src, part)  # type: ignore[no-any-return]


@numpys_names
def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Tensor:
    """A copy of `input` with `src` in the place of a slice of `dim`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.slice_scatter(torch.zeros(3), torch.ones(1), start=1, end=2)
        tensor([0., 1., 0.])
    """
    require_torch("slice_scatter", input)
    at = as_dim("slice_scatter", dim, len(input.shape))
    first, last, _ = slice(start, end).indices(input.shape[at])

    def part(made: Any) -> Any:
        return Base._slice(made, at, first, max(first, last), step)

    return _scattered("slice_scatter", input, src, part)  # type: ignore[no-any-return]


@numpys_names
def diagonal_scatter(
    input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """A copy of `input` with `src` on a diagonal.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.diagonal_scatter(torch.zeros(2, 2), torch.ones(2))
        tensor([[1., 0.],
                [0., 1.]])
    """
    require_torch("diagonal_scatter", input, src)
    ndim = len(input.shape)
    a, b = (
        as_dim("diagonal_scatter", dim1, ndim),
        as_dim("diagonal_scatter", dim2, ndim),
    )
    order = [d for d in range(ndim) if d not in (a, b)] + [a, b]

    def part(made: Any) -> Any:
        return _diagonal_of(made, offset, -2, -1)

    planes = Base.contiguous(Base._permute(input, order))
    made = _scattered("diagonal_scatter", planes, src, part)
    return Base._permute(made, np.argsort(order).tolist())  # type: ignore


_METHODS = """
as_strided diag diag_embed diagflat diagonal diagonal_scatter flip fliplr flipud
narrow roll rot90 select select_scatter slice_scatter tril triu unbind unfold
"""

#: Those that are methods of tensors, too.
METHODS: dict[str, Any] = {name: globals()[name] for name in _METHODS.split()}

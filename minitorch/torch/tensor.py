"""`Tensor` and `Size` of PyTorch's dialect, and transfers to NumPy.

A subclass of the C++ class, which holds what all dialects share; METHODS are PyTorch's,
which the package attaches.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._core import Tensor as Base

__all__ = ["Size", "Tensor"]


class Tensor(Base):
    """Tensor whose methods have PyTorch's names, defaults and meaning.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([1.0, 2.0]).as_torch()
        >>> type(x + 1) is type(x)
        True
        >>> type(x.as_minitorch()) is minitorch.Tensor
        True
    """

    __slots__ = ()

    if TYPE_CHECKING:  # what the families attach has no type here
        device: Any  # type: ignore[assignment]
        shape: Any
        size: Any

        def __getattr__(self, name: str) -> Any: ...


_core.set_tensor_type("torch", Tensor)

#: Methods of Tensor by name: the modules of its functions add theirs.
METHODS: dict[str, Any] = {}


class Size(tuple[int, ...]):
    """Shape of a tensor: a tuple of sizes, outermost first.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.zeros(2, 3).shape
        torch.Size([2, 3])
        >>> torch.zeros(2, 3).size().numel()
        6
    """

    __slots__ = ()

    def __new__(cls, sizes: Iterable[Any] = ()) -> Size:
        return super().__new__(cls, [_integer("Size", size) for size in sizes])

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    def __getitem__(self, index: Any) -> Any:
        part = super().__getitem__(index)
        return Size.of(part) if isinstance(index, slice) else part

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, tuple):
            return NotImplemented
        return Size.of((*self, *other))

    def __radd__(self, other: Any) -> Any:
        return Size.of((*other, *self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: Any) -> Size:
        return Size.of(tuple(self) * times)

    __rmul__ = __mul__

    def __reduce__(self) -> Any:
        return Size, (tuple(self),)

    def numel(self) -> int:
        """Return the number of elements of a tensor of this shape."""
        return math.prod(self)

    @staticmethod
    def of(sizes: Iterable[int]) -> Size:
        """Return a Size of integers, without checks."""
        return tuple.__new__(Size, sizes)


def _integer(where: str, value: Any) -> int:
    if isinstance(value, bool):
        raise TypeError(f"[{where}] got size {value}; need an integer.")
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"[{where}] got size {value!r}; need an integer.") from None


def sizes_of(where: str, given: Sequence[Any]) -> Size:
    """Return the sizes of `f(2, 3)`, `f((2, 3))` or `f([2, 3])`.

    Raises:
        TypeError: One is not an integer.
        RuntimeError: One is negative, or too large.
    """
    if len(given) == 1 and isinstance(given[0], tuple | list):
        given = given[0]
    sizes = Size.of(_integer(where, value) for value in given)
    if any(not 0 <= size < 2**62 for size in sizes):
        raise RuntimeError(
            f"[{where}] got sizes {tuple(sizes)}; each must be at least 0 and below "
            "2**62."
        )
    return sizes


def to_host(input: Any) -> Any:
    """Return the elements as a NumPy array; 16-bit floats as float32."""
    here = Base._to_device(Base.detach(input), "cpu")
    if here.dtype.is_floating_point and here.dtype.itemsize == 2:
        here = Base._cast(here, _core.float32)
    return _core.to_numpy(here)


def to_device(array: Any, like: Any) -> Any:
    """Return a NumPy array as a torch.Tensor on the device of `like`."""
    tensor = _core.from_numpy(np.asarray(array, order="C")).as_torch()
    return Base._to_device(tensor, Base.device.__get__(like))

"""Owns what PyTorch's programs ask that has one answer here: layouts, formats and kinds
of memory, the default device; and the numbers pi, e, inf and nan.

Must not know arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _core
from ..tensors import create as making
from ..tensors.tensor_ufunc import array_ufunc
from .arguments import require_torch
from .create import empty, tensor
from .devices import as_device, device
from .dtypes import set_default_dtype
from .tensor import Tensor

_base: Any = _core.Tensor

pi, e, inf, nan = math.pi, math.e, math.inf, math.nan
newaxis = None


class _Named:
    """A choice that programs may name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name


class layout(_Named):
    """How elements lie in memory; `torch.strided` is the one there is."""


class memory_format(_Named):
    """An order of dimensions in memory: accepted, while rows stay row-major."""


strided = layout("strided")
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")


class UntypedStorage:
    """The memory behind a tensor, shared with its views.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.zeros(4)
        >>> x[2:].untyped_storage().nbytes()
        16
        >>> x[2:].untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
        True
    """

    def __init__(self, of: Tensor) -> None:
        self._of = of

    def nbytes(self) -> int:
        """Its bytes."""
        return int(self._of._storage[1])

    size = __len__ = nbytes

    def data_ptr(self) -> int:
        """Its address."""
        return int(self._of._storage[0])

    def tolist(self) -> Any:
        """The elements of all that share it, one after another."""
        row: Any = self._of.detach()._memory_row()
        return _core.to_numpy(row).tolist()


def is_storage(obj: Any) -> bool:
    """Is it the memory behind a tensor?"""
    return isinstance(obj, UntypedStorage)


def get_default_device() -> device:
    """Where new tensors lie unless another device is named.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.get_default_device()
        device(type='cpu')
    """
    return device(making.device_of_new(None))


def set_default_device(device: Any) -> None:
    """Says where this thread's new tensors lie unless another device is named.

    Raises:
        RuntimeError: There is no such device.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.set_default_device("cpu")
    """
    place = "cpu" if device is None else as_device("set_default_device", device)
    making.place_new_tensors(place)


def set_default_tensor_type(t: Any) -> None:
    """Sets the default dtype by an old name, `torch.DoubleTensor`.

    Raises:
        TypeError: It is no such name of floats.
    """
    name = t if isinstance(t, str) else getattr(t, "__name__", repr(t))
    names = {"FloatTensor": "float32", "DoubleTensor": "float64"}
    short = name.rpartition(".")[2]
    if short not in names:
        raise TypeError(
            f"[set_default_tensor_type] got {name}; need torch.FloatTensor or "
            "torch.DoubleTensor."
        )
    set_default_dtype(_core.as_dtype(names[short]))  # type: ignore[arg-type]


def empty_strided(size: Any, stride: Any, **options: Any) -> Tensor:
    """A tensor, not yet written, whose neighbours lie `stride` elements apart."""
    if len(size) != len(stride) or any(step < 0 for step in stride):
        raise RuntimeError(
            f"[empty_strided] got size {tuple(size)} and stride {tuple(stride)}; need "
            "as many of both, of 0 or more."
        )
    last = sum((n - 1) * step for n, step in zip(size, stride, strict=True))
    cells = last + 1 if all(size) else 0
    made: Any = empty(cells, **options)._strided(tuple(size), tuple(stride))
    return made.as_torch()


def apply_(input: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Each element as `callable` has it, in place, one after the other on the CPU.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([1.0, 2.0]).apply_(lambda value: value * 10)
        tensor([10., 20.])
    """
    return _base.copy_(input, _mapped(input, callable, input))


def map_(input: Tensor, other: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Each element as `callable` has it of both tensors' elements, in place."""
    require_torch("map_", other)
    return _base.copy_(
        input, _mapped(input, callable, input, other._expand(input.shape))
    )


def _mapped(input: Any, function: Any, *given: Any) -> Any:
    if input.device.type != "cpu" or input.requires_grad:
        raise TypeError(
            "[apply_] got a tensor on cuda, or one that requires a gradient; need one "
            "on cpu without. Try .detach().cpu()."
        )
    rows = [_core.to_numpy(each.detach()).ravel().tolist() for each in given]
    values = [function(*each) for each in zip(*rows, strict=True)]
    return tensor(values, dtype=input.dtype).view(input.shape)


def new(input: Tensor, *given: Any) -> Tensor:
    """A tensor of sizes or of a list, with the dtype and device of `input`."""
    options = {"dtype": input.dtype, "device": input.device}
    if len(given) == 1 and not isinstance(given[0], int):
        return tensor(given[0], **options)
    return empty(*(given or (0,)), **options)


def numpys_function(
    input: Tensor, ufunc: Any, method: str, *inputs: Any, **options: Any
) -> Any:
    """NumPy's protocol: a function of NumPy gives a tensor.

    Operators and functions that tensors have keep their history; others are NumPy's, of
    tensors without a gradient.
    """
    try:
        return array_ufunc(input, ufunc, method, *inputs, **options)
    except TypeError:  # no function of ours: an array refuses what has a gradient
        arrays = [np.asarray(each) for each in inputs]
    made = getattr(ufunc, method)(*arrays, **options)
    if not isinstance(made, np.ndarray | np.generic):
        return made
    return _core.from_numpy(np.asarray(made)).as_torch()


def _false(input: Tensor, *ignored: Any) -> bool:
    """No: there is no such kind here."""
    return False


def _layout(input: Tensor) -> Any:
    """How the elements lie in memory: `torch.strided`, the one way there is."""
    return strided


def _output_nr(input: Tensor) -> int:
    """Which result of its op it is: 0, since none is told apart here."""
    return 0


def _storage(input: Tensor) -> UntypedStorage:
    """The memory that holds the elements, and perhaps those of other tensors.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.zeros(3)[1:].untyped_storage().nbytes()
        12
    """
    return UntypedStorage(input)


METHODS: dict[str, Any] = {
    "__array_ufunc__": numpys_function,
    "apply_": apply_,
    "is_inference": _false,
    "is_meta": property(_false),
    "is_pinned": _false,
    "is_quantized": property(_false),
    "is_shared": _false,
    "is_sparse": property(_false),
    "layout": property(_layout),
    "map_": map_,
    "new": new,
    "output_nr": property(_output_nr),
    "storage": _storage,
    "untyped_storage": _storage,
}

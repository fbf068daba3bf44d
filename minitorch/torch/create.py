"""Create tensors of PyTorch's dialect from data and from a shape.

Ranges and random numbers have files of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _core
from ..tensors import create, interchange
from .arguments import require_torch, write_out
from .devices import as_device
from .dtypes import (
    as_dtype,
    as_torch_dtype,
    dtype,
    get_default_dtype,
    int64,
    promote_types,
)
from .dtypes import bool as bool_
from .random import drawing_from
from .tensor import METHODS, Tensor, sizes_of

__all__ = [
    "as_tensor", "empty", "empty_like", "from_dlpack", "from_numpy", "full",
    "full_like", "ones", "ones_like", "rand", "rand_like", "randn", "randn_like",
    "tensor", "zeros", "zeros_like",
]  # fmt: skip

# Accepted, since nothing else is there to choose: rows of memory, not pinned.
_IGNORED = ("layout", "pin_memory", "memory_format", "names")


class TensorOptions:
    """Keyword arguments of a function that creates a tensor."""

    def __init__(self, where: str, options: dict[str, Any]) -> None:
        self.where = where
        given = options.pop("dtype", None)
        self.dtype = None if given is None else as_dtype(where, given)
        given = options.pop("device", None)
        self.device = create.device_of_new(
            None if given is None else as_device(where, given)
        )
        self.has_device = given is not None
        self.requires_grad = bool(options.pop("requires_grad", False))
        self.out = options.pop("out", None)
        for name in _IGNORED:
            options.pop(name, None)
        if options:
            raise TypeError(
                f"[{where}] got an unknown argument {next(iter(options))}=; need "
                "dtype=, device=, requires_grad= or out=."
            )

    def real(self) -> dtype:
        """Requested dtype, or the default dtype."""
        return get_default_dtype() if self.dtype is None else self.dtype

    def finish(self, tensor_: Any) -> Tensor:
        """Apply `out=` and `requires_grad=` to a new tensor."""
        output = tensor_.as_torch()
        if self.out is not None:
            output = write_out(self.where, self.out, output)
        if self.requires_grad:
            require_real(self.where, output.dtype)
            output.requires_grad = True
        result: Tensor = output
        return result


def require_real(where: str, of: _core.DType) -> None:
    """Raise RuntimeError unless tensors of this dtype may have gradients."""
    if not of.is_floating_point:
        raise RuntimeError(
            f"[{where}] a tensor of {as_torch_dtype(of)} cannot require a gradient; "
            "need a floating-point dtype. Try dtype=torch.float32."
        )


def _leaves(data: Any, kinds: set[dtype]) -> Any:
    """Convert nested data to lists of plain numbers; add their dtypes to `kinds`."""
    if isinstance(data, list | tuple | range):
        return [_leaves(element, kinds) for element in data]
    if isinstance(data, _core.Tensor):
        if math.prod(data.shape) != 1:
            raise ValueError(
                f"[tensor] the list contains a tensor of shape {tuple(data.shape)}; "
                "need numbers. Try torch.stack for a list of tensors."
            )
        kinds.add(as_torch_dtype(data.dtype))
        return _core.to_numpy(data.detach()).reshape(()).item()
    if isinstance(data, np.ndarray | np.generic):
        kinds.add(as_torch_dtype(_core.as_dtype(data.dtype)))
        return data.tolist()
    if isinstance(data, bool):
        kinds.add(bool_)
    elif isinstance(data, int):
        kinds.add(int64)
    elif isinstance(data, float):
        kinds.add(get_default_dtype())
    return data


_DEEPEST = 64  # lists in lists that NumPy takes; one may lie in itself


def _first_leaf(data: Any) -> Any:
    for _ in range(_DEEPEST):
        if not isinstance(data, list | tuple) or not data:
            break
        data = data[0]
    return data


def _regular(data: Any) -> np.ndarray[Any, Any]:
    try:
        array = np.array(data)
    except ValueError as error:
        raise ValueError(
            f"[tensor] the nested lists have different lengths ({error}); need equal "
            "lengths in each dimension."
        ) from None
    except OverflowError:
        raise ValueError(
            "[tensor] got an integer that does not fit in 64 bits."
        ) from None
    if array.dtype.kind in "US":
        raise TypeError(
            "[tensor] got a string; need numbers, or nested lists of numbers."
        )
    if array.dtype.kind == "O" or array.dtype == np.uint64:
        kinds = {type(element) for element in array.ravel().tolist()} or {object}
        kind = min(kinds - {int, float, bool}, key=str, default=int)
        if kind is int:
            raise ValueError("[tensor] got an integer that does not fit in 64 bits.")
        raise RuntimeError(
            f"[tensor] could not infer a dtype: got {kind.__name__}; need numbers, or "
            "nested lists of numbers."
        )
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"[tensor] got {array.dtype}; minitorch has no complex numbers."
        )
    return array


def _from_lists(data: Any, wanted: dtype | None) -> Any:
    kinds: set[dtype] = set()
    if isinstance(_first_leaf(data), _core.Tensor | np.generic | np.ndarray):
        data = _leaves(data, kinds)
    array = _regular(data)
    inferred = {"b": bool_, "f": get_default_dtype()}.get(array.dtype.kind, int64)
    if kinds:
        inferred, *rest = kinds
        for kind in rest:
            inferred = promote_types(inferred, kind)
    target = inferred if wanted is None else wanted
    if not target.is_floating_point and target is not bool_ and array.size:
        array = _as_integers(array, target)
    exact = array.astype("float64") if array.dtype == np.float16 else array
    return _core.from_numpy(exact)._cast(target)


def _as_integers(array: Any, target: dtype) -> Any:
    """Truncate the numbers to integers; RuntimeError if one does not fit."""
    limits = np.iinfo(target.name)
    low = -limits.max - 1 if limits.min == 0 else limits.min  # -1 stands for the last
    if not np.all((array >= low) & (array <= limits.max)):
        raise RuntimeError(
            f"[tensor] values from {array.min()} to {array.max()} do not fit in "
            f"{target}, which holds {limits.min} to {limits.max}."
        )
    return array.astype(target.name)


def _from_data(data: Any, wanted: dtype | None, copy: bool = True) -> Any:
    """Convert any data to a tensor of the library, without history."""
    if isinstance(data, _core.Tensor):
        detached = data.detach()
        same = wanted is None or detached.dtype == wanted
        return (
            detached._cast(wanted)
            if wanted and not same
            else detached.clone()
            if copy
            else detached
        )
    if isinstance(data, np.ndarray | np.generic):
        array = np.asarray(data)
        if array.dtype.kind in "USOc":
            raise TypeError(
                f"[tensor] got an array of {array.dtype}; need floating-point numbers, "
                "integers or bools."
            )
        share = not copy and isinstance(data, np.ndarray)
        result = _core.share_numpy(array) if share else _core.from_numpy(array)
        return result if wanted is None else result._cast(wanted)
    if hasattr(data, "__array__") and not isinstance(data, list | tuple):
        return _from_data(np.asarray(data), wanted)
    return _from_lists(data, wanted)


def tensor(data: Any, **options: Any) -> Tensor:
    """Return a new tensor with a copy of the data.

    Args:
        data: A number, nested lists of numbers, a NumPy array or a tensor.
        dtype: By default that of an array or tensor; of Python's numbers bool, int64
            or the default dtype.
        device: "cpu" by default.
        requires_grad: Collect a gradient in `.grad`.

    Raises:
        ValueError: The nested lists are ragged, or an integer has more than 64 bits.
        RuntimeError: A dtype cannot be inferred, cannot hold the numbers, or is one of
            integers that are to have a gradient.
        TypeError: The elements are not numbers.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([[1, 2], [3, 4]])
        tensor([[1, 2],
                [3, 4]])
        >>> torch.tensor([1.0, 2.5])
        tensor([1.0000, 2.5000])
    """
    wanted = TensorOptions("tensor", options)
    result = _from_data(data, wanted.dtype)
    if wanted.has_device or not isinstance(data, _core.Tensor):
        result = result._to_device(wanted.device)
    return wanted.finish(result)


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Return the data as a tensor, without a copy if possible; history stays.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.ones(2)
        >>> torch.as_tensor(x) is x
        True
    """
    wanted = TensorOptions("as_tensor", {"dtype": dtype, "device": device})
    if isinstance(data, _core.Tensor):
        require_torch("as_tensor", data)
        kept = data if wanted.dtype is None else data._cast(wanted.dtype)
        if wanted.has_device:
            kept = kept._to_device(wanted.device)
        return kept  # type: ignore[return-value]
    result = _from_data(data, wanted.dtype, copy=False)
    return wanted.finish(result._to_device(wanted.device))


def from_numpy(ndarray: Any) -> Tensor:
    """Return a tensor that shares the memory of a NumPy array.

    Raises:
        TypeError: It is not an array, or of a dtype that tensors do not have.

    Example:
        >>> import numpy as np
        >>> import minitorch.torch as torch
        >>> array = np.zeros(2)
        >>> x = torch.from_numpy(array)
        >>> array[0] = 1
        >>> x
        tensor([1., 0.], dtype=torch.float64)
    """
    return interchange.from_numpy(ndarray).as_torch()  # type: ignore[return-value]


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: Any = None) -> Tensor:
    """Return a tensor that shares the memory of another library's tensor."""
    target = None if device is None else as_device("from_dlpack", device)
    result = interchange.from_dlpack(ext_tensor, target, copy)
    return result.as_torch()  # type: ignore[return-value]


def _shape(where: str, size: tuple[Any, ...], options: dict[str, Any]) -> Any:
    if "size" in options:
        size = (*size, options.pop("size"))
    return sizes_of(where, size)


def zeros(*size: Any, **options: Any) -> Tensor:
    """Return a tensor of zeros; the shape is given as sizes or as one tuple.

    Args:
        size: The shape.
        dtype, device, requires_grad, out: As of all functions that make tensors.

    Raises:
        TypeError, RuntimeError: The sizes are not integers, or are negative.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.zeros(2, dtype=torch.int64)
        tensor([0, 0])
    """
    return _filled("zeros", _shape("zeros", size, options), 0, options)


def ones(*size: Any, **options: Any) -> Tensor:
    """Return a tensor of ones; the shape is given as sizes or as one tuple.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.ones(2, 3).shape
        torch.Size([2, 3])
    """
    return _filled("ones", _shape("ones", size, options), 1, options)


def _filled(where: str, sizes: Any, value: Any, options: dict[str, Any]) -> Tensor:
    wanted = TensorOptions(where, options)
    return wanted.finish(_core.full(sizes, value, wanted.real(), wanted.device))


def empty(*size: Any, **options: Any) -> Tensor:
    """Return an uninitialized tensor.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.empty(2, 3).shape
        torch.Size([2, 3])
    """
    sizes = _shape("empty", size, options)
    wanted = TensorOptions("empty", options)
    return wanted.finish(_core.empty(sizes, wanted.real(), wanted.device))


def _number_of(where: str, value: Any) -> Any:
    """Return a number, also from a tensor of one element."""
    number = value.item() if hasattr(value, "item") else value
    if not isinstance(number, int | float):
        raise TypeError(f"[{where}] got {value!r}; need a number.")
    return number


def full(size: Any, fill_value: Any, **options: Any) -> Tensor:
    """Return a tensor filled with one value: bool for a bool, int64 for an int.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.full((2,), 7)
        tensor([7, 7])
    """
    if not isinstance(size, tuple | list):
        raise TypeError(f"[full] got size {size!r}; need a tuple of integers.")
    number = _number_of("full", fill_value)
    if options.get("dtype") is None:
        if isinstance(fill_value, _core.Tensor):
            options["dtype"] = fill_value.dtype
        elif isinstance(number, bool):
            options["dtype"] = bool_
        elif isinstance(number, int):
            options["dtype"] = int64
    return _filled("full", sizes_of("full", (size,)), number, options)


def _drawn(where: str, size: Any, draw: Any, options: dict[str, Any]) -> Tensor:
    sizes = _shape(where, size, options)
    generator = options.pop("generator", None)
    wanted = TensorOptions(where, options)
    if not wanted.real().is_floating_point:
        raise NotImplementedError(
            f"[{where}] got dtype {wanted.dtype}; need a floating-point dtype. Try "
            "torch.randint."
        )
    with drawing_from(where, generator):
        sample = draw(sizes, wanted.real(), wanted.device)
    return wanted.finish(sample)


def rand(*size: Any, **options: Any) -> Tensor:
    """Return random numbers, uniform in [0, 1).

    Args:
        size: The shape.
        generator: Where they are drawn from.
        dtype, device, requires_grad, out: As of all functions that make tensors.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.rand(2, 3).shape
        torch.Size([2, 3])
    """
    return _drawn("rand", size, _core.rand, options)


def randn(*size: Any, **options: Any) -> Tensor:
    """Return random numbers from the normal distribution (mean 0, variance 1).

    Example:
        >>> import minitorch.torch as torch
        >>> torch.randn(2, 3).shape
        torch.Size([2, 3])
    """
    return _drawn("randn", size, _core.randn, options)


def _like(where: str, input: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Add the dtype and device of `input` to options that lack them."""
    require_torch(where, input)
    if options.get("dtype") is None:
        options["dtype"] = input.dtype
    if options.get("device") is None:
        options["device"] = input.device
    return options


def _like_function(make: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return `make_like`: shape, dtype and device are those of a tensor."""
    name = f"{make.__name__}_like"

    def call(input: Tensor, **options: Any) -> Tensor:
        require_torch(name, input)
        return make(tuple(input.shape), **_like(name, input, options))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"`{make.__name__}` of the shape, dtype and device of `input`."
    return call


def _new(make: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return the method `new_make`: dtype and device are those of the tensor."""
    name = f"new_{make.__name__}"

    def call(input: Tensor, *args: Any, **options: Any) -> Tensor:
        return make(*args, **_like(name, input, options))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"`{make.__name__}` with the dtype and device of the tensor."
    return call


empty_like = _like_function(empty)
ones_like = _like_function(ones)
rand_like = _like_function(rand)
randn_like = _like_function(randn)
zeros_like = _like_function(zeros)


def full_like(input: Tensor, fill_value: Any, **options: Any) -> Tensor:
    """Return a tensor filled with one value; shape, dtype, device as `input`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.full_like(torch.tensor([5.0, 6.0]), 2)
        tensor([2., 2.])
    """
    options = _like("full_like", input, options)
    number = _number_of("full_like", fill_value)
    return _filled("full_like", input.shape, number, options)


METHODS |= {
    f"new_{each.__name__}": _new(each) for each in (empty, full, ones, tensor, zeros)
}

"""Properties of tensors, and conversions: dtype, device, lists, NumPy arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..tensors.tensor_ufunc import array_ufunc
from . import dtypes
from .arguments import as_dim, device_name_of, require_torch
from .create import require_real
from .devices import as_device, as_torch_device, device
from .dtypes import as_dtype, dtype
from .tensor import METHODS, Size, Tensor

__all__ = ["clone", "detach", "is_floating_point", "is_tensor", "numel"]

if TYPE_CHECKING:
    from numpy.typing import NDArray

_base: Any = _core.Tensor
_base_shape = _base.shape.__get__
_new_tuple = tuple.__new__  # a Size of what are sizes, without asking again
_base_device = _base.device.__get__
_base_requires_grad = _base.requires_grad


def shape(input: Tensor) -> Size:
    """Sizes of the dimensions, outermost first."""
    return _new_tuple(Size, _base_shape(input))


def size(input: Tensor, dim: int | None = None) -> Any:
    """Return the shape, or the size of one dimension.

    Raises:
        IndexError: There is no such dimension.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.zeros(2, 3)
        >>> x.size(), x.size(-1)
        (torch.Size([2, 3]), 3)
    """
    sizes = _base_shape(input)
    if dim is None:
        return Size.of(sizes)
    if type(dim) is int and 0 <= dim < len(sizes):
        return sizes[dim]
    index = as_dim("size", dim, len(sizes))
    if not sizes:
        raise IndexError(
            "[size] a 0-dimensional tensor has no dimension to take the size of."
        )
    return sizes[index]


def dim(input: Tensor) -> int:
    """Return the number of dimensions."""
    return input.ndim


def numel(input: Tensor) -> int:
    """Return the number of elements.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.numel(torch.zeros(2, 3))
        6
    """
    require_torch("numel", input)
    return math.prod(_base_shape(input))


def element_size(input: Tensor) -> int:
    """Return the bytes of one element."""
    return input.dtype.itemsize


def _device(input: Tensor) -> device:
    """Device of the tensor."""
    return as_torch_device(_base_device(input))


def is_floating_point(input: Tensor) -> bool:
    """Return whether the dtype is a float.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([1, 2]).is_floating_point()
        False
    """
    require_torch("is_floating_point", input)
    return input.dtype.is_floating_point


def is_tensor(obj: Any) -> bool:
    """Return whether it is a tensor of PyTorch's dialect.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.is_tensor(torch.ones(1)), torch.is_tensor([1])
        (True, False)
    """
    return isinstance(obj, Tensor)


def stride(input: Tensor, dim: int | None = None) -> Any:
    """Return the strides in elements, of all dimensions or of one."""
    steps = tuple(input.strides)
    return steps if dim is None else steps[as_dim("stride", dim, len(steps))]


def storage_offset(input: Tensor) -> int:
    """Return the offset of the first element in its storage, in elements."""
    return int(input._storage[2])


def data_ptr(input: Tensor) -> int:
    """Return the address of the first element."""
    address, _, first = input._storage
    return int(address + first * input.dtype.itemsize)


def is_contiguous(input: Tensor, memory_format: Any = None) -> bool:
    """Return whether the elements lie in row-major order without gaps."""
    return _core.Tensor.is_contiguous(input)


def contiguous(input: Tensor, memory_format: Any = None) -> Tensor:
    """Return the tensor itself if it is contiguous, else a contiguous copy."""
    return _base.contiguous(input)


def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """Return a copy with its own memory, recorded in the graph.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([1.0, 2.0])
        >>> y = x.clone()
        >>> y[0] = 5.0
        >>> x
        tensor([1., 2.])
    """
    require_torch("clone", input)
    return _base.clone(input)


def detach(input: Tensor) -> Tensor:
    """Return a tensor that shares the elements, without history.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([1.0], requires_grad=True)
        >>> (x * 2).detach().requires_grad
        False
    """
    require_torch("detach", input)
    return _base.detach(input)


def detach_(input: Tensor) -> Tensor:
    """Detach the tensor from its graph, in place."""
    if _core.graph_step(input) is not None:
        input._forget_history()
    _base_requires_grad.__set__(input, False)
    return input


def copy_(input: Tensor, other: Tensor, non_blocking: bool = False) -> Tensor:
    """Copy the elements of `other`, converted and broadcast, in place.

    Raises:
        RuntimeError: `other` does not broadcast, or a leaf collects a gradient.
    """
    require_torch("copy_", input, other)
    if other.device != input.device:
        other = other._to_device(input.device)  # type: ignore[assignment]
    return _base.copy_(input, other)


def _get_data(input: Tensor) -> Tensor:
    """The same elements without history; assignment replaces the tensor's data."""
    return _base.detach(input)


def _set_data(input: Tensor, value: Any) -> None:
    require_torch("data", value)
    input._set_data(value.detach())


def _set_grad(input: Tensor, value: Any) -> None:
    if value is not None:
        require_torch("grad", value)
        if (value.shape, value.dtype) != (input.shape, input.dtype):
            raise RuntimeError(
                f"[grad] got {value.dtype} of shape {tuple(value.shape)}, but the "
                f"tensor is {input.dtype} of shape {tuple(input.shape)}; they must "
                "match."
            )
        if device_name_of(value) != device_name_of(input):
            raise RuntimeError(
                f"[grad] got a gradient on {device_name_of(value)}, but the tensor is "
                f"on {device_name_of(input)}; they must be on the same device."
            )
    _base.grad.__set__(input, value)


def _clear_grad(input: Tensor) -> None:
    _base.grad.__set__(input, None)


def _set_requires_grad(input: Tensor, wanted: Any) -> None:
    if not isinstance(wanted, int):
        raise RuntimeError(f"[requires_grad] got {wanted!r}; need True or False.")
    if wanted:
        require_real("requires_grad", input.dtype)
        if input.requires_grad:  # also where an op made it
            return
    _base_requires_grad.__set__(input, wanted)


def requires_grad_(input: Tensor, requires_grad: bool = True) -> Tensor:
    """Set whether a leaf accumulates a gradient, in place.

    Raises:
        RuntimeError: An op made the tensor, or its dtype is not floating.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.ones(2).requires_grad_()
        tensor([1., 1.], requires_grad=True)
    """
    _set_requires_grad(input, requires_grad)
    return input


def _is_leaf(input: Tensor) -> bool:
    """Whether no recorded operation created the tensor."""
    return not input.requires_grad or _core.graph_step(input) is None


def _require_one(where: str, input: Tensor) -> None:
    if numel(input) != 1:
        raise RuntimeError(
            f"[{where}] got a tensor of shape {tuple(input.shape)}; need exactly one "
            "element. Try .tolist(), or .any() or .all() for a condition."
        )


def item(input: Tensor) -> float | int | bool:
    """Return the only element as a Python number.

    Raises:
        RuntimeError: The tensor has another number of elements.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([2]).item()
        2
    """
    _require_one("item", input)
    value: float = input._item()
    if input.dtype.is_floating_point:
        return value
    if input.dtype is dtypes.bool:
        return bool(value)
    return int(_core.to_numpy(_base.detach(input)).item())


def tolist(input: Tensor) -> Any:
    """Return the elements as nested lists of Python numbers; a scalar as a number.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([[1, 2]]).tolist()
        [[1, 2]]
    """
    return _core.to_numpy(_base.detach(input)).tolist()


def numpy(input: Tensor, *, force: bool = False) -> NDArray[Any]:
    """Return a NumPy array that shares the tensor's memory.

    Args:
        force: Copy what cannot be shared: of a GPU, or with a history.

    Raises:
        RuntimeError: It requires a gradient, which the array would lose.
        TypeError: It is not on the CPU, or NumPy lacks the dtype.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.ones(2).numpy()
        array([1., 1.], dtype=float32)
    """
    if input.requires_grad and not force:
        raise RuntimeError(
            "[numpy] the tensor requires a gradient, which a NumPy array cannot "
            "record. Try .detach().numpy()."
        )
    if _base_device(input) != "cpu" and not force:
        raise TypeError(
            f"[numpy] the tensor is on {input.device}; it must be on the CPU. Try "
            ".cpu().numpy()."
        )
    if input.dtype is dtypes.bfloat16 and not force:
        raise TypeError("[numpy] NumPy has no bfloat16. Try .float().numpy().")
    return _core.to_numpy(_base.detach(input))


def _array(input: Tensor, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
    """Implement `numpy.asarray(tensor)`."""
    array = numpy(input)
    if dtype is not None and array.dtype != np.dtype(dtype):
        return array.astype(dtype)
    return array.copy() if copy else array


def _array_wrap(input: Tensor, array: Any, *rest: Any) -> Tensor:
    """Convert the result of a NumPy function to a tensor."""
    result = np.asarray(array)
    return _core.from_numpy(result).as_torch()  # type: ignore[return-value]


def target_of(
    targets: tuple[Any, ...], device: Any = None, dtype: Any = None
) -> tuple[str | None, dtypes.dtype | None]:
    """Return the device and the dtype among the arguments of `to`."""
    device_name = None if device is None else as_device("to", device)
    kind = None if dtype is None else as_dtype("to", dtype)
    for target in targets:
        if target is None or isinstance(target, bool):
            continue  # no dtype; non_blocking and copy by position
        if isinstance(target, Tensor):
            device_name, kind = _base_device(target), as_dtype("to", target.dtype)
        elif isinstance(target, str | Integral):
            device_name = as_device("to", target)
        else:
            kind = as_dtype("to", target)
    return device_name, kind


def to(
    input: Tensor,
    *targets: Any,
    device: Any = None,
    dtype: Any = None,
    other: Any = None,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Return the tensor on another device or of another dtype; itself if unchanged.

    Args:
        targets: A device, a dtype, or a tensor that has both.
        device, dtype, other: The same by name.
        non_blocking, memory_format: Accepted; copies wait, and rows are row-major.
        copy: A copy even where nothing changes.

    Raises:
        RuntimeError: There is no such device.
        TypeError: Something is none of these.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([1.5]).to(torch.int64)
        tensor([1])
    """
    device_name, kind = target_of((*targets, other), device, dtype)
    result = input if kind is None else input._cast(kind)
    if device_name is not None:
        result = result._to_device(device_name)
    if result is input and copy:
        return _base.clone(input)
    return result  # type: ignore[return-value]


def type_(input: Tensor, dtype: Any, non_blocking: bool = False) -> Tensor:
    """Return the tensor in another dtype.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.ones(1).type(torch.int64)
        tensor([1])
    """
    return input._cast(as_dtype("type", dtype))  # type: ignore[return-value]


def cpu(input: Tensor, memory_format: Any = None) -> Tensor:
    """Return the tensor in host memory; itself if it is there already."""
    return input._to_device("cpu")  # type: ignore[return-value]


def cuda(
    input: Tensor,
    device: Any = None,
    non_blocking: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Return the tensor on the GPU; itself if it is there already."""
    device_name = "cuda" if device is None else as_device("cuda", device)
    return input._to_device(device_name)  # type: ignore[return-value]


def _conversion(to_dtype: dtype) -> Callable[..., Tensor]:
    def convert(input: Tensor, memory_format: Any = None) -> Tensor:
        return input._cast(to_dtype)  # type: ignore[return-value]

    convert.__doc__ = f"The tensor in {to_dtype}; itself if it has this dtype."
    return convert


def _same(input: Tensor, *ignored: Any, **options: Any) -> Tensor:
    """Return the tensor itself: there is nothing to do here."""
    return input


def _len(input: Tensor) -> int:
    sizes = _base_shape(input)
    if not sizes:
        raise TypeError("[len] a 0-dimensional tensor has no length.")
    return int(sizes[0])


def _iter(input: Tensor) -> Iterator[Any]:
    sizes = _base_shape(input)
    if not sizes:
        raise TypeError("[iter] a 0-dimensional tensor cannot be iterated over.")
    return (input._at(i) for i in range(sizes[0]))


def _reversed(input: Tensor) -> Tensor:
    return input if input.ndim == 0 else input._flip([0])  # type: ignore[return-value]


def _bool(input: Tensor) -> bool:
    _require_one("bool", input)
    return bool(input._item())


def _float(input: Tensor) -> float:
    return float(item(input))


def _int(input: Tensor) -> int:
    return int(item(input))


def _index(input: Tensor) -> int:
    if input.dtype.is_floating_point or numel(input) != 1:
        raise TypeError(
            f"[index] a tensor of {input.dtype} and shape {tuple(input.shape)} cannot "
            "be used as an integer; need one integer element."
        )
    return int(item(input))


def _format(input: Tensor, form: str) -> str:
    if input.ndim == 0:
        return format(item(input), form)
    if form:
        raise TypeError(
            f"[format] the format {form!r} applies to a number, but the tensor has "
            f"shape {tuple(input.shape)}. Try .item()."
        )
    return str(input)


def _contains(input: Tensor, element: Any) -> bool:
    if not isinstance(element, int | float | Tensor):
        raise RuntimeError(
            f"[in] got {type(element).__name__}; need a number or a torch.Tensor."
        )
    contained: bool = _base.any(_base.eq(input, element)).item()
    return bool(contained)


def _is_cuda(input: Tensor) -> bool:
    """Whether the tensor is on the GPU, or on the emulated one."""
    return _base_device(input) != "cpu"


def _nbytes(input: Tensor) -> int:
    """Bytes of the elements: their number times the item size."""
    return numel(input) * input.dtype.itemsize


def _numpys_function(
    input: Tensor, ufunc: Any, method: str, *inputs: Any, **options: Any
) -> Any:
    """Implement NumPy's protocol: a NumPy function returns a tensor.

    Operators and functions that tensors have keep their history; others are NumPy's, of
    tensors without a gradient.
    """
    try:
        return array_ufunc(input, ufunc, method, *inputs, **options)
    except TypeError:  # no function of ours: an array refuses what has a gradient
        arrays = [np.asarray(operand) for operand in inputs]
    result = getattr(ufunc, method)(*arrays, **options)
    if not isinstance(result, np.ndarray | np.generic):
        return result
    return _core.from_numpy(np.asarray(result)).as_torch()


METHODS |= {
    "__array__": _array,
    "__array_ufunc__": _numpys_function,
    "__array_priority__": 1000,
    "__array_wrap__": _array_wrap,
    "__bool__": _bool,
    "__contains__": _contains,
    "__float__": _float,
    "__format__": _format,
    "__index__": _index,
    "__int__": _int,
    "__iter__": _iter,
    "__len__": _len,
    "__reversed__": _reversed,
    "bfloat16": _conversion(dtypes.bfloat16),
    "bool": _conversion(dtypes.bool),
    "grad": property(_base.grad.__get__, _set_grad, _clear_grad),
    "data": property(_get_data, _set_data),
    "device": property(_device),
    "double": _conversion(dtypes.float64),
    "float": _conversion(dtypes.float32),
    "half": _conversion(dtypes.float16),
    "int": _conversion(dtypes.int32),
    "is_cuda": property(_is_cuda),
    "is_leaf": property(_is_leaf),
    "itemsize": property(element_size),
    "long": _conversion(dtypes.int64),
    "nbytes": property(_nbytes),
    "nelement": numel,
    "pin_memory": _same,
    "requires_grad": property(_base_requires_grad.__get__, _set_requires_grad),
    "shape": property(shape),
    "type": type_,
}
METHODS |= {
    function.__name__: function
    for function in (
        clone,
        contiguous,
        copy_,
        cpu,
        cuda,
        data_ptr,
        detach,
        detach_,
        dim,
        element_size,
        is_contiguous,
        is_floating_point,
        item,
        numel,
        numpy,
        requires_grad_,
        size,
        storage_offset,
        stride,
        to,
        tolist,
    )
}

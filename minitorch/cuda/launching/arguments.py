"""Arguments of a launch: names, types, copies to the device and back."""

from __future__ import annotations

import inspect
import math
import os
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from ... import _core
from ..arrays.array_copies import bytes_of
from ..arrays.array_creation import to_device
from ..arrays.array_interface import as_cuda_array, is_cuda_array
from ..arrays.array_types import element, interned, packer
from ..arrays.device_array import LARGE, UNKNOWN, DeviceArray
from ..arrays.host_memory import MappedArray
from ..arrays.layout import Sizes, layout_letter, span
from ..errors import CudaError
from ..language.advice import refused_dtype
from ..language.types import ArrayType, KernelType, TupleType, Type
from ..tracebacks import warn_at_caller

_VARIADIC = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


class ArgumentName(str):
    """Position and name of an argument, for messages: "argument 2 'n'".

    Attributes:
        path: Its place, counted from 0; then those of an item in its tuples.

    Example:
        >>> name = ArgumentName(1, "n")
        >>> print(name, name.item(0))
        argument 2 'n' argument 2 'n'[0]
    """

    path: tuple[int, ...]

    def __new__(cls, index: int, name: str = "") -> Self:
        text = f"argument {index + 1}" + (f" '{name}'" if name else "")
        result = super().__new__(cls, text)
        result.path = (index,)
        return result

    def item(self, index: int) -> ArgumentName:
        """Return the name of an item of a tuple."""
        result = str.__new__(type(self), f"{self}[{index}]")
        result.path = (*self.path, index)
        return result


_ARGUMENT = ArgumentName(0)


class Parameters:
    """Parameters of one function."""

    def __init__(self, function: types.FunctionType) -> None:
        code = function.__code__
        self._function = function
        self._count = code.co_argcount
        self._fixed = not code.co_flags & _VARIADIC
        names = code.co_varnames[: self._count]
        self._names = [ArgumentName(index, name) for index, name in enumerate(names)]

    def name(self, index: int) -> ArgumentName:
        """Return the name of the argument at an index, for messages."""
        if index < len(self._names):
            return self._names[index]
        return ArgumentName(index, "")

    def bound(self, args: Sequence[Any], named: Mapping[str, Any]) -> Sequence[Any]:
        """Bind keyword arguments and defaults to positions; TypeError for a misfit."""
        if not named and len(args) == self._count and self._fixed:
            return args
        signature = inspect.signature(self._function)
        try:
            bound = signature.bind(*args, **named)
        except TypeError as error:
            names = ", ".join(signature.parameters)
            raise TypeError(
                f"[launch] cannot call {self._function.__name__}({names}): {error}."
            ) from None
        bound.apply_defaults()
        return bound.args

    def check_count(self, count: int) -> None:
        """Raise TypeError for a signature with another number of arguments."""
        if count == self._count or not self._fixed:
            return
        names = ", ".join(self._function.__code__.co_varnames[: self._count])
        raise TypeError(
            f"[jit] the signature has {count} type{'s' * (count != 1)}, but "
            f"{self._function.__name__}({names}) has {self._count} "
            f"parameter{'s' * (self._count != 1)}."
        )


_PYTHON = {bool: Type.BOOL, float: Type.FLOAT64, complex: Type.COMPLEX128}
_NUMPY_KINDS = "biufc"


def type_of(value: Any, where: ArgumentName = _ARGUMENT) -> KernelType:
    """Return the kernel type of an argument value.

    A Python int is int64 (uint64 above), a float float64, a complex complex128; NumPy's
    scalars keep their type; tuples are tuples of these.

    Args:
        value: Anything; of an array, one with `kernel_type`.
        where: What it is, for messages: "argument 2 'n'".

    Raises:
        TypeError: A kernel cannot take it.
        ValueError: An integer beyond 64 bits.

    Example:
        >>> print(type_of((1, 2.5, np.float32(3))))
        (int64, float64, float32)
    """
    kind = getattr(value, "kernel_type", None)
    if isinstance(kind, ArrayType):
        return kind
    if isinstance(value, np.generic):
        return _numpy_scalar(value, where)
    if isinstance(value, bool):
        return Type.BOOL
    if isinstance(value, int):
        return _integer(value, where)
    for python, type_ in _PYTHON.items():
        if isinstance(value, python):
            return type_
    if isinstance(value, tuple):
        items = tuple(
            type_of(element, where.item(i)) for i, element in enumerate(value)
        )
        return TupleType(items, getattr(value, "_fields", ()))
    raise TypeError(
        f"[launch] got {_described(value)} for {where}; need a device or NumPy array, "
        f"a tensor on cuda, a number or a tuple of these.{_hint(value)}"
    )


def key_of(value: Any) -> Any:
    """Return a key that is equal for values of equal types: cheaper than the type.

    For an array that is the id of its type, which has to be kept, and below 0 where
    the array is large.
    """
    kind = value.__class__
    if kind is int:
        return kind if -(2**63) <= value < 2**63 else Type.UINT64
    if isinstance(value, tuple):
        return (kind, *[key_of(element) for element in value])
    key = getattr(value, "kernel_key", None)
    return kind if key is None else key


def has_large(key: Any) -> bool:
    """Return whether one of these keys belongs to a large array."""
    if isinstance(key, tuple):
        return any(map(has_large, key))
    return isinstance(key, int) and key < 0


def is_plain(value: Any) -> bool:
    """Return whether it is a device array, or a number typed by its class."""
    kind = value.__class__
    return (
        kind is DeviceArray
        or kind in _PYTHON
        or kind is int
        or isinstance(value, np.generic)
    )


def _integer(value: int, where: ArgumentName) -> Type:
    if -(2**63) <= value < 2**63:
        return Type.INT64
    if 0 <= value < 2**64:
        return Type.UINT64
    raise ValueError(
        f"[launch] got {value} for {where}; the integer must fit in 64 bits."
    )


def _numpy_scalar(value: np.generic, where: ArgumentName) -> Type:
    if value.dtype.kind in _NUMPY_KINDS and value.dtype.name in _NAMES:
        return Type(value.dtype.name)
    raise TypeError(
        f"[launch] got a NumPy scalar of dtype {value.dtype} for {where}; need one of "
        f"{', '.join(sorted(_NAMES))}. {refused_dtype(value.dtype)}"
    )


_NAMES = {type_.value for type_ in Type if type_ is not Type.BFLOAT16}


def _described(value: object) -> str:
    if value is None:
        return "None"
    if isinstance(value, str):
        return f"the string {value!r}"
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _hint(value: object) -> str:
    if value is None:
        return (
            " Pass an array, or remove the parameter. A function without a return "
            "statement returns None."
        )
    if isinstance(value, list):
        return " Convert it to an array: np.array(...)."
    if isinstance(value, str):
        return " Kernels do not support strings; pass a number instead."
    if isinstance(value, (set, dict)):
        return " Pass its values as arrays, e.g. np.array(sorted(values))."
    if isinstance(value, range):
        return " Convert it to an array with np.arange(...), or pass its bounds."
    if callable(value):
        return (
            " A function cannot be an argument: define the kernel inside a function "
            "that has it as a parameter."
        )
    return " Pass its values one by one, or as an array."


def check_fits(value: Any, kind: KernelType, where: ArgumentName) -> None:
    """Check that a value can be passed as the declared type.

    An int fits every integer type that holds it and every float, a float every float
    (rounded), a bool and a real number every wider kind. Arrays need the same dtype and
    dimensions, and the layout where it is C or F.

    Args:
        value: An argument; arrays have `kernel_type`.
        kind: The declared type.
        where: What it is, for messages.

    Raises:
        TypeError: It does not fit.
        ValueError: An integer that the type cannot hold.

    Example:
        >>> check_fits(3, Type.FLOAT32, ArgumentName(0))
        >>> check_fits(2.5, Type.INT32, ArgumentName(0))
        Traceback (most recent call last):
            ...
        TypeError: [launch] got float64 for argument 1; the signature needs int32. \
Convert it: int(value).
    """
    given = type_of(value, where)
    if given == kind:
        return
    if isinstance(kind, Type) and isinstance(given, Type):
        _check_number(value, given, kind, where)
    elif isinstance(kind, ArrayType) and isinstance(given, ArrayType):
        _check_array(given, kind, where)
    elif isinstance(kind, TupleType) and isinstance(given, TupleType):
        _check_tuple(value, kind, where)
    else:
        raise _wrong(given, kind, where)


def _wrong(
    given: KernelType, kind: KernelType, where: ArgumentName, hint: str = ""
) -> TypeError:
    return TypeError(
        f"[launch] got {given} for {where}; the signature needs {kind}.{hint}"
    )


def _check_number(value: Any, given: Type, kind: Type, where: ArgumentName) -> None:
    if given.rank > kind.rank:
        hint = " Convert it: int(value)." if kind.is_integer else ""
        raise _wrong(given, kind, where, hint)
    if not kind.is_integer:
        return
    low = -(2 ** (8 * kind.size - 1)) if kind.is_signed else 0
    high = 2 ** (8 * kind.size - kind.is_signed)
    if not low <= int(value) < high:
        raise ValueError(
            f"[launch] got {int(value)} for {where}; {kind} holds {low} to {high - 1}."
        )


def _check_array(given: ArrayType, kind: ArrayType, where: ArgumentName) -> None:
    if (given.dtype, given.ndim) != (kind.dtype, kind.ndim):
        hint = ""
        if given.ndim == kind.ndim:
            hint = f" Try array.astype('{kind.dtype}')."
        raise _wrong(given, kind, where, hint)
    if kind.layout != "A" and given.layout != kind.layout:
        row = "np.ascontiguousarray" if kind.layout == "C" else "np.asfortranarray"
        raise _wrong(
            given, kind, where, f" Try {row}(array) before copying it to the device."
        )


def _check_tuple(value: tuple[Any, ...], kind: TupleType, where: ArgumentName) -> None:
    if len(value) != len(kind.items):
        raise _wrong(type_of(value, where), kind, where)
    for index, (item, inner) in enumerate(zip(value, kind.items, strict=True)):
        check_fits(item, inner, where.item(index))


Array = npt.NDArray[Any]


class PerformanceWarning(UserWarning):
    """Launch that is correct, but slower on a GPU than it could be."""


#: Numba's name of it, which programs silence.
NumbaPerformanceWarning = PerformanceWarning


def warn_of_performance(message: str, switch: str) -> None:
    """Warn unless Numba's environment variable `switch` is 0."""
    if os.environ.get(switch, "1") != "0":
        warn_at_caller(message, PerformanceWarning)


class DeviceView:
    """Tensor memory as a kernel argument, with only what kernels need."""

    def __init__(
        self, pointer: int, dtype: str, device: int, shape: Sizes, strides: Sizes
    ) -> None:
        self.__minitorch_device_view__ = pointer, dtype, device, shape, strides
        self.shape = shape
        self.kernel_type, pack, self.steps = _view_layout(dtype, shape, strides)
        large = math.prod(shape) >= LARGE
        self.kernel_key = -id(self.kernel_type) if large else id(self.kernel_type)
        self.kernel_bytes = pack(pointer, *shape, *self.steps)

    @property
    def __minitorch_device_array__(self) -> tuple[int, str, int]:
        pointer, dtype, device, _, _ = self.__minitorch_device_view__
        return pointer, np.dtype(dtype).str, device


@lru_cache(maxsize=256)
def _view_layout(
    dtype: str, shape: Sizes, strides: Sizes
) -> tuple[ArrayType, Callable[..., bytes], Sizes]:
    """Return type, packer, and strides in elements."""
    kind = Type(dtype)
    layout = layout_letter(shape, strides, kind.size)
    steps = tuple(step // kind.size for step in strides)
    return interned(kind, len(shape), layout), packer(len(shape)), steps


class Transfer:
    """Arguments of one launch, copied to the device and back."""

    def __init__(self) -> None:
        self._copies: dict[int, tuple[Array, DeviceArray]] = {}  # by the host's id
        self._read_only: list[ArgumentName] = []

    def ready(self, value: Any, where: ArgumentName) -> Any:
        """Return the device form of `value`: numbers stay, arrays are copied.

        Args:
            value: An argument.
            where: What it is, for messages: "argument 2 'n'".

        Raises:
            TypeError: An array that no kernel can take.
        """
        if isinstance(value, DeviceArray):
            if value.kernel_key == UNKNOWN:
                _check_dtype(value, where)
            return value
        if isinstance(value, (np.generic, int, float, complex)):
            return value
        if isinstance(value, MappedArray) and is_cuda_array(value):
            return value.as_device_array()
        if isinstance(value, np.ndarray):
            return self._copied_in(value, where)
        if isinstance(value, tuple):
            items = [
                self.ready(element, where.item(index))
                for index, element in enumerate(value)
            ]
            make: Callable[..., Any] = getattr(type(value), "_make", tuple)
            return make(items)
        if hasattr(type(value), "__minitorch_device_view__"):
            try:
                return DeviceView(*value.__minitorch_device_view__)
            except AttributeError:  # it is not on the device
                raise TypeError(
                    f"[launch] {where} is a tensor on cpu; need a tensor on cuda. Try "
                    'x.to("cuda").'
                ) from None
        if hasattr(value, "__cuda_array_interface__"):
            return _foreign(value, where)
        return value

    def _copied_in(self, host: Array, where: ArgumentName) -> DeviceArray:
        _check_dtype(host, where)
        if id(host) not in self._copies:
            self._copies[id(host)] = host, to_device(host)
        if not host.flags.writeable:
            self._read_only.append(where)
        return self._copies[id(host)][1]

    def check_written(self, written: Collection[tuple[int, ...]]) -> None:
        """Raise for a read-only array that the kernel writes: the result would be lost.

        Args:
            written: The arrays that the kernel writes, by the paths of `parameters`.

        Raises:
            ValueError: One of them cannot be copied back.
        """
        for where in self._read_only:
            if where.path in written:
                raise ValueError(
                    f"[launch] the kernel writes {where}, but the array is read-only. "
                    "Try array.copy(), or cuda.to_device(array) to discard the result."
                )

    @property
    def moved(self) -> bool:
        """Whether a host array was among the arguments."""
        return bool(self._copies)

    def finish(self) -> None:
        """Wait for the kernel, then copy back what it may have written."""
        for host, device in self._copies.values():
            if host.flags.writeable:
                host[...] = device.copy_to_host()


def _foreign(value: Any, where: ArgumentName) -> DeviceArray:
    if _core.is_emulated():
        raise TypeError(
            f"[launch] {where} is a {type(value).__name__} in GPU memory, which the "
            "emulator cannot read. Copy it: cuda.as_cuda_array(array)."
        )
    return as_cuda_array(value)


def _check_dtype(host: Array | DeviceArray, where: ArgumentName) -> None:
    if isinstance(host, np.ma.MaskedArray):
        raise TypeError(
            f"[launch] {where} is a masked array; need a plain array. Try "
            "array.filled(0)."
        )
    try:
        if host.dtype.isnative:
            element(host.dtype)
            return
    except TypeError:  # said below, with the argument's name
        pass
    raise TypeError(
        f"[launch] got an array of dtype {host.dtype} for {where}; need one of "
        f"{', '.join(sorted(_NAMES))}. {refused_dtype(host.dtype)}"
    )


@dataclass(frozen=True, eq=False)
class Argument:
    """One argument of a launch; each item of a tuple is one: `p[0]`, `p[1]`.

    Attributes:
        name: Of the kernel's parameter, "" where the code does not tell it.
        value: Of a number; None for an array.
        pointer: Address of an array's first element; 0 for a number.
        shape: An array's sizes.
        strides: Bytes between its neighbours along each dimension.
        dtype: An array's dtype; None for a number.
        before: What the array held as the kernel began; None for a number, and where
            the arrays of a run took too much memory.
    """

    name: str
    value: Any = None
    pointer: int = 0
    shape: Sizes = ()
    strides: Sizes = ()
    dtype: np.dtype[Any] | None = None
    before: NDArray[Any] | None = None

    @property
    def is_array(self) -> bool:
        """Whether it is an array, not a number."""
        return self.dtype is not None


def arguments_of(
    names: Iterable[str], values: Sequence[Any], room: int
) -> tuple[Argument, ...]:
    """Return the arguments of a launch; queue copies of its arrays.

    The copies are made on the current stream, before what is queued next; nothing
    waits for them, so that no fault of an earlier kernel comes up here.

    Args:
        names: Of the parameters.
        values: What a kernel takes: device arrays, tensors, numbers, tuples of them.
        room: Most bytes of all copies together.
    """
    arguments: list[Argument] = []
    for name, value in zip(names, values, strict=False):
        for part_name, part in _parts(name, value):
            argument = _argument(part_name, part, room)
            if argument.before is not None:
                room -= argument.before.nbytes
            arguments.append(argument)
    return tuple(arguments)


def _parts(name: str, value: Any) -> list[tuple[str, Any]]:
    if not isinstance(value, tuple):
        return [(name, value)]
    return [
        part
        for index, item in enumerate(value)
        for part in _parts(f"{name}[{index}]", item)
    ]


def _argument(name: str, value: Any, room: int) -> Argument:
    if isinstance(value, DeviceArray):
        region = value.pointer, value.shape, value.strides, value.dtype
    elif view := getattr(value, "__minitorch_device_view__", None):
        pointer, dtype, _, shape, strides = view
        region = pointer, tuple(shape), tuple(strides), np.dtype(dtype)
    else:
        return Argument(name, value)
    freed = isinstance(value, DeviceArray) and value._buffer.freed
    before = None if freed else _copied(*region, room)
    return Argument(name, None, *region, before)


def _copied(
    pointer: int, shape: Sizes, strides: Sizes, dtype: np.dtype[Any], room: int
) -> NDArray[Any] | None:
    """Copy the memory range that the array spans; return it in that layout."""
    from ..arrays.host_memory import pinned_array

    low, high = span(shape, strides, dtype.itemsize)
    if high - low > room:
        return None
    window = pinned_array(high - low, np.uint8)
    if window.size:
        try:
            _core.queue_to_host(bytes_of(window), pointer + low)
        except CudaError:  # no memory there: the launch says so
            return None
    seen: NDArray[Any] = np.ndarray(shape, dtype, window.data, -low, strides)
    seen.setflags(write=False)
    return seen

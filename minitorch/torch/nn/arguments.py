"""Check and convert devices, dtypes and tensors for modules and functions."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from ... import _core
from .. import arguments
from ..devices import as_device


def require_torch(where: str, *needed: Any, optional: tuple[Any, ...] = ()) -> None:
    """Raise TypeError unless all are torch.Tensors; the optional ones may be None."""
    arguments.require_torch(where, *needed)
    for value in optional:
        if value is not None:
            arguments.require_torch(where, value)


def require_one_dtype(where: str, first: Any, *others: Any) -> None:
    """Raise RuntimeError unless all have one dtype: layers never convert silently."""
    dtype = first.dtype
    for value in others:
        if value is not None and value.dtype is not dtype and value.dtype != dtype:
            raise RuntimeError(
                f"[{where}] got {dtype} and {value.dtype}; need one dtype. Try "
                f".to({value.dtype})."
            )


def call_library(function: Any, *args: Any, **options: Any) -> Any:
    """Call a function of the library; `except RuntimeError` also catches its errors."""
    try:
        return function(*args, **options)
    except RuntimeError:
        raise
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        explained = arguments.in_words(function.__name__, error, args, options)
        for kind in (IndexError, TypeError, ValueError):
            if isinstance(explained, kind):
                raise _core.fit_error(kind.__name__, str(explained)) from None
        raise explained from error


def device_of(device: Any) -> str:
    """Return the name of a device: "cpu" by default; a number is one of `cuda`."""
    return "cpu" if device is None else as_device("device", device)


def dtype_of(dtype: Any) -> Any:
    """Return a dtype, by default that of new floating tensors."""
    return _core.torch_default_dtype() if dtype is None else _core.as_dtype(dtype)


def _is_device(value: Any) -> bool:
    if isinstance(value, Integral) or (
        hasattr(value, "index") and hasattr(value, "type")
    ):
        return True
    return isinstance(value, str) and value.partition(":")[0] in ("cpu", "cuda")


def device_and_dtype(
    where: str, args: tuple[Any, ...], options: dict[str, Any]
) -> tuple[str | None, Any]:
    """Return the device and dtype among the arguments of `to(…)`.

    Raises:
        TypeError: Neither, or an option that `to` does not know.
    """
    known = {"device", "dtype", "non_blocking", "copy", "memory_format", "tensor"}
    if unknown := options.keys() - known:
        raise TypeError(f"[{where}] got {sorted(unknown)}; need device= or dtype=.")
    device = options.get("device")
    target = None if device is None else device_of(device)
    dtype = options.get("dtype")
    dtype = None if dtype is None else _core.as_dtype(dtype)
    given = [
        argument
        for argument in args
        if argument is not None and not isinstance(argument, bool)
    ]
    for value in [*given, *filter(None.__ne__, [options.get("tensor")])]:
        if isinstance(value, _core.Tensor):
            target, dtype = str(value.device), _core.as_dtype(value.dtype)
        elif _is_device(value):
            target = device_of(value)
        else:
            dtype = _core.as_dtype(value)
    if target is None and dtype is None and "memory_format" not in options:
        raise TypeError(f"[{where}] got neither a device nor a dtype; need one.")
    return target, dtype

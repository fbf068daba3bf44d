"""Check and convert devices, dtypes and tensors for modules and functions."""

from __future__ import annotations

from typing import Any

from ... import _core
from ..devices import as_device


def require_one_dtype(where: str, first: Any, *others: Any) -> None:
    """Raise RuntimeError unless all have one dtype: layers never convert silently."""
    dtype = first.dtype
    for value in others:
        if value is not None and value.dtype is not dtype and value.dtype != dtype:
            raise RuntimeError(
                f"[{where}] got {dtype} and {value.dtype}; they must have the same "
                f"dtype. Try .to({value.dtype})."
            )


def device_of(device: Any) -> str:
    """Return the name of a device: "cpu" by default; a number is one of `cuda`."""
    return "cpu" if device is None else as_device("device", device)


def dtype_of(dtype: Any) -> Any:
    """Return a dtype, by default that of new floating tensors."""
    return _core.torch_default_dtype() if dtype is None else _core.as_dtype(dtype)

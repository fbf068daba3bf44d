"""`torch.device`: one CPU, one GPU.

A device is a str, so that the library takes it where it takes "cpu" or "cuda".
"""

from __future__ import annotations

from contextvars import ContextVar
from numbers import Integral
from typing import Any

from ..functional.arguments import as_integer
from ..tensors import create as making
from ..tensors.create import new_tensors_on

__all__ = ["device", "get_default_device", "set_default_device"]

_blocks: ContextVar[tuple[Any, ...]] = ContextVar("blocks_of_devices", default=())


def _as_index(index: Any) -> int:
    """Return a GPU index; RuntimeError or TypeError for an invalid one."""
    index = as_integer("device", "index", index)
    if not 0 <= index < 128:
        raise RuntimeError(f"[device] got index {index}; need 0 to 127.")
    return index


class device(str):
    """Device of a tensor: `torch.device("cpu")`, `torch.device("cuda", 0)`.

    Args:
        type: "cpu" or "cuda", also as "cuda:0"; a number is that of a GPU.
        index: The number of the GPU.

    Raises:
        RuntimeError: There is no such kind of device.
        TypeError: `type` is neither text, number nor device.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.device("cuda", 0)
        device(type='cuda', index=0)
        >>> torch.zeros(2).device.type
        'cpu'
    """

    __slots__ = ("index", "type")
    type: str
    index: int | None  # type: ignore[assignment]  # not the method of str

    def __new__(cls, type: Any, index: int | None = None) -> device:
        if isinstance(type, device):
            return type
        if isinstance(type, Integral) and not isinstance(type, bool):
            type, index = "cuda", type
        if not isinstance(type, str):
            raise TypeError(
                f"[device] got {type!r}; need a string such as 'cpu' or 'cuda'."
            )
        kind, colon, number = type.partition(":")
        if colon:
            if index is not None or not number.isdecimal():
                raise RuntimeError(
                    f"[device] got {type!r} and index {index}; need at most one device "
                    "index, as in 'cuda:0'."
                )
            index = int(number)
        if index is not None:
            index = _as_index(index)
        if kind not in ("cpu", "cuda"):
            raise RuntimeError(f"[device] got {kind!r}; need 'cpu' or 'cuda'.")
        result = super().__new__(cls, kind)
        result.type, result.index = kind, index
        return result

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __format__(self, form: str) -> str:
        return format(str(self), form)

    def __repr__(self) -> str:
        number = "" if self.index is None else f", index={self.index}"
        return f"device(type={self.type!r}{number})"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, device):
            return self.type == other.type and self.index == other.index
        return isinstance(other, str) and other in (self.type, str(self))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.type)

    def __enter__(self) -> device:
        """Create this thread's new tensors on this device within the `with` block."""
        block = new_tensors_on(as_device("device", self))
        block.__enter__()
        _blocks.set((*_blocks.get(), block))
        return self

    def __exit__(self, *error: Any) -> None:
        *rest, block = _blocks.get()
        _blocks.set(tuple(rest))
        block.__exit__(None, None, None)

    def __reduce__(self) -> Any:
        return device, (str(self),)


_SHOWN = {"cpu": device("cpu"), "cuda": device("cuda", 0)}


def as_torch_device(name: str) -> device:
    """Return the core's device name as a PyTorch device."""
    return _SHOWN[name]


def as_device(where: str, wanted: Any) -> str:
    """Return the library's name of an argument `device=`.

    Raises:
        RuntimeError: There is no such device.
    """
    parsed = device(wanted)
    if parsed.index:
        raise RuntimeError(
            f"[{where}] there is no device '{parsed}'. The only index is 0."
        )
    return parsed.type


def get_default_device() -> device:
    """Return the default device of new tensors.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.get_default_device()
        device(type='cpu')
    """
    return device(making.device_of_new(None))


def set_default_device(device: Any) -> None:
    """Set this thread's default device of new tensors.

    Raises:
        RuntimeError: There is no such device.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.set_default_device("cpu")
    """
    name = "cpu" if device is None else as_device("set_default_device", device)
    making.place_new_tensors(name)

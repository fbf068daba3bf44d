"""`torch.save` and `torch.load`: files in PyTorch's format.

The form of the files is `minitorch.tensors.files`'s; here is how objects of PyTorch's
dialect come into them and out again.
"""

from __future__ import annotations

import io
import os
import pickle
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from ..tensors.files import pth
from ..tensors.files.pickles import Call, Refused
from ..tensors.files.pth_write import Name, dump
from .devices import device
from .dtypes import _BY_NAME, dtype
from .nn.parameter import Parameter
from .tensor import Size, Tensor

__all__ = ["load", "save"]


def _parameter(value: Any) -> Any:
    hooks: OrderedDict[str, Any] = OrderedDict()
    data = value.detach()._as_instance(Tensor)
    rebuild = Name("torch._utils", "_rebuild_parameter")
    return rebuild, (data, bool(value.requires_grad), hooks)


def _size(value: Any) -> Any:
    return Name("torch", "Size"), (tuple(value),)


def _device(value: Any) -> Any:
    arguments = (value.type,) if value.index is None else (value.type, value.index)
    return Name("torch", "device"), arguments


def save(
    obj: Any,
    f: Any,
    pickle_module: Any = None,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
) -> None:
    """Write an object with its tensors in PyTorch's format.

    Args:
        obj: A state dict, a checkpoint (containers, numbers, text, tensors), or
            anything that can be pickled, such as a module.
        f: The name of a file, or an open binary file.
        pickle_module: For programs of PyTorch; changes nothing.
        pickle_protocol: 2 to 5.

    Raises:
        OSError: The file cannot be written.
        TypeError: `f` is neither a name nor a file.

    Example:
        >>> import io
        >>> import minitorch.torch as torch
        >>> file = io.BytesIO()
        >>> torch.save({"epoch": 3, "w": torch.ones(2)}, file)
        >>> _ = file.seek(0)
        >>> torch.load(file)["epoch"]
        3
    """
    reductions = {Parameter: _parameter, Size: _size, device: _device, dtype: _dtype}
    if isinstance(f, str | os.PathLike):
        path = Path(f)
        content = io.BytesIO()  # so that a failure leaves the old file whole
        dump(obj, content, path.stem or "archive", pickle_protocol, reductions)
        path.write_bytes(content.getbuffer())
        return
    if not hasattr(f, "write"):
        raise TypeError(
            f"[save] got {type(f).__name__}; need a file name or an open file."
        )
    content = io.BytesIO()
    dump(obj, content, "archive", pickle_protocol, reductions)
    f.write(content.getvalue())


def _dtype(value: Any) -> Any:
    return Name("torch", value.name)


class _Reader(pth.Reader):
    """Archive whose tensors become torch.Tensors."""

    def names(self) -> dict[str, Any]:
        """Return the globals that a pickle without code may use."""
        known = super().names()
        known |= {f"torch.{name}": dtype for name, dtype in _BY_NAME.items()}
        for module in ("builtins", "__builtin__"):
            known[f"{module}.set"] = Call(_set)
        return known | {
            "collections.OrderedDict": Call(_ordered),
            "collections.Counter": Call(_counter),
            "collections.defaultdict": Call(_default),
            "builtins.dict": dict,
            "__builtin__.dict": dict,
            "_codecs.encode": Call(_bytes),
            "torch.Size": Call(lambda given: Size(given[0])),
            "torch.device": Call(lambda given: device(*given)),
            "torch._utils._rebuild_parameter": Call(_made_parameter),
        }

    def tensor(self, arguments: tuple[Any, ...]) -> Any:
        """Return a view of the storage, as it was saved."""
        view = super().tensor(arguments).as_torch()
        if len(arguments) > 4 and arguments[4] is True:
            view = view.requires_grad_(True)
        return view


def _set(given: tuple[Any, ...]) -> Any:
    if len(given) != 1 or not isinstance(given[0], list):
        raise ValueError("a malformed set")
    if not all(isinstance(element, str | int | float | bytes) for element in given[0]):
        raise ValueError("a set with elements other than numbers and strings")
    return set(given[0])


def _ordered(given: tuple[Any, ...]) -> Any:
    if given:
        raise ValueError("a malformed OrderedDict")
    return OrderedDict()


def _counter(given: tuple[Any, ...]) -> Any:
    if given and not isinstance(given[0], dict):
        raise ValueError("a malformed Counter")
    return Counter(*given)


def _default(given: tuple[Any, ...]) -> Any:
    if given[:1] not in ((), (None,), (dict,)):
        raise ValueError("a defaultdict with a default other than None or dict")
    return defaultdict(*given)


def _bytes(given: tuple[Any, ...]) -> bytes:
    if len(given) != 2 or not isinstance(given[0], str) or given[1] != "latin1":
        raise ValueError("malformed bytes")
    return given[0].encode("latin1")


def _made_parameter(given: tuple[Any, ...]) -> Any:
    if len(given) < 2 or not isinstance(given[0], Tensor):
        raise ValueError("a malformed Parameter")
    return Parameter(given[0].detach(), requires_grad=bool(given[1]))


class _Full(_Reader):
    """Archive whose pickle is executed, and may import anything."""

    def read(self) -> Any:
        """Return the value of the pickle."""
        known_names, storage = self.names(), self.storage

        class Unpickler(pickle.Unpickler):
            def find_class(self, module: str, name: str) -> Any:
                known = known_names.get(f"{module}.{name}")
                if isinstance(known, Call):
                    return lambda *given: known.function(given)
                if known is not None:
                    return known
                return super().find_class(module, name)

            def persistent_load(self, pid: Any) -> Any:
                return storage(pid)

        return Unpickler(io.BytesIO(self.pickled())).load()


class _StorageStub:
    """Storage argument of a `map_location` function: it can only be moved."""

    def __init__(self, where: str) -> None:
        self.device = where

    def cpu(self) -> _StorageStub:
        """Return the storage on the host."""
        return _StorageStub("cpu")

    def cuda(self, index: Any = None) -> _StorageStub:
        """Return the storage on the GPU."""
        return _StorageStub("cuda")


def _device_map(map_location: Any) -> Callable[[str], str]:
    """Return the function from a storage's saved device to the wanted one."""
    if map_location is None:
        return lambda saved: str(device(saved).type)
    if isinstance(map_location, dict):
        named = {str(k): str(device(v).type) for k, v in map_location.items()}
        return lambda saved: named.get(saved, str(device(saved).type))
    if isinstance(map_location, str | int):
        fixed = str(device(map_location).type)
        return lambda saved: fixed
    if not callable(map_location):
        raise TypeError(
            f"[load] got map_location {map_location!r}; need a device, a dict or a "
            "function."
        )

    def asked(saved: str) -> str:
        target = map_location(_StorageStub("cpu"), saved)
        return str(device(getattr(target, "device", None) or saved).type)

    return asked


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Read a file that `save` or PyTorch wrote.

    Args:
        f: The name of a file, or an open binary file that can be gone back in.
        map_location: Where tensors are wanted: a device, a dict from the saved device,
            or a function of a storage and the saved device.
        pickle_module: For programs of PyTorch; changes nothing.
        weights_only: The default True builds tensors, containers, numbers and text, and
            runs no code of the file. False runs whatever the file says: for modules, of
            a file that you trust.
        mmap: For programs of PyTorch; changes nothing.
        pickle_load_args: The same.

    Returns:
        What was saved; tensors that shared memory share it again.

    Raises:
        OSError: The file cannot be read.
        pickle.UnpicklingError: The file is damaged, no such file, or holds objects that
            may run code.
        TypeError: `f` is neither a name nor a file; a dtype that tensors do not have.

    Example:
        >>> import io
        >>> import minitorch.torch as torch
        >>> file = io.BytesIO()
        >>> torch.save([torch.zeros(2)], file)
        >>> _ = file.seek(0)
        >>> torch.load(file, map_location="cpu")[0].tolist()
        [0.0, 0.0]
    """
    device_for = _device_map(map_location)
    kind = _Full if weights_only is False else _Reader
    if isinstance(f, str | os.PathLike):
        with open(f, "rb") as opened:
            return _read(opened, repr(str(f)), kind, device_for)
    if not hasattr(f, "read") or not hasattr(f, "seek"):
        raise TypeError(
            f"[load] got {type(f).__name__}; need a file name or an open file."
        )
    return _read(f, type(f).__name__, kind, device_for)


def _read(
    opened: BinaryIO, name: str, kind: type[_Reader], device_for: Callable[[str], str]
) -> Any:
    content = io.BytesIO(opened.read())
    size = content.getbuffer().nbytes
    try:
        return pth.read_from(
            content, name, lambda archive: kind(archive, size, device_for)
        )
    except Refused as error:
        raise pickle.UnpicklingError(
            f"{error} If you trust the file, use weights_only=False."
        ) from None
    except ValueError as error:
        raise pickle.UnpicklingError(str(error)) from None

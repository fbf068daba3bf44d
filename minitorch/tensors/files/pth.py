"""Read PyTorch's files: zip archives of a pickle and the storages of its tensors.

Written after what `torch.save` writes. The pickle is read, never run (`pickles`), and
every size in it is checked against the archive before memory is taken.
"""

from __future__ import annotations

import math
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ... import _core
from ..._core import Tensor
from .pickles import Call, Refused, read

_MOST_DIMS = 32
_MOST_ELEMENTS = 2**48
_MOST_DEFLATED = 64  # bytes that a byte of the archive stands for
_OLD_START = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."  # of PyTorch 1.5 and older
_EXPORT = "In PyTorch: torch.save(model.state_dict(), path)."

# torch's storage class: dtype, and NumPy's type of the same size
_STORAGES = {
    "DoubleStorage": ("float64", "f8"),
    "FloatStorage": ("float32", "f4"),
    "HalfStorage": ("float16", "f2"),
    "BFloat16Storage": ("bfloat16", "u2"),
    "LongStorage": ("int64", "i8"),
    "IntStorage": ("int32", "i4"),
    "ByteStorage": ("uint8", "u1"),
    "BoolStorage": ("bool", "u1"),
}
# Dtypes that tensors here do not have; they are told from objects that may run code.
_OTHER_STORAGES = {
    "CharStorage": "int8",
    "ShortStorage": "int16",
    "ComplexFloatStorage": "complex64",
    "ComplexDoubleStorage": "complex128",
    "UntypedStorage": "a type without a storage class",
}
_DTYPES = (
    *(dtype for dtype, _ in _STORAGES.values()),
    *("int8", "int16", "uint16", "uint32", "uint64", "complex64", "complex128"),
)


@dataclass(frozen=True)
class _Kind:
    """Element type of a storage; `numpy` is "" for types that tensors lack."""

    dtype: str
    numpy: str


@dataclass(frozen=True)
class Storage:
    """Memory that tensors are views of, and its former device."""

    dtype: str
    cells: np.ndarray[Any, Any]  # one dimension
    device: str = "cpu"


def load(file: Path, device: str = "cpu") -> Any:
    """What `torch.save` wrote: tensors, numbers and text in lists, tuples and dicts.

    A Parameter becomes a tensor, an OrderedDict a dict, torch.Size a tuple, a dtype and
    a device their names. Tensors that shared memory share it again.

    Args:
        file: A zip archive, as PyTorch 1.6 and newer write it.
        device: Where the tensors are wanted, whatever device they were saved from.

    Raises:
        OSError: The file cannot be read.
        TypeError: A dtype that tensors do not have.
        ValueError: It is damaged, of another form, or holds objects beyond these.
    """
    with file.open("rb") as opened:
        size = file.stat().st_size
        return read_from(
            opened,
            repr(str(file)),
            lambda archive: Reader(archive, size, lambda _: device),
        )


def read_from(
    opened: BinaryIO, file_name: str, reader: Callable[[zipfile.ZipFile], Reader]
) -> Any:
    """What a reader makes of an open file.

    Args:
        opened: A binary file that can be gone back in.
        file_name: Its name, for messages.
        reader: Makes one for the archive.

    Raises:
        OSError: The file cannot be read.
        TypeError: A dtype that tensors do not have.
        ValueError: It is damaged, of another form, or holds objects beyond these.
    """
    begin = opened.tell()
    start = opened.read(len(_OLD_START))
    opened.seek(begin)
    if start == _OLD_START:
        raise ValueError(
            f"[load] {file_name} has the format of PyTorch 1.5 and older; need a zip "
            "archive. In PyTorch: torch.save(torch.load(path), path)."
        )
    try:
        with zipfile.ZipFile(opened) as archive:
            return reader(archive).read()
    except Refused as error:
        raise Refused(
            error.name,
            f"[load] {file_name} contains {error.name}, which could run code; only "
            f"tensors, numbers, strings and containers of these are loaded. {_EXPORT}",
        ) from None
    except (
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        RuntimeError,  # an entry that needs a password
        EOFError,
        MemoryError,
        OSError,
        ValueError,
    ) as error:
        raise ValueError(
            f"[load] {file_name} cannot be read as a file of torch.save ({error}). Is "
            f"it complete? {_EXPORT}"
        ) from None


class Reader:
    """Reader of one archive.

    Args:
        archive: The open file.
        size: Its bytes.
        device_for: From the device of a storage to the wanted one.
    """

    def __init__(
        self, archive: zipfile.ZipFile, size: int, device_for: Callable[[str], str]
    ) -> None:
        self.archive, self.device_for = archive, device_for
        self.sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
        if len(self.sizes) != len(archive.infolist()):
            raise ValueError("an entry name appears twice")
        total = sum(self.sizes.values())
        if total > _MOST_DEFLATED * size:
            raise ValueError(
                f"{total} bytes unpacked from {size}, more than weights compress"
            )
        self.prefix = self._find_prefix()
        self.swapped = self._is_big_endian()
        self.storages: dict[tuple[str, str], Storage] = {}
        self.rows: dict[int, Tensor] = {}

    def _find_prefix(self) -> str:
        """Return the folder that contains all entries."""
        entries = [name for name in self.sizes if name.endswith("/data.pkl")]
        if len(entries) != 1:
            raise ValueError(f"{len(entries)} entries named data.pkl instead of one")
        prefix = entries[0].removesuffix("data.pkl")
        if f"{prefix}constants.pkl" in self.sizes:
            raise ValueError("a TorchScript program")
        return prefix

    def _is_big_endian(self) -> bool:
        name = f"{self.prefix}byteorder"
        order = self._bytes(name) if name in self.sizes else b"little"
        if order not in (b"little", b"big"):
            raise ValueError(f"unknown byte order {order[:20]!r}")
        return order == b"big"

    def _bytes(self, name: str) -> bytes:
        """Return an entry; the archive's checksum is verified."""
        if name not in self.sizes:
            raise ValueError(f"entry {name!r} is missing")
        with self.archive.open(name) as entry:
            data = entry.read(self.sizes[name] + 1)
        if len(data) != self.sizes[name]:
            raise ValueError(f"entry {name!r} is not as long as stated")
        return data

    def read(self) -> Any:
        """Return the value of the pickle."""
        return read(self.pickled(), self.names(), self.storage)

    def pickled(self) -> bytes:
        """Return the pickle."""
        return self._bytes(f"{self.prefix}data.pkl")

    def names(self) -> dict[str, Any]:
        """Return the names that the pickle may use."""
        names: dict[str, Any] = {
            f"torch.{name}": _Kind(*kind) for name, kind in _STORAGES.items()
        }
        for name, dtype in _OTHER_STORAGES.items():
            names[f"torch.{name}"] = names[f"torch.storage.{name}"] = _Kind(dtype, "")
        names |= {f"torch.{dtype}": dtype for dtype in _DTYPES}
        names |= {
            "collections.OrderedDict": Call(_ordered_dict),
            "torch.Size": Call(_size),
            "torch.device": Call(_device),
            "torch._utils._rebuild_tensor": Call(self.tensor),
            "torch._utils._rebuild_tensor_v2": Call(self.tensor),
            "torch._utils._rebuild_tensor_v3": Call(_without_storage_class),
            "torch._utils._rebuild_parameter": Call(_parameter),
        }
        return names

    def storage(self, number: Any) -> Storage:
        """Return the storage for ("storage", class, entry name, device, elements)."""
        form = (str, _Kind, str, str, int)
        if not _has_form(number, form) or number[0] != "storage":
            raise ValueError("a malformed storage")
        _, kind, key, device, count = number
        if not kind.numpy:
            raise TypeError(_no_dtype(kind.dtype))
        known = self.storages.get((key, kind.dtype))
        if known is None:
            data = self._bytes(f"{self.prefix}data/{key}")
            if len(data) != count * np.dtype(kind.numpy).itemsize:
                raise ValueError(
                    f"storage {key!r} has {len(data)} bytes for {count} elements"
                )
            cells = np.frombuffer(data, dtype=kind.numpy)
            if self.swapped:
                cells = cells.byteswap()
            cells = cells != 0 if kind.dtype == "bool" else cells
            known = Storage(kind.dtype, cells, device)
            self.storages[key, kind.dtype] = known
        return known

    def tensor(self, arguments: tuple[Any, ...]) -> Tensor:
        """Return a view of the storage: (storage, first element, sizes, strides, …)."""
        storage, first, shape, strides = self.checked(arguments)
        if id(storage) not in self.rows:
            cells = storage.cells
            kind = _core.as_dtype(storage.dtype)
            row = _core.from_bytes(cells.view("u1").data, kind, (len(cells),))
            self.rows[id(storage)] = row._to_device(self.device_for(storage.device))
        row = self.rows[id(storage)]
        rest = row._slice(0, first, row.shape[0], 1) if first else row
        return rest._strided(shape, strides)

    def checked(
        self, arguments: tuple[Any, ...]
    ) -> tuple[Storage, int, tuple[int, ...], tuple[int, ...]]:
        """Return storage, first element, shape and strides; raise if outside."""
        if not _has_form(arguments[:4], (Storage, int, tuple, tuple)):
            raise ValueError("a malformed tensor")
        storage, first, shape, strides = arguments[:4]
        sizes = (*shape, *strides, first)
        if len(shape) != len(strides) or len(shape) > _MOST_DIMS:
            raise ValueError(
                f"a tensor with {len(shape)} sizes and {len(strides)} strides"
            )
        if not all(type(n) is int and 0 <= n < _MOST_ELEMENTS for n in sizes):
            raise ValueError("a tensor with invalid sizes or strides")
        count = math.prod(shape)
        if count >= _MOST_ELEMENTS:
            raise ValueError(f"a tensor with {count} elements")
        steps = zip(shape, strides, strict=True)
        last = first + sum((size - 1) * stride for size, stride in steps)
        if count and last >= len(storage.cells):
            raise ValueError(
                f"a tensor of shape {shape} reaches beyond the end of its storage"
            )
        return storage, first, shape, strides


def _has_form(values: Any, form: tuple[type, ...]) -> bool:
    return (
        isinstance(values, tuple)
        and len(values) == len(form)
        and all(isinstance(v, kind) for v, kind in zip(values, form, strict=True))
    )


def _no_dtype(name: Any) -> str:
    need = ", ".join(dtype for dtype, _ in _STORAGES.values())
    return f"[load] got a tensor of {name}; need one of {need}."


def _ordered_dict(arguments: tuple[Any, ...]) -> dict[Any, Any]:
    if arguments:
        raise ValueError("a malformed OrderedDict")
    return {}


def _size(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(arguments) != 1 or not isinstance(arguments[0], list | tuple):
        raise ValueError("a malformed torch.Size")
    return tuple(arguments[0])


def _device(arguments: tuple[Any, ...]) -> str:
    if not arguments or not isinstance(arguments[0], str):
        raise ValueError("a malformed torch.device")
    return ":".join(str(part) for part in arguments[:2])


def _parameter(arguments: tuple[Any, ...]) -> Tensor:
    """Return the tensor of (tensor, requires_grad, hooks)."""
    if not arguments or not isinstance(arguments[0], Tensor):
        raise ValueError("a malformed Parameter")
    return arguments[0]


def _without_storage_class(arguments: tuple[Any, ...]) -> Tensor:
    dtype = arguments[6] if len(arguments) > 6 else "an unknown dtype"
    raise TypeError(_no_dtype(dtype))

"""Write PyTorch's files: zip archives of a pickle and the storages of its tensors.

PyTorch reads what is written here. Tensors that look at one memory share it in the file
too.
"""

from __future__ import annotations

import pickle
import struct
import sys
import uuid
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from ... import _core
from ..._core import Tensor

_HEADER = 30  # bytes of an entry before its name
_ALIGNMENT = 64  # bytes: so that a file can be looked at where it lies
_STORAGES = {
    "float64": "DoubleStorage",
    "float32": "FloatStorage",
    "float16": "HalfStorage",
    "bfloat16": "BFloat16Storage",
    "int64": "LongStorage",
    "int32": "IntStorage",
    "uint8": "ByteStorage",
    "bool": "BoolStorage",
}


class Name:
    """A name for a pickle that need not exist here: `torch.FloatStorage`."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name

    def __call__(self, *arguments: Any) -> Any:  # a pickle calls it, we do not
        raise TypeError(f"[save] cannot save a call of {self.module}.{self.name}.")


class _Memory:
    """Memory that a tensor is a view of, with its number in the archive."""

    def __init__(self, number: int, tensor: Tensor, row: Tensor) -> None:
        self.number, self.dtype, self.device = number, tensor.dtype.name, tensor.device
        self.row = row  # keeps the memory, so that no other tensor gets its address
        self.count = row.shape[0]


# What stands for objects of a type: a Name, or one and its arguments.
Reductions = Mapping[type, Callable[[Any], Any]]


# Python's pickler in Python: the other has no place for names that are not there.
_Plain: Any = vars(pickle)["_Pickler"]


class _Pickler(_Plain):  # type: ignore[misc]
    """Python's pickler, with tensors and names in PyTorch's format."""

    def __init__(self, out: Any, protocol: int, reductions: Reductions) -> None:
        super().__init__(out, protocol)
        self.reductions = reductions
        self.memories: dict[tuple[Any, ...], _Memory] = {}

    def save(self, obj: Any, save_persistent_id: bool = True) -> Any:
        """Save an object; a Name becomes a GLOBAL instruction."""
        known = self.reductions.get(type(obj))
        reduced = known(obj) if known else obj
        if isinstance(reduced, Name):
            self.write(pickle.GLOBAL + f"{reduced.module}\n{reduced.name}\n".encode())
            return None
        return super().save(obj, save_persistent_id)

    def persistent_id(self, obj: Any) -> Any:
        """Return the reference to memory stored outside the pickle, or None."""
        if not isinstance(obj, _Memory):
            return None
        kind = Name("torch", _STORAGES[obj.dtype])
        device = "cuda:0" if obj.device.startswith("cuda") else "cpu"
        return ("storage", kind, str(obj.number), device, obj.count)

    def reducer_override(self, obj: Any) -> Any:
        """Return the reduction of tensors and of the caller's types."""
        for kind, reduce in self.reductions.items():
            if isinstance(obj, kind):
                return reduce(obj)
        if isinstance(obj, Tensor):
            return self._tensor(obj)
        return NotImplemented

    def _tensor(self, tensor: Tensor) -> Any:
        plain = tensor.detach()
        _, _, first = plain._storage
        memory = self._memory(plain)
        parts = (memory, first, tuple(plain.shape), tuple(plain.strides))
        hooks: OrderedDict[str, Any] = OrderedDict()
        rebuild = Name("torch._utils", "_rebuild_tensor_v2")
        return rebuild, (*parts, bool(tensor.requires_grad), hooks)

    def _memory(self, tensor: Tensor) -> _Memory:
        address, size, _ = tensor._storage
        key = (address, tensor.device, tensor.dtype.name) if size else (id(tensor),)
        if key not in self.memories:
            number = len(self.memories)
            self.memories[key] = _Memory(number, tensor, tensor._whole_memory())
        return self.memories[key]


def dump(
    obj: Any,
    out: BinaryIO,
    prefix: str = "archive",
    protocol: int = 2,
    reductions: Reductions | None = None,
) -> None:
    """Writes an object with the tensors in it.

    Args:
        obj: Anything that can be pickled.
        out: An open binary file.
        prefix: The folder in the archive.
        protocol: Of the pickle; PyTorch reads 2 to 5.
        reductions: How objects of some types are written.

    Raises:
        pickle.PicklingError: Something cannot be pickled.
    """
    data = _Buffer()
    pickler = _Pickler(data, protocol, reductions or {})
    pickler.dump(obj)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        _enter(archive, out, f"{prefix}/data.pkl", bytes(data))
        _enter(archive, out, f"{prefix}/byteorder", sys.byteorder.encode())
        for memory in pickler.memories.values():
            content = _core.to_bytes(memory.row._to_device("cpu"))
            _enter(archive, out, f"{prefix}/data/{memory.number}", content)
        _enter(archive, out, f"{prefix}/version", b"3\n")
        number = uuid.uuid4().int % 10**40
        _enter(archive, out, f"{prefix}/.data/serialization_id", b"%040d" % number)


class _Buffer(bytearray):
    """A byte buffer that a pickler can write to."""

    def write(self, data: Any) -> int:
        """Append data; return its size."""
        self.extend(data)
        return len(data)


def _enter(archive: zipfile.ZipFile, out: BinaryIO, name: str, data: bytes) -> None:
    """Write an entry whose bytes begin at a multiple of the alignment."""
    entry = zipfile.ZipInfo(name)
    start = out.tell() + _HEADER + len(name.encode())
    if len(data) >= zipfile.ZIP64_LIMIT:
        start += 20  # the field of large sizes
    pad = -(start + 4) % _ALIGNMENT
    entry.extra = struct.pack("<2sH", b"FB", pad) + b"Z" * pad
    archive.writestr(entry, data)

"""A writer of PyTorch's files, by hand; knows neither PyTorch nor our reader."""

from __future__ import annotations

import struct
import zipfile

# Instructions of the pickle format, by hand (Lib/pickletools.py describes each).
PROTO, STOP, MARK = b"\x80\x02", b".", b"("
REDUCE, TUPLE, DICT, LIST = b"R", b"t", b"}", b"]"
SETITEMS, APPENDS, BUILD, PERSISTENT = b"u", b"e", b"b", b"Q"
FALSE, NONE = b"\x89", b"N"


def name(module, what):
    return b"c" + module.encode() + b"\n" + what.encode() + b"\n"


def text(value):
    return b"X" + struct.pack("<I", len(value.encode())) + value.encode()


def number(value):
    if -(2**31) <= value < 2**31:
        return b"J" + struct.pack("<i", value)
    data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
    return b"\x8a" + bytes([len(data)]) + data


def numbers(*values):
    return MARK + b"".join(map(number, values)) + TUPLE


def storage(kind, key, count):
    parts = text("storage") + name("torch", kind) + text(key) + text("cpu")
    return MARK + parts + number(count) + TUPLE + PERSISTENT


def tensor(kind, key, count, first, shape, strides):
    parts = storage(kind, key, count) + number(first)
    parts += numbers(*shape) + numbers(*strides) + FALSE
    hooks = name("collections", "OrderedDict") + b")" + REDUCE
    rebuild = name("torch._utils", "_rebuild_tensor_v2")
    return rebuild + MARK + parts + hooks + TUPLE + REDUCE


def state(**entries):
    """A pickle of an OrderedDict, with the attribute that PyTorch gives to it."""
    items = b"".join(text(k) + v for k, v in entries.items())
    made = name("collections", "OrderedDict") + b")" + REDUCE + MARK + items + SETITEMS
    note = DICT + MARK + text("_metadata") + DICT + SETITEMS
    return PROTO + made + note + BUILD + STOP


def archive(
    path,
    pickled,
    storages=None,
    compression=zipfile.ZIP_STORED,
    **others,
):
    with zipfile.ZipFile(path, "w", compression) as out:
        out.writestr("archive/data.pkl", pickled)
        for key, data in (storages or {}).items():
            out.writestr(f"archive/data/{key}", data)
        for entry, data in others.items():
            out.writestr(f"archive/{entry.replace('_pkl', '.pkl')}", data)
    return path

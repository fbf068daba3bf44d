"""The safetensors file format: a header in JSON, then the bytes of the tensors.

Written after the format's public description (github.com/huggingface/safetensors). A
file is data alone: reading one runs none of its content, and every size in it is
checked against the file before memory is taken.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ... import _core
from ..._core import Tensor

_LENGTH_BYTES = 8
_LARGEST_HEADER = 100_000_000  # as the format's own reader allows
_MOST_ELEMENTS = 2**62
_NAMES = {
    "float32": "F32",
    "float64": "F64",
    "float16": "F16",
    "bfloat16": "BF16",
    "int32": "I32",
    "int64": "I64",
    "uint8": "U8",
    "bool": "BOOL",
}
_DTYPES = {theirs: ours for ours, theirs in _NAMES.items()}


def _fail(got: str, need: str) -> ValueError:
    return ValueError(f"[safetensors] got {got}; need {need}. The file is damaged.")


def encode(tensors: Mapping[str, Tensor]) -> bytes:
    """Return the content of a file with these tensors, sorted by name."""
    header: dict[str, Any] = {}
    parts, end = [], 0
    # Wide elements first, so that each starts where its size divides the offset.
    for name in sorted(tensors, key=lambda n: (-tensors[n].dtype.itemsize, n)):
        data = _core.to_bytes(tensors[name])
        header[name] = {
            "dtype": _NAMES[tensors[name].dtype.name],
            "shape": list(tensors[name].shape),
            "data_offsets": [end, end + len(data)],
        }
        parts.append(data)
        end += len(data)
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % _LENGTH_BYTES)
    return b"".join([len(text).to_bytes(_LENGTH_BYTES, "little"), text, *parts])


def decode(content: bytes) -> dict[str, Tensor]:
    """Return the tensors of a file; texts that it may have beside them are left out.

    Raises:
        ValueError: The file is damaged; the message says where.
        TypeError: A dtype that tensors do not have.
    """
    header, data = _split(content)
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(
        isinstance(value, str) for value in metadata.values()
    ):
        raise _fail("metadata of another type", "a dict of strings")
    spans = {name: _span(name, entry, len(data)) for name, entry in header.items()}
    _require_no_gaps(spans, len(data))
    tensors = {}
    for name, (dtype, shape, start, stop) in spans.items():
        part = data[start:stop]
        tensors[name] = _core.from_bytes(part, _core.as_dtype(dtype), shape)
    return tensors


def _split(content: bytes) -> tuple[dict[str, Any], memoryview]:
    if len(content) < _LENGTH_BYTES:
        raise _fail(f"a file of {len(content)} bytes", "at least 8")
    length = int.from_bytes(content[:_LENGTH_BYTES], "little")
    room = len(content) - _LENGTH_BYTES
    if length > min(room, _LARGEST_HEADER):
        raise _fail(
            f"a header of {length} bytes with {room} bytes left in the file",
            f"at most {min(room, _LARGEST_HEADER)}",
        )
    text = content[_LENGTH_BYTES : _LENGTH_BYTES + length]
    try:
        header = json.loads(text.decode(), object_pairs_hook=_without_twins)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise _fail(f"a header that is not JSON ({error})", "a JSON object") from None
    if not isinstance(header, dict) or not text.startswith(b"{"):
        raise _fail("a header that is not a JSON object", "one that starts with {")
    return header, memoryview(content)[_LENGTH_BYTES + length :]


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) != len(pairs):
        names = [name for name, _ in pairs]
        twins = sorted({name for name in names if names.count(name) > 1})
        raise _fail(f"{', '.join(map(repr, twins))} twice", "unique names")
    return unique


def _is_size(value: Any) -> bool:
    return type(value) is int and 0 <= value < _MOST_ELEMENTS


def _span(name: str, entry: Any, room: int) -> tuple[str, tuple[int, ...], int, int]:
    """Return dtype, shape, first and last offset of a tensor."""
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise _fail(
            f"an entry {name!r} with other fields", "dtype, shape, data_offsets"
        )
    shape, offsets = entry["shape"], entry["data_offsets"]
    if not isinstance(entry["dtype"], str) or entry["dtype"] not in _DTYPES:
        raise TypeError(
            f"[safetensors] got {name!r} of dtype {entry['dtype']!r}; need one of "
            f"{', '.join(_DTYPES)}."
        )
    if not isinstance(shape, list) or not all(map(_is_size, shape)):
        raise _fail(f"{name!r} of shape {shape!r}", "a list of sizes")
    pair = isinstance(offsets, list) and len(offsets) == 2
    if not pair or not all(map(_is_size, offsets)):
        raise _fail(f"{name!r} with data_offsets {offsets!r}", "two offsets")
    start, stop = offsets
    if not start <= stop <= room:
        raise _fail(f"{name!r} at bytes {start} to {stop}", f"offsets up to {room}")
    dtype = _DTYPES[entry["dtype"]]
    bytes_needed = _core.as_dtype(dtype).itemsize
    for size in shape:
        bytes_needed *= size
    if stop - start != bytes_needed:
        raise _fail(
            f"{name!r} of shape {tuple(shape)} in {stop - start} bytes",
            f"{bytes_needed} for {entry['dtype']}",
        )
    return dtype, tuple(shape), start, stop


def _require_no_gaps(
    spans: Mapping[str, tuple[str, tuple[int, ...], int, int]], room: int
) -> None:
    end = 0
    for name, (_, _, start, stop) in sorted(spans.items(), key=lambda s: s[1][2:]):
        if start != end:
            problem = "overlaps another" if start < end else f"leaves a gap from {end}"
            raise _fail(f"{name!r} at byte {start}, which {problem}", f"offset {end}")
        end = stop
    if end != room:
        raise _fail(f"{room} bytes of data", f"{end}, where the last tensor ends")

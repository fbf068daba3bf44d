"""Read IDX files, the format of MNIST: a header with sizes, then numbers."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import numpy as np

# The third byte of a file says the type of the big-endian numbers (yann.lecun.com/exdb/
# mnist, "The IDX file format").
_TYPES: dict[int, np.dtype[Any]] = {
    0x08: np.dtype("u1"),
    0x09: np.dtype("i1"),
    0x0B: np.dtype(">i2"),
    0x0C: np.dtype(">i4"),
    0x0D: np.dtype(">f4"),
    0x0E: np.dtype(">f8"),
}
_MOST_DIMENSIONS = 32


def read_idx(path: str | os.PathLike[str]) -> np.ndarray[Any, Any]:
    """The array in an IDX file, which may be compressed with gzip.

    Returns:
        The numbers in their shape, in the machine's byte order.

    Raises:
        ValueError: The file is damaged; the message says what is wrong with it.
        OSError: The file cannot be read.
    """
    name = Path(path).name
    content = _unpacked(Path(path).read_bytes(), name)
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in _TYPES:
        raise ValueError(
            f"[idx] {name} starts with {content[:4].hex(' ') or 'nothing'}; need 00 "
            f"00, a type of {', '.join(f'{t:02x}' for t in _TYPES)}, and the number of "
            "dimensions. Is it an IDX file?"
        )
    dtype, count = _TYPES[content[2]], content[3]
    start = 4 + 4 * count
    if count > _MOST_DIMENSIONS or len(content) < start:
        raise ValueError(
            f"[idx] the header of {name} needs {start} bytes for {count} dimensions, "
            f"but the file has {len(content)}; at most {_MOST_DIMENSIONS} dimensions "
            "are supported. Is the file truncated?"
        )
    shape = tuple(int(n) for n in np.frombuffer(content[4:start], ">u4"))
    need = start + math.prod(shape) * dtype.itemsize
    if len(content) != need:
        raise ValueError(
            f"[idx] {name} has {len(content)} bytes; need {need} for shape {shape}. Is "
            "the file truncated?"
        )
    numbers = np.frombuffer(content, dtype, offset=start).reshape(shape)
    return np.asarray(numbers, dtype.newbyteorder("=")).copy()


def _unpacked(content: bytes, name: str) -> bytes:
    if content[:2] != b"\x1f\x8b":
        return content
    import gzip  # here, because most programs never come this way
    import zlib

    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(
            f"[idx] gzip cannot decompress {name} ({error}). Try to download it again."
        ) from None

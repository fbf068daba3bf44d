"""Messages between the grader's processes: size-limited JSON, then arrays as `.npy`.

A message is trusted by nobody: sizes and types are checked before memory is taken, and
nothing in it is ever unpickled or evaluated.
"""

from __future__ import annotations

import io
import json
import os
import struct
import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.lib import format as npy

_MAGIC = b"MTF1"
_START = struct.Struct("<4sII")  # magic, bytes of the header, arrays
_SIZE = struct.Struct("<Q")
_NPY_HEADER = 512  # bytes; that of a plain array has 128
_ARRAYS = 256  # of a message
KINDS = "biuf"


class FrameError(ValueError):
    """A message that breaks the rules of this module; its sender is not trusted."""


@dataclass(frozen=True)
class FrameLimits:
    """What one message may hold.

    Attributes:
        header: Bytes of JSON.
        total: Bytes of all arrays.
    """

    header: int = 8 << 20
    total: int = 256 << 20


@dataclass(frozen=True)
class Frame:
    """A message: a JSON object, and the arrays that it refers to by number."""

    header: dict[str, Any]
    arrays: list[np.ndarray[Any, Any]] = field(default_factory=list)


def plain(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return a C-contiguous copy of `array` as a plain array in native byte order.

    Raises:
        TypeError: It holds neither bools nor integers nor floats of up to 8 bytes.
    """
    if array.dtype.kind not in KINDS or array.dtype.itemsize > 8:
        raise TypeError(
            f"[frames] got an array of {array.dtype}; need bools, integers or floats "
            "of up to 8 bytes."
        )
    dtype = array.dtype.newbyteorder("=")
    # Not ascontiguousarray, which makes one dimension out of none.
    return np.array(array, dtype=dtype, order="C", copy=True, subok=False)


def encode(
    header: dict[str, Any], arrays: Sequence[np.ndarray[Any, Any]] = ()
) -> bytes:
    """Return the bytes of a message.

    Args:
        header: What JSON can hold; no NaN.
        arrays: Of bools, integers and floats, any shape.

    Raises:
        TypeError: `header` or an array holds something else.

    Example:
        >>> data = encode({"ask": "sum"}, [np.arange(3)])
        >>> frame = decode(data)
        >>> frame.header["ask"], frame.arrays[0].tolist()
        ('sum', [0, 1, 2])
    """
    text = json.dumps(header, allow_nan=False, separators=(",", ":")).encode()
    pieces = [_START.pack(_MAGIC, len(text), len(arrays)), text]
    for array in arrays:
        buffer = io.BytesIO()
        npy.write_array(buffer, plain(np.asarray(array)), (1, 0), allow_pickle=False)
        pieces += [_SIZE.pack(buffer.tell()), buffer.getvalue()]
    return b"".join(pieces)


Reading = Generator[int, bytes | bytearray, Frame]


def reading(limits: FrameLimits | None = None) -> Reading:
    """Read a message: yield how many bytes are needed next, and be sent these.

    Returns:
        By `StopIteration.value`: the message.

    Raises:
        FrameError: The message breaks a rule; nothing was allocated for it.
    """
    limits = limits or FrameLimits()
    magic, size, count = _START.unpack((yield _START.size))
    if magic != _MAGIC:
        raise FrameError("[frames] got bytes that are no message; need a frame.")
    if size > limits.header or count > _ARRAYS:
        raise FrameError(
            f"[frames] got a header of {size} bytes and {count} arrays; need up to "
            f"{limits.header} and {_ARRAYS}."
        )
    header = _header((yield size) if size else b"")
    left = limits.total
    arrays = []
    for _ in range(count):
        array = yield from _array(left)
        left -= array.nbytes
        arrays.append(array)
    return Frame(header, arrays)


def _header(text: bytes | bytearray) -> dict[str, Any]:
    try:
        header = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise FrameError(f"[frames] got a header that is no JSON: {error}.") from None
    if not isinstance(header, dict):
        raise FrameError("[frames] got a header that is no JSON object.")
    return header


def _refuse_constant(name: str) -> None:
    raise ValueError(f"got the number {name}")


def _array(
    left: int,
) -> Generator[int, bytes | bytearray, np.ndarray[Any, Any]]:
    (size,) = _SIZE.unpack((yield _SIZE.size))
    if size > left + _NPY_HEADER:
        raise FrameError(f"[frames] got an array of {size} bytes; {left} are left.")
    if size < 10:
        raise FrameError(f"[frames] got an array of {size} bytes; need a header.")
    start = yield 10  # magic, version, bytes of npy's own header
    if start[:8] != b"\x93NUMPY\x01\x00":
        raise FrameError("[frames] got an array that is no .npy of version 1.0.")
    length = int.from_bytes(start[8:], "little")
    if length > min(size - 10, _NPY_HEADER - 10):
        raise FrameError(f"[frames] got an array's header of {length} bytes.")
    text = yield length
    dtype, shape, fortran = _description(start[8:] + text)
    wanted = dtype.itemsize
    for extent in shape:
        wanted *= extent
    if wanted != size - 10 - length or wanted > left:
        raise FrameError(
            f"[frames] got {size - 10 - length} bytes for an array of shape {shape} "
            f"and type {dtype}, which has {wanted}; {left} are left."
        )
    data = (yield wanted) if wanted else bytearray()
    if not isinstance(data, bytearray):  # whose bytes may be written to
        data = bytearray(data)
    try:
        return np.ndarray(shape, dtype, data, order="F" if fortran else "C")
    except ValueError as error:  # no cell, but sizes beyond what NumPy counts
        raise FrameError(f"[frames] got the shape {shape}: {error}.") from None


def _description(
    text: bytes | bytearray,
) -> tuple[np.dtype[Any], tuple[int, ...], bool]:
    try:
        shape, fortran, dtype = npy.read_array_header_1_0(io.BytesIO(text))
    except Exception as error:  # npy's parser meets bytes of anybody's choice
        kind = type(error).__name__
        raise FrameError(
            f"[frames] got an array's header that misleads: {kind}."
        ) from (None)
    if dtype.kind not in KINDS or dtype.itemsize > 8 or len(shape) > 32:
        raise FrameError(f"[frames] got an array of {dtype}, {len(shape)} dimensions.")
    if any(type(size) is not int or size < 0 for size in shape):
        raise FrameError(f"[frames] got an array of shape {shape}.")
    return dtype, shape, bool(fortran)


def _drive(take: Callable[[int], bytes], limits: FrameLimits | None) -> Frame:
    steps = reading(limits)
    wanted = next(steps)
    while True:
        try:
            wanted = steps.send(take(wanted))
        except StopIteration as end:
            frame: Frame = end.value
            return frame


def decode(data: bytes, limits: FrameLimits | None = None) -> Frame:
    """Return the message in `data`, which must end with it.

    Raises:
        FrameError: It breaks a rule, ends early, or something follows.
    """
    stream = io.BytesIO(data)

    def take(count: int) -> bytes:
        data = stream.read(count)
        if len(data) < count:
            raise FrameError("[frames] got the beginning of a message.")
        return data

    frame = _drive(take, limits)
    if stream.read(1):
        raise FrameError("[frames] got bytes behind a message.")
    return frame


class Channel:
    """A confined process's end of two pipes: requests come, one reply goes to each.

    Args:
        requests: File descriptor to read from.
        replies: File descriptor to write to.
        limits: Of a request.
    """

    def __init__(
        self, requests: int, replies: int, limits: FrameLimits | None = None
    ) -> None:
        self._requests = requests
        self._replies = replies
        self._limits = limits
        self._nonce = ""
        self._writing = threading.Lock()

    def receive(self) -> Frame:
        """Return the next request, without its nonce.

        Raises:
            EOFError: The other side has closed the pipe.
            FrameError: The message breaks a rule.
        """
        frame = _drive(self._take, self._limits)
        self._nonce = str(frame.header.pop("nonce", ""))
        return frame

    def reply(
        self, header: dict[str, Any], arrays: Sequence[np.ndarray[Any, Any]] = ()
    ) -> None:
        """Answer the last request."""
        data = memoryview(encode({**header, "nonce": self._nonce}, arrays))
        with self._writing:
            while data:
                data = data[os.write(self._replies, data) :]

    def _take(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            piece = os.read(self._requests, min(count - len(data), 1 << 20))
            if not piece:
                raise EOFError("[frames] the other side has closed the pipe.")
            data += piece
        return bytes(data)

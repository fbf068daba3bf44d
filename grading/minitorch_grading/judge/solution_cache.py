"""Disk cache of the solution's values, kernels and launches.

Keys are hashes of the assignment's files, the request and its inputs; a class with one
secret asks the same of the solution for each submission. The folder is the grader's: no
submission can read it. Nothing in it is pickled.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..sandbox.frames import Frame, FrameError, decode, encode

Content = tuple[dict[str, Any], Sequence[Any]]


def digest(*parts: Any) -> str:
    """Return a hash of texts, numbers, arrays and lists of them; types matter.

    Example:
        >>> digest(1) == digest(1.0)
        False
    """
    state = hashlib.sha256()
    _feed(state, parts)
    return state.hexdigest()


def _feed(state: Any, value: Any) -> None:
    if isinstance(value, list | tuple):
        state.update(f"[{len(value)}".encode())
        for part in value:
            _feed(state, part)
    elif isinstance(value, np.ndarray):
        state.update(f"a{value.dtype.str}{value.shape}".encode())
        state.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, bytes):
        state.update(f"b{len(value)}:".encode() + value)
    else:
        text = repr(value).encode()
        state.update(f"{type(value).__name__}{len(text)}:".encode() + text)


class SolutionCache:
    """Answers by key, in memory and, if a folder is given, in files.

    Example:
        >>> cache = SolutionCache(None)
        >>> cache.get("a" * 64, lambda: ({"n": 1}, [])).header
        {'n': 1}
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._known: dict[str, Frame] = {}
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def get(self, key: str, make: Callable[[], Content]) -> Frame:
        """Return the cached answer, or cache the header and arrays of `make`."""
        if key not in self._known:
            frame = self._read(key)
            self._known[key] = self._make(key, make) if frame is None else frame
        return self._known[key]

    def _read(self, key: str) -> Frame | None:
        if self._folder is None:
            return None
        try:
            return decode((self._folder / key).read_bytes())
        except (OSError, FrameError):  # not there, or half of it
            return None

    def _make(self, key: str, make: Callable[[], Content]) -> Frame:
        header, arrays = make()
        data = encode(json.loads(json.dumps(header)), list(arrays))
        if self._folder is not None:
            partial = self._folder / f".{key}.{os.getpid()}"
            partial.write_bytes(data)
            os.replace(partial, self._folder / key)
        return decode(data)

"""Progress line on a terminal for long runs."""

from __future__ import annotations

import sys
import time

_FIRST, _EACH = 1.0, 0.2  # seconds until the first line, and between lines


class Progress:
    """A line on stderr from the second second on, which `close` takes away.

    Nothing is written where stderr is neither a terminal nor a notebook's.
    """

    def __init__(self, title: str) -> None:
        self._what = title
        self._began = time.monotonic()
        self._next = self._began + _FIRST
        self._is_shown = False

    def update(self, text: str) -> None:
        """Replace the line, unless the last one was written very recently."""
        now = time.monotonic()
        if now < self._next or not _has_reader():
            return
        self._next = now + _EACH
        self._is_shown = True
        _write(f"[{self._what}] {now - self._began:.0f} s: {text}"[:100])

    def close(self) -> None:
        """Clear the line."""
        if self._is_shown:
            _write("")
            self._is_shown = False


def _has_reader() -> bool:
    stream = sys.stderr
    return stream is not None and (
        stream.isatty() or type(stream).__module__.startswith("ipykernel")
    )


def _write(text: str) -> None:
    sys.stderr.write(f"\r{text:<100}\r{text}")
    sys.stderr.flush()

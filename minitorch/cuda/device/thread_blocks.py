"""Nested `with` blocks of one object, thread by thread.

One object may be open in several threads at once, and again within itself.
"""

from __future__ import annotations

import threading
from typing import Generic, TypeVar

_Kept = TypeVar("_Kept")


class ThreadBlocks(Generic[_Kept]):
    """Open `with` blocks of one object, by thread.

    Args:
        where: what errors name: "stream".
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self._kept: dict[int, list[_Kept]] = {}  # by thread, innermost last

    def begin(self, kept: _Kept) -> None:
        """Open a block on this thread; its end returns `kept`."""
        self._kept.setdefault(threading.get_ident(), []).append(kept)

    def end(self) -> _Kept:
        """End this thread's innermost block.

        Raises:
            RuntimeError: this thread has none open.
        """
        here = threading.get_ident()
        mine = self._kept.get(here)
        if not mine:
            raise RuntimeError(
                f"[{self._where}] a `with` block must begin and end in the same "
                "thread; this thread did not begin it."
            )
        kept = mine.pop()
        if not mine:
            del self._kept[here]
        return kept

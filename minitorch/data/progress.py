"""Progress bars: tqdm's where it is installed, else none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def progress(items: Iterable[T], description: str = "") -> Iterator[T]:
    """The items, with a bar on the terminal while they are used, if tqdm is there.

    Example:
        >>> list(progress([1, 2, 3])) == [1, 2, 3]
        True
    """
    try:
        from tqdm import tqdm
    except ImportError:
        yield from items
        return
    # Without a terminal (None) tqdm keeps quiet.
    yield from tqdm(items, desc=description or None, disable=None)

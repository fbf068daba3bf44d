"""Registry of the function that draws for `show()`, see `minitorch.viz`.

So launches, explanations and profiles need not be imported by `minitorch.viz`, nor it
by them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_drawing: dict[str, Callable[[Any], Any]] = {}


def connect_pictures(**draw: Callable[[Any], Any]) -> None:
    """Register the function that draws for `show()`.

    Args:
        **draw: for each kind of thing, such as "launch" or "profile", what draws one:
            it gets the thing and gives its figure.
    """
    _drawing.update(draw)


def picture_of(kind: str, obj: Any) -> Any:
    """Draw an object.

    Args:
        kind: what it is, as its drawer was registered.
        obj: the object.

    Returns:
        A figure.

    Raises:
        RuntimeError: no function that draws it is registered.
    """
    if kind not in _drawing:
        raise RuntimeError(
            "[show] drawing needs minitorch.viz. Run `import minitorch.viz` first."
        )
    return _drawing[kind](obj)

"""The tensor view: where each element lies in storage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...figure.figure import Figure
from .data import places_of
from .picture import draw_tensor


def tensor(
    t: Any, other: Any = None, *, index: Any = None, names: Sequence[str] = ("a", "b")
) -> Figure:
    """Draw where each element of a tensor lies in storage.

    With a second tensor, such as `t.permute(1, 0)`, the two side by side: what
    `permute`, `expand` or a slice does is to count the same cells in another way.

    Args:
        t: A tensor, a NumPy array, a device array, or what offers its memory by their
            protocols.
        other: A second one.
        index: Of the element of `t` to look at; None: one that is some way into it.
        names: What to call the two.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        TypeError: Not a tensor or array, an index that is none, or names that are no
            list.
        IndexError: No such element.
        ValueError: Elements that do not lie in whole cells, or too few names.

    Example:
        >>> import minitorch
        >>> from minitorch import viz
        >>> t = minitorch.tensor([[1, 2, 3], [4, 5, 6]])
        >>> viz.tensor(t)
        Figure(Element [1, 2] lies in cell 5 of storage: 1 × 3 + 2 × 1 = 5.)
    """
    values = [t] if other is None else [t, other]
    if not isinstance(names, list | tuple):
        raise TypeError(
            f"[viz.tensor] got {type(names).__name__} for names; need a list, such as "
            "['t', 'turned']."
        )
    if len(names) < len(values):
        raise ValueError(
            f"[viz.tensor] got names {names}; need {len(values)}, one for each tensor."
        )
    called = tuple(str(name) for name in names[: len(values)])
    return draw_tensor(places_of(values, called, index))

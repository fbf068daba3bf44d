"""Owns how a learner says which launches, blocks and warps a trace is to have.

Must not know traces.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, SupportsIndex

_MOST_BLOCKS = 16  # MtTraceFilter::kMostBlocks
_WARPS = 32  # of a block, at most
_IS_PLACE = 1 << 63  # MtTraceFilter::kIsPlace
_EXTENTS = (1 << 31, 1 << 16, 1 << 16)  # of a grid, at most

Block = SupportsIndex | tuple[int, int, int]
Numbers = SupportsIndex | Iterable[SupportsIndex]
Blocks = SupportsIndex | Iterable[Block]


def _index(value: Any) -> int | None:
    try:
        return operator.index(value)
    except TypeError:
        return None


def _number(name: str, value: Any, end: int, what: str) -> int:
    number = None if isinstance(value, bool) else _index(value)
    if number is None:
        raise TypeError(f"[inspect] got {value!r} in {name}; need {what}.")
    if not 0 <= number < end:
        raise ValueError(f"[inspect] got {number} in {name}; need {what}.")
    return number


def _block(value: Any) -> int:
    """A block's number, or its place as the core writes it."""
    what = "a block's number or its place (x, y, z)"
    if not isinstance(value, tuple):
        return _number("trace_blocks", value, _IS_PLACE, what)
    if len(value) != len(_EXTENTS):
        raise TypeError(f"[inspect] got {value!r} in trace_blocks; need {what}.")
    x, y, z = (
        _number("trace_blocks", each, end, f"{what} within a grid")
        for each, end in zip(value, _EXTENTS, strict=True)
    )
    return _IS_PLACE | x << 32 | y << 16 | z


def _all(name: str, values: Any, one: Callable[[Any], int]) -> list[int]:
    """What `one` makes of a number, or of each of several."""
    if _index(values) is not None:
        return [one(values)]
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(
            f"[inspect] got {name} {type(values).__name__}; need a number or a list."
        )
    found = list(dict.fromkeys(one(each) for each in values))
    if not found:
        raise ValueError(
            f"[inspect] got no number in {name}; need at least one, or None for all."
        )
    return found


def trace_filter(
    trace: bool, launches: Numbers | None, blocks: Blocks | None, warps: Numbers | None
) -> dict[str, Any]:
    """What the core is told of `trace_launches`, `trace_blocks` and `trace_warps`.

    Args:
        trace: Whether anything is to be traced.
        launches: Numbers from 0 in the order in which launches are made; None: all.
        blocks: At most 16, each a number or (x, y, z); None: all.
        warps: Numbers of warps in their block, 0 to 31; None: all.

    Returns:
        The options: a set or None, a list of encoded blocks (empty: all), bits.

    Raises:
        TypeError: Something else than numbers, or tuples of three for blocks.
        ValueError: A number that none of them has, an empty list, too many blocks; a
            choice without a trace.

    Example:
        >>> trace_filter(True, 2, [0, 7], (0, 3))
        {'trace_launches': {2}, 'trace_blocks': [0, 7], 'trace_warps': 9}
    """
    if not trace and not launches is blocks is warps is None:
        raise ValueError(
            "[inspect] got a choice of what to trace, and no trace; need trace=True."
        )
    chosen: dict[str, Any] = {
        "trace_launches": None, "trace_blocks": [], "trace_warps": (1 << _WARPS) - 1
    }  # fmt: skip
    if launches is not None:
        numbers = _all(
            "trace_launches", launches,
            lambda each: _number("trace_launches", each, 1 << 63,
                                 "a launch's number, 0 or more"),
        )  # fmt: skip
        chosen["trace_launches"] = set(numbers)
    if blocks is not None:
        chosen["trace_blocks"] = _all("trace_blocks", blocks, _block)
        if len(chosen["trace_blocks"]) > _MOST_BLOCKS:
            raise ValueError(
                f"[inspect] got {len(chosen['trace_blocks'])} blocks in trace_blocks; "
                f"need at most {_MOST_BLOCKS}, or None for all."
            )
    if warps is not None:
        numbers = _all(
            "trace_warps", warps,
            lambda each: _number("trace_warps", each, _WARPS,
                                 "a warp's number in its block, 0 to 31"),
        )  # fmt: skip
        chosen["trace_warps"] = sum(1 << each for each in numbers)
    return chosen

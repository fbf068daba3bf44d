"""Paths of many equal marks, spelled as `assets/paths.js` spells them."""

from __future__ import annotations

from collections.abc import Sequence


def tiles(
    kinds: str, kind: str, across: int, left: float, top: float, pitch: float,
    side: float,
) -> str:  # fmt: skip
    """Squares of one kind.

    Args:
        kinds: A letter for each place, row by row.
        kind: The letter of those that are drawn.
        across: Places in a row.
        left, top: Corner of the first square.
        pitch: From one to the next.
        side: Of a square.
    """
    shape = f"h{side:.1f}v{side:.1f}h-{side:.1f}z"
    return "".join(
        f"M{left + at % across * pitch:.1f} {top + at // across * pitch:.1f}{shape}"
        for at, own in enumerate(kinds)
        if own == kind
    )


def bars(
    values: Sequence[float], unit: float, left: float, base: float, pitch: float,
    wide: float,
) -> str:  # fmt: skip
    """Bars that stand on a line, at least a pixel high.

    Args:
        values: Of each.
        unit: Pixels for a value of one.
        left: Where the first begins.
        base: Where all stand.
        pitch: From one to the next.
        wide: Of a bar.
    """
    d = ""
    for at, value in enumerate(values):
        high = max(value * unit, 1.0)
        x = left + at * pitch
        d += f"M{x:.1f} {base - high:.1f}h{wide:.1f}v{high:.1f}h{-wide:.1f}z"
    return d


def planes(
    kinds: Sequence[object], kind: object, across: int, down: int, beside: int,
    gap: float, left: float, top: float, pitch: float, side: float,
) -> str:  # fmt: skip
    """Squares of one kind, in planes that stand beside each other.

    Args:
        kinds: Something for each place, row by row, plane by plane.
        kind: What is drawn.
        across, down: Places in a row, and rows in a plane.
        beside: Planes in a line.
        gap: Between planes.
        left, top: Corner of the first square.
        pitch: From one to the next.
        side: Of a square.
    """
    shape = f"h{side:.1f}v{side:.1f}h-{side:.1f}z"
    wide, high = across * pitch + gap, down * pitch + gap
    d = ""
    for at, own in enumerate(kinds):
        if own != kind:
            continue
        plane, place = divmod(at, across * down)
        x = left + plane % beside * wide + place % across * pitch
        y = top + plane // beside * high + place // across * pitch
        d += f"M{x:.1f} {y:.1f}{shape}"
    return d

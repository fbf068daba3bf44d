"""The picture of a card's roof with points under it.

A roofline plot: S. Williams, A. Waterman, D. Patterson, CACM 52(4), 2009.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...scene.drawing import Drawing, number, width_of
from ...scene.palette import strong

_LEFT, _TOP, _WIDE, _HIGH = 50.0, 34.0, 360.0, 196.0


@dataclass(frozen=True)
class Point:
    """A launch under the roof: operations a byte, operations a second at most."""

    name: str
    intensity: float
    speed: float
    who: int


@dataclass(frozen=True)
class _Axes:
    """Logarithmic axes; exponents of 2 along x, of 10 along y."""

    x: tuple[int, int]
    y: tuple[int, int]

    def across(self, intensity: float) -> float:
        low, high = self.x
        at = math.log2(intensity) if intensity > 0 else -math.inf
        return _LEFT + _WIDE * (min(max(at, low), high) - low) / (high - low)

    def exponent(self, x: float) -> float:
        """The power of 2 at a place along x."""
        low, high = self.x
        return low + (high - low) * (x - _LEFT) / _WIDE

    def down(self, speed: float) -> float:
        low, high = self.y
        at = math.log10(speed) if speed > 0 else -math.inf
        return _TOP + _HIGH * (high - min(max(at, low), high)) / (high - low)


def _axes(points: list[Point], bandwidth: float, peak: float) -> _Axes:
    across = [each.intensity for each in points] + [peak / bandwidth]
    low = math.floor(math.log2(min(across))) - 1
    high = math.ceil(math.log2(max(across))) + 2
    low = min(low, -3) // 2 * 2
    high += (high - low) % 2
    slow = min([each.speed for each in points] + [bandwidth * 2.0**low])
    return _Axes((low, high), (math.floor(math.log10(slow)),
                               math.ceil(math.log10(peak * 1.01))))  # fmt: skip


def _grid(view: Drawing, axes: _Axes) -> None:
    for exponent in range(axes.x[0], axes.x[1] + 1, 2):
        x = axes.across(2.0**exponent)
        view.path(f"M{x:.1f} {_TOP}v{_HIGH}", stroke="var(--line)")
        words = str(2**exponent) if exponent >= 0 else f"1/{2**-exponent}"
        view.text(x, _TOP + _HIGH + 15, words, 10.5, fill="var(--mut)",
                  anchor="middle", mono=True)  # fmt: skip
    for exponent in range(axes.y[0], axes.y[1] + 1):
        y = axes.down(10.0**exponent)
        view.path(f"M{_LEFT} {y:.1f}h{_WIDE}", stroke="var(--line)")
        words = f"{10.0 ** (exponent - 12):.6g}"
        view.text(_LEFT - 6, y + 4, words, 10.5, fill="var(--mut)", anchor="end",
                  mono=True)  # fmt: skip
    view.text(0, _TOP - 12, "TFLOP/s", 11, fill="var(--mut)")
    view.text(_LEFT + _WIDE / 2, _TOP + _HIGH + 34, "operations a byte (counted)", 11.5,
              fill="var(--mut)", anchor="middle")  # fmt: skip


def _roof(view: Drawing, axes: _Axes, bandwidth: float, peak: float) -> None:
    left = bandwidth * 2.0 ** axes.x[0]
    knee, right = axes.across(peak / bandwidth), _LEFT + _WIDE
    top, floor = axes.down(peak), _TOP + _HIGH
    start = axes.down(left)
    edge = f"M{_LEFT} {start:.1f}L{knee:.1f} {top:.1f}H{right}"
    view.path(f"{edge}V{floor}H{_LEFT}z", fill="var(--panel)")
    view.path(edge, stroke="var(--ink)", stroke_width=2)
    view.text(right, top - 7, f"arithmetic: {peak / 1e12:.3g} TFLOP/s", 11,
              fill="var(--mut)", anchor="end")  # fmt: skip
    turn = math.degrees(math.atan2(top - start, knee - _LEFT))
    x, y = (_LEFT + knee) / 2 - 6, (start + top) / 2 - 8
    view.element(
        "text", f"memory: {bandwidth / 1e9:.4g} GB/s", x=x, y=y, font_size=11,
        fill="var(--mut)", text_anchor="middle",
        transform=f"rotate({turn:.1f} {x:.1f} {y:.1f})",
    )  # fmt: skip


def _free(box: tuple[float, float], y: float, taken: list[tuple[float, float, float]]
          ) -> float:  # fmt: skip
    """The place for words from left to right where no others stand, near y."""
    beside = [own for one, other, own in taken if one < box[1] and box[0] < other]
    places = [y + away for step in range(4) for away in (15.0 * step, -15.0 * step)]
    inside = [each for each in places if _TOP + 11 < each <= _TOP + _HIGH - 6]
    free = (each for each in inside if all(abs(each - own) >= 15 for own in beside))
    return next(free, y)


def _point(
    view: Drawing,
    axes: _Axes,
    point: Point,
    at: int,
    bandwidth: float,
    taken: list[tuple[float, float, float]],
) -> None:
    x, y = axes.across(point.intensity), axes.down(point.speed)
    color = strong(point.who)
    view.path(f"M{x:.1f} {y:.1f}V{_TOP + _HIGH}", stroke=color, stroke_width=1.4,
              stroke_dasharray="3 2.5")  # fmt: skip
    if at % 2:
        view.rect(x - 5, y - 5, 10, 10, fill=color, stroke="var(--bg)")
    else:
        view.element("circle", cx=x, cy=y, r=5.5, fill=color, stroke="var(--bg)")
    speed = number(float(f"{point.speed / 1e12:.2g}"))
    words = f"{point.name}: at most {speed}"
    room = width_of(words, 11.5, bold=True)
    left, y = x + 11, y + (18 if at % 2 == 0 else 34)
    if left + room > _LEFT + _WIDE:  # beneath the roof, which falls to the left
        left = max(x - 11 - room, _LEFT + 6)
        edge = axes.down(bandwidth * 2 ** axes.exponent(left))
        y = max(y, edge + 16)
    y = min(y, _TOP + _HIGH - 6 - 15 * (at % 2 == 0))
    y = _free((left, left + room), y, taken)
    taken.append((left, left + room, y))
    view.rect(left - 3, y - 11, room + 6, 15, rx=3, fill="var(--bg)", opacity=0.85)
    view.text(left, y, words, 11.5, bold=True, fill=color)


def draw_roof(points: list[Point], bandwidth: float, peak: float) -> Drawing:
    """Draw how fast launches can be at most on a card.

    Args:
        points: Launches; one without operations or bytes has no place and is left out.
        bandwidth: Of the card, bytes a second.
        peak: Of the card, operations a second.
    """
    view = Drawing(_LEFT + _WIDE, _TOP + _HIGH + 40)
    shown = [each for each in points if 0 < each.intensity < math.inf and each.speed]
    axes = _axes(shown, bandwidth, peak)
    _grid(view, axes)
    _roof(view, axes, bandwidth, peak)
    taken: list[tuple[float, float, float]] = []
    for at, point in enumerate(points):
        if point in shown:
            _point(view, axes, point, at, bandwidth, taken)
    return view

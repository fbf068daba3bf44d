"""Owns where boxes and lines of the graph view are drawn. Must not draw them."""

from __future__ import annotations

from .figure import WIDTH
from .graph_layout import laid_out
from .graph_steps import Node

_WIDE, HIGH = 118.0, 50.0
_GAP = 36.0  # between the layers of a deep graph
_DEEPEST = 7  # layers that fit beside each other
_MOST_DOWN, _MOST_ACROSS = 12, 8  # nodes of a layer


class Plan:
    """Where boxes are: inputs on the left, the result on the right; or top to bottom.

    Attributes:
        down: Does a deep graph go from top to bottom?
        wide: of a box.
    """

    def __init__(self, nodes: list[Node]) -> None:
        inputs = [node.inputs for node in nodes]
        self.layout = laid_out(inputs, _MOST_DOWN, HIGH + 14, 14)
        self.down = self.layout.layers > _DEEPEST
        self.wide = _WIDE
        if self.down:
            self.layout = laid_out(inputs, _MOST_ACROSS, _WIDE + 14, 14)
            share = min(1.0, WIDTH / self.layout.extent)
            self.wide = (_WIDE + 14) * share - 14
            self.scale, self.pitch = share, HIGH + _GAP
        else:
            spare = WIDTH - self.layout.layers * _WIDE
            gap = min(spare / max(self.layout.layers - 1, 1), 150)
            self.scale, self.pitch = 1.0, _WIDE + gap

    @property
    def height(self) -> float:
        if self.down:
            return self.layout.layers * self.pitch - _GAP
        return self.layout.extent

    def middle(self, layer: int, at: float) -> tuple[float, float]:
        """The middle of a place."""
        behind = self.layout.layers - 1 - layer
        if self.down:
            left = (WIDTH - self.layout.extent * self.scale) / 2
            return left + at * self.scale, behind * self.pitch + HIGH / 2
        return behind * self.pitch + self.wide / 2, at

    def corner(self, node: int) -> tuple[float, float]:
        """The upper left corner of a box."""
        x, y = self.middle(self.layout.layer[node], self.layout.at[node])
        return x - self.wide / 2, y - HIGH / 2


def _curve(points: list[tuple[float, float]], down: bool) -> str:
    """A line through points that leaves and arrives straight."""
    (x, y), *rest = points
    parts = [f"M{x:.1f} {y:.1f}"]
    for to_x, to_y in rest:
        if down:
            bend = (to_y - y) / 2
            parts.append(f"C{x:.1f} {y + bend:.1f} {to_x:.1f} {to_y - bend:.1f}")
        else:
            bend = (to_x - x) / 2
            parts.append(f"C{x + bend:.1f} {y:.1f} {to_x - bend:.1f} {to_y:.1f}")
        parts.append(f" {to_x:.1f} {to_y:.1f}")
        x, y = to_x, to_y
    return "".join(parts)


def line_of(plan: Plan, source: int, target: int) -> str:
    """The path of a value from an input to the step that uses it."""
    layout = plan.layout
    first, last = layout.layer[source], layout.layer[target]
    x, y = plan.middle(first, layout.at[source])
    to_x, to_y = plan.middle(last, layout.at[target])
    reach = (HIGH if plan.down else plan.wide) / 2 + 3
    points = []
    for at, place in enumerate(layout.lines[source, target], start=last + 1):
        mid_x, mid_y = plan.middle(at, place)
        side = (0, reach - 3) if plan.down else (reach - 3, 0)
        # Straight past the boxes of its layer, from the input's side.
        points.append((mid_x + side[0], mid_y + side[1]))
        points.append((mid_x - side[0], mid_y - side[1]))
    points.reverse()
    if plan.down:
        y, to_y = y + reach, to_y - reach
    else:
        x, to_x = x + reach, to_x - reach
    return _curve([(x, y), *points, (to_x, to_y)], plan.down)

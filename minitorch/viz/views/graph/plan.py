"""Where boxes and lines of the graph view are drawn."""

from __future__ import annotations

from ...figure.figure import WIDTH
from .layout import laid_out
from .steps import Node

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
        if down and to_x == x:
            parts.append(f"V{to_y:.1f}")
        elif not down and to_y == y:
            parts.append(f"H{to_x:.1f}")
        elif down:
            bend = (to_y - y) / 2
            parts.append(f"C{x:.1f} {y + bend:.1f} {to_x:.1f} {to_y - bend:.1f}")
            parts.append(f" {to_x:.1f} {to_y:.1f}")
        else:
            bend = (to_x - x) / 2
            parts.append(f"C{x + bend:.1f} {y:.1f} {to_x - bend:.1f} {to_y:.1f}")
            parts.append(f" {to_x:.1f} {to_y:.1f}")
        x, y = to_x, to_y
    return "".join(parts)


def line_of(plan: Plan, source: int, target: int, *, branch: bool = False) -> str:
    """The path of a value from an input to the step that uses it.

    Args:
        plan: where both are.
        source: the input.
        target: the step.
        branch: only the end that leaves the way that lines of this input share.
    """
    layout = plan.layout
    last = layout.layer[target]
    reach = (HIGH if plan.down else plan.wide) / 2 + 3
    side = (0, reach - 3) if plan.down else (reach - 3, 0)
    points = []
    for at, place in enumerate(layout.lines[source, target], start=last + 1):
        x, y = plan.middle(at, place)
        # Straight past the boxes of its layer, from the input's side.
        points.append((x + side[0], y + side[1]))
        if branch:
            break
        points.append((x - side[0], y - side[1]))
    if not branch:
        x, y = plan.middle(layout.layer[source], layout.at[source])
        points.append((x, y + reach) if plan.down else (x + reach, y))
    to_x, to_y = plan.middle(last, layout.at[target])
    points.insert(0, (to_x, to_y - reach) if plan.down else (to_x - reach, to_y))
    return _curve(points[::-1], plan.down)


def lines_of(plan: Plan, source: int, targets: list[int]) -> list[tuple[str, bool]]:
    """The paths from an input to all steps that use it, what they share drawn once.

    The first, to the step nearest to the result, has all of the way. With each: does it
    begin at the input?
    """
    order = sorted(targets, key=lambda target: plan.layout.layer[target])
    found = []
    for number, target in enumerate(order):
        branch = number > 0 and bool(plan.layout.lines[source, target])
        found.append((line_of(plan, source, target, branch=branch), not branch))
    return found

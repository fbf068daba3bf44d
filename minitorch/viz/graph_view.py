"""Owns the picture of the graph view: boxes for steps and leaves, lines for values.

Must not know tensors: it draws the nodes of `graph_steps`.
"""

from __future__ import annotations

from .drawing import Drawing, number, shortened, width_of
from .figure import WIDTH, Figure, KeyEntry
from .graph_folds import folded
from .graph_layout import laid_out
from .graph_steps import CONSTANT, FOLD, LEAF, STEP, Graph, Node
from .graph_words import answer_of, detail_of, members_of
from .marks import EMPTY, VALUE_IN, VALUE_OUT, ring
from .palette import tint

_WIDE, _HIGH = 118.0, 50.0
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
        self.layout = laid_out(inputs, _MOST_DOWN, _HIGH + 14, 14)
        self.down = self.layout.layers > _DEEPEST
        self.wide = _WIDE
        if self.down:
            self.layout = laid_out(inputs, _MOST_ACROSS, _WIDE + 14, 14)
            share = min(1.0, WIDTH / self.layout.extent)
            self.wide = (_WIDE + 14) * share - 14
            self.scale, self.pitch = share, _HIGH + _GAP
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
            return left + at * self.scale, behind * self.pitch + _HIGH / 2
        return behind * self.pitch + self.wide / 2, at

    def corner(self, node: int) -> tuple[float, float]:
        """The upper left corner of a box."""
        x, y = self.middle(self.layout.layer[node], self.layout.at[node])
        return x - self.wide / 2, y - _HIGH / 2


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


def _draw_line(
    view: Drawing, plan: Plan, nodes: list[Node], source: int, target: int
) -> None:
    layout = plan.layout
    first, last = layout.layer[source], layout.layer[target]
    ends = [
        plan.middle(at, layout.at[n]) for at, n in ((first, source), (last, target))
    ]
    reach = (_HIGH if plan.down else plan.wide) / 2 + 3
    points = []
    for at, place in enumerate(layout.lines[source, target], start=last + 1):
        x, y = plan.middle(at, place)
        side = (0, reach - 3) if plan.down else (reach - 3, 0)
        # Straight past the boxes of its layer, from the input's side.
        points += [(x + side[0], y + side[1]), (x - side[0], y - side[1])]
    points.reverse()
    (x, y), (to_x, to_y) = ends
    if plan.down:
        y, to_y = y + reach, to_y - reach
    else:
        x, to_x = x + reach, to_x - reach
    back = nodes[source].kind != CONSTANT
    view.path(
        _curve([(x, y), *points, (to_x, to_y)], plan.down),
        stroke="var(--ink)" if back else "var(--faint)",
        stroke_width=1.3,
        stroke_dasharray=None if back else "3 3",
        marker_start=VALUE_OUT if back else None,
        marker_end=VALUE_IN,
    )


def _spelled(shape: tuple[int, ...]) -> str:
    if len(shape) == 1:
        return f"{number(shape[0])} number{'s' * (shape[0] != 1)}"
    return " × ".join(map(number, shape)) or "a number"


def _below(node: Node) -> list[str]:
    """What stands under a node's title: shape, value, gradient."""
    if node.kind == FOLD:
        return [members_of(node)]
    words = []
    if node.shape is not None:
        words.append(_spelled(node.shape))
    if node.value is not None and (node.kind != CONSTANT or node.shape is None):
        words.append(f"= {number(node.value)}")
    if node.gradient is not None:
        words.append(f"gradient {number(node.gradient)}")
    elif node.has_gradient:
        words.append("has a gradient")
    return words


_LOOKS = {
    LEAF: {"fill": tint(0), "stroke": "var(--c0)"},
    STEP: {"fill": "var(--panel)", "stroke": "var(--mut)"},
    CONSTANT: {"fill": EMPTY, "stroke": "var(--line)"},
    FOLD: {"fill": "var(--bg)", "stroke": "var(--mut)", "stroke_dasharray": "2 3"},
}


def _fit(words: str, size: float, room: float, bold: bool = False) -> str:
    """Words cut in the middle until they fit."""
    most = len(words)
    while width_of(shortened(words, most), size, bold=bold) > room and most > 3:
        most -= 1
    return shortened(words, most)


def _draw_box(view: Drawing, plan: Plan, node: Node, at: int) -> None:
    x, y = plan.corner(at)
    look = _LOOKS[node.kind]
    if node.kind == FOLD:
        for away in (6, 3):
            wide = plan.wide - 2 * away
            view.rect(x + away, y - away, wide, _HIGH, rx=6, **look)
    view.rect(x, y, plan.wide, _HIGH, rx=6, **look)
    room, middle = plan.wide - 12, x + plan.wide / 2
    lines = [(node.title, 12.5, True), *((each, 10.5, False) for each in _below(node))]
    # One line less: the values of many steps have no number of their own.
    lines = lines[:3]
    top = y + _HIGH / 2 + 4.5 - 7.5 * (len(lines) - 1)
    for line, (words, size, bold) in enumerate(lines):
        shown = _fit(words, size, room, bold)
        if node.kind == CONSTANT:
            _ground(view, middle, top + 15 * line, width_of(shown, size, bold=bold))
        view.text(
            middle, top + 15 * line, shown, size,
            fill="var(--mut)" if line else "var(--ink)", anchor="middle", bold=bold,
        )  # fmt: skip


def _ground(view: Drawing, middle: float, y: float, wide: float) -> None:
    """Plain ground under words on hatching."""
    view.rect(middle - wide / 2 - 3, y - 11, wide + 6, 15, rx=3, fill="var(--bg)")


def _key(nodes: list[Node]) -> tuple[KeyEntry, ...]:
    kinds = {node.kind for node in nodes}
    key = [KeyEntry("focus", "the result")]
    if STEP in kinds:
        key.append(KeyEntry("step", "a step"))
    if LEAF in kinds:
        key.append(KeyEntry("belongs", "leaf: collects a gradient"))
    if CONSTANT in kinds:
        key.append(KeyEntry("empty", "constant: gets no gradient"))
    if FOLD in kinds:
        key.append(KeyEntry("fold", "many nodes, drawn as one"))
    if len(nodes) > 1:
        key.append(KeyEntry("forward", "a value goes on"))
        key.append(KeyEntry("back", "its gradient comes back"))
    return tuple(key)


def draw_graph(graph: Graph) -> Figure:
    """Draw how a value came to be, and where gradients flow.

    Args:
        graph: from `graph_of`.
    """
    nodes = folded(graph.nodes)
    plan, body = Plan(nodes), Drawing(WIDTH)
    inner = Drawing()
    for at, node in enumerate(nodes):
        for each in dict.fromkeys(node.inputs):
            _draw_line(inner, plan, nodes, each, at)
    for at, node in enumerate(nodes):
        _draw_box(inner, plan, node, at)
    ring(inner, *plan.corner(0), plan.wide, _HIGH, inside=False)
    body.put(inner, 0, 8)
    body.height = plan.height + 16
    return Figure(
        question="How did this value come to be, and where do gradients flow?",
        answer=answer_of(graph),
        detail=detail_of(graph, nodes),
        body=body,
        key=_key(nodes),
        data=graph,
    )

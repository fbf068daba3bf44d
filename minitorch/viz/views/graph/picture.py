"""The picture of the graph view: boxes for steps and leaves, lines for values."""

from __future__ import annotations

from ...figure.figure import WIDTH, Figure, KeyEntry
from ...scene.drawing import Drawing, number, shortened, width_of
from ...scene.marks import EMPTY, VALUE_IN, VALUE_OUT
from ...scene.palette import tint
from .folds import folded
from .live import draw_ring, lines_at, live_graph, users_of
from .plan import HIGH, Plan, lines_of
from .steps import CONSTANT, FOLD, LEAF, STEP, Graph, Node
from .words import detail_of, members_of, node_answer


def _draw_lines(
    view: Drawing, plan: Plan, node: Node, source: int, users: list[int]
) -> None:
    back = node.kind != CONSTANT
    for path, whole in lines_of(plan, source, users):
        view.path(
            path,
            stroke="var(--ink)" if back else "var(--faint)",
            stroke_width=1.3,
            stroke_dasharray=None if back else "3 3",
            marker_start=VALUE_OUT if back and whole else None,
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
            view.rect(x + away, y - away, wide, HIGH, rx=6, **look)
    view.rect(x, y, plan.wide, HIGH, rx=6, **look)
    room, middle = plan.wide - 12, x + plan.wide / 2
    lines = [(node.title, 12.5, True), *((each, 10.5, False) for each in _below(node))]
    # One line less: the values of many steps have no number of their own.
    lines = lines[:3]
    top = y + HIGH / 2 + 4.5 - 7.5 * (len(lines) - 1)
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
    key = [KeyEntry("focus", "one node, and the lines of its gradients")]
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


def draw_graph(graph: Graph, focus: int = 0) -> Figure:
    """Draw how a value came to be, and where gradients flow.

    Args:
        graph: from `graph_of`.
        focus: the node that is marked, of those drawn; 0 is the result.
    """
    nodes = folded(graph.nodes)
    plan, body = Plan(nodes), Drawing(WIDTH)
    inner, users = Drawing(), users_of(nodes)
    # Below the others, whose heads stay to be seen.
    thick = {"stroke": "var(--ink)", "stroke_width": 2.8, "data_at": "lines"}
    inner.path(lines_at(nodes, plan, focus, users[focus]), **thick)
    for at, node in enumerate(nodes):
        _draw_lines(inner, plan, node, at, users[at])
    for at, node in enumerate(nodes):
        _draw_box(inner, plan, node, at)
    inner.put(draw_ring(plan, focus), 0, 0, data_at="focus")
    body.put(inner, 0, 8)
    body.height = plan.height + 16
    return Figure(
        question="How did this value come to be, and where do gradients flow?",
        answer=node_answer(graph, nodes, focus),
        detail=detail_of(graph, nodes),
        body=body,
        key=_key(nodes),
        data=graph,
        live=live_graph(graph, nodes, plan),
    )

"""The scene of the graph view: boxes for steps and leaves, lines for values."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

from ...figure.figure import WIDTH, Figure
from ...figure.scenes import Interned, swatches
from ...scene.drawing import Drawing, escaped, number, shortened, width_of
from ...scene.frames import frames_of
from ...scene.marks import EMPTY, VALUE_IN, VALUE_OUT, ring
from ...scene.palette import tint
from ...scene.phrases import counted, joined
from ...scene.scene import Axis, Panel, Scene
from .data import CONSTANT, FOLD, LEAF, STEP, Graph, Node, folded
from .layout import laid_out

_WIDE, _HIGH, _BESIDE, _GAP = 118.0, 50.0, 14.0, 32.0
_MOST_NAMES = 5
_LOOKS = {
    LEAF: {"fill": tint(0), "stroke": "var(--c0)"},
    STEP: {"fill": "var(--panel)", "stroke": "var(--mut)"},
    CONSTANT: {"fill": EMPTY, "stroke": "var(--line)"},
    FOLD: {"fill": "var(--bg)", "stroke": "var(--mut)", "stroke_dasharray": "2 3"},
}
_KEY = {
    STEP: ("step", 0, "a step"),
    LEAF: ("belongs", 0, "leaf: collects a gradient"),
    CONSTANT: ("empty", 0, "constant: gets no gradient"),
    FOLD: ("fold", 0, "many nodes, drawn as one"),
}


def _answer(graph: Graph) -> str:
    """Return how many steps made the value, and who gets a gradient."""
    steps, leaves = graph.count(STEP), graph.count(LEAF)
    if steps == 0 and leaves:
        return "No step made this value: it is a leaf and collects a gradient."
    if steps == 0:
        return "No step was recorded for this value: no gradient flows from it."
    made = f"{counted(steps, 'step')} made this value from {counted(leaves, 'leaf')}"
    ends = (": no gradient flows.", ", which gets a gradient.")
    return made + (ends[leaves] if leaves < 2 else "; each of them gets a gradient.")


def node_answer(graph: Graph, nodes: list[Node], at: int) -> str:
    """Return what a node does, and where its gradient comes from or goes.

    Args:
        graph: All of it.
        nodes: Those that are drawn.
        at: Which of these; 0 is the result.
    """
    if at == 0:
        return _answer(graph)
    node = nodes[at]

    def named(numbers: list[int], values: bool = False) -> str:
        titles = []
        for each in (nodes[at] for at in numbers):
            title = (
                "a constant" if each.title == CONSTANT else shortened(each.title, 30)
            )
            shown = values and each.value is not None
            titles.append(f"{title} = {number(each.value)}" if shown else title)
        many = len(titles) > _MOST_NAMES
        return f"{number(len(titles))} values" if many else joined(titles)

    users = [user for user, each in enumerate(nodes) if at in each.inputs]
    title, used = shortened(node.title, 30), named(users)
    if node.kind == CONSTANT:
        return f"A constant, used by {used}: no gradient comes back to it."
    if node.kind == LEAF:
        added = ", added up" * (len(users) > 1)
        return f"The gradient of {title} comes from {used}{added}."
    if node.kind == FOLD:
        return f"{_listed(node.members)} are not drawn; they lie before {used}."
    inputs = list(dict.fromkeys(node.inputs))
    back = [each for each in inputs if nodes[each].kind != CONSTANT]
    goes = f"the gradient goes back to {named(back)}"
    sent = [f"{number(part)} to {named([each])}" for each, part in node.sent
            if each in back]  # fmt: skip
    if sent:
        goes = f"of its gradient {number(node.gradient)} it sends back {joined(sent)}"
    goes = goes if back else "no gradient goes back"
    value = "a value" if node.value is None else number(node.value)
    return f"{title} makes {value} of {named(inputs, True)} for {used}; {goes}."


def _listed(census: Sequence[tuple[str, int]]) -> str:
    """Return 2 matmul, 2 add, 1 relu: the most frequent first."""
    most = _MOST_NAMES + (len(census) == _MOST_NAMES + 1)
    left = [f"{len(census) - most} others"] * (len(census) > most)
    return ", ".join(
        [f"{number(count)} {name}" for name, count in census[:most]] + left
    )


def detail_of(graph: Graph, drawn: list[Node]) -> str:
    """Return which steps there are, how much is learned, and what is not drawn."""
    names = [node.title.partition(" → ")[0] for node in graph.nodes
             if node.kind == STEP]  # fmt: skip
    parts = [f"{_listed(Counter(names).most_common())}." * bool(names)]
    learned = sum(math.prod(node.shape) for node in graph.nodes
                  if node.kind == LEAF and node.shape is not None)  # fmt: skip
    if learned:
        parts.append(f"The leaves hold {counted(learned, 'number')}.")
    constants = graph.count(CONSTANT)
    if constants and names:
        gets = "is constant and gets" if constants == 1 else "are constant and get"
        parts.append(f"{counted(constants, 'input')} {gets} no gradient.")
    hidden = sum(node.count for node in drawn if node.kind == FOLD)
    if hidden:
        parts.append(f"{number(hidden)} of {number(len(graph.nodes))} are folded.")
    if graph.released:
        parts.append("A backward has freed what the steps had kept.")
    return " ".join(filter(None, [*parts, graph.note]))


def _below(node: Node) -> list[str]:
    """Return what stands under a node's title: shape, value, gradient."""
    if node.kind == FOLD:
        return [", ".join(name for name, _ in node.members)]
    words = []
    if node.shape is not None:
        size = " × ".join(map(number, node.shape)) or "a number"
        words.append(counted(node.shape[0], "number") if len(node.shape) == 1 else size)
    if node.value is not None and (node.kind != CONSTANT or node.shape is None):
        words.append(f"= {number(node.value)}")
    if node.gradient is not None:
        words.append(f"gradient {number(node.gradient)}")
    elif node.has_gradient:
        words.append("has a gradient")
    # Two: the values of many steps have no number of their own.
    return words[:2]


class _Plan:
    """Where boxes and lines are in so many pixels: inputs above, the result below."""

    def __init__(self, nodes: list[Node], width: int) -> None:
        most = max(int((width + _BESIDE) // (_WIDE + _BESIDE)), 2)
        inputs = [node.inputs for node in nodes]
        bend = _BESIDE if width > 400 else 7
        layout = laid_out(inputs, most, width, _WIDE + _BESIDE, bend)
        scale = min(1.0, width / layout.extent)
        left = (width - layout.extent * scale) / 2
        self.nodes, self.ways = nodes, layout.ways
        self.wide = max((_WIDE + _BESIDE) * scale - _BESIDE, 24)
        self.height = len(layout.rows) * (_HIGH + _GAP) - _GAP + 16
        # The upper edge, at the middle.
        self.tops = {each: (left + layout.middle[each] * scale,
                            self.height - 8 - _HIGH - at * (_HIGH + _GAP))
                     for at, row in enumerate(layout.rows) for each in row}  # fmt: skip

    def corner(self, node: int) -> tuple[float, float]:
        """Return the upper left corner of a box."""
        x, y = self.tops[node]
        return x - self.wide / 2, y

    def line(self, edge: tuple[int, int]) -> str:
        """Return the path of a value from an input to the step that uses it."""
        target, *passed, source = (self.tops[each] for each in self.ways[edge])
        x, y = source[0], source[1] + _HIGH + 3
        path = f"M{x:.1f} {y:.1f}"
        for to_x, to_y in [*passed[::-1], (target[0], target[1] - 3)]:
            middle = (y + to_y) / 2
            path += (
                f"C{x:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {to_y:.1f}"
            )
            x, y = to_x, to_y + _HIGH
            path += f"V{y:.1f}" * ((to_x, to_y) in passed)  # straight past the boxes
        return path

    def box(self, at: int) -> str:
        """Return a node as SVG."""
        node, (x, y), inner = self.nodes[at], self.corner(at), Drawing()
        look, lines = _LOOKS[node.kind], [node.title, *_below(node)]
        for away in (6, 3, 0) if node.kind == FOLD else (0,):
            inner.rect(x + away, y - away, self.wide - 2 * away, _HIGH, rx=6, **look)
        for line, words in enumerate(lines):
            size, bold, most = 10.5 if line else 12.5, line == 0, len(words)
            while width_of(words, size, bold=bold) > self.wide - 10 and most > 3:
                most -= 1
                words = shortened(lines[line], most)
            middle, below = x + self.wide / 2, y + 36.5 - 7 * len(lines) + 14 * line
            if node.kind == CONSTANT:  # plain ground under words on hatching
                room = width_of(words, size, bold=bold) + 6
                inner.rect(middle - room / 2, below - 11, room, 15, fill="var(--bg)")
            inner.text(middle, below, words, size, anchor="middle", bold=bold,
                       fill="var(--mut)" if line else "var(--ink)")  # fmt: skip
        view = Drawing()
        view.element("g", str(inner), data_go=f"node={at}",
                     data_tip=escaped(" · ".join(lines)))  # fmt: skip
        return str(view)


def scene_of(graph: Graph) -> Scene:
    """Return the scene of a graph; its state is the node that is marked."""
    nodes, own = folded(graph.nodes), Interned()

    @cache
    def plain(width: int) -> tuple[_Plan, dict[tuple[int, int], str], Drawing]:
        view, plan = Drawing(), _Plan(nodes, width)
        lines = {edge: plan.line(edge) for edge in plan.ways}
        for (source, _), line in lines.items():
            look = {"stroke": "var(--ink)", "marker_start": VALUE_OUT}
            if nodes[source].kind == CONSTANT:
                look = {"stroke": "var(--faint)", "stroke_dasharray": "3 3"}
            view.path(line, stroke_width=1.3, marker_end=VALUE_IN, **look)
        boxes, whole = "".join(map(plan.box, range(len(nodes)))), Drawing()
        whole.element("g", str(view) + boxes)  # one part of all drawings
        return plan, lines, whole

    def draw(state: Mapping[str, int], width: int) -> Drawing:
        (plan, lines, rest), at = plain(width), state["node"]
        thick = [line for edge, line in lines.items()
                 if at in edge and nodes[edge[0]].kind != CONSTANT]  # fmt: skip
        view = Drawing(width, plan.height)
        # Below the others, whose heads stay to be seen.
        view.path("".join(thick) or "M0 0", stroke="var(--ink)", stroke_width=2.8)
        view.parts += rest.parts
        ring(view, *plan.corner(at), plan.wide, _HIGH, inside=False)
        return view

    texts = [node_answer(graph, nodes, at) for at in range(len(nodes))]
    titles = tuple(shortened(node.title, 30) for node in nodes)
    leaves = tuple(at for at, node in enumerate(nodes) if node.kind == LEAF)
    axis = Axis("node", "Node", len(nodes), marks=leaves,
                words=own.table("node", titles))  # fmt: skip
    kinds = {node.kind for node in nodes}
    key = [each for kind, each in _KEY.items() if kind in kinds]
    if len(nodes) > 1:
        key += [
            ("forward", 0, "a value goes on"),
            ("back", 0, "its gradient comes back"),
        ]
    return Scene(
        (axis,), own.all, (), (Panel((frames_of((axis,), draw),), WIDTH),),
        answer=(own.table("node", texts),), detail=(detail_of(graph, nodes),),
        key=swatches([("focus", 0, "one node, and the lines of its gradients"), *key]),
    )  # fmt: skip


def draw_graph(graph: Graph) -> Figure:
    """Draw how a value came to be, and where gradients flow."""
    return Figure("How did this value come to be, and where do gradients flow?",
                        scene_of(graph), {"node": 0}, data=graph)  # fmt: skip

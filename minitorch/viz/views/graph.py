"""The graph view: how a value came to be."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from typing import Any

from ... import _core
from ..._core import Tensor
from ...autodiff import topological_sort
from ...module import Module, Parameter
from ...scalar import Scalar
from ..figure.figure import WIDTH, Figure
from ..figure.scenes import Interned, swatches
from ..scene.drawing import Drawing, escaped, number, shortened, width_of
from ..scene.frames import frames_of
from ..scene.marks import EMPTY, VALUE_IN, VALUE_OUT, ring
from ..scene.palette import tint
from ..scene.phrases import counted, joined
from ..scene.scene import Axis, Panel, Scene

STEP, LEAF, CONSTANT, FOLD = "step", "leaf", "constant", "fold"
MOST_DRAWN = 200  # nodes; those of larger graphs have no derivatives
_KEPT = 24  # of those


@dataclass(slots=True)
class Node:
    """A step that made a value, a leaf that collects a gradient, or a constant.

    Attributes:
        kind: STEP, LEAF, CONSTANT, or FOLD for many that are drawn as one.
        title: The step's name, or the leaf's.
        inputs: Numbers of the nodes that it was made from, in order.
        shape: Of the value; None where nobody knows.
        value: The number, of Scalars and leaves of one element.
        gradient: The derivative of the result by it, where it is known as one number.
        has_gradient: Does the leaf hold one?
        sent: What its backward sent to which input, by that node's number.
        members: Of a fold, how many steps of which name, leaves and constants.
    """

    kind: str
    title: str
    inputs: list[int] = field(default_factory=list)
    shape: tuple[int, ...] | None = None
    value: float | None = None
    gradient: float | None = None
    has_gradient: bool = False
    sent: list[tuple[int, float]] = field(default_factory=list)
    members: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Graph:
    """All nodes behind a value; node 0 made it.

    Attributes:
        nodes: Consumers before their inputs.
        note: Why no gradients are known, where a step's own backward raised.
    """

    nodes: list[Node]
    note: str = ""

    def count(self, kind: str) -> int:
        """Return how many nodes of a kind there are."""
        return sum(node.kind == kind for node in self.nodes)


def _named(names: Any) -> Iterator[tuple[str, Any]]:
    """Return names with their values, of a module or a dict."""
    if isinstance(names, Module):
        names = dict(names.named_parameters())
    if not isinstance(names, Mapping):
        raise TypeError(
            f"[viz.graph] got {type(names).__name__} for names; need a module, or a "
            "dict such as {'w': w}."
        )
    for name, value in names.items():
        given = value.value if isinstance(value, Parameter) else value
        if not isinstance(given, Tensor | Scalar):
            raise TypeError(
                f"[viz.graph] got {type(value).__name__} for {name!r}; need a tensor, "
                "a Scalar or a parameter."
            )
        yield str(name), given


def _key(value: Any) -> tuple[str, int]:
    """Return who a value is: a tensor, a Scalar, or a step that made a tensor."""
    if isinstance(value, Scalar):
        return "scalar", value.unique_id
    step = _core.graph_step(value) if isinstance(value, Tensor) else value
    return ("leaf", value.unique_id) if step is None else ("step", step.id)


def _described(value: Any, names: dict[tuple[str, int], str]) -> tuple[Node, list[Any]]:
    """Return a node for a value, and what it was made from."""
    if value is None:
        return Node(CONSTANT, "constant"), []
    name = names.get(_key(value), "")
    if isinstance(value, Tensor | Scalar) and value.name != str(value.unique_id):
        name = name or str(value.name)
    if isinstance(value, Tensor):
        kind, gradient = LEAF if value.requires_grad else CONSTANT, value.grad
        node = Node(kind, name or kind, shape=tuple(value.shape))
        node.has_gradient = gradient is not None
        if value.size == 1:
            node.value = float(value.item())
            node.gradient = None if gradient is None else float(gradient.item())
        return node, []
    arrow = f" → {name}" * bool(name)
    if isinstance(value, Scalar):
        history = value.history
        if history is None or history.last_fn is None:
            kind = CONSTANT if history is None else LEAF
            known = kind == LEAF and value.derivative is not None
            return Node(kind, name or kind, value=value.data, has_gradient=known), []
        title = history.last_fn.__name__.lower() + arrow
        return Node(STEP, title, value=value.data), list(history.inputs)
    function = getattr(value.python[0], "function", None) if value.python else None
    title = getattr(function, "__name__", value.op) + arrow
    return Node(STEP, title, shape=tuple(value.shape)), list(value.inputs)


def ordered(nodes: list[Node]) -> list[Node]:
    """Return the same nodes, each before its inputs."""
    consumers = Counter(each for node in nodes for each in node.inputs)
    order, ready = [], [0]
    while ready:
        at = ready.pop()
        order.append(at)
        for each in reversed(nodes[at].inputs):
            consumers[each] -= 1
            if consumers[each] == 0:
                ready.append(each)
    place = {at: new for new, at in enumerate(order)}
    for node in nodes:
        node.inputs = [place[each] for each in node.inputs]
        node.sent = [(place[each], part) for each, part in node.sent]
    return [nodes[at] for at in order]


def derive(result: Scalar, nodes: Mapping[int, tuple[int, Node]]) -> None:
    """Write derivatives of a Scalar into nodes, by the `unique_id` of their values.

    Nothing is added to a leaf.
    """
    found = {result.unique_id: 1.0}
    sent: dict[int, list[tuple[int, float]]] = {}
    for one in topological_sort(result):
        if one.is_leaf() or one.unique_id not in found:
            continue
        for parent, part in one.chain_rule(found[one.unique_id]):
            at = parent.unique_id
            found[at] = found.get(at, 0.0) + float(part)
            if at in nodes:
                sent.setdefault(one.unique_id, []).append((nodes[at][0], float(part)))
    for at, (_, node) in nodes.items():
        if node.kind != CONSTANT:
            node.gradient, node.sent = found.get(at), sent.get(at, [])


def graph_of(value: Any, names: Any = None) -> Graph:
    """Return how a value came to be.

    Args:
        value: A tensor or a Scalar.
        names: A module, whose parameters are named, or a dict of names and values.

    Raises:
        TypeError: None of these.
    """
    if not isinstance(value, Tensor | Scalar):
        raise TypeError(
            f"[viz.graph] got {type(value).__name__}; need a tensor or a Scalar."
        )
    known = {} if names is None else {_key(each): name for name, each in _named(names)}
    root = _core.graph_step(value) or value if isinstance(value, Tensor) else value
    node, below = _described(root, known)
    nodes, found, open_ = [node], {_key(root): 0}, [(0, below)]
    note = ""
    while open_:
        at, inputs = open_.pop()
        for each in inputs:
            key = ("none", len(nodes)) if each is None else _key(each)
            if key not in found:
                found[key] = len(nodes)
                node, below = _described(each, known)
                open_.append((len(nodes), below))
                nodes.append(node)
            nodes[at].inputs.append(found[key])
    if isinstance(value, Scalar) and len(nodes) <= MOST_DRAWN:
        try:
            derive(value, {own: (at, nodes[at]) for (_, own), at in found.items()})
        except Exception as error:  # a learner's own backward may raise anything
            note = f"No gradients are drawn: a backward raised {type(error).__name__}."
    if isinstance(value, Tensor) and value.size == 1:
        nodes[0].value = float(value.item())
    return Graph(ordered(nodes), note)


def folded(nodes: list[Node]) -> list[Node]:
    """Return nodes, of more than `MOST_DRAWN` those far from the result as one.

    Args:
        nodes: Each before its inputs; the first made the result.
    """
    if len(nodes) <= MOST_DRAWN:
        return nodes
    layer = [0] * len(nodes)
    for at, node in enumerate(nodes):
        for each in node.inputs:
            layer[each] = max(layer[each], layer[at] + 1)
    order = sorted(range(len(nodes)), key=layer.__getitem__)
    place = {at: new for new, at in enumerate(order[:_KEPT])}
    far = [nodes[at] for at in order[_KEPT:]]
    census = Counter(each.title if each.kind == STEP else each.kind for each in far)
    drawn = [
        replace(nodes[at], inputs=[place.get(each, _KEPT) for each in nodes[at].inputs])
        for at in place
    ]
    title = f"{number(len(far))} more"
    return [*drawn, Node(FOLD, title, members=tuple(census.most_common()))]


_SWEEPS = 12
Thing = Any  # a node's number, or (input, row) where a line passes a row


@dataclass(frozen=True)
class Layout:
    """Positions of nodes, and of lines that pass rows.

    Attributes:
        rows: What is in each, from left to right; the first has the result.
        middle: Of each thing along its row, from 0.
        ways: For each edge (input, consumer) the things from the consumer to the input.
        extent: How long the longest row is.
    """

    rows: list[list[Thing]]
    middle: dict[Thing, float]
    ways: dict[tuple[int, int], list[Thing]]
    extent: float


def laid_out(
    inputs: Sequence[Sequence[int]], most: int, room: float, box: float, bend: float
) -> Layout:
    """Return positions for nodes and lines.

    Rows are sorted by the middles of their neighbours, back and forth (Sugiyama's
    method). Lines from one input to several consumers share their bends.

    Args:
        inputs: Of each node, consumers before inputs.
        most: Nodes in a row.
        room: Of a row; one that needs more is as long as it must be.
        box: Room of a node along its row.
        bend: Room of a line that passes a row.

    Example:
        >>> laid_out([[1, 2], [2], []], 9, 400, 100, 10).rows
        [[0], [1, (2, 1)], [2]]
    """
    waiting = Counter(each for sources in inputs for each in set(sources))
    ready = [at for at in range(len(inputs)) if not waiting[at]]
    rows: list[list[Thing]] = []
    layer: dict[int, int] = {}
    while ready:
        row, ready = ready[:most], ready[most:]
        for at in row:
            layer[at] = len(rows)
            for each in dict.fromkeys(inputs[at]):
                waiting[each] -= 1
                if not waiting[each]:
                    ready.append(each)
        rows.append([*row])
    near: dict[Thing, list[Thing]] = defaultdict(list)
    far: dict[Thing, list[Thing]] = defaultdict(list)
    ways: dict[tuple[int, int], list[Thing]] = {}
    for at, sources in enumerate(inputs):
        for source in dict.fromkeys(sources):
            passed = [(source, row) for row in range(layer[at] + 1, layer[source])]
            ways[source, at] = [at, *passed, source]
            for thing in passed:
                if thing not in far:
                    rows[thing[1]].append(thing)
            for one, other in pairwise(ways[source, at]):
                if other not in far[one]:
                    far[one].append(other)
                    near[other].append(one)
    place: dict[Thing, float] = {}

    def mean(things: list[Thing], own: Thing) -> float:
        return (
            sum(place[each] for each in things) / len(things) if things else place[own]
        )

    for sweep in range(_SWEEPS):
        sides = far if sweep % 2 else near
        for row in rows[::-1] if sweep % 2 else rows:
            if sweep:
                row.sort(key=lambda each: mean(sides[each], each))
            # Halves, so that rows of different lengths compare by their middles.
            place.update((each, at - (len(row) - 1) / 2) for at, each in enumerate(row))
    # Leaves and lines make room for steps: so chains of steps are straight.
    steps = {at for at, sources in enumerate(inputs) if sources}
    half = {each: (bend if isinstance(each, tuple) else box) / 2 for each in place}
    for sweep in range(8 * _SWEEPS):
        for row in rows if sweep % 2 else rows[::-1]:
            right, moved = -float("inf"), {}
            for each in row:
                beside = near[each] + far[each]
                if each in steps:
                    beside = [at for at in beside if at in steps] or beside
                wanted = mean(beside, each)
                place[each] = max(wanted, right + half[each])
                right = place[each] + half[each]
                moved[each] = wanted - place[each]
            fixed = steps.intersection(row) or row
            shift = sum(moved[each] for each in fixed) / len(fixed)
            total = 2 * sum(half[each] for each in row)
            before = -max(room, total) / 2
            for each in row:
                first = before + half[each]
                last = first + max(room - total, 0)
                place[each] = min(max(place[each] + shift, first), last)
                before += 2 * half[each]
    low = min(place[each] - half[each] for each in place)
    high = max(place[each] + half[each] for each in place)
    middle = {each: place[each] - low for each in place}
    return Layout(rows, middle, ways, high - low)


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


def detail_of(graph: Graph) -> str:
    """Return which steps there are, and why there are no gradients."""
    names = [node.title.partition(" → ")[0] for node in graph.nodes
             if node.kind == STEP]  # fmt: skip
    steps = f"{_listed(Counter(names).most_common())}." * bool(names)
    return f"{steps} {graph.note}".strip()


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
        inner.rect(x, y, self.wide, _HIGH, rx=6, **look)
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
        answer=(own.table("node", texts),), detail=(detail_of(graph),),
        key=swatches([("focus", 0, "one node, and the lines of its gradients"), *key]),
    )  # fmt: skip


def graph(t: Any, names: Any = None) -> Figure:
    """Draw how a tensor or a Scalar came to be, and where its gradients flow.

    Of a graph of more than 200 nodes the 24 nearest to the result are drawn.

    Args:
        t: The result: a tensor, or a `minitorch.Scalar`.
        names: A module, whose parameters are called by their names, or a dict of names
            and tensors; None: names that the values have themselves.

    Returns:
        A figure; its `data` holds all nodes.

    Raises:
        TypeError: Nothing of these.

    Example:
        >>> import minitorch
        >>> from minitorch import viz
        >>> w = minitorch.tensor([[1.0], [2.0]], requires_grad=True)
        >>> x = minitorch.tensor([[3.0, 4.0]])
        >>> viz.graph((x @ w).sum(), {"w": w})
        Figure(3 steps made this value from 1 leaf, which gets a gradient.)
    """
    return Figure(
        "How did this value come to be, and where do gradients flow?",
        scene_of(known := graph_of(t, names)), {"node": 0}, data=known,
    )  # fmt: skip

"""How a value came to be, as rows of steps and leaves, and which of them are drawn.

Walks without recursion: graphs may be of any depth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .... import _core
from ...._core import Tensor
from ....autodiff import topological_sort
from ....module import Module, Parameter
from ....scalar import Scalar
from ...scene.drawing import number
from ...scene.scene import Numbers

STEP, LEAF, CONSTANT, FOLD = "step", "leaf", "constant", "fold"
MOST_DRAWN = 200  # nodes; those of larger graphs have no derivatives
_KEPT = 60  # of a graph that has no repeated stretch
_LONGEST = 128  # steps of a stretch


@dataclass(slots=True)
class Node:
    """A step that made a value, a leaf that collects a gradient, or a constant.

    Attributes:
        kind: STEP, LEAF, CONSTANT, or FOLD for many that are drawn as one.
        title: The step's name, or the leaf's.
        inputs: Numbers of the nodes that it was made from, in order.
        shape, dtype: Of the value; None where nobody knows.
        value: The number, of Scalars and leaves of one element.
        gradient: The derivative of the result by it, where it is known as one number.
        has_gradient: Does the leaf hold one?
        sent: What its backward sent to which input, by that node's number.
        count: How many nodes it stands for.
        members: Of a fold, how many steps of which name, leaves and constants.
    """

    kind: str
    title: str
    inputs: list[int] = field(default_factory=list)
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    value: float | None = None
    gradient: float | None = None
    has_gradient: bool = False
    sent: list[tuple[int, float]] = field(default_factory=list)
    count: int = 1
    members: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Graph:
    """All nodes behind a value; node 0 made it.

    Attributes:
        nodes: Consumers before their inputs.
        released: Has a backward freed what the steps had kept?
        note: Why no gradients are known, where a step's own backward raised.
    """

    nodes: list[Node]
    released: bool
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
        if isinstance(value, Module):
            for inner, parameter in value.named_parameters():
                yield f"{name}.{inner}", parameter.value
            continue
        given = value.value if isinstance(value, Parameter) else value
        if not isinstance(given, Tensor | Scalar):
            raise TypeError(
                f"[viz.graph] got {type(value).__name__} for {name!r}; need a tensor, "
                "a Scalar, a parameter or a module."
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
        node = Node(kind, name or kind, [], tuple(value.shape), value.dtype.name)
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
    shape, dtype = tuple(value.shape), value.dtype.name
    return Node(STEP, title, shape=shape, dtype=dtype), list(value.inputs)


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
    released, note = bool(getattr(root, "released", False)), ""
    while open_:
        at, inputs = open_.pop()
        for each in inputs:
            key = ("none", len(nodes)) if each is None else _key(each)
            if key not in found:
                found[key] = len(nodes)
                node, below = _described(each, known)
                open_.append((len(nodes), below))
                nodes.append(node)
                released |= bool(getattr(each, "released", False))
            nodes[at].inputs.append(found[key])
    if isinstance(value, Scalar) and len(nodes) <= MOST_DRAWN:
        try:
            derive(value, {own: (at, nodes[at]) for (_, own), at in found.items()})
        except Exception as error:  # a learner's own backward may raise anything
            note = f"No gradients are drawn: a backward raised {type(error).__name__}."
    if isinstance(value, Tensor) and value.size == 1:
        nodes[0].value = float(value.item())
    return Graph(ordered(nodes), released, note)


def _repeated(signatures: Numbers) -> tuple[int, int, int]:
    """Return the longest stretch that repeats: first place, length, how often."""
    best = (0, 0, 0)
    for length in range(1, min(_LONGEST, len(signatures) // 3) + 1):
        same = signatures[length:] == signatures[:-length]
        edges = np.flatnonzero(np.diff(np.concatenate([[0], same, [0]])))
        for first, end in edges.reshape(-1, 2).tolist():
            often = (end - first) // length + 1
            if often >= 3 and length * often > best[1] * best[2]:
                best = first, length, often
    return best


def _merged(nodes: list[Node], inside: set[int], title: str) -> list[Node]:
    """Return the nodes with some of them made one."""
    members = [nodes[at] for at in sorted(inside)]
    census: Counter[str] = Counter()
    for each in members:
        name = each.title if each.kind == STEP else each.kind
        census.update(dict(each.members) if each.kind == FOLD else [name])
    count = sum(each.count for each in members)
    fold = Node(FOLD, title, count=count, members=tuple(census.most_common()))
    kept = [at for at in range(len(nodes)) if at not in inside]
    place = {at: new for new, at in enumerate(kept)} | dict.fromkeys(inside, len(kept))
    made = [replace(nodes[at], inputs=[]) for at in kept] + [fold]
    for at, node in enumerate(nodes):
        own, user = place[at], made[place[at]].inputs
        for there in (place[each] for each in node.inputs):
            once = len(kept) in (own, there) and there in user
            if there != own and not once:
                user.append(there)
    return ordered(made)


def folded(nodes: list[Node]) -> list[Node]:
    """Return at most `MOST_DRAWN` nodes: of a large graph many as one.

    Where a stretch of steps repeats, the others of it; else all that is far from the
    result. Such a group is a stretch of the order of steps: a way out of it and back
    would pass a step between them, so that no circle arises.

    Args:
        nodes: Each before its inputs; the first made the result.
    """
    if len(nodes) <= MOST_DRAWN:
        return nodes
    steps = [at for at, node in enumerate(nodes) if node.kind == STEP]
    known: dict[Any, int] = {}
    signatures = []
    for node in (nodes[at] for at in steps):
        key = node.title, node.shape, tuple(nodes[each].kind for each in node.inputs)
        signatures.append(known.setdefault(key, len(known)))
    first, length, often = _repeated(np.array(signatures))
    inside = set(steps[first + length : first + length * often])
    beyond = {each for at in steps if at not in inside for each in nodes[at].inputs}
    inside |= {each for at in inside for each in nodes[at].inputs
               if not nodes[each].inputs and each not in beyond}  # fmt: skip
    if inside:
        nodes = _merged(nodes, inside, f"× {number(often - 1)} more")
    if len(nodes) <= MOST_DRAWN:
        return nodes
    layer = [0] * len(nodes)
    for at, node in enumerate(nodes):
        for each in node.inputs:
            layer[each] = max(layer[each], layer[at] + 1)
    rest = sorted(range(len(nodes)), key=layer.__getitem__)[_KEPT:]
    count = sum(nodes[at].count for at in rest)
    return _merged(nodes, set(rest), f"{number(count)} more")

"""The sentences of the graph view."""

from __future__ import annotations

import math
from collections import Counter

from ...scene.drawing import number, shortened
from ...scene.phrases import counted, joined
from .steps import CONSTANT, FOLD, LEAF, STEP, Graph, Node

_MOST_NAMES = 5


def _listed(names: Counter[str]) -> str:
    """2 matmul, 2 add, 1 relu: the most frequent first."""
    parts = [f"{number(count)} {name}" for name, count in names.most_common()]
    left = len(parts) - _MOST_NAMES
    if left == 1:
        return ", ".join(parts)
    return ", ".join(parts[:_MOST_NAMES] + ([f"{left} others"] if left > 0 else []))


def members_of(node: Node) -> str:
    """What a fold holds, the most frequent first."""
    return ", ".join(name for name, _ in node.members)


def answer_of(graph: Graph) -> str:
    """How many steps made the value, and who gets a gradient."""
    steps, leaves = graph.count(STEP), graph.count(LEAF)
    if steps == 0:
        if leaves:
            return "No step made this value: it is a leaf and collects a gradient."
        return "No step was recorded for this value: no gradient flows from it."
    made = f"{counted(steps, 'step')} made this value from {counted(leaves, 'leaf')}"
    if leaves == 0:
        return f"{made}: no gradient flows."
    if leaves == 1:
        return f"{made}, which gets a gradient."
    return f"{made}; each of them gets a gradient."


def _named(nodes: list[Node], numbers: list[int]) -> str:
    """Nodes by their titles: w and b; many are counted."""
    titles = [shortened(nodes[at].title, 30) for at in numbers]
    titles = ["a constant" if each == "constant" else each for each in titles]
    if len(titles) > _MOST_NAMES:
        return f"{number(len(titles))} values"
    return joined(titles)


def node_answer(graph: Graph, nodes: list[Node], at: int) -> str:
    """What one of the nodes drawn does, and where its gradient comes from or goes.

    Args:
        graph: all of it.
        nodes: those that are drawn.
        at: which of these; 0 is the result.
    """
    if at == 0:
        return answer_of(graph)
    node = nodes[at]
    title = shortened(node.title, 30)
    users = [user for user, each in enumerate(nodes) if at in each.inputs]
    used = _named(nodes, users)
    if node.kind == CONSTANT:
        return f"A constant, used by {used}: no gradient comes back to it."
    if node.kind == LEAF:
        added = ", added up" if len(users) > 1 else ""
        return f"The gradient of {title} comes from {used}{added}."
    if node.kind == FOLD:
        return f"{number(node.count)} nodes that are not drawn lie before {used}."
    inputs = list(dict.fromkeys(node.inputs))
    back = [each for each in inputs if nodes[each].kind != CONSTANT]
    made = f"{title} makes a value of {_named(nodes, inputs)} for {used}"
    goes = f"the gradient goes back to {_named(nodes, back)}"
    return f"{made}; {goes if back else 'no gradient goes back'}."


def detail_of(graph: Graph, drawn: list[Node]) -> str:
    """Which steps, how many numbers are learned, and what is not drawn."""
    names = Counter(
        node.title.partition(" → ")[0] for node in graph.nodes if node.kind == STEP
    )
    parts = [f"{_listed(names)}."] if names else []
    learned = sum(
        math.prod(node.shape)
        for node in graph.nodes
        if node.kind == LEAF and node.shape is not None
    )
    if learned and not graph.scalar:
        parts.append(f"The leaves hold {counted(learned, 'number')}.")
    constants = graph.count(CONSTANT)
    if constants and names:
        one = constants == 1
        parts.append(
            f"{counted(constants, 'input')} {'is' if one else 'are'} constant and "
            f"get{'s' if one else ''} no gradient."
        )
    hidden = sum(node.count for node in drawn if node.kind == FOLD)
    if hidden:
        parts.append(f"{number(hidden)} of {number(len(graph.nodes))} are folded.")
    if graph.released:
        parts.append("A backward has freed what the steps had kept.")
    return " ".join(filter(None, [*parts, graph.note]))

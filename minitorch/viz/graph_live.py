"""Owns what the live graph view needs: for each node drawn its lines and its sentence.

Must not draw.
"""

from __future__ import annotations

from .graph_plan import HIGH, Plan, line_of, lines_of
from .graph_steps import CONSTANT, Graph, Node
from .graph_words import detail_of, node_answer
from .live import Live


def users_of(nodes: list[Node]) -> list[list[int]]:
    """For each node those that use it."""
    found: list[list[int]] = [[] for _ in nodes]
    for at, node in enumerate(nodes):
        for each in dict.fromkeys(node.inputs):
            found[each].append(at)
    return found


def lines_at(nodes: list[Node], plan: Plan, at: int, users: list[int]) -> str:
    """The lines to a node and from it on which a gradient comes back, as one path."""
    inputs = dict.fromkeys(nodes[at].inputs)
    found = [line_of(plan, each, at) for each in inputs if nodes[each].kind != CONSTANT]
    if nodes[at].kind != CONSTANT:
        found += [path for path, _ in lines_of(plan, at, users)]
    return "".join(found)


def live_graph(graph: Graph, nodes: list[Node], plan: Plan) -> Live | None:
    """The data of `assets/live/graph.js`; None for a single node.

    Args:
        graph: all of it.
        nodes: those that are drawn.
        plan: where.
    """
    if len(nodes) < 2:
        return None
    count, users = range(len(nodes)), users_of(nodes)
    to_inputs, to_result = ("W", "S") if plan.down else ("A", "D")
    return Live(
        "graph",
        {
            "corners": [plan.corner(at) for at in count],
            "wide": plan.wide,
            "high": HIGH,
            "down": plan.down,
            "layers": plan.layout.layer,
            "inputs": [node.inputs for node in nodes],
            "users": users,
            "lines": [lines_at(nodes, plan, at, users[at]) for at in count],
            "answers": [node_answer(graph, nodes, at) for at in count],
            "detail": detail_of(graph, nodes),
        },
        (
            (to_inputs, "to an input"),
            (to_result, "towards the result"),
            ("A D" if plan.down else "W S", "to a neighbour"),
        ),
    )

"""How the graph view moves: one node, its lines, its sentence."""

from __future__ import annotations

from ...figure.live import Live
from ...figure.player import Player
from ...scene.drawing import Drawing
from ...scene.marks import ring
from .plan import HIGH, Plan, line_of, lines_of
from .steps import CONSTANT, Graph, Node
from .words import detail_of, node_answer


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


def draw_ring(plan: Plan, at: int) -> Drawing:
    """The mark of the node in the focus."""
    view = Drawing()
    ring(view, *plan.corner(at), plan.wide, HIGH, inside=False)
    return view


def _beside(plan: Plan, by: int) -> list[int]:
    """From each node to the next of its layer, forth or back; -1 for none."""
    layer, along = plan.layout.layer, 0 if plan.down else 1
    found = []
    for at, own in enumerate(layer):
        same = [each for each, other in enumerate(layer) if other == own]
        same.sort(key=lambda each: plan.corner(each)[along])
        to = same.index(at) + by
        found.append(same[to] if 0 <= to < len(same) else -1)
    return found


def _keys(
    player: Player, nodes: list[Node], plan: Plan, users: list[list[int]]
) -> None:
    back, forth, before, after = "wsad" if plan.down else "adws"
    inputs = [node.inputs for node in nodes]
    for key, lists in ((back, inputs), (forth, users)):
        to = [int(each[0]) if len(each) else -1 for each in lists]
        player.key(key, "node", to=to)
    player.key(before, "node", to=_beside(plan, -1))
    player.key(after, "node", to=_beside(plan, 1))
    player.key("Home", "node", to=[0] * len(nodes))


def live_graph(graph: Graph, nodes: list[Node], plan: Plan) -> Live | None:
    """What makes the picture live; None for a single node.

    Args:
        graph: all of it.
        nodes: those that are drawn.
        plan: where.
    """
    if len(nodes) < 2:
        return None
    count, users = range(len(nodes)), users_of(nodes)
    player, by = Player({"node": 0}), ["node"]
    player.axis("node", len(nodes), stays=True)
    player.set("lines", "d", by, [lines_at(nodes, plan, at, users[at]) for at in count])
    player.content("focus", by, [draw_ring(plan, at) for at in count])
    player.says(
        by, [node_answer(graph, nodes, at) for at in count], detail_of(graph, nodes)
    )
    boxes = [(*plan.corner(at), plan.wide, HIGH) for at in count]
    player.areas("focus", "node", [], [boxes])
    player.on_press()
    _keys(player, nodes, plan, users)
    to_inputs, to_result = ("W", "S") if plan.down else ("A", "D")
    return player.live(
        (
            (to_inputs, "to an input"),
            (to_result, "towards the result"),
            ("A D" if plan.down else "W S", "to a neighbour"),
        )
    )

"""What of a large graph is drawn: repeated stretches become one node with a count."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...scene.drawing import number
from .steps import FOLD, STEP, Node, ordered

MOST_DRAWN = 200
_KEPT = 60  # of a graph that has no repeated stretch
_KEPT_ABREAST = 7
_LONGEST = 128  # steps of a stretch
_MOST_STRETCHES = 200
_SHARED = -1


def _spine(nodes: list[Node]) -> list[int]:
    """The longest way from the result down to a leaf."""
    height = [0] * len(nodes)
    for at in range(len(nodes) - 1, -1, -1):
        inputs = nodes[at].inputs
        height[at] = 1 + max((height[each] for each in inputs), default=0)
    spine, at = [0], 0
    while nodes[at].inputs:
        at = max(nodes[at].inputs, key=height.__getitem__)
        spine.append(at)
    return spine


def _owners(nodes: list[Node], spine: list[int]) -> list[int]:
    """For each node the place on the spine that it belongs to.

    A node that only one place uses belongs to it; a step that several use to the last
    of them; a leaf that several use to none.
    """
    place = {at: own for own, at in enumerate(spine)}
    owners: list[int | None] = [None] * len(nodes)
    for at, node in enumerate(nodes):
        own = place.get(at, owners[at])
        owner = _SHARED if own is None else own
        owners[at] = owner
        for each in node.inputs:
            before = owners[each]
            if before is None or before == owner:
                owners[each] = owner
            else:
                ends = not nodes[each].inputs
                owners[each] = _SHARED if ends else max(before, owner)
    return [_SHARED if each is None else each for each in owners]


def _signatures(
    nodes: list[Node], spine: list[int], owners: list[int]
) -> NDArray[np.int64]:
    """A number for each place of the spine: the same where the same is done."""
    parts: list[list[tuple[object, ...]]] = [[] for _ in spine]
    for at, node in enumerate(nodes):
        owner = owners[at]
        if owner != _SHARED:
            shared = [each for each in node.inputs if owners[each] == _SHARED]
            name = node.title if node.kind == STEP else ""
            parts[owner].append((node.kind, name, node.shape, *shared))
    known: dict[object, int] = {}
    return np.array([known.setdefault(tuple(each), len(known)) for each in parts])


def _repeated(signatures: NDArray[np.int64]) -> list[tuple[int, int, int]]:
    """Stretches that follow each other: (first place, length, how often)."""
    best: dict[int, tuple[int, int]] = {}
    count = len(signatures)
    for length in range(1, min(_LONGEST, count // 3) + 1):
        same = signatures[length:] == signatures[:-length]
        edges = np.flatnonzero(np.diff(np.concatenate([[0], same, [0]])))
        for first, end in edges.reshape(-1, 2).tolist():
            often = (end - first) // length + 1
            before = best.get(first, (0, 0))
            if often >= 3 and length * often > before[0] * before[1]:
                best[first] = (length, often)
    found = [(first, *each) for first, each in best.items()]
    # The largest first; of the same size that with the shortest stretch.
    found.sort(key=lambda each: (-each[1] * each[2], each[1], each[0]))
    chosen: list[tuple[int, int, int]] = []
    for first, length, often in found[:_MOST_STRETCHES]:
        end = first + length * often
        if all(end <= a or a + n * k <= first for a, n, k in chosen):
            chosen.append((first, length, often))
    return sorted(chosen)


def _census(inside: list[Node]) -> Counter[str]:
    """How many steps of which name, leaves and constants there are."""
    found: Counter[str] = Counter()
    for each in inside:
        if each.kind == FOLD:
            found.update(dict(each.members))
        else:
            found[each.title if each.kind == STEP else each.kind] += 1
    return found


def _merged(nodes: list[Node], group: list[int], titles: dict[int, str]) -> list[Node]:
    """The nodes with those of a group (a number from 0 up) made one; -1 stays alone."""
    place: list[int] = []
    numbers: dict[int, int] = {}
    made: list[Node] = []
    members: dict[int, list[Node]] = {}
    for at, node in enumerate(nodes):
        own = group[at]
        if own < 0:
            place.append(len(made))
            made.append(replace(node, inputs=[]))
            continue
        if own not in numbers:
            numbers[own] = len(made)
            made.append(Node(FOLD, titles[own], count=0))
        place.append(numbers[own])
        members.setdefault(own, []).append(node)
    for at, node in enumerate(nodes):
        here = place[at]
        for each in node.inputs:
            there = place[each]
            once = FOLD in (made[here].kind, made[there].kind)
            if there != here and not (once and there in made[here].inputs):
                made[here].inputs.append(there)
    for own, inside in members.items():
        fold = made[numbers[own]]
        fold.count = sum(each.count for each in inside)
        fold.members = tuple(_census(inside).most_common())
    return ordered(made)


def _fold_repeats(nodes: list[Node]) -> list[Node]:
    spine = _spine(nodes)
    owners = _owners(nodes, spine)
    group = [-1] * len(spine)
    titles = {}
    for own, (first, length, often) in enumerate(
        _repeated(_signatures(nodes, spine, owners))
    ):
        group[first + length : first + length * often] = [own] * (length * (often - 1))
        titles[own] = f"× {number(often - 1)} more"
    groups = [-1 if owner == _SHARED else group[owner] for owner in owners]
    return _merged(nodes, groups, titles)


def _fold_rest(nodes: list[Node]) -> list[Node]:
    """Only the nodes next to the result, and one for all others."""
    layer = [0] * len(nodes)
    consumers: list[list[int]] = [[] for _ in nodes]
    for at, node in enumerate(nodes):
        for each in node.inputs:
            layer[each] = max(layer[each], layer[at] + 1)
            consumers[each].append(at)
    kept: set[int] = set()
    wide: Counter[int] = Counter()
    # Only what all consumers of are drawn: else the fold would come of itself.
    for at in sorted(range(len(nodes)), key=lambda at: (layer[at], at)):
        room = len(kept) < _KEPT and wide[layer[at]] < _KEPT_ABREAST
        if room and kept.issuperset(consumers[at]):
            kept.add(at)
            wide[layer[at]] += 1
    count = sum(node.count for at, node in enumerate(nodes) if at not in kept)
    group = [-1 if at in kept else 0 for at in range(len(nodes))]
    return _merged(nodes, group, {0: f"{number(count)} more"})


def folded(nodes: list[Node]) -> list[Node]:
    """At most `MOST_DRAWN` nodes: a small graph as it is, a large one with folds.

    Args:
        nodes: each before its inputs; the first made the result.
    """
    if len(nodes) <= MOST_DRAWN:
        return nodes
    fewer = _fold_repeats(nodes)
    return fewer if len(fewer) <= MOST_DRAWN else _fold_rest(fewer)

"""Where the nodes of a graph are drawn: in rows, in order, without overlap."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

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

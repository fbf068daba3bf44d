"""Where the nodes of a graph are drawn: in layers, in order, without overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

_SWEEPS = 12
_LEAF_WEIGHT = 0.02
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Layout:
    """Places of nodes: their layer from the result, and how far along it.

    Attributes:
        layer: of each node; 0 is the result's.
        at: middle of each node along its layer, from 0.
        lines: for each edge (input, consumer) the middles in the layers between, from
            the consumer's side.
        extent: how long the longest layer is.
    """

    layer: list[int]
    at: list[float]
    lines: dict[tuple[int, int], list[float]]
    extent: float

    @property
    def layers(self) -> int:
        """How many there are."""
        return max(self.layer, default=-1) + 1


def layers_of(inputs: Sequence[Sequence[int]], most: int) -> list[int]:
    """A layer for each node, behind all that use it, with at most `most` in each.

    Args:
        inputs: of each node, consumers before inputs.
        most: nodes in a layer; those with long histories go first.

    Example:
        >>> layers_of([[1, 2], [2], []], 9)
        [0, 1, 2]
    """
    count = len(inputs)
    height = [0] * count
    waiting = [0] * count
    for at in range(count - 1, -1, -1):
        height[at] = 1 + max((height[each] for each in inputs[at]), default=0)
        for each in set(inputs[at]):
            waiting[each] += 1
    layer, now = [0] * count, 0
    ready = [at for at in range(count) if waiting[at] == 0]
    while ready:
        ready.sort(key=lambda at: -height[at])
        placed, ready = ready[:most], ready[most:]
        for at in placed:
            layer[at] = now
            for each in sorted(set(inputs[at])):
                waiting[each] -= 1
                if waiting[each] == 0:
                    ready.append(each)
        now += 1
    return layer


class _Rows:
    """Layers as rows of things: nodes, and bends of lines that pass through.

    Lines from one input to many consumers share their bends.
    """

    def __init__(self, inputs: Sequence[Sequence[int]], layer: list[int]) -> None:
        self.rows: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
        self.size = 0
        for own in layer:
            self._add(own)
        self.ways: dict[tuple[int, int], list[int]] = {}  # bends of each edge
        bends: dict[tuple[int, int], int] = {}
        links: dict[tuple[int, int], None] = {}
        for at, each_inputs in enumerate(inputs):
            for source in dict.fromkeys(each_inputs):
                way = []
                for row in range(layer[at] + 1, layer[source]):
                    if (source, row) not in bends:
                        bends[source, row] = self._add(row)
                    way.append(bends[source, row])
                self.ways[source, at] = way
                links.update(dict.fromkeys(pairwise([at, *way, source])))
        self.near: list[list[int]] = [[] for _ in range(self.size)]
        self.far: list[list[int]] = [[] for _ in range(self.size)]
        for one, other in links:
            self.far[one].append(other)
            self.near[other].append(one)

    def _add(self, row: int) -> int:
        self.rows[row].append(self.size)
        self.size += 1
        return self.size - 1

    def sort(self) -> None:
        """Order the rows so that few lines cross: by the middle of their neighbours."""
        place = [0.0] * self.size
        for row in self.rows:
            for at, each in enumerate(row):
                place[each] = at
        for sweep in range(_SWEEPS):
            forth = sweep % 2 == 0
            sides = self.near if forth else self.far
            for row in self.rows if forth else reversed(self.rows):

                def middle(each: int, sides: list[list[int]] = sides) -> float:
                    found = [place[other] for other in sides[each]]
                    return sum(found) / len(found) if found else place[each]

                row.sort(key=middle)
                # Halves, so that rows of different lengths compare by their middles.
                for at, each in enumerate(row):
                    place[each] = at - (len(row) - 1) / 2


def _spread(wanted: Floats, apart: Floats, weight: Floats) -> Floats:
    """Places in order, at least `apart` from each other, as near as can be to `wanted`.

    The least weighted squares: wishes that are too close are joined at their mean.

    Example:
        >>> found = _spread(np.array([0.0, 0, 9]), np.array([2.0, 2]), np.ones(3))
        >>> found.tolist()
        [-1.0, 1.0, 9.0]
    """
    offset = np.concatenate([[0.0], np.cumsum(apart)])
    groups: list[tuple[float, float, int]] = []  # wish without offsets, weight, count
    for wish, own in zip((wanted - offset).tolist(), weight.tolist(), strict=True):
        groups.append((wish, own, 1))
        while len(groups) > 1 and groups[-2][0] > groups[-1][0]:
            (high, v, n), (low, w, m) = groups[-2:]
            groups[-2:] = [((high * v + low * w) / (v + w), v + w, n + m)]
    means, _, counts = zip(*groups, strict=True)
    found: Floats = np.repeat(np.array(means), counts) + offset
    return found


def laid_out(
    inputs: Sequence[Sequence[int]], most: int, box: float, bend: float
) -> Layout:
    """Find places for nodes and lines.

    Args:
        inputs: of each node, consumers before inputs.
        most: nodes in a layer.
        box: room of a node along its layer.
        bend: room of a line that passes a layer.
    """
    layer = layers_of(inputs, most)
    rows = _Rows(inputs, layer)
    rows.sort()
    half = np.full(rows.size, bend / 2)
    half[: len(inputs)] = box / 2
    # A leaf goes where its step is, not the step to the leaf: chains become straight.
    weight = np.ones(rows.size)
    weight[[at for at, own in enumerate(inputs) if not own]] = _LEAF_WEIGHT
    place = np.zeros(rows.size)
    for row in rows.rows:
        apart = half[row[:-1]] + half[row[1:]]
        start = np.concatenate([[0.0], np.cumsum(apart)])
        place[row] = start - start[-1] / 2
    for sweep in range(5 * _SWEEPS):
        for row in rows.rows if sweep % 2 else reversed(rows.rows):
            wanted = place[row].copy()
            for at, each in enumerate(row):
                beside = rows.near[each] + rows.far[each]
                if beside:
                    own = weight[beside]
                    wanted[at] = own @ place[beside] / own.sum()
            apart = half[row[:-1]] + half[row[1:]]
            place[row] = _spread(wanted, apart, weight[row])
    low = float((place - half).min(initial=0.0))
    high = float((place + half).max(initial=0.0))
    at = (place - low).tolist()
    lines = {edge: [at[bend] for bend in way] for edge, way in rows.ways.items()}
    return Layout(layer, at[: len(inputs)], lines, high - low)

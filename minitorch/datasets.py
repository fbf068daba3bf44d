"""Six data sets of labelled points in the unit square."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

__all__ = [
    "Graph",
    "circle",
    "datasets",
    "diag",
    "make_pts",
    "simple",
    "spiral",
    "split",
    "xor",
]


def __dir__() -> list[str]:
    return sorted(__all__)


Point = tuple[float, float]


@dataclass
class Graph:
    """N points `X` with labels `y`, 0 or 1."""

    N: int
    X: list[Point]
    y: list[int]


def make_pts(N: int) -> list[Point]:
    """N points, uniform in the unit square, from Python's `random`.

    Example:
        >>> len(make_pts(5))
        5
    """
    return [(random.random(), random.random()) for _ in range(N)]


def _labelled(N: int, rule: Callable[[float, float], bool]) -> Graph:
    points = make_pts(N)
    return Graph(N, points, [int(rule(x, y)) for x, y in points])


def simple(N: int) -> Graph:
    """Label a point 1 if it is in the left half, else 0."""
    return _labelled(N, lambda x, y: x < 0.5)


def diag(N: int) -> Graph:
    """Label a point 1 if it is below the diagonal x + y = 0.5, else 0."""
    return _labelled(N, lambda x, y: x + y < 0.5)


def split(N: int) -> Graph:
    """Label a point 1 if its x is below 0.2 or above 0.8, else 0."""
    return _labelled(N, lambda x, y: x < 0.2 or x > 0.8)


def xor(N: int) -> Graph:
    """Label a point 1 in two opposite quarters, else 0."""
    return _labelled(N, lambda x, y: (x < 0.5 and y > 0.5) or (x > 0.5 and y < 0.5))


def circle(N: int) -> Graph:
    """Label a point 1 outside of a circle around the center with squared radius 0.1,
    else 0.
    """
    return _labelled(N, lambda x, y: (x - 0.5) ** 2 + (y - 0.5) ** 2 > 0.1)


def spiral(N: int) -> Graph:
    """Return two spirals around the center, N // 2 points each, labelled 0 and 1."""
    half = N // 2
    turns = [10.0 * i / half for i in range(5, 5 + half)]

    def point(t: float) -> Point:
        return t * math.cos(t) / 20, t * math.sin(t) / 20

    first = [(x + 0.5, y + 0.5) for x, y in map(point, turns)]
    # The other one is turned: its x is the sine, its y the cosine, both of -t.
    second = [(y + 0.5, x + 0.5) for x, y in (point(-t) for t in turns)]
    return Graph(N, first + second, [0] * half + [1] * half)


datasets: dict[str, Callable[[int], Graph]] = {
    "Simple": simple,
    "Diag": diag,
    "Split": split,
    "Xor": xor,
    "Circle": circle,
    "Spiral": spiral,
}

"""What the trained network reads in the test digits, and their pictures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from minitorch.viz.scene.drawing import Drawing

SIDE = 8
LEVELS = 16
MOST_WRONG = 24  # of the wrong ones that are shown, so that the page stays short


@dataclass(frozen=True, eq=False)
class Reading:
    """Test digits, and what a network read in them.

    Attributes:
        images: (n, 8, 8), 0 to 1.
        labels: (n,), what is written there.
        read: (n,), what the network read.
    """

    images: np.ndarray
    labels: np.ndarray
    read: np.ndarray

    @property
    def wrong(self) -> list[int]:
        """Numbers of the digits that were misread."""
        return [int(at) for at in np.flatnonzero(self.read != self.labels)]

    @property
    def one_of_each(self) -> list[int]:
        """For each of 0 to 9 the first one that was read right."""
        right = self.read == self.labels
        found = (np.flatnonzero(right & (self.labels == each)) for each in range(10))
        return [int(numbers[0]) for numbers in found if len(numbers)]

    @property
    def score(self) -> str:
        """How many were read right, such as "354 of 360"."""
        total = len(self.labels)
        return f"{total - len(self.wrong):,} of {total:,}"

    @property
    def percent(self) -> str:
        """The same as a share, such as "98.3 %"."""
        return f"{100 * float((self.read == self.labels).mean()):.1f} %"


def draw_digit(image: np.ndarray, says: str) -> str:
    """Draw a scan as SVG: one path for each depth of grey.

    Args:
        image: (8, 8), 0 to 1.
        says: The words of a screen reader.
    """
    view = Drawing(SIDE, SIDE)
    depths = np.rint(np.clip(image, 0, 1) * LEVELS).astype(int)
    for depth in range(1, LEVELS + 1):
        cells = np.argwhere(depths == depth).tolist()
        if cells:
            squares = "".join(f"M{x} {y}h1v1h-1z" for y, x in cells)
            view.path(squares, fill="var(--ink)", fill_opacity=depth / LEVELS)
    return (
        f'<svg role="img" aria-label="{says}" viewBox="0 0 {SIDE} {SIDE}" '
        f'shape-rendering="crispEdges">{view}</svg>'
    )


def _tile(reading: Reading, at: int) -> str:
    read, label = int(reading.read[at]), int(reading.labels[at])
    if read == label:
        words = f"✓ {label}"
        picture = draw_digit(reading.images[at], f"digit {label}, read right")
        return f"<li>{picture}<span>{words}</span></li>"
    picture = draw_digit(reading.images[at], f"digit {label}, read as {read}")
    words = f"<b>▲</b> read {read}, is {label}"
    return f'<li class="wrong">{picture}<span>{words}</span></li>'


def draw_digits(reading: Reading) -> str:
    """Draw the misread digits and one right one of each kind, as HTML."""
    wrong, right = reading.wrong, reading.one_of_each
    parts = []
    if wrong:
        left = len(wrong) - MOST_WRONG
        more = f", {MOST_WRONG} of them shown" if left > 0 else ""
        tiles = "".join(_tile(reading, at) for at in wrong[:MOST_WRONG])
        parts.append(
            f'<h3>Misread: {len(wrong)}{more}</h3><ul class="digits">{tiles}</ul>'
        )
    if right:
        tiles = "".join(_tile(reading, at) for at in right)
        parts.append(f'<h3>Read right: one of each</h3><ul class="digits">{tiles}</ul>')
    return "".join(parts)

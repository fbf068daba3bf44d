"""Tests of the live tensor view: every element agrees with the picture Python draws."""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
from minitorch import viz
from minitorch.viz.views.tensor.picture import draw_tensor
from minitorch.viz.views.tensor.places import Moves


def numbered(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape), dtype=np.float64).reshape(shape)


CASES = {
    "one": lambda a: (a[0],),
    "permuted": lambda a: (a, a.transpose(2, 0, 1)),
    "slice": lambda a: (a[:, 1:, ::2],),
    "expanded": lambda a: (a[0, :1], np.broadcast_to(a[0, :1], (5, 4))),
    "partly seen": lambda a: (a[1:], a[:, 0]),
    "copy": lambda a: (a[0], a[0].T.copy()),
    "reversed": lambda a: (a.reshape(-1)[::-1],),
    "five dimensions": lambda a: (a.reshape(1, 2, 3, 2, 2),),
    "no dimension": lambda a: (a[0, 0, :1].reshape(()),),
    "window": lambda a: (np.lib.stride_tricks.sliding_window_view(a.reshape(-1), 4),),
}


@pytest.mark.parametrize("name", CASES)
def test_every_element_agrees(open_figure, name):
    figure = viz.tensor(*CASES[name](numbered(2, 3, 4)))
    opened, moves = open_figure(figure), Moves(figure.data)
    for number, array in enumerate(figure.data.arrays):
        inside = list(np.ndindex(tuple(map(len, array.window))))
        for place in inside[:: max(len(inside) // 7, 1)] + inside[-1:]:
            index = [along[at] for along, at in zip(array.window, place, strict=True)]
            opened.show({"array": number, "index": index})
            opened.agrees_with(draw_tensor(moves.to(number, tuple(index))))


def test_letters_move_the_element_and_o_goes_to_the_other(open_figure):
    t = minitorch.tensor(numbered(3, 4))
    turned = t.permute(1, 0)
    opened = open_figure(viz.tensor(t, turned, index=(0, 0)))
    opened.press("d", "d", "s", "a")
    opened.agrees_with(viz.tensor(t, turned, index=(1, 1)))
    opened.press(*"aaaa", *"wwww", *"ssssss")
    opened.agrees_with(viz.tensor(t, turned, index=(2, 0)))
    opened.press("o")
    assert opened.state == {"array": 1, "index": [0, 2]}
    opened.press("s")
    opened.agrees_with(viz.tensor(t, turned, index=(2, 1)))


def test_planes_have_keys_of_their_own(open_figure):
    a = numbered(2, 3, 4)
    opened = open_figure(viz.tensor(a, index=(0, 1, 1)))
    opened.press("e", "e")
    opened.agrees_with(viz.tensor(a, index=(1, 1, 1)))
    opened.press("q")
    opened.agrees_with(viz.tensor(a, index=(0, 1, 1)))


def middle_of(opened, group: str, x: float, y: float) -> list[float]:
    """A place within a group on the screen."""
    return opened.page.evaluate(
        """([name, x, y]) => {
          const group = document.querySelector(`[data-at="${name}"]`);
          const at = new DOMPoint(x, y).matrixTransform(group.getScreenCTM());
          return [at.x, at.y];
        }""",
        [group, x, y],
    )


def test_the_pointer_moves_among_elements_and_cells(open_figure):
    a = numbered(3, 4)
    for width in (1160, 700):
        opened = open_figure(viz.tensor(a, a.T, index=(0, 0)), width=width)
        # Cells are 30 by 26 from (34, 22): row 2, column 1; storage is 1046 / 24 wide.
        opened.page.mouse.move(*middle_of(opened, "a0-focus", 34 + 45, 22 + 65))
        opened.agrees_with(viz.tensor(a, a.T, index=(2, 1)))
        opened.page.mouse.move(*middle_of(opened, "a1-focus", 34 + 15, 22 + 39))
        opened.agrees_with(viz.tensor(a, a.T, index=(0, 1)))
        wide = 1046 / 24
        opened.page.mouse.move(*middle_of(opened, "m0-focus", 34 + 7.5 * wide, 28 + 13))
        opened.agrees_with(viz.tensor(a, a.T, index=(1, 3)))


def test_an_element_that_is_not_drawn_changes_nothing(open_figure):
    a = numbered(100, 100)
    opened = open_figure(viz.tensor(a))
    before = opened.tagged()
    for state in ({"index": [90, 0]}, {"array": 4}, {"index": [0]}):
        opened.show(state)
    assert opened.tagged() == before
    assert opened.state == {"array": 0, "index": [5, 5]}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_usable_without_eyes_and_mouse(open_figure, screenshots, theme):
    a = numbered(3, 4)
    opened = open_figure(viz.tensor(a, a.T), theme=theme)
    opened.screenshot(screenshots, f"tensor-{theme}")
    assert opened.serious_findings() == []

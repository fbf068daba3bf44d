"""Tests of the live graph view: every node agrees with the picture Python draws."""

from __future__ import annotations

import pytest

import minitorch
from minitorch import Scalar, viz
from minitorch.viz.views.graph.folds import folded
from minitorch.viz.views.graph.picture import draw_graph


def network() -> viz.Figure:
    """A graph from left to right: w and b are leaves, x is none."""
    w = minitorch.rand(3, 2, requires_grad=True)
    b = minitorch.rand(2, requires_grad=True)
    return viz.graph((minitorch.rand(4, 3) @ w + b).relu(), {"w": w, "b": b})


def deep() -> viz.Figure:
    """One from top to bottom, with a fold."""
    w, x = minitorch.rand(1, requires_grad=True), minitorch.rand(1)
    for _ in range(100):
        x = ((x * w).sigmoid() + w).exp().log()
    return viz.graph(x.relu().sigmoid(), {"<w>": w})


@pytest.mark.parametrize("drawn", [network, deep])
def test_every_node_agrees(open_figure, drawn):
    figure = drawn()
    opened = open_figure(figure)
    for node in range(len(folded(figure.data.nodes))):
        opened.show({"node": node})
        opened.agrees_with(draw_graph(figure.data, node))
    opened.show({"node": 999})
    assert opened.state["node"] == len(folded(figure.data.nodes)) - 1


def test_letters_go_to_inputs_users_and_neighbours(open_figure):
    opened = open_figure(network())
    opened.press("a", "a")
    assert opened.answer == (
        "matmul makes a value of a constant and w for add; the gradient goes back to w."
    )
    opened.press("w", "s", "s")
    assert opened.answer == "The gradient of b comes from add."
    opened.press("d", "d", "d")
    assert opened.state == {"node": 0}


def test_the_pointer_is_at_a_box(open_figure):
    x, y = Scalar(2.0, name="x"), Scalar(3.0, name="y")
    opened = open_figure(viz.graph(x * y + x))
    box = opened.page.locator("text=gradient 4").bounding_box()
    opened.page.mouse.move(box["x"] + 5, box["y"] + 5)
    assert opened.answer == "The gradient of x comes from add and mul, added up."


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_usable_without_eyes_and_mouse(open_figure, screenshots, theme):
    opened = open_figure(deep(), theme=theme)
    opened.screenshot(screenshots, f"graph-{theme}")
    assert opened.serious_findings() == []

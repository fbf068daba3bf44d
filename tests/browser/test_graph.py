"""Tests of the live graph view in a browser: keys, pointer, narrow pages.

That the script draws what Python draws is tested without a browser.
"""

from __future__ import annotations

import pytest

import minitorch
from minitorch import Scalar, viz


def deep() -> viz.Figure:
    """A graph with a fold."""
    w, x = minitorch.rand(1, requires_grad=True), minitorch.rand(1)
    for _ in range(100):
        x = ((x * w).sigmoid() + w).exp().log()
    return viz.graph(x.relu().sigmoid(), {"<w>": w})


def test_keys_and_pointer_go_from_node_to_node(open_figure):
    x, y = Scalar(2.0, name="x"), Scalar(3.0, name="y")
    figure = viz.graph(x * y + x)
    for width in (1160, 420):
        opened = open_figure(figure, width=width)
        opened.page.get_by_text("gradient 4", exact=True).click()
        assert opened.answer == "The gradient of x comes from add and mul, added up."
        opened.press("Home", "ArrowRight")
        assert opened.answer == (
            "mul makes 6 of x = 2 and y = 3 for add; of its gradient 1 it sends back 3 "
            "to x and 2 to y."
        )
        opened.press("Shift+ArrowRight")
        leaf = next(
            at for at, each in enumerate(figure.data.nodes) if each.kind == "leaf"
        )
        assert opened.state == {"node": leaf}
        assert opened.unread() == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_usable_without_eyes_and_mouse(open_figure, screenshots, theme):
    opened = open_figure(deep(), theme=theme)
    opened.screenshot(screenshots, f"graph-{theme}")
    assert opened.serious_findings() == []

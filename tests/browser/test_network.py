"""Tests of the live view of a network: from a row to a thread and its cell."""

from __future__ import annotations

import pytest

from minitorch import viz
from tests.python.explained import deep, my_model


@pytest.fixture(scope="module")
def batch():
    return my_model(64)


def test_rows_keys_and_cells_lead_to_threads(open_figure, batch):
    opened = open_figure(viz.network(batch, 0, block=2, thread=83))
    opened.press("d", "s")
    assert opened.state == {"kernel": 0, "block": 2, "warp": 3, "lane": 4}
    opened.page.locator("[data-go='kernel=4']").click()
    opened.agrees_with(viz.network(batch, 4, thread=100))
    assert opened.state == {"kernel": 4, "block": 0, "warp": 3, "lane": 4}
    opened.press("Home")
    opened.show({"block": 9})
    assert opened.state["block"] == 3  # of four blocks the last one
    heading = opened.page.locator("text=It writes array out").bounding_box()
    assert heading is not None
    cell = 15.4
    x, y = heading["x"] + 3.5 * cell, heading["y"] + 22 + 5.5 * cell
    opened.page.mouse.click(x, y)  # out[5, 3]: thread (3, 5) of block 0
    assert opened.state == {"kernel": 0, "block": 0, "warp": 2, "lane": 19}


def test_marks_lead_from_module_to_module(open_figure):
    opened = open_figure(viz.network(deep(), 0))
    opened.press("Shift+ArrowRight")
    assert opened.state["kernel"] == 7
    opened.agrees_with(viz.network(deep(), 7))


@pytest.mark.parametrize("width", [420, 820])
def test_narrow_pages_cut_nothing(open_figure, screenshots, batch, width):
    opened = open_figure(viz.network(batch, 0, block=2, thread=83), width=width)
    assert opened.unread() == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    opened.screenshot(screenshots, f"network-{width}")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_view_has_no_serious_finding(open_figure, batch, screenshots, theme):
    opened = open_figure(viz.network(batch, 0, block=2, thread=83), theme=theme)
    assert opened.serious_findings() == []
    opened.screenshot(screenshots, f"network-{theme}")

"""Tests of the live tiles: rounds and blocks by keys and clicks."""

from __future__ import annotations

import pytest

from .pictures import figure_of

pytestmark = pytest.mark.cuda


def test_keys_and_clicks_choose_a_round_and_a_block(open_figure):
    opened = open_figure(figure_of("tiles"))
    assert opened.state == {"round": 1, "block": 2, "number": 128}  # A[8, 0]
    opened.press("ArrowRight", "]")
    assert opened.state == {"round": 2, "block": 3, "number": 128}
    assert opened.detail.startswith("Block (1, 1) fetches 64 numbers of A and 64")
    # The note of the written array stands above its cells: the first is of block 0.
    note = opened.page.get_by_text("a click leads to the block").bounding_box()
    opened.page.mouse.click(note["x"] + 30, note["y"] + note["height"] + 12)
    assert opened.state == {"round": 2, "block": 0, "number": 128}
    note = opened.page.get_by_text("click to follow").first.bounding_box()
    opened.page.mouse.click(note["x"] + 40, note["y"] + note["height"] + 12)
    assert opened.state["number"] == 1
    assert "[0, 1] is fetched 2 times, by thread (1, 0) of" in opened.detail


@pytest.mark.parametrize("width", [420, 820, 1280])
def test_it_can_be_read_at_every_width(open_figure, screenshots, width):
    opened = open_figure(figure_of("tiles"), width=width)
    assert opened.unread() == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.serious_findings() == []
    opened.screenshot(screenshots, f"tiles-{width}")

"""Tests of the live view of warps: the switch, the latency, the turns."""

from __future__ import annotations

import pytest

from .pictures import figure_of

pytestmark = pytest.mark.cuda


def test_the_switch_and_the_latency_change_the_count(open_figure):
    opened = open_figure(figure_of("warps"))
    assert opened.state == {"warps": 2, "latency": 3, "turn": 16}
    opened.press("v")
    assert opened.answer == "With one warp, 31 of the 50 turns are empty."
    opened.press("b")
    assert opened.answer == "With one warp, 63 of the 82 turns are empty."
    opened.press("End")
    assert opened.state == {"warps": 0, "latency": 4, "turn": 82}
    opened.press("v", "Home", "ArrowRight")
    assert opened.detail.startswith("Turn 2: warp 0 of block 0 issues line 1.")


@pytest.mark.parametrize("width", [420, 820, 1280])
def test_it_can_be_read_at_every_width(open_figure, screenshots, width):
    opened = open_figure(figure_of("warps"), width=width)
    assert opened.unread() == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.serious_findings() == []
    opened.screenshot(screenshots, f"warps-{width}")

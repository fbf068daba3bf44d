"""Tests of the live comparison of two launches: counters and cards."""

from __future__ import annotations

import pytest

from .pictures import figure_of

pytestmark = pytest.mark.cuda


def test_keys_choose_a_counter_and_a_card(open_figure):
    opened = open_figure(figure_of("compare"))
    names = opened.page.locator("select").first.inner_text().split("\n")
    first = opened.state["metric"]
    assert names[first] == "Sectors"
    opened.press("g", "c")
    assert opened.state == {"metric": first + 1, "card": 1}
    shown = opened.page.text_content(".mt-live svg")
    assert "936 GB/s" in shown
    assert "sectors a request" in shown


@pytest.mark.parametrize("width", [420, 820, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_can_be_read_at_every_width(open_figure, screenshots, width, theme):
    opened = open_figure(figure_of("compare"), theme=theme, width=width)
    assert opened.unread() == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.serious_findings() == []
    opened.screenshot(screenshots, f"compare-{theme}-{width}")

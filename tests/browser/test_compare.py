"""Tests of the live comparison of two launches: counters."""

from __future__ import annotations

import pytest

from .pictures import figure_of

pytestmark = pytest.mark.cuda


def test_a_key_chooses_a_counter(open_figure):
    opened = open_figure(figure_of("compare"))
    names = opened.page.locator("select").first.inner_text().split("\n")
    first = opened.state["metric"]
    assert names[first] == "Bytes moved"
    opened.press("v")
    assert opened.state == {"metric": first + 1}
    assert "672 sectors" in opened.page.text_content(".mt-live svg")


@pytest.mark.parametrize("width", [420, 820, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_can_be_read_at_every_width(open_figure, screenshots, width, theme):
    opened = open_figure(figure_of("compare"), theme=theme, width=width)
    assert opened.unread() == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.serious_findings() == []
    opened.screenshot(screenshots, f"compare-{theme}-{width}")

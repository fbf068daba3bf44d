"""Tests of the live view of reductions: the slider, keys, and a click on a cell."""

from __future__ import annotations

import pytest

from .pictures import figure_of

pytestmark = pytest.mark.cuda


def test_slider_keys_and_a_click_on_a_cell(open_figure):
    opened = open_figure(figure_of("reduction"))
    assert opened.state == {"round": 1, "thread": 0}
    opened.press("ArrowRight", "d", "d", "d")
    assert opened.state == {"round": 2, "thread": 3}
    assert opened.answer == (
        "Round 2 of 5: 8 of 32 threads combine two values each; 24 idle."
    )
    # 1 + 9 + 17 + 25 and three more for each: what thread 3 has made.
    assert opened.detail.startswith("Thread 3 combines s[3] = 24 and s[11] = 40 into")
    # The cell with the whole sum was made in round 5 by thread 0.
    opened.page.get_by_text("528", exact=True).click()
    assert opened.state == {"round": 5, "thread": 0}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_view_has_no_serious_finding(open_figure, screenshots, theme):
    opened = open_figure(figure_of("reduction"), theme=theme)
    assert opened.serious_findings() == []
    opened.screenshot(screenshots, f"reduction-{theme}")

"""Tests of the live divergence view: keys and pointer move along a warp's way."""

from __future__ import annotations

import pytest

from .pictures import figure_of

pytestmark = pytest.mark.cuda


@pytest.mark.parametrize("width", [420, 820, 1280])
def test_no_words_are_cut_or_small(open_figure, width):
    assert open_figure(figure_of("divergence"), width=width).unread() == []


def test_keys_and_pointer_move_along_a_warps_way(open_figure, screenshots):
    figure = figure_of("divergence")
    opened, stretches = open_figure(figure), figure.data.shown
    opened.press("Home", "ArrowRight", "Shift+ArrowRight")
    assert stretches[opened.state["stretch"] - 1].begins == "split"
    opened.press("End")
    assert opened.state == {"stretch": len(stretches)}
    assert opened.answer == "All 32 threads of warp 0 run lines 12–13."
    last = stretches[-1]
    assert opened.detail.endswith(f"{last.row + 1} to {last.row + last.count}.")
    opened.page.locator('[data-go="stretch=1"] path').first.click()
    assert opened.state == {"stretch": 2}
    assert opened.answer.startswith("Warp 0 runs lines 5–10 with 31 of 32 threads")
    opened.screenshot(screenshots, "divergence")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_divergence_view_has_no_serious_finding(open_figure, theme):
    opened = open_figure(figure_of("divergence"), theme=theme)
    assert opened.serious_findings() == []

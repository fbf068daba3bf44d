"""Tests of the live view of time: launches, waits, and what they wait for."""

from __future__ import annotations

import pytest

from minitorch import viz
from tests.python.test_viz_timeline import run_ahead


@pytest.fixture(scope="module")
def figure() -> viz.Figure:
    return viz.timeline(run_ahead(), run_ahead(graph=True))


def test_keys_reach_the_waits(open_figure, figure):
    opened = open_figure(figure)
    opened.press("Home", "Shift+ArrowRight")
    assert opened.state == {"item": 4}
    assert opened.answer.startswith("train.py:12 waits 34 µs")
    opened.press("End")
    assert opened.state == {"item": 9}


def test_a_click_chooses_a_launch_and_its_work(open_figure, figure):
    opened = open_figure(figure)
    opened.page.locator('[data-go="item=2"]').first.click()
    assert opened.state == {"item": 2}
    assert opened.answer.startswith("map of layer2 is launched at 6 µs")


@pytest.mark.parametrize("width", [420, 820, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_can_be_read_at_every_width(open_figure, figure, screenshots, width, theme):
    opened = open_figure(figure, theme=theme, width=width)
    assert opened.unread() == []
    page = opened.page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.serious_findings() == []
    opened.screenshot(screenshots, f"timeline-{theme}-{width}")

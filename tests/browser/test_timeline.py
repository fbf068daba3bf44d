"""Tests of the live view of time: launches, waits, and what they wait for."""

from __future__ import annotations

import pytest

from minitorch import viz
from minitorch.viz.views.timeline.lanes import program_of
from minitorch.viz.views.timeline.picture import draw_timeline
from tests.python.test_viz_timeline import run_ahead


def still(item: int) -> viz.Figure:
    programs = [program_of(run_ahead(), "as written"),
                program_of(run_ahead(graph=True), "as a graph")]  # fmt: skip
    return draw_timeline(programs, item)


def test_launches_and_waits_of_both_programs_agree(open_figure):
    opened = open_figure(still(0))
    for item in (1, 4, 5, 9):
        opened.show({"item": item})
        opened.agrees_with(still(item))


def test_keys_reach_the_waits(open_figure):
    opened = open_figure(still(0))
    opened.press("Shift+ArrowRight")
    assert opened.state == {"item": 4}
    assert opened.answer.startswith("train.py:12 waits 34 µs")
    opened.press("End")
    assert opened.state == {"item": 9}
    opened.agrees_with(still(9))


def test_launches_that_are_drawn_closer_agree(open_figure, screenshots):
    slow = run_ahead()
    for each in slow["streams"][0]["works"]:
        each["begin"], each["end"] = 10 * each["begin"], 10 * each["end"]
    programs = [program_of(slow, "as written")]
    opened = open_figure(draw_timeline(programs, 0))
    opened.show({"item": 3})
    opened.agrees_with(draw_timeline(programs, 3))
    opened.screenshot(screenshots, "timeline-closer")


@pytest.mark.parametrize("width", [320, 600])
def test_narrow_pages_have_no_sideways_scroll(open_figure, screenshots, width):
    opened = open_figure(still(3), width=width)
    page = opened.page
    page.wait_for_function("document.querySelector('svg').viewBox.baseVal.width < 800")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    opened.screenshot(screenshots, f"timeline-{width}")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_view_has_no_serious_finding(open_figure, screenshots, theme):
    opened = open_figure(still(3), theme=theme)
    assert opened.serious_findings() == []
    opened.screenshot(screenshots, f"timeline-{theme}")

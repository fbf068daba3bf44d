"""Tests of the live view of a neuron: each product, and the chain of launches."""

from __future__ import annotations

from dataclasses import replace

import pytest

from minitorch import viz
from minitorch.network import Neuron
from tests.python import explained_model


def at_step(neuron: Neuron, step: int) -> viz.Figure:
    return replace(viz.neuron(neuron), state={"step": step})


@pytest.fixture(scope="module")
def neuron():
    return explained_model.explained().neuron("layer1", (37, 3))


def test_keys_and_pointer(open_figure, neuron):
    opened = open_figure(at_step(neuron, 20))
    opened.press("ArrowRight", "Shift+ArrowLeft", "ArrowLeft")
    assert opened.state == {"step": 16}
    opened.page.get_by_text("2. zip, thread 43 of block 1 on SM 1").click()
    assert opened.state == {"step": 33}
    opened.agrees_with(at_step(neuron, 32))
    opened.page.locator("text=running sum").hover()
    box = opened.page.locator("svg").bounding_box()
    opened.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 40)
    assert 10 < opened.state["step"] < 24


@pytest.mark.parametrize("width", [420, 600])
def test_narrow_pages_have_no_sideways_scroll(open_figure, screenshots, neuron, width):
    opened = open_figure(viz.neuron(neuron), width=width)
    assert opened.unread() == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    opened.screenshot(screenshots, f"neuron-{width}")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_view_has_no_serious_finding(open_figure, screenshots, neuron, theme):
    opened = open_figure(viz.neuron(neuron), theme=theme)
    assert opened.serious_findings() == []
    opened.screenshot(screenshots, f"neuron-{theme}")

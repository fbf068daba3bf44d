"""Tests of the live view of a neuron: each product, and the chain of launches."""

from __future__ import annotations

import copy

import pytest

from minitorch import viz
from tests.python.test_viz_neuron import EXAMPLE


def still(product: int = 0, part: int = 0) -> viz.Figure:
    return viz.neuron(EXAMPLE, product if part == 0 else None, part)


def test_every_product_agrees(open_figure):
    opened = open_figure(still(20))
    for product in (0, 15, 16, 21, 31):
        opened.show({"part": 0, "product": product})
        opened.agrees_with(still(product))
    opened.show({"part": 1, "product": 0})
    opened.agrees_with(still(part=1))


def test_keys_and_pointer(open_figure):
    opened = open_figure(still(20))
    page = opened.page
    opened.press("ArrowRight", "Shift+ArrowLeft", "ArrowLeft")
    assert opened.state == {"part": 0, "product": 15}
    page.mouse.move(*_middle(page.locator('[data-at="a3-cell"]').bounding_box()))
    assert opened.state == {"part": 0, "product": 3}
    opened.press("s")
    assert opened.state == {"part": 1, "product": 0}
    card = page.locator('[data-at="card0"]').bounding_box()
    page.mouse.move(*_middle(card))
    assert opened.state["part"] == 1  # the pointer only crosses it
    page.mouse.click(*_middle(card))
    assert opened.state["part"] == 0
    opened.agrees_with(still(0))


def _middle(box: dict[str, float]) -> tuple[float, float]:
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_long_sum_agrees(open_figure):
    found = copy.deepcopy(EXAMPLE)
    macs = found["chain"][0]["macs"]
    found["chain"][0]["macs"] = [macs[at % 32] for at in range(1000)]
    opened = open_figure(viz.neuron(found, 0, 0))
    for product in (7, 991, 992, 999):
        opened.show({"part": 0, "product": product})
        opened.agrees_with(viz.neuron(found, product, 0))


@pytest.mark.parametrize("width", [320, 600])
def test_narrow_pages_have_no_sideways_scroll(open_figure, screenshots, width):
    opened = open_figure(still(25), width=width)
    page = opened.page
    page.wait_for_function("document.querySelector('svg').viewBox.baseVal.width < 800")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    opened.screenshot(screenshots, f"neuron-{width}")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_view_has_no_serious_finding(open_figure, screenshots, theme):
    opened = open_figure(still(25), theme=theme)
    assert opened.serious_findings() == []
    opened.screenshot(screenshots, f"neuron-{theme}")

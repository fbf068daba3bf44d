"""Tests of the live view of a network: from a row to a multiply-add, and back."""

from __future__ import annotations

import pytest

from minitorch import viz
from minitorch.viz.views.network.nets import net_of
from minitorch.viz.views.network.picture import draw_network
from tests.python.explained import array, deep, my_model
from tests.python.test_viz_network_reads import along

START = {"kernel": 0, "block": 0, "warp": 0, "lane": 0}


def still(explained, **focus: int) -> viz.Figure:
    return draw_network(net_of(explained), START | focus)


def focus_of(opened) -> tuple[int, ...]:
    names = ("kernel", "block", "warp", "lane", "product")
    return tuple(opened.state[name] for name in names)


@pytest.fixture(scope="module")
def batch():
    return my_model(64)


def test_states_agree_from_kernel_to_product(open_figure, batch):
    opened = open_figure(still(batch))
    for focus in (
        {"block": 2, "warp": 2, "lane": 19, "product": 20},
        {"kernel": 1, "block": 1, "warp": 1, "lane": 11},
        {"kernel": 3, "block": 3, "warp": 7, "lane": 16, "product": 9},
        {"kernel": 4, "warp": 3, "lane": 31},
    ):
        opened.show(START | {"product": 0} | focus)
        opened.agrees_with(still(batch, **focus))


def test_states_of_a_folded_network_agree(open_figure):
    opened = open_figure(still(deep()))
    for focus in ({"kernel": 9, "block": 783, "warp": 7, "lane": 5}, {"kernel": 55}):
        opened.show(START | {"product": 0} | focus)
        opened.agrees_with(still(deep(), **focus))


def test_states_of_what_is_known_by_a_kernels_name_agree(open_figure):
    """A convolution, and elements whose last block has threads beyond the cells."""
    conv = along(
        "conv2d", 4704,
        outputs=[array("out", (1, 6, 28, 28), (4704, 784, 28, 1))],
        inputs=[array("x", (1, 1, 32, 32), (1024, 1024, 32, 1)),
                array("w", (6, 1, 5, 5), (25, 25, 5, 1))],
    )  # fmt: skip
    conv["kernels"][0] |= {"macs_useful": 117_600, "macs_executed": 117_600}
    opened = open_figure(still(conv))
    for focus in ({"block": 3, "warp": 7, "lane": 8, "product": 13},
                  {"block": 18, "warp": 3, "lane": 5}):  # fmt: skip
        opened.show(START | {"product": 0} | focus)
        opened.agrees_with(still(conv, **focus))
    cell = middle(opened.page.locator('[data-at="lane9"]').bounding_box())
    opened.page.mouse.move(*cell)
    assert opened.state["lane"] == 9


def test_what_a_kernel_has_not_is_not_reached(open_figure, batch):
    opened = open_figure(still(batch, block=3, warp=7, lane=31))
    opened.press("End")
    assert focus_of(opened) == (4, 0, 7, 31, 0)
    opened.press("e", "s", "d", "]")
    assert focus_of(opened) == (4, 0, 7, 31, 0)
    opened.press("w", "a", "Home", "e", "]", "]")
    assert focus_of(opened) == (0, 1, 6, 30, 2)
    opened.agrees_with(still(batch, block=1, warp=6, lane=30, product=2))


def middle(box: dict[str, float]) -> tuple[float, float]:
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_pointer_leads_from_a_cell_to_its_thread_and_on(open_figure, batch):
    opened = open_figure(still(batch, block=2, warp=2, lane=19))
    page = opened.page
    x, y = middle(page.locator('[data-at="cell"]').bounding_box())
    pitch = 7.9  # (280 - 3 gaps of 8) / 32 columns
    page.mouse.move(x, y + pitch)  # out[38, 3]: thread (3, 6) of the same block
    assert opened.state["lane"] == 3
    assert opened.state["warp"] == 3
    page.mouse.move(x - 8 * pitch - 8, y)  # out[21, 3] of the plane before
    assert focus_of(opened) == (0, 1, 2, 19, 0)
    page.mouse.move(*middle(page.locator('[data-at="lane8"]').bounding_box()))
    assert opened.state["lane"] == 8
    page.mouse.move(*middle(page.locator('[data-at="sm"]').bounding_box()))
    assert opened.state["block"] == 1
    row = middle(page.locator('[data-at="row3"]').bounding_box())
    page.mouse.move(*row)
    assert opened.state["kernel"] == 0  # the pointer only crosses it
    page.mouse.click(*row)
    assert opened.state["kernel"] == 3
    opened.agrees_with(still(batch, kernel=3, block=1, warp=2, lane=8))


def test_a_chip_opens_a_launch_of_a_folded_row(open_figure):
    opened = open_figure(still(deep()))
    page = opened.page
    page.locator('[data-at="chips"] rect').nth(3).click()
    assert opened.state["kernel"] == 3
    opened.press("Shift+ArrowRight")
    assert opened.state["kernel"] == 7
    opened.agrees_with(still(deep(), kernel=7))


@pytest.mark.parametrize("width", [320, 600])
def test_narrow_pages_have_no_sideways_scroll(open_figure, screenshots, batch, width):
    opened = open_figure(still(batch, block=2, warp=2, lane=19), width=width)
    page = opened.page
    page.wait_for_function("document.querySelector('svg').viewBox.baseVal.width < 800")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    opened.screenshot(screenshots, f"network-{width}")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_view_has_no_serious_finding(open_figure, batch, screenshots, theme):
    opened = open_figure(still(batch, block=2, warp=2, lane=19), theme=theme)
    assert opened.serious_findings() == []
    opened.screenshot(screenshots, f"network-{theme}")

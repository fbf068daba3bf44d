"""Tests of the live tensor view in a browser: keys, pointer, address, narrow pages.

That the script draws what Python draws is tested without a browser.
"""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
from minitorch import viz


def numbered(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape), dtype=np.float64).reshape(shape)


def test_letters_move_the_element_within_its_array(open_figure):
    t = minitorch.tensor(numbered(3, 4))
    turned = t.permute(1, 0)
    opened = open_figure(viz.tensor(t, turned, index=(0, 0)))
    opened.press("d", "d", "s", "a")
    opened.agrees_with(viz.tensor(t, turned, index=(1, 1)))
    opened.press(*"aaaa", *"wwww", *"ssssss")
    opened.agrees_with(viz.tensor(t, turned, index=(2, 0)))
    opened.press("Shift+ArrowRight", "d", "s")
    assert opened.state == {"element": 12 + 4}
    opened.agrees_with(viz.tensor(t, turned, index=(1, 1)))


def test_planes_have_keys_of_their_own(open_figure):
    a = numbered(2, 3, 4)
    opened = open_figure(viz.tensor(a, index=(0, 1, 1)))
    opened.press("e", "e")
    opened.agrees_with(viz.tensor(a, index=(1, 1, 1)))
    opened.press("q")
    opened.agrees_with(viz.tensor(a, index=(0, 1, 1)))


def test_the_pointer_chooses_elements_and_cells(open_figure):
    a = numbered(3, 4) + 50
    for width in (1160, 420):
        opened = open_figure(viz.tensor(a, a.T, index=(0, 0)), width=width)
        for nth, value in ((0, "59"), (1, "54"), (2, "57")):
            opened.page.locator("svg text").get_by_text(value, exact=True).nth(
                nth
            ).click()
            index = np.unravel_index(int(value) - 50, a.shape)
            opened.agrees_with(viz.tensor(a, a.T, index=index))


def test_the_address_has_the_element(open_figure):
    opened = open_figure(viz.tensor(numbered(3, 4), index=(0, 0)))
    opened.press("s")
    assert opened.page.url.endswith("#element=4")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_usable_without_eyes_and_mouse(open_figure, screenshots, theme):
    a = numbered(3, 4)
    opened = open_figure(viz.tensor(a, a.T), theme=theme)
    opened.screenshot(screenshots, f"tensor-{theme}")
    assert opened.serious_findings() == []


def test_narrow_pages_cut_no_words(open_figure):
    a = numbered(3, 3, 4, 5)
    names = ["a name of sixty letters, more than fit into any heading here"] * 2
    opened = open_figure(viz.tensor(a, a.transpose(3, 2, 1, 0), names=names), width=420)
    assert opened.unread() == []

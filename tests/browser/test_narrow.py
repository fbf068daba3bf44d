"""Tests of live views on narrow pages: parts below each other, words not too small."""

from __future__ import annotations

import pytest

from .pictures import figure_of

pytestmark = pytest.mark.cuda

# Words that are smaller on the screen than ten pixels, and than Python made them.
_SMALL = """() => [...document.querySelectorAll(".mt-live svg text")]
  .filter((each) => each.getClientRects().length && each.textContent)
  .map((each) => {
    const size = parseFloat(getComputedStyle(each).fontSize);
    const { a, b } = each.getScreenCTM();
    return [each.textContent, size, size * Math.hypot(a, b)];
  })
  .filter(([, size, seen]) => seen < Math.min(size, 10) - 0.01)"""

VIEWS = ("race", "divergence", "tensor")


@pytest.mark.parametrize("name", ["grid", "memory", "race", "step"])
def test_the_sentence_and_its_buttons_stay_at_420_pixels(open_figure, name):
    page = open_figure(figure_of(name), width=420).page
    page.evaluate("window.scrollTo(0, 900)")
    sentence, buttons = (
        page.locator(each).bounding_box() for each in (".mt-answer", ".mt-moves")
    )
    assert sentence["y"] == 0
    assert abs(buttons["y"] - sentence["height"]) <= 1


@pytest.mark.parametrize("name", VIEWS)
def test_words_stay_readable_at_600_pixels(open_figure, screenshots, name):
    figure = figure_of(name)
    opened = open_figure(figure, width=600)
    page = opened.page
    page.wait_for_function("document.querySelector('svg').viewBox.baseVal.width < 800")
    opened.screenshot(screenshots, f"{name}-600")
    assert page.evaluate(_SMALL) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 600
    opened.agrees_with(figure)
    page.set_viewport_size({"width": 1160, "height": 1000})
    page.wait_for_function("document.querySelector('svg').viewBox.baseVal.width > 1000")
    opened.agrees_with(figure)

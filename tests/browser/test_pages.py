"""Tests of every view as a page on disk: no message, no request, for everybody."""

from __future__ import annotations

import pytest

from .pictures import VIEWS, figure_of

pytestmark = pytest.mark.cuda


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", VIEWS)
def test_a_saved_page_says_the_same_facts_to_everybody(
    open_figure, screenshots, name, theme
):
    figure = figure_of(name)
    opened = open_figure(figure, theme=theme)
    opened.screenshot(screenshots, f"{name}-{theme}")
    assert opened.serious_findings() == []
    page = opened.page
    assert page.title() == figure.answer
    label = page.get_attribute("main svg[role=img]", "aria-label")
    assert label.startswith(figure.answer[:290])
    texts = page.locator(".mt-head div, svg text").all_text_contents()
    shown = {word for text in texts for word in text.split()}
    assert set(f"{figure.answer} {figure.detail}".split()) <= shown
    assert page.evaluate("document.documentElement.scrollWidth") <= 1160


@pytest.mark.parametrize("name", VIEWS)
def test_a_live_view_starts_as_its_still_picture(open_figure, name):
    figure = figure_of(name)
    opened = open_figure(figure)
    opened.show({})
    opened.agrees_with(figure)
    assert len(figure.scene.packed()) <= 1_000_000

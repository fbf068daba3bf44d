"""Tests of the demo's page: for everybody, on a desk and on a telephone."""

from __future__ import annotations

from pathlib import Path

import pytest
from demo import __main__ as program
from demo import report
from demo.next_steps import Step

from minitorch.data import load_digits

from .opened import Opened

pytestmark = pytest.mark.cuda


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sklearn")
    path = tmp_path_factory.mktemp("demo") / "demo.html"
    long_command = "pip install jupyterlab && jupyter lab notebooks/00_start.ipynb"
    steps = [
        Step("Begin", long_command),
        Step("Read on", address="https://somebody.github.io/minitorch-cuda/"),
    ]
    report.write(path, program.run(load_digits()), steps)
    return path


@pytest.fixture
def open_page(browser, page_file):
    opened = []

    def open_(width: int, theme: str = "light") -> Opened:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, offline=True, color_scheme=theme
        )
        shown = Opened(context.new_page())
        opened.append(shown)
        shown.page.goto(page_file.as_uri())
        shown.settle()
        return shown

    yield open_
    errors = [error for each in opened for error in each.errors]
    for each in opened:
        each.page.context.close()
    assert not errors, errors


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390, 320])
def test_the_page_fits_and_serves_everybody(open_page, screenshots, width, theme):
    opened = open_page(width, theme)
    page = opened.page
    fits = "document.documentElement.scrollWidth <= innerWidth"
    assert page.evaluate(fits)
    opened.screenshot(screenshots, f"demo-{width}-{theme}")
    assert opened.serious_findings() == []
    for fold in page.locator("details").all():
        assert fold.get_attribute("open") is None
        fold.locator("summary").click()
    assert page.evaluate(fits)
    assert opened.serious_findings() == []
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(17, 20, 23)"}[theme]


@pytest.mark.parametrize("width", [1280, 390])
def test_no_words_of_the_tables_are_cut(open_page, width):
    page = open_page(width).page
    for fold in page.locator("details").all():
        fold.locator("summary").click()
    cut = page.eval_on_selector_all(
        "th, td, li span, dd, h1, .say",
        "all => all.filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth)"
        ".map(e => e.textContent)",
    )
    assert cut == []


@pytest.mark.parametrize("width", [1280, 390])
def test_the_kernel_follows_the_pointer(open_page, width):
    opened = open_page(width)
    before = opened.answer
    opened.press("s")
    assert opened.answer != before
    assert opened.answer.startswith("Thread (")


def test_the_headings_tell_the_story(open_page):
    page = open_page(1280).page
    assert page.locator("h1").count() == 1
    assert page.locator("h1").inner_text() == page.title()
    assert page.locator("h2").all_inner_texts() == [
        "What can it read?",
        "How did it learn?",
        "What ran where?",
        "What does a kernel do?",
        "What does a mistake look like?",
        "How is the network mapped onto the GPU?",
        "What next?",
    ]
    assert page.locator("section > .say").count() == 7

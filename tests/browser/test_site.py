"""The site as a browser shows it: no error, no serious finding of axe-core, both in
light and in dark, with the network off.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from minitorch import cuda

from .opened import Opened

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "build" / "site"
HOST = "http://site.test"
PAGES = [
    "index",
    "search",
    "genindex",
    "notebooks/04_shared_memory_and_barriers",
    "notebooks/puzzles",
    "docs/viz",
    "docs/errors",
    "docs/kernel_language",
    "docs/numba_simulator",
    "docs/ptx_subset",
    "docs/api/cuda",
    "docs/api/nn",
]

for _name in ("sphinx", "myst_nb", "furo", "nbclient"):
    pytest.importorskip(_name, reason="the site needs the extra docs")


@pytest.fixture(scope="module")
def site() -> Path:
    """The folder of a site that was built from what is here now."""
    if not cuda.is_emulated():
        pytest.skip("the notebooks of the site run on the emulator")
    script = str(ROOT / "docs" / "build_site.py")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return SITE


@pytest.fixture
def open_page(browser: Any, site: Path) -> Iterator[Any]:
    """Open pages of the site as a server gives them.

    A console error, or a request for anything else, fails the test.
    """
    opened: list[Opened] = []

    def open_(
        name: str, theme: str = "light", width: int = 1400, state: str = ""
    ) -> Opened:
        context = browser.new_context(
            viewport={"width": width, "height": 1000},
            color_scheme=theme,
            offline=True,
            reduced_motion="reduce",
        )
        context.route(f"{HOST}/**", lambda route: route.fulfill(path=file_of(route)))
        shown = Opened(context.new_page())
        opened.append(shown)
        shown.page.goto(f"{HOST}/{name}.html{state}")
        return shown

    def file_of(route: Any) -> Path:
        return site / urlsplit(route.request.url).path.lstrip("/")

    yield open_
    errors = [error for each in opened for error in each.errors]
    for each in opened:
        each.page.context.close()
    assert not errors, errors


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_serious_finding(
    open_page: Any, screenshots: Path | None, name: str, theme: str
) -> None:
    pytest.importorskip("axe_playwright_python", reason="axe-core looks at the pages")
    shown = open_page(name, theme)
    shown.screenshot(screenshots, f"site-{name.replace('/', '-')}-{theme}")
    assert shown.serious_findings() == []


def _figure(shown: Opened, number: int = 0) -> Any:
    """Scroll to a live figure of the page and return what its frame shows."""
    frame = shown.page.locator("iframe.figure").nth(number)
    frame.scroll_into_view_if_needed()
    content = frame.element_handle().content_frame()
    content.wait_for_selector(".mt-answer")
    return content


def test_figures_follow_the_switch_of_the_page(open_page):
    """The page's own switch decides, not what the browser prefers."""
    shown = open_page("notebooks/04_shared_memory_and_barriers", "light")
    content = _figure(shown)
    shown.page.evaluate("document.body.dataset.theme = 'dark'")
    content.wait_for_function(
        "() => getComputedStyle(document.body).backgroundColor === 'rgb(17, 20, 23)'"
    )


def test_the_address_holds_the_state_of_a_figure(open_page):
    shown = open_page("notebooks/04_shared_memory_and_barriers")
    content = _figure(shown, 2)
    before = content.inner_text(".mt-answer")
    content.locator("svg").first.click(position={"x": 5, "y": 5})
    shown.page.keyboard.press("ArrowRight")
    shown.page.wait_for_function("() => location.hash.includes('?')")
    after = content.inner_text(".mt-answer")
    assert after != before
    state = shown.page.evaluate("location.hash")
    again = open_page("notebooks/04_shared_memory_and_barriers", state=state)
    assert _figure(again, 2).inner_text(".mt-answer") == after
    assert again.page.evaluate("scrollY") > 0


@pytest.mark.parametrize("width", [400, 800, 1400, 1900])
@pytest.mark.parametrize(
    "name", ["index", "notebooks/04_shared_memory_and_barriers", "docs/errors"]
)
def test_the_page_does_not_scroll_sideways(
    open_page: Any, name: str, width: int
) -> None:
    shown = open_page(name, width=width)
    wide = shown.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width


def test_a_figure_has_the_width_and_height_of_a_telephone(open_page):
    shown = open_page("notebooks/04_shared_memory_and_barriers", width=400)
    content = _figure(shown)
    shown.page.wait_for_function(
        "() => document.querySelector('iframe.figure').style.height"
    )
    high = shown.page.locator("iframe.figure").first.bounding_box()["height"]
    assert content.evaluate("document.documentElement.scrollWidth") <= 400
    assert content.evaluate("document.body.offsetHeight") <= high


def test_the_search_finds_a_kind_of_error(open_page: Any) -> None:
    shown = open_page("search")
    shown.page.goto(f"{HOST}/search.html?q=race_shared")
    shown.page.wait_for_selector("#search-results li a")
    found = shown.page.eval_on_selector_all(
        "#search-results li a", "links => links.map((each) => each.href)"
    )
    assert any("docs/errors.html" in link for link in found)

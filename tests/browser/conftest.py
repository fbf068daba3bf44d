"""Owns the browser of these tests: Chromium, without network."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from minitorch import viz

from .opened import Opened

CHROMIUM = os.environ.get("MINITORCH_CHROMIUM") or shutil.which("chromium")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder needs a browser."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, driven by Playwright."""
    reason = "install Debian's chromium, or name one with MINITORCH_CHROMIUM"
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="pip install playwright"
    )
    if CHROMIUM is None:
        pytest.skip(reason)
    with playwright.sync_playwright() as driver:
        shown = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield shown
        shown.close()


@pytest.fixture
def open_figure(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """Open figures from disk with the network off; any console error fails the test.

    `open_figure(figure, theme="light", width=1160)` gives an `Opened`.
    """
    opened: list[Opened] = []

    def open_(figure: viz.Figure, theme: Any = "light", width: int = 1160) -> Opened:
        target = tmp_path / f"figure{len(opened)}.html"
        figure.save(target, theme=theme)
        context = browser.new_context(
            viewport={"width": width, "height": 1000}, offline=True
        )
        shown = Opened(context.new_page())
        opened.append(shown)
        shown.page.goto(target.as_uri())
        return shown

    yield open_
    errors = [error for each in opened for error in each.errors]
    for each in opened:
        each.page.context.close()
    assert not errors, errors


@pytest.fixture(scope="session")
def screenshots() -> Path | None:
    """Where MINITORCH_SCREENSHOTS says to keep pictures of pages; None: nowhere."""
    name = os.environ.get("MINITORCH_SCREENSHOTS")
    if not name:
        return None
    folder = Path(name)
    folder.mkdir(parents=True, exist_ok=True)
    return folder

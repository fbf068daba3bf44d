"""The browser of these tests: Chromium, without network."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from minitorch import viz

from .jupyter import Notebook, add_cells, jupyter_lab, write_notebook
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
        shown.settle()
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


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """JupyterLab: its address and the folder of its notebooks."""
    pytest.importorskip("jupyterlab", reason="pip install jupyterlab")
    folder = tmp_path_factory.mktemp("lab")
    with jupyter_lab(folder) as address:
        yield address, folder / "notebooks"


@pytest.fixture
def open_notebook(browser: Any, lab: tuple[str, Path]) -> Iterator[Any]:
    """Open a notebook in JupyterLab: a copy of a file, or cells.

    `open_notebook(["1 + 1"], "sums.ipynb")` gives a `Notebook`; `more` are cells at the
    end, `outputs` what the first one shows from before.
    """
    address, folder = lab
    contexts = []

    def open_(
        source: Path | Sequence[str],
        name: str = "",
        *,
        more: Sequence[str] = (),
        outputs: Any = (),
    ) -> Notebook:
        if isinstance(source, Path):
            name = name or source.name
            shutil.copy(source, folder / name)
        else:
            write_notebook(folder / name, source, outputs)
        add_cells(folder / name, more)
        contexts.append(browser.new_context(viewport={"width": 1500, "height": 1000}))
        return Notebook(contexts[-1].new_page(), address, name)

    yield open_
    for each in contexts:
        each.close()

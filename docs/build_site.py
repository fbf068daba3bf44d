"""The site: which files become pages, and the call of Sphinx.

    python docs/build_site.py

runs the notebooks that have not run since they changed (run_notebooks.py) and copies
them with still pictures (render_notebooks.py); lays docs, notebooks and the pages of
the root out in build/pages as in the repository, so that their links hold; puts the
tables in that come from the code (make_pages.py); and has
Sphinx make build/site of it, without network, warnings being errors, unless nothing
changed. Each live figure is a page in build/site/figures, which a notebook's page loads
when a reader scrolls there (_static/figures.js).
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from html import escape
from pathlib import Path
from typing import Any

import nbformat
import render_notebooks
import run_notebooks
from project_urls import RENDERED_LINE
from sphinx.cmd.build import build_main

from minitorch.viz.figure.live import page_of as page_of_figure

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
BUILD = ROOT / "build"
PAGES = BUILD / "pages"
MADE = BUILD / "made_pages"
RENDERED = BUILD / "rendered"
SITE = BUILD / "site"
FIGURES = BUILD / "figures"

_BADGE = re.compile(r"https://colab\.research\.google\.com/assets/colab-badge\.svg")
_DOWNLOAD = r"[Download this notebook](path:../rendered/\1) with its outputs.\n"


def write(target: Path, text: str) -> Path:
    """Write a file unless it says this already: Sphinx reads again what is newer."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or target.read_text("utf-8") != text:
        target.write_text(text, "utf-8")
    return target


def lay_out(notebooks: Path, pages: Path) -> None:
    """Put all that becomes a page below one folder, and nothing else.

    Args:
        notebooks: the folder of the notebooks that ran.
        pages: the folder to fill.
    """
    written = {write(pages / "index.md", (DOCS / "index.md").read_text("utf-8"))}
    for source in [*ROOT.glob("*.md"), ROOT / "LICENSE"]:
        written.add(write(pages / source.name, source.read_text("utf-8")))
    MADE.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, str(DOCS / "make_pages.py"), str(MADE)]
    subprocess.run(command, check=True)
    for source in sorted([*DOCS.rglob("*.md"), *DOCS.rglob("*.svg")]):
        if source != DOCS / "index.md":
            name = source.relative_to(DOCS)
            filled = MADE / name if (MADE / name).exists() else source
            written.add(write(pages / "docs" / name, filled.read_text("utf-8")))
    shutil.rmtree(FIGURES, ignore_errors=True)
    FIGURES.mkdir(parents=True)
    for source in sorted(notebooks.glob("*.ipynb")):
        book = nbformat.read(source, as_version=4)
        written.add(write(pages / "notebooks" / source.name, page_of(book)))
    for source in sorted(RENDERED.glob("*.ipynb")):  # for readers to download
        place = pages / "rendered" / source.name
        written.add(write(place, source.read_text("utf-8")))
    for path in pages.rglob("*"):
        if path.is_file() and path not in written:
            path.unlink()


def page_of(book: Any) -> str:
    """Return a notebook as the site shows it: figures in frames, no remote image."""
    for cell in book.cells:
        if cell.cell_type == "markdown":
            cell.source = _BADGE.sub("/docs/_static/colab-badge.svg", cell.source)
            cell.source = RENDERED_LINE.sub(_DOWNLOAD, cell.source)
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if 'class="mt-live"' in data.get("text/html", ""):
                output.data = {"text/html": framed(data), "text/plain": ""}
            elif "image/svg+xml" in data:  # inline: it follows the page's light or dark
                svg = data["image/svg+xml"]
                picture = f'<div class="picture" tabindex="0">{svg}</div>'
                output.data = {"text/html": picture, "text/plain": ""}
            elif "image/png" in data:
                cell.metadata["mystnb"] = {"image": {"alt": words_for(cell.source)}}
    book.metadata["hide-toc"] = True  # the width is for pictures
    return nbformat.writes(book) + "\n"


def framed(data: Any) -> str:
    """Write a live figure as a page of its own; return the frame that shows it."""
    name = re.search(r'data-live="(\w+)"', data["text/html"])[1]
    _, _, width, height = re.search(
        r'viewBox="(\S+) (\S+) (\S+) (\S+)"', data["image/svg+xml"]
    ).groups()
    write(
        FIGURES / f"{name}.html", page_of_figure(data["text/html"], data["text/plain"])
    )
    return (
        f'<iframe class="figure" id="{name}" src="../figures/{name}.html" '
        f'loading="lazy" title="{escape(data["text/plain"])}" '
        f'style="aspect-ratio:{width}/{height}"></iframe>'
    )


def words_for(source: str) -> str:
    """What is said in place of a plot: the statement that drew it.

    Example:
        >>> words_for("plt.plot(losses)\\nprint(losses[-1])\\n")
        'Plot drawn by plt.plot(losses)'
    """
    try:
        lines = [ast.unparse(each) for each in ast.parse(source).body]
    except SyntaxError:  # a magic of IPython, say
        return "Plot drawn by the cell above"
    drawing = [line for line in lines if "plt." in line and "\n" not in line]
    return f"Plot drawn by {(drawing or lines[-1:])[0]}"


def fresh(stamp: Path, pages: Path) -> bool:
    """Whether the site was built whole, and nothing it is made of has changed since."""
    if not stamp.exists():
        return False
    parts = [*pages.rglob("*")]
    parts += [path for kind in ("py", "css", "js") for path in DOCS.rglob(f"*.{kind}")]
    parts += run_notebooks.LIBRARY  # its docstrings
    return all(path.stat().st_mtime <= stamp.stat().st_mtime for path in parts)


def main() -> int:
    """Build the site; give the exit status."""
    ran = BUILD / "notebooks"
    if run_notebooks.main(ran) or render_notebooks.main(ran, RENDERED):
        return 1
    lay_out(ran, PAGES)
    stamp = SITE / ".built"
    if fresh(stamp, PAGES):
        return 0
    shutil.rmtree(SITE, ignore_errors=True)
    places = ["-c", str(DOCS), "-d", str(BUILD / "doctrees"), str(PAGES), str(SITE)]
    status = build_main(["-W", "--keep-going", "-q", "-j", "2", "-b", "html", *places])
    if status == 0:
        shutil.copytree(FIGURES, SITE / "figures")
        script = [
            sys.executable,
            str(DOCS / "drag_the_tile.py"),
            str(SITE / "tile.html"),
        ]
        subprocess.run(
            script, check=True, env={**os.environ, "MINITORCH_CUDA": "emulator"}
        )
        stamp.touch()
        print(f"the site is {SITE / 'index.html'}")
    return status


if __name__ == "__main__":
    sys.exit(main())

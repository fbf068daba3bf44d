"""Owns the site: which files become pages, and the call of Sphinx.

    python docs/build_site.py

runs the notebooks that have not run since they changed (run_notebooks.py); lays docs,
notebooks and change log out in build/pages as in the repository, so that their links
hold; and has Sphinx make build/site of it, without network, warnings being errors.
Must not know what the pages say.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import Any

import nbformat
import run_notebooks
from sphinx.cmd.build import build_main

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
BUILD = ROOT / "build"
PAGES = BUILD / "pages"
SITE = BUILD / "site"

_BADGE = re.compile(r"https://colab\.research\.google\.com/assets/colab-badge\.svg")


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
    written.add(write(pages / "CHANGELOG.md", (ROOT / "CHANGELOG.md").read_text()))
    for source in sorted([*DOCS.rglob("*.md"), *DOCS.rglob("*.svg")]):
        if source != DOCS / "index.md":
            place = pages / source.relative_to(ROOT)
            written.add(write(place, source.read_text("utf-8")))
    for source in sorted(notebooks.glob("*.ipynb")):
        book = nbformat.read(source, as_version=4)
        written.add(write(pages / "notebooks" / source.name, page_of(book)))
    for path in pages.rglob("*"):
        if path.is_file() and path not in written:
            path.unlink()


def page_of(book: Any) -> str:
    """A notebook as the site shows it: still pictures, no remote image."""
    for cell in book.cells:
        if cell.cell_type == "markdown":
            cell.source = _BADGE.sub("/docs/_static/colab-badge.svg", cell.source)
        for output in cell.get("outputs", ()):
            svg = output.get("data", {}).get("image/svg+xml")
            if svg:  # inline, so that it follows the page's light or dark
                picture = f'<div class="picture">{svg}</div>'
                output.data = {"text/html": picture, "text/plain": ""}
    book.metadata["hide-toc"] = True  # the width is for pictures
    return nbformat.writes(book) + "\n"


def main() -> int:
    """Build the site; give the exit status."""
    if run_notebooks.main(BUILD / "notebooks"):
        return 1
    lay_out(BUILD / "notebooks", PAGES)
    shutil.rmtree(SITE, ignore_errors=True)
    places = ["-c", str(DOCS), "-d", str(BUILD / "doctrees"), str(PAGES), str(SITE)]
    status = build_main(["-W", "--keep-going", "-q", "-j", "2", "-b", "html", *places])
    if status == 0:
        print(f"the site is {SITE / 'index.html'}")
    return status


if __name__ == "__main__":
    sys.exit(main())

"""The site builds without a warning, needs no network, and its images have words."""

from __future__ import annotations

import html
import importlib
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest

from minitorch import cuda

from .source_tree import ROOT

pytest.importorskip("sphinx", reason="Sphinx builds the site")
pytest.importorskip("myst_nb", reason="MyST-NB reads its pages")
pytest.importorskip("furo", reason="furo is its theme")
pytest.importorskip("nbclient", reason="nbclient runs the notebooks")
nbformat = pytest.importorskip("nbformat", reason="nbclient brings it")
pytest.importorskip("resvg_py", reason="resvg draws the pictures of its copies")
pytestmark = pytest.mark.cuda

SITE = ROOT / "build" / "site"
#: What a browser loads by itself, by the attribute that names it.
LOADED = {
    "script": ("src",),
    "img": ("src", "srcset"),
    "image": ("href", "xlink:href"),
    "link": ("href",),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
    "object": ("data",),
    "use": ("href", "xlink:href"),
}


class Page(HTMLParser):
    """What a page loads, where it leads, its ids, and its images without words."""

    def __init__(self, path):
        super().__init__()
        self.path = path
        self.loaded = []
        self.links = []
        self.ids = []
        self.silent = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        given = {name: value or "" for name, value in attrs}
        self.ids += [given["id"]] if "id" in given else []
        for name in LOADED.get(tag, ()):
            if name in given and given.get("rel") not in ("index", "search", "next"):
                self.loaded.append(given[name])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "img" and not given.get("alt", "").strip():
            self.silent.append(given.get("src", ""))
        if tag == "svg" and given.get("role") == "img" and not given.get("aria-label"):
            self.silent.append("svg")


@pytest.fixture(scope="module")
def site():
    """The pages of a site that is built here, unless notebooks go wrong."""
    if not cuda.is_emulated():
        pytest.skip("the notebooks of the site run on the emulator")
    script = str(ROOT / "docs" / "build_site.py")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return {path: Page(path) for path in sorted(SITE.rglob("*.html"))}


@pytest.mark.slow
def test_every_page_and_notebook_is_there(site):
    made = {path.relative_to(SITE).with_suffix("").as_posix() for path in site}
    pages = {f"docs/{path.stem}" for path in (ROOT / "docs").glob("*.md")}
    books = {f"notebooks/{p.stem}" for p in (ROOT / "notebooks").glob("*.ipynb")}
    assert made >= (pages - {"docs/index"}) | books | {"index", "CHANGELOG"}


@pytest.mark.slow
def test_no_page_needs_a_network(site):
    remote = [
        f"{path.relative_to(SITE)}: {place}"
        for path, page in site.items()
        for place in page.loaded
        if urlsplit(place).netloc
    ]
    assert remote == []


@pytest.mark.slow
def test_no_style_needs_a_network():
    sheets = [path.read_text("utf-8") for path in SITE.rglob("*.css")]
    pages = [path.read_text("utf-8") for path in SITE.rglob("*.html")]
    assert len(sheets) >= 3
    for text in sheets + pages:
        assert not re.search(r"url\(\s*[\"']?(https?:)?//", text)
        assert not re.search(r"@import\s+(url\()?[\"'](https?:)?//", text)


@pytest.mark.slow
def test_images_say_what_they_show(site):
    silent = {str(path): page.silent for path, page in site.items() if page.silent}
    assert silent == {}


def test_a_notebook_becomes_a_page_without_remote_parts(
    monkeypatch,
):
    """Pictures stay as drawings, plots get words, the badge is the site's own."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    build_site = importlib.import_module("build_site")
    badge = "https://colab.research.google.com/assets/colab-badge.svg"
    cells = [
        markdown(f"[![Open in Colab]({badge})](https://colab.research.google.com/)"),
        code("launch.show()", {"image/svg+xml": "<svg/>", "text/html": "<script>"}),
        code("plt.plot(a)\nprint(a[-1])", {"image/png": "iVBO"}),
        code("%%timeit\nx", {"image/png": "iVBO"}),
    ]
    book = nbformat.from_dict(
        {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    )
    made = json.loads(build_site.page_of(book))["cells"]
    assert "https://colab.research.google.com/assets" not in str(made[0]["source"])
    assert made[1]["outputs"][0]["data"]["text/html"] == [
        '<div class="picture" tabindex="0"><svg/></div>'
    ]
    said = [cell["metadata"]["mystnb"]["image"]["alt"] for cell in made[2:]]
    assert said == ["Plot drawn by plt.plot(a)", "Plot drawn by the cell above"]


def markdown(text):
    return {"cell_type": "markdown", "id": "m", "metadata": {}, "source": text}


def code(text, data):
    shown = {"output_type": "display_data", "metadata": {}, "data": data}
    cell = {"cell_type": "code", "id": f"c{len(text)}", "metadata": {}, "source": text}
    return cell | {"execution_count": 1, "outputs": [shown]}


@pytest.mark.slow
def test_outputs_of_notebooks_are_shown(site):
    """What a notebook printed when it ran stands on its page."""
    ran = ROOT / "build" / "notebooks" / "04_shared_memory_and_barriers.ipynb"
    outputs = [
        output
        for cell in json.loads(ran.read_text("utf-8"))["cells"]
        for output in cell.get("outputs", ())
    ]
    page = (SITE / "notebooks" / f"{ran.stem}.html").read_text("utf-8")
    pictures = [each for each in outputs if "image/svg+xml" in each.get("data", {})]
    assert pictures
    for picture in pictures:
        words = html.escape("".join(picture["data"]["text/plain"]))
        frame = re.search(
            rf'src="\.\./(figures/\w+\.html)"[^>]*title="{re.escape(words)}"', page
        )
        assert frame is not None
        assert words in (SITE / frame[1]).read_text("utf-8")
    assert "race on tile[32]" in page
    assert not re.search(r"\b\d{6,}\.py\b", page), "a cell by the name of its file"


@pytest.mark.slow
def test_lessons_have_copies_with_pictures_and_without_scripts(
    site,
):
    copies = sorted((ROOT / "build" / "rendered").glob("*.ipynb"))
    assert len(copies) == len(list((ROOT / "notebooks").glob("*.ipynb")))
    links = [link for page in site.values() for link in page.links]
    for path in copies:
        text = path.read_text("utf-8")
        assert len(text) < 1_500_000, "GitHub may not show it"
        assert not re.search(r"<script|javascript|widget-view|text/html", text)
        assert str(ROOT) not in text
        if path.stem[:2] < "12":
            assert '"image/png"' in text, path.name
        assert sum(link.endswith(f"/{path.name}") for link in links) >= 1


@pytest.mark.slow
def test_colab_is_a_link_with_an_image_of_our_own(site):
    page = site[SITE / "notebooks" / "00_start.html"]
    assert any("colab.research.google.com" in link for link in page.links)
    assert any(place.endswith("colab-badge.svg") for place in page.loaded)

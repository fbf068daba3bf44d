"""One public address is named everywhere, and no placeholder in a release."""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from .source_tree import ROOT

KNOWN = "https://github.com/someone/minitorch-cuda"
CODESPACE = "https://codespaces.new/someone/minitorch-cuda"
LESSON = ROOT / "notebooks" / "00_start.py"
PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / ".github").rglob("*.*"),
    *(ROOT / "notebooks").glob("*.py"),
    *(ROOT / "notebooks").glob("*.ipynb"),
    ROOT / "CITATION.cff",
    ROOT / "pyproject.toml",
]


@pytest.fixture
def urls(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    return importlib.import_module("project_urls")


def test_files_say_what_follows_from_the_repository(urls: ModuleType) -> None:
    wrong = [
        path.name
        for path, text in urls.expected().items()
        if path.read_text("utf-8") != text
    ]
    assert wrong == [], "run python docs/project_urls.py --write"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_name_no_other_address(urls: ModuleType, path: Path) -> None:
    assert urls.strangers(path.read_text("utf-8"), urls.repository()) == []


def test_addresses_of_all_names_follow(urls: ModuleType) -> None:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert table["urls"] == urls.derived(urls.repository())


def test_another_account_is_a_stranger(urls: ModuleType) -> None:
    for other in (
        "https://github.com/another/minitorch-cuda/issues",
        "https://another.github.io/minitorch-cuda/",
        "https://colab.research.google.com/github/another/minitorch-cuda/blob/main/a",
        "https://github.com/someone/minitorch-cuda2/minitorch-cuda",
        "https://codespaces.new/another/minitorch-cuda",
    ):
        assert urls.strangers(f"see [it]({other}).", KNOWN) == [other]
    own = f"{KNOWN}, {KNOWN}/issues, https://someone.github.io/minitorch-cuda/"
    own += ", https://codespaces.new/someone/minitorch-cuda"
    assert urls.strangers(own, KNOWN) == []


def test_badges_lead_to_the_lesson_once_the_address_is_known(urls: ModuleType) -> None:
    text = LESSON.read_text("utf-8")
    placeholder = "https://github.com/OWNER/minitorch-cuda"
    made = urls.with_badge(text, KNOWN, LESSON.stem)
    page = "someone/minitorch-cuda/blob/main/notebooks/00_start.ipynb"
    assert f"]({urls.START_PAGE}github/{page})\n# Five minutes" in made
    assert "Upload notebook" not in made
    # From one to the other and back: nothing else of the text changes.
    today = urls.with_badge(made, placeholder, LESSON.stem)
    assert f"]({urls.START_PAGE})\n# (There choose *File*, *Upload notebook*. " in today
    assert urls.with_badge(today, KNOWN, LESSON.stem) == made


def test_links_follow_another_address_and_back(urls: ModuleType) -> None:
    today = urls.repository()
    links = {
        "docs/lessons.md": (f"({KNOWN}/blob/rendered/", f"({CODESPACE})"),
        "README.md": (f"git clone {KNOWN} ",),
    }
    for page, wanted in links.items():
        text = (ROOT / page).read_text("utf-8")
        moved = urls.with_links(text, KNOWN)
        assert all(link in moved for link in wanted)
        assert urls.with_links(moved, today) == text
    for path in (ROOT / "notebooks").glob("*.py"):
        text = path.read_text("utf-8")
        page = f" the cells.]({KNOWN}/blob/rendered/{path.stem}.ipynb)"
        moved = urls.with_rendered_line(text, KNOWN, path.stem)
        assert moved.count(page) == 1
        assert urls.with_rendered_line(moved, today, path.stem) == text


def test_a_release_needs_an_address(urls: ModuleType, tmp_path: Path) -> None:
    project = '[project.urls]\nRepository = "{}"\n'
    place = tmp_path / "pyproject.toml"
    place.write_text(project.format(KNOWN.replace("someone", urls.PLACEHOLDER)))
    release = {"MINITORCH_RELEASE": "1"}
    with pytest.raises(ValueError, match="need the public address"):
        urls.refuse_placeholder(tmp_path, release)
    urls.refuse_placeholder(tmp_path, {})
    place.write_text(project.format(KNOWN))
    urls.refuse_placeholder(tmp_path, release)
    place.write_text(project.format("https://example.org/minitorch"))
    with pytest.raises(ValueError, match="need https://github"):
        urls.repository(tmp_path)


def test_the_build_asks_before_it_starts(
    urls: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("scikit_build_core", reason="it builds the package")
    if not urls.is_placeholder(urls.repository()):
        pytest.skip("the address is known")
    backend = importlib.import_module("build_backend")
    assert set(backend.__all__) == set(backend.build.__all__)
    monkeypatch.setenv("MINITORCH_RELEASE", "1")
    for build in (backend.build_wheel, backend.build_sdist):
        with pytest.raises(ValueError, match="need the public address"):
            build(str(tmp_path))
    assert list(tmp_path.iterdir()) == []

"""One public address is named everywhere, and no placeholder in a release."""

from __future__ import annotations

import importlib
import tomllib

import pytest

from .source_tree import ROOT

KNOWN = "https://github.com/someone/minitorch-cuda"
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
def urls(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    return importlib.import_module("project_urls")


def test_files_say_what_follows_from_the_repository(urls):
    wrong = [
        path.name
        for path, text in urls.expected().items()
        if path.read_text("utf-8") != text
    ]
    assert wrong == [], "run python docs/project_urls.py --write"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_name_no_other_address(urls, path):
    assert urls.strangers(path.read_text("utf-8"), urls.repository()) == []


def test_addresses_of_all_names_follow(urls):
    table = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert table["urls"] == urls.derived(urls.repository())


def test_a_release_needs_an_address(urls, tmp_path):
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


def test_the_build_asks_before_it_starts(urls, monkeypatch, tmp_path):
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

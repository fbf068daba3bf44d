"""What contributors meet holds: walks and tests that their pages name exist, forms and
workflows are YAML, the citation is of this version.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib

import pytest

from minitorch.learn import lessons as course

from .contributing_walks import walks
from .source_tree import ROOT

yaml = pytest.importorskip("yaml", reason="PyYAML reads the files")

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def read(path):
    return yaml.safe_load(path.read_text("utf-8"))


@pytest.mark.parametrize("walk", walks().values(), ids=walks())
def test_walks_count_their_files_and_name_commands(walk):
    assert walk.counts == walk.counted
    for step in walk.steps:
        assert (ROOT / step.path).exists()
        program = step.command.split()[1:2]  # behind "python"
        assert all((ROOT / name).exists() for name in program)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("patch", sorted((ROOT / "tests" / "walks").glob("*.patch")))
def test_what_walks_add_still_has_its_place(patch):
    found = subprocess.run(
        ["git", "apply", "--check", str(patch)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr


def test_the_contributors_tests_exist():
    """Names of tests, as `ctest -R` and `pytest file::test` take them."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    for file, name in re.findall(r"(tests/python/\w+\.py)::(\w+)", text):
        assert f"def {name}(" in (ROOT / file).read_text("utf-8")
    sources = [path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.cpp")]
    filters = re.findall(r"ctest .*-R '?(\w+)\.(\w+)", text)
    assert filters
    for suite, name in filters:
        assert any(f"({suite}, {name})" in source for source in sources)


def test_the_syllabus_has_each_lesson_and_its_exercises():
    page = (ROOT / "docs" / "teaching.md").read_text("utf-8")
    rows = re.findall(r"notebooks/(\d\d)_\w+\.ipynb\) \| \d+ \|.*\| (\w+)", page)
    assert len(rows) == len(list((ROOT / "notebooks").glob("[0-9]*.ipynb")))
    for lesson, count in rows:
        if count == "the":  # the fourteen puzzles
            continue
        names = [name for name in course.EXERCISES if name.startswith(f"{lesson}.")]
        assert int(count) == len(names), lesson


@pytest.mark.parametrize("path", FORMS + WORKFLOWS, ids=lambda path: path.stem)
def test_yaml_parses(path):
    assert isinstance(read(path), dict)


def test_the_citation_is_of_this_version():
    citation, project = read(ROOT / "CITATION.cff"), PROJECT["project"]
    assert citation["cff-version"] == "1.2.0"
    for name in ("version", "license", "keywords"):
        assert citation[name] == project[name]
    assert citation["repository-code"] == project["urls"]["Repository"]
    assert citation["authors"] == [{"name": "minitorch-cuda contributors"}]

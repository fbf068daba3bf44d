"""Holds what the judge says of the ten assignments: their solutions, starters, twins.

All twins take `minitorch course validate` a quarter of an hour; here of modules 3 and 4
each kernel's row is lost once by each kind of fault.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from minitorch_grading.authoring import trees
from minitorch_grading.authoring.twins import Twin, twins_of
from minitorch_grading.judge.grade import grade_one
from minitorch_grading.report.advice import KINDS
from minitorch_grading.report.pages.student import student_page

from .graded import CONFINED, NEEDS_CONFINED, SECRET

ASSIGNMENTS = Path(__file__).parents[2] / "assignments"
NAMES = sorted(path.parent.name for path in ASSIGNMENTS.glob("*/assignment.toml"))
pytestmark = pytest.mark.skipif(not CONFINED, reason=NEEDS_CONFINED)


@pytest.fixture(scope="module")
def asked(tmp_path_factory) -> Path:
    """What solutions gave, so that each is asked once."""
    return tmp_path_factory.mktemp("asked")


def judged(name: str, tree: trees.Tree, place: Path, asked: Path, rows=()):
    source = trees.read_source(ASSIGNMENTS / name)
    handed_in = {file: tree[file] for file in source.files if file in tree}
    trees.write_tree(handed_in, place / "handed-in")
    folders = (source.folder, place / "handed-in", place / "report")
    return grade_one(*folders, SECRET, rows=rows, cache=asked)


@pytest.mark.parametrize(
    "name",
    [
        n if n == "reductions" else pytest.param(n, marks=pytest.mark.slow)
        for n in NAMES
    ],
)
def test_the_solution_has_all_points_and_the_starter_none(name, tmp_path, asked):
    source = trees.read_source(ASSIGNMENTS / name)
    for kind, share in (("solution", 1), ("starter", 0)):
        tree = trees.sources_tree(source, kind)
        report = judged(name, tree, tmp_path / kind, asked)
        lost = [
            (row["id"], row["outcome"], row["staff_message"])
            for row in report["rows"]
            if row["points"] != share * row["max_points"] and row["outcome"] != "manual"
        ]
        assert lost == []
        assert report["final"]
        assert report["gradable"]


@pytest.mark.slow
def test_threads_that_store_what_others_store_are_told_in_a_note(tmp_path, asked):
    """All points: the report has the note, the page its line and its picture."""
    source = trees.read_source(ASSIGNMENTS / "m3")
    (twin,) = (each for each in twins_of(source.folder) if not each.rows)
    tree = trees.twin_tree(source, twin)
    report = judged("m3", tree, tmp_path, asked, ("3.3-zip",))
    rows = [row for row in report["rows"] if row["id"].startswith("3.3-zip")]
    assert [row["points"] for row in rows] == [row["max_points"] for row in rows]
    (finding,), (picture,) = rows[1]["findings"], rows[1]["pictures"]
    assert (finding["kind"],) == twin.kinds
    assert (tmp_path / "report" / picture["file"]).stat().st_size > 1000
    page = student_page(report, tmp_path / "report")
    assert "several threads that store the same value" in page
    assert KINDS["race_benign"] in page
    assert "data:image/svg+xml" in page


def one_of_each_kind() -> list[tuple[str, Twin]]:
    """Twins of kernels in modules 3 and 4; of those that lose the same, one."""
    found = {}
    for name in ("m3", "m4"):
        for twin in twins_of(ASSIGNMENTS / name):
            if any(row.endswith((".clean", ".cost")) for row in twin.rows):
                found.setdefault((twin.rows, twin.kinds), (name, twin))
    return list(found.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "twin"),
    one_of_each_kind(),
    ids=lambda each: each if isinstance(each, str) else each.path.stem,
)
def test_a_kernel_with_a_fault_loses_exactly_its_rows(name, twin, tmp_path, asked):
    source = trees.read_source(ASSIGNMENTS / name)
    item = twin.rows[0].rpartition(".")[0]
    tree = trees.twin_tree(source, twin)
    report = judged(name, tree, tmp_path, asked, (item,))
    rows = [row for row in report["rows"] if row["id"].startswith(f"{item}.")]
    assert [row["id"] for row in rows if not row["points"]] == list(twin.rows)
    told = {each["kind"] for row in rows for each in row["findings"]}
    assert set(twin.kinds) <= told | {row["outcome"] for row in rows}

"""Holds what the judge says of the ten assignments: their solutions, starters, twins.

All twins take `minitorch course validate` a quarter of an hour; here of modules 3 and 4
each kernel's row is lost once by each kind of fault, and of the GPU assignments by all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from minitorch_grading.course import trees
from minitorch_grading.course.sources import read_source
from minitorch_grading.course.twins import Twin, twins_of
from minitorch_grading.judge.grade import grade_one
from minitorch_grading.report.advice import KINDS
from minitorch_grading.report.pages.student import student_page

from .graded import CONFINED, NEEDS_CONFINED, SECRET

ASSIGNMENTS = Path(__file__).parents[2] / "assignments"
GPU = ("clinic", "reductions", "matmul", "tensorcores", "attention")
NAMES = sorted(path.parent.name for path in ASSIGNMENTS.glob("*/assignment.toml"))
pytestmark = pytest.mark.skipif(not CONFINED, reason=NEEDS_CONFINED)


@pytest.fixture(scope="module")
def asked(tmp_path_factory) -> Path:
    """What solutions gave, so that each is asked once."""
    return tmp_path_factory.mktemp("asked")


def judged(name: str, tree: trees.Tree, place: Path, asked: Path, rows=()):
    source = read_source(ASSIGNMENTS / name)
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
    source = read_source(ASSIGNMENTS / name)
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
    source = read_source(ASSIGNMENTS / "m3")
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
    assert KINDS["race_benign"].name in page
    assert "data:image/svg+xml" in page


def faulty() -> list[tuple[str, Twin]]:
    """All twins of the GPU assignments, and of those of kernels in modules 3 and 4 that
    lose the same, one."""
    found = {}
    for name in ("m3", "m4"):
        for twin in twins_of(ASSIGNMENTS / name):
            if any(row.endswith((".clean", ".cost")) for row in twin.rows):
                found.setdefault((twin.rows, twin.kinds), (name, twin))
    every = [(name, twin) for name in GPU for twin in twins_of(ASSIGNMENTS / name)]
    return [*found.values(), *every]


def item_of(row: str) -> str:
    """The item of a row, "6.3-sum" of "6.3-sum.values"."""
    return ".".join(row.split(".")[:2])


def kinds_told(rows) -> set[str]:
    """The kinds of errors; what lies beyond an array may be another one, freed."""
    kinds = {each["kind"] for row in rows for each in row["findings"]}
    return kinds | ({"oob_global"} if "use_after_free" in kinds else set())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "twin"),
    faulty(),
    ids=lambda each: each if isinstance(each, str) else each.name,
)
def test_a_fault_loses_exactly_its_rows(name, twin, tmp_path, asked):
    tree = trees.twin_tree(read_source(ASSIGNMENTS / name), twin)
    items = sorted({item_of(row) for row in twin.rows})
    if name == "clinic":  # whose rows wait for others of their tasks
        items = []
    report = judged(name, tree, tmp_path, asked, items)
    rows = [row for row in report["rows"] if not items or item_of(row["id"]) in items]
    assert [row["id"] for row in rows if not row["points"]] == list(twin.rows)
    told = kinds_told(rows)
    assert set(twin.kinds) <= told | {row["outcome"] for row in rows}
    assert not told or "too_costly" not in twin.kinds


PLANTED = {
    "5.1": "oob_global",
    "5.2": "race_shared",
    "5.3": "race_global",
    "5.4": "uninit_shared",
    "5.5": "barrier_divergence",
    "5.6": "oob_shared",
    "5.7": "oob_local",
    "5.8": "div_by_zero",
    "5.9": "misaligned",
    "5.10": "uninit_register",
    "5.11": "warp_sync",
    "5.12": "deadlock",
}


@pytest.mark.slow
def test_patients_have_twelve_kinds(tmp_path, asked):
    """What students are given has one fault in each kernel, of its own kind."""
    source = read_source(ASSIGNMENTS / "clinic")
    starter = trees.sources_tree(source, "starter")
    report = judged("clinic", starter, tmp_path, asked)
    rows = {task: [] for task in PLANTED}
    for row in report["rows"]:
        rows.get(item_of(row["id"]), []).append(row)
    told = {task: kinds_told(found) for task, found in rows.items()}
    assert told == {task: {kind} for task, kind in PLANTED.items()}


KINDS_ASKED = [f"{task}-kind" for task in PLANTED]
SOME = 'KINDS = {"5.1": ["oob_global"], 5.2: "race_shared", "5.3": None}\n'
ASKED_WARPS = ["6.1-lanes", "6.1-warps", "6.1-sequential"]
ANSWERS = [
    *(("clinic", text, KINDS_ASKED) for text in ("", "KINDS = 3\n", SOME)),
    *(
        ("reductions", f"BUSY_WARPS_OF_THE_TREE = {answer}\n", ASKED_WARPS)
        for answer in ("3", "[]", '"88888421"', "[8, 8, 8]", "{1: 2}", "True")
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "text", "rows"), ANSWERS)
def test_whatever_stands_for_an_answer_costs_its_points_alone(
    name, text, rows, tmp_path, asked
):
    tree = trees.sources_tree(read_source(ASSIGNMENTS / name), "solution")
    tree |= {"answers.py": text.encode()}
    report = judged(name, tree, tmp_path, asked, rows)
    ran = [row for row in report["rows"] if row["outcome"] != "not_run"]
    assert sorted(row["id"] for row in ran if not row["points"]) == sorted(rows)

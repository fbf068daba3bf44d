"""The tests of `minitorch course`: words, what is printed, exit status."""

from __future__ import annotations

import json
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from minitorch_cuda import __main__ as command_line
from minitorch_grading import command
from minitorch_grading.course import (
    course_folder,
    trees,
)
from minitorch_grading.course.sources import read_source
from minitorch_grading.together import grade_class

from .reports import RACE, report, row
from .small_course import change, write_course, write_files, write_starter


@pytest.fixture
def assignments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_course(tmp_path / "sources")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "sources"


def run(*words: object) -> int:
    return command.main([str(each) for each in words])


@pytest.fixture
def course(assignments: Path) -> Path:
    assert run("new", "gpu101", "--assignments", "sums", "--from", assignments) == 0
    return Path("gpu101").resolve()


def test_a_new_course_has_assignments_and_a_secret(
    assignments: Path, capsys: pytest.CaptureFixture[str]
):
    assert run("new", "gpu101", "--assignments", "sums", "--from", assignments) == 0
    course = Path("gpu101").resolve()
    out = "course.toml, 1 assignment (and numbers, where they start), secret (inputs "
    assert capsys.readouterr().out == f"{out}follow from it)\n"
    names = sorted(path.name for path in course.iterdir())
    assert names == [".gitignore", "assignments", "course.toml", "secret"]
    assert stat.S_IMODE((course / "secret").stat().st_mode) == 0o600
    assert len((course / "secret").read_text().strip()) == 64
    assert (course / "assignments" / "numbers" / "graded" / "drivers.py").is_file()
    found = course_folder.course_above(course / "assignments" / "sums")
    assert found is not None
    assert found.assignments == ("sums",)
    assert found.secret_file == course / "secret"
    assert "/secret\n" in (course / ".gitignore").read_text()


def test_two_courses_have_two_secrets(assignments: Path, course: Path):
    assert run("new", "other", "--assignments", "sums", "--from", assignments) == 0
    other = Path("other", "secret").read_text()
    assert other != (course / "secret").read_text()


def test_validate_takes_the_assignments_of_the_course(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(course)
    capsys.readouterr()
    assert run("validate", "--files-only") == 0
    out = capsys.readouterr().out
    assert out == "sums: its files are right; nothing was judged\n"
    change(course / "assignments" / "sums" / "twins" / "all.py", "race_global", "races")
    assert run("validate", "--files-only", "numbers", "sums") == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "numbers: its files are right; nothing was judged",
        "sums: 1 problem",
    ]
    assert lines[2].startswith("  sums/twins/all.py:1: got the kind races; need a kind")


WRONG = {
    "no assignment": (("validate", "m99"), "got the assignment 'm99'; need one of"),
    "no course": (("new", "x", "--assignments", "m99"), "got the assignment 'm99'"),
    "no name": (("new", "x", "--assignments", ","), "no assignment was named"),
    "no secret": (
        ("release", "sums", "--for", "gradescope"),
        "gradescope needs the course's secret",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_use_is_said_in_a_line(
    assignments: Path, what: str, capsys: pytest.CaptureFixture[str]
):
    words, text = WRONG[what]
    assert run(*words, "--from", assignments) == 2
    error = capsys.readouterr().err
    assert text in error
    assert error.startswith("[")
    assert "Traceback" not in error


def test_a_course_that_is_wrong_is_said(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(course)
    for old, new, words in (
        ("minitorch/course/1", "minitorch/course/2", "'minitorch/course/2' - at"),
        ('["sums"]', '"sums"', "Expected `array`, got `str` - at `$.assignments`"),
        ('["sums"]', '["sum"]', "need the folder assignments/sum"),
        ("name = ", "name == ", "is not right: "),
    ):
        before = Path("course.toml").read_text()
        change(Path("course.toml"), old, new)
        assert run("validate", "--files-only") == 2
        assert words in capsys.readouterr().err
        Path("course.toml").write_text(before)


def test_a_folder_that_is_not_empty_is_kept(course: Path, assignments: Path):
    again = ("new", "gpu101", "--assignments", "sums", "--from", assignments)
    secret = (course / "secret").read_text()
    assert run(*again) == 2
    assert (course / "secret").read_text() == secret


def test_a_report_becomes_a_page(assignments: Path, capsys: pytest.CaptureFixture[str]):
    Path("a81f").mkdir()
    race = row("3.3-zip.clean", "reported", findings=[RACE])
    Path("a81f", "report.json").write_text(json.dumps(report(race)))
    assert run("report", "a81f") == 0
    assert capsys.readouterr().out == "a81f/report.html\n"
    assert "cuda_ops.py:184" in Path("a81f", "report.html").read_text()
    assert run("report", "a81f/report.json", "--to", "page.html") == 0
    assert Path("page.html").is_file()
    capsys.readouterr()
    assert run("report", "a81f", "--text") == 0
    assert "a race: cuda_ops.py:184" in capsys.readouterr().out


HOSTILE = (
    *("argparse", "dask", "distributed", "json", "msgpack", "multiprocessing", "numpy"),
    *("pathlib", "pytest", "shlex", "tomllib", "minitorch_cuda_pytest", "conftest"),
    "minitorch_grading",
)


def test_no_verb_runs_what_lies_where_it_is_started(course: Path, tmp_path: Path):
    """As a teacher does who stands in the folder of hand-ins."""
    here, ran = tmp_path / "handed-in", tmp_path / "ran"
    for name in HOSTILE:
        write_files(here / name, {"__init__.py": f"open({str(ran)!r}, 'w')"})
    solved = here / "ada"
    source = read_source(course / "assignments" / "numbers")
    trees.write_tree(trees.sources_tree(source, "solution"), solved)
    write_files(solved, {"tests/test_operators.py": f"open({str(ran)!r}, 'w')"})
    shutil.copy(course / "assignments" / "numbers" / "assignment.toml", solved)
    write_files(solved, {"report.json": '{"schema": "minitorch.grade/1"}'})
    shutil.copytree(solved, tmp_path / "class" / "ada")
    results, handed_in = str(tmp_path / "results"), str(tmp_path / "class")
    among = ("--from", str(course / "assignments"))
    secret = ("--secret-file", str(course / "secret"))
    grade = ("grade", "numbers", handed_in, "--to", results, "--workers", "1")
    words = {
        ("new", "gpu101", "--assignments", "numbers", *among): 0,
        (*grade, *among, *secret): 0,
        ("report", "ada", "--results", results, "--text"): 0,
        ("report", "ada", "--text"): 2,
    }
    for each, status in words.items():
        for package in ("minitorch_cuda", "minitorch"):
            command = [sys.executable, "-m", package, "course", *each]
            done = subprocess.run(command, cwd=here, capture_output=True, check=False)
            assert not ran.exists(), each
            assert done.returncode == status, done.stderr.decode()
            if each[0] != "report":
                break  # they are slow, and leave something


def test_a_student_has_a_page_of_the_public_tests(
    assignments: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    write_starter(assignments / "numbers", Path("numbers"))
    assert run("report", "numbers") == 2
    assert "whose tests would run its code" in capsys.readouterr().err
    monkeypatch.chdir("numbers")
    assert run("report") == 0
    assert capsys.readouterr().out == "report.html\n"
    page = Path("report.html").read_text()
    assert "Not written yet: minitorch/operators.py:8." in page


def test_a_course_has_any_name_and_each_assignment_once(
    assignments: Path, monkeypatch: pytest.MonkeyPatch
):
    names = ("--assignments", "sums, numbers,sums", "--from", assignments)
    for name in ('a "b" \\c', "ö 学生", b"caf\xe9".decode("utf-8", "surrogateescape")):
        assert run("new", name, *names) == 0
        made = course_folder.read_course(Path(name))
        assert made.assignments == ("sums", "numbers")
        assert made.name == name.encode("utf-8", "replace").decode().replace(
            "?", "\ufffd"
        )


@pytest.mark.parametrize("name", ["../outside", "other", r"\u0000"])
def test_an_assignment_is_called_as_its_folder(
    assignments: Path, name: str, capsys: pytest.CaptureFixture[str]
):
    change(assignments / "sums" / "assignment.toml", '"sums"', f'"{name}"')
    assert run("new", "gpu101", "--assignments", "sums", "--from", assignments) == 2
    error = capsys.readouterr().err
    assert "need the folder's name" in error or "name: Expected" in error
    assert not Path("gpu101").exists()


def test_what_is_no_report_is_said(
    assignments: Path, capsys: pytest.CaptureFixture[str]
):
    for words in (["report", "nobody"], ["compare", "a", "b"]):
        assert run(*words) == 2
        assert capsys.readouterr().err.startswith("[")
    half = {"schema": "minitorch.grade/1", "rows": []}
    for text, says in {
        "{}": "required field `schema`",
        "[]": "is not a report",
        json.dumps(half): "required field `assignment`",
    }.items():
        Path("report.json").write_text(text)
        assert run("report", "report.json") == 2
        error = capsys.readouterr().err
        assert re.match(rf"\[report\] report.json.*{says}", error), error


def test_grade_gives_the_class_what_was_said(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    seen: list[object] = []

    class Done:
        says = "2 of 2; results/scores.csv"
        not_final = 1

    def grade(*places: object, **more: object) -> Done:
        seen.extend((places, more))
        return Done()

    monkeypatch.setattr(grade_class, "grade_class", grade)
    words = ("grade", "sums", "handed-in", "--to", "results")
    elsewhere = ("--from", course / "assignments")
    assert (
        run(*words, *elsewhere) == 2
    )  # not in the course's folder, so without its secret
    assert "secret was not found" in capsys.readouterr().err
    monkeypatch.chdir(course)
    assert run(*words, "--workers", 2, "--level", "uid", "--again") == 0
    assert capsys.readouterr().out == "2 of 2; results/scores.csv\n"
    places, more = seen
    secret = (course / "secret").read_bytes().strip()
    folder = course / "assignments" / "sums"
    assert places == (folder, Path("handed-in"), Path("results"), secret)
    assert (more["workers"], more["level"], more["again"]) == (2, "uid", True)


def test_words_that_are_no_verb(capsys: pytest.CaptureFixture[str]):
    assert run() == 2
    assert "VERB" in capsys.readouterr().err
    for words in (["valdate"], ["validate", "--jobs", "0"], ["release"]):
        with pytest.raises(SystemExit) as error:
            run(*words)
        assert error.value.code == 2
    assert "got 0; need at least 1" in capsys.readouterr().err


def test_our_fault_is_no_usage(
    assignments: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    def broken(_: object) -> int:
        raise KeyError("ours")

    monkeypatch.setattr(command, "_run_validate", broken)
    assert run("validate") == 70
    assert "KeyError: 'ours'" in capsys.readouterr().err


def test_the_command_line_leads_here(
    assignments: Path, capsys: pytest.CaptureFixture[str]
):
    words = ["course", "validate", "sums", "--files-only", "--from", str(assignments)]
    assert command_line.main(words) == 0
    assert "sums: its files are right" in capsys.readouterr().out

"""Owns the tests of `minitorch course`: words, what is printed, exit status."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest
from minitorch_cuda.grading import command
from minitorch_cuda.grading.authoring import course_folder

from minitorch_cuda import __main__ as command_line

from .small_course import change, write_course


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
    assert found.secret() == (course / "secret").read_bytes().strip()
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


def test_release_prints_what_it_wrote(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(course)
    capsys.readouterr()
    assert run("release", "sums") == 0
    out = capsys.readouterr().out
    assert out == "dist/sums-starter.zip\ndist/sums-solution.zip\n"
    with zipfile.ZipFile("dist/sums-starter.zip") as opened:
        assert "README.md" in opened.namelist()


WRONG = {
    "no assignment": (("validate", "m99"), "got the assignment 'm99'; need one of"),
    "no course": (("new", "x", "--assignments", "m99"), "got the assignment 'm99'"),
    "no name": (("new", "x", "--assignments", ","), "got no assignment; need"),
    "no secret": (("release", "sums", "--for", "gradescope"), "got no secret for"),
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
        ("minitorch/course/1", "minitorch/course/2", "need 'minitorch/course/1'"),
        ('["sums"]', '"sums"', "got assignments = 'sums'; need names"),
        ('["sums"]', '["sum"]', "need its folder assignments/sum"),
        ("name = ", "name == ", "need TOML"),
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


def test_words_that_are_no_verb(capsys: pytest.CaptureFixture[str]):
    assert run() == 2
    assert "VERB" in capsys.readouterr().err
    for words in (["valdate"], ["validate", "--jobs", "0"], ["release"]):
        with pytest.raises(SystemExit) as error:
            run(*words)
        assert error.value.code == 2
    assert "got 0; need 1 or more" in capsys.readouterr().err


def test_our_fault_is_no_usage(
    assignments: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    def broken(_: object) -> int:
        raise KeyError("ours")

    monkeypatch.setitem(command._RUN, "validate", broken)
    assert run("validate") == 70
    assert "KeyError: 'ours'" in capsys.readouterr().err


def test_the_command_line_leads_here(
    assignments: Path, capsys: pytest.CaptureFixture[str]
):
    words = ["course", "validate", "sums", "--files-only", "--from", str(assignments)]
    assert command_line.main(words) == 0
    assert "sums: its files are right" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        command_line.main(["cours"])
    assert "Did you mean course?" in capsys.readouterr().err

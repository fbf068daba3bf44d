"""The tests of releases: what each archive holds, and what none may hold."""

from __future__ import annotations

import io
import stat
import zipfile
from pathlib import Path

import pytest

from minitorch_grading.course.release import archive, release
from minitorch_grading.errors import UsageError

from .small_course import change, write_course

HIDDEN = (b"CANARY", b"wrong: ", b"drivers.inverse_of", b"submission.")


@pytest.fixture
def sums(tmp_path: Path) -> Path:
    return write_course(tmp_path / "assignments")


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_text(64 * "5" + "\n")
    path.chmod(0o600)
    return path


def content(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def test_students_and_staff_get_an_archive_each(sums: Path, tmp_path: Path):
    made = release(sums, "plain", tmp_path / "dist")
    assert [path.name for path in made] == ["sums-starter.zip", "sums-solution.zip"]
    starter, solution = map(content, made)
    assert sorted(starter) == sorted(solution)
    assert b"sum_so_far" in solution["minitorch/sums.py"]
    assert b"sum_so_far" not in starter["minitorch/sums.py"]
    assert b"1.0 / x" in starter["minitorch/operators.py"]  # of the module before
    modes = [stat.S_IMODE(path.stat().st_mode) for path in made]
    assert modes[1] == 0o600


def test_nothing_hidden_is_in_what_students_get(sums: Path, secret: Path):
    for folder in (sums, sums.parent / "numbers"):
        starter, _ = release(folder, "plain", folder / "dist", (), secret)
        for name, data in content(starter).items():
            leaks = [each for each in HIDDEN if each in data]
            assert not leaks, name
            assert secret.read_bytes().strip() not in data
            assert not name.startswith(("graded", "twins", "secret"))


def test_a_graders_archive_is_whole(sums: Path, tmp_path: Path, secret: Path):
    wheel = tmp_path / "minitorch_cuda-1-py3-none-any.whl"
    wheel.write_bytes(b"a wheel")
    made = release(sums, "gradescope", tmp_path / "dist", (), secret, (wheel,))
    held = content(made[2])
    assert sorted(held) == [
        "assignment/assignment.toml",
        "assignment/earlier/numbers/assignment.toml",
        "assignment/earlier/numbers/source/minitorch/__init__.py",
        "assignment/earlier/numbers/source/minitorch/operators.py",
        "assignment/graded/test_graded.py",
        "assignment/source/minitorch/sums.py",
        "assignment/tests/test_sums.py",
        "run_autograder",
        "secret",
        "setup.sh",
        "wheels/minitorch_cuda-1-py3-none-any.whl",
    ]
    assert held["secret"] == secret.read_bytes()
    assert stat.S_IMODE(made[2].stat().st_mode) == 0o600


def test_the_same_tree_gives_the_same_bytes():
    tree = {"b/a.py": b"x = 1\n", "run": b"#!/bin/sh\n", "secret": b"s"}
    data = archive(tree)
    assert archive(dict(reversed(tree.items()))) == data
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        modes = {e.filename: e.external_attr >> 16 & 0o777 for e in opened.infolist()}
        assert {each.date_time for each in opened.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert modes == {"b/a.py": 0o644, "run": 0o755, "secret": 0o600}


def test_two_releases_have_the_same_bytes(sums: Path, tmp_path: Path, secret: Path):
    first = release(sums, "gradescope", tmp_path / "a", (), secret)
    (sums / "source" / "__pycache__").mkdir()
    (sums / "source" / "__pycache__" / "sums.pyc").write_bytes(b"x")
    for path in sums.rglob("*.py"):
        path.touch()
    again = release(sums, "gradescope", tmp_path / "b", (), secret)
    for one, other in zip(first, again, strict=True):
        assert one.read_bytes() == other.read_bytes()


def test_what_is_wrong_is_not_released(sums: Path, tmp_path: Path, secret: Path):
    change(sums / "twins" / "all.py", "race_global", "race")
    with pytest.raises(UsageError, match=r"sums has 1 problem") as error:
        release(sums, "plain", tmp_path / "dist")
    assert "sums/twins/all.py:1: got the kind race" in str(error.value)
    assert not (tmp_path / "dist").exists()


def test_a_platform_wants_a_secret(sums: Path, tmp_path: Path):
    with pytest.raises(UsageError, match="gradescope needs the course's secret"):
        release(sums, "gradescope", tmp_path / "dist")
    path = tmp_path / "open"
    path.write_text("0" * 64)
    path.chmod(0o644)
    with pytest.raises(UsageError, match="can read this file \\(mode 644\\)"):
        release(sums, "gradescope", tmp_path / "dist", (), path)
    path.chmod(0o600)
    path.write_text("short")
    with pytest.raises(UsageError, match="has 5 bytes; need at least 16"):
        release(sums, "gradescope", tmp_path / "dist", (), path)
    with pytest.raises(UsageError, match="need the secret from"):
        release(sums, "gradescope", tmp_path / "dist", (), tmp_path / "none")

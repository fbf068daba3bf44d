"""The tests of `minitorch lessons`: what it writes, and all that it never does."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile

import pytest

from minitorch import __main__
from minitorch.tools import lesson_files

from .checkouts import make_wheel, run
from .source_tree import ROOT

LESSONS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
ALL = {*LESSONS, "README.md"}
FIRST = ROOT / "notebooks" / "00_start.ipynb"


def names(folder):
    return {path.name for path in folder.iterdir()}


def call(*words):
    return __main__.main(["lessons", *words])


def test_all_lessons_come_and_nothing_else(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert call() == 0
    folder = tmp_path / "minitorch-lessons"
    assert names(folder) == ALL
    assert (folder / FIRST.name).read_bytes() == FIRST.read_bytes()
    plain = tmp_path / "plain"
    plain.touch()
    assert (folder / FIRST.name).stat().st_mode == plain.stat().st_mode
    said = capsys.readouterr().out
    assert f"New files in minitorch-lessons: {len(ALL)}." in said
    assert "The others" not in said


def test_work_is_kept(tmp_path, capsys):
    work, other = tmp_path / FIRST.name, tmp_path / "01_threads_blocks_grid.ipynb"
    work.write_text("mine")
    other.symlink_to(tmp_path / "nowhere")
    (tmp_path / "puzzles.ipynb").mkdir()
    assert call(str(tmp_path)) == 0
    assert work.read_text() == "mine"
    assert not other.exists()
    assert names(tmp_path) == ALL
    said = capsys.readouterr().out
    assert f"New files in {tmp_path}: {len(ALL) - 3}." in said
    assert "The others were there, and stay as they are. For fresh copies" in said


def test_a_second_time_changes_nothing(tmp_path, capsys):
    lesson_files.copy(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert call(str(tmp_path)) == 0
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before
    said = capsys.readouterr().out
    assert f"New files in {tmp_path}: 0." in said


def one_sentence(capsys):
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith("[lessons] ")
    return said.err


def test_a_folder_without_the_right_to_write(tmp_path, monkeypatch, capsys):
    def refuse(**options):
        raise PermissionError(13, "Permission denied", "x")

    monkeypatch.setattr(tempfile, "mkstemp", refuse)  # root may write everywhere
    assert call(str(tmp_path)) == 1
    assert f"cannot write to {tmp_path}: Permission denied. " in one_sentence(capsys)


def test_a_disk_without_room_gets_no_half_file(tmp_path, capsys):
    """A limit of the process stands for the disk's: the same call fails in a write."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FIRST.stat().st_size - 1, before[1]))
    try:
        assert call(str(tmp_path)) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "cannot write to" in one_sentence(capsys)
    assert names(tmp_path) == set()


def test_a_wheel_has_them_inside(tmp_path):
    (tmp_path / "wheel").mkdir()
    wheel = make_wheel(tmp_path / "wheel")
    (wheel / "minitorch" / "lessons").unlink(missing_ok=True)  # an editable install's
    words = ["-m", "minitorch", "lessons", "mine"]
    (tmp_path / "empty").mkdir()
    done = run(words, tmp_path / "empty", wheel)
    assert done.returncode == 1
    assert done.stderr.startswith("[lessons] the lessons are missing")
    inside = wheel / "minitorch" / "lessons"
    inside.mkdir()
    for name in ("00_start.ipynb", "README.md"):
        (inside / name).write_text("lesson")
    done = run(words, tmp_path / "empty", wheel)
    assert done.returncode == 0, done.stderr
    assert names(tmp_path / "empty" / "mine") == {"00_start.ipynb", "README.md"}


def test_the_wheel_gets_all_that_a_checkout_has():
    """What CMake installs, by its text: no copy of the lessons is in the repository."""
    text = (ROOT / "bindings" / "CMakeLists.txt").read_text()
    assert "${PROJECT_SOURCE_DIR}/notebooks/*.ipynb)" in text
    assert "DESTINATION minitorch/lessons)" in text
    found = {path.name for path in lesson_files.sources()}
    assert found == ALL
    assert not any("solution" in name for name in found)


def lab(tmp_path, *words):
    """The command in a Python whose JupyterLab is a file of ours, or missing."""
    code = (
        "import importlib.util as util, sys\n"
        "from minitorch import __main__\n"
        "find = util.find_spec\n"
        "if 'missing' in sys.argv:\n"
        "    util.find_spec = lambda name: None if name[0] == 'j' else find(name)\n"
        "sys.exit(__main__.main(['lessons', 'mine', *sys.argv[2:]]))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )


def test_open_becomes_jupyterlab_in_the_folder(tmp_path):
    package = tmp_path / "site" / "jupyterlab"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    program = "import os, sys\nprint(os.getcwd(), sys.argv[1:])\nsys.exit(7)\n"
    (package / "__main__.py").write_text(program)
    done = lab(tmp_path, "there", "--open")
    assert done.returncode == 7, done.stderr
    assert done.stdout == f"{tmp_path / 'mine'} []\n"
    assert names(tmp_path / "mine") == ALL
    assert "minitorch lessons mine --open" in lab(tmp_path, "there").stdout


def test_without_jupyterlab_a_sentence_says_so(tmp_path):
    done = lab(tmp_path, "missing", "--open")
    assert done.returncode == 1
    assert done.stdout == ""
    said = "[lessons] JupyterLab is not installed. Install it: "
    install = f"{sys.executable} -m pip install jupyterlab matplotlib"
    assert done.stderr == f"{said}{install}\n"
    assert names(tmp_path / "mine") == ALL
    assert install in lab(tmp_path, "missing").stdout


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("{tmp}/file", "cannot write to {tmp}/file: File exists."),
        ("{tmp}/file/below", "cannot write to {tmp}/file/below: Not a directory."),
        ("{tmp}/link", "cannot write to {tmp}/link: File exists."),
        ("/proc/lessons", "cannot write to /proc/lessons: "),
        (f"{ROOT}/minitorch/new", "is inside the library"),
    ],
)
def test_folders_that_cannot_be(
    folder,
    said,
    tmp_path,
    capsys,
    monkeypatch,
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    assert call(folder.format(tmp=tmp_path)) == 1
    assert said.format(tmp=tmp_path) in one_sentence(capsys)
    assert names(tmp_path) == {"file", "link"}
    assert not (ROOT / "minitorch" / "new").exists()

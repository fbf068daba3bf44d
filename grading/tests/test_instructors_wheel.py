"""The tests of three wheels: instructors get all, students get no solution."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from minitorch_grading.course import markup
from minitorch_grading.course.sources import TOML, files_below, find

GPU = ("clinic", "reductions", "matmul", "tensorcores", "attention")
ROOT = Path(__file__).resolve().parents[2]
ASSIGNMENTS = ROOT / "assignments"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = ASSIGNMENTS / "build_wheel.py"
    spec = importlib.util.spec_from_file_location("build_wheel", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    folders = [tmp_path_factory.mktemp("wheel") for _ in range(2)]
    first, again = (folder / module.build_wheel(str(folder)) for folder in folders)
    assert first.read_bytes() == again.read_bytes()
    return first


def test_every_assignment_is_in_the_instructors_wheel(wheel: Path, tmp_path: Path):
    install = ["install", "--no-deps", "--no-index", "--target", str(tmp_path / "site")]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", *install]
    done = subprocess.run([*pip, str(wheel)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    installed = tmp_path / "site" / "minitorch_assignments"
    names = sorted(path.parent.name for path in ASSIGNMENTS.glob(f"*/{TOML}"))
    assert names
    for name in names:
        copied = dict(files_below(find(name, (installed,))))
        given = dict(files_below(ASSIGNMENTS / name))
        assert copied.keys() == given.keys()
        for each in given:
            assert copied[each].read_bytes() == given[each].read_bytes()


def test_an_installed_package_is_a_place_of_assignments(wheel: Path, tmp_path: Path):
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(tmp_path / "site")
    program = (
        "import sys; sys.path.insert(0, 'site')\n"
        "from minitorch_grading.course.sources import assignment_folders\n"
        "print(*assignment_folders())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True
    )
    assert str(Path("site", "minitorch_assignments")) in done.stdout, done.stderr


def test_the_students_wheel_has_no_assignment():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = project["tool"]["scikit-build"]["wheel"]["packages"]
    assert not [each for each in packages if "assignment" in each]
    for package in packages:
        for path in (ROOT / package).rglob("*"):
            parts = path.relative_to(ROOT).parts
            assert not {"graded", "twins", "assignments"} & set(parts), path
            assert path.name != TOML


@pytest.mark.parametrize("name", GPU)
def test_no_solution_of_a_gpu_assignment_is_in_the_students_wheel(name: str):
    """Modules 0 to 2 are what the library itself is made of; these are not."""
    own = set()
    for package in ("minitorch", "minitorch_cuda", "minitorch_cuda_pytest"):
        for path in (ROOT / package).rglob("*.*"):
            if path.suffix in (".py", ".cu", ".cuh"):
                text = path.read_text("utf-8", "replace")
                own.update(line.strip() for line in text.splitlines())
    for file, path in files_below(ASSIGNMENTS / name / "source"):
        if markup.is_marked(file):
            for number, line in markup.secret_lines(path.read_text("utf-8"), file):
                assert len(line) < 40 or line not in own, f"{path}:{number}"


def test_library_and_grader_have_one_version():
    library, grader = (
        tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]
        for folder in (".", "grading")
    )
    assert grader["version"] == library["version"]
    assert f"minitorch-cuda=={library['version']}" in grader["dependencies"]


def test_what_a_built_wheel_may_hold_is_checked():
    """`.ci/check_wheel.py` refuses what no student may get."""
    text = (ROOT / ".ci" / "check_wheel.py").read_text()
    for word in ("assignments/", "graded/", "twins/", "solution"):
        assert word in text

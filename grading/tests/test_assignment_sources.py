"""The tests of modules 0 to 2 as students meet them: starters and solutions.

Each tree runs in a process of its own, with its own `minitorch`. What rows and twins
say is `validate`'s to judge; here nothing is graded.
"""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from minitorch_grading.course import trees, twins
from minitorch_grading.course.sources import read_source
from minitorch_grading.rubric.assignment import read_assignment

from .student_runs import run

ASSIGNMENTS = Path(__file__).parents[2] / "assignments"
NAMES = ("m0", "m1", "m2")
# With each change one of them, the others each week.
ONE_QUICK = [NAMES[0], *(pytest.param(n, marks=pytest.mark.slow) for n in NAMES[1:])]
# Training is judged, and tried by students; these tests are about the rest.
QUICK = "not task1_5 and not task2_5"
MINE = "tests/test_operators_mine.py"


def student(name: str, kind: trees.Kind, to: Path) -> Path:
    """What students of a module get, or the same with its solution."""
    tree = trees.student_tree(read_source(ASSIGNMENTS / name), kind)
    trees.write_tree(tree, to)
    return to


def pytest_run(folder: Path, *arguments: str) -> CompletedProcess[str]:
    quiet = ["-p", "no:cacheprovider", "-q", "--hypothesis-seed=0"]
    return run(["-m", "pytest", *quiet, *arguments], folder)


@pytest.mark.parametrize("name", NAMES)
def test_each_row_has_a_twin_and_each_module_twelve(name: str) -> None:
    found = twins.twins_of(ASSIGNMENTS / name)
    rows = {row for twin in found for row in twin.rows}
    assert rows == {row.id for row in read_assignment(ASSIGNMENTS / name).rows}
    assert len(found) >= 12
    assert all("wrong" in twin.text for twin in found)


@pytest.mark.parametrize("name", ONE_QUICK)
def test_a_solution_passes_its_public_tests_and_examples(
    name: str, tmp_path: Path
) -> None:
    folder = student(name, "solution", tmp_path / name)
    done = pytest_run(folder, "--doctest-modules", "-m", QUICK, "tests", "minitorch")
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout


@pytest.mark.parametrize("name", ONE_QUICK)
def test_a_starter_passes_no_test_of_a_task(name: str, tmp_path: Path) -> None:
    folder = student(name, "starter", tmp_path / name)
    (folder / "conftest.py").write_text(
        "import json, pytest\n"
        "passed = []\n"
        "@pytest.hookimpl\n"
        "def pytest_runtest_logreport(report):\n"
        "    task = any(key.startswith('task') for key in report.keywords)\n"
        "    if report.when == 'call' and report.passed and task:\n"
        "        passed.append(report.nodeid)\n"
        "def pytest_sessionfinish(session):\n"
        "    facts = {'passed': passed, 'collected': session.testscollected}\n"
        "    open('facts.json', 'w').write(json.dumps(facts))\n"
    )
    done = pytest_run(folder, "--tb=no")
    assert done.returncode == 1, done.stdout + done.stderr
    facts = json.loads((folder / "facts.json").read_text())
    assert facts["collected"] > 30
    assert facts["passed"] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_package_needs_numpy_alone(name: str, tmp_path: Path) -> None:
    folder = student(name, "solution", tmp_path / name)
    program = (
        f"import sys; sys.path.insert(0, {str(folder)!r})\n"
        "for absent in ('numba', 'torch', 'minitorch_cuda', 'typing_extensions'):\n"
        "    sys.modules[absent] = None\n"
        # An editable install's finder would bring the library.
        "sys.meta_path = [f for f in sys.meta_path if isinstance(f, type)]\n"
        "import minitorch\n"
        "print(minitorch.__file__)\n"
    )
    done = run(["-c", program], folder)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()) == folder / "minitorch" / "__init__.py"


FAULTS = ASSIGNMENTS / "m0/graded/operators_twins/edits.txt"


@pytest.mark.slow
@pytest.mark.parametrize("fault", range(5))
def test_own_tests_notice_each_hidden_fault(fault: int, tmp_path: Path) -> None:
    """The solution's tests of task 0.2 pass for none of the grader's five files."""
    folder = student("m0", "solution", tmp_path / "m0")
    twin = twins.read_twins(FAULTS)[fault]
    file = folder / twin.file
    file.write_text(twins.overlay(twin, file.read_text()))
    done = pytest_run(folder, "--tb=no", "-x", MINE)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "failed" in done.stdout


def test_five_faults_are_hidden() -> None:
    assert len(twins.read_twins(FAULTS)) == 5

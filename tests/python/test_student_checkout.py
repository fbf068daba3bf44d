"""The tests of the pytest plugin beside a student's package `minitorch`: the student's
functions are tested, however pytest is called, or the run ends with 4.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys

import pytest

from .checkouts import make_wheel, run, write
from .source_tree import ROOT

BARE = "import sys, pytest; sys.path.remove(''); sys.exit(pytest.main())"
STUDENT = {
    "minitorch/__init__.py": """
        from .operators import *
        from . import cuda_ops
    """,
    "minitorch/operators.py": """
        def mul(a, b):
            raise NotImplementedError("Task 0.1")
    """,
    "minitorch/cuda_ops.py": """
        from numba import cuda

        def double(out, a):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = a[i] * 2

        double = cuda.jit(double)
    """,
    "setup.cfg": """
        [tool:pytest]
        markers =
            task0_1
            task3_3
    """,
    "tests/__init__.py": "",
    "tests/test_operators.py": """
        import pytest
        import minitorch
        from minitorch.operators import mul

        @pytest.mark.task0_1
        def test_mul():
            assert minitorch.mul is mul
            assert mul(2, 3) == 6
    """,
    "tests/test_cuda.py": """
        import numba
        import numpy as np
        import pytest
        import minitorch

        @pytest.mark.task3_3
        def test_double():
            assert numba.cuda.is_available()
            out = np.zeros(40)
            minitorch.cuda_ops.double[2, 32](out, np.ones(40))
            assert out.tolist() == [2.0] * 40
            from minitorch_cuda import cuda, nn
            assert cuda.jit is numba.cuda.jit
            assert not hasattr(minitorch, "nn")
    """,
}
FILES = ["tests/test_operators.py", "tests/test_cuda.py"]
CALLS = {
    "bare": (".", ["-c", BARE]),
    "module": (".", ["-m", "pytest"]),
    "bare, from tests": ("tests", ["-c", BARE]),
    "module, from tests": ("tests", ["-m", "pytest"]),
    "bare, a file": (
        ".",
        ["-c", BARE, "tests/test_operators.py", "tests/test_cuda.py"],
    ),
    "bare, a test": (".", ["-c", BARE, "tests/test_operators.py::test_mul", "tests"]),
    "from elsewhere": ("..", ["-c", BARE, "student/tests"]),
    "plugin named": (".", ["-c", BARE, "-p", "minitorch_cuda_pytest"]),
    "importlib": (".", ["-c", BARE, "--import-mode=importlib"]),
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return make_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(params=["editable", pytest.param("wheel", marks=pytest.mark.slow)])
def installed(request, wheel):
    return wheel if request.param == "wheel" else None


@pytest.fixture
def student(tmp_path):
    return write(tmp_path / "student", STUDENT)


def pytest_run(folder, arguments, installed):
    quiet = ["-p", "no:cacheprovider", "-W", "ignore"]
    return run([*arguments, *quiet], folder, installed)


@pytest.mark.cuda
@pytest.mark.parametrize(
    "call",
    ["bare", *(pytest.param(c, marks=pytest.mark.slow) for c in CALLS if c != "bare")],
)
def test_the_students_package_is_tested(call, student, installed):
    place, arguments = CALLS[call]
    done = pytest_run(student / place, arguments, installed)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "NotImplementedError: Task 0.1" in done.stdout
    assert "1 failed, 1 passed" in done.stdout
    assert f"minitorch: {student / 'minitorch'}, numba: minitorch_cuda" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("way", [["-c", BARE], ["-m", "pytest"]])
def test_the_library_in_its_place_ends_the_run(way, student, installed):
    early = ["-p", "minitorch.tools.numba_plugin"]
    done = pytest_run(student, [*way, *early], installed)
    assert "passed" not in done.stdout
    if installed and way[0] == "-m":  # the student's package has no such plugin
        assert done.returncode != 0
        assert "minitorch.tools" in done.stderr
        return
    assert done.returncode == 4, done.stdout + done.stderr
    assert "was imported. Remove" in done.stderr
    assert f"need the package in {student}" in done.stderr


@pytest.mark.slow
@pytest.mark.cuda
@pytest.mark.parametrize("marker", ["task3_3", "test3_3"])
def test_both_names_of_a_task_select_it(marker, student, installed):
    strict = ["--strict-markers", "-m", marker]
    done = pytest_run(student, ["-m", "pytest", *strict], installed)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed, 1 deselected" in done.stdout


@pytest.mark.slow
def test_a_file_that_is_no_python_fails_the_run(student, installed):
    write(student, {"minitorch/cuda_ops.py": "def double(:\n"})
    done = pytest_run(student, ["-m", "pytest", "-m", "test3_3"], installed)
    assert done.returncode not in (0, 5), done.stdout
    assert "SyntaxError" in done.stdout
    assert "passed" not in done.stdout


@pytest.mark.slow
def test_a_file_that_is_missing_is_not_the_librarys(student, installed):
    (student / "minitorch" / "operators.py").unlink()
    done = pytest_run(student, ["-m", "pytest"], installed)
    assert done.returncode not in (0, 5), done.stdout
    assert "has no module 'minitorch.operators'" in done.stdout


def test_beside_an_assignment_the_library_is_never_minitorch(student, installed):
    shutil.rmtree(student / "minitorch")
    write(student, {"assignment.toml": ""})
    done = pytest_run(student, ["-m", "pytest"], installed)
    assert done.returncode not in (0, 5), done.stdout
    assert "has no module 'minitorch'" in done.stdout


@pytest.mark.slow
@pytest.mark.cuda
def test_the_commands_of_the_page_test_the_students_package(student):
    page = (ROOT / "docs" / "module3_without_a_gpu.md").read_text()
    commands = re.findall(r"^python (-m pytest.*)$", page, re.MULTILINE)
    assert len(commands) == 3
    for command, status in zip(commands, (0, 1, 5), strict=True):
        done = pytest_run(student, shlex.split(command), None)
        assert done.returncode == status, done.stdout + done.stderr
        assert f"minitorch: {student / 'minitorch'}, numba: mini" in done.stdout


@pytest.mark.cuda
def test_the_script_of_the_page_runs_the_students_kernels(student, wheel):
    page = (ROOT / "docs" / "module3_without_a_gpu.md").read_text()
    (script,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    more = """
import numpy as np
out = np.zeros(40)
minitorch.cuda_ops.double[2, 32](out, np.ones(40))
assert out.sum() == 80
"""
    write(student, {"my_script.py": script + more})
    done = run(["-W", "ignore", "my_script.py"], student, wheel)
    assert done.returncode == 0, done.stderr


def test_tests_of_two_students_are_refused(tmp_path):
    for name in ("one", "two"):
        write(tmp_path / name, STUDENT)
    done = pytest_run(tmp_path, ["-m", "pytest", "one/tests", "two/tests"], None)
    assert done.returncode == 4, done.stdout + done.stderr
    assert "the tests belong to 2 packages" in done.stderr


def test_without_a_package_of_that_name_nothing_changes(tmp_path, installed):
    text = """
        import sys

        import pytest

        def test_nothing(request):
            names = {"minitorch", "minitorch_cuda", "numba"} & set(sys.modules)
            assert not names
            assert not any("minitorch_cuda_pytest" in type(each).__module__
                           for each in sys.meta_path)
            plugins = request.config.pluginmanager
            assert not plugins.get_plugin("minitorch_cuda_checkout")
            import minitorch
            assert minitorch.nn.Linear
    """
    write(tmp_path, {"tests/test_program.py": text})
    done = pytest_run(tmp_path, ["-m", "pytest"], installed)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "minitorch:" not in done.stdout


def test_nothing_changes_in_the_librarys_own_tests(
    request,
):
    plugins = request.config.pluginmanager
    assert plugins.get_plugin("minitorch_cuda_checkout") is None
    assert "minitorch_cuda_pytest" not in {type(e).__module__ for e in sys.meta_path}

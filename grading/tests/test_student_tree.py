"""The tests of a starter as students run it: pytest, markers, course check.

Each runs in a process of its own, beside an editable install and beside a wheel.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from subprocess import CompletedProcess
from xml.etree import ElementTree

import pytest

from minitorch_grading.check import (
    NotYet,
    check,
    main,
    public_report,
    report_text,
)
from minitorch_grading.errors import UsageError

from .small_course import change, write_course, write_files, write_starter
from .student_runs import make_wheel, run

BARE = "import sys, pytest; sys.path.remove(''); sys.exit(pytest.main())"
WAYS = {"pytest": ["-c", BARE], "python -m pytest": ["-m", "pytest"]}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(params=["editable", pytest.param("wheel", marks=pytest.mark.slow)])
def installed(request: pytest.FixtureRequest, wheel: Path) -> Path | None:
    return wheel if request.param == "wheel" else None


@pytest.fixture
def starter(tmp_path: Path) -> Path:
    """What a student has unpacked: the kernel in it reads and writes one cell alone."""
    write_starter(write_course(tmp_path / "assignments"), tmp_path / "sums")
    return tmp_path / "sums"


def pytest_run(
    folder: Path, arguments: list[str], installed: Path | None = None
) -> CompletedProcess[str]:
    quiet = ["-p", "no:cacheprovider"]
    return run([*arguments, *quiet], folder, installed)


@pytest.mark.slow
@pytest.mark.cuda
@pytest.mark.parametrize(
    ("way", "marker"), [("pytest", "task6_1"), ("python -m pytest", "test6_1")]
)
def test_a_starters_own_files_are_tested(
    way: str, marker: str, starter: Path, installed: Path | None
) -> None:
    strict = ["--strict-markers", "-m", marker]
    done = pytest_run(starter, [*WAYS[way], *strict], installed)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"minitorch: {starter / 'minitorch'}, numba: minitorch_cuda" in done.stdout
    assert "KernelError" in done.stdout
    assert "minitorch/sums.py:10" in done.stdout
    assert "Unknown" not in done.stdout


@pytest.mark.parametrize("way", WAYS)
def test_the_library_in_its_place_ends_the_run(
    way: str, starter: Path, installed: Path | None
) -> None:
    library = "import sys, minitorch_cuda\nsys.modules['minitorch'] = minitorch_cuda\n"
    write_files(starter, {"tests/conftest.py": library})
    done = pytest_run(starter, WAYS[way], installed)
    assert done.returncode == 4, done.stdout + done.stderr
    assert f"need the package in {starter}" in done.stderr


@pytest.mark.parametrize("way", WAYS)
def test_files_without_a_package_are_found(way: str, starter: Path) -> None:
    write_files(starter, {"kernels.py": "BLOCK = 64\n"})
    test = "import kernels\n\ndef test_block():\n    assert kernels.BLOCK == 64\n"
    write_files(starter, {"tests/test_kernels.py": test})
    done = pytest_run(starter, [*WAYS[way], "tests/test_kernels.py"])
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.rmtree(starter / "minitorch")  # as the clinic's: no package at all
    done = pytest_run(starter, [*WAYS[way], "tests/test_kernels.py"])
    assert f"assignment: {starter}, numba: minitorch_cuda" in done.stdout


@pytest.mark.slow
@pytest.mark.cuda
def test_a_finding_is_shown_in_the_students_lines(starter: Path) -> None:
    done = pytest_run(starter, ["-m", "pytest"])
    assert "found: race_global, in your lines" in done.stdout
    line = r"minitorch/sums\.py:10: out\[0\] \+= a\[i\]   <- thread \(\d+,0,0\)"
    assert re.search(line, done.stdout), done.stdout
    assert "/minitorch/cuda/" not in done.stdout  # none of the library's own lines
    full = run(["-m", "pytest"], starter, MINITORCH_TRACEBACK="full")
    assert "/minitorch/cuda/" in full.stdout


@pytest.mark.cuda
def test_a_test_that_waits_for_nothing_fails_all_the_same(starter: Path) -> None:
    text = """
        import numpy as np

        from minitorch.sums import total
        from minitorch_cuda import cuda


        def test_launch():
            total[1, 8](cuda.to_device(np.zeros(1)), cuda.to_device(np.ones(8)), 8)


        def test_nothing():
            pass
    """
    write_files(starter, {"tests/test_launch.py": text})
    done = pytest_run(starter, ["-m", "pytest", "tests/test_launch.py"])
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert "race_global" in done.stdout


KERNEL = """\
__global__ void halves(float* out) {
  out[threadIdx.x] = 0.5f;
}
"""

HELPED = """
    from pathlib import Path

    import numpy as np
    import pytest

    from minitorch_cuda import cuda

    FILE = Path(__file__).parents[1] / "kernels" / "halves.cu"


    def launched(threads):
        __tracebackhide__ = True
        out = cuda.to_device(np.zeros(32, np.float32))
        cuda.RawKernel(FILE.read_text(), "halves")[1, threads](out)
        cuda.synchronize()
        return out.copy_to_host()


    @pytest.mark.task6_1
    @pytest.mark.parametrize("threads", [31, 33])
    def test_halves(threads):
        out = launched(threads)
        assert out[31] == 0.5, f"out[31] is {out[31]}"
"""


@pytest.mark.slow
@pytest.mark.cuda
def test_a_file_of_cuda_is_quoted_and_the_finding_told_first(starter: Path) -> None:
    write_files(starter, {"kernels/halves.cu": KERNEL, "tests/test_sums.py": HELPED})
    toml = starter / "assignment.toml"
    files = re.search(r"^files = \[", toml.read_text(), re.MULTILINE)
    assert files is not None
    change(toml, files[0], f'{files[0]}"kernels/halves.cu", ')
    change(toml, "test_sums.py::test_total", "test_sums.py::test_halves")
    done = pytest_run(starter, ["-m", "pytest", "tests/test_sums.py"])
    assert (
        "kernels/halves.cu:2: out[threadIdx.x] = 0.5f;   <- thread (32" in done.stdout
    )
    assert "cuda.RawKernel(FILE" not in done.stdout  # the helper's lines
    (row,) = public_report(starter)["rows"]
    assert row["outcome"] == "reported"
    assert row["findings"][0]["file"] == "kernels/halves.cu"
    assert row["message"] == "2 of 2 tests fail."
    change(toml, "::test_halves", "::test_halves[31]")
    (row,) = public_report(starter)["rows"]
    # The test of 33 threads is another's row, and a helper has no line of its own.
    assert row["outcome"] == "failed"
    assert row["message"].startswith("out[31] is 0.0. See test_halves[31] at tests/")


LOOP = """
    from minitorch_cuda import cuda


    @cuda.jit
    def total(out, a, n):
        k = 0.0
        while n > 0:
            k += 1.0
        out[0] = k
"""


@pytest.mark.slow
@pytest.mark.cuda
def test_loops_without_end_do_not_take_minutes(starter: Path) -> None:
    text = """
        import numpy as np
        import pytest

        from minitorch.sums import total
        from minitorch_cuda import cuda


        @pytest.mark.parametrize("n", [1, 2, 3])
        def test_launch(n):
            total[1, 8](cuda.to_device(np.zeros(1)), cuda.to_device(np.ones(8)), n)
            cuda.synchronize()


    """
    files = {"minitorch/sums.py": LOOP, "tests/test_launch.py": text}
    write_files(starter, files)
    command = ["-m", "pytest", "tests/test_launch.py", "-p", "no:cacheprovider"]
    before = os.times().children_user
    done = run(command, starter)
    assert done.stdout.count("found: timeout, in your lines") == 3, done.stdout
    used = os.times().children_user - before  # a busy machine uses up nothing
    assert used < 40, used  # 10 s, then 2 s and 2 s; a minute each without


def test_an_assignment_that_is_no_toml_ends_the_run(starter: Path) -> None:
    (starter / "assignment.toml").write_text("name = ")
    done = pytest_run(starter, ["-m", "pytest"])
    assert done.returncode == 4
    assert "is not valid TOML" in done.stderr


SOLVED = """
    from minitorch_cuda import cuda


    @cuda.jit
    def total(out, a, n):
        if cuda.threadIdx.x == 0:
            out[0] = 0
            for k in range(n):
                out[0] += a[k]
"""


@pytest.mark.slow
@pytest.mark.cuda
def test_a_check_tells_sentences(
    starter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(NotYet, match="0 of 4 points"):
        check("6.1", folder=starter)
    out = capsys.readouterr().out
    assert "6.1 sum: 0 of 4 points\n  not yet " in out
    assert "a race: sums.py:10" in out
    assert "  ask       6.1: Who owns the total?\n" in out
    assert out.endswith("0 of 1 public rows right\n")
    write_files(starter, {"minitorch/sums.py": SOLVED})
    assert check("6.1", folder=starter) == 4
    out = capsys.readouterr().out
    assert "  right     on 1 test\n" in out
    assert "  next      Try two blocks.\n" in out
    assert out.endswith("the public row is right\n")


@pytest.mark.slow
def test_hidden_rows_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sums = write_course(tmp_path / "assignments")
    write_starter(sums.parent / "numbers", tmp_path / "numbers")
    with pytest.raises(NotYet):
        check(folder=tmp_path / "numbers")
    out = capsys.readouterr().out
    assert "  not yet   Not written yet: minitorch/operators.py:8." in out
    assert out.endswith("0 of 1 public rows right; 1 hidden row is not run here\n")
    text = "def inv(x):\n    return 1 / x\n"
    write_files(tmp_path / "numbers", {"minitorch/operators.py": text})
    assert check("0.1", folder=tmp_path / "numbers") == 2
    end = "the public row is right; 1 hidden row is not run here\n"
    assert capsys.readouterr().out.endswith(end)


# What a student may have saved, and what the check says of it.
SAVED = {
    "def inv(x):\n    return 2 / x\n": ("failed", "assert 0.5 == 0.25"),
    "def inv(x):\n    return x.inverse\n": (
        "error",
        "AttributeError at minitorch/operators.py:2: 'float' object",
    ),
    "def inv(x:\n": ("error", "minitorch/operators.py:1 does not compile: '(' was"),
    "def other(x):\n    return x\n": ("error", "cannot import name 'inv'"),
    "import os\ndef inv(x):\n    os._exit(0)\n": ("not_run", "There is no test"),
    "import os\ndef inv(x):\n    os._exit(7)\n": ("crash", "ended before this one"),
}


@pytest.mark.slow
@pytest.mark.parametrize("text", SAVED)
def test_what_is_saved_is_told(tmp_path: Path, text: str) -> None:
    sums = write_course(tmp_path / "assignments")
    write_starter(sums.parent / "numbers", tmp_path / "numbers")
    write_files(tmp_path / "numbers", {"minitorch/operators.py": text})
    report = public_report(tmp_path / "numbers")
    (row,) = report["rows"]
    outcome, words = SAVED[text]
    assert row["outcome"] == outcome, row
    assert words in row["message"]
    assert row["points"] == 0
    assert report["gradable"] == (not report["format_errors"])
    broken = "import" in row["message"] or "does not compile" in row["message"]
    assert report["gradable"] == (not broken)
    assert len(report["format_errors"]) == broken  # said once, of the file
    assert str(tmp_path) not in report_text(report, tmp_path / "numbers")


@pytest.mark.slow
def test_what_several_tests_say_is_in_sentences(tmp_path: Path) -> None:
    sums = write_course(tmp_path / "assignments")
    numbers = tmp_path / "numbers"
    write_starter(sums.parent / "numbers", numbers)
    test = "\n@pytest.mark.task0_1\n@pytest.mark.parametrize('x', [1, 2])\n"
    public = numbers / "tests" / "test_operators.py"
    before = public.read_text().partition("\n@pytest")[0]
    for body, words in {
        "raise ValueError('no x')": "test_operators.py:12: no x. 2 of 2 tests fail.",
        "pytest.skip('It needs a card.')": "Skipped: It needs a card.",
    }.items():
        public.write_text(f"{before}\n{test}def test_inv(x):\n    {body}\n")
        (row,) = public_report(numbers)["rows"]
        assert row["message"].endswith(words), row["message"]


@pytest.mark.slow
@pytest.mark.cuda
def test_a_public_report_is_a_report(starter: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    from minitorch_grading.report import report as reports

    schema = json.loads(
        Path(reports.__file__).with_name("report.schema.json").read_text()
    )
    for text in ("", SOLVED):
        if text:
            write_files(starter, {"minitorch/sums.py": text})
        report = public_report(starter)
        jsonschema.validate(report, schema)
        assert report["isolation"] == "process"
    assert report["score"] == report["max_score"] == 4


RACE = """
    from minitorch_cuda import cuda


    @cuda.jit
    def total(out, a, n):
        part = cuda.shared.array(8, "float64")
        part[cuda.threadIdx.x] = a[cuda.threadIdx.x]
        if cuda.threadIdx.x == 0:
            out[0] = 0
            for k in range(n):
                out[0] += part[k]
"""


@pytest.mark.slow
@pytest.mark.cuda
def test_a_check_draws_a_race_and_drops_it_when_it_is_mended(
    starter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = starter / "found"
    found.mkdir()
    for name in ("6.1-sum.html", "mine.svg"):
        (found / name).write_text("an old picture")
    write_files(starter, {"minitorch/sums.py": RACE})
    assert main(["6.1"], starter) == 1
    assert "Picture: found/6.1-sum.svg" in capsys.readouterr().out
    assert sorted(path.name for path in found.iterdir()) == ["6.1-sum.svg", "mine.svg"]
    root = ElementTree.fromstring((found / "6.1-sum.svg").read_text())
    drawn = " ".join(" ".join(root.itertext()).split())
    for words in ("part[cuda.threadIdx.x]", "1 writes line 7", "1 reads line 11"):
        assert words in drawn
    (found / "mine.svg").unlink()
    write_files(starter, {"minitorch/sums.py": SOLVED})
    assert main(["6.1"], starter) == 0
    assert "Picture" not in capsys.readouterr().out
    assert not found.exists()


def test_a_check_without_assignment_says_where_to_run(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"cannot read .*; need the folder of an assignment"
    ):
        check(folder=tmp_path)


def test_a_run_that_pytest_refuses_is_told(starter: Path) -> None:
    library = "import sys, minitorch_cuda\nsys.modules['minitorch'] = minitorch_cuda\n"
    write_files(starter, {"tests/conftest.py": library})
    with pytest.raises(UsageError, match="need the package in"):
        check(folder=starter)


@pytest.mark.cuda
def test_the_command_checks(starter: Path, installed: Path | None) -> None:
    words = ["-m", "minitorch_cuda", "course", "check", "6.1"]
    done = run(words, starter, installed)
    assert done.returncode == 1, done.stderr
    assert done.stdout.endswith("0 of 1 public rows right\n"), done.stderr
    change(starter / "minitorch" / "sums.py", "out[0] +=", "if i == 0: out[0] = n #")
    done = run(words, starter, installed)
    assert done.returncode == 0, done.stdout + done.stderr
    done = run([*words[:-1], "3.3"], starter, installed)
    assert done.returncode == 2
    assert "got the task '3.3'" in done.stderr


@pytest.mark.cuda
def test_the_commands_of_a_readme_run(starter: Path) -> None:
    page = (starter / "README.md").read_text()
    words = re.findall(r"^python (-m pytest.*)$", page, re.MULTILINE)
    assert words == ["-m pytest -x -m test6_1"]
    done = pytest_run(starter, words[0].split())
    assert "1 failed" in done.stdout
    assert re.findall(r"^minitorch course check (.*)$", page, re.MULTILINE) == ["6.1"]

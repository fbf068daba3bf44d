"""Holds whole gradings of the tiny assignment: right, wrong, and far from right."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import zipfile
from collections import Counter
from contextlib import closing
from html import unescape
from pathlib import Path

import pytest

from minitorch_grading.course import trees
from minitorch_grading.course.sources import read_source
from minitorch_grading.course.twins import twins_of
from minitorch_grading.errors import AssignmentError
from minitorch_grading.judge.bench import Bench
from minitorch_grading.judge.grade import grade_one
from minitorch_grading.judge.rows import Record
from minitorch_grading.judge.sides import Side
from minitorch_grading.judge.submission import Submission
from minitorch_grading.report.pages.student import student_page
from minitorch_grading.rubric.assignment import read_assignment
from minitorch_grading.rubric.handed_in import read_handed_in
from minitorch_grading.sandbox import levels

from .conftest import DATA
from .graded import (
    CONFINED,
    NEEDS_CONFINED,
    SECRET,
    Desk,
    for_students,
    outcomes,
    row_of,
    without_times,
)

OPERATORS, OPS, SCALE = (
    "minitorch/operators.py",
    "minitorch/cuda_ops.py",
    "kernels/scale.cu",
)
CLIP = ("1.1-clip", "1.1-secret")
confined = pytest.mark.skipif(not CONFINED, reason=NEEDS_CONFINED)


@confined
def test_the_solution_has_all_points(desk):
    report = desk.grade()
    assert (report["score"], report["max_score"]) == (10, 10)
    assert report["final"]
    assert report["gradable"]
    assert report["package_file"] == "minitorch/__init__.py"
    left = {name: outcome for name, outcome in outcomes(report).items() if outcome}
    assert set(left.values()) == {"passed", "manual"}
    assert row_of(report, "1.2-map.cost")["metrics"] == {}  # it is hidden


@pytest.mark.slow
@confined
def test_the_same_submission_has_the_same_report(desk):
    """Twice, on one core and on all, with a solution that is asked or remembered."""
    cores = os.sched_getaffinity(0)
    first = desk.grade()
    os.sched_setaffinity(0, {min(cores)})
    try:
        again = desk.grade()
    finally:
        os.sched_setaffinity(0, cores)
    assert without_times(first) == without_times(again)


@pytest.mark.slow
@confined
def test_a_message_has_no_place_of_this_run(desk):
    text = (
        desk.solution[OPS]
        .decode()
        .replace("        i =", "        bad = [1]\n        i =")
    )
    first, again = (desk.grade("1.2-double", **{OPS: text}) for _ in range(2))
    assert without_times(first) == without_times(again)
    row = row_of(first, "1.2-double")
    assert " At cuda_ops.py:16: `bad = [1]`." in row["message"]
    assert 'File "minitorch/cuda_ops.py", line ' in row["staff_message"]
    assert "minitorch-judge-" not in json.dumps(first)


@pytest.mark.slow
@confined
def test_staff_alone_read_how_a_value_was_made(desk):
    body = "import numpy as np\n\ndef clip(values, low, high):\n    return {}\n"
    for made, noted in [
        ("np.clip(values, low, high)", "clip"),
        ("values.clip(low, high) + 0 * (values @ values.T).sum()", "@, clip"),
        ("np.minimum(np.maximum(values, low), high)", ""),
    ]:
        report = desk.grade("1.1-secret", **{OPERATORS: body.format(made)})
        row = row_of(report, "1.1-secret")
        assert row["outcome"] == "passed"
        words = f"{OPERATORS} uses {noted}: is it the student's own work?"
        assert row["staff_message"] == (words if noted else "")
        assert "own work" not in for_students(report)


@confined
def test_the_starter_has_no_points(desk):
    tree = trees.sources_tree(read_source(desk.tiny), "starter")
    report = desk.grade(**{name: tree[name] for name in desk.solution})
    assert report["score"] == 0
    assert report["gradable"]
    assert row_of(report, "1.1-clip")["outcome"] == "error"
    assert "not written yet" in row_of(report, "1.1-secret")["message"]


@pytest.mark.slow
@confined
@pytest.mark.parametrize("twin", twins_of(DATA / "tiny"), ids=lambda t: t.name)
def test_a_twin_loses_its_rows_with_its_kind(desk, twin):
    tree = trees.twin_tree(read_source(desk.tiny), twin)
    items = {row.split(".")[0] + "." + row.split(".")[1] for row in twin.rows}
    report = desk.grade(*items, **{twin.file: tree[twin.file]})
    judged = [row for row in report["rows"] if row["outcome"] not in ("not_run",)]
    lost = [row["id"] for row in judged if row["points"] < row["max_points"]]
    assert [name for name in lost if name != "1.3-words"] == list(twin.rows)
    told = {each["kind"] for row in judged for each in row["findings"]}
    assert set(twin.kinds) <= told | {row["outcome"] for row in judged}
    for row in judged:
        for each in row["findings"]:
            if each["severity"] == "error":
                place = (each["file"], (each["line"] or 0) > 0)
                assert place == ((None, False) if row["hidden"] else (twin.file, True))


RAW = '''
from minitorch_cuda import cuda
import extra
for _ in range(10_000):
    print("x" * 40)
TEXT = """
extern "C" __global__ void m(double *out, const double *a, long long n) {
  long long i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2.0 * a[i];
}"""
RAW = cuda.RawKernel(TEXT, "m")
def tensor_map(fn):
    return RAW
'''


@pytest.fixture
def package_desk(tiny_copy, tmp_path):
    """A desk whose package imports all of its files, for tasks of loops, too."""
    toml = tiny_copy / "assignment.toml"
    toml.write_text(toml.read_text().replace('"nothing"', '"numba"', 1))
    text = "from .operators import clip, double\nfrom .cuda_ops import tensor_map\n"
    (tiny_copy / "source/minitorch/__init__.py").write_text(text)
    return Desk(tiny_copy, tmp_path / "desk", tmp_path / "cache")


@pytest.mark.slow
@confined
def test_oddities_that_are_no_mistakes(package_desk):
    """CRLF, BOM, prints, other files, a RawKernel for cuda.jit; as a zip."""
    desk = package_desk
    text = desk.solution[OPERATORS].decode()
    folder = desk.hand_in(
        **{
            OPERATORS: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
            OPS: RAW.replace("import extra\n", ""),
            "conftest.py": "1/0",
            "minitorch/numpy.py": "1/0",
        }
    )
    path = folder.parent / "homework.zip"
    with zipfile.ZipFile(path, "w") as out:
        for each in sorted(folder.rglob("*")):
            if each.is_file():
                out.write(each, f"homework-main/{each.relative_to(folder)}")
    report = desk.grade_folder(path)
    assert report["score"] == report["max_score"], outcomes(report)
    assert "conftest.py" in report["message"]


@pytest.mark.slow
def test_a_missing_file_and_a_syntax_error_leave_the_rest(desk):
    report = desk.grade(*CLIP, "1.2-double", **{OPS: None, SCALE: None})
    assert not report["gradable"]
    assert outcomes(report)["1.1-clip"] == "passed"
    assert outcomes(report)["1.2-double"] == "error"
    assert "is not among the files" in row_of(report, "1.2-double")["message"]
    report = desk.grade("1.1-clip", "1.2-double", **{OPERATORS: "def clip(:\n"})
    assert report["format_errors"] == [
        "minitorch/operators.py:1 does not compile: invalid syntax."
    ]
    assert outcomes(report)["1.1-clip"] == "error"


@confined
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(None, id="none", marks=pytest.mark.slow),
        pytest.param("", id="empty", marks=pytest.mark.slow),
        pytest.param("1 / 0\n", id="raises"),
    ],
)
def test_a_file_that_does_not_import_takes_its_own_points_alone(package_desk, text):
    """The package imports it for the tasks of other files, too."""
    rows = ("1.1-clip", "1.2-double")
    found = outcomes(package_desk.grade(*rows, **{OPS: text}))
    assert [found[each] for each in rows] == ["passed", "error"]
    found = outcomes(package_desk.grade(*rows, **{OPERATORS: text}))
    assert [found[each] for each in rows] == ["error", "passed"]


@pytest.mark.slow
@confined
@pytest.mark.parametrize(
    ("text", "said"),
    [(None, "operators.py is not among the files"), ("1 / 0\n", "operators.py:1)")],
)
def test_a_row_that_needs_such_a_file_says_so(package_desk, text, said):
    ops = package_desk.solution[OPS].decode()
    ops = (
        ops.replace("double", "clip") + "\nfrom .operators import clip\nclip(1, 2, 3)\n"
    )
    report = package_desk.grade("1.2-double", **{OPERATORS: text, OPS: ops})
    assert outcomes(report)["1.2-double"] == "error"
    assert said in row_of(report, "1.2-double")["message"]


# A file in place of operators.py: the outcome of its rows, a word of the message, and
# whether the line is known.
HOSTILE = {
    "endless": ("while True: pass", "timeout", "did not end"),
    "endless C": ("sum(iter(int, 1))", "timeout", "did not end"),
    "exit": ("import os; os._exit(0)", "crash", "ended its process"),
    "exit politely": ("raise SystemExit(0)", "", ""),
    "output": ("import sys\nwhile True: sys.stdout.write('x' * 65536)", "crash", "end"),
    "memory": ("a = bytearray(1 << 40)", "memory", "more memory than there is"),
    "names": ("undefined_name", "error", "(NameError) (minitorch/operators.py:2)"),
    "import": ("import torch", "error", "(ModuleNotFoundError)"),
    "deep": ("def f(): f()\nf()", "error", "(RecursionError)"),
    "nothing": ("pass", "error", "(AttributeError)"),
    "a thing": ("clip = lambda *_: object()", "error", "(TypeError)"),
    "text": ("clip = lambda *_: 'x'", "failed", "is a text; need an array"),
    "NaN": ("clip = lambda v, *_: v * float('nan')", "failed", "all values are wrong"),
    "shape": ("clip = lambda v, *_: v[:-1]", "failed", "another shape"),
}


@pytest.mark.slow
@confined
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("import helpers", "ModuleNotFoundError: No module named 'helpers'"),
        ("open('/etc/passwd')", "The answer was: Permission denied: '/etc/passwd'"),
    ],
)
def test_what_is_not_there_is_named_in_words(desk, line, said):
    more = {f"{n}.txt": "" for n in range(30)}
    files = {OPERATORS: f"{line}\n", "helpers.py": "", **more}
    report = desk.grade("1.1-clip", **files)
    message = row_of(report, "1.1-clip")["message"]
    assert said in message
    assert "[Errno" not in message
    assert "Not looked at: helpers.py, 0.txt, " in report["message"]
    assert report["message"].endswith(" and 11 others.")


@pytest.fixture
def quick(tiny_copy, tmp_path, solution_cache):
    """A desk whose tasks have two seconds."""
    path = tiny_copy / "assignment.toml"
    path.write_text(path.read_text().replace("seconds = 20", "seconds = 2"))
    return Desk(tiny_copy, tmp_path / "desk", solution_cache)


@pytest.mark.slow
@confined
@pytest.mark.parametrize("name", HOSTILE)
def test_what_goes_wrong_has_an_outcome_and_a_sentence(quick, name):
    body, outcome, said = HOSTILE[name]
    text = f"import numpy as np\n{body}\n"
    report = quick.grade("1.1-clip", "1.1-secret", **{OPERATORS: text})
    for each in CLIP:
        row = row_of(report, each)
        assert row["outcome"] not in ("passed", "not_run")
        assert row["outcome"] == (outcome or row["outcome"])
        words = said.partition(" (minitorch")[0] if row["hidden"] else said
        assert words in row["message"]
        assert row["points"] == 0
    assert "grader failed" not in report["message"]


@confined
def test_rows_behind_an_endless_loop_are_judged(quick):
    text = """
import numpy as np
def clip(values, low, high):
    while values.shape == (3,):
        pass
    return np.clip(values, low, high)
"""
    report = quick.grade(*CLIP, **{OPERATORS: text})
    found = outcomes(report)
    assert (found["1.1-clip"], found["1.1-secret"]) == ("timeout", "passed")


@pytest.mark.slow
@confined
def test_a_notebook_alone_is_a_submission(desk, tmp_path):
    """With a cell for each file, as starters give it; pages quote the cells."""
    wrong = desk.solution[OPS].decode().replace("out[i] =", "out[i + n] =")
    cells = [
        {"cell_type": "code", "source": f"%%writefile {name}\n{text}"}
        for name, text in {
            OPERATORS: desk.solution[OPERATORS].decode(),
            OPS: wrong,
            SCALE: desk.solution[SCALE].decode(),
        }.items()
    ]
    book = tmp_path / "ada.ipynb"
    book.write_text(json.dumps({"cells": cells}))
    report = desk.grade_folder(book)
    lost = [row for row in report["rows"] if row["outcome"] == "reported"]
    assert [row["id"] for row in lost] == ["1.2-double", "1.2-map.values"]
    line = wrong[: wrong.index("out[i + n] = each")].count("\n") + 2
    (finding, *_) = lost[0]["findings"]
    assert (finding["file"], finding["line"]) == ("ada.ipynb, cell 2", line)
    assert "cuda_ops.py" not in finding["text"] + lost[0]["message"]
    assert f"ada.ipynb, cell 2:{line}" in lost[0]["message"]
    quoted = lines_of(desk, book)["ada.ipynb, cell 2"][line - 1]
    assert "out[i + n] = each" in quoted
    page = student_page(report, None, lines_of(desk, book))
    assert quoted.strip() in unescape(page)


def lines_of(desk, submission):
    return read_handed_in(submission, read_assignment(desk.tiny)).lines


LEAKY = """
import numpy as np
def clip(values, low, high):
    name = "Odd" + "_".join(str(x) for x in np.ravel(values))
    print(name)
    if BREAK == "message":
        raise ValueError(name)
    if BREAK == "place":
        import sys
        author = sys.modules["minitorch_grading.author.program"]
        author.problem = lambda error, folder: {
            "type": "ValueError", "message": name, "file": name, "line": 7
        }
        raise ValueError(name)
    if BREAK == "line":
        import sys
        author = sys.modules["minitorch_grading.author.program"]
        author.problem = lambda error, folder: {
            "type": "ValueError", "message": name,
            "file": "minitorch/operators.py", "line": 777777,
        }
        raise ValueError(name)
    if BREAK == "class":
        raise type(name, (Exception,), {})(name)
    if BREAK == "value":
        return values + 1000
    if BREAK == "a line of its own":
        exec(compile("\\n" * int(abs(values[0]) * 10 % 20) + "0[0]", __file__, "exec"))
    if BREAK == "seconds":
        import time
        time.sleep(abs(values[0]) % 1)
        raise ValueError(name)
    return name
"""
WAYS = ("message", "place", "line", "class", "value", "text")


@pytest.mark.slow
@confined
def test_a_hidden_row_is_told_the_same_whatever_its_input_is(desk):
    """What raised, and how long it took, are a program's words, too."""
    for way in ("a line of its own", "seconds"):
        text = LEAKY.replace("BREAK", repr(way))
        report = desk.grade("1.1-secret", **{OPERATORS: text})
        row = row_of(report, "1.1-secret")
        assert ":" not in row["message"]
        assert row["seconds"] == 0
        assert float(report["seconds"]).is_integer()


@pytest.mark.slow
@confined
@pytest.mark.parametrize("way", WAYS)
def test_hidden_rows_carry_no_inputs_out(desk, way):
    text = LEAKY.replace("BREAK", repr(way))
    report = desk.grade("1.1-secret", **{OPERATORS: text})
    row = row_of(report, "1.1-secret")
    assert row["points"] == 0
    digits = re.findall(r"\d\.\d{4,}", row["staff_message"])
    shown = for_students(report)
    assert way in ("value", "text") or digits, "the exception had the inputs"
    for each in digits:
        assert each not in shown
    assert "Odd" not in shown
    assert "777777" not in shown
    for word in ("drivers", SECRET.decode(), "graded/"):
        assert word not in shown


@pytest.mark.slow
@confined
def test_public_rows_show_inputs_and_a_picture(desk):
    wrong = "import numpy as np\ndef clip(v, a, b):\n    return v\n"
    report = desk.grade("1.1-clip", **{OPERATORS: wrong})
    message = row_of(report, "1.1-clip")["message"]
    assert "result[0] is -2.0, expected 0.0; 2 of 3 cells are wrong" in message
    assert "For (array([-2. , 0.5, 7. ]), 0.0, 1.0)" in message
    text = desk.solution[OPS].decode().replace("out[i] =", "out[0] =")
    report = desk.grade("1.2-double", **{OPS: text})
    row = row_of(report, "1.2-double")
    assert row["findings"][0]["kind"] == "race_global"
    assert row["findings"][0]["thread"] is not None
    (picture,) = row["pictures"]
    assert (desk.report_folder / picture["file"]).stat().st_size > 1000
    assert picture["label"]
    text = desk.solution[OPS].decode().replace("out[i] =", "out[i + 1] =")
    (found,) = row_of(desk.grade("1.2-double", **{OPS: text}), "1.2-double")["findings"]
    assert found["thread"] == [3, 0, 0]
    lines = [text.splitlines()[entry["line"] - 1].strip() for entry in found["values"]]
    assert lines[1:] == ["i = cuda.grid(1)", "if i < n:", "out[i + 1] = each(a[i])"]
    values = [entry["text"] for entry in found["values"]]
    assert values == ["n = 4", "i = 3", "i = 3, n = 4", "i = 3"]


@pytest.mark.slow
def test_a_weak_level_judges_public_rows_alone(desk):
    report = desk.grade("1.1-clip", "1.1-secret", level="process")
    found = outcomes(report)
    assert (found["1.1-clip"], found["1.1-secret"]) == ("passed", "not_run")
    assert report["isolation"] == "process"
    assert not report["final"]
    assert levels.remedy() in row_of(report, "1.1-secret")["staff_message"]


# A change of a file of the assignment, and what staff must read of it.
OUR_SLIPS = {
    "a test that fails": (
        "graded/test_operators.py",
        "    values = np.array([-2.0, 0.5, 7.0])",
        "    values = np.arry([-2.0, 0.5, 7.0])",
        "has no attribute 'arry'",
    ),
    "a solution that is wrong": (
        "source/minitorch/operators.py",
        "return np.minimum",
        "return np.minimun",
        "[solution] drivers.clip: error",
    ),
    "a driver that is not there": (
        "graded/test_operators.py",
        '"drivers.clip"',
        '"drivers.clop"',
        "driver drivers.clop: graded/drivers.py has no such function",
    ),
    "a test of no item": (
        "graded/test_operators.py",
        '@pytest.mark.task("1.1-clip")',
        '@pytest.mark.task("1.1-clop")',
        "got the item '1.1-clop'",
    ),
    "a test without a mark": (
        "graded/test_operators.py",
        '@pytest.mark.task("1.1-clip")',
        "",
        "test_clip has 0 `task` marks",
    ),
    "a syntax error": (
        "graded/test_operators.py",
        "def test_clip(",
        "def test_clip((",
        "SyntaxError",
    ),
    "no test for an item": (
        "assignment.toml",
        'id = "1.1-clip"',
        'id = "1.1-clap"',
        "got the item '1.1-clip'",
    ),
}


@pytest.fixture
def judged_by(tiny_copy, tmp_path):
    """Grades the solution, some files changed, by another body of `test_clip`."""

    def grade(body, **files):
        path = tiny_copy / "graded" / "test_operators.py"
        head, _, rest = path.read_text().partition("def test_clip(submission):\n")
        rest = rest[rest.index("\n\n\n@pytest") :]
        path.write_text(f"{head}def test_clip(submission):\n    {body}\n{rest}")
        report = Desk(tiny_copy, tmp_path / "desk", tmp_path / "cache").grade(
            "1.1-clip", **files
        )
        return report, row_of(report, "1.1-clip")

    return grade


@pytest.mark.slow
@confined
@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            f'assert submission.text("{OPERATORS}").split("# MARK")[1]',
            "IndexError: list index out of range",
        ),
        (
            f'assert submission.answers("{OPERATORS}")["SIZES"]["x"]',
            "TypeError: list indices must be integers",
        ),
    ],
)
def test_what_a_test_cannot_read_is_the_students(judged_by, body, said):
    text = "SIZES = [1]\n"
    report, row = judged_by(body, **{OPERATORS: text})
    assert row["outcome"] in ("error", "failed")
    assert said in row["message"]
    assert not report["message"].startswith("The grader failed")


@pytest.mark.slow
@confined
def test_a_slip_behind_a_students_value_is_ours(judged_by):
    slip = 'submission.call("drivers.clip", 1.0, 0.0, 1.0)\n    submission.partial(2)'
    report, row = judged_by(slip)
    assert row["outcome"] == "not_run"
    assert "need a share from 0 to 1" in row["staff_message"]
    assert not report["final"]


@pytest.mark.slow
@pytest.mark.parametrize("name", OUR_SLIPS)
def test_our_faults_are_no_students(tiny_copy, tmp_path, name):
    file, old, new, said = OUR_SLIPS[name]
    desk = Desk(tiny_copy, tmp_path / "desk", tmp_path / "cache")
    path = tiny_copy / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    report = desk.grade("1.1-secret" if "solution" in name else "1.1-clip")
    if CONFINED:
        assert not report["final"]
        assert report["message"].startswith("The grader failed")
        told = " ".join(row["staff_message"] for row in report["rows"])
        assert said in told
        assert said not in for_students(report)


def test_a_judge_that_is_too_late_leaves_a_valid_report(desk):
    report = desk.grade_folder(desk.hand_in(), seconds=0.3)
    assert set(outcomes(report).values()) == {"not_run", "manual"}
    assert not report["final"]
    assert "did not end within" in report["rows"][0]["staff_message"]


WAITING = """
import sys
from pathlib import Path
from minitorch_grading.judge.bench import Bench
from minitorch_grading.judge.grade import grade_one
from minitorch_grading.judge.rows import Record
from minitorch_grading.judge.sides import Side
from minitorch_grading.judge.submission import Submission
grade_one(*map(Path, sys.argv[1:4]), b"s" * 32)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
def test_a_judge_does_not_outlive_who_asked(quick, tmp_path):
    """Killed without a word: the judge and what it confines end, too."""
    text = "while True: pass"
    folder = quick.hand_in(**{OPERATORS: text})
    caller = subprocess.Popen(
        [sys.executable, "-c", WAITING, quick.tiny, folder, tmp_path / "to"],
    )
    judges: list[int] = []
    deadline = time.monotonic() + 60
    while not judges and time.monotonic() < deadline:
        judges = _children(caller.pid)
        time.sleep(0.05)
    assert judges
    caller.kill()
    caller.communicate()
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{each}").exists() for each in judges):
        assert time.monotonic() < deadline, "the judge goes on"
        time.sleep(0.05)


def _children(pid: int) -> list[int]:
    """Processes that a process started and that run pytest."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    found = [int(each) for task in tasks for each in task.read_text().split()]
    return [each for each in found if b"pytest" in _words_of(each)]


def _words_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_what_the_caller_gets_wrong_is_raised(desk, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"\[grade\] .*does not exist"):
        desk.grade_folder(tmp_path / "nowhere")
    with pytest.raises(ValueError, match=r"got level 'best'; need confined"):
        desk.grade_folder(desk.hand_in(), level="best")
    with pytest.raises(AssignmentError, match="has 5 bytes"):
        grade_one(desk.tiny, desk.hand_in(), tmp_path / "to", b"short")


@pytest.mark.slow
def test_no_run_of_a_students_tests_tells_which_program_is_right(tmp_path, monkeypatch):
    """All runs have one place, one time, one question; only the order differs, and that
    is another one for each submission."""
    m0 = read_assignment(Path(__file__).parents[2] / "assignments" / "m0")
    file, runs, orders = "tests/test_operators_mine.py", [], set()

    def tests(side, file, to_failure):
        program = side.folder / OPERATORS
        times = {path.stat().st_mtime_ns for path in side.folder.rglob("*")}
        runs.append((program.read_text(), side.folder, to_failure, str(times)))
        return {"test_mine": True}

    monkeypatch.setattr(Side, "tests", tests)
    for number in range(6):
        (tmp_path / "tests").mkdir(exist_ok=True)
        (tmp_path / file).write_text(f"def test_mine(): pass  # {number}")
        handed_in = read_handed_in(tmp_path, m0)
        runs.clear()
        with closing(Bench(m0, handed_in, "process", "", None)) as bench:
            bench.enter(m0.task_of("0.2-caught"))
            record = Record(m0.item("0.2-caught"))
            submission = Submission(bench, record, SECRET, None)
            submission.student_tests(file, on="operators_twins")
        assert record.share == 0
        programs, *rest = zip(*runs, strict=True)
        assert [len(set(each)) for each in rest] == [1, 1, 1]
        ((right, often),) = Counter(programs).most_common(1)
        assert (often, len(programs)) == (3, 8)
        orders.add(tuple(program == right for program in programs))
    assert len(orders) > 2

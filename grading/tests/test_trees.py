"""The tests of trees and twins: what students, grader and twins consist of."""

from __future__ import annotations

import textwrap
import tomllib
from pathlib import Path

import pytest

from minitorch_grading.course import trees, twins
from minitorch_grading.course.sources import files_below, read_source
from minitorch_grading.course.student_pages import public_toml
from minitorch_grading.errors import AssignmentError
from minitorch_grading.rubric.assignment import read_assignment

from .small_course import write_starter

FIRST = {
    "assignment.toml": """
        schema = "minitorch/assignment/1"
        name = "one"
        title = "Numbers"
        package = "minitorch"
        files = ["minitorch/operators.py"]
        [[task]]
        id = "0.1"
        title = "operators"
        question = "What is it?"
        [[item]]
        id = "0.1-inv"
        task = "0.1"
        title = "inv"
        points = 2
        advice = "CANARY advice"
        public = ["test_operators.py::test_inv"]
    """,
    "source/minitorch/__init__.py": "from .operators import *\n",
    "source/minitorch/operators.py": '''
        """Numbers."""

        from __future__ import annotations

        import math


        def inv(x):
            """Task 0.1"""
            ### BEGIN SOLUTION
            return 1.0 / x  # solved
            ### END SOLUTION
    ''',
    "source/minitorch/__pycache__/operators.pyc": "x",
    "source/pictures/0.1.svg": "<svg/>",
    "source/tests/test_mine.py": "def test_mine():\n    pass\n",
    "source/.devcontainer/devcontainer.json": "{}",
    "tests/test_operators.py": "def test_inv():\n    pass\n",
    "graded/test_graded.py": "CANARY = 1\n",
    "twins/no_inverse.py": """
        # minitorch/operators.py fails 0.1-inv: failed
        def inv(x):
            return -1.0 * x  # wrong: the negative
    """,
}
SECOND = {
    "assignment.toml": """
        schema = "minitorch/assignment/1"
        name = "two"
        title = "Tensors"
        needs = ["one"]
        files = ["minitorch/fast.py", "kernels.cu"]
        [limits]
        seconds = 3
        [[task]]
        id = "3.1"
        title = "fast"
        file = "minitorch/fast.py"
        question = "Who owns what?"
        next = "Try 64 threads."
        [[task]]
        id = "3.2"
        title = "faster"
        file = "kernels.cu"
        [[item]]
        id = "3.1-a"
        task = "3.1"
        title = "a"
        points = { values = 2, clean = 1 }
        hidden = true
        advice = "CANARY"
        [[item]]
        id = "3.2-b"
        task = "3.2"
        title = "b"
        points = 4
    """,
    "source/minitorch/__init__.py": "from .operators import *\nfrom .fast import *\n",
    "source/minitorch/fast.py": '''
        def fast(x):
            """Quick."""
            ### BEGIN SOLUTION
            return x
            ### END SOLUTION
    ''',
    "source/kernels.cu": """
        /// BEGIN SOLUTION
        __global__ void k() {}
        /// END SOLUTION
    """,
    "source/pictures/3.1.svg": "<svg/>",
    "tests/test_fast.py": "",
    "INTRO.md": "Some words before.",
}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"))
    return folder


@pytest.fixture
def two(tmp_path: Path) -> Path:
    write(tmp_path / "assignments" / "one", FIRST)
    return write(tmp_path / "assignments" / "two", SECOND)


def test_students_get_earlier_solutions_and_their_own_starter(two: Path):
    tree = trees.student_tree(read_source(two), "starter")
    assert sorted(tree) == [
        ".devcontainer/devcontainer.json",
        "README.md",
        "assignment.toml",
        "kernels.cu",
        "minitorch/__init__.py",
        "minitorch/fast.py",
        "minitorch/operators.py",
        "pictures/3.1.svg",
        "tests/test_fast.py",
        "two.ipynb",
    ]
    assert b"return 1.0 / x" in tree["minitorch/operators.py"]
    assert b'raise NotImplementedError("Task 3.1")' in tree["minitorch/fast.py"]
    assert tree["kernels.cu"] == b"// Task 3.2: your code\n"
    assert b"from .fast import *" in tree["minitorch/__init__.py"]
    assert tree[".devcontainer/devcontainer.json"] == b"{}"  # the teacher's own


def test_the_solution_has_everything(two: Path):
    source = read_source(two)
    tree = trees.sources_tree(source, "solution")
    assert tree["minitorch/fast.py"].endswith(b'"""Quick."""\n    return x\n')
    assert tree["kernels.cu"] == b"__global__ void k() {}\n"
    assert "README.md" not in tree
    assert [each.name for each in source.earlier] == ["one"]


def test_the_same_source_gives_the_same_bytes(two: Path, tmp_path: Path):
    first = trees.student_tree(read_source(two), "starter")
    (two / "source" / "__pycache__").mkdir()
    (two / "source" / "__pycache__" / "a.pyc").write_bytes(b"left behind")
    assert trees.student_tree(read_source(two), "starter") == first
    write_starter(two, tmp_path / "out")
    written = {name: p.read_bytes() for name, p in files_below(tmp_path / "out")}
    assert written == first


def test_what_students_get_holds_nothing_hidden(two: Path):
    for folder in (two, two.parent / "one"):
        tree = trees.student_tree(read_source(folder), "starter")
        assert not [name for name, data in tree.items() if b"CANARY" in data]
        assert not [name for name in tree if name.startswith(("graded", "twins"))]
        public = tomllib.loads(tree["assignment.toml"].decode())
        assert {"advice", "limits"}.isdisjoint({*public, *public["item"][0]})
    assert public["item"][0]["public"] == ["test_operators.py::test_inv"]


def test_toml_for_students_reads_back(two: Path):
    path = two / "assignment.toml"
    title = 'Quotes " and \\ and ü\n\x7f'
    quoted = r'"Quotes \" and \\ and ü\n\u007f"'
    path.write_text(path.read_text().replace('"Tensors"', quoted), "utf-8")
    given = read_assignment(two)
    assert given.title == title
    path.write_text(public_toml(given), "utf-8")
    back = read_assignment(two)
    assert (back.title, back.files, back.max_score) == (title, given.files, 7)
    assert [item.points for item in back.items] == [item.points for item in given.items]
    assert back.tasks[0].limits.seconds == 60
    assert [item.advice for item in back.items] == ["", ""]


def test_the_readme_says_how_to_start(two: Path):
    page = trees.student_tree(read_source(two), "starter")["README.md"].decode()
    assert page.startswith("# Tensors\n\nSome words before.\n")
    assert 'pip install "minitorch-cuda[nvrtc13]" pytest hypothesis' in page
    assert "open `two.ipynb`" in page  # on Colab it installs itself
    assert "python -m pytest -x -m test3_1\n" in page
    assert "pip install minitorch-grading\nminitorch course check 3.1\n" in page
    assert (
        "In `minitorch/fast.py`. 3 points. Run: `python -m pytest -m test3_1`." in page
    )
    assert "*Who owns what?*" in page
    assert "![3.1 fast](pictures/3.1.svg)" in page
    assert "- `kernels.cu`" in page


def test_the_grader_gets_the_sources_of_earlier_ones(two: Path, tmp_path: Path):
    tree = trees.grader_tree(read_source(two))
    assert sorted(tree) == [
        "assignment.toml",
        "earlier/one/assignment.toml",
        "earlier/one/source/.devcontainer/devcontainer.json",
        "earlier/one/source/minitorch/__init__.py",
        "earlier/one/source/minitorch/operators.py",
        "earlier/one/source/pictures/0.1.svg",
        "earlier/one/source/tests/test_mine.py",
        "source/kernels.cu",
        "source/minitorch/__init__.py",
        "source/minitorch/fast.py",
        "source/pictures/3.1.svg",
        "tests/test_fast.py",
    ]
    trees.write_tree(tree, tmp_path / "alone" / "assignment")
    again = read_source(tmp_path / "alone" / "assignment")
    assert trees.sources_tree(again, "solution") == trees.sources_tree(
        read_source(two), "solution"
    )


def test_an_earlier_assignment_is_found_elsewhere(two: Path, tmp_path: Path):
    alone = write(tmp_path / "alone" / "two", SECOND)
    with pytest.raises(AssignmentError, match=r"got needs = \['one'\]; need a folder"):
        read_source(alone)
    source = read_source(alone, (two.parent,))
    assert source.earlier[0].folder == two.parent / "one"


def test_what_is_no_assignment_is_refused(two: Path, tmp_path: Path):
    with pytest.raises(AssignmentError, match=r"cannot read .*assignment\.toml"):
        read_source(tmp_path)
    (tmp_path / "assignment.toml").write_text("name = ")
    with pytest.raises(AssignmentError, match="not valid TOML"):
        read_source(tmp_path)
    (tmp_path / "assignment.toml").write_text("title = 'x'")
    with pytest.raises(AssignmentError, match="missing required field `schema`"):
        read_source(tmp_path)
    one = two.parent / "one" / "assignment.toml"
    one.write_text(one.read_text().replace("files =", 'needs = ["two"]\nfiles ='))
    with pytest.raises(AssignmentError, match=r"circular needs: two -> one -> two"):
        read_source(two)


def test_links_and_full_folders_are_refused(two: Path, tmp_path: Path):
    source = read_source(two)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    with pytest.raises(AssignmentError, match="is not empty"):
        trees.write_tree({"a": b""}, tmp_path / "full")
    with pytest.raises(AssignmentError, match="is outside"):
        trees.write_tree({"../a": b""}, tmp_path / "new")
    (two / "source" / "link.py").symlink_to("/etc/passwd")
    with pytest.raises(AssignmentError, match="a symbolic link"):
        trees.sources_tree(source, "starter")
    (two / "source" / "link.py").unlink()
    (two / "source" / "latin.py").write_bytes(b"# \xe9\n")
    with pytest.raises(AssignmentError, match=r"latin\.py\] not valid UTF-8"):
        trees.sources_tree(source, "starter")


SOLVED = '''\
"""Ops."""
from __future__ import annotations

import math

SIZE = 4


# Its name says it.
def inv(x):
    return 1 / x


class Pair:
    """Two."""

    count: int = 2

    def first(self):
        return 1

    @staticmethod
    def second():
        return 2


@staticmethod
def last():
    return inv(SIZE)
'''


def twin(tmp_path: Path, text: str, name: str = "twin.py") -> twins.Twin:
    path = tmp_path / name
    path.write_text(text)
    (found,) = twins.read_twins(path)
    return found


HEAD = "# ops.py fails 0.1-inv, 0.1-pair.clean: failed, error\n"


def test_a_twin_says_what_it_fails(tmp_path: Path):
    found = twin(tmp_path, f"{HEAD}x = 1  # wrong: why\ny = 2\nz = 3  // wrong\n")
    assert found.file == "ops.py"
    assert found.rows == ("0.1-inv", "0.1-pair.clean")
    assert found.kinds == ("failed", "error")
    cuda = twin(tmp_path, "// k.cu fails 8.1.clean: race_global\n", "k.cu")
    assert cuda.rows == ("8.1.clean",)
    assert twins.overlay(cuda, "the solution") == cuda.text


EDITS = """What is said before the first twin.

== sign: ops.py fails 0.1-inv: failed
-    return 1 / x
+    return -1 / x  # wrong

== size: ops.py fails 0.1-pair.clean: failed, error
 # Its name says it.
-def inv(x):
+def inv(x, y=0):

-    return 1 / x
+    # wrong: y
+
+    return y / x
"""


def test_lines_of_edits_become_others(tmp_path: Path):
    path = tmp_path / "edits.txt"
    path.write_text(EDITS)
    sign, size = twins.read_twins(path)
    assert (sign.name, sign.line, sign.rows) == ("sign", 3, ("0.1-inv",))
    assert (size.name, size.line, size.kinds) == ("size", 7, ("failed", "error"))
    changed = SOLVED.replace("1 / x", "-1 / x  # wrong")
    assert twins.overlay(sign, SOLVED) == changed
    assert "it.\ndef inv(x, y=0):\n    # wrong: y\n\n    return y / x\n" in (
        twins.overlay(size, SOLVED)
    )
    with pytest.raises(AssignmentError, match="occur 0 times") as error:
        twins.overlay(size, changed)
    assert error.value.position == f"{path}:12"
    path.write_text("== sign: ops.py breaks\n")
    with pytest.raises(AssignmentError, match="need the file, rows and kind"):
        twins.read_twins(path)


WRONG = {
    "": (1, "cannot read ''; need the file, rows and kind"),
    "# ops.py breaks 0.1: failed": (1, "as in: # minitorch/cuda_ops.py fails"),
    "# ops.py fails 0.1": (1, "need the file, rows and kind"),
    "# ops.py fails , : failed": (1, "need rows before the colon"),
    "# ops.py fails 0.1: a race": (1, "kinds behind it"),
    "# ops.cu fails 0.1: failed": (1, r"got a .py file for ops.cu"),
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_twin_is_named_with_its_line(tmp_path: Path, text: str):
    line, words = WRONG[text]
    with pytest.raises(AssignmentError) as error:
        twin(tmp_path, text)
    assert words in str(error.value)
    assert error.value.position == f"{tmp_path / 'twin.py'}:{line}"


def test_a_twin_becomes_a_tree(two: Path):
    source = read_source(two.parent / "one")
    (wrong,) = twins.twins_of(source.folder)
    tree = trees.twin_tree(source, wrong)
    assert tree["minitorch/operators.py"].endswith(b"x  # wrong: the negative\n")
    wrong.path.write_text("# minitorch/other.py fails 0.1-inv: failed\n")
    (wrong,) = twins.twins_of(source.folder)
    with pytest.raises(AssignmentError, match=r"need one of: minitorch/operators\.py"):
        trees.twin_tree(source, wrong)
    wrong.path.write_bytes(b"# \xe9\n")
    with pytest.raises(AssignmentError, match="no UTF-8"):
        twins.twins_of(source.folder)

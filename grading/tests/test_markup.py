"""The tests of the marks in an assignment's sources, right ones and wrong ones."""

from __future__ import annotations

import ast

import pytest

from minitorch_grading.course import markup
from minitorch_grading.errors import AssignmentError

MARKED = '''\
"""Numbers. Task 0.1 and task 0.3 are here."""

import math


def inv(x):
    """1 / x: Task 0.1."""
    ### BEGIN SOLUTION
    if x == 0:
        return math.inf
    return 1 / x
    ### END SOLUTION


class Sums:
    def all(self, values):
        # Task 0.3
        total = 0
        ### BEGIN SOLUTION
        ### BEGIN STARTER
        # for value in values:
        #     pass  # which line is missing?
        #
        ### END STARTER
        for value in values:
            total += value
        ### END SOLUTION
        return total
'''
SOLUTION = '''\
"""Numbers. Task 0.1 and task 0.3 are here."""

import math


def inv(x):
    """1 / x: Task 0.1."""
    if x == 0:
        return math.inf
    return 1 / x


class Sums:
    def all(self, values):
        # Task 0.3
        total = 0
        for value in values:
            total += value
        return total
'''
STARTER = '''\
"""Numbers. Task 0.1 and task 0.3 are here."""

import math


def inv(x):
    """1 / x: Task 0.1."""
    raise NotImplementedError("Task 0.1")


class Sums:
    def all(self, values):
        # Task 0.3
        total = 0
        for value in values:
            pass  # which line is missing?

        return total
'''
CUDA = """\
// Task 8.1: one tile.
__global__ void tile(float *out) {
  /// BEGIN SOLUTION
  out[threadIdx.x] = 1;
  /// END SOLUTION
  /// BEGIN SOLUTION
  /// BEGIN STARTER
  // __syncthreads();
  /// END STARTER
  __syncwarp();
  /// END SOLUTION
}
"""


def test_a_source_becomes_a_solution_and_a_starter():
    assert markup.solution(MARKED, "operators.py") == SOLUTION
    assert markup.starter(MARKED, "operators.py") == STARTER
    assert markup.starter(MARKED, "operators.py", ["0.1", "0.3"]) == STARTER


def test_the_starter_does_what_its_text_says():
    space: dict[str, object] = {}
    exec(compile(STARTER, "operators.py", "exec"), space)
    with pytest.raises(NotImplementedError, match=r"^Task 0\.1$"):
        space["inv"](2)
    assert space["Sums"]().all([1, 2]) == 0


def test_cuda_has_its_own_comments():
    solved = markup.solution(CUDA, "tile.cu").splitlines()
    assert solved[2:4] == ["  out[threadIdx.x] = 1;", "  __syncwarp();"]
    given = markup.starter(CUDA, "tile.cu").splitlines()
    assert given[2:4] == ["  // Task 8.1: your code", "  __syncthreads();"]
    assert len(solved) == len(given) == 5


def test_the_task_is_the_last_one_named_above():
    text = MARKED.replace("Task 0.1.", "Like Task 2.3, but Task 0.1.")
    assert 'Error("Task 0.1")' in markup.starter(text, "a.py")
    text = MARKED.replace("Task 0.1.", "Task 0.1, see Task 2.3.")
    assert 'Error("Task 2.3")' in markup.starter(text, "a.py")
    assert 'Error("Task 0.1")' in markup.starter(text, "a.py", ["0.1", "0.3"])


def test_a_file_of_one_task_need_not_name_it():
    text = "def f(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION\n"
    assert 'Error("Task 1.4b")' in markup.starter(text, "a.py", ["1.4b"])
    with pytest.raises(AssignmentError, match=r"a.py:2\] got a solution of no task"):
        markup.starter(text, "a.py")
    with pytest.raises(AssignmentError, match=r"no task \(0.1, 0.2\)"):
        markup.starter(text, "a.py", ["0.1", "0.2"])


def test_a_solution_outside_functions_needs_a_starter():
    block = "# Task 6.2\n### BEGIN SOLUTION\nx = 1\n### END SOLUTION\n"
    with pytest.raises(AssignmentError, match="outside a function needs a STARTER"):
        markup.starter(block, "a.py")
    empty = "### BEGIN SOLUTION\n### BEGIN STARTER\n### END STARTER\nx = 1\n"
    assert markup.starter(f"{empty}### END SOLUTION\ny = 2\n", "a.py") == "y = 2\n"


B, E = "### BEGIN SOLUTION", "### END SOLUTION"
S, T = "### BEGIN STARTER", "### END STARTER"
WRONG = {
    "unclosed": ([B, "x = 1"], 1, "BEGIN SOLUTION without its end"),
    "unclosed starter": ([B, S, "# x"], 1, "need ### END STARTER"),
    "nested": ([B, B, E, E], 2, "inside the solution of line 1; need '### BEGIN STAR"),
    "end alone": (["x = 1", E], 2, "outside a solution; need '### BEGIN SOLUTION'"),
    "starter alone": ([S, T], 1, "got '### BEGIN STARTER' outside a solution"),
    "starter's end alone": ([B, T, E], 2, "got '### END STARTER' inside"),
    "starter unclosed": ([B, S, E], 3, "need '### END STARTER'"),
    "a starter's code": ([B, S, "x = 1", T, E], 3, "got 'x = 1' in a STARTER"),
    "no space": ([B, S, "#x = 1", T, E], 3, "a space, behind 0 spaces"),
    "misspelt": ([B, "### END SOLUTON"], 1, "need ### END SOLUTION"),
    "two signs": (["## BEGIN SOLUTION"], 1, "need '### BEGIN SOLUTION', alone"),
    "CUDA's": (["/// BEGIN SOLUTION"], 1, "need '### BEGIN SOLUTION', alone"),
    "small letters": (["### begin_solution"], 1, "need '### BEGIN SOLUTION', alone"),
    "behind code": ([f"x = 1  {B}"], 1, "need '### BEGIN SOLUTION', alone"),
    "nbgrader's tests": (["### BEGIN HIDDEN TESTS"], 1, "BEGIN HIDDEN TESTS"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("what", ["solution", "starter"])
def test_a_wrong_mark_is_named_with_its_line(name: str, what: str):
    lines, number, words = WRONG[name]
    with pytest.raises(AssignmentError) as error:
        getattr(markup, what)("\n".join(lines), "m0/source/a.py")
    assert str(error.value).startswith(f"[m0/source/a.py:{number}] got ")
    assert words in str(error.value)
    assert error.value.position == f"m0/source/a.py:{number}"


def test_words_that_look_like_marks_are_text():
    text = (
        '"""The solution begins here; # end of the story, at the starter\'s end."""\n'
    )
    text += "# Begin with the sum.\n# The end\n## A heading\n# ends: solution\n"
    assert markup.solution(text, "a.py") == text


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        (
            f"def f():\n    x = 1\n    {B}\n    return (x\n    {E}\n",
            "solution",
            "return",
        ),
        (
            f"def f():\n    {B}\n    {S}\n    {T}\n    return 1\n    {E}\n",
            "starter",
            "def",
        ),
        (
            f"def f():\n    {B}\n    {S}\n    # x = = 1\n    {T}\n    {E}\n",
            "starter",
            "x = = 1",
        ),
    ],
)
def test_what_does_not_compile_is_refused(text: str, what: str, line: str):
    with pytest.raises(AssignmentError, match=rf"a.py\] .*is no Python: .* at '{line}"):
        getattr(markup, what)(text, "a.py")


def test_only_code_holds_marks():
    assert not markup.is_marked("picture.svg")


def test_secret_lines_are_what_students_do_not_get():
    secret = dict(markup.secret_lines(MARKED, "a.py"))
    assert secret[11] == "return 1 / x"
    assert list(secret) == [9, 10, 11, 26]  # line 25 is in the starter, too
    starter = markup.starter(MARKED, "a.py")
    assert not set(secret.values()) & {line.strip() for line in starter.splitlines()}


def test_a_solution_may_have_several_starters():
    text = "\n".join([B, S, "# x = 1", T, "x = 2", S, "# y = 1", T, "y = 2", E, ""])
    assert markup.starter(text, "a.py") == "x = 1\ny = 1\n"
    assert markup.solution(text, "a.py") == "x = 2\ny = 2\n"


def test_odd_line_ends_and_empty_texts():
    assert markup.solution("", "a.py") == markup.starter("", "a.py") == ""
    text = MARKED.replace("\n", "\r\n")
    assert markup.solution(text, "a.py") == SOLUTION
    ast.parse(markup.starter(MARKED.replace("# Task 0.3", "# Task 0.3 ü"), "a.py"))

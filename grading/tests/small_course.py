"""Two small assignments without a problem, for tests of what teachers use.

`numbers` has a task of values; `sums` starts from it and has a kernel of three rows.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

from minitorch_grading.course import trees
from minitorch_grading.course.sources import read_source

NUMBERS = {
    "assignment.toml": """
        schema = "minitorch/assignment/1"
        name = "numbers"
        title = "Numbers"
        package = "minitorch"
        files = ["minitorch/operators.py"]
        points = 2

        [[task]]
        id = "0.1"
        title = "operators"
        question = "What is left of 1 / 0?"

        [[item]]
        id = "0.1-inv"
        task = "0.1"
        title = "inv"
        points = 2
        hidden = true
        advice = "CANARY-ADVICE: look at zero."
        public = ["test_operators.py::test_inv"]
    """,
    "source/minitorch/__init__.py": '"""Owns the package."""\n',
    "source/minitorch/operators.py": '''
        """Owns functions of numbers."""

        from __future__ import annotations


        def inv(x: float) -> float:
            """1 / x, and 0 for 0: Task 0.1."""
            ### BEGIN SOLUTION
            return 1.0 / x if x != 0 else 0.0
            ### END SOLUTION
    ''',
    "tests/test_operators.py": '''
        """Owns the public tests of task 0.1."""

        import pytest

        from minitorch.operators import inv


        @pytest.mark.task0_1
        def test_inv():
            assert inv(4.0) == 0.25
    ''',
    "graded/test_graded.py": '''
        """Owns the graded tests: CANARY-GRADED."""

        import pytest


        @pytest.mark.task("0.1-inv")
        def test_inv(submission):
            submission.check("drivers.inverse_of", 8.0, expected=0.125)
    ''',
    "graded/drivers.py": '''
        """Owns what the author calls."""

        from minitorch.operators import inv


        def inverse_of(x):
            return inv(x)
    ''',
    "twins/no_zero.py": """
        # minitorch/operators.py fails 0.1-inv: failed
        def inv(x: float) -> float:
            return -1.0 / x  # wrong: the sign
    """,
}
SUMS = {
    "assignment.toml": """
        schema = "minitorch/assignment/1"
        name = "sums"
        title = "Sums on the GPU"
        needs = ["numbers"]
        package = "minitorch"
        files = ["minitorch/sums.py"]
        sees = "cuda"
        points = 4

        [[task]]
        id = "6.1"
        title = "one block"
        question = "Who owns the total?"
        next = "Try two blocks."

        [[item]]
        id = "6.1-sum"
        task = "6.1"
        title = "sum"
        points = { values = 2, clean = 1, cost = 1 }
        public = ["test_sums.py::test_total"]

        [[item]]
        id = "6.1-words"
        task = "6.1"
        title = "why in order"
        points = 3
        manual = true
        extra = true
    """,
    "source/minitorch/sums.py": '''
        """Owns a kernel."""

        from minitorch_cuda import cuda


        @cuda.jit
        def total(out, a, n):
            """out[0] = sum of a, by one thread."""
            ### BEGIN SOLUTION
            ### BEGIN STARTER
            # i = cuda.threadIdx.x
            # out[0] += a[i]
            ### END STARTER
            i = cuda.threadIdx.x
            if i == 0:
                sum_so_far = 0.0
                for k in range(n):
                    sum_so_far += a[k]
                out[0] = sum_so_far
            ### END SOLUTION
    ''',
    "tests/test_sums.py": '''
        """Owns the public tests of task 6.1."""

        import numpy as np
        import pytest

        from minitorch.sums import total


        @pytest.mark.task6_1
        def test_total():
            out = np.zeros(1)
            total[1, 8](out, np.ones(8), 8)
            assert out[0] == 8
    ''',
    "graded/test_graded.py": '''
        """Owns the graded tests."""

        import pytest


        @pytest.mark.task("6.1-sum")
        @pytest.mark.max_metric(global_sectors="1.0x")
        def test_total(submission, rng):
            kernel = submission.kernel("minitorch.sums", "total", types=())
            kernel.same[1, 32](rng.normal(size=9))
    ''',
    **{
        f"twins/{name}.py": f"""
            # minitorch/sums.py fails {rows}: {kind}
            from minitorch_cuda import cuda


            @cuda.jit
            def total(out, a, n):
                out[0] = a[{line}]  # wrong: {name}
        """
        for name, rows, kind, line in (
            ("one", "6.1-sum.values, 6.1-sum.clean, 6.1-sum.cost", "failed", 1),
            ("all", "6.1-sum.clean, 6.1-sum.cost", "race_global", 2),
            ("dear", "6.1-sum.cost", "too_costly", 3),
        )
    },
}


def write_files(folder: Path, files: dict[str, str]) -> Path:
    """Write texts by their names below a folder; returns it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"))
    return folder


def write_course(folder: Path) -> Path:
    """Both assignments below a folder; returns the folder of `sums`."""
    write_files(folder / "numbers", NUMBERS)
    return write_files(folder / "sums", SUMS)


def change(path: Path, old: str, new: str) -> None:
    """Replace the only `old` in a file."""
    text = path.read_text()
    assert text.count(old) == 1, text
    path.write_text(text.replace(old, new))


def write_starter(assignment: Path, to: Path) -> None:
    """Write what students get of an assignment."""
    trees.write_tree(trees.student_tree(read_source(assignment), "starter"), to)

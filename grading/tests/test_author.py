"""Tests what an author answers: values, kernels, tests, and errors."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch_grading.author.problem import AuthorError, read_problem
from minitorch_grading.author.requests import Author
from minitorch_grading.author.values import ValueForm, unpack
from minitorch_grading.kernels import kernel_form
from minitorch_grading.sandbox.frames import FrameError
from minitorch_grading.sandbox.levels import best
from minitorch_grading.sandbox.process import PeerEnded, confined

from .trees import at_levels, write_tree

TREE = {
    "minitorch/__init__.py": "from . import operators\n",
    "minitorch/operators.py": """
        BLOCK = 32
        NAMES = ("a", 1.5)
        CLASS = type("Secret", (ValueError,), {})

        def add(a, b):
            return a + b

        def neg(x):
            return -x

        def fails(a):
            raise ValueError(f"got {a}")

        def fails_in_own_words(a):
            raise CLASS(a)

        def unwritten(a):
            raise NotImplementedError("Task 0.1")
        """,
    "minitorch/cuda_ops.py": """
        from numba import cuda

        def tensor_map(fn):
            f = cuda.jit(device=True)(fn)

            def _map(out, a, size):
                i = cuda.grid(1)
                if i < size:
                    out[i] = f(a[i])

            return cuda.jit()(_map)

        @cuda.jit
        def no_kernel(a):
            a[0] = undefined(3)

        def plain(out):
            out[cuda.threadIdx.x] = 1

        scale = cuda.RawKernel(
            'extern "C" __global__ void scale(float* a) { *a *= 2; }', "scale"
        )
        """,
    "minitorch/broken.py": "def f(:\n",
    "minitorch/half_made/__init__.py": "from . import whole\ntold = nobody\n",
    "minitorch/half_made/whole.py": "",
    "kernels/fill.cu": """\
        #include <cuda_fp16.h>
        #include <stdint.h>
        extern "C" __global__ void fill(float *a) {
          a[threadIdx.x] = 1;
        }
        """,
    "kernels/broken.cu": """\
        extern "C" __global__ void fill(float *a) {
          a[threadIdx.x] = one;
        }
        """,
    "tests/test_mine.py": """
        import pytest
        from hypothesis import given, strategies as st
        from minitorch.operators import add, neg

        @pytest.mark.task0_2
        @given(st.integers(), st.integers())
        def test_add(x, y):
            assert add(x, y) == add(y, x)

        @given(st.integers())
        def test_neg_is_wrong(x):
            assert neg(x) <= 0

        @pytest.mark.parametrize("x, y", [(1, -1), (2, -2), (3, 3)])
        def test_rows(x, y):
            assert neg(x) == pytest.approx(y)

        def test_raises():
            with pytest.raises(ZeroDivisionError, match="division"):
                add(1, 0) / add(0, 0)

        class TestClass:
            def test_method(self):
                assert add(1, 1) == 2

        def helper():
            assert False
        """,
}
DRIVERS = """
import numpy as np
from minitorch import operators
from minitorch.operators import add, fails, fails_in_own_words, unwritten

def several(a):
    return [a, (a.sum(), None, True), "text", 7, float("nan")]

def subclass(a):
    class Mine(np.ndarray):
        def __eq__(self, other):
            return True
    return a.view(Mine)

def broken():
    import minitorch.broken

def own_text():
    return type("Mine", (str,), {})("x")

def thing():
    return object()

def long_text():
    return "x" * 5000

def deep():
    found = []
    for _ in range(100):
        found = [found]
    return found

def complex_array():
    return np.zeros(2, complex)

def objects():
    return np.array([object()])

def place():
    with open("/etc/passwd") as file:
        return file.read()

def no_memory():
    return np.zeros(10**11)
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return write_tree(tmp_path_factory.mktemp("handed_in"), TREE)


@pytest.fixture(scope="module")
def author(tree):
    with confined("author", level=best(), sees="cuda", folder=tree) as peer:
        yield Author(peer)


def test_values_go_there_and_back(author):
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    got = author.call(DRIVERS, "several", [array])
    assert got[0].dtype == np.float32
    np.testing.assert_array_equal(got[0], array)
    assert got[1] == (15.0, None, True)
    assert type(got[1][0]) is np.float32
    assert got[2:4] == ["text", 7]
    assert np.isnan(got[4])
    assert author.call(DRIVERS, "add", [2**80, 1]) == 2**80 + 1
    assert author.call(DRIVERS, "add", [(1,), (2.5,)]) == (1, 2.5)


def test_a_class_of_arrays_comes_out_as_arrays(author):
    got = author.call(DRIVERS, "subclass", [np.arange(3)])
    assert type(got) is np.ndarray


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("thing", "TypeError", "cannot return object"),
        ("own_text", "TypeError", "cannot return Mine"),
        ("long_text", "ValueError", "5000 characters"),
        ("deep", "ValueError", "deeper than 16"),
        ("complex_array", "TypeError", "complex128"),
        ("objects", "TypeError", "object"),
        ("missing", "AttributeError", "missing"),
    ],
)
def test_other_results_are_refused(author, name, error, words):
    with pytest.raises(AuthorError, match=words) as caught:
        author.call(DRIVERS, name, [])
    assert caught.value.type == error


ERRORS = {
    "fails": ("ValueError", "got 3", "minitorch/operators.py", 13, False),
    "fails_in_own_words": ("", "3", "minitorch/operators.py", 16, False),
    "unwritten": (
        "NotImplementedError", "Task 0.1", "minitorch/operators.py", 19, False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_errors_name_the_own_line(author, name):
    with pytest.raises(AuthorError) as caught:
        author.call(DRIVERS, name, [3])
    error = caught.value
    got = (error.type, error.message, error.file, error.line, error.blocked)
    assert got == ERRORS[name]


def test_a_syntax_error_has_its_line(author):
    with pytest.raises(AuthorError) as caught:
        author.call(DRIVERS, "broken", [])
    error = caught.value
    assert (error.type, error.file, error.line) == (
        "SyntaxError", "minitorch/broken.py", 1,
    )  # fmt: skip


def test_what_failed_to_load_fails_with_the_same_words_again(author):
    text = "import minitorch.half_made\ndef f(): return minitorch.half_made.told"
    for _ in range(2):
        with pytest.raises(AuthorError, match="name 'nobody' is not defined") as caught:
            author.call(text, "f", [])
        assert caught.value.file == "minitorch/half_made/__init__.py"
    assert author.call("import minitorch\ndef f(): return 1", "f", []) == 1


def test_what_is_forbidden_is_blocked(author):
    if best() != "confined":
        pytest.skip("files are refused in another way at this level")
    with pytest.raises(AuthorError) as caught:
        author.call(DRIVERS, "place", [])
    assert caught.value.blocked
    assert caught.value.type == "PermissionError"


@at_levels("confined", "uid")
def test_too_little_memory_ends_it(level, tree):
    with confined("author", level=level, sees="nothing", folder=tree) as peer:
        with pytest.raises(PeerEnded) as caught:
            Author(peer).call(DRIVERS, "no_memory", [])
        assert caught.value.ended.how == "memory"


CUDA_OPS = "minitorch.cuda_ops"
MAP = ["float64[::1]", "float64[::1]", "int64"]


@at_levels()
def test_kernels_are_compiled_without_a_launch(level, tree):
    with confined("author", level=level, sees="cuda", folder=tree) as peer:
        author = Author(peer)
        made = author.kernel(
            "minitorch.cuda_ops", "tensor_map", MAP, fn="minitorch.operators.neg"
        )
        form = kernel_form.unpacked(made)
        assert (form["name"], form["parameters"]) == (
            "tensor_map.<locals>._map",
            ["out", "a", "size"],
        )
        assert "minitorch/cuda_ops.py" in str(form)
        plain = author.kernel("minitorch.cuda_ops", "plain", ["float32[:]"])
        assert kernel_form.unpacked(plain)["name"] == "plain"
        text = author.kernel("kernels/fill.cu", "fill", ["float32[::1]"])
        assert kernel_form.unpacked(text)["file"] == "kernels/fill.cu"
        raw = author.kernel("minitorch.cuda_ops", "scale", None)
        assert ".entry scale" in str(kernel_form.unpacked(raw))


@pytest.mark.parametrize(
    ("module", "attribute", "error", "file", "line"),
    [
        (
            CUDA_OPS,
            "no_kernel",
            "CompileError",
            "minitorch/cuda_ops.py",
            16,
        ),
        ("kernels/broken.cu", "fill", "CompileError", "kernels/broken.cu", 2),
        ("kernels/missing.cu", "fill", "FileNotFoundError", "", 0),
        ("minitorch.missing", "fill", "ModuleNotFoundError", "", 0),
        (CUDA_OPS, "missing", "AttributeError", "", 0),
        ("minitorch.operators", "BLOCK", "TypeError", "", 0),
        ("minitorch.broken", "f", "SyntaxError", "minitorch/broken.py", 1),
    ],
)
def test_what_is_no_kernel_is_told(author, module, attribute, error, file, line):
    with pytest.raises(AuthorError) as caught:
        author.kernel(module, attribute, ["float32[::1]"])
    got = caught.value
    assert (got.type, got.file, got.line) == (error, file, line), got


def test_the_package_is_the_students(author):
    assert author.package_file("minitorch") == "minitorch/__init__.py"
    assert author.package_file("numpy").endswith("numpy/__init__.py")


@at_levels("confined", "uid")
def test_students_tests_are_run(level, tree):
    with confined("author", level=level, sees="nothing", folder=tree) as peer:
        results = Author(peer).tests("tests/test_mine.py")
        assert results == {
            "test_add": True,
            "test_neg_is_wrong": False,
            "test_rows[0]": True,
            "test_rows[1]": True,
            "test_rows[2]": False,
            "test_raises": True,
            "TestClass.test_method": True,
        }
        assert Author(peer).tests("tests/test_mine.py", to_failure=True) == {
            "test_add": True,
            "test_neg_is_wrong": False,
        }
        with pytest.raises(AuthorError, match="the file tests/other"):
            Author(peer).tests("tests/other.py")


def test_loops_need_no_device(tree):
    drivers = """
from numba import njit, prange
from minitorch import cuda_ops

def total(n):
    def loop(n):
        found = 0
        for i in prange(n):
            found += i
        return found
    return njit(parallel=True)(loop)(n)

def launch(a):
    cuda_ops.plain[1, 32](a)
    """
    for n, head in enumerate(HEADS_OF_KERNELS):
        text = f"{head}\n@cuda.jit\ndef plain(a):\n    a[0] = 1\n"
        tree_file = {"minitorch/cuda_ops.py": text}
        other = write_tree(tree.parent / f"other{n}", {**TREE, **tree_file})
        with confined("author", level=best(), sees="numba", folder=other) as peer:
            assert Author(peer).call(drivers, "total", [5]) == 10, head
            with pytest.raises(AuthorError, match="this task has none"):
                Author(peer).call(drivers, "launch", [np.zeros(3)])


# How files of kernels begin. They are imported beside the loops, which are judged.
HEADS_OF_KERNELS = [
    "from numba import cuda",
    "from minitorch_cuda import cuda, float64\nraw = cuda.RawKernel('', 'k')",
    "import minitorch_cuda.cuda as cuda\nassert not cuda.is_available()",
    "import minitorch_cuda\ncuda = minitorch_cuda.cuda",
    "import numba\nfrom numba import cuda, float32, types\n"
    "from numba.cuda.random import xoroshiro128p_uniform_float32\n"
    "ROW = types.Array(float32, 1, 'C')\nZERO = numba.float64(0)\n"
    "assert ZERO + 1 == 1\n"
    "@cuda.jit((float32[:], numba.int64), device=True)\n"
    "def first(a, n):\n    return a[n]\n"
    "table = cuda.to_device([1.0])\nstream = cuda.stream()",
]


@pytest.mark.parametrize(
    "tree",
    [
        [], {}, {"a": 1, "b": 2}, {"array": 0}, {"array": -1}, {"array": "0"},
        {"int": "0x"}, {"int": 3}, {"float": "much"}, {"text": 1}, {"text": "x" * 5000},
        {"int": "f" * 1001}, {"int": "-" + "f" * 4000}, {"list": {}}, {"other": []},
        {"number": True}, 3, "text",
    ],
)  # fmt: skip
def test_forms_that_are_none_are_refused(tree):
    with pytest.raises(FrameError):
        unpack(tree, [])


def test_a_form_keeps_kinds_apart():
    for value in (1, 1.0, True, None, "1", [1], (1,), -(2**70), 1e-320):
        form = ValueForm()
        got = unpack(form.pack(value), form.arrays)
        assert got == value
        assert type(got) is type(value)


@pytest.mark.parametrize(
    "data",
    [
        None,
        "text",
        {"type": "Canary7", "file": "/etc/passwd", "line": 3},
        {"type": "print", "file": "../secret.py", "line": 3},
        {"type": ["ValueError"], "file": "a\nb.py", "line": 3},
        {"type": 3, "message": 4, "file": "a.py", "line": "x", "blocked": "yes"},
        {"type": "", "file": "a.py", "line": 10**12},
        {"type": "", "file": "a.py", "line": True},
    ],
)
def test_problems_that_lie_tell_nothing(data):
    error = read_problem(data)
    assert (error.type, error.file, error.line, error.blocked) == ("", "", 0, False)

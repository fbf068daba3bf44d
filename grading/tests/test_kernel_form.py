"""Tests of kernels as data: the road changes no word, no count and no value."""

from __future__ import annotations

import json

import numpy as np
import pytest

from minitorch import cuda
from minitorch.cuda.errors import CompileError, LaunchError, PtxError
from minitorch.learn import puzzles
from minitorch_grading.kernels import kernel_form
from minitorch_grading.kernels.form_fields import FormError, read_form

from .two_roads import assert_alike, kernels_of_tests, through_json

kernels = kernels_of_tests("kernels")
MISTAKES = kernels_of_tests("puzzle_mistakes").MISTAKES
SOLUTIONS = kernels_of_tests("puzzle_solutions").SOLUTIONS
pytestmark = pytest.mark.cuda

NUMBERS = range(1, 15)


def load(form):
    return kernel_form.loaded(read_form(form))


def launch(kernel, grid, block, values):
    kernel.run(kernel.ready(grid, block, values), values, False)


def _cases(number):
    for case in puzzles.puzzle(number).cases():
        out = np.full_like(case.expected, 7)
        yield case, out


@pytest.mark.parametrize("number", NUMBERS)
def test_solutions_of_puzzles_do_the_same_by_their_forms(number):
    kernel = cuda.jit(SOLUTIONS[number - 1])
    for case, out in _cases(number):
        done = assert_alike(
            kernel, case.setup.grid, case.setup.block, out, *case.inputs,
            *case.setup.scalars,
        )  # fmt: skip
        assert done.findings == []
        np.testing.assert_array_equal(done.arrays[0], case.expected)


@pytest.mark.parametrize("number", NUMBERS)
def test_mistakes_in_puzzles_are_told_in_the_same_words(number):
    twin, kind = MISTAKES[number - 1]
    kernel = cuda.jit(twin)
    kinds = set()
    for case, out in _cases(number):
        done = assert_alike(
            kernel, case.setup.grid, case.setup.block, out, *case.inputs,
            *case.setup.scalars,
        )  # fmt: skip
        kinds |= {each["kind"] for each in done.findings}
        assert {each["file"] for each in done.findings} <= {"puzzle_mistakes.py"}
    assert kind in kinds


def test_kernels_in_cuda_keep_names_and_words():
    x, out = np.arange(20, dtype=np.float32), np.zeros(20, np.float32)
    scale = cuda.RawKernel(kernels.SCALE, "scale")
    done = assert_alike(scale, 1, 32, x, out, 3.0, 20)
    np.testing.assert_array_equal(done.arrays[1], 3 * x)
    done = assert_alike(cuda.RawKernel(kernels.NO_GUARD, "no_guard"), 1, 32, out)
    (finding,) = done.findings
    assert "just past the end of 'out' (80 bytes)" in finding["text"]
    assert (finding["file"], finding["line"]) == ("/minitorch/user/no_guard.cu", 4)


def test_templates_and_constants_travel():
    code = """__constant__ int table[3] = {5, 6, 7};
    template <class T> __global__ void take(T* out) {
      out[threadIdx.x] = table[threadIdx.x];
    }"""
    take = cuda.RawKernel(code, "take<double>")
    done = assert_alike(take, 1, 3, np.zeros(3))
    assert done.arrays[0].tolist() == [5, 6, 7]
    weights = np.array([2.0, 3.0, 4.0])

    @cuda.jit
    def weighted(out):
        held = cuda.const.array_like(weights)
        i = cuda.threadIdx.x
        out[i] = held[i]

    assert assert_alike(weighted, 1, 3, np.zeros(3)).arrays[0].tolist() == [2, 3, 4]


def test_a_file_of_cuda_has_the_students_name_and_lines():
    text = "__global__ void set(int* x) {\n  x[threadIdx.x] = 1;\n}\n"
    form = through_json(kernel_form.of_cuda(text, "set", file="kernels/set.cu"))
    assert form["sources"] == {"kernels/set.cu": text}
    kernel = load(form)
    x = cuda.to_device(np.zeros(2, np.int32))
    with cuda.inspect() as run:
        launch(kernel, 1, 3, (x,))
    (finding,) = run.findings
    assert (finding.file, finding.line) == ("kernels/set.cu", 2)


def test_files_are_named_from_the_submissions_root(tmp_path, monkeypatch):
    (tmp_path / "package").mkdir()
    file = tmp_path / "package" / "ops.py"
    file.write_text("def k(x):\n    x[0] = (x[0] + 7) // x[0]\n")
    scope = {}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    form = kernel_form.of(scope["k"], ["int64[:]"], root=tmp_path)
    assert list(form["sources"]) == ["package/ops.py"]
    file.unlink()
    kernel = load(through_json(form))
    x = cuda.to_device(np.zeros(1, np.int64))
    with cuda.inspect() as run:
        launch(kernel, 1, 1, (x,))
    (finding,) = run.findings
    assert (finding.kind, finding.file, finding.line) == (
        "div_by_zero", "package/ops.py", 2,
    )  # fmt: skip
    assert "//" in finding.message


def double(x):
    x[cuda.threadIdx.x] *= 2


def nothing(x):
    pass


@pytest.mark.parametrize(
    ("kernel", "kinds", "error", "words"),
    [
        (3, ["int32"], TypeError, "got int; need a kernel"),
        (double, None, TypeError, "the types of double are missing"),
        (
            double,
            ["float32[:]", "int64"],
            TypeError,
            "the signature has 2 types, but double(x) has 1",
        ),
        (double, ["float33[:]"], ValueError, "a type such as float32"),
        (double, ["float32"], CompileError, "cannot index x"),
        (cuda.jit(device=True)(double), ["float32[:]"], TypeError, "need a kernel"),
        (nothing, ["float32[:,:,:,:,:,:,:,:,:]"], FormError, "1 to 8 dimensions"),
    ],
)
def test_what_is_no_kernel_is_told_where_it_is_made(kernel, kinds, error, words):
    with pytest.raises(error) as caught:
        kernel_form.of(kernel, kinds)
    assert words in str(caught.value)


def test_cuda_that_does_not_compile_names_file_and_line():
    with pytest.raises(CompileError, match=r"set\.cu\(2\)"):
        kernel_form.of_cuda("__global__ void f() {\n  x = 1; }", "f", file="set.cu")
    with pytest.raises(LaunchError, match="g"):
        kernel_form.of_cuda("__global__ void f() {}", "g")


def test_parameters_must_be_those_of_the_types():
    text = "__global__ void f(float* x, int n) {}"
    load(kernel_form.of_cuda(text, "f", ["float32[::1]", "int32"]))
    for kinds in (["float32[::1]"], ["float32[::1]", "int64"]):
        with pytest.raises(LaunchError, match=r"float\* x, int n"):
            load(kernel_form.of_cuda(text, "f", kinds))


def test_arguments_are_checked_against_the_types():
    kernel = load(kernel_form.of(double, ["float32[::1]"]))
    with pytest.raises(TypeError, match="the signature needs array"):
        launch(kernel, 1, 1, (cuda.to_device(np.zeros(1)),))
    with pytest.raises(LaunchError, match="got 2 arguments"):
        launch(kernel, 1, 1, (1, 2))


ACCESS = {
    "line": 1,
    "array": "a",
    "text": "a[0]",
    "write": False,
    "atomic": False,
    "indices": [],
}


@pytest.fixture(scope="module")
def form():
    return through_json(kernel_form.of(double, ["float32[::1]"]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"schema": "other"}, "$.schema"),
        ({"more": 1}, "`more`"),
        ({"language": "fortran"}, "$.language"),
        ({"ptx": 5}, "$.ptx"),
        ({"ptx": "x" * (4 << 20 | 1)}, "$.ptx"),
        ({"ptx": "x\0"}, "$.ptx"),
        ({"code": "\ud800"}, "$.code"),
        ({"name": "two\nlines"}, "$.name"),
        ({"name": "line\n"}, "$.name"),
        ({"name": "\ud800"}, "$.name"),
        ({"types": ["array(float32, 99d, C)"]}, "1 to 8 dimensions"),
        ({"types": ["UniTuple(int64, 999999999)"]}, "$.types[0]"),
        ({"types": ["(" * 290]}, "nested parentheses"),
        ({"types": [3]}, "$.types[0]"),
        ({"types": []}, "numbers of types"),
        ({"types": None}, "numbers of types"),
        ({"cooperative": 1}, "$.cooperative"),
        ({"shared": {"s": [1 << 30, 1 << 30]}}, "elements"),
        ({"shared": {"s": [-1]}}, "$.shared"),
        ({"shared": {"s": [1.5]}}, "$.shared"),
        ({"places": {"f": ["g"]}}, "$.places"),
        ({"checks": [ACCESS | {"text": "a["}]}, "subscript 'a['"),
        ({"checks": [ACCESS | {"line": 1 << 40}]}, "line 1099511627776"),
        ({"checks": [{"line": 1}]}, "$.checks[0]"),
        ({"accesses": {"f": 3}}, "$.accesses"),
        ({"sources": {str(i): "x" * (1 << 20) for i in range(3)}}, "sources"),
    ],
)
def test_forms_are_refused_field_by_field(form, change, words):
    with pytest.raises(FormError, match=r"^\[kernel\] got .*; need ") as caught:
        load({**form, **change})
    assert words in str(caught.value)


@pytest.mark.parametrize("ptx", ["", "no ptx", ".version 9.9\n.entry double_() {"])
def test_ptx_that_the_driver_refuses_is_an_error_of_ptx(form, ptx):
    with pytest.raises(PtxError):
        load({**form, "ptx": ptx})


def test_ptx_of_another_kernel_is_refused(form):
    with pytest.raises(LaunchError):
        load({**form, "entry": "other"})
    wide = through_json(kernel_form.of(nothing, ["float32[:, ::1]"]))
    wide["ptx"] = wide["ptx"].replace(wide["entry"], form["entry"])
    with pytest.raises(LaunchError, match="layout"):
        load({**form, "ptx": wide["ptx"]})


@pytest.mark.parametrize(
    "data",
    [
        np.zeros(3, np.float32),
        np.zeros((2, 2), np.uint8),
        np.frombuffer(b"{", np.uint8),
        np.frombuffer(b'{"a": NaN}', np.uint8),
        np.frombuffer(b"[" * 100_000, np.uint8),
        np.frombuffer(b"\xff\xfe", np.uint8),
    ],
)
def test_bytes_that_are_no_form_are_refused(data):
    with pytest.raises(FormError):
        kernel_form.unpacked(data)


def test_packing_keeps_the_form(form):
    assert kernel_form.unpacked(kernel_form.packed(form)) == form
    assert len(json.dumps(form)) < 20_000


def test_forms_need_no_device_for_kernels_in_python(monkeypatch):
    monkeypatch.setattr("minitorch._core.RawModule", None)
    assert kernel_form.of(double, ["int32[::1]"])["checked"]


def test_a_build_for_debuggers_is_judged_by_the_normal_one():
    made = kernel_form.of(cuda.jit(debug=True, opt=False)(double), ["float32[::1]"])
    assert made["ptx"] == kernel_form.of(double, ["float32[::1]"])["ptx"]

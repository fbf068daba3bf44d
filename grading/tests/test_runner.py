"""Tests of launches by a runner: poison, findings, limits, hostile forms, pictures."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from minitorch import _core, cuda
from minitorch_grading.kernels import kernel_form
from minitorch_grading.runner.launch_service import answer
from minitorch_grading.runner.launches import Unwritten, launch
from minitorch_grading.sandbox.confine import landlock_version
from minitorch_grading.sandbox.process import confined

from .two_roads import Loaded, kernels_of_tests

pytestmark = pytest.mark.cuda

puzzle_mistakes = kernels_of_tests("puzzle_mistakes")


def runner_with(kernel, *kinds):
    if isinstance(kernel, str):
        return Loaded(
            kernel_form.of_cuda(kernel, "k", list(kinds) or None, file="k.cu")
        )
    return Loaded(kernel_form.of(kernel, kinds))


def scale(out, a, factor):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = a[i] * factor


def test_values_come_back_and_poison_stays_where_nobody_writes():
    runner = runner_with(scale, "float32[:]", "float32[:]", "float32")
    a = np.arange(5, dtype=np.float32)
    poison = np.full(8, 1234.5, np.float32)
    done = runner.launch(1, 8, (Unwritten(poison), a, 2.0))
    assert done.outcome == "done"
    assert done.findings == []
    assert done.arrays[0].tolist() == [0, 2, 4, 6, 8, 1234.5, 1234.5, 1234.5]
    np.testing.assert_array_equal(done.arrays[1], a)
    assert done.arrays[2] is None


def test_a_read_of_poison_is_found():
    def add(out, a):
        i = cuda.grid(1)
        out[i] += a[i]

    runner = runner_with(add, "float64[::1]", "float64[::1]")
    done = runner.launch(1, 4, (Unwritten(np.zeros(4)), np.ones(4)))
    assert {each["kind"] for each in done.findings} == {"uninit_global"}
    assert runner.launch(1, 4, (np.zeros(4), np.ones(4))).findings == []


def test_arguments_keep_dtype_and_identity():
    def both(a, b, flag, number):
        i = cuda.grid(1)
        if flag:
            a[0, i] = number
            b[1, i] += 2.5

    runner = runner_with(both, "int16[:, :]", "int16[:, :]", "bool", "int8")
    whole = np.zeros((3, 2), np.int16).T
    done = runner.launch(1, 3, (whole, whole, True, np.int8(5)))
    assert done.message == ""
    assert done.arrays[0].tolist() == [[5, 5, 5], [2, 2, 2]]
    assert done.arrays[0] is done.arrays[1]


@pytest.mark.parametrize("value", [np.nan, np.inf, -0.0, 5e-324, 1e308])
def test_floats_arrive_to_the_bit(value):
    def put(out, x):
        out[0] = x

    done = runner_with(put, "float64[::1]", "float64").launch(
        1, 1, (np.zeros(1), value)
    )
    assert done.arrays[0].tobytes() == np.float64(value).tobytes()


def test_a_fault_leaves_the_next_launch_alone():
    text = """__global__ void k(int* x, int n) {
      x[threadIdx.x * n] = 1;
    }"""
    runner = runner_with(text)
    x = np.zeros(32, np.int32)
    for _ in range(3):
        far = runner.launch(1, 32, (x, 1 << 20))
        assert far.outcome == "done"
        # By what lies there now.
        kinds = "oob_global", "oob_const", "wild_pointer", "use_after_free"
        assert far.findings[0]["kind"] in kinds
        assert far.findings[0]["line"] == 2
        good = runner.launch(1, 32, (x, 1))
        assert good.findings == []
        assert good.arrays[0].tolist() == [1] * 32


def test_nothing_that_a_kernel_keeps_reaches_the_next_launch():
    text = """__device__ int seen = 0;
    __global__ void k(int* x) { x[0] = seen; seen = 1; }"""
    runner = runner_with(text)
    for _ in range(3):
        done = runner.launch(1, 1, (np.full(1, 9, np.int32),))
        assert done.arrays[0].tolist() == [0]


@pytest.fixture
def short_budget():
    """A limit that loops meet soon."""
    before = _core.budget()
    cuda.set_launch_limits(instructions=100_000)
    yield
    cuda.set_launch_limits(instructions=before)


@pytest.mark.usefixtures("short_budget")
def test_endless_kernels_end_by_their_budget():
    text = "__global__ void k(volatile int* x) {\n  while (*x >= 0) ++*x;\n}"
    runner = runner_with(text)
    done = runner.launch(1, 1, (np.zeros(1, np.int32),))
    assert done.outcome == "timeout"
    assert done.findings[0]["line"] == 2
    done = runner.launch(1, 1, (np.full(1, -1, np.int32),))
    assert done.outcome == "done"


def test_errors_come_first_and_other_threads_are_named():
    runner = runner_with(
        puzzle_mistakes.pooling_without_barrier, "int64[:]", "int64[:]", "int64"
    )
    done = runner.launch(
        1, 8, (np.zeros(8, np.int64), np.arange(8), 8), site="here.py:1"
    )
    first = done.findings[0]
    assert (first["kind"], first["severity"]) == ("race_shared", "error")
    assert first["race"]["other"]["thread"] != first["thread"]
    assert first["file"] == "puzzle_mistakes.py"
    assert ", launched at here.py:1" in first["text"]
    json.dumps(done.findings, allow_nan=False)


def test_a_fault_in_a_headers_code_has_the_students_line():
    code = """#include <mma.h>
__global__ void k(float* x) {
  using namespace nvcuda::wmma;
  __shared__ half part[256];
  fragment<matrix_a, 16, 16, 16, half, row_major> a;
  load_matrix_sync(a, part, 16);
  x[threadIdx.x] = __half2float(a.x[0]);
}"""
    done = runner_with(code).launch(1, 32, (np.zeros(32, np.float32),))
    first = done.findings[0]
    assert (first["kind"], first["file"]) == ("uninit_shared", "k.cu")
    assert first["line"] == 6
    assert "called from k.cu:6" in first["text"]


def test_findings_and_words_have_a_cap():
    lines = "\n".join(f"  if (threadIdx.x == {i}) x[{100 + i}] = 1;" for i in range(99))
    runner = runner_with(f"__global__ void k(int* x) {{\n{lines}\n}}")
    done = runner.launch(99, 99, (np.zeros(8, np.int32),))
    assert 1 <= len(done.findings) <= 64


def test_large_dynamic_shared_memory_needs_no_host_code():
    text = """__global__ void k(int* x, int n) {
      extern __shared__ int s[];
      for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = i;
      __syncthreads();
      for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = s[n - 1 - i];
    }"""
    runner = runner_with(text)
    n = 15_000
    done = runner.launch(1, 64, (np.zeros(n, np.int32), n), 4 * n)
    assert done.message == ""
    np.testing.assert_array_equal(done.arrays[0], np.arange(n)[::-1])
    done = runner.launch(1, 64, (np.zeros(n, np.int32), n), 1 << 20)
    assert done.outcome == "error"
    assert "shared" in done.message


@pytest.mark.parametrize(
    ("grid", "block", "arguments", "words"),
    [
        (
            0,
            1,
            (np.zeros(1, np.float32),) * 2 + (1.0,),
            "every size must be at least 1",
        ),
        (1, 4096, (np.zeros(1, np.float32),) * 2 + (1.0,), "1024"),
        (1, 1, (np.zeros(1, np.float32),), "got 1 arguments"),
        (1, 1, (np.zeros(1),) * 2 + (1.0,), "the signature needs array"),
        (
            1,
            1,
            (np.zeros(1, np.float32),) * 2 + (np.zeros(3),),
            "the signature needs float32",
        ),
    ],
)
def test_launches_that_cannot_be_are_errors_in_words(grid, block, arguments, words):
    runner = runner_with(scale, "float32[:]", "float32[:]", "float32")
    done = runner.launch(grid, block, arguments)
    assert done.outcome == "error"
    assert words in done.message
    assert done.arrays == ()


@pytest.mark.parametrize("value", ["text", None, np.array(["a"]), 2**70, 1j])
def test_what_is_no_argument_is_refused_here(value):
    runner = runner_with(scale, "float32[:]", "float32[:]", "float32")
    with pytest.raises(TypeError, match="need "):
        runner.launch(1, 1, (value, value, value))


def test_questions_that_make_no_sense_are_errors():
    form = runner_with(scale, "float32[:]", "float32[:]", "float32").form
    for parts, outcome in (([], "no_kernel"), ([form], "error")):
        reply, back = answer({}, parts)
        assert (reply["outcome"], back) == (outcome, [])


def test_ptx_that_does_not_load_does_not_compile():
    form = kernel_form.of(scale, ["float32[:]", "float32[:]", "float32"])
    form["ptx"] = "no PTX"
    assert Loaded(form).launch(1, 1, ()).outcome == "does_not_compile"


def _changed(data: bytes, draw: random.Random) -> bytes:
    """A form that somebody has tampered with: bytes, fields or the PTX's lines."""
    kind = draw.randrange(4)
    if kind == 0:
        made = bytearray(data)
        for _ in range(draw.randrange(1, 8)):
            made[draw.randrange(len(made))] = draw.randrange(256)
        return bytes(made)
    if kind == 1:
        return data[: draw.randrange(len(data))]
    form = json.loads(data)
    if kind == 2:
        name = draw.choice(sorted(form))
        odd = [None, -1, "", [], {}, 1e300, "x" * 99, [[[]]], True, {"a": {}}]
        form[name] = draw.choice(odd)
    else:
        for name in ("ptx", "checked"):
            lines = form[name].splitlines()
            if len(lines) < 2:
                continue
            at, other = draw.randrange(len(lines)), draw.randrange(len(lines))
            lines[at] = draw.choice([lines[other], lines[other][::-1], "", "}", "{"])
            form[name] = "\n".join(lines)
    return json.dumps(form).encode()


@pytest.mark.parametrize("seed", range(10))
def test_forms_that_were_tampered_with_never_end_the_runner(seed):
    draw = random.Random(seed)
    kinds = ["int64[:]", "int64[:]", "int64"]
    source = draw.choice([puzzle_mistakes.pooling_without_barrier, scale])
    good = kernel_form.packed(kernel_form.of(source, kinds)).tobytes()
    outcomes = set()
    values = (np.zeros(8, np.int64), np.arange(8), 8)
    for _ in range(100):  # one in twenty still loads
        data = np.frombuffer(_changed(good, draw), np.uint8)
        done = launch(answer, data, 1, 8, values)
        outcomes.add(done.outcome)
        assert done.message or done.outcome in ("done", "timeout")
        json.dumps(done.findings, allow_nan=False)
    assert {"no_kernel", "done"} <= outcomes
    good_form = np.frombuffer(good, np.uint8)
    assert launch(answer, good_form, 1, 8, values).outcome == "done"


RACE = "__global__ void k(int* x) {\n  x[0] += threadIdx.x;\n}"
CONFLICTS = """__global__ void k(int* x) {
  __shared__ int s[32][32];
  for (int i = 0; i < 32; ++i) s[i][threadIdx.x] = i;
  __syncthreads();
  int value = s[threadIdx.x][3];
  x[threadIdx.x] = value;
}"""
CLEAN = "__global__ void k(int* x) {\n  x[threadIdx.x] = 1;\n}"
FAULT = "__global__ void k(int* x) {\n  if (threadIdx.x == 3) __trap();\n}"


@pytest.mark.parametrize(
    ("text", "view"),
    [(RACE, "race"), (CONFLICTS, "memory"), (CLEAN, "grid"), (FAULT, "step")],
)
def test_pictures_show_what_matters(text, view):
    done = runner_with(text).launch(1, 32, (np.zeros(32, np.int32),), picture=True)
    picture = done.picture
    assert picture is not None
    assert picture.view == view
    assert picture.form in ("html", "svg")
    assert len(picture.page.encode()) <= 200 << 10
    assert picture.alt
    assert "http://" not in picture.page.replace("http://www.w3.org/", "")
    plain = runner_with(text).launch(1, 32, (np.zeros(32, np.int32),))
    assert plain.picture is None
    assert plain.counters == done.counters


def test_pictures_of_kernels_in_python_name_their_variables():
    runner = runner_with(
        puzzle_mistakes.pooling_without_barrier, "int64[:]", "int64[:]", "int64"
    )
    done = runner.launch(1, 8, (np.zeros(8, np.int64), np.arange(8), 8), picture=True)
    assert done.picture.view == "race"
    assert "shared[" in done.picture.alt


GOOD = {
    "outcome": "done", "message": "", "arrays": [0], "findings": [],
    "counters": {"barriers": 1}, "seconds": 0.5, "picture": None,
}  # fmt: skip
FINDING = {
    "kind": "trap", "severity": "error", "text": "t", "file": None, "line": 1,
    "block": None, "thread": [0, 0, 0], "values": [], "race": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"outcome": "passed"}, None),
        ({"message": None}, None),
        ({"arrays": [0, 0]}, None),
        ({"arrays": [7]}, None),
        ({"arrays": [True]}, None),
        ({"arrays": "0"}, None),
        ({}, [np.zeros(4)]),
        ({}, [np.zeros(3, np.float32)]),
        ({"counters": {"barriers": "1"}}, None),
        ({"counters": None}, None),
        ({"seconds": "fast"}, None),
        ({"findings": "none"}, None),
        ({"findings": ["none"]}, None),
        ({"findings": [{**FINDING, "kind": 3}]}, None),
        ({"findings": [{**FINDING, "line": "3"}]}, None),
        ({"findings": [{**FINDING, "thread": [1, 2]}]}, None),
        ({"findings": [{**FINDING, "race": [1]}]}, None),
        ({"findings": [{**FINDING, "race": {"element": 3, "other": {}}}]}, None),
        ({"picture": {}}, None),
        ({"picture": {"view": "race"}}, [np.zeros(3), np.zeros(1, np.uint8)]),
    ],
)
def test_answers_that_are_none_are_errors(change, parts):
    sent = [np.zeros(3)] if parts is None else parts
    form = np.zeros(1, np.uint8)
    done = launch(lambda *_: ({**GOOD, **change}, sent), form, 1, 1, (np.zeros(3),))
    assert (done.outcome, done.arrays) == ("error", ())
    assert "got an answer that is none" in done.message


def test_a_good_answer_is_read():
    good = {**GOOD, "findings": [FINDING]}, [np.ones(3)]
    done = launch(lambda *_: good, np.zeros(1, np.uint8), 1, 1, (np.zeros(3),))
    assert (done.outcome, done.findings, done.seconds) == ("done", [FINDING], 0.5)


def by_asking(peer):
    def exchange(question, arrays):
        frame = peer.ask(question, arrays)
        return frame.header, frame.arrays

    return exchange


@pytest.fixture(scope="module")
def confined_runner(tmp_path_factory):
    """The real one: a process of its own, as confined as this machine can."""
    folder = tmp_path_factory.mktemp("empty")
    level = "confined" if landlock_version() else "process"
    with confined("runner", level=level, sees="runner", folder=folder) as peer:
        yield lambda form: Loaded(form, by_asking(peer))


def test_a_confined_runner_launches_and_draws(confined_runner):
    form = kernel_form.of(
        puzzle_mistakes.pooling_without_barrier, ["int64[:]", "int64[:]", "int64"]
    )
    arguments = (np.zeros(8, np.int64), np.arange(8), 8)
    for picture in (False, True):
        there = confined_runner(form).launch(1, 8, arguments, picture=picture)
        ours = Loaded(form).launch(1, 8, arguments, picture=picture)
        assert there.outcome == "done", there.message
        assert there.findings == ours.findings
        assert there.counters == ours.counters
        assert (there.picture is None) != picture
        assert there.picture == ours.picture


def test_kernels_may_print_as_much_as_they_like(confined_runner):
    text = """__global__ void k(int n) {
      for (int i = 0; i < n; ++i) printf("line %d\\n", i);
    }"""
    form = kernel_form.of_cuda(text, "k")
    for count in (2, 100_000, 1):
        assert confined_runner(form).launch(1, 1, (count,)).outcome == "done"


def test_memory_of_the_card_is_an_outcome(tmp_path):
    level = "confined" if landlock_version() else "process"
    form = kernel_form.of_cuda("__global__ void k(float* x, float* y) {}", "k")
    with confined(
        "runner", level=level, sees="runner", folder=tmp_path, card_mb=32
    ) as peer:
        runner = Loaded(form, by_asking(peer))
        arrays = [np.zeros(5 << 20, np.float32) for _ in range(2)]
        assert runner.launch(1, 1, arrays).outcome == "memory"
        assert runner.launch(1, 1, arrays[:1] * 2).outcome == "done"


KINDS = {
    "oob_shared": "__shared__ int s[32]; s[threadIdx.x + n] = 1; x[0] = s[n];",
    "oob_local": "int t[4]; for (int i = 0; i <= n; ++i) t[i] = x[i];\n"
    "for (int i = 0; i <= n; ++i) x[i] = t[(i * n) % 5];",
    "misaligned": "*(int*)((char*)x + n - 2) = 1;",
    "null_pointer": "int* p = (int*)(long long)(n - 4); *p = 1;",
    "uninit_shared": "__shared__ int s[32]; x[threadIdx.x] = s[threadIdx.x];",
    "race_shared": "__shared__ int s; s = threadIdx.x; __syncthreads(); x[0] = s;",
    "barrier_divergence": "for (int i = 0; i <= threadIdx.x % n; ++i) __syncthreads();",
    "warp_sync": "if (threadIdx.x < n) x[threadIdx.x] = __shfl_sync(3, n, 1);",
    "deadlock": "while (atomicAdd(x, 0) == 0) {}",
    "div_by_zero": "x[threadIdx.x] = (n + 3) / (n - 4);",
    "trap": "if (n == 4) __trap();",
    "assert": "assert(n == 5);",
}


@pytest.mark.parametrize("kind", KINDS)
def test_faults_of_each_kind_have_the_students_line(kind):
    text = (
        f"#include <assert.h>\n__global__ void k(int* x, int n) {{\n{KINDS[kind]}\n}}"
    )
    runner = runner_with(text)
    x = np.zeros(64, np.int32)
    for picture in (False, True):
        done = runner.launch(1, 32, (x, 4), picture=picture)
        assert done.outcome == "done"
        first = done.findings[0]
        assert (first["kind"], first["severity"]) == (kind, "error")
        assert first["file"] == "k.cu"
        assert 3 <= first["line"] <= 4
    assert done.picture is not None


def test_a_variable_larger_than_the_card_is_told():
    text = "__device__ char big[1024]; __global__ void k(char* x) { *x = big[*x]; }"
    form = kernel_form.of_cuda(text, "k")
    assert "[1024]" in form["ptx"]
    form["ptx"] = form["ptx"].replace("[1024]", f"[{1 << 45}]")
    done = Loaded(form).launch(1, 1, (np.zeros(1, np.int8),))
    assert done.outcome in ("does_not_compile", "memory")
    assert done.message


def test_a_forged_build_with_checks_changes_nothing_that_counts():
    def fill(x):
        i = cuda.grid(1)
        x[i] = 9

    def read(x):
        i = cuda.grid(1)
        x[i] = x[i] + 1

    kinds = ["int64[::1]"]
    honest, other = (kernel_form.of(each, kinds) for each in (read, fill))
    forged = other["checked"].replace(other["entry"], honest["entry"])
    results = []
    for checked in (honest["checked"], forged):
        form = {**honest, "checked": checked}
        results.append(Loaded(form).launch(1, 4, (np.arange(4),)))
    assert results[1].arrays[0].tolist() == [1, 2, 3, 4]
    assert results[1].counters == results[0].counters

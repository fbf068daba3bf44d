"""Tests of the puzzles' texts and of their judge, on kernels in CUDA C++."""

from __future__ import annotations

import re

import numpy as np
import pytest

from minitorch import cuda
from minitorch.learn import puzzles

from .source_tree import ROOT

pytestmark = pytest.mark.cuda

SOURCE = (ROOT / "benchmarks" / "kernels" / "puzzles.cu").read_text()
NAMES = re.findall(r"void (\w+)\(", SOURCE)
GUARD = "__global__ void k(float* out, const float* a, int size) { BODY }"


def guard(body):
    """A kernel for puzzle 3."""
    return cuda.RawKernel(GUARD.replace("BODY", f"int i = threadIdx.x;\n{body}"), "k")


NOTHING = "if (i < 0) return;"


@pytest.fixture(scope="module")
def solutions():
    return cuda.RawModule(code=SOURCE)


@pytest.mark.parametrize("number", range(1, 15))
def test_solutions_in_cuda_are_accepted_and_reach_the_aim(solutions, number):
    result = puzzles.check(number, solutions.get_function(NAMES[number - 1]))
    assert result.state == "solved", result
    assert result
    assert result.reaches_aim, result


@pytest.mark.parametrize("each", puzzles.PUZZLES, ids=lambda each: each.title)
def test_texts_fit_together(each):
    assert puzzles.puzzle(each.number) is each
    text = str(each)
    assert each.title in text
    assert each.task in " ".join(text.split())
    assert each.template in text
    assert f"({', '.join(each.arguments)}):" in each.template
    assert max(map(len, text.splitlines())) <= 80
    assert each.hints
    setup = each.setup(*each.sizes[0])
    assert len(each.arguments) == 1 + len(setup.shapes) + len(setup.scalars)
    # The same inputs each time, and others for other sizes.
    first, again, other = each.case(*each.sizes[0]), each.cases()[0], each.cases()[-1]
    np.testing.assert_array_equal(first.inputs[0], again.inputs[0])
    assert first.inputs[0].shape != other.inputs[0].shape


def test_nothing_written_is_not_yet():
    result = puzzles.check(3, guard(NOTHING))
    assert result.state == "not yet"
    assert not result
    assert puzzles.puzzle(3).hints[0] in str(result)


def test_wrong_cells_are_shown():
    result = puzzles.check(3, guard("if (i < size) out[i] = a[i] + (i == 2 ? 9 : 10);"))
    assert result.state == "wrong values"
    first = result.cases[0]
    assert first.wrong == [(2,)]
    got, need = first.case.expected[2] - 1, first.case.expected[2]
    assert f"out[2] is {got}; need {need}" in str(result)
    assert "1 of 4 cells" in str(result)
    assert "and 2 other inputs" in str(result)  # size 1 has no cell 2
    two = puzzles.check(3, guard("if (i < size) out[i] = a[i] + (i == 5 ? 9 : 10);"))
    assert str(two).endswith("and 1 other input")  # sizes 7 and 8 have a cell 5
    assert not result.reaches_aim


def test_a_guard_that_is_missing_is_reported_with_its_line():
    result = puzzles.check(3, guard("out[i] = a[i] + 10;"))
    assert result.state == "reported"
    (finding,) = result.findings
    assert (finding.kind, finding.line) == ("oob_global", 2)
    assert "differ" not in str(result)  # the launch was stopped


@pytest.mark.parametrize(
    ("number", "code", "kind", "line"),
    [
        (
            9,
            """__global__ void k(float* out, const float* a, int size) {
  __shared__ float s[8];
  int i = threadIdx.x;
  if (i >= size) return;
  s[i] = a[i];
  float sum = s[i];
  for (int back = 1; back < 3; back++)
    if (i >= back)
      sum += s[i - back];
  out[i] = sum;
}""",
            "race_shared",
            9,
        ),
    ],
)
def test_right_values_by_luck_are_reported(number, code, kind, line):
    result = puzzles.check(number, cuda.RawKernel(code, "k"))
    assert result.state == "reported"
    assert not any(each.wrong for each in result.cases)
    assert "right this time, but only by luck" in str(result)
    assert {(each.kind, each.line) for each in result.findings} == {(kind, line)}


def test_kinds_can_be_tolerated():
    code = """__global__ void k(float* out, const float* a, int size) {
      int i = blockIdx.x * 4 + threadIdx.x;
      if (i < size) { out[i] = a[i] + 10; __syncthreads(); out[i] += 0.f; }
      else { __syncthreads(); }
    }"""
    kernel = cuda.RawKernel(code, "k")
    assert puzzles.check(8, kernel).state == "reported"
    tolerant = puzzles.check(8, kernel, tolerate=("barrier_divergence",))
    assert tolerant.state == "solved"
    assert any(each.notes for each in tolerant.cases)


def test_counts_are_those_of_the_busiest_thread():
    body = """__shared__ float s[8];
    if (i < size) s[i] = a[i];
    __syncthreads();
    if (i == 1) { volatile float* v = s; for (int k = 0; k < 3; k++) v[1] = v[1]; }
    if (i == 2) for (int k = 0; k < size; k++) ((volatile float*)out)[k] = 0;
    __syncthreads();
    if (i < size) out[i] = s[i] + 10;"""
    result = puzzles.check(3, guard(body))
    assert result.state == "reported"  # the store of thread 2 races with nobody's
    # Size 4: thread 2 writes out four times and once more, thread 1 reads s thrice
    # and once more.
    assert result.counts == puzzles.Counts(1, 5, 4, 4)
    assert not result.reaches_aim


def test_atomics_are_reads_and_writes_and_vectors_count_their_elements():
    body = """if (i == 0) {
      float4 four = *(const float4*)a;
      out[0] = four.x + 10; out[1] = four.y + 10; out[2] = four.z + 10;
    }
    if (i == 3) atomicAdd(out + 3, a[3] + 10);"""
    result = puzzles.check(3, guard(body))
    assert result.counts == puzzles.Counts(4, 3, 0, 0)
    result = puzzles.check(3, guard("if (i < size) atomicAdd(out + i, a[i] + 10);"))
    assert result.solved
    assert result.counts == puzzles.Counts(2, 1, 0, 0)
    assert not result.reaches_aim


def test_what_does_not_run_is_a_result():
    two = cuda.RawKernel("__global__ void k(float* out, float* a) { out[0] = 1; }", "k")
    result = puzzles.check(3, two)
    assert result.state == "does not run"
    assert result.counts is None
    assert isinstance(result.error, cuda.LaunchError)
    assert str(result.error) in str(result).replace("\n  ", "\n")


@pytest.mark.parametrize("number", [0, 15, -1])
def test_there_is_no_such_puzzle(number):
    with pytest.raises(ValueError, match=rf"got puzzle {number}; need 1 to 14"):
        puzzles.check(number, None)


@pytest.mark.parametrize("kernel", [None, ...])
@pytest.mark.parametrize("number", [1, 3, 14])
def test_no_kernel_is_not_yet(number, kernel):
    result = puzzles.check(number, kernel)
    assert (result.state, bool(result), result.counts) == ("not yet", False, None)
    assert "There is no kernel yet." in str(result)
    assert puzzles.puzzle(number).hints[0] in str(result)


@pytest.mark.parametrize("kernel", [3, "out[i] = 1", [1], np.ones(3), object()])
def test_what_is_no_kernel_is_refused(kernel):
    with pytest.raises(TypeError, match="need a kernel: a Python function"):
        puzzles.check(3, kernel)


def test_functions_with_other_arguments():
    def kernel(out, a, size, more):
        out[0] = more

    result = puzzles.check(3, kernel)
    assert result.state == "does not run"
    assert (
        "kernel takes (out, a, size, more), but the launch passes (out, a, size)"
        in str(result)
    )
    assert isinstance(result.error, puzzles.NotAKernel)


def test_factories_that_return_nothing():
    def factory(cuda):
        def call(out, a, size):
            out[0] = 1

    result = puzzles.check(3, factory)
    assert result.state == "does not run"
    assert "End it with: return call" in str(result)


def test_a_name_that_is_assigned_instead_of_an_element_is_told():
    def triple(out, a, size):
        i = cuda.threadIdx.x
        if i < size:
            out = a[i] + 10  # noqa: F841

    result = puzzles.check(3, triple)
    assert result.state == "not yet"
    assert "out = ... only rebinds the name" in str(result)
    assert "Write an element: out[...] = ..." in str(result)
    assert "template" not in str(result)


def test_a_check_is_for_oneself():
    result = puzzles.check(3, guard("if (i < size) out[i] = a[i] + 10;"))
    assert "level process: judged in this Python, for yourself" in str(result)


def test_a_finding_weighs_more_than_wrong_values():
    result = puzzles.check(3, guard("if (i <= size) out[i] = a[i] + 11;"))
    assert result.state == "reported"
    assert result.findings[0].kind == "oob_global"
    assert result.cases[0].wrong

"""The tests of inspected launches: plain builds, and wrong indices nonetheless."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from minitorch import cuda

from .index_kernels import CASES

pytestmark = [
    pytest.mark.cuda,
    pytest.mark.filterwarnings("ignore::minitorch.cuda.NumbaPerformanceWarning"),
]


@pytest.fixture(autouse=True)
def _need_the_emulator():
    if not cuda.is_emulated():
        pytest.skip("a GPU does not check indices")


@cuda.jit
def row_sums(x, out):
    r = cuda.grid(1)
    total = 0.0
    for c in range(x.shape[0]):
        total += x[r, c]
    out[r] += total


@pytest.mark.parametrize(
    "options", [{}, {"trace": True}, {"debug": True, "trace": True}]
)
def test_a_wrong_index_is_found_where_launches_are_counted(options):
    x, out = cuda.to_device(np.ones((8, 5))), cuda.to_device(np.zeros(8))
    with cuda.inspect(**options) as run:
        row_sums[1, 8](x, out)
    (launch,) = run.launches
    (finding,) = [each for each in launch.findings if each.severity == "error"]
    assert "x[r, c] with r = 0, c = 5, but x has shape (8, 5)" in str(finding)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.function.__name__)
def test_an_inspected_launch_runs_once(case):
    kernel = cuda.jit(case.function)
    plain, inspected = case.arguments(), case.arguments()
    kernel[case.grid, case.block](*plain)
    with cuda.inspect(checks="memory") as run:
        kernel[case.grid, case.block](*inspected)
    assert len(run.launches) == 1
    assert run.findings == []
    for one, other in zip(plain, inspected, strict=True):
        np.testing.assert_array_equal(np.asarray(other), np.asarray(one))


def test_what_nobody_wrote_stays_so():
    @cuda.jit
    def half(x, out):
        i = cuda.grid(1)
        for k in range(1):
            if i < 4:
                out[i + k] = x[i]

    @cuda.jit
    def read(x, out):
        out[cuda.grid(1)] = x[cuda.grid(1)]

    x, out = cuda.to_device(np.ones(8)), cuda.device_array(8)
    with cuda.inspect() as run:
        half[1, 8](x, out)
        read[1, 8](out, x)
    assert [each.kind for each in run.findings] == ["uninit_global"]


def test_arrays_that_share_memory_are_put_back():
    @cuda.jit
    def shift(x, y):
        i = cuda.grid(1)
        for k in range(1):
            y[i + k] += x[i]

    x = cuda.to_device(np.arange(8.0))
    with cuda.inspect(checks="memory"):
        shift[1, 4](x[:4], x[4:])
    assert x.copy_to_host().tolist() == [0, 1, 2, 3, 4, 6, 8, 10]


@pytest.mark.parametrize("number", [0, 999_999, 2**32 - 1])
def test_linked_code_with_such_a_comment_does_no_harm(tmp_path, number):
    source = tmp_path / "linked.cu"
    source.write_text(
        'extern "C" __device__ int wrong(int* out, int i) {\n'
        f'  asm volatile("// minitorch.index.u64 {number}, 900, 1, 2, %0, 3;"'
        ' :: "l"((long long)i));\n'
        "  *out = i; return 0;\n}\n"
    )
    wrong = cuda.declare_device("wrong", "int32(int32)")

    @cuda.jit(link=[str(source)])
    def kernel(out):
        i = cuda.grid(1)
        out[i] = wrong(i)

    kernel[1, 8](cuda.device_array(8, np.int32))
    with pytest.raises(cuda.KernelError) as caught:
        cuda.synchronize()
    assert caught.value.kind == "oob_global"


def test_earlier_faults_are_listed_as_before():
    x, out = cuda.to_device(np.ones((5, 5))), cuda.to_device(np.zeros(5))
    with cuda.inspect() as run:
        row_sums[1, 8](x, out)
    assert [each.kind for each in run.findings] == ["oob_global"]
    with cuda.inspect(checks="memory") as run:
        row_sums[1, 5](x, out)
    assert run.findings == []


def test_a_kernel_prints_once():
    program = """
import numpy as np
from minitorch import cuda
@cuda.jit
def hello(x):
    for i in range(x.shape[0]):
        print("number", x[i])
with cuda.inspect():
    hello[1, 1](np.arange(2))
"""
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.splitlines() == ["number 0", "number 1"]

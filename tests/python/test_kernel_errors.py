"""The tests of faults as a user sees them: kind, place, launch line, recovery."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from minitorch import cuda

from .kernels import NO_GUARD, SCALE, SPIN

pytestmark = pytest.mark.cuda

HERE = Path(__file__).name


def line_after(mark):
    """Number of the line of this file below the one that holds `# mark`."""
    text = Path(__file__).read_text().splitlines()
    return next(i for i, line in enumerate(text, 1) if line.strip() == f"# {mark}") + 1


def fault_of(code, name, grid, block, args, **options):
    """Launch once and return the KernelError of the synchronisation."""
    cuda.RawKernel(code, name)(grid, block, args, **options)
    with pytest.raises(cuda.KernelError) as caught:
        cuda.synchronize()
    return caught.value


@pytest.fixture(autouse=True)
def _need_the_emulator():
    if not cuda.is_emulated():
        pytest.skip("a GPU does not tell the place of a fault")


def test_every_field_of_an_out_of_bounds_write():
    out = cuda.device_array(100, np.float32)
    kernel = cuda.RawKernel(NO_GUARD, "no_guard")
    # launch without guard
    kernel(4, 32, (out,))
    with pytest.raises(cuda.KernelError) as caught:
        cuda.synchronize()
    error = caught.value
    assert error.kind == "oob_global"
    assert error.kernel == "no_guard"
    assert error.file is not None
    assert error.file.endswith("no_guard.cu")
    assert error.line == 4
    assert (error.block, error.thread) == ((3, 0, 0), (4, 0, 0))
    assert (error.space, error.access, error.size) == ("global", "write", 4)
    assert error.address == out.pointer + 400
    assert error.allocation is not None
    assert (error.allocation.base, error.allocation.size) == (out.pointer, 400)
    assert error.allocation.offset == 400
    assert error.allocation.parameter == 0
    assert error.launch_site == f"{HERE}:{line_after('launch without guard')}"
    assert error.launch_site in str(error)
    assert "no_guard.cu:4" in str(error)


def test_fault_is_raised_once_and_the_context_is_clean():
    out = cuda.device_array(1, np.float32)
    cuda.RawKernel(NO_GUARD, "no_guard")(1, 32, (out,))
    with pytest.raises(cuda.KernelError):
        cuda.synchronize()
    cuda.synchronize()
    x, y = cuda.to_device(np.ones(8, np.float32)), cuda.device_array(8, np.float32)
    cuda.RawKernel(SCALE, "scale")(1, 8, (x, y, 3.0, 8))
    assert (y.copy_to_host() == 3).all()


def test_copy_to_host_is_a_synchronisation():
    out = cuda.device_array(1, np.float32)
    cuda.RawKernel(NO_GUARD, "no_guard")(1, 32, (out,))
    with pytest.raises(cuda.KernelError, match="past the end"):
        out.copy_to_host()


def test_lowest_block_and_thread_whatever_the_order():
    out = cuda.device_array(33, np.float32)
    kernel = cuda.RawKernel(NO_GUARD, "no_guard")
    for _ in range(5):
        kernel(64, 32, (out,))
        with pytest.raises(cuda.KernelError) as caught:
            cuda.synchronize()
        assert (caught.value.block, caught.value.thread) == ((1, 0, 0), (1, 0, 0))


# A kernel with `int* x`, an array of 32 that holds zeros, or None: kind and line.
FAULTS = {
    "null": ("*x = 1;", 1, "null_pointer"),
    "between two": ("*(int*)((char*)x + 1) = 1;", 1, "misaligned"),
    "nowhere": ("*(int*)0x123456789000ull = 1;", 1, "wild_pointer"),
    "trap": ('asm("trap;");', 1, "trap"),
    "shared": ("__shared__ int s[32]; x[1] = s[x[0] + 1000000];", 1, "oob_shared"),
    "divergent": (
        "if (threadIdx.x < 16) __syncthreads(); x[threadIdx.x] = 1;",
        32,
        "barrier_divergence",
    ),
    "assertion": ("assert(x[0] > 3);", 1, "assert"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_has_its_kind_and_line(name):
    body, threads, kind = FAULTS[name]
    x = None if name == "null" else cuda.to_device(np.zeros(32, np.int32))
    code = f"__global__ void k(int* x) {{\n  {body}\n}}"
    error = fault_of(code, "k", 1, threads, (x,))
    assert (error.kind, error.line) == (kind, 2)
    assert kind != "assert" or "x[0] > 3" in str(error)


def test_use_after_free():
    x = cuda.to_device(np.ones(100, np.float32))
    out = cuda.device_array(100, np.float32)
    x.free()
    error = fault_of(SCALE, "scale", 4, 32, (x, out, 1.0, 100))
    assert error.kind == "use_after_free"
    assert error.line == 4


def test_uninitialised_read():
    x, out = cuda.device_array(8, np.float32), cuda.device_array(8, np.float32)
    error = fault_of(SCALE, "scale", 1, 8, (x, out, 1.0, 8))
    assert error.kind == "uninit_global"
    assert (error.line, error.access) == (4, "read")
    assert out.copy_to_host().shape == (8,)  # the launch itself ran to its end


def test_checks_refuses_other_words():
    with pytest.raises(ValueError, match="'full' or 'memory'"):
        cuda.checks("everything")


@pytest.mark.parametrize("index", [4, 5, 100, 100_000, -2, -1000])
def test_a_grid_constant_array(index):
    code = """
    struct Table { int n; int cells[4]; };
    extern "C" __global__ void pick(const __grid_constant__ Table table, int* out,
                                    int i) { *out = table.cells[i]; }
    """
    table = np.zeros((), [("n", "i4"), ("cells", "i4", 4)])[()]
    out = cuda.device_array(1, np.int32)
    error = fault_of(code, "pick", 1, 1, (table, out, np.int32(index)))
    assert error.kind == "oob_const"
    assert (error.space, error.access, error.size) == ("param", "read", 4)
    assert error.allocation is not None
    assert (error.allocation.parameter, error.allocation.size) == (0, 20)
    assert error.allocation.offset == 4 + 4 * index
    assert "the kernel's parameter 1 (20 bytes)" in str(error)
    assert f"index {index + 1} of 5" in str(error)
    assert error.line == 4


def test_deadlock_or_timeout_instead_of_a_hang():
    stop = cuda.to_device(np.zeros(1, np.int32))
    rounds = cuda.to_device(np.zeros(1, np.uint32))
    from minitorch import _core

    former = _core.budget()
    _core.set_budget(20_000)
    try:
        error = fault_of(SPIN, "spin", 1, 1, (stop, rounds))
    finally:
        _core.set_budget(former)
    assert error.kind in ("deadlock", "timeout")
    assert error.line == 3


def test_call_chain_of_an_inlined_function():
    code = """
    __device__ void store(int* x, int i) {
      x[i] = 1;
    }
    __global__ void k(int* x) {
      store(x, 100);
    }"""
    error = fault_of(code, "k", 1, 1, (cuda.device_array(4, np.int32),))
    assert error.line == 3
    assert [line for _, line in error.call_chain] == [6]


def test_errors_survive_pickling():
    error = fault_of(NO_GUARD, "no_guard", 1, 32, (cuda.device_array(1, np.float32),))
    twin = pickle.loads(pickle.dumps(error))
    assert (twin.kind, twin.thread, str(twin)) == (
        error.kind,
        error.thread,
        str(error),
    )
    assert twin.allocation == error.allocation


def test_findings_stay_readable_after_the_error():
    error = fault_of(NO_GUARD, "no_guard", 1, 32, (cuda.device_array(1, np.float32),))
    findings = cuda.last_findings()
    assert findings[0].kind == "oob_global"
    assert findings[0].site is not None
    assert findings[0].site.thread == error.thread


@pytest.mark.parametrize(
    "subclass",
    [
        cuda.CompileError,
        cuda.PtxError,
        cuda.LaunchError,
        cuda.KernelError,
        cuda.OutOfMemoryError,
    ],
)
def test_one_base_catches_all(subclass):
    assert issubclass(subclass, cuda.CudaError)
    twin = pickle.loads(pickle.dumps(subclass("what")))
    assert str(twin) == "what"

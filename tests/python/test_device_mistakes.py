"""The tests of mistakes in device code beyond plain indexing: the device heap,
shuffles, recursion, dynamic shared memory, functions that nobody defines.
"""

from __future__ import annotations

import contextlib
import linecache

import numpy as np
import pytest

from minitorch import cuda

from .test_kernel_errors import fault_of

pytestmark = pytest.mark.cuda


@pytest.fixture(autouse=True)
def _need_the_emulator():
    if not cuda.is_emulated():
        pytest.skip("a GPU does not tell the place of a fault")


def launch(body, threads, *args, signature="int* o", **options):
    """Run `body` as a kernel and synchronise."""
    code = f'extern "C" __global__ void k({signature}) {{ {body} }}'
    cuda.RawKernel(code, "k")(1, threads, args, **options)
    cuda.synchronize()


def fault(body, threads, *args, before="", **options):
    """The fault of a kernel with `body`, whose parameter is `int* o`."""
    code = f'{before}\nextern "C" __global__ void k(int* o) {{ {body} }}'
    return fault_of(code, "k", 1, threads, args, **options)


@pytest.mark.parametrize(
    "body",
    [
        "free(o);",
        "int* p = (int*)malloc(16); o[1] = p != 0; free(p); free(p);",
        "char* p = (char*)malloc(64); o[1] = p != 0; free(p + 16);",
    ],
    ids=["the host's array", "twice", "an interior pointer"],
)
def test_free_takes_only_what_malloc_gave(body):
    out = cuda.to_device(np.arange(8, dtype=np.int32))
    assert fault(body, 1, out).kind == "invalid_free"
    assert out.copy_to_host()[2:].tolist() == [2, 3, 4, 5, 6, 7]
    launch("o[0] = 5;", 1, out)
    assert out.copy_to_host()[0] == 5


def test_heap_memory_is_named_for_itself():
    out = cuda.to_device(np.zeros(64, np.int32))
    body = "volatile int* p = (int*)malloc(16); p[4] = 1; o[0] = p[0];"
    error = fault(body, 1, out)
    assert error.kind == "oob_global"
    assert error.allocation is not None
    assert (error.allocation.size, error.allocation.offset) == (16, 16)
    assert "'device malloc' (16 bytes)" in str(error)


def test_use_of_freed_heap_memory_is_told_as_the_kernels_own():
    out = cuda.to_device(np.zeros(4, np.int32))
    body = """volatile int* p = (int*)malloc(16);
    p[0] = 1; o[0] = p[0]; free((void*)p); o[1] = p[0];"""
    error = fault(body, 1, out)
    assert error.kind == "use_after_free"
    assert "before this launch" not in str(error)
    assert "free()" in str(error)


@pytest.mark.parametrize(
    "body",
    [
        "int t = threadIdx.x; if (t >= 16) return; o[t] = __shfl_sync(~0u, t, 20);",
        "int t = threadIdx.x; if (t < 16) o[t] = __shfl_sync(0xffff, t, 20);",
        "int t = threadIdx.x; if (t < 16) o[t] = __shfl_xor_sync(0xffff, t, 16);",
    ],
    ids=["exited", "outside the mask", "butterfly"],
)
def test_a_shuffle_from_a_lane_that_takes_no_part(body):
    out = cuda.to_device(np.zeros(32, np.int32))
    error = fault(body, 32, out)
    assert error.kind == "warp_sync"
    assert error.thread == (0, 0, 0)


def test_shuffles_whose_edges_are_thrown_away_are_silent():
    out = cuda.to_device(np.zeros(32, np.int32))
    body = """int t = threadIdx.x, v = t + 1;
    if (t >= 16) return;
    for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(0xffff, v, d);
    int up = __shfl_up_sync(0xffff, t, 1);
    int own = __shfl_sync(0xffff, t, 9, 16);
    o[t] = t == 0 ? v : up + own;"""
    launch(body, 32, out)
    expected = [16 * 17 // 2] + [t - 1 + 9 for t in range(1, 16)] + [0] * 16
    assert out.copy_to_host().tolist() == expected


@pytest.mark.parametrize("index", [16, 40])
def test_dynamic_shared_memory_has_its_name_and_size(index):
    out = cuda.to_device(np.full(1, index, np.int32))
    before = "extern __shared__ int s[];"
    error = fault("s[o[0]] = 1;", 1, out, before=before, shared_mem=64)
    assert error.kind == "oob_shared"
    assert "'s' (64 bytes)" in str(error)
    assert f"index {index} of 16" in str(error)


def test_forgotten_dynamic_shared_memory_is_hinted_at():
    out = cuda.to_device(np.zeros(1, np.int32))
    before = "extern __shared__ int s[];"
    error = fault("s[o[0]] = 1; o[0] = s[0];", 1, out, before=before)
    assert error.kind == "oob_shared"
    assert "shared_mem was 0" in str(error)


def test_local_arrays_are_not_named_as_the_compiler_names_them():
    out = cuda.to_device(np.full(1, 1 << 18, np.int32))
    body = "volatile int a[8]; a[o[0]] = 1; o[0] = a[3];"
    error = fault(body, 1, out)
    assert error.kind == "oob_local"
    assert "depot" not in str(error)
    assert "a local array of the thread (32 bytes)" in str(error)


def test_an_undefined_function_is_named_when_its_module_is_loaded():
    code = """extern __device__ int missing(int);
    extern "C" __global__ void k(int* o) { o[0] = missing(3); }"""
    with pytest.raises(cuda.PtxError, match=r"missing.*called by 'k'"):
        cuda.RawKernel(code, "k")


def test_blocks_that_wait_for_blocks_that_cannot_start_are_told_so():
    out = cuda.to_device(np.zeros(1, np.int32))
    code = """extern "C" __global__ void k(int* o) {
      atomicAdd(o, 1);
      while (atomicAdd(o, 0) < gridDim.x) {}
    }"""
    error = fault_of(code, "k", 5000, 1, (out,))
    assert error.kind == "deadlock"
    assert "not all blocks of the grid run at once" in str(error)


@pytest.mark.parametrize("text", ["x[:] = 1", "x[:, :] = t", "x[...] = 2", "x[0] = t"])
def test_all_cells_written_by_every_thread(text):
    source = f"def fill(x):\n    t = cuda.threadIdx.x\n    {text}\n"
    linecache.cache[text] = (len(source), None, source.splitlines(True), text)
    scope = {"cuda": cuda}
    exec(compile(source, text, "exec"), scope)
    with cuda.inspect() as run, contextlib.suppress(cuda.KernelError):
        cuda.jit(scope["fill"])[1, 8](cuda.to_device(np.zeros((2, 3))))
        cuda.synchronize()
    (finding,) = run.launches[0].findings
    assert finding.kind == ("race_global" if "t" in text else "race_benign")
    every = f"Every thread writes all cells, {text.partition(' =')[0]}: let each write"
    assert (every in finding.message) is (text != "x[0] = t")


#: 16 lanes name themselves, 16 name all; they meet at one operation.
MEETING = "0xffff if t < 16 else 0xffffffff"


@pytest.mark.parametrize(
    ("call", "mask", "right"),
    [
        ("cuda.syncwarp(m)", MEETING, False),
        ("cuda.shfl_xor_sync(m, t, 1)", MEETING, False),
        ("cuda.ballot_sync(m, t > 3)", "(1 << t) | 1", False),
        ("cuda.shfl_xor_sync(m, t, 1)", "0xffff if t < 16 else 0xffff0000", True),
        ("cuda.any_sync(m, t)", "1 << t", True),
        ("cuda.all_sync(m, t)", "cuda.match_any_sync(0xffffffff, t % 5)", True),
    ],
)
def test_lanes_that_meet_name_one_mask(call, mask, right):
    source = (
        "def meet(x):\n    t = cuda.threadIdx.x\n"
        f"    m = {mask}\n    x[t] = 1\n    {call}\n"
    )
    name = f"<{call} {mask}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    scope = {"cuda": cuda}
    exec(compile(source, name, "exec"), scope)
    cuda.jit(scope["meet"])[1, 32](cuda.to_device(np.zeros(32)))
    if right:
        cuda.synchronize()
        return
    with pytest.raises(cuda.KernelError, match="meet name different masks") as it:
        cuda.synchronize()
    assert (it.value.kind, it.value.line) == ("warp_sync", 5)

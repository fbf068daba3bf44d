"""The tests of warp functions, counting barriers, fences, grid barriers."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda

from .launching import agree, launched, refusal

pytestmark = pytest.mark.cuda

LANE = np.arange(32)


@pytest.mark.parametrize(
    "dtype", ["int32", "int64", "uint32", "uint64", "float32", "float64", "int8"]
)
def test_shuffles(dtype):
    texts = {
        "cuda.shfl_sync(0xFFFFFFFF, a, 31 - i)": "a[31 - i]",
        "cuda.shfl_up_sync(0xFFFFFFFF, a, 1)": "a[np.maximum(i - 1, 0)]",
        "cuda.shfl_down_sync(-1, a, 2)": "a[np.where(i < 30, i + 2, i)]",
        "cuda.shfl_xor_sync(-1, a, 5)": "a[i ^ 5]",
    }
    agree(texts, dtype, a=(LANE * 3).astype(dtype), i=LANE)


@pytest.mark.parametrize("dtype", ["complex64", "float16", "bool"])
def test_shuffles_of_other_types(dtype):
    a = ((LANE % 3) * (1 + 1j if dtype == "complex64" else 0.25)).astype(dtype)
    agree({"cuda.shfl_xor_sync(-1, a, 1)": "a[i ^ 1]"}, dtype, a=a, i=LANE)


def test_votes():
    texts = {
        "cuda.all_sync(-1, i < 32)": "1",
        "cuda.any_sync(-1, i == 40)": "0",
        "cuda.eq_sync(-1, i > 100)": "1",
        "cuda.ballot_sync(-1, i % 4)": "0xEEEEEEEE - 2**32",
        "cuda.eq_sync(-1, i)": "0",
        "cuda.vote_sync_intrinsic(-1, 3, i < 8)[0]": "255",
        "cuda.vote_sync_intrinsic(-1, 1, i == 5)[1]": "1",
    }
    agree(texts, np.int64, i=LANE)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_matches(dtype):
    texts = {
        "cuda.match_any_sync(0xFFFFFFFF, a)": "(0xFF << i // 8 * 8).astype('i4')",
        "cuda.match_all_sync(0xFFFFFFFF, a)[0]": "0",
        "cuda.match_all_sync(0xFFFFFFFF, a)[1]": "0",
        "cuda.match_all_sync(0xFFFFFFFF, a * 0)[0]": "-1",
        "cuda.match_all_sync(0xFFFFFFFF, a * 0)[1]": "1",
    }
    agree(texts, np.int32, a=(LANE // 8).astype(dtype), i=LANE)


def test_masks():
    def kernel(out):
        i = cuda.laneid
        out[0, i] = cuda.lanemask_lt()
        if i < 5:
            out[1, i] = cuda.activemask()
            out[2, i] = cuda.popc(cuda.activemask() & cuda.lanemask_lt())

    (out,) = launched(kernel, np.zeros((3, 32), np.int64))
    np.testing.assert_array_equal(out[0], 2**LANE - 1)
    assert out[1, :6].tolist() == [31, 31, 31, 31, 31, 0]
    assert out[2, :5].tolist() == [0, 1, 2, 3, 4]


def test_counting_barriers():
    texts = {
        "cuda.syncthreads_count(i % 5)": "np.count_nonzero(i % 5)",
        "cuda.syncthreads_and(i % 5 < 5)": "1",
        "cuda.syncthreads_or(i == 40)": "1",
    }
    agree(texts, np.int32, i=np.arange(64))


def test_barriers_of_warps_order_accesses():
    def kernel(a):
        s = cuda.shared.array(32, np.int32)
        i = cuda.threadIdx.x
        s[i] = i
        cuda.syncwarp()
        a[i] = s[31 - i]
        cuda.syncwarp(0xFFFFFFFF)
        s[i] = 0

    (a,) = launched(kernel, np.zeros(32, np.int32))
    np.testing.assert_array_equal(a, 31 - LANE)


def test_fences_and_naps():
    def kernel(data, flag, out):
        if cuda.blockIdx.x == 0:
            data[0] = 42
            cuda.threadfence()
            cuda.atomic.exch(flag, 0, 1)
        else:
            while cuda.atomic.add(flag, 0, 0) == 0:
                cuda.nanosleep(100)
            cuda.threadfence()
            out[0] = data[0]
            cuda.threadfence_block()
            cuda.threadfence_system()

    arrays = (np.zeros(1), np.zeros(1, np.int32), np.zeros(1))
    assert launched(kernel, *arrays, grid=2, block=1)[2].tolist() == [42]


def test_the_barrier_of_the_grid():
    def kernel(a, out):
        grid = cuda.cg.this_grid()
        i = cuda.grid(1)
        for step in range(3):
            a[i] += i
            grid.sync()
            if i == 0:
                for j in range(len(a)):
                    out[step] += a[j]
            cuda.cg.this_grid().sync()

    _, out = launched(kernel, np.zeros(24), np.zeros(3), grid=3, block=8)
    total = sum(range(24))
    assert out.tolist() == [total, 2 * total, 3 * total]


def test_as_many_blocks_as_may_wait_for_each_other():
    @cuda.jit("void(float64[::1])")
    def kernel(a):
        cuda.cg.this_grid().sync()
        a[cuda.grid(1)] += 1

    (compiled,) = kernel.overloads.values()
    most = compiled.max_cooperative_grid_blocks(256)
    assert most == compiled.max_cooperative_grid_blocks((16, 16), 0)
    assert most % cuda.get_current_device().MULTIPROCESSOR_COUNT == 0
    a = cuda.to_device(np.zeros((most + 1) * 256))
    kernel[most, 256](a)
    assert a.copy_to_host().sum() == most * 256
    with pytest.raises(cuda.LaunchError, match=f"need at most {most}"):
        kernel[most + 1, 256](a)


FLOATS, INTEGERS = np.zeros(2), np.zeros(2, np.int32)


@pytest.mark.parametrize(
    ("statement", "array", "words"),
    [
        (
            "a[0] = cuda.shfl_sync(1.5, a[0], 0)",
            FLOATS,
            "needs an integer, got float64",
        ),
        ("a[0] = cuda.all_sync(-1, a[0])", FLOATS, "needs an integer"),
        ("cuda.syncthreads_count(a[0])", FLOATS, "needs an integer"),
        ("a[0] = cuda.shfl_sync(-1, a[0], 0)", FLOATS * 1j, "at most 8 bytes"),
        (
            "a[0] = cuda.match_any_sync(-1, a[0])",
            np.zeros(2, np.int8),
            "needs one of int32",
        ),
        (
            "a[0] = cuda.vote_sync_intrinsic(-1, 7, 1)[0]",
            INTEGERS,
            "the mode must be a constant",
        ),
        (
            "cuda.shfl_down_sync(a[0], 1)",
            INTEGERS,
            "need shfl_down_sync(mask, value, delta)",
        ),
        ("cuda.syncwarp(1, 2)", INTEGERS, "need syncwarp(mask=...)"),
        (
            "a[0] = 1 if a[0] and cuda.match_all_sync(-1, a[0])[1] else 0",
            INTEGERS,
            "Assign it to a variable on the line above",
        ),
    ],
)
def test_what_is_refused(statement, array, words):
    assert words in refusal(statement, array)

"""The tests of warp functions, counting barriers, fences, grid barriers."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda

from .launching import launched, refused

pytestmark = pytest.mark.cuda

LANE = np.arange(32)


@pytest.mark.parametrize(
    "dtype", ["int32", "int64", "uint32", "uint64", "float32", "float64", "int8"]
)
def test_shuffles(dtype):
    def kernel(a, out):
        i = cuda.laneid
        out[0, i] = cuda.shfl_sync(0xFFFFFFFF, a[i], 31 - i)
        out[1, i] = cuda.shfl_up_sync(0xFFFFFFFF, a[i], 1)
        out[2, i] = cuda.shfl_down_sync(-1, a[i], 2)
        out[3, i] = cuda.shfl_xor_sync(-1, a[i], 5)

    a = (LANE * 3).astype(dtype)
    _, out = launched(kernel, a, np.zeros((4, 32), dtype))
    up, down = np.maximum(LANE - 1, 0), np.where(LANE < 30, LANE + 2, LANE)
    np.testing.assert_array_equal(out, [a[31 - LANE], a[up], a[down], a[LANE ^ 5]])


def test_shuffles_of_other_types():
    def kernel(z, h, out, halves):
        i = cuda.laneid
        out[i] = cuda.shfl_xor_sync(-1, z[i], 1)
        halves[i] = cuda.shfl_xor_sync(-1, h[i], 1)
        if cuda.shfl_sync(-1, i == 3, 3):
            out[i] += 1

    z = (LANE + 1j * LANE).astype(np.complex64)
    h = (LANE / 4).astype(np.float16)
    _, _, out, halves = launched(kernel, z, h, np.zeros_like(z), np.zeros_like(h))
    np.testing.assert_array_equal(out, z[LANE ^ 1] + 1)
    np.testing.assert_array_equal(halves, h[LANE ^ 1])


def test_votes():
    def kernel(out):
        i = cuda.laneid
        out[0, i] = cuda.all_sync(-1, i < 32)
        out[1, i] = cuda.any_sync(-1, i == 40)
        out[2, i] = cuda.eq_sync(-1, i > 100)
        out[3, i] = cuda.ballot_sync(-1, i % 4)
        out[4, i] = cuda.eq_sync(-1, i)
        lanes, _ = cuda.vote_sync_intrinsic(-1, 3, i < 8)
        out[5, i] = lanes
        out[6, i] = cuda.vote_sync_intrinsic(-1, 1, i == 5)[1]

    (out,) = launched(kernel, np.zeros((7, 32), np.int64))
    some = int(np.array(0xEEEEEEEE, np.uint32).view(np.int32))
    assert out[:, 7].tolist() == [1, 0, 1, some, 0, 255, 1]
    assert (out == out[:, :1]).all()


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_matches(dtype):
    def kernel(a, out):
        i = cuda.laneid
        out[0, i] = cuda.match_any_sync(0xFFFFFFFF, a[i])
        mask, same = cuda.match_all_sync(0xFFFFFFFF, a[i])
        out[1, i] = mask
        out[2, i] = same
        mask, same = cuda.match_all_sync(0xFFFFFFFF, a[0])
        out[3, i] = mask
        out[4, i] = same

    _, out = launched(kernel, (LANE // 8).astype(dtype), np.zeros((5, 32), np.int32))
    bits = np.uint32(0xFF) << (LANE // 8 * 8).astype(np.uint32)
    np.testing.assert_array_equal(out[0].view(np.uint32), bits)
    assert out[1:, 9].tolist() == [0, 0, -1, 1]


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
    def kernel(a, out):
        i = cuda.threadIdx.x
        out[0, i] = cuda.syncthreads_count(a[i])
        out[1, i] = cuda.syncthreads_and(a[i] < 5)
        out[2, i] = cuda.syncthreads_or(i == 40)

    a = (np.arange(64) % 5).astype(np.int32)
    _, out = launched(kernel, a, np.zeros((3, 64), np.int32), block=64)
    assert (out == [[np.count_nonzero(a)], [1], [1]]).all()


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


class TestRefused:
    def test_floats_as_masks_and_predicates(self):
        def mask(a):
            a[0] = cuda.shfl_sync(1.5, a[0], 0)

        def predicate(a):
            a[0] = cuda.all_sync(-1, a[0])

        def barrier(a):
            cuda.syncthreads_count(a[0])

        for kernel in (mask, predicate, barrier):
            message = refused(kernel, np.zeros(2))
            assert "got float64 for" in message
            assert "need an integer" in message

    def test_wide_values(self):
        def shuffle(a):
            a[0] = cuda.shfl_sync(-1, a[0], 0)

        def match(a):
            a[0] = cuda.match_any_sync(-1, a[0])

        assert "at most 8 bytes" in refused(shuffle, np.zeros(2, complex))
        assert "need one of int32" in refused(match, np.zeros(2, np.int8))

    def test_modes_and_counts(self):
        def mode(a):
            a[0] = cuda.vote_sync_intrinsic(-1, 7, 1)[0]

        def missing(a):
            cuda.shfl_down_sync(a[0], 1)

        def nothing(a):
            cuda.syncwarp(1, 2)

        integers = np.zeros(2, np.int32)
        assert "need one of them as a constant" in refused(mode, integers)
        message = refused(missing, integers)
        assert "need shfl_down_sync(mask, value, delta)" in message
        assert "need syncwarp(mask=...)" in refused(nothing, integers)

    def test_pairs_without_a_name_in_a_condition(self):
        def kernel(a):
            a[0] = 1 if a[0] and cuda.match_all_sync(-1, a[0])[1] else 0

        assert "Assign it in a line above" in refused(kernel, np.zeros(2, np.int32))

"""The tests of slices: who made a stored value, through registers and memory."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda
from minitorch.network.exact_arithmetic import bits_of, number_of
from minitorch.network.records import ArrayUse, array_at
from minitorch.network.slice import (
    Slicer,
    in_order,
    recompute,
    shuffled_lane,
    stores_to,
)

pytestmark = pytest.mark.cuda


class Traced:
    """A kernel that ran once: its trace, and slices of what it stored."""

    def __init__(self, text, name, grid, block, *arguments):
        kernel = cuda.RawKernel(text, name)
        with cuda.inspect(trace=True) as run:
            kernel[grid, block](*arguments)
        (self.launch,) = run.launches
        self.ptx = self.launch._note.launched.ptx()

    def at(self, address):
        store = next(stores_to(self.launch.trace, address))
        return Slicer(self.launch.trace, self.ptx, store.block).slice(store)


def on_device(values, dtype="float32"):
    array = cuda.to_device(np.asarray(values, dtype))
    return array, array.pointer


def single(bits):
    return number_of(bits, "f32")


SHUFFLED = """
extern "C" __global__ void total(float* out, const float* in) {
  float x = in[threadIdx.x];
  for (int step = 16; step > 0; step /= 2)
    x += __shfl_down_sync(0xffffffff, x, step);
  if (threadIdx.x == 0) *out = x;
}
"""


def test_shuffles_lead_to_other_lanes():
    given, at_given = on_device(np.arange(32) + 0.25)
    out, at_out = on_device(np.zeros(1))
    root = Traced(SHUFFLED, "total", 1, 32, out, given).at(at_out)
    read = {each.address for each in in_order(root) if each.address}
    assert read == {at_given + 4 * i for i in range(32)}
    assert recompute(root) == root.bits == bits_of(496 + 8.0, "f32")


@pytest.mark.parametrize(("mode", "lane", "by", "clamp", "expected"), [
    ("down", 3, 4, 31, 7), ("down", 30, 4, 31, 30), ("up", 3, 2, 0, 1),
    ("up", 1, 2, 0, 1), ("bfly", 5, 1, 31, 4), ("idx", 5, 17, 31, 17),
    # In segments of 8 lanes (c = 0x181f): lane 13 is the fifth of the second one.
    ("idx", 13, 2, 0x181F, 10), ("down", 13, 4, 0x181F, 13), ("up", 9, 2, 0x1800, 9),
])  # fmt: skip
def test_which_lane_a_shuffle_reads(mode, lane, by, clamp, expected):
    assert shuffled_lane(f"shfl.sync.{mode}.b32", lane, by, clamp) == expected


CHOSEN = """
extern "C" __global__ void choose(float* out, const float4* in, const double* d) {
  const float4 v = in[threadIdx.x];
  float kept[4] = {v.x, v.y, v.z, v.w};
  const int at = static_cast<int>(v.w);
  out[threadIdx.x] = fmaxf(kept[at & 3], sqrtf(v.x)) / static_cast<float>(d[0]);
}
"""


def test_vectors_local_memory_and_conversions():
    rows = np.array([[4, 9, 16, 1], [2, 3, 5, 2]], "float32")
    given, _ = on_device(rows)
    by, at_by = on_device([3.0], "float64")
    out, at_out = on_device(np.zeros(2))
    traced = Traced(CHOSEN, "choose", 1, 2, out, given, by)
    for lane, chosen in ((0, 9.0), (1, 5.0)):
        root = traced.at(at_out + 4 * lane)
        expected = np.float32(chosen) / np.float32(3)
        assert single(root.bits) == expected
        assert recompute(root) == root.bits
        assert at_by in {each.address for each in in_order(root)}


TWICE = """
extern "C" __global__ void twice(float* out) {
  out[0] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 33) out[0] = 7.0f;
}
"""


def test_the_last_store_to_an_address_comes_first():
    out, at_out = on_device(np.zeros(1))
    trace = Traced(TWICE, "twice", 1, 64, out).launch.trace
    found = list(stores_to(trace, at_out))
    assert (found[0].warp, found[0].lane, single(found[0].value)) == (1, 1, 7.0)
    assert len(found) == 65
    assert not list(stores_to(trace, at_out + 4))


def placed(shape, strides, item=4, address=1000):
    return ArrayUse.of("a", shape, "float32", address, strides, item)


def test_addresses_are_elements():
    rows = placed((3, 4), (4, 1))
    assert [rows.element(1000 + 4 * i) for i in (0, 5, 11)] == [(0, 0), (1, 1), (2, 3)]
    assert rows.bytes == 48
    assert [rows.element(at) for at in (999, 1002, 1048)] == [None] * 3
    turned = placed((4, 3), (1, 4))
    assert turned.element(1000 + 4 * 5) == (1, 1)
    spread = placed((5, 3), (0, 1))  # one row, five times
    assert spread.element(1008) == (0, 2)
    every_other = placed((3,), (2,), 8)
    assert every_other.bytes == 40
    assert [every_other.element(1000 + 8 * i) for i in (0, 1, 2)] == [(0,), None, (1,)]
    assert placed((), ()).element(1000) == ()
    assert placed((0, 3), (3, 1)).element(1000) is None


def test_the_smallest_array_at_an_address_is_meant():
    whole, part = placed((8,), (1,)), placed((2,), (1,), address=1008)
    assert array_at([whole, part], 1008) is part
    assert array_at([whole, part], 1004) is whole
    assert array_at([whole, part], 5000) is None

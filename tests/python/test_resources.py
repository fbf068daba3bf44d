"""Tests of kernel.resources: numbers that the source fixes, on every card."""

from __future__ import annotations

import pytest

from minitorch import cuda

TILE = """
__constant__ double c[5];
__global__ void __launch_bounds__(128) tile(float* x, int n) {
  __shared__ float s[300];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[127 - threadIdx.x] * (float)c[n];
}
"""
CARDS = {"t4": 32, "rtx3090": 48, "a100": 64, "h100": 64, "h200": 64}


@pytest.fixture(scope="module")
def tile():
    return cuda.RawKernel(TILE, "tile")


@pytest.mark.parametrize("gpu", CARDS)
def test_what_the_source_declares_is_found(tile, gpu):
    found = tile.resources(gpu)
    assert (found.kernel, found.gpu) == ("tile", gpu)
    assert found.shared_bytes == 300 * 4
    assert found.constant_bytes == 5 * 8
    assert found.parameter_bytes == 8 + 4
    assert (found.local_bytes, found.spill_stores, found.spill_loads) == (0, 0, 0)
    assert found.max_threads == 128
    assert found.barriers == 1


@pytest.mark.parametrize("gpu", CARDS)
def test_occupancy_names_its_limiter(tile, gpu):
    found = tile.resources(gpu)
    full = found.occupancy(128)  # 4 warps, few registers, 1,200 bytes
    assert full.blocks == CARDS[gpu] // 4
    assert full.fraction == 1.0
    assert "warps" in full.limiters
    assert full.limiters[0] == "warps"
    one = found.occupancy(32, shared_mem=40 * 1024)
    assert one.limiters == ("shared",)
    assert one.limits["shared"] == one.blocks
    assert found.occupancy(129).blocks == 0


def test_a_table_for_people(tile):
    text = tile.resources("t4").table(block=128)
    assert text.splitlines()[0] == "tile on Tesla T4 (emulated by minitorch)"
    assert "shared memory    1,200 bytes a block" in text
    assert "block of 128     100.0% occupancy: 8 blocks, 32 warps" in text
    assert repr(tile.resources("t4")).endswith("1200 B shared, 0 B local, 0 B spilled)")


def test_an_unknown_card_is_refused(tile):
    with pytest.raises(ValueError, match=r"got gpu 'gtx285'; need one of t4, rtx3090"):
        tile.resources("gtx285")
    with pytest.raises(TypeError, match="need a name such as 't4'"):
        tile.resources(75)

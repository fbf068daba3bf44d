"""Counters agree with a plain model of coalescing and banks over a launch's trace."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from minitorch import cuda

pytestmark = pytest.mark.cuda

_SPACES = {1: "global", 2: "shared", 3: "local"}
_KINDS = {1: "load", 2: "store"}

SOURCE = """
extern "C" __global__ void transpose(float* out, const float* in, int n) {
  __shared__ float tile[32][32 + PAD];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
extern "C" __global__ void gather(float4* out, const float4* in, const int* at, int n) {
  __shared__ float4 s[64];
  int t = threadIdx.x;
  s[t] = in[at[t]];
  __syncthreads();
  if (t < n) out[t] = s[at[63 - t]];
}
extern "C" __global__ void spill(int* out, const int* at, int n) {
  int own[16], t = threadIdx.x;
  for (int i = 0; i < n; ++i) own[i] = i * t;
  out[t] = own[at[t] % n] + own[t % n];
}
"""


def _requests(trace):
    """Yield space, kind, bytes and the first address of each lane of every request."""
    columns = trace.columns
    size: dict[tuple[int, int, int], int] = defaultdict(int)
    lanes: dict[tuple[int, int, int], dict[int, int]] = {}
    for row, step in enumerate(columns["access_step"]):
        key = (step, columns["access_space"][row], columns["access_kind"][row])
        size[key] += int(columns["access_size"][row])
        if columns["access_element"][row] == 0:
            mask = int(columns["access_mask"][row])
            addresses = columns["access_address"][row]
            lanes[key] = {i: int(addresses[i]) for i in range(32) if mask >> i & 1}
    for key, addresses in lanes.items():
        yield _SPACES[key[1]], _KINDS[key[2]], size[key], addresses


def _sectors(size, lanes, local):
    cells = (
        (at // 4 * 128 + lane * 4) if local else at
        for lane, first in lanes.items()
        for at in range(first, first + size, min(size, 4))
    )
    return len({cell // 32 for cell in cells})


def _wavefronts(size, lanes):
    """Return the wavefronts, and how many there would be without bank conflicts."""
    each = {8: 16, 16: 8}.get(size, 32)
    phases: dict[int, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for lane, first in lanes.items():
        for word in range(first // 4, (first + size - 1) // 4 + 1):
            phases[lane // each][word % 32].add(word)
    passes = sum(max(map(len, banks.values())) for banks in phases.values())
    return passes, len(phases)


def _model(trace):
    counts: dict[str, int] = defaultdict(int)
    for space, kind, size, lanes in _requests(trace):
        name = f"{space}_{kind}"
        counts[f"{name}_requests"] += 1
        counts[f"{name}_bytes"] += size * len(lanes)
        if space == "shared":
            passes, ideal = _wavefronts(size, lanes)
            counts[f"{name}_wavefronts"] += passes
            counts["shared_bank_conflicts"] += passes - ideal
        else:
            counts[f"{name}_sectors"] += _sectors(size, lanes, space == "local")
    return counts


def _check(name, grid, block, *arguments, pad=0):
    kernel = cuda.RawKernel(SOURCE.replace("PAD", str(pad)), name)
    with cuda.inspect(counters=True, trace=True) as run:
        kernel[grid, block](*arguments)
    (launch,) = run.launches
    assert not launch.trace.truncated
    expected = _model(launch.trace)
    assert expected
    assert {key: launch.counters[key] for key in expected} == expected
    return expected


@pytest.mark.parametrize("pad", [0, 1, 2, 8])
def test_transpose(pad):
    matrix = cuda.to_device(np.zeros((64, 64), np.float32))
    out = cuda.to_device(np.zeros((64, 64), np.float32))
    counts = _check("transpose", (2, 2), (32, 8), out, matrix, np.int32(64), pad=pad)
    conflicts = {0: 31, 1: 0, 2: 1, 8: 7}[pad]  # of each of 4 * 8 * 4 column reads
    assert counts["shared_bank_conflicts"] == 128 * conflicts


@pytest.mark.parametrize("n", [1, 17, 40, 64])
def test_gathers_of_sixteen_bytes(n):
    generator = np.random.default_rng(n)
    at = cuda.to_device(generator.integers(0, 64, 64, dtype=np.int32))
    cells = cuda.to_device(np.zeros((64, 4), np.float32))
    out = cuda.to_device(np.zeros((64, 4), np.float32))
    _check("gather", 1, 64, out, cells, at, np.int32(n))


def test_local_memory():
    at = cuda.to_device(np.arange(40, dtype=np.int32) * 7)
    out = cuda.to_device(np.zeros(40, np.int32))
    counts = _check("spill", 1, 40, out, at, np.int32(11))
    assert counts["local_store_bytes"] == 40 * 11 * 4

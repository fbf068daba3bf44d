"""Tests of footprints: different sectors by hand, and by NumPy over whole traces."""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
from minitorch import cuda

pytestmark = pytest.mark.cuda

_GLOBAL, _READ, _WRITE = 1, 1, 2  # MtSpace, MtAccess


def sectors_of(launch):
    """The footprint as the plainest reading of a trace gives it."""
    trace = launch.trace
    columns = trace.columns
    found = {"read": set(), "written": set()}
    for row in np.nonzero(columns["access_space"] == _GLOBAL)[0]:
        if trace.opcode[columns["access_step"][row]].startswith("ld.const"):
            continue
        lanes = columns["access_mask"][row] >> np.arange(32, dtype=np.uint32) & 1 == 1
        low = columns["access_address"][row][lanes]
        high = low + columns["access_size"][row] - 1
        sectors = set((low // 32).tolist()) | set((high // 32).tolist())
        if columns["access_kind"][row] != _WRITE:
            found["read"] |= sectors
        if columns["access_kind"][row] != _READ:
            found["written"] |= sectors
    either = found["read"] | found["written"]
    return {name: len(each) for name, each in {**found, "either": either}.items()}


def both(code, name, grid, block, *args):
    """A launch with its footprint, which blocks on several host threads kept, after the
    same with a trace as well."""
    kernel = cuda.RawKernel(code, name)
    with cuda.inspect(trace=True, footprint=True, counters=False) as run:
        kernel[grid, block](*args)
    with cuda.inspect(footprint=True) as alone:
        kernel[grid, block](*args)
    assert run.findings == alone.findings == []
    expected = sectors_of(run.launches[0])
    assert run.launches[0].footprint == expected
    assert alone.launches[0].footprint == expected
    return alone.launches[0]


def floats(count):
    return cuda.to_device(np.ones(count, np.float32))


COPY = """__global__ void copy(const float* a, float* b, int n, int step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i * step] = a[i * step];
}"""


@pytest.mark.parametrize("step", [1, 2, 3, 8, 9, 40])
@pytest.mark.parametrize("count", [1, 33, 1000])
def test_a_copy(count, step):
    a, b = floats(count * step), floats(count * step)
    launch = both(COPY, "copy", (count + 95) // 96, 96, a, b, count, step)
    each = len(set(np.arange(count) * step * 4 // 32))
    assert launch.footprint == {"read": each, "written": each, "either": 2 * each}


def test_many_blocks_read_the_same_again():
    code = """__global__ void sum(const float* a, float* out, int n) {
      float total = 0;
      for (int i = 0; i < n; i++) total += a[i];
      out[blockIdx.x * blockDim.x + threadIdx.x] = total;
    }"""
    launch = both(code, "sum", 20, 64, floats(100), floats(1280), 100)
    # 400 bytes are 12.5 sectors; of 1,280 results 160.
    assert launch.footprint == {"read": 13, "written": 160, "either": 173}
    assert launch.counters["global_load_sectors"] == 20 * 2 * 100


def test_rows_that_lie_over_each_other_leave_gaps():
    # Straight code, whose other blocks follow from the first: rows of 16 threads whose
    # first and last bytes overlap, with sectors between that nobody touches.
    code = """__global__ void spread(float* x) {
      x[threadIdx.x * 32 + threadIdx.y * 136 + blockIdx.x * 2048] = 1;
    }"""
    launch = both(code, "spread", 12, (16, 4), floats(12 * 2048))
    words = {32 * x + 136 * y + 2048 * b for x in range(16) for y in range(4)
             for b in range(12)}  # fmt: skip
    count = len({word * 4 // 32 for word in words})
    assert launch.footprint == {"read": 0, "written": count, "either": count}


def test_atomics_read_and_write():
    code = """__global__ void count(int* bins, const int* which, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) atomicAdd(bins + which[i], 1);
    }"""
    which = cuda.to_device(np.arange(200, dtype=np.int32) * 7 % 5 * 16)
    launch = both(code, "count", 4, 64, cuda.to_device(np.zeros(80, np.int32)), which,
                  200)  # fmt: skip
    # Five bins in sectors of their own; 200 numbers of 4 bytes fill 25.
    assert launch.footprint == {"read": 30, "written": 5, "either": 30}


def test_library_kernels_and_large_tensors():
    a = minitorch.ones((70, 300), device="cuda", dtype=minitorch.float32)
    with cuda.inspect(library=True, footprint=True) as run:
        (a + a).sum(1)
    for launch in run.launches:
        found, counters = launch.footprint, launch.counters
        asked = counters["global_load_sectors"] + counters["global_store_sectors"]
        assert 0 < found["either"] <= asked
        assert max(found["read"], found["written"]) <= found["either"]
        assert found["either"] <= found["read"] + found["written"]
    # 21,000 floats are 2,625 sectors: read once or twice, written.
    assert run.launches[0].footprint["written"] == 2625
    assert run.launches[0].footprint["read"] == 2625


def test_nothing_is_kept_unless_asked_for():
    with cuda.inspect() as run:
        cuda.RawKernel(COPY, "copy")[1, 32](floats(32), floats(32), 32, 1)
    with pytest.raises(ValueError, match=r"Use cuda\.inspect\(footprint=True\)"):
        run.launches[0].footprint  # noqa: B018

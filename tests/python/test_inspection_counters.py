"""Tests of launch counters: numbers worked out by hand from each kernel's accesses."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda

pytestmark = pytest.mark.cuda


def counted(code, name, grid, block, *args):
    kernel = cuda.RawKernel(code, name)
    with cuda.inspect(checks="memory") as run:
        kernel[grid, block](*args)
    assert run.findings == []
    return run.launches[0]


def floats(count):
    return cuda.to_device(np.ones(count, np.float32))


COPY = """__global__ void copy(const float* a, float* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i];
}"""


def test_a_coalesced_copy_moves_four_sectors_a_warp():
    counters = counted(COPY, "copy", 4, 256, floats(1024), floats(1024)).counters
    assert counters["global_load_requests"] == 32  # 1,024 threads are 32 warps
    assert counters["global_load_sectors"] == 32 * 4  # 128 bytes are 4 sectors
    assert counters["global_store_requests"] == 32
    assert counters["global_store_sectors"] == 32 * 4
    assert counters["global_load_bytes"] == counters["global_store_bytes"] == 4096
    assert counters["global_load_sectors_per_request"] == 4.0
    assert counters.bytes == 8192
    assert counters["shared_load_requests"] == 0
    assert counters["atomic_global_requests"] == 0


def test_nsights_names_mean_the_same():
    counters = counted(COPY, "copy", 1, 64, floats(64), floats(64)).counters
    metric = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
    assert counters[metric] == counters["global_load_sectors"] == 8
    assert counters[metric.removesuffix(".sum")] == 8
    with pytest.raises(KeyError, match="got 'sectors'; need one of ptx_instructions"):
        counters["sectors"]


TRANSPOSE = """__global__ void transpose(const float* a, float* b) {
  __shared__ float tile[32][WIDTH];
  tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  b[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}"""


def test_lines_add_up_to_the_launch():
    code = TRANSPOSE.replace("WIDTH", "32")
    launch = counted(code, "transpose", 1, (32, 32), floats(1024), floats(1024))
    rows = launch.counters.by_line()
    for name in launch.counters:
        assert sum(row[name] for row in rows) == launch.counters[name], name
    loads = {row.line: row["global_load_requests"] for row in rows}
    assert {line for line, count in loads.items() if count} == {3}
    conflicts = {row.line: row["shared_bank_conflicts"] for row in rows}
    assert {line: count for line, count in conflicts.items() if count} == {5: 992}
    table = launch.counters.table(by_line=True).splitlines()
    assert table[0].split()[0] == "line"
    assert table[-1].startswith("total")
    assert any(line.startswith("transpose.cu:5") and "992" in line for line in table)


def test_a_copy_is_bound_by_memory():
    launch = counted(COPY, "copy", 4, 256, floats(1024), floats(1024))
    line = launch.roofline("t4")
    assert line.bound == "memory"
    assert line.intensity == 0.0
    assert line.memory_seconds == pytest.approx(8192 / 320e9)
    # Four blocks keep 4 of the 40 SMs busy, of 64 cores each.
    assert (line.sms_used, line.sms) == (4, 40)
    assert line.balance == pytest.approx(4 * 64 * 2 * 1.59e9 / 320e9)
    assert str(line).startswith("memory-bound on Tesla T4")
    assert "(blocks on 4 of 40 SMs)" in str(line)


def test_many_operations_a_byte_are_bound_by_compute():
    code = """__global__ void turn(float* x) {
      float v = x[threadIdx.x];
      for (int i = 0; i < 1000; i++) v = fmaf(v, 0.5f, 1.0f);
      x[threadIdx.x] = v;
    }"""
    launch = counted(code, "turn", 1, 32, floats(32))
    assert launch.counters.flops["f32"] == 32 * 1000 * 2
    assert launch.counters.arithmetic_intensity == 64000 / 256
    line = launch.roofline("a100")
    assert line.bound == "compute"
    assert line.compute_seconds == pytest.approx(64000 / (1 * 64 * 2 * 1.41e9))
    with pytest.raises(ValueError, match="got gpu 'x9'"):
        launch.roofline("x9")


MANY_BLOCKS = """__global__ void turn(float* x) {
  float v = x[blockIdx.x];
  for (int i = 0; i < 100; i++) v = fmaf(v, 0.5f, 1.0f);
  x[blockIdx.x] = v;
}"""


@pytest.mark.parametrize("blocks", [1, 39, 40, 41, 100])
def test_only_multiprocessors_with_a_block_work(blocks):
    line = counted(MANY_BLOCKS, "turn", blocks, 1, floats(blocks)).roofline("t4")
    busy = min(blocks, 40)
    assert (line.sms_used, line.sms) == (busy, 40)
    seconds = blocks * 200 / (busy * 64 * 2 * 1.59e9)
    assert line.compute_seconds == pytest.approx(seconds)
    assert ("SMs" in str(line)) == (blocks < 40)


def test_sums_of_lane_bytes_have_names():
    code = """__global__ void all(float* x, int* n) {
      __shared__ float s[64];
      s[threadIdx.x] = x[threadIdx.x];
      __syncthreads();
      if (threadIdx.x < 16) x[threadIdx.x] = s[threadIdx.x] + s[32 + threadIdx.x];
      atomicAdd(n, 1);
    }"""
    counters = counted(
        code, "all", 1, 64, floats(64), cuda.to_device(np.zeros(1, np.int32))
    ).counters
    assert counters["shared_lane_bytes"] == 64 * 4 + 2 * 16 * 4
    # 64 loads, 16 stores, and the compiler may let fewer lanes update the number.
    atomics = counters["atomic_global_bytes"]
    assert counters["global_lane_bytes"] == 64 * 4 + 16 * 4 + atomics
    assert counters["local_lane_bytes"] == 0
    assert counters["register_bytes"] == 384 + 320 + atomics
    assert "register_bytes" not in dict(counters)  # no counter of its own


def test_global_sectors_hold_loads_stores_and_atomics():
    # A warp reads 32 floats (4 sectors), and writes every eighth of 256 (32 sectors);
    # an atomic that adds 0 reads as a load does.
    code = """__global__ void all(const float* x, float* y, int* n, int* m) {
      y[8 * threadIdx.x] = x[threadIdx.x];
      m[threadIdx.x] = atomicAdd(n + threadIdx.x, 0);
    }"""
    n, m = (cuda.to_device(np.zeros(32, np.int32)) for _ in range(2))
    counters = counted(code, "all", 1, 32, floats(32), floats(256), n, m).counters
    assert counters["global_load_sectors"] == 4
    assert counters["global_store_sectors"] == 32 + 4
    assert counters["atomic_global_sectors"] == 4
    assert counters["global_sectors"] == 44
    assert counters["global_bytes"] == 44 * 32
    assert counters["shared_passes"] == 0


def test_shared_passes_hold_loads_stores_and_atomics():
    # Stores without conflicts (1 pass), loads of one column (32 passes), and atomics
    # of all lanes on one word, one after another (32 passes).
    code = """__global__ void all(int* x) {
      __shared__ volatile int s[1024];
      __shared__ int n;
      s[threadIdx.x] = threadIdx.x;
      if (threadIdx.x == 0) n = 0;
      for (int i = 32; i < 1024; i += 32) s[i + threadIdx.x] = 0;
      __syncthreads();
      x[threadIdx.x] = s[32 * threadIdx.x] + atomicAdd(&n, threadIdx.x);
    }"""
    out = cuda.to_device(np.zeros(32, np.int32))
    counters = counted(code, "all", 1, 32, out).counters
    assert counters["shared_load_wavefronts"] == 32
    assert counters["shared_store_wavefronts"] == 32 + 1
    assert counters["atomic_shared_wavefronts"] == 32
    assert counters["shared_passes"] == 97
    assert "shared_passes" not in dict(counters)  # no counter of its own


FMA = """#include <cuda_fp16.h>
__global__ void f32(float* x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = fmaf(x[threadIdx.x], 2.0f, 1.0f);
}
__global__ void contracted(float* x, float y) {
  x[threadIdx.x] = x[threadIdx.x] * y + 1.0f;
}
__global__ void apart(float* x, float y) {
  x[threadIdx.x] = __fadd_rn(__fmul_rn(x[threadIdx.x], y), 1.0f);
}
__global__ void f64(double* x, double y) {
  for (int i = 0; i < 3; i++) x[threadIdx.x] = fma(x[threadIdx.x], y, 1.0);
}
__global__ void f16(__half* x) {
  x[threadIdx.x] = __hfma(x[threadIdx.x], x[threadIdx.x], x[threadIdx.x]);
}
__global__ void pairs(float* words) {
  __half2* x = reinterpret_cast<__half2*>(words);  // a word holds two halves
  x[threadIdx.x] = __hfma2(x[threadIdx.x], x[threadIdx.x], x[threadIdx.x]);
}
__global__ void whole(int* x, int y) { x[threadIdx.x] = x[threadIdx.x] * y + 1; }"""


@pytest.mark.parametrize(
    ("kernel", "dtype", "rest", "expected"),
    [
        ("f32", "float32", (40,), (0, 40, 0)),  # lanes that a guard lets execute
        ("contracted", "float32", (2.0,), (0, 64, 0)),
        ("apart", "float32", (2.0,), (0, 0, 0)),
        ("f64", "float64", (2.0,), (0, 0, 3 * 64)),
        ("f16", "float16", (), (64, 0, 0)),
        ("pairs", "float32", (), (2 * 64, 0, 0)),
        ("whole", "int32", (3,), (0, 0, 0)),
    ],
)
def test_multiply_adds(kernel, dtype, rest, expected):
    x = cuda.to_device(np.zeros(64, dtype))
    counters = counted(FMA, kernel, 1, 64, x, *rest).counters
    found = tuple(counters[f"fma_f{bits}"] for bits in (16, 32, 64))
    assert found == expected
    kinds = ("f16", "f32", "f64")
    if kernel != "apart":
        assert [counters.flops[kind] for kind in kinds] == [2 * n for n in expected]


def test_meanings_are_told():
    meanings = cuda.counter_meanings()
    assert meanings["global_load_sectors"][0].startswith("l1tex__t_sectors")
    assert all(meaning for _, meaning in meanings.values())

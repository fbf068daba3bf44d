"""The kernels that a course on CUDA C++ writes, each held to NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda

pytestmark = pytest.mark.cuda

INTEGERS = {
    "signed char": np.int8,
    "unsigned char": np.uint8,
    "short": np.int16,
    "unsigned short": np.uint16,
    "int": np.int32,
    "unsigned": np.uint32,
    "long long": np.int64,
    "unsigned long long": np.uint64,
}


def run(code, grid, block, size, dtype, *args, name="k", **options):
    """Launch on a zeroed array, the kernel's first argument, and return it."""
    out = cuda.to_device(np.zeros(size, dtype))
    cuda.RawKernel(code, name)(grid, block, (out, *args), **options)
    return out.copy_to_host()


def drawn(*shape, dtype=np.float32):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(dtype)


class TestTypes:
    @pytest.mark.parametrize(("c", "dtype"), INTEGERS.items())
    def test_integer_arithmetic(self, c, dtype):
        code = f"""
        __global__ void k({c}* out, const {c}* a, const {c}* b) {{
          int i = threadIdx.x, n = blockDim.x;
          out[i] = a[i] / b[i];
          out[i + n] = a[i] % b[i];
          out[i + 2 * n] = a[i] >> (b[i] & 7);
          out[i + 3 * n] = a[i] * b[i] - a[i];
        }}"""
        limits, rng = np.iinfo(dtype), np.random.default_rng(1)
        a = rng.integers(limits.min, limits.max, 65, dtype, endpoint=True)
        b = rng.integers(1, limits.max, 65, dtype)
        pairs = [(int(x), int(y)) for x, y in zip(a, b, strict=True)]
        quotient = np.array([abs(x) // y * (1 if x > 0 else -1) for x, y in pairs])
        with np.errstate(over="ignore"):
            q = quotient.astype(dtype)
            expected = np.stack([q, a - q * b, a >> (b & dtype(7)), a * b - a])
        out = run(code, 1, 65, (4, 65), dtype, cuda.to_device(a), cuda.to_device(b))
        np.testing.assert_array_equal(out, expected)

    def test_array_of_structs_with_padding(self):
        dtype = np.dtype([("tag", "i1"), ("m", "f8"), ("p", "f4", 3)], align=True)
        bodies = np.zeros(33, dtype)
        bodies["p"], bodies["m"], bodies["tag"] = drawn(33, 3), 2.5, -3
        code = """
        struct Body { signed char tag; double m; float3 p; };
        __global__ void k(double* out, const Body* bodies) {
          Body b = bodies[threadIdx.x];
          out[threadIdx.x] = b.tag * b.m + b.p.z;
        }"""
        out = run(code, 1, 33, 33, np.float64, cuda.to_device(bodies))
        np.testing.assert_array_equal(out, -7.5 + bodies["p"][:, 2].astype(float))

    def test_half(self):
        a = drawn(64, dtype=np.float16)
        code = """
        #include <cuda_fp16.h>
        __global__ void k(half* out, const half* a) {
          half x = a[threadIdx.x];
          out[threadIdx.x] = x > __float2half(0.f) ? __hmul(x, x) : __hneg(x);
        }"""
        out = run(code, 1, 64, 64, np.float16, cuda.to_device(a))
        np.testing.assert_array_equal(out, np.where(a > 0, a * a, -a))

    @pytest.mark.parametrize(
        ("call", "reference", "ulp"),
        [
            ("sinf(x)", np.sin, 2),
            ("expf(x)", np.exp, 2),
            ("logf(x)", np.log, 1),
            ("tanhf(x)", np.tanh, 2),
            ("sqrtf(x)", np.sqrt, 0.5),
            ("powf(x, 1.5f)", lambda x: x**1.5, 2),
            ("fmodf(x, 3.f)", lambda x: np.fmod(x, 3), 0.5),
        ],
    )
    def test_float_functions(self, call, reference, ulp):
        code = f"""
        __global__ void k(float* out, const float* a) {{
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          float x = a[i];
          out[i] = {call};
        }}"""
        a = np.exp(drawn(2048))
        out = run(code, 8, 256, 2048, np.float32, cuda.to_device(a))
        exact = reference(a.astype(np.float64))
        spacing = np.spacing(np.abs(exact).astype(np.float32)).astype(float)
        assert np.max(np.abs(out - exact) / spacing) <= ulp + 0.01


class TestControlFlow:
    def test_nested_loops_with_break_and_continue(self):
        code = """
        __global__ void k(int* out) {
          int i = threadIdx.x, s = 0;
          for (int a = 0; a < i; a++) {
            if (a % 3 == 0) continue;
            for (int b = 0; b < a % 5; b++) {
              if (b == 3) break;
              s += a * b;
            }
            if (s > 500) break;
          }
          out[i] = s;
        }"""

        def expected(i):
            s = 0
            for a in range(i):
                if a % 3 == 0:
                    continue
                s += a * sum(range(min(a % 5, 3)))
                if s > 500:
                    break
            return s

        out = run(code, 1, 100, 100, np.int32)
        assert out.tolist() == [expected(i) for i in range(100)]

    def test_jump_into_a_loop(self):
        code = """
        __global__ void k(int* out) {
          int i = threadIdx.x, n = 0;
          if (i & 1) goto odd;
        even:
          n += 1;
          if (n > i) goto done;
        odd:
          n += 2;
          if (n < 40) goto even;
        done:
          out[i] = n;
        }"""

        def expected(i):
            n, even = 0, i % 2 == 0
            while True:
                n += even
                if even and n > i:
                    return n
                n, even = n + 2, True
                if n >= 40:
                    return n

        assert run(code, 1, 40, 40, np.int32).tolist() == [
            expected(i) for i in range(40)
        ]

    def test_switch_that_falls_through(self):
        code = """
        __global__ void k(int* out, const int* p) {
          int r = 0;
          switch (p[threadIdx.x]) {
            case 3: r += 100;
            case 2: r += 10;
            case 1: r += 1; break;
            case 7: return;
            default: r = 9;
          }
          out[threadIdx.x] = r;
        }"""
        p = np.arange(33, dtype=np.int32) % 8
        out = run(code, 1, 33, 33, np.int32, cuda.to_device(p))
        np.testing.assert_array_equal(out, np.array([9, 1, 11, 111, 9, 9, 9, 0])[p])

    def test_recursion_with_divergent_depth(self):
        code = """
        __device__ int ackermann(int m, int n) {
          if (m == 0) return n + 1;
          return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
        }
        __global__ void k(int* out) {
          out[threadIdx.x] = ackermann(2, threadIdx.x % 5);
        }"""
        assert run(code, 1, 40, 40, np.int32).tolist() == [
            2 * (i % 5) + 3 for i in range(40)
        ]

    def test_linked_list_on_the_device_heap(self):
        code = """
        struct Node { int value; Node* next; };
        __global__ void k(int* out) {
          Node* head = nullptr;
          for (int i = 0; i < 5; i++) head = new Node{i * (int)threadIdx.x, head};
          int sum = 0;
          for (Node* old; head; delete old) {
            sum += head->value;
            old = head;
            head = head->next;
          }
          out[threadIdx.x] = sum;
        }"""
        assert run(code, 1, 33, 33, np.int32).tolist() == [10 * i for i in range(33)]


class TestCooperation:
    @pytest.mark.parametrize("block", [1, 31, 33, 1000, 1024])
    def test_barrier_with_any_block(self, block):
        code = """
        __global__ void k(int* out) {
          extern __shared__ int s[];
          s[threadIdx.x] = threadIdx.x;
          __syncthreads();
          out[blockIdx.x * blockDim.x + threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
        }"""
        out = run(code, 3, block, (3, block), np.int32, shared_mem=4 * block)
        assert (out == np.arange(block)[::-1]).all()

    def test_early_return_in_mid_warp_before_a_barrier(self):
        code = """
        __global__ void k(int* out, int n) {
          __shared__ int s[128];
          int i = threadIdx.x;
          if (i >= n) return;
          s[i] = i;
          __syncthreads();
          out[i] = s[n - 1 - i];
        }"""
        out = run(code, 1, 128, 128, np.int32, 50)
        assert out.tolist() == [*range(49, -1, -1), *[0] * 78]

    def test_bitonic_sort(self):
        code = """
        __global__ void k(int* out, const int* a) {
          __shared__ int s[256];
          int t = threadIdx.x;
          s[t] = a[t];
          __syncthreads();
          for (int k = 2; k <= 256; k <<= 1)
            for (int j = k >> 1; j > 0; j >>= 1) {
              int p = t ^ j;
              if (p > t && (s[t] > s[p]) == ((t & k) == 0)) {
                int x = s[t]; s[t] = s[p]; s[p] = x;
              }
              __syncthreads();
            }
          out[t] = s[t];
        }"""
        a = np.random.default_rng(3).permutation(256).astype(np.int32)
        out = run(code, 1, 256, 256, np.int32, cuda.to_device(a))
        assert out.tolist() == list(range(256))

    @pytest.mark.parametrize("c", ["int", "float", "double", "long long"])
    def test_shuffles_in_parts_of_a_warp(self, c):
        code = f"""
        __global__ void k(double* out) {{
          {c} v = threadIdx.x, sum = v;
          for (int d = 4; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
          out[threadIdx.x] = sum + 1000 * __shfl_down_sync(~0u, v, 1, 8);
        }}"""
        t = np.arange(64)
        total = t.reshape(8, 8).sum(1).repeat(8)
        expected = total + 1000 * np.where(t % 8 < 7, t + 1, t)
        np.testing.assert_array_equal(run(code, 1, 64, 64, np.float64), expected)

    def test_votes(self):
        code = """
        __global__ void k(unsigned* out, const int* a) {
          int x = a[threadIdx.x];
          out[threadIdx.x] = __ballot_sync(~0u, x > 3);
          out[threadIdx.x + 32] = __match_any_sync(~0u, x);
          out[threadIdx.x + 64] = __syncthreads_count(x > 3);
        }"""
        x = np.random.default_rng(2).integers(0, 8, 32).astype(np.int32)
        out = run(code, 1, 32, (3, 32), np.uint32, cuda.to_device(x))
        bits = 1 << np.arange(32, dtype=np.int64)
        assert (out[0] == (bits * (x > 3)).sum()).all()
        np.testing.assert_array_equal(out[1], ((x[:, None] == x) * bits).sum(1))
        assert (out[2] == (x > 3).sum()).all()

    def test_tiles_of_cooperative_groups(self):
        code = """
        #include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        __global__ void k(int* out) {
          auto tile = cg::tiled_partition<16>(cg::this_thread_block());
          int v = cg::this_grid().thread_rank();
          for (int d = 8; d; d /= 2) v += tile.shfl_down(v, d);
          if (tile.thread_rank() == 0) out[blockIdx.x * 4 + tile.meta_group_rank()] = v;
        }"""
        out = run(code, 2, 64, 8, np.int32)
        np.testing.assert_array_equal(out, np.arange(128).reshape(8, 16).sum(1))

    @pytest.mark.parametrize("form", ["in the loop", "in its condition"])
    def test_spin_lock_per_thread(self, form):
        loop = {
            "in the loop": """
            for (bool done = false; !done;)
              if (atomicCAS(&lock, 0, 1) == 0) { BODY done = true; }""",
            "in its condition": "while (atomicCAS(&lock, 0, 1) != 0); BODY",
        }[form].replace("BODY", "++*out; __threadfence(); atomicExch(&lock, 0);")
        code = f"""
        __device__ int lock;
        __global__ void k(volatile int* out) {{ {loop} }}"""
        assert run(code, 4, 64, 1, np.int32).tolist() == [256]

    def test_barrier_between_blocks(self):
        code = """
        __device__ unsigned arrived;
        __global__ void k(int* out, volatile int* step) {
          if (threadIdx.x == 0) {
            step[blockIdx.x] = blockIdx.x + 1;
            __threadfence();
            atomicAdd(&arrived, 1);
            while (atomicAdd(&arrived, 0) < gridDim.x);
            __threadfence();
            out[blockIdx.x] = step[gridDim.x - 1 - blockIdx.x];
          }
        }"""
        step = cuda.device_array(8, np.int32)
        assert run(code, 8, 64, 8, np.int32, step).tolist() == list(range(8, 0, -1))

    @pytest.mark.parametrize("c", ["int", "unsigned", "unsigned long long"])
    def test_atomics(self, c):
        dtype = INTEGERS[c]
        code = f"""
        __global__ void k({c}* out, const {c}* a, int n) {{
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i >= n) return;
          atomicAdd(out, a[i]);
          atomicMax(out + 1, a[i]);
          atomicOr(out + 2, a[i] & 0xff00);
          atomicXor(out + 3, a[i]);
        }}"""
        a = np.random.default_rng(4).integers(0, 2**20, 1000).astype(dtype)
        out = run(code, 8, 128, 4, dtype, cuda.to_device(a), 1000)
        union = np.bitwise_or.reduce(a & dtype(0xFF00))
        assert out.tolist() == [a.sum(), a.max(), union, np.bitwise_xor.reduce(a)]


@pytest.mark.parametrize(
    ("grid", "block"),
    [((2, 3, 4), (3, 5, 2)), (5, (7, 3)), ((1, 1, 7), (1, 1, 64)), ((1, 65535), 1)],
)
def test_grids_and_blocks_in_three_dimensions(grid, block):
    code = """
    __global__ void k(int* out) {
      int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
      int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
      int i = b * blockDim.x * blockDim.y * blockDim.z + t;
      out[i] = threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z
             + 1000 * (blockIdx.x + 2 * blockIdx.y + 3 * blockIdx.z);
    }"""
    (gx, gy, gz), (bx, by, bz) = (
        ((value if isinstance(value, tuple) else (value,)) + (1, 1))[:3]
        for value in (grid, block)
    )
    z, y, x, tz, ty, tx = np.indices((gz, gy, gx, bz, by, bx))
    expected = tx + 10 * ty + 100 * tz + 1000 * (x + 2 * y + 3 * z)
    out = run(code, grid, block, expected.shape, np.int32)
    np.testing.assert_array_equal(out, expected)


def test_ten_million_threads():
    n = 10_000_000
    code = """
    __global__ void k(int* out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) out[i] = i;
    }"""
    out = run(code, -(-n // 256), 256, n, np.int32, n)
    np.testing.assert_array_equal(out, np.arange(n))


def test_device_variables_live_as_long_as_their_module():
    module = cuda.RawModule(
        code="""
        __constant__ int step[2] = {3, 5};
        __device__ int count;
        __global__ void add() { atomicAdd(&count, step[threadIdx.x & 1]); }
        __global__ void get(int* out) { *out = count; }"""
    )
    for _ in range(3):
        module.get_function("add")(2, 32, ())
    out = cuda.device_array(1, np.int32)
    module.get_function("get")(1, 1, (out,))
    assert out.copy_to_host().tolist() == [3 * 64 * 4]

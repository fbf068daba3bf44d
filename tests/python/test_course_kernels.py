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


class TestControlFlow:
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

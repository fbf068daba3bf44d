"""The tests of the CUDA headers that kernels in Python call, one by one."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest

from .device_code import FAR, SPECIAL, TYPES, elementwise, pairs, run

pytestmark = pytest.mark.cuda


class TestBits:
    @pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "uint32", "int64"])
    def test_counts_use_the_width_of_the_type(self, dtype):
        width = np.dtype(dtype).itemsize * 8
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        values = np.array([0, 1, 2, 3, 12, high, low, high - 1], dtype)
        bits = [int(value) % 2**width for value in values]
        for name, expected in [
            ("popc", [each.bit_count() for each in bits]),
            ("clz", [width - each.bit_length() for each in bits]),
            ("ffs", [(each & -each).bit_length() for each in bits]),
        ]:
            got = elementwise("bits.cuh", f"py::{name}(x)", "int64", values)
            assert got.tolist() == expected, name

    @pytest.mark.parametrize("dtype", ["uint32", "uint64"])
    def test_reversal(self, dtype):
        values = np.array([0, 1, 6, np.iinfo(dtype).max - 5], dtype)
        width = np.dtype(dtype).itemsize * 8
        got = elementwise("bits.cuh", "py::brev(x)", dtype, values)
        texts = [format(value, f"0{width}b") for value in values.tolist()]
        assert got.tolist() == [int(text[::-1], 2) for text in texts]


ATOMICS = {
    "add": operator.add,
    "sub": operator.sub,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "exch": lambda old, value: value,
    "max": max,
    "min": min,
    "nanmax": np.fmax,
    "nanmin": np.fmin,
    "inc": lambda old, limit: 0 if old >= limit else old + 1,
    "dec": lambda old, limit: limit if old == 0 or old > limit else old - 1,
}
KINDS = dict.fromkeys(("and", "or", "xor", "exch"), "iu") | {"inc": "u", "dec": "u"}
CASES = [
    (name, dtype)
    for name in ATOMICS
    for dtype in TYPES
    if np.dtype(dtype).kind in KINDS.get(name, "iuf")
]


def atomic_values(name: str, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    if np.dtype(dtype).kind == "f":
        values = [0.0, -0.0, 1.5, -2.5, 1e30, np.inf, -np.inf, np.nan]
    else:
        top = np.iinfo(dtype).max
        values = [0, 1, 5, 6, top, np.iinfo(dtype).min, top - 1]
    old, value = (np.array(each, dtype) for each in pairs(*range(len(values))))
    table = np.array(values, dtype)
    return table[old.astype(int)], table[value.astype(int)]


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_atomics_on_one_cell_each(name, dtype):
    old, value = atomic_values(name, dtype)
    code = f"""#include "atomics.cuh"
    extern "C" __global__ void kernel(Number* at, Number* value, Number* before) {{
      int i = threadIdx.x; before[i] = py::atomic_{name}(at + i, value[i]);
    }}""".replace("Number", TYPES[dtype])
    cells, _, before = run(code, old, value, np.zeros_like(old), block=old.size)
    with np.errstate(all="ignore"):
        # Lists of NumPy scalars: their arithmetic wraps, their max is Python's.
        expected = [ATOMICS[name](a, b) for a, b in zip(old, value, strict=True)]
    np.testing.assert_array_equal(cells, np.array(expected, dtype))
    np.testing.assert_array_equal(before, old)


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_compare_and_swap(dtype):
    code = f"""#include "atomics.cuh"
    extern "C" __global__ void kernel({TYPES[dtype]}* at, {TYPES[dtype]}* before) {{
      int i = threadIdx.x;
      before[i] = py::atomic_cas<{TYPES[dtype]}>(at + i, 7, 3);
    }}"""
    old = np.array([7, 8], dtype)
    cells, before = run(code, old, np.zeros_like(old), block=2)
    assert cells.tolist() == [3, 8]
    assert before.tolist() == [7, 8]


@pytest.mark.parametrize("dtype", TYPES)
def test_atomics_from_many_blocks_lose_nothing(dtype):
    code = """#include "atomics.cuh"
    extern "C" __global__ void kernel(Number* cells) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      const Number one = 1, x = i, rest = i % 100;
      py::atomic_add(cells, one);
      py::atomic_max(cells + 1, x);
      py::atomic_min(cells + 2, x);
      py::atomic_nanmax(cells + 3, rest);
    }""".replace("Number", TYPES[dtype])
    cells = np.array([0, 5, 50, 0], dtype)
    assert run(code, cells, grid=4, block=64)[0].tolist() == [256, 255, 0, 99]


class TestWarp:
    @pytest.mark.parametrize("kind", [*TYPES.values(), "bool", "signed char"])
    def test_shuffles(self, kind):
        code = """#include "warp.cuh"
        extern "C" __global__ void kernel(double* out) {
          int i = threadIdx.x; KIND x = static_cast<KIND>(i);
          out[i] = py::shfl(~0u, x, 31 - i);
          out[32 + i] = py::shfl_up(~0u, x, 3u);
          out[64 + i] = py::shfl_down(~0u, x, 5u);
          out[96 + i] = py::shfl_xor(~0u, x, 6);
        }""".replace("KIND", kind)
        got = run(code, np.zeros(128))[0].reshape(4, 32)
        lane = np.arange(32)
        sources = [
            31 - lane,
            np.where(lane < 3, lane, lane - 3),
            np.where(lane > 26, lane, lane + 5),
            lane ^ 6,
        ]
        expected = np.array(sources) != 0 if kind == "bool" else np.array(sources)
        np.testing.assert_array_equal(got, expected)

    def test_votes_and_masks(self):
        code = """#include "warp.cuh"
        struct Pair { int lanes; bool same; };
        extern "C" __global__ void kernel(int* out) {
          int i = threadIdx.x, n = 0;
          #define PUT(x) out[32 * n++ + i] = (x)
          PUT(py::all_lanes(~0u, i < 31)); PUT(py::any_lane(~0u, i == 7));
          PUT(py::equal_lanes(~0u, i < 32)); PUT(py::equal_lanes(~0u, i < 3));
          PUT(py::ballot(~0u, i % 2)); PUT(py::match_any(~0u, i / 16));
          PUT(py::match_any(~0u, i < 16 ? 0.0 : -0.0)); PUT(py::lanemask_lt());
          PUT(py::match_all<Pair>(~0u, 5.0f).lanes);
          PUT(py::match_all<Pair>(~0u, 5.0f).same);
          PUT(py::match_all<Pair>(~0u, i).lanes);
          PUT(py::vote<Pair>(~0u, 3, i < 4).lanes);
          PUT(py::vote<Pair>(~0u, 1, i < 4).same);
        }"""
        got = run(code, np.zeros(13 * 32, np.uint32).view(np.int32))[0].view(np.uint32)
        lane = np.arange(32, dtype=np.uint64)
        halves = np.where(lane < 16, 0xFFFF, 0xFFFF0000)
        everyone = 0xFFFFFFFF
        columns = [0, 1, 1, 0, 0xAAAAAAAA, halves, halves, (1 << lane) - 1]
        columns += [everyone, 1, 0, 15, 1]
        for row, expected in zip(got.reshape(13, 32), columns, strict=True):
            np.testing.assert_array_equal(row, np.broadcast_to(expected, 32))


class TestRandom:
    MASK = 2**64 - 1

    def reference(self, state: tuple[int, int]) -> tuple[int, tuple[int, int]]:
        """Compute xoroshiro128+ as its authors publish it (55, 14, 36)."""
        a, b = state
        result, b = (a + b) & self.MASK, a ^ b
        rotated = ((a << 55) | (a >> 9)) & self.MASK
        low = (b << 14) & self.MASK
        return result, (rotated ^ b ^ low, ((b << 36) | (b >> 28)) & self.MASK)

    def draw(self, call: str, dtype: str, start: tuple[int, int]) -> list:
        code = f"""#include "random.cuh"
        extern "C" __global__ void kernel(unsigned long long* s, {TYPES[dtype]}* o) {{
          for (int i = 0; i < 4; ++i) o[i] = py::{call}(s);
        }}"""
        out = np.zeros(4, dtype)
        return run(code, np.array(start, np.uint64), out, block=1)

    def test_words_and_states(self):
        state = start = (0x0123456789ABCDEF, 0xFEDCBA9876543210)
        words = []
        for _ in range(4):
            word, state = self.reference(state)
            words.append(word)
        after, got = self.draw("random_next", "uint64", start)
        assert got.tolist() == words
        assert tuple(after.tolist()) == state

    def test_uniform_numbers(self):
        start = (0x9E3779B97F4A7C15, 0x123456789)
        words, state = [], start
        for _ in range(4):
            word, state = self.reference(state)
            words.append(word)
        exact = [(word >> 11) / 2**53 for word in words]
        assert self.draw("random_uniform64", "float64", start)[1].tolist() == exact
        got = self.draw("random_uniform32", "float32", start)[1]
        np.testing.assert_array_equal(got, np.array(exact).astype(np.float32))

    @pytest.mark.parametrize("bits", [32, 64])
    def test_normal_numbers(self, bits):
        start = (0x9E3779B97F4A7C15, 0x123456789)
        words, state = [], start
        for _ in range(8):
            word, state = self.reference(state)
            words.append(word)
        uniform = (np.array(words, np.uint64) >> np.uint64(11)) / 2**53
        u = uniform.astype(np.float32).astype(float).reshape(4, 2)
        expected = np.sqrt(-2 * np.log(u[:, 0])) * np.cos(2 * math.pi * u[:, 1])
        got = self.draw(f"random_normal{bits}", f"float{bits}", start)[1]
        np.testing.assert_allclose(got, expected, rtol=2e-6, atol=1e-6)

    def test_a_jump_is_linear_and_known(self):
        # The jump is a linear map over bits: that of a ^ b is that of a ^ that of b.
        code = """#include "random.cuh"
        extern "C" __global__ void kernel(unsigned long long* s) {
          py::random_jump(s + 2 * threadIdx.x);
        }"""
        a, b = (3, 0x1234567), (0xFFFF0000FFFF, 9)
        states = np.array([a, b, (a[0] ^ b[0], a[1] ^ b[1])], np.uint64)
        jumped = run(code, states, block=3)[0]
        np.testing.assert_array_equal(jumped[0] ^ jumped[1], jumped[2])


class TestNumbers:
    def test_gcd(self):
        a, b = (each.astype(np.int64) for each in pairs(0, 12, -18, 7, 2**40))
        got = elementwise("numbers.cuh", "py::gcd(x, y)", "int64", a, b)
        np.testing.assert_array_equal(got, np.gcd(a, b))

    def test_rounding_to_digits(self):
        values = [0.5, 1.5, 2.5, -0.06, 123.456, 1e22, 5e-324, np.inf, 1e308, -1250.0]
        digits = [0, 1, 2, -1, -2, 5, 400]
        x = np.repeat(np.array(values), len(digits))
        n = np.tile(np.array(digits, np.int64), len(values))
        got = elementwise("numbers.cuh", "py::round_to(x, y)", "float64", x, n)
        expected = [round(a, b) for a, b in zip(x.tolist(), n.tolist(), strict=True)]
        np.testing.assert_allclose(got, expected, rtol=1e-15)

    def test_parts_of_numbers(self):
        code = """#include "numbers.cuh"
        struct Parts { double fraction; int exponent; };
        struct Halves { double fraction, whole; };
        extern "C" __global__ void kernel(const double* x, double* out) {
          int i = threadIdx.x;
          const auto a = py::frexp_pair<Parts>(x[i]);
          const auto b = py::modf_pair<Halves>(x[i]);
          out[4 * i] = a.fraction; out[4 * i + 1] = a.exponent;
          out[4 * i + 2] = b.fraction; out[4 * i + 3] = b.whole;
        }"""
        x = np.array([0.0, -0.0, 1.0, -3.75, 1e300, 5e-324, np.inf, -np.inf])
        got = run(code, x, np.zeros((x.size, 4)), block=x.size)[1]
        expected = [[*math.frexp(each), *math.modf(each)] for each in x.tolist()]
        np.testing.assert_array_equal(got, expected)
        np.testing.assert_array_equal(np.signbit(got), np.signbit(expected))

    def test_extremes_and_signs(self):
        a, b = pairs(*SPECIAL, *FAR, np.nan)
        for name in ("maximum", "minimum"):
            got = elementwise("numbers.cuh", f"py::{name}(x, y)", "float64", a, b)
            np.testing.assert_array_equal(got, getattr(np, name)(a, b))
        got = elementwise("numbers.cuh", "py::sign(x)", "float64", a)
        np.testing.assert_array_equal(got, np.sign(a))

    @pytest.mark.parametrize("dtype", ["int32", "uint64"])
    def test_shifts(self, dtype):
        top = np.iinfo(dtype).max
        a = np.repeat(np.array([0, 1, top, np.iinfo(dtype).min], dtype), 4)
        by = np.tile(np.array([0, 1, 31, 70], dtype), 4)
        for name in ("left_shift", "right_shift"):
            got = elementwise("numbers.cuh", f"py::{name}(x, y)", dtype, a, by)
            np.testing.assert_array_equal(got, getattr(np, name)(a, by))


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_local_atomics_do_the_same(name, dtype):
    old, value = atomic_values(name, dtype)
    code = f"""#include "local_atomics.cuh"
    extern "C" __global__ void kernel(Number* at, Number* value, Number* before) {{
      int i = threadIdx.x;
      Number own = at[i];
      before[i] = py::local_{name}(&own, value[i]);
      at[i] = own;
    }}""".replace("Number", TYPES[dtype])
    cells, _, before = run(code, old, value, np.zeros_like(old), block=old.size)
    with np.errstate(all="ignore"):
        expected = [ATOMICS[name](a, b) for a, b in zip(old, value, strict=True)]
    np.testing.assert_array_equal(cells, np.array(expected, dtype))
    np.testing.assert_array_equal(before, old)

"""The tests of float16 and bfloat16 in Python kernels, rounded as NumPy rounds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from minitorch import cuda

from .launching import launched, refused

pytestmark = pytest.mark.cuda

A = np.array([0.1, -2.5, 1000.0, 6e-8, 3.0, 0.75], np.float16)
B = np.array([0.2, 3.0, 70.0, 5e-7, -4.0, 0.5], np.float16)


def test_operators_round_once():
    def kernel(a, b, out):
        i = cuda.grid(1)
        out[0, i] = a[i] + b[i]
        out[1, i] = a[i] - b[i]
        out[2, i] = a[i] * b[i]
        out[3, i] = a[i] / b[i]
        out[4, i] = -a[i]
        out[5, i] = a[i] % b[i]
        out[6, i] = abs(a[i])
        out[7, i] = max(a[i], b[i])

    _, _, out = launched(kernel, A, B, np.zeros((8, 6), np.float16), block=6)
    with np.errstate(all="ignore"):
        rest = np.mod(A.astype(np.float32), B.astype(np.float32)).astype(np.float16)
        expected = [A + B, A - B, A * B, A / B, -A, rest, abs(A), np.maximum(A, B)]
    np.testing.assert_array_equal(out, np.array(expected, np.float16))


def test_mixed_types_widen():
    def kernel(a, x, out):
        i = cuda.grid(1)
        out[0, i] = a[i] + x[i]
        out[1, i] = a[i] + 1
        out[2, i] = a[i] * 0.1
        out[3, i] = a[i] > x[i]
        out[4, i] = int(a[i]) + bool(a[i])
        total = np.float16(0)
        total += a[i]
        out[5, i] = total

    x = np.arange(6, dtype=np.float32) / 3
    _, _, out = launched(kernel, A, x, np.zeros((6, 6)), block=6)
    wide = A.astype(float)
    expected = [A + x, wide + 1, wide * 0.1, x < A, A.astype(int) + 1, A]
    np.testing.assert_array_equal(out, np.array(expected, float))


def test_functions_of_numpy():
    def kernel(a, out):
        i = cuda.grid(1)
        one = np.float16(1)
        out[0, i] = np.fmax(a[i], one)
        out[1, i] = np.maximum(a[i], one)
        out[2, i] = np.sign(a[i])
        out[3, i] = np.square(a[i])
        out[4, i] = np.reciprocal(a[i])
        out[5, i] = np.rint(a[i])
        out[6, i] = math.pow(a[i], 2)
        out[7, i] = round(a[i], 1)
        out[8, i] = a[i] ** np.float16(3)

    a = np.array([0.5, np.nan, 2.26, -7.5], np.float16)
    _, out = launched(kernel, a, np.zeros((9, 4), np.float16), block=4)
    one = np.float16(1)
    expected = [np.fmax(a, one), np.maximum(a, one), np.sign(a), a * a, one / a]
    expected += [np.rint(a), a * a, np.round(a.astype(float), 1), a.astype(float) ** 3]
    np.testing.assert_array_equal(out, np.array(expected).astype(np.float16))


def test_constants_are_exact():
    table = np.array([0.1, -65504, 6e-8, np.inf], np.float16)

    def kernel(out):
        i = cuda.grid(1)
        out[i] = table[i]

    (out,) = launched(kernel, np.zeros(4, np.float16), block=4)
    np.testing.assert_array_equal(out, table)


def test_the_fp16_module():
    def kernel(a, b, out, same):
        i = cuda.grid(1)
        out[0, i] = cuda.fp16.hadd(a[i], b[i])
        out[1, i] = cuda.fp16.hsub(a[i], b[i])
        out[2, i] = cuda.fp16.hmul(a[i], b[i])
        out[3, i] = cuda.fp16.hdiv(a[i], b[i])
        out[4, i] = cuda.fp16.hfma(a[i], b[i], b[i])
        out[5, i] = cuda.fp16.hneg(a[i])
        out[6, i] = cuda.fp16.habs(a[i])
        out[7, i] = cuda.fp16.hmax(a[i], b[i])
        out[8, i] = cuda.fp16.hmin(a[i], b[i])
        same[0, i] = cuda.fp16.heq(a[i], b[i])
        same[1, i] = cuda.fp16.hne(a[i], b[i])
        same[2, i] = cuda.fp16.hlt(a[i], b[i])
        same[3, i] = cuda.fp16.hle(a[i], b[i])
        same[4, i] = cuda.fp16.hgt(a[i], b[i])
        same[5, i] = cuda.fp16.hge(a[i], b[i])

    out, same = np.zeros((9, 6), np.float16), np.zeros((6, 6), bool)
    _, _, out, same = launched(kernel, A, B, out, same, block=6)
    wide = A.astype(float) * B.astype(float) + B.astype(float)
    with np.errstate(all="ignore"):
        expected = [A + B, A - B, A * B, A / B, wide.astype(np.float16), -A, abs(A)]
    expected += [np.maximum(A, B), np.minimum(A, B)]
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(same, [A == B, A != B, A < B, A <= B, A > B, A >= B])


FUNCTIONS = {
    "hsin": np.sin,
    "hcos": np.cos,
    "hlog": np.log,
    "hlog2": np.log2,
    "hlog10": np.log10,
    "hexp": np.exp,
    "hexp2": np.exp2,
    "hexp10": lambda x: 10**x,
    "htanh": np.tanh,
    "hsqrt": np.sqrt,
    "hrsqrt": lambda x: 1 / np.sqrt(x),
    "hrcp": lambda x: 1 / x,
    "hfloor": np.floor,
    "hceil": np.ceil,
    "hrint": np.rint,
    "htrunc": np.trunc,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_the_modules(name):
    half = getattr(cuda.fp16, name)
    brain = getattr(cuda.bf16, name)

    def kernel(x, out):
        i = cuda.grid(1)
        out[0, i] = half(x[i])
        out[1, i] = brain(x[i])

    x = np.array([0.5, 1.25, 2.5, 3.0], np.float32)
    _, out = launched(kernel, x, np.zeros((2, 4), np.float32), block=4)
    expected = FUNCTIONS[name](x.astype(float))
    # One unit in the last place of 11 and of 8 bits.
    np.testing.assert_allclose(out[0], expected, rtol=2**-10, atol=2**-11)
    np.testing.assert_allclose(out[1], expected, rtol=2**-7, atol=2**-8)


def test_the_bf16_module():
    def kernel(x, y, out):
        i = cuda.grid(1)
        a, b = cuda.bfloat16(x[i]), cuda.bfloat16(y[i])
        out[0, i] = a
        out[1, i] = a * b
        out[2, i] = cuda.bf16.hadd(a, b)
        out[3, i] = cuda.bf16.hfma(a, b, b)
        out[4, i] = cuda.bf16.hlt(a, b)
        out[5, i] = -a + cuda.float32(1)

    def rounded(x):
        bits = np.asarray(x, np.float32).view(np.uint32)
        up = (bits >> 16 & 1) + 0x7FFF
        return ((bits + up.astype(np.uint32)) & 0xFFFF0000).view(np.float32)

    x, y = np.float32([0.1, -2.5, 1000, 3]), np.float32([0.3, 7.77, 1e-3, -4])
    _, _, out = launched(kernel, x, y, np.zeros((6, 4), np.float32), block=4)
    a, b = rounded(x), rounded(y)
    fused = (a.astype(float) * b + b).astype(np.float32)
    expected = [a, rounded(a * b), rounded(a + b), rounded(fused), a < b, 1 - a]
    np.testing.assert_array_equal(out, expected)


def test_arrays_in_shared_memory():
    def kernel(a, out):
        s = cuda.shared.array(6, np.float16)
        i = cuda.threadIdx.x
        s[i] = a[i] * np.float16(2)
        cuda.syncthreads()
        out[i] = s[5 - i]

    _, out = launched(kernel, A, np.zeros_like(A), block=6)
    np.testing.assert_array_equal(out, (A * np.float16(2))[::-1])


def test_complex_numbers_are_refused():
    def kernel(a):
        a[0] = cuda.fp16.hsin(1j)

    assert "got complex128 for fp16.hsin" in refused(kernel, A)

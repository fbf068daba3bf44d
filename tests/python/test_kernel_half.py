"""The tests of float16 and bfloat16 in Python kernels, rounded as NumPy rounds."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda

from .launching import agree, launched, refusal

pytestmark = pytest.mark.cuda

A = np.array([0.1, -2.5, 1000.0, 6e-8, 3.0, 0.75], np.float16)
B = np.array([0.2, 3.0, 70.0, 5e-7, -4.0, 0.5], np.float16)


def test_operators_round_once():
    texts = dict.fromkeys(["a + b", "a - b", "a * b", "a / b", "-a", "abs(a)"], "")
    texts["a % b"] = "np.mod(a.astype('f4'), b.astype('f4'))"
    texts["max(a, b)"] = "np.maximum(a, b)"
    agree(texts, np.float16, a=A, b=B)


def test_mixed_types_widen():
    texts = {
        "a + x": "",
        "a > x": "",
        "a + 1": "a.astype(float) + 1",
        "a * 0.1": "a.astype(float) * 0.1",
        "int(a) + bool(a)": "a.astype(int) + 1",
        "np.float16(0) + a": "a",
    }
    agree(texts, np.float64, a=A, x=np.arange(6, dtype=np.float32) / 3)


def test_functions_of_numpy():
    names = ("sign", "square", "reciprocal", "rint")
    texts = {f"np.{name}(a)": "" for name in names}
    texts |= {f"np.{name}(a, np.float16(1))": "" for name in ("fmax", "maximum")}
    texts["math.pow(a, 2)"] = "a * a"
    texts["round(a, 1)"] = "np.round(a.astype(float), 1)"
    texts["a ** np.float16(3)"] = "a.astype(float) ** 3"
    agree(texts, np.float16, a=np.array([0.5, np.nan, 2.26, -7.5], np.float16))


def test_constants_are_exact():
    table = np.array([0.1, -65504, 6e-8, np.inf], np.float16)

    def kernel(out):
        i = cuda.grid(1)
        out[i] = table[i]

    (out,) = launched(kernel, np.zeros(4, np.float16), block=4)
    np.testing.assert_array_equal(out, table)


def test_the_fp16_module():
    signs = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
    texts = {f"cuda.fp16.h{name}(a, b)": f"a {signs[name]} b" for name in signs}
    texts["cuda.fp16.hfma(a, b, b)"] = "a.astype(float) * b + b"
    texts["cuda.fp16.hneg(a)"] = "-a"
    texts["cuda.fp16.habs(a)"] = "abs(a)"
    texts["cuda.fp16.hmax(a, b)"] = "np.maximum(a, b)"
    texts["cuda.fp16.hmin(a, b)"] = "np.minimum(a, b)"
    agree(texts, np.float16, a=A, b=B)
    signs = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
    texts = {f"cuda.fp16.h{name}(a, b)": f"a {signs[name]} b" for name in signs}
    agree(texts, bool, a=A, b=B)


FUNCTIONS = {
    f"h{name}": getattr(np, name)
    for name in [
        "sin",
        "cos",
        "log",
        "log2",
        "log10",
        "exp",
        "exp2",
        "tanh",
        "sqrt",
        "floor",
        "ceil",
        "rint",
        "trunc",
        "reciprocal",
    ]
}
FUNCTIONS["hrcp"] = FUNCTIONS.pop("hreciprocal")
FUNCTIONS |= {"hexp10": lambda x: 10**x, "hrsqrt": lambda x: 1 / np.sqrt(x)}


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
    message = refusal("a[0] = cuda.fp16.hsin(1j)", A)
    assert "fp16.hsin needs real numbers, got complex128" in message

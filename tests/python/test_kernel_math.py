"""The tests of math, NumPy functions, bits, print, assert in Python kernels."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda

from .launching import agree, launched, refusal

pytestmark = pytest.mark.cuda

X = np.array([0.5, -1.25, 3.0, 1e-3, 7.75, -0.0])
Y = np.array([2.0, 0.5, -3.0, 1e2, -0.25, 4.0])


def elementwise(function, dtype, *inputs):
    """Compute `function` of the elements, each pair by one thread."""

    def of_one(x, out):
        i = cuda.grid(1)
        out[i] = function(x[i])

    def of_two(x, y, out):
        i = cuda.grid(1)
        out[i] = function(x[i], y[i])

    kernel = of_one if len(inputs) == 1 else of_two
    out = np.zeros(len(inputs[0]), dtype)
    return launched(kernel, *inputs, out, block=len(out))[-1]


UNARY = [
    *("sin", "cos", "tan", "arctan", "sinh", "cosh", "tanh", "arcsinh", "exp", "exp2"),
    *("expm1", "floor", "ceil", "trunc", "rint", "absolute", "fabs", "sign", "square"),
    *("reciprocal", "negative", "positive", "deg2rad", "rad2deg", "radians", "degrees"),
    *("isnan", "isinf", "isfinite", "logical_not", "cbrt"),
]


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_of_one(name, dtype):
    function = getattr(np, name)
    x = np.array([*X, np.inf, np.nan]).astype(dtype)
    with np.errstate(all="ignore"):
        expected = function(x)
    got = elementwise(function, expected.dtype, x)
    np.testing.assert_allclose(got, expected, rtol=4 * np.finfo(dtype).eps)


@pytest.mark.parametrize("name", ["sqrt", "log", "log2", "log10", "log1p", "arccosh"])
def test_functions_of_one_on_large_numbers(name):
    function = getattr(np, name)
    x = np.array([1.0, 2.5, 1e10, 5.0])
    got = elementwise(function, "float64", x)
    np.testing.assert_allclose(got, function(x), rtol=1e-15)


BINARY = [
    *("add", "subtract", "multiply", "divide", "true_divide", "floor_divide", "power"),
    *("mod", "fmod", "arctan2", "hypot", "maximum", "minimum", "fmax", "fmin"),
    *("greater", "greater_equal", "less", "less_equal", "equal", "not_equal"),
    *("logical_and", "logical_or", "logical_xor", "copysign"),
]


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_of_two(name, dtype):
    function = getattr(np, name)
    special = [-0.0, 1.0, np.nan, np.inf]
    x = np.append(X, np.repeat(special, 4)).astype(dtype)
    y = np.append(Y, np.tile([0.5, -0.0, np.nan, 3.0], 4)).astype(dtype)
    with np.errstate(all="ignore"):
        expected = function(x, y)
    got = elementwise(function, expected.dtype, x, y)
    np.testing.assert_allclose(got, expected, rtol=2 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8"])
@pytest.mark.parametrize(
    "name",
    [
        *("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"),
        *("maximum", "minimum", "add", "multiply", "subtract", "less", "equal"),
    ],
)
def test_functions_of_integers(name, dtype):
    function = getattr(np, name)
    x = np.array([0, 1, 5, 100, 127, 3], dtype)
    y = np.array([3, 7, 5, 2, 1, 40], dtype)
    expected = function(x, y)
    got = elementwise(function, expected.dtype, x, y)
    np.testing.assert_array_equal(got, expected)


def test_inverting_and_signs_of_integers():
    x = np.array([0, 5, -7], np.int32)
    for function in (np.invert, np.sign, np.negative, np.square, np.absolute):
        np.testing.assert_array_equal(elementwise(function, "int32", x), function(x))


def test_functions_of_math_that_give_pairs():
    texts = {f"math.{f}(x)[{i}]": "" for f in ("frexp", "modf") for i in (0, 1)}
    texts = {device: device.replace("math", "np") for device in texts}
    texts["math.ldexp(math.frexp(x)[0], math.frexp(x)[1] + 1)"] = "2 * x"
    agree(texts, float, x=X)


def test_other_functions_of_math():
    texts = {
        "math.gcd(n, m)": "np.gcd(n, m)",
        "math.nextafter(x, y)": "np.nextafter(x, y)",
        "round(x * 1000.0, -1)": "[round(v * 1000.0, -1) for v in x.tolist()]",
        "round(x / 7.0, 3)": "[round(v / 7.0, 3) for v in x.tolist()]",
        "math.degrees(x) + math.radians(y)": "np.degrees(x) + np.radians(y)",
        "math.hypot(x, y)": "np.hypot(x, y)",
        "np.where(x > y, n, y)": "",
    }
    n, m = np.array([12, 0, -8, 7, 9, 100]), np.array([18, 5, 12, 13, 6, 75])
    agree(texts, float, rtol=1e-15, n=n, m=m, x=X, y=Y)


def test_bits_and_fused_functions():
    texts = {
        "n.bit_count()": "[v.bit_count() for v in n.tolist()]",
        "cuda.brev(n)": "[int(f'{v:032b}'[::-1], 2) for v in n.tolist()]",
        "cuda.selp(x > 1, x, -x)": "np.where(x > 1, x, -x)",
        "cuda.fma(x, x, -1.0)": "[float(Fraction(v) ** 2 - 1) for v in x.tolist()]",
        "cuda.cbrt(x)": "np.cbrt(x)",
    }
    n = np.array([0, 1, 0x80000000, 12, 0xFFFFFFFF, 255], np.uint32)
    x = np.array([1 + 2**-30, 8, 27, 0.5, 2, -1])
    agree(texts, float, rtol=1e-15, n=n, x=x)


@pytest.mark.parametrize("dtype", ["int8", "int16", "uint32", "int64"])
def test_bits_are_counted_in_the_width_of_the_type(dtype):
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    n = np.array([0, 1, 12, high, low, high - 1], dtype)
    bits = "[{} for v in (value % 2**width for value in n.tolist())]"
    bits = bits.replace("width", str(n.itemsize * 8))
    texts = {
        "cuda.popc(n)": bits.format("v.bit_count()"),
        "cuda.clz(n)": bits.format(f"{n.itemsize * 8} - v.bit_length()"),
        "cuda.ffs(n)": bits.format("(v & -v).bit_length()"),
    }
    agree(texts, np.int64, n=n)


def test_rounding_to_digits_at_the_limits():
    x = np.repeat([0.5, 2.5, -0.06, 123.456, 1e22, 5e-324, np.inf, 1e308], 5)
    digits = np.tile([0, 1, -2, 5, 400], 8)
    host = "[round(a, b) for a, b in zip(x.tolist(), digits.tolist(), strict=True)]"
    agree({"round(x, digits)": host}, float, rtol=1e-15, x=x, digits=digits)


def test_an_integer_beside_a_float32_stays_float32():
    def kernel(n, x, out):
        out[0] = np.hypot(n[0], x[0])
        out[1] = np.arctan2(x[0], n[0])
        out[2] = np.maximum(n[0], x[0])

    n, x = np.array([3], np.int64), np.array([0.1], np.float32)
    _, _, out = launched(kernel, n, x, np.zeros(3), block=1)
    np.testing.assert_array_equal(out, out.astype(np.float32))


class TestPrint:
    def test_values_and_strings(self, capfd):
        def kernel(a):
            i = cuda.threadIdx.x
            if i == 1:
                print("x", i, a[i], i > 0, (i, a[i]), (i,), 1 - 2j, "100%", None)

        launched(kernel, np.array([1, 2.5], np.float32), block=2)
        expected = "x 1 2.500000 True (1, 2.500000) (1,) (1.000000-2.000000j) 100% None"
        assert capfd.readouterr().out == expected + "\n"

    def test_separators_and_ends(self, capfd):
        def kernel(a):
            print(a[0], a[1], sep=", ", end="!\n")
            print()

        launched(kernel, np.array([7, 2**64 - 1], np.uint64), block=1)
        assert capfd.readouterr().out == "7, 18446744073709551615!\n\n"


class TestAssert:
    def test_that_holds(self):
        def kernel(a):
            assert a[0] == 0.5, "it is"
            a[0] = 1

        assert launched(kernel, X.copy(), block=1)[0][0] == 1

    def test_that_fails(self):
        def kernel(a):
            assert a[0] > 10, "too small"

        with pytest.raises(cuda.KernelError) as caught:
            launched(kernel, X, block=1)
        assert caught.value.kind == "assert"
        assert "too small" in str(caught.value)
        assert "test_kernel_math.py" in str(caught.value)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("a[0] = cuda.popc(a[0])", "got float64"),
        ("a[0] = np.bitwise_and(a[0], 1)", "got float64"),
        ("a[0] = math.gcd(a[0], 2)", "got float64"),
        ("a[0] = cuda.selp(True, a[0], 1)", "same type, got float64 and int64"),
        ("a[0] = np.maximum(a[0])", "need maximum(x1, x2)"),
        ("a[0] = math.ldexp(a[0], 1, 2)", "need ldexp(x, i)"),
        ("print(a)", "print needs single elements"),
        ("print(a[0], file=a)", "print has no keyword file="),
        ("print(a[0], a[1], sep=1)", "sep= of print must be a string constant"),
    ],
)
def test_what_is_refused(statement, words):
    assert words in refusal(statement, X)

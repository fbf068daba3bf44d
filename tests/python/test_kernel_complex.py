"""The tests of complex numbers in Python kernels, against NumPy and cmath."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from minitorch import cuda
from minitorch.cuda.language.kernel import compile_kernel

from .launching import agree, launched, refusal

pytestmark = pytest.mark.cuda

Z = np.array([1 + 2j, -0.5j, 3, -2 + 0.25j, 0.1 - 4j, -1.5 - 1e-3j])


@pytest.mark.parametrize(
    ("dtype", "rtol"), [("complex64", 1e-6), ("complex128", 1e-14)]
)
def test_operators(dtype, rtol):
    a, b = np.append(Z, 0).astype(dtype), np.append(Z[::-1], 1).astype(dtype)
    texts = dict.fromkeys(["a + b", "a - b * a", "a / b", "-a"], "")
    texts |= {f"a ** {n}": f"a.astype(complex) ** {n}" for n in ("3", "b")}
    agree(texts, dtype, rtol=20 * rtol, atol=rtol, a=a, b=b)
    texts = {"a == b": "", "a != b": "", "not a": "a == 0", "bool(b)": "b != 0"}
    agree(texts, bool, a=a, b=b)


def test_parts_and_mixed_types():
    w = "((z + 1) * 2.0 + 1j)"
    texts = {f"{w}.real": "", f"{w}.imag": "", f"abs{w}": ""}
    texts[f"{w}.conjugate().imag"] = f"-{w}.imag"
    texts["complex(n, 3).imag + complex(n).real + complex(z).imag"] = "3 + n + z.imag"
    texts["z.real if z.imag > 0 else n"] = "np.where(z.imag > 0, z.real, n)"
    agree(texts, float, rtol=1e-15, z=Z, n=np.arange(6))


NAMES = [
    *("exp", "log", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh"),
    *("asin", "acos", "atan", "asinh", "acosh", "atanh"),
]


@pytest.mark.parametrize("name", NAMES)
def test_functions_of_cmath_and_numpy(name):
    ours = getattr(cmath, name)
    theirs = getattr(np, f"arc{name[1:]}" if name in NAMES[10:] else name)

    def kernel(z, out):
        i = cuda.threadIdx.x
        out[0, i] = ours(z[i])
        out[1, i] = theirs(z[i])

    _, out = launched(kernel, Z, np.zeros((2, 6), complex), block=6)
    expected = [ours(z) for z in Z.tolist()]
    np.testing.assert_allclose(out, [expected, expected], rtol=1e-14, atol=1e-16)


def plane(*parts):
    """Complex numbers of all pairs of parts."""
    real, imag = np.meshgrid(parts, parts)
    made = real.astype(complex).ravel()
    made.imag = imag.ravel()
    return made


@pytest.mark.parametrize("name", NAMES)
def test_special_values_are_numpys(name):
    function = getattr(np, f"arc{name[1:]}" if name in NAMES[10:] else name)

    def kernel(z, out):
        i = cuda.grid(1)
        out[i] = function(z[i])

    parts = [0.0, -0.0, 1.0, -1.0, 0.5, -20.5, 1e-20, -1e-20, 100.0, 1e30, -1e30]
    z = plane(*parts)
    if name in ("exp", "log", "sqrt", "asin", "acos", "atan"):
        z = np.append(z, plane(0.0, 2.0, -2.0, np.inf, -np.inf))
    with np.errstate(all="ignore"):
        expected = function(z)
    _, out = launched(kernel, z, np.zeros_like(z), block=z.size)
    np.testing.assert_allclose(out.real, expected.real, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(out.imag, expected.imag, rtol=1e-12, atol=1e-12)
    zeros = (expected.real == 0) & (out.real == 0)
    assert (np.signbit(expected.real) == np.signbit(out.real))[zeros].all()


def test_polar_form_and_bases():
    texts = {
        "cmath.rect(cmath.polar(z)[0], cmath.polar(z)[1])": "z",
        "cmath.phase(z)": "np.angle(z)",
        "cmath.log(z, 2)": "[cmath.log(each, 2) for each in z]",
        "np.conjugate(z)": "",
        "np.angle(z)": "",
        "cmath.sqrt(-4.0)": "2j",
    }
    agree(texts, complex, rtol=1e-14, atol=1e-15, z=Z)


def test_arguments_arrays_and_constants():
    def with_size(z):
        return z * z, abs(z)

    def kernel(z, factor, pair, out):
        ours = cuda.shared.array(6, np.complex64)
        mine = cuda.local.array((2, 2), np.complex128)
        i = cuda.threadIdx.x
        ours[i] = Z[i] * factor
        mine[1, 0] = z[i]
        cuda.syncthreads()
        square, size = with_size(ours[5 - i])
        start = Z[i] if i > 1 else 1.0
        out[i] = square + size + mine[1, 0] * 1j + pair[0] - pair[1] + start

    arguments = (Z, 2 + 1j, (1.5, 3j), np.zeros(6, complex))
    out = launched(kernel, *arguments, block=6)[-1]
    turned = (Z[::-1] * (2 + 1j)).astype(np.complex64).astype(complex)
    start = np.where(np.arange(6) > 1, Z, 1)
    expected = turned**2 + abs(turned) + Z * 1j + 1.5 - 3j + start
    np.testing.assert_allclose(out, expected, rtol=1e-6)


def test_a_constant_that_is_read_twice_is_there_once():
    def kernel(out):
        out[0] = Z[0] + Z[1] + cuda.const.array_like(Z)[2]

    source = compile_kernel(kernel, (cuda.complex128[:],))
    assert source.cuda.count("__constant__") == 1
    assert launched(kernel, np.zeros(1, complex), block=1)[0][0] == Z[:3].sum()


def test_predicates():
    names = ("isnan", "isinf", "isfinite")
    texts = {f"cmath.{name}(z)": f"np.{name}(z)" for name in names}
    z = np.array([complex(math.nan, 1), complex(0, math.inf), 1 + 1j])
    agree(texts, bool, z=z)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("a[0] = a[0] < a[1]", "complex numbers have no order"),
        ("a[0] = a[0] // a[1]", "// needs real numbers"),
        ("a[0] = min(a[0], a[1])", "min needs a real number"),
        ("a[0] = math.sqrt(a[0])", "Use cmath.sqrt"),
        ("a[0] = int(a[0])", "int needs a real number, got complex128"),
        ("a[0] = np.float32(a[0])", "float32 needs a real number, got complex128"),
        ("a[0] = complex(a[0], 1)", "complex() needs real numbers"),
    ],
)
def test_what_is_refused(statement, words):
    assert words in refusal(statement, Z)

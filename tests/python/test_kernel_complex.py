"""The tests of complex numbers in Python kernels, against NumPy and cmath."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from minitorch import cuda
from minitorch.cuda.language.kernel import compile_kernel

from .launching import launched, refused

pytestmark = pytest.mark.cuda

Z = np.array([1 + 2j, -0.5j, 3, -2 + 0.25j, 0.1 - 4j, -1.5 - 1e-3j])


@pytest.mark.parametrize(
    ("dtype", "rtol"), [("complex64", 1e-6), ("complex128", 1e-14)]
)
def test_operators(dtype, rtol):
    def kernel(a, b, out, same):
        i = cuda.grid(1)
        if i < a.size:
            out[0, i] = a[i] + b[i]
            out[1, i] = a[i] - b[i] * a[i]
            out[2, i] = a[i] / b[i]
            out[3, i] = -a[i]
            out[4, i] = a[i] ** 3
            out[5, i] = a[i] ** b[i]
            same[0, i] = a[i] == b[i]
            same[1, i] = a[i] != b[i]
            same[2, i] = not a[i]
            same[3, i] = bool(b[i])

    a, b = np.append(Z, 0).astype(dtype), np.append(Z[::-1], 1).astype(dtype)
    out, same = np.zeros((6, 7), dtype), np.zeros((4, 7), bool)
    _, _, out, same = launched(kernel, a, b, out, same)
    wide = a.astype(complex)
    expected = [a + b, a - b * a, a / b, -a, wide**3, wide ** b.astype(complex)]
    np.testing.assert_allclose(out, expected, rtol=20 * rtol, atol=rtol)
    np.testing.assert_array_equal(same, [a == b, a != b, a == 0, b != 0])


def test_parts_and_mixed_types():
    def kernel(z, out):
        i = cuda.grid(1)
        w = z[i]
        w += 1
        w = w * 2.0 + 1j
        out[i, 0] = w.real
        out[i, 1] = w.imag
        out[i, 2] = abs(w)
        out[i, 3] = w.conjugate().imag
        out[i, 4] = complex(i, 3).imag + complex(i).real + complex(z[i]).imag * 0 + 2
        out[i, 5] = z[i].real if z[i].imag > 0 else i

    _, out = launched(kernel, Z, np.zeros((6, 6)), block=6)
    w = (Z + 1) * 2 + 1j
    number = np.arange(6)
    last = np.where(Z.imag > 0, Z.real, number)
    expected = [w.real, w.imag, abs(w), -w.imag, 3 + number + 2, last]
    np.testing.assert_allclose(out, np.transpose(expected), rtol=1e-15)


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
    def kernel(z, out):
        i = cuda.threadIdx.x
        radius, angle = cmath.polar(z[i])
        out[0, i] = cmath.rect(radius, angle)
        out[1, i] = cmath.phase(z[i])
        out[2, i] = cmath.log(z[i], 2)
        out[3, i] = np.conjugate(z[i])
        out[4, i] = np.angle(z[i])
        out[5, i] = cmath.sqrt(-4.0)

    _, out = launched(kernel, Z, np.zeros((6, 6), complex), block=6)
    phase = [cmath.phase(z) for z in Z.tolist()]
    two = [cmath.log(z, 2) for z in Z.tolist()]
    expected = [Z, phase, two, Z.conj(), phase, [2j] * 6]
    np.testing.assert_allclose(out, expected, rtol=1e-14, atol=1e-15)


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
    def kernel(z, out):
        i = cuda.threadIdx.x
        out[0, i] = cmath.isnan(z[i])
        out[1, i] = cmath.isinf(z[i])
        out[2, i] = cmath.isfinite(z[i])

    z = np.array([complex(math.nan, 1), complex(0, math.inf), 1 + 1j])
    _, out = launched(kernel, z, np.zeros((3, 3), bool), block=3)
    np.testing.assert_array_equal(out, np.eye(3))


class TestRefused:
    def test_order_and_whole_division(self):
        def order(z):
            z[0] = z[0] < z[1]

        def divided(z):
            z[0] = z[0] // z[1]

        def least(z):
            z[0] = min(z[0], z[1])

        assert "Complex numbers have no order" in refused(order, Z)
        assert "need real numbers" in refused(divided, Z)
        assert "need a real number" in refused(least, Z)

    def test_real_functions_and_casts(self):
        def root(z):
            z[0] = math.sqrt(z[0])

        def whole(z):
            z[0] = int(z[0])

        def narrow(z):
            z[0] = np.float32(z[0])

        assert "Use cmath.sqrt" in refused(root, Z)
        assert "got complex128 for int; need a real number" in refused(whole, Z)
        assert "got complex128 for float32" in refused(narrow, Z)

    def test_parts_that_are_complex(self):
        def kernel(z):
            z[0] = complex(z[0], 1)

        assert "for a part of complex()" in refused(kernel, Z)

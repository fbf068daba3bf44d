"""The tests of complex numbers in the CUDA headers that kernels in Python call."""

from __future__ import annotations

import numpy as np
import pytest

from .device_code import FAR, SPECIAL, elementwise, plane, same

pytestmark = pytest.mark.cuda

CIRCLE = ["exp", "log", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh"]
INVERSE = ["asin", "acos", "atan", "asinh", "acosh", "atanh"]


class TestComplex:
    @pytest.mark.parametrize("dtype", ["complex64", "complex128"])
    @pytest.mark.parametrize("sign", ["+", "-", "*", "/"])
    def test_arithmetic_is_numpys(self, sign, dtype):
        a = np.repeat(plane(dtype, 0.0, 1.0, -2.5, 3.0), 16)
        b = np.tile(plane(dtype, 0.0, 1.0, -2.5, 3.0), 16)
        operators = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}
        with np.errstate(all="ignore"):
            expected = operators[sign](a, b)
        got = elementwise("complex.cuh", f"x {sign} y", dtype, a, b)
        same(got, expected, 1e-6 if dtype == "complex64" else 1e-15)

    def test_division_does_not_overflow(self):
        a, b = np.array([1e300 + 1e300j]), np.array([2e300 + 1e200j])
        same(elementwise("complex.cuh", "x / y", "complex128", a, b), a / b, 1e-15)

    def test_equality_truth_and_conjugate(self):
        a = plane("complex128", 0.0, 1.0, np.nan)
        for text, expected in [("x == y", a == a), ("x != y", a != a)]:
            got = elementwise("complex.cuh", text, "bool", a, a)
            np.testing.assert_array_equal(got, expected)
        got = elementwise("complex.cuh", "static_cast<bool>(x)", "bool", a)
        np.testing.assert_array_equal(got, a.astype(bool))
        got = elementwise("complex.cuh", "py::conjugate(x)", "complex128", a)
        np.testing.assert_array_equal(got, a.conj())
        got = elementwise("complex.cuh", "py::abs(x)", "float64", a)
        np.testing.assert_array_equal(got, np.abs(a))

    @pytest.mark.parametrize("name", [*CIRCLE, *INVERSE])
    def test_functions_are_numpys(self, name):
        numpy_name = name if name not in INVERSE else "arc" + name[1:]
        z = plane("complex128", *SPECIAL, *FAR[:2])
        with np.errstate(all="ignore"):
            expected = getattr(np, numpy_name)(z)
        got = elementwise("complex_inverse.cuh", f"py::{name}(x)", "complex128", z)
        same(got, expected, 1e-12)
        zeros = (expected.real == 0) & (got.real == 0)
        assert (np.signbit(expected.real) == np.signbit(got.real))[zeros].all()

    @pytest.mark.parametrize("name", ["exp", "log", "sqrt", "asin", "acos", "atan"])
    def test_infinities_are_numpys(self, name):
        numpy_name = name if name not in INVERSE else "arc" + name[1:]
        z = plane("complex128", 0.0, 2.0, -2.0, np.inf, -np.inf)
        with np.errstate(all="ignore"):
            expected = getattr(np, numpy_name)(z)
        got = elementwise("complex_inverse.cuh", f"py::{name}(x)", "complex128", z)
        same(got, expected, 1e-12)

    def test_complex64_near_one(self):
        z = np.array([1 + 1e-6j, 0.999 + 0.01j, -1e-20 + 1e20j], np.complex64)
        got = elementwise("complex_inverse.cuh", "py::log(x)", "complex64", z)
        same(got, np.log(z.astype(complex)), 1e-6)

    def test_powers(self):
        z = np.array([1 + 2j, -0.5j, 3 + 0j, -2 + 0j, 0j, 2 - 1j, 0j])
        w = np.array([3 + 0j, 2 + 1j, 0.5j, 0.5 + 0j, 2 + 0j, -4 + 0j, 0j])
        got = elementwise("complex_inverse.cuh", "py::pow(x, y)", "complex128", z, w)
        same(got, np.array([a**b for a, b in zip(z, w, strict=True)]), 1e-14)

    def test_polar_and_back(self):
        z = plane("complex128", 0.0, 1.0, -2.5)
        got = elementwise(
            "complex_math.cuh", "py::rect(py::abs(x), py::phase(x))", "complex128", z
        )
        np.testing.assert_allclose(got, z, rtol=1e-15, atol=1e-15)

"""The meaning of scalar functions: random ones, against Python itself.

A random function is evaluated by Python on each element, with float64 throughout, and
by `zip`. Arithmetic, comparisons and branches must agree to the last bit.
"""

from __future__ import annotations

import itertools
import linecache
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minitorch
from minitorch import tensor_ops

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.cuda)]
_numbers = itertools.count()


def function_of(source):
    file = f"<values {next(_numbers)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope = {"math": math}
    exec(compile(source, file, "exec"), scope)
    return scope["f"]


def columns(pairs, device, dtype=None):
    x, y = np.array(pairs).T
    return tuple(minitorch.tensor(list(each), dtype, device) for each in (x, y))


# Small halves: most operations on them are exact, and branches meet often.
halves = st.integers(-8, 8).map(lambda n: n / 2)
literals = halves.map(repr)


def _grow(inner):
    def binary(operators):
        return st.builds("({} {} {})".format, inner, st.sampled_from(operators), inner)

    tests = binary(["<", "<=", ">", ">=", "==", "!="])
    return st.one_of(
        binary(["+", "-", "*", "/", "//", "%"]),
        binary(["and", "or"]),
        # Of x only: there all products are exact, so that any order is right.
        st.builds("(x ** {})".format, st.integers(-3, 8)),
        st.builds("({} if {} else {})".format, inner, tests, inner),
        st.builds("({} if not {} else {})".format, inner, inner, inner),
        st.builds("{}({}, {})".format, st.sampled_from(["min", "max"]), inner, inner),
        st.builds("({} < {} <= {}) * 1.0".format, inner, inner, inner),
        st.builds("(-{})".format, inner),
        st.builds("abs({})".format, inner),
        st.builds("math.floor({}) * 1.0".format, inner),
        st.builds("math.sqrt(abs({}))".format, inner),
    )


expressions = st.recursive(
    st.one_of(st.sampled_from(["x", "y"]), literals), _grow, max_leaves=12
)


@st.composite
def functions(draw):
    """A function of x and y with assignments, branches and early returns."""
    e = [draw(expressions) for _ in range(7)]
    body = [
        f"z = {e[0]}",
        f"if {e[1]} > {e[2]}:",
        f"    z = {e[3]}",
        f"    y {draw(st.sampled_from(['+=', '-=', '*=', '=']))} z",
        f"elif {e[4]} < 1.0:",
        f"    return {e[5]}" if draw(st.booleans()) else f"    z -= {e[5]}",
        f"return z + y - {e[6]}",
    ]
    return "def f(x, y):\n" + "\n".join("    " + line for line in body) + "\n"


def python_value(function, x, y):
    try:
        value = function(x, y)
    except (ArithmeticError, ValueError):
        return None  # Python raises where IEEE arithmetic goes on with inf or nan
    return value if math.isfinite(value) else None


@pytest.mark.parametrize("device", DEVICES)
def test_random_functions_mean_what_python_means(device):
    @given(source=functions(), data=st.data())
    @settings(max_examples=200 if device == "cpu" else 15, deadline=None)
    def check(source, data):
        pairs = data.draw(st.lists(st.tuples(halves, halves), min_size=1, max_size=40))
        function = function_of(source)
        expected = [python_value(function, x, y) for x, y in pairs]
        x, y = columns(pairs, device)
        got = tensor_ops.zip(function)(x, y).to_numpy().tolist()
        for at, (want, have) in enumerate(zip(expected, got, strict=True)):
            assert want is None or want == have, (source, pairs[at])

    check()


FUNCTIONS = """
    acos acosh asin asinh atan atanh cbrt ceil cos cosh degrees erf erfc exp exp2 expm1
    fabs floor gamma lgamma log log10 log1p log2 radians sin sinh sqrt tan tanh trunc
"""
POINTS = [-2.5, -1.0, -0.3, -0.0, 0.0, 0.2, 0.5, 1.0, 1.7, 3.0, 10.0]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [minitorch.float64, minitorch.float32])
@pytest.mark.parametrize(
    "name",
    FUNCTIONS.split(),
)
def test_math_functions(name, dtype, device):
    reference = getattr(math, name)
    points = [x for x in POINTS if _defined(reference, x)]
    got = tensor_ops.map(reference)(
        minitorch.tensor(points, dtype=dtype, device=device)
    )
    assert got.dtype == dtype
    single = dtype == minitorch.float32
    inputs = np.array(points, np.float32 if single else np.float64)
    expected = [reference(float(x)) for x in inputs]
    tolerance = 4 * np.finfo(inputs.dtype).eps
    np.testing.assert_allclose(got.to_numpy(), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["atan2", "copysign", "fmod", "hypot", "pow"])
def test_math_functions_of_two(name, device):
    reference = getattr(math, name)
    pairs = [p for p in itertools.product(POINTS, POINTS) if _defined(reference, *p)]
    x, y = columns(pairs, device)
    got = tensor_ops.zip(reference)(x, y)
    expected = [reference(*pair) for pair in pairs]
    np.testing.assert_allclose(got.to_numpy(), expected, rtol=1e-15, atol=1e-15)


def _defined(function, *values):
    try:
        function(*values)
    except (ValueError, OverflowError, ZeroDivisionError):
        return False
    return True


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("operator", ["+", "-", "*", "//", "%"])
def test_integers_compute_in_64_bits(operator, device):
    function = function_of(f"def f(x, y):\n    return x {operator} y\n")
    values = [-(2**31), -7, -1, 1, 3, 2**31 - 1]
    pairs = list(itertools.product(values, values))
    x, y = columns(pairs, device, minitorch.int64)
    expected = [function(*pair) for pair in pairs]
    assert tensor_ops.zip(function)(x, y).to_numpy().tolist() == expected


@pytest.mark.parametrize("device", DEVICES)
def test_a_sum_of_products_is_not_fused(device):
    # With fma the result is -2**-54, the error of the product.
    a, b = 1 + 2.0**-27, 1 - 2.0**-27
    x, y = minitorch.tensor([a], device=device), minitorch.tensor([b], device=device)
    assert tensor_ops.zip(lambda x, y: x * y - 1)(x, y).to_numpy()[0] == a * b - 1


@pytest.mark.parametrize("device", DEVICES)
def test_conversions_and_rounding(device):
    x = minitorch.tensor([-2.5, -1.5, -0.4, 0.5, 1.5, 2.5, 2.6], device=device)
    rounded = tensor_ops.map(lambda x: round(x))(x).to_numpy()
    assert rounded.tolist() == [-2, -2, 0, 0, 2, 2, 3]
    assert tensor_ops.map(lambda x: int(x))(x).to_numpy().tolist() == [
        *[-2, -1, 0, 0, 1, 2, 2]
    ]
    assert tensor_ops.map(lambda x: bool(x) + 1)(x).to_numpy().tolist() == [2] * 7


@pytest.mark.parametrize("device", DEVICES)
def test_infinities_and_nan(device):
    x = minitorch.tensor([math.inf, -math.inf, math.nan, 0.0], device=device)
    flags = tensor_ops.map(
        lambda x: math.isinf(x) + 2 * math.isnan(x) + 4 * math.isfinite(x)
    )
    assert flags(x).to_numpy().tolist() == [1, 1, 2, 4]
    limits = tensor_ops.map(lambda x: -math.inf if x == 0 else math.nan)
    np.testing.assert_array_equal(
        limits(x).to_numpy(), [math.nan, math.nan, math.nan, -math.inf]
    )
    smaller = tensor_ops.map(lambda x: min(x, 1.0))  # Python's order decides about nan
    np.testing.assert_array_equal(smaller(x).to_numpy(), [1, -math.inf, math.nan, 0])


@pytest.mark.parametrize("device", DEVICES)
def test_names_outside_ascii(device):
    def größe(α):
        β = α + 1
        return β * β

    t = minitorch.tensor([1.0, 2.0], device=device)
    assert tensor_ops.map(größe)(t).to_numpy().tolist() == [4, 9]

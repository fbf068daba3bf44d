"""The typing rules of scalar functions, against what Numba was measured to give.

Each row is one expression with the types of its arguments; the expected types come from
Numba's compiler for CUDA, except where a comment says why ours differs.
"""

from __future__ import annotations

import itertools
import linecache
import math
from collections.abc import Callable

import pytest

from minitorch.cuda.language import Type, translate
from minitorch.cuda.language.types import arithmetic_type, power_type, unify

_numbers = itertools.count()
I32, I64, F32, F64, BOOL = "int32", "int64", "float32", "float64", "bool"


def function_of(body: str, parameters: str = "a, b") -> Callable[..., object]:
    """A function whose source Python keeps, as a notebook's cell is kept."""
    file = f"<types {next(_numbers)}>"
    source = f"def f({parameters}):\n    {body}\n"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope: dict[str, Callable[..., object]] = {"math": math}  # type: ignore[dict-item]
    exec(compile(source, file, "exec"), scope)
    return scope["f"]


def type_of(expression: str, a: str, b: str) -> str:
    return translate(
        function_of(f"return {expression}"), (Type(a), Type(b))
    ).result.value


@pytest.mark.parametrize("operator", ["+", "-", "*", "//", "%", "**"])
def test_int32_arithmetic_gives_int64(operator):
    assert type_of(f"a {operator} b", I32, I32) == I64


@pytest.mark.parametrize(
    ("expression", "a", "b", "expected"),
    [
        ("a / b", I32, I32, F64),
        ("a + 1", F32, F32, F64),
        ("a + 1.0", F32, F32, F64),
        ("a * b", F32, I32, F64),
        ("a * b", F32, I64, F64),
        ("a * b", F32, F64, F64),
        ("a * b", F32, F32, F32),
        ("a / b", F32, F32, F32),
        ("a // b", F32, F32, F32),
        ("a % b", F32, F32, F32),
        ("a ** b", F32, I32, F32),
        ("a ** 2", F32, F32, F32),
        ("a ** b", F32, F32, F32),
        ("a ** b", I32, F32, F64),
        ("min(a, b)", I32, F32, F64),
        ("max(a, 0)", F32, F32, F64),
        ("max(a, b)", F32, F32, F32),
        ("min(a, b)", I32, I32, I32),
        ("abs(a)", I32, I32, I32),
        ("abs(a)", F32, F32, F32),
        ("float(a)", I32, I32, F64),
        ("float(a)", F32, F32, F32),
        ("int(a)", F64, F64, I64),
        ("int(a)", F32, F32, I64),
        ("int(a)", I32, I32, I32),
        ("round(a)", F64, F64, I64),
        ("bool(a)", F64, F64, BOOL),
        ("a < b", F32, I32, BOOL),
        ("a < b < 3", F32, I32, BOOL),
        ("not a", F32, F32, BOOL),
        ("a and b", I32, I32, I32),
        ("a or b", I32, F32, F64),
        ("a if b else 1.5", I32, BOOL, F64),
        ("a if a < b else b", I32, F32, F64),
        ("a + b", BOOL, BOOL, I64),
        ("a * b", F32, BOOL, F32),
        ("-a", I32, I32, I64),
        ("-a", F32, F32, F32),
        ("-a", BOOL, BOOL, I64),
        ("math.exp(a)", F32, F32, F32),
        ("math.ceil(a)", F32, F32, F32),
        ("math.floor(a)", F64, F64, F64),
        ("math.pow(a, b)", F32, F32, F32),
        ("math.pow(a, b)", F32, I32, F32),
        ("math.sqrt(a)", I32, I32, F64),
        ("math.log2(a)", I64, I64, F64),
        ("math.atan2(a, b)", F32, F64, F64),
        ("math.isnan(a)", F32, F32, BOOL),
        ("a * math.pi", F32, F32, F64),
        ("True", F32, F32, BOOL),
        ("2", F32, F32, I64),
    ],
)
def test_expression(expression, a, b, expected):
    assert type_of(expression, a, b) == expected


def test_a_negative_literal_power_of_an_integer_is_a_float_as_in_python():
    assert type_of("a ** -1", I64, I64) == F64


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("y = 0\n    if a > 1:\n        y = a\n    return y", F64),
        ("y = 0\n    y = 1.5\n    return y", F64),
        ("y = 0.5\n    y = 1\n    return y", I64),  # the last one counts: no join
        ("if a > 1:\n        return 1\n    return a", F64),
        ("if a > 1:\n        return True\n    return 7", I64),
        ("y = a\n    y += 1\n    return y", F64),
        ("y: int = a\n    return y", F32),  # annotations are for readers
        ("if a > 1:\n        y = a\n    return y", F32),  # else 0, as in Numba
    ],
)
def test_variables_take_the_type_that_holds_both_branches(body, expected):
    assert translate(function_of(body, "a"), (Type.FLOAT32,)).result.value == expected


@pytest.mark.parametrize(("a", "b"), list(itertools.product(Type, repeat=2)))
def test_joining_types_has_no_order(a, b):
    assert unify(a, b) is unify(b, a)
    assert unify(unify(a, b), a) is unify(a, b)
    assert arithmetic_type("+", a, b) is arithmetic_type("+", b, a)
    assert power_type(a, b) is not Type.BOOL


def test_captured_numbers_have_the_types_of_literals():
    scale, count = 0.5, 3
    assert translate(lambda x: x * scale, (Type.FLOAT32,)).result is Type.FLOAT64
    assert translate(lambda x: x * count, (Type.INT32,)).result is Type.INT64

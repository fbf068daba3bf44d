"""The typing rules of scalar functions, against what Numba was measured to give.

Each row is one expression with the types of its arguments; the expected types come from
Numba's compiler for CUDA, except where a comment says why ours differs.
"""

from __future__ import annotations

import itertools
import linecache
import math

import pytest

from minitorch.cuda.language.scalar_function import translate
from minitorch.cuda.language.types import Type, arithmetic_type, power_type, unify

_numbers = itertools.count()
I32, I64, F32, F64, BOOL = "int32", "int64", "float32", "float64", "bool"


def function_of(body, parameters="a, b"):
    """A function whose source Python keeps, as a notebook's cell is kept."""
    file = f"<types {next(_numbers)}>"
    source = f"def f({parameters}):\n    {body}\n"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope = {"math": math}
    exec(compile(source, file, "exec"), scope)
    return scope["f"]


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

"""Expressions and special values at which kernels compute them; knows no compiler.

Each expression is evaluated for all pairs of special values of its types. What Numba's
kernels give is recorded in data/numba_values.json.
"""

from __future__ import annotations

import itertools
import linecache
from pathlib import Path
from typing import NamedTuple

import numpy as np

TABLE = Path(__file__).parent / "data" / "numba_values.json"

_INTEGERS = {
    "bool": [0, 1],
    "int8": [-128, -7, -1, 0, 1, 2, 127],
    "int32": [-(2**31), -7, -2, -1, 0, 1, 2, 3, 2**31 - 1],
    "int64": [-(2**63), -(2**53) - 1, -7, -1, 0, 1, 3, 2**63 - 1],
    "uint8": [0, 1, 7, 200, 255],
    "uint32": [0, 1, 7, 2**31, 2**32 - 1],
    "uint64": [0, 1, 7, 2**53 + 1, 2**63, 2**64 - 1],
}
_FLOATS = [
    float("-inf"), -7.5, -1.0, -0.0, 0.0, 0.1, 0.5, 3.0, 1e30, float("inf"),
    float("nan"),
]  # fmt: skip
# Numbers that int() takes, and halves that round() must send to even.
_FINITE = [-3e9, -7.5, -2.5, -1.5, -1.0, -0.5, -0.0, 0.0, 0.1, 0.5, 1.5, 2.5, 3.0, 3e9]


class ValueCase(NamedTuple):
    """An expression of a and b, their types, and whether only finite floats will do."""

    expression: str
    a: str
    b: str
    finite: bool = False

    @property
    def key(self):
        return f"{self.a}, {self.b} | {self.expression}"

    @property
    def source(self):
        """The text of the kernel."""
        return (
            "def kernel(out, x, y):\n"
            "    i = cuda.grid(1)\n"
            "    if i < out.size:\n"
            "        a, b = x[i], y[i]\n"
            f"        out[i] = {self.expression}\n"
        )

    def function(self, **scope):
        """The kernel as a Python function, with what its code finds around it."""
        file = f"<value {self.key}>"
        lines = self.source.splitlines(keepends=True)
        linecache.cache[file] = (len(self.source), None, lines, file)
        exec(compile(self.source, file, "exec"), scope)
        return scope["kernel"]

    def inputs(self):
        """All pairs of special values."""
        left, right = self._values(self.a), self._values(self.b)
        x, y = zip(*itertools.product(left, right), strict=True)
        return np.array(x, self.a), np.array(y, self.b)

    def _values(self, dtype):
        if dtype in _INTEGERS:
            return _INTEGERS[dtype]
        if dtype.startswith("complex"):
            return [0, 1, -2j, 1.5 + 2j, -3 - 0.5j]
        return _FINITE if self.finite else _FLOATS


_WHOLE_TYPES = [
    ("int32", "int32"), ("int64", "int64"), ("int8", "int8"), ("uint8", "int32"),
    ("uint32", "uint32"), ("uint64", "int64"), ("uint64", "uint64"), ("bool", "int32"),
]  # fmt: skip
_WHOLE = [
    "a + b", "a - b", "a * b", "a // (b or 1)", "a % (b or 1)", "a / (b or 1)", "a & b",
    "a | b", "a ^ b", "a << (b & 31)", "a >> (b & 31)", "a < b", "a <= b", "a == b",
    "-a", "~a", "abs(a)", "a and b", "a or b", "not a", "a if a > b else b",
    "float(a + 0)", "a ** (b & 7)",
]  # fmt: skip
_ONE_SIGN = ["min(a, b)", "max(a, b)", "divmod(a, b or 1)[1]"]
_REAL_TYPES = [
    ("float64", "float64"), ("float32", "float32"), ("float32", "float64"),
    ("float64", "int32"), ("int32", "float32"),
]  # fmt: skip
_REAL = [
    "a + b", "a - b", "a * b", "a / b", "a // b", "a % b", "a < b", "a >= b", "a == b",
    "a != b", "-a", "abs(a)", "min(a, b)", "max(a, b)", "a and b", "a or b", "bool(a)",
    "not a", "a if a < b else b", "a < b < 2", "a ** 2",
    "math.copysign(a, b if b == b else 1)", "math.fmod(a, b)", "math.hypot(a, b)",
    "math.atan2(a, b)", "divmod(a, b)[0]",
]  # fmt: skip
_FINITE_REAL = [
    "int(a)", "round(a)", "math.floor(a)", "math.ceil(a)", "math.trunc(a)",
    "np.int32(a)", "np.uint8(b)", "a * a + b", "float(a)", "np.float32(a) + 1",
]  # fmt: skip
_FUNCTIONS = [
    "math.sqrt(a)", "math.exp(a)", "math.log(a)", "math.sin(a)", "math.isnan(a)",
    "math.isinf(a)", "math.tanh(a)", "math.erf(a)", "math.gamma(a)", "math.log1p(a)",
    "math.fabs(a)", "math.degrees(a)", "np.sin(a)",
]  # fmt: skip
_COMPLEX = ["a + b", "a - b", "a * b", "a == b", "abs(a)", "-a", "a.real"]


def _cases():
    for a, b in _WHOLE_TYPES:
        for expression in _WHOLE + _ONE_SIGN * (a[0] == b[0]):
            yield ValueCase(expression, a, b)
    for a, b in _REAL_TYPES:
        for expression in _REAL + ["a ** b"] * ("int32" not in (a, b)):
            yield ValueCase(expression, a, b)
    for a in ("float64", "float32"):
        for expression in _FINITE_REAL:
            yield ValueCase(expression, a, "int8", finite=True)
        yield ValueCase("round(a, b)", a, "bool", finite=True)
        for expression in _FUNCTIONS:
            yield ValueCase(expression, a, "bool")
    for a in ("complex64", "complex128"):
        for expression in _COMPLEX:
            yield ValueCase(expression, a, a)


CASES = list(_cases())


def as_text(values):
    """Write values exactly, in the fewest digits; any NaN is "nan"."""
    if values.dtype.kind == "c":
        pairs = zip(as_text(values.real), as_text(values.imag), strict=True)
        return [f"{real},{imag}" for real, imag in pairs]
    if values.dtype.kind == "f":
        return [str(each).removesuffix(".0") for each in values]
    return [str(int(each)) for each in values]

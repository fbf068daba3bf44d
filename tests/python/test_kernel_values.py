"""What kernels compute at special values, against what Numba's kernels gave.

data/numba_values.json has their results, recorded once on the emulator. Where those are
not Python's, `PYTHONS` says so, and Python itself is asked.
"""

from __future__ import annotations

import itertools
import json
import linecache
import math
import re

import numpy as np
import pytest

from minitorch import cuda

from .value_cases import CASES, TABLE, as_text

RECORDED = json.loads(TABLE.read_text())
GROUPS = {
    pair: list(cases)
    for pair, cases in itertools.groupby(
        CASES, key=lambda case: f"{case.a} {case.b} {'finite' * case.finite}".strip()
    )
}

#: A pattern of `types | expression` whose value is Python's here and not Numba's: why.
PYTHONS = {
    r"u?int.* \| -a": "Numba negates before it widens: -int8(-128) is -128",
    r"u.* \| ~a": "Numba inverts before it widens to uint64",
    r"u?int.* \| a \*\* .*": "Numba computes powers of integers in float64",
    r"u?int64, int64 \| a // .*": "Numba gives 0 for the smallest int64 // -1",
    r"uint64, uint64 \| (a %|divmod).*": "Numba computes it in float64",
    r".*float.* \| (a // b|a % b|divmod.*)": "Numba gives NaN for infinite b",
    r".*float.* \| (min|max)\(a, b\)": "Numba's skip NaN; Python's order decides ours",
    r"float.*, bool \| round\(a, b\)": "Numba's loses the sign of a zero",
}


def python_value(case, a, b, result):
    """Compute an expression by Python with exact integers, or NumPy's floats."""
    if result.startswith("float"):
        number = getattr(np, result)
        scope = {"a": number(a), "b": number(b) if b.dtype.kind != "b" else int(b)}
        return as_text(np.array([eval(case.expression, scope)], result))[0]
    scope = {
        name: wrapped(value.item(), result) if value.dtype.kind != "f" else value
        for name, value in (("a", a), ("b", b))
    }
    return str(wrapped(eval(case.expression, scope), result))


def wrapped(value, dtype):
    """Give the value that an integer has in 64 bits."""
    low = int(value) % 2**64
    return low - 2**64 if dtype == "int64" and low >= 2**63 else low


def results_of(cases):
    """Run all expressions of a pair of types in one kernel."""
    x, y = cases[0].inputs()
    outs = [np.zeros(len(x), RECORDED[case.key].partition(" ")[0]) for case in cases]
    names = [f"out{index}" for index in range(len(cases))]
    body = "".join(
        f"        {name}[i] = {case.expression}\n"
        for name, case in zip(names, cases, strict=True)
    )
    source = (
        f"def kernel(x, y, {', '.join(names)}):\n"
        "    i = cuda.grid(1)\n"
        "    if i < x.size:\n"
        "        a, b = x[i], y[i]\n"
        f"{body}"
    )
    file = f"<values {cases[0].a} {cases[0].b} {cases[0].finite}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope = {"cuda": cuda, "math": math, "np": np}
    exec(compile(source, file, "exec"), scope)
    cuda.jit(scope["kernel"]).forall(len(x))(x, y, *outs)
    return outs


@pytest.mark.cuda
@pytest.mark.parametrize("group", GROUPS)
def test_values_are_numbas(group):
    cases = GROUPS[group]
    x, y = cases[0].inputs()
    wrong = []
    for case, ours in zip(cases, results_of(cases), strict=True):
        result, *said = RECORDED[case.key].split(" ")
        if any(re.fullmatch(each, case.key) for each in PYTHONS):
            with np.errstate(all="ignore"):
                said = [
                    python_value(case, a, b, result) for a, b in zip(x, y, strict=True)
                ]
        pairs = zip(x, y, as_text(ours), said, strict=True)
        differ = [
            f"a = {a!r}, b = {b!r}: need {theirs}; got {our}"
            for a, b, our, theirs in pairs
            if our != theirs
        ]
        if differ:
            wrong.append("\n    ".join([case.key, *differ[:4]]))
    assert not wrong, f"{len(wrong)} expressions\n" + "\n".join(wrong)


def test_the_table_belongs_to_the_cases():
    assert [case.key for case in CASES] == list(RECORDED)
    for pattern in PYTHONS:
        assert any(re.fullmatch(pattern, key) for key in RECORDED), pattern

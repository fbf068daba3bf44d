"""The question to Numba: what do its kernels compute at special values?

    minitorch emulate -- python tests/oracles/numba_values.py

Needs the packages numba and numba-cuda with its extra cu13; no GPU. Rewrites
tests/python/data/numba_values.json.
"""

from __future__ import annotations

import importlib
import json
import math
import sys
import warnings
from pathlib import Path

import numba
import numba.cuda
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
cases = importlib.import_module("value_cases")


def outcome(case):
    """Run a case: the type of the result, then its values."""
    function = case.function(cuda=numba.cuda, math=math, np=np)
    x, y = case.inputs()
    result = type_of_result(case)
    out = np.zeros(len(x), result)
    numba.cuda.jit(function)[math.ceil(len(x) / 32), 32](out, x, y)
    return [result, *cases.as_text(out)]


def type_of_result(case):
    """The type that Numba gives to the expression."""
    scope = {"math": math, "np": np}
    exec(f"def f(a, b):\n    return {case.expression}\n", scope)
    types = tuple(numba.from_dtype(np.dtype(each)) for each in (case.a, case.b))
    _, result = numba.cuda.compile(scope["f"], types, device=True, cc=(8, 0))
    return "bool" if result == numba.types.boolean else str(result)


def main():
    """Run every case and write the table."""
    warnings.simplefilter("ignore")
    rows = [
        f"{json.dumps(case.key)}: {json.dumps(' '.join(outcome(case)))}"
        for case in cases.CASES
    ]
    cases.TABLE.write_text("{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    main()

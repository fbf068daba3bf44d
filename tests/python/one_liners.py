"""How a recorded sentence of PyTorch is run, described and compared.

Works with whatever module has PyTorch's names: PyTorch itself, which recorded the
results (data/make_torch_one_liners.py), or ours. Must import neither.
"""

from __future__ import annotations

import ast
import collections
import copy
import importlib
import io
import json
import math
import pickle
import warnings
from pathlib import Path

import numpy as np

RECORDED = Path(__file__).parent / "data" / "torch_one_liners.json"
# What a module of ours answers otherwise, each with the reason in the line below.
DIFFERING = RECORDED.with_name("torch_differing.txt")
# Of the largest of the two numbers, and for numbers near zero.
TOLERANCE = {"float16": 2e-3, "bfloat16": 1.6e-2, "float64": 1e-9}
SINGLE = 2e-5
MESSAGE = 160  # characters of an error that are kept
# What teaching code calls the modules below PyTorch's first one.
MODULES = {"nn": "nn", "F": "nn.functional", "optim": "optim", "data": "utils.data"}


def _numbers(dtype, shape, rule):
    """The facts of an input whose element number i is rule(i)."""
    row = [rule(i) for i in range(math.prod(shape))]
    return {"dtype": dtype, "shape": list(shape), "values": row}


def _floats(shape, step, around, over):
    """float32 between -around // 2 / over and around // 2 / over, in mixed order."""
    return _numbers(
        "float32", shape, lambda i: (step * i % around - around // 2) / over
    )


def _listed(dtype, *values):
    """A row of given numbers."""
    return {"dtype": dtype, "shape": [len(values)], "values": list(values)}


def _inputs():
    """Every name that a sentence may use, with its numbers."""
    x = _floats((3, 4), 7, 11, 2)
    return {
        "x": x,
        "w": {**x, "requires_grad": True},
        "y": _numbers("float32", (3, 4), lambda i: (5 * i % 12 + 1) / 4),
        "d": _numbers("float64", (3, 4), lambda i: (7 * i % 11 - 5) / 3),
        "k": _numbers("int64", (3, 4), lambda i: 7 * i % 12 - 3),
        "mask": _numbers("bool", (3, 4), lambda i: i % 3 == 0),
        "probs": _numbers("float32", (3, 4), lambda i: (0.1, 0.2, 0.3, 0.4)[i % 4]),
        "target01": _numbers("float32", (3, 4), lambda i: float(i * i % 5 in (0, 1))),
        "u": _listed("float32", 1.0, 2.0, 3.0),
        "v": _listed("float32", 0.5, -1.5, 2.0, -0.25),
        "h": _listed("float16", 0.5, -1.5, 2.0, -0.25),
        "big": _listed("float32", -100.0, -1.0, 1.0, 100.0),
        "special": _listed("float32", "nan", "inf", "-inf", 0.0, 1.5),
        "i": _listed("int64", 2, 0, 1),
        "labels": _listed("int64", 1, 0, 3),
        "p": {"dtype": "float32", "shape": [], "values": [2.0], "requires_grad": True},
        "a": _floats((2, 3), 5, 7, 2),
        "b": _floats((3, 2), 3, 7, 2),
        "m": _numbers("float32", (3, 3), lambda i: 4.0 if i % 4 == 0 else i % 3 - 0.5),
        "row": _floats((1, 4), 3, 5, 2),
        "col": _floats((3, 1), 3, 5, 2),
        "e": _floats((0, 3), 1, 2, 1),
        "batch": _floats((2, 3, 4), 7, 13, 4),
        "batch2": _floats((2, 4, 3), 5, 13, 4),
        "b4": _floats((1, 4, 2), 5, 9, 4),
        "seq": _floats((2, 5, 4), 11, 17, 8),
        "tokens": _numbers("int64", (2, 5), lambda i: 3 * i % 8),
        "table": _floats((8, 3), 5, 23, 4),
        "img": _floats((2, 3, 6, 6), 13, 29, 8),
        "gray": _floats((2, 1, 8, 8), 11, 31, 8),
        "kernel": _floats((2, 3, 3, 3), 5, 19, 8),
        "depthwise": _floats((3, 1, 3, 3), 5, 19, 8),
        "ctc": _floats((5, 1, 4), 3, 7, 2),
    }


INPUTS = _inputs()


def names_in(sentence):
    """Every name that a sentence reads or changes."""
    return {n.id for n in ast.walk(ast.parse(sentence)) if isinstance(n, ast.Name)}


def _fill(torch, module):
    """Gives the parameters of a module numbers that need no random generator."""
    with torch.no_grad():
        for number, parameter in enumerate(module.parameters()):
            count = math.prod(parameter.shape)
            row = [((7 * i + 3 * number) % 11 - 5) / 10 for i in range(count)]
            made = torch.tensor(row, dtype=parameter.dtype).reshape(parameter.shape)
            parameter.copy_(made)
    return module


def namespace(torch, sentence):
    """The names that a sentence may use; its inputs are made anew."""
    read = names_in(sentence)
    found = {"torch": torch, "np": np, "math": math, "io": io, "copy": copy}
    found |= {"collections": collections, "pickle": pickle}
    for name in read & MODULES.keys():
        found[name] = importlib.import_module(f"{torch.__name__}.{MODULES[name]}")
    found["fill"] = lambda module: _fill(torch, module)
    for name in INPUTS.keys() & read:
        facts = INPUTS[name]
        dtype = getattr(torch, facts["dtype"])
        row = [float(v) if isinstance(v, str) else v for v in facts["values"]]
        made = torch.tensor(row, dtype=dtype).reshape(facts["shape"])
        found[name] = made.requires_grad_() if facts.get("requires_grad") else made
    return found


def run(torch, sentence):
    """What the sentence gives, as plain data; an error is a result, too."""
    tree = ast.parse(sentence)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr), sentence
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            names = namespace(torch, sentence)
            exec(compile(tree, "<sentence>", "exec"), names)
            expression = ast.Expression(last.value)
            return describe(
                torch, eval(compile(expression, "<sentence>", "eval"), names)
            )
        except Exception as error:  # whatever it is, it is what is recorded
            text = str(error).strip().partition("\n")[0]
            return {"error": type(error).__name__, "message": text[:MESSAGE]}
        finally:
            torch.set_grad_enabled(True)
            torch.set_default_dtype(torch.float32)


def _number(value, dtype="float64"):
    """A number as JSON has it: the shortest text that gives it again."""
    if isinstance(value, complex):
        return str(value)
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return str(value)
    return float(str(np.float32(value))) if dtype != "float64" else value


def _flat(values):
    if not isinstance(values, list):
        return [values]
    return [number for part in values for number in _flat(part)]


def _describe_tensor(torch, value):
    dtype = str(value.dtype).rpartition(".")[2]
    row = _flat(value.detach().tolist())
    facts = {
        "tensor": dtype,
        "shape": list(value.shape),
        "values": [_number(number, dtype) for number in row],
    }
    if value.requires_grad:
        facts["requires_grad"] = True
    if hasattr(torch, "nn") and isinstance(value, torch.nn.Parameter):
        facts["parameter"] = True
    return facts


def _describe_several(torch, value):
    def each(values):
        return [describe(torch, v) for v in values]

    if isinstance(value, torch.Size):
        return {"size": list(value)}
    if isinstance(value, tuple):
        # PyTorch's own named results have no _fields; both kinds have these.
        named = list(getattr(type(value), "__match_args__", ()))
        kept = {"tuple": each(value)}
        return {**kept, "fields": named} if named else kept
    if isinstance(value, list):
        return {"list": each(value)}
    if isinstance(value, dict):
        return {"dict": [[str(key), describe(torch, v)] for key, v in value.items()]}
    return None


def describe(torch, value):
    """A result as plain data: what it is, and its numbers."""
    if isinstance(value, torch.Tensor):
        return _describe_tensor(torch, value)
    several = _describe_several(torch, value)
    if several is not None:
        return several
    if isinstance(value, torch.dtype):
        return {"dtype": str(value).rpartition(".")[2]}
    if isinstance(value, torch.device):
        return {"device": str(value)}
    if isinstance(value, np.ndarray | np.generic):
        row = [_number(number) for number in _flat(value.tolist())]
        return {"array": str(value.dtype), "shape": list(value.shape), "values": row}
    if value is None or isinstance(value, bool | int | float | str):
        return {"value": _number(value)}
    return {"object": type(value).__name__}


def _close(wanted, got, tolerance):
    if isinstance(wanted, float) and isinstance(got, float):
        return math.isclose(wanted, got, rel_tol=tolerance, abs_tol=tolerance / 10)
    return type(wanted) is type(got) and bool(wanted == got)


def _difference_of_rows(wanted, got, tolerance):
    if len(wanted) != len(got):
        return f"{len(got)} numbers; need {len(wanted)}"
    for place, (right, here) in enumerate(zip(wanted, got, strict=True)):
        if not _close(right, here, tolerance):
            return f"number {place} is {here!r}; need {right!r}"
    return None


def _difference_of_parts(wanted, got):
    if len(wanted) != len(got):
        return f"{len(got)} parts; need {len(wanted)}"
    for place, (right, here) in enumerate(zip(wanted, got, strict=True)):
        if isinstance(right, list):  # an entry of a dict: key and value
            if right[0] != here[0]:
                return f"key {here[0]!r}; need {right[0]!r}"
            right, here = right[1], here[1]
        if problem := difference(right, here):
            return f"part {place}: {problem}"
    return None


def difference(wanted, got):
    """Where two described results differ, in words; None where they agree.

    Of a result of random numbers (`"random": true`) dtype and shape count, of an error
    only that there is one: its words are each library's own.
    """
    if "error" in wanted or "error" in got:
        same = ("error" in wanted) == ("error" in got)
        return None if same else f"{got}; need {wanted}"
    numbers = ("values", "tuple", "list", "dict", "random", "value")
    facts = {key: value for key, value in wanted.items() if key not in numbers}
    here = {key: value for key, value in got.items() if key not in numbers}
    if facts != here or wanted.keys() - {"values", "random"} - got.keys():
        return f"{got}; need {wanted}"
    tolerance = TOLERANCE.get(wanted.get("tensor", ""), SINGLE)
    if "value" in wanted and not _close(wanted["value"], got["value"], SINGLE):
        return f"{got['value']!r}; need {wanted['value']!r}"
    if "values" in wanted and not wanted.get("random"):
        return _difference_of_rows(wanted["values"], got["values"], tolerance)
    for kind in ("tuple", "list", "dict"):
        if kind in wanted:
            return _difference_of_parts(wanted[kind], got[kind])
    return None


def recorded(path=RECORDED):
    """The sentences with PyTorch's results, by topic."""
    return json.loads(path.read_text())["topics"]


def differing():
    """The sentences that are known to be answered otherwise, with the reasons."""
    lines = DIFFERING.read_text().splitlines()
    rows = [line for line in lines if line and not line.startswith("#")]
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return {code: reason.strip() for code, reason in pairs}


def disagreement(torch, row):
    """Where a module's answer to a recorded sentence differs, in words, or None."""
    try:
        return difference(row["gives"], run(torch, row["code"]))
    except Exception as error:  # it lacks what every sentence needs
        return f"not run: {error!r}"

"""The sweep of every public callable with arguments of every wrong kind.

Each call either works or raises an error of a kind that users expect; an AttributeError
or a ZeroDivisionError from inside shows that nobody looked at the argument.
"""

from __future__ import annotations

import inspect
import random
from typing import Any

import numpy as np
import pytest

import minitorch
from minitorch import autograd, functional, nn, optim

EXPECTED = (
    ValueError,
    TypeError,
    IndexError,
    RuntimeError,
    KeyError,
    MemoryError,
    BufferError,
    AssertionError,  # upstream's words for shapes that do not fit
)
# State of the whole process, files, and what calls the function that it is given.
LEFT_OUT = {
    "DataLoader",
    "TensorBackend",
    "backpropagate",
    "derivative_check",
    "grad_check",
    "load",
    "manual_seed",
    "max_reduce",
    "save",
    "set_default_dtype",
    "set_grad_enabled",
    "topological_sort",
}
# What every object has; and what Python alone calls, with what __reduce__ gave.
NOT_METHODS = set(dir(object)) | {"__setstate__"}


def odd_values() -> list[Any]:
    ones = minitorch.ones
    return [
        None, "a", "", 3, -5, 0, 2**70, 1.5, float("nan"), True, [], [1, 2], (0,),
        (1, -1), {}, object(), slice(None), np.ones((2, 3)), lambda *values: values,
        minitorch.tensor(2.0), minitorch.zeros(0), minitorch.zeros(0, 3), ones(2, 3),
        ones(3, 2, dtype="float32"), ones(2, 3, dtype="int64"),
        ones(2, 3, dtype="bool"), ones(2, 3, 4, 5, requires_grad=True),
        minitorch.zeros(*[1] * 32), ones(1, 3).expand(2, 3),
    ]  # fmt: skip


def public_callables() -> dict[str, Any]:
    found = {}
    for name in sorted(set(dir(minitorch.Tensor)) - NOT_METHODS):
        method = getattr(minitorch.Tensor, name)
        if callable(method) and (name.startswith("__") or not name.startswith("_")):
            found[f"Tensor.{name}"] = method
    for module in (minitorch, functional, nn, optim, autograd):
        for name in dir(module):
            value = getattr(module, name)
            public = not name.startswith("_") and name not in LEFT_OUT
            own = getattr(value, "__module__", "").startswith("minitorch")
            if public and own and callable(value) and not inspect.ismodule(value):
                found[f"{module.__name__}.{name}"] = value
    return found


CALLABLES = public_callables()


def calls(name: str) -> list[tuple[Any, ...]]:
    """Each value alone, each at a tensor, and combinations: the same each time."""
    values, draw = odd_values(), random.Random(name)
    tensors = [value for value in values if isinstance(value, minitorch.Tensor)]
    made: list[tuple[Any, ...]] = [()] + [(value,) for value in values]
    made += [(draw.choice(tensors), value) for value in values for _ in range(2)]
    for length in (2, 3, 4, 5):
        for _ in range(15):
            rest = [draw.choice(values) for _ in range(length - 1)]
            made.append((draw.choice(tensors), *rest))
            made.append((draw.choice(values), *rest))
    if not name.startswith("Tensor."):
        return made
    return [call for call in made if call and isinstance(call[0], minitorch.Tensor)]


def kind(value: Any) -> str:
    if isinstance(value, minitorch.Tensor):
        return f"tensor{value.shape}"
    return repr(value)[:40]


@pytest.mark.filterwarnings("ignore")  # of NumPy, about the odd values
@pytest.mark.parametrize("name", CALLABLES)
def test_odd_arguments_give_a_result_or_an_expected_error(name):
    wrong = []
    for call in calls(name):
        try:
            CALLABLES[name](*call)
        except EXPECTED:
            pass
        except Exception as error:
            shown = ", ".join(map(kind, call))
            wrong.append(f"({shown}): {type(error).__name__}: {error}")
    assert not wrong, "\n".join(wrong[:5])
    assert (minitorch.ones(2, 3) + 1).sum().item() == 12  # the next call works

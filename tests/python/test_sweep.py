"""The sweep of every public callable of both dialects with arguments of wrong kinds.

Each call either works or raises an error of a kind that users expect; an AttributeError
or a ZeroDivisionError from inside shows that nobody looked at the argument.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

import minitorch
import minitorch.torch as torch
from minitorch import autograd, functional, nn, optim

EXPECTED = (
    ValueError,
    TypeError,
    IndexError,
    RuntimeError,
    KeyError,
    MemoryError,
    BufferError,
    AssertionError,  # upstream's words for shapes, and PyTorch's layers and data sets
)
MODULES = {
    minitorch: (minitorch, functional, nn, optim, autograd),
    torch: (
        torch,
        torch.linalg,
        torch.nn,
        torch.nn.functional,
        torch.nn.init,
        torch.nn.utils,
        torch.optim,
        torch.optim.lr_scheduler,
        torch.utils.data,
        torch.autograd,
    ),
}
# State of the whole process, files, and what calls the function that it is given.
LEFT_OUT = {
    "gradcheck",
    "load",
    "manual_seed",
    "save",
    "set_default_device",
    "set_default_dtype",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_printoptions",
    "TensorBackend",
    "backpropagate",
    "derivative_check",
    "grad_check",
    "max_reduce",
    "topological_sort",
}
# What every object has; and what Python alone calls, with what __reduce__ gave.
NOT_METHODS = set(dir(object)) | {"__setstate__"}


def odd_values(module):
    ones, zeros = module.ones, module.zeros
    return [
        None, "a", "", 3, -5, 0, 2**70, 1.5, float("nan"), True, [], [1, 2], (0,),
        (1, -1), {}, object(), slice(None), np.ones((2, 3)), lambda *values: values,
        module.tensor(2.0), zeros(0), zeros(0, 3), ones(2, 3), module.float32,
        ones(3, 2, dtype=module.float64), ones(2, 3, dtype=module.int64),
        ones(2, 3, dtype=module.bool), ones(2, 3, 4, 5, requires_grad=True),
        zeros([1] * 8), ones(1, 3).expand(2, 3), minitorch.ones(2, 3),
    ]  # fmt: skip


def public_callables():
    """The callables by name, each with its dialect's module."""
    found = {}
    for dialect, modules in MODULES.items():
        for name in sorted(set(dir(dialect.Tensor)) - NOT_METHODS - LEFT_OUT):
            method = getattr(dialect.Tensor, name)
            special = name.startswith("__") and dialect is minitorch
            if callable(method) and (special or not name.startswith("_")):
                found[f"{dialect.__name__}.Tensor.{name}"] = dialect, method
        for module in modules:
            names = dir(module) if dialect is minitorch else module.__all__
            for name in sorted(set(names) - LEFT_OUT):
                value = getattr(module, name)
                own = getattr(value, "__module__", "").startswith("minitorch")
                if name[0] != "_" and own and callable(value):
                    found[f"{module.__name__}.{name}"] = dialect, value
    return found


CALLABLES = public_callables()


def calls(dialect, name):
    """Each value alone, each behind a tensor, and combinations: the same each time."""
    values, draw = odd_values(dialect), random.Random(name)
    tensors = [value for value in values if isinstance(value, dialect.Tensor)]
    made = [()] + [(value,) for value in values]
    made += [(draw.choice(tensors), value) for value in values]
    for length in (2, 3, 4, 5):
        for _ in range(5):
            rest = [draw.choice(values) for _ in range(length - 1)]
            made.append((draw.choice(tensors), *rest))
            made.append((draw.choice(values), *rest))
    if ".Tensor." not in name:
        return made
    return [call for call in made if call and isinstance(call[0], dialect.Tensor)]


def kind(value):
    is_tensor = isinstance(value, minitorch.Tensor | torch.Tensor)
    return f"{value.dtype}{tuple(value.shape)}" if is_tensor else repr(value)[:40]


@pytest.mark.filterwarnings("ignore")  # of NumPy, about the odd values
@pytest.mark.parametrize("name", CALLABLES)
def test_odd_arguments_give_a_result_or_an_expected_error(name):
    dialect, function = CALLABLES[name]
    wrong = []
    for call in calls(dialect, name):
        try:
            function(*call)
        except EXPECTED as error:
            if "SystemError" in str(error) or not str(error):
                wrong.append(f"({', '.join(map(kind, call))}): no words")
        except Exception as error:
            shown = ", ".join(map(kind, call))
            wrong.append(f"({shown}): {type(error).__name__}: {error}")
    assert not wrong, "\n".join(wrong[:5])
    assert (dialect.ones(2, 3) + 1).sum().item() == 12  # the next call works

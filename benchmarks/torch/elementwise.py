"""The cases of elementwise functions, their gradients and 16-bit dtypes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import torch

import minitorch
from minitorch import functional as F
from minitorch.autograd import grad

from .case import Case

_COUNT = 1_000_000
_Fn = Callable[..., Any]


def _numbers(positive: bool = False) -> np.ndarray:
    drawn = np.random.default_rng(0).standard_normal(_COUNT).astype(np.float32)
    return np.abs(drawn) + np.float32(1e-3) if positive else drawn


def _both(numbers: np.ndarray, dtype: str) -> tuple[Any, Any]:
    """The numbers as a tensor of each library."""
    ours = minitorch.tensor(numbers).to(dtype)
    return ours, torch.tensor(numbers).to(getattr(torch, dtype))


def _call(function: _Fn, *inputs: Any) -> Callable[[], object]:
    return lambda: function(*inputs)


# name: (ours, PyTorch's, of positive numbers, bar)
_FUNCTIONS: dict[str, tuple[_Fn, _Fn, bool, float]] = {
    "gelu": (F.gelu, torch.nn.functional.gelu, False, 1.5),
    "gelu, tanh": (
        lambda x: F.gelu(x, "tanh"),
        lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
        False,
        1.5,
    ),
    "erf": (F.erf, torch.erf, False, 1.5),
    "sin": (F.sin, torch.sin, False, 1.5),
    "cos": (F.cos, torch.cos, False, 1.5),
    "silu": (F.silu, torch.nn.functional.silu, False, 1.5),
    "tanh": (F.tanh, torch.tanh, False, 1.5),
    "exp": (F.exp, torch.exp, False, 1.5),
    "log": (F.log, torch.log, True, 1.5),
    "sigmoid": (F.sigmoid, torch.sigmoid, False, 1.5),
    "sqrt": (F.sqrt, torch.sqrt, True, 1.5),
    "rsqrt": (F.rsqrt, torch.rsqrt, True, 1.5),
    "x ** 3": (lambda x: x**3, lambda x: x**3, False, 1.5),
    "x ** 0.5": (lambda x: x**0.5, lambda x: x**0.5, True, 1.5),
    "x ** 1.7": (lambda x: x**1.7, lambda x: x**1.7, True, 1.5),
    "x ** y": (operator.pow, operator.pow, True, 1.5),
}


def _forward() -> Iterator[Case]:
    for name, (ours, theirs, positive, bar) in _FUNCTIONS.items():
        x, y = _both(_numbers(positive), "float32")
        inputs = 2 if name == "x ** y" else 1
        yield Case(
            f"{name} of 1e6 float32",
            _call(ours, *(x,) * inputs),
            _call(theirs, *(y,) * inputs),
            bar,
        )


def _backward() -> Iterator[Case]:
    """The way back alone, through a graph that is kept."""
    for name, (ours, theirs, positive, bar) in _FUNCTIONS.items():
        if name == "x ** y":
            continue
        x, y = _both(_numbers(positive), "float32")
        g, h = _both(_numbers(), "float32")
        x.requires_grad_(True)
        y.requires_grad_(True)
        yield Case(
            f"gradient of {name}, 1e6 float32",
            _call(partial(grad, retain_graph=True), ours(x), x, g),
            _call(partial(torch.autograd.grad, retain_graph=True), theirs(y), y, h),
            bar,
        )


def _sixteen_bits() -> Iterator[Case]:
    for dtype in ("float16", "bfloat16"):
        x, y = _both(_numbers(), dtype)
        for name in ("add", "mul", "truediv", "neg"):
            function = getattr(operator, name)
            inputs = 1 if name == "neg" else 2
            yield Case(
                f"{name} of 1e6 {dtype}",
                _call(function, *(x,) * inputs),
                _call(function, *(y,) * inputs),
                2.0,
            )
        for name, ours, theirs in (
            ("relu", F.relu, torch.relu),
            ("gelu", F.gelu, torch.nn.functional.gelu),
            ("tanh", F.tanh, torch.tanh),
        ):
            yield Case(f"{name} of 1e6 {dtype}", _call(ours, x), _call(theirs, y), 2.0)
        yield Case(f"{dtype} to float32, 1e6", _to(x, "float32"), y.float, 2.0)
        wide, other = _both(_numbers(), "float32")
        narrow = getattr(torch, dtype)
        yield Case(
            f"float32 to {dtype}, 1e6", _to(wide, dtype), _to(other, narrow), 2.0
        )


def _to(x: Any, dtype: Any) -> Callable[[], object]:
    return lambda: x.to(dtype)


def cases() -> Iterator[Case]:
    """Functions, functions with their gradients, and what 16-bit dtypes cost."""
    yield from _forward()
    yield from _backward()
    yield from _sixteen_bits()

"""The elementwise functions of one tensor that are tested, a row each."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import minitorch.functional as F

Fn = Callable[..., Any]


def each(fn):
    return lambda x: np.vectorize(fn, otypes=[np.float64])(x).astype(x.dtype)


def normal_below(x):
    return 0.5 * math.erfc(-x / math.sqrt(2))


def digamma(x):
    """By its own sum, Σ 1/k - 1/(k + x - 1), and what the rest of it tends to."""
    count = 100_000
    k = np.arange(1, count)
    rest = math.log((count + x - 1.5) / (count - 0.5))
    return float(-np.euler_gamma + (1 / k - 1 / (k + x - 1)).sum() + rest)


def tanh_gelu(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


# name: (function, NumPy's, smallest value, smallest value where the slope is compared
# with central differences: None where gradient_cases.py has a case of its own)
UNARY = {
    "abs": (F.abs, np.abs, -4, -4),
    "ceil": (F.ceil, np.ceil, -4, None),
    "cos": (F.cos, np.cos, -4, -4),
    "erf": (F.erf, each(math.erf), -4, -4),
    "exp": (F.exp, np.exp, -4, -4),
    "floor": (F.floor, np.floor, -4, None),
    "gelu": (F.gelu, each(lambda x: x * normal_below(x)), -4, -4),
    "gelu_tanh": (lambda t: F.gelu(t, "tanh"), each(tanh_gelu), -4, -4),
    "log": (F.log, np.log, 0.05, 0.3),
    "log1p": (F.log1p, np.log1p, -0.9, -0.7),
    "neg": (F.neg, np.negative, -4, -4),
    "reciprocal": (F.reciprocal, np.reciprocal, -4, 0.3),
    "relu": (F.relu, lambda x: np.maximum(x, 0), -4, -4),
    "round": (F.round, np.round, -4, None),
    "rsqrt": (F.rsqrt, lambda x: 1 / np.sqrt(x), 0.05, 0.3),
    "sigmoid": (F.sigmoid, lambda x: 1 / (1 + np.exp(-x)), -4, -4),
    "sign": (F.sign, np.sign, -4, None),
    "silu": (F.silu, lambda x: x / (1 + np.exp(-x)), -4, -4),
    "sin": (F.sin, np.sin, -4, -4),
    "sqrt": (F.sqrt, np.sqrt, 0.05, 0.3),
    "tanh": (F.tanh, np.tanh, -4, -4),
    "acos": (lambda t: F.acos(t / 5), lambda x: np.arccos(x / 5), -4, -4),
    "acosh": (lambda t: F.acosh(t + 6), lambda x: np.arccosh(x + 6), -4, -4),
    "asin": (lambda t: F.asin(t / 5), lambda x: np.arcsin(x / 5), -4, -4),
    "asinh": (F.asinh, np.arcsinh, -4, -4),
    "atan": (F.atan, np.arctan, -4, -4),
    "atanh": (lambda t: F.atanh(t / 5), lambda x: np.arctanh(x / 5), -4, -4),
    "cosh": (F.cosh, np.cosh, -4, -4),
    "digamma": (F.digamma, each(digamma), 0.2, 0.3),
    "erfc": (F.erfc, each(math.erfc), -4, -4),
    "exp2": (F.exp2, np.exp2, -4, -4),
    "expm1": (F.expm1, np.expm1, -4, -4),
    "lgamma": (F.lgamma, each(math.lgamma), 0.2, 0.3),
    "log10": (F.log10, np.log10, 0.05, 0.3),
    "log2": (F.log2, np.log2, 0.05, 0.3),
    "sinh": (F.sinh, np.sinh, -4, -4),
    "tan": (lambda t: F.tan(t / 5), lambda x: np.tan(x / 5), -4, -4),
    "trunc": (F.trunc, np.trunc, -4, None),
}

"""Owns the methods that Tensor takes from the functions of `minitorch.functional`.

Torch's names with torch's meaning, only where upstream MiniTorch has no such method.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from . import _core
from .functional import indexing, losses, math, reduce

Tensor = _core.Tensor


def _conversion(name: str) -> Callable[[Tensor], Tensor]:
    dtype = _core.as_dtype(name)

    def convert(self: Tensor) -> Tensor:
        return self._cast(dtype)

    convert.__doc__ = f"The tensor as {name}; itself if it has this dtype."
    return convert


def _as_method(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with its first parameter called self, as tools expect of methods."""

    @functools.wraps(function)
    def method(self: Tensor, *args: Any, **options: Any) -> Any:
        return function(self, *args, **options)

    signature = inspect.signature(function)
    first, *rest = signature.parameters.values()
    parameters = [first.replace(name="self"), *rest]
    method.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=parameters
    )
    return method


_METHODS: dict[str, Callable[..., Any]] = {
    "bfloat16": _conversion("bfloat16"),
    "chunk": indexing.chunk,
    "double": _conversion("float64"),
    "flatten": indexing.flatten,
    "flip": indexing.flip,
    "gelu": math.gelu,
    "half": _conversion("float16"),
    "isfinite": math.isfinite,
    "isinf": math.isinf,
    "isnan": math.isnan,
    "logical_and": math.logical_and,
    "logical_not": math.logical_not,
    "logical_or": math.logical_or,
    "logical_xor": math.logical_xor,
    "long": _conversion("int64"),
    "masked_fill": indexing.masked_fill,
    "repeat": indexing.repeat,
    "softmax": losses.softmax,
    "split": indexing.split,
    "std": reduce.std,
    "tril": indexing.tril,
    "triu": indexing.triu,
    "var": reduce.var,
}

for _name, _method in _METHODS.items():
    setattr(Tensor, _name, _as_method(_method))

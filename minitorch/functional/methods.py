"""Functions that are also methods of tensors."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from .._core import Tensor
from ..tensors.op_calls import overridable
from . import indexing, losses, math, reduce


def as_method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function as a method, with its first parameter called self."""
    function = overridable(function)

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


METHODS: dict[str, Any] = {
    "amax": as_method(reduce.amax),
    "amin": as_method(reduce.amin),
    "chunk": as_method(indexing.chunk),
    "flatten": as_method(indexing.flatten),
    "flip": as_method(indexing.flip),
    "gelu": as_method(math.gelu),
    "isfinite": as_method(math.isfinite),
    "isinf": as_method(math.isinf),
    "isnan": as_method(math.isnan),
    "logical_and": as_method(math.logical_and),
    "logical_not": as_method(math.logical_not),
    "logical_or": as_method(math.logical_or),
    "logical_xor": as_method(math.logical_xor),
    "masked_fill": as_method(indexing.masked_fill),
    "repeat": as_method(indexing.repeat),
    "softmax": as_method(losses.softmax),
    "split": as_method(indexing.split),
    "std": as_method(reduce.std),
    "tril": as_method(indexing.tril),
    "triu": as_method(indexing.triu),
    "var": as_method(reduce.var),
}

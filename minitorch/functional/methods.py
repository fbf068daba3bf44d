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
    function.__name__: as_method(function)
    for function in (
        indexing.chunk,
        indexing.flatten,
        indexing.flip,
        indexing.masked_fill,
        indexing.repeat,
        indexing.split,
        indexing.tril,
        indexing.triu,
        losses.softmax,
        math.gelu,
        math.isfinite,
        math.isinf,
        math.isnan,
        math.logical_and,
        math.logical_not,
        math.logical_or,
        math.logical_xor,
        reduce.amax,
        reduce.amin,
        reduce.std,
        reduce.var,
    )
}

"""The library's functions for tensors of PyTorch's dialect."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

from ... import _core
from ..reduce import called
from .arguments import computed, require_torch

# The losses whose step in a graph has a name of its own in PyTorch.
_STEPS = {
    "binary_cross_entropy": "BinaryCrossEntropyBackward0",
    "binary_cross_entropy_with_logits": "BinaryCrossEntropyWithLogitsBackward0",
    "mse_loss": "MseLossBackward0",
    "nll_loss": "NllLossBackward0",
}
# The losses whose input and target PyTorch broadcasts.
_BROADCAST = ("l1_loss", "mse_loss")


def tensors_in(values: Any) -> list[Any]:
    """Return the tensors among arguments, those in tuples and lists as well."""
    found: list[Any] = []
    for value in values:
        if isinstance(value, tuple | list):
            found += tensors_in(value)
        elif isinstance(value, _core.Tensor):
            found.append(value)
    return found


def with_switches(signature: inspect.Signature) -> inspect.Signature:
    """Add the two old switches that PyTorch's losses have beside `reduction`."""
    rows = list(signature.parameters.values())
    names = list(signature.parameters)
    if "reduction" not in names or "delta" in names:  # huber_loss never had them
        return signature
    before = names.index("reduction")
    first = names.index("ignore_index") if "ignore_index" in names else before
    old = rows[before].replace(name="reduce", default=None)
    rows.insert(before, old)
    rows.insert(first, old.replace(name="size_average"))
    return signature.replace(parameters=rows)


def bound(where: str, signature: Any, args: Any, options: Any) -> dict[str, Any]:
    """Return arguments by name, the old switches as the word that they stand for."""
    try:
        given = signature.bind(*args, **options).arguments
    except TypeError as error:
        raise TypeError(f"[{where}] {error}; need {signature}.") from None
    average, reduce = given.pop("size_average", None), given.pop("reduce", None)
    if average is None and reduce is None:
        return dict(given)
    warnings.warn(
        f"[{where}] got size_average or reduce, which are old; need reduction=.",
        stacklevel=4,
    )
    word = "none" if reduce is False else "sum" if average is False else "mean"
    return {**given, "reduction": word}


def _broadcast(where: str, given: dict[str, Any]) -> None:
    """Bring input and target to one shape; a warning, as that is seldom meant."""
    input, target = given["input"], given["target"]
    if input.shape == target.shape:
        return
    warnings.warn(
        f"[{where}] got input {tuple(input.shape)} and target {tuple(target.shape)}, "
        "which are broadcast; need one shape if that is not meant.",
        stacklevel=4,
    )
    shape = _core.Tensor.eq(input.detach(), target.detach()).shape
    given["input"], given["target"] = input._expand(shape), target._expand(shape)


def function_of(function: Callable[..., Any]) -> Any:
    """Return the function, for tensors of PyTorch's dialect alone."""
    name = function.__name__
    plain = inspect.signature(function)
    signature = with_switches(plain)

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        require_torch(name, *args[:1])
        require_torch(name, *tensors_in((*args[1:], *options.values())))
        if signature is plain:
            return computed(function, *args, **options)
        given = bound(name, signature, args, options)
        if name in _BROADCAST:
            _broadcast(name, given)
        made = computed(function, **given)
        return called(made, _STEPS[name]) if name in _STEPS else made

    call.__signature__ = signature  # type: ignore[attr-defined]  # for help()
    return call

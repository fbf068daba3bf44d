"""What of a module is kept: its parameters and buffers as a flat dictionary.

`minitorch.module.Module` has these functions as methods.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .._core import Tensor
from ..gradients.function import no_grad
from ..tensors.create import tensor
from ..upstream.tensor_backend import plain


def entries(module: Any, prefix: str = "") -> Iterator[tuple[str, Tensor]]:
    """Every kept tensor with its dotted name: own parameters, own buffers, the rest."""
    for name, parameter in module._parameters.items():
        if parameter is not None and isinstance(parameter.value, Tensor):
            yield prefix + name, parameter.value
    for name, buffer in module._buffers.items():
        if buffer is not None and name not in module._passing:
            yield prefix + name, buffer
    for name, inner in module._modules.items():
        if inner is not None:
            yield from entries(inner, f"{prefix}{name}.")


def state_dict(module: Any) -> dict[str, Tensor]:
    """The kept tensors by name, as copies without history."""
    return {name: plain(t).clone() for name, t in entries(module)}


def load_state_dict(module: Any, state: Mapping[str, Any], strict: bool) -> None:
    """Gives the kept tensors the numbers of `state`; all of them or, on an error, none.

    Raises:
        KeyError: `strict`, and names are missing or unexpected.
        ValueError: A shape differs.
        TypeError: No mapping, or an entry that is neither a tensor nor an array.
    """
    if not isinstance(state, Mapping):
        raise TypeError(
            f"[load_state_dict] got {type(state).__name__}; need a state dict: tensors "
            "or arrays by name."
        )
    own = dict(entries(module))
    missing = [name for name in own if name not in state]
    unexpected = [name for name in state if name not in own]
    if strict and (missing or unexpected):
        raise KeyError(
            f"[load_state_dict] got a state of which {missing} are missing and "
            f"{unexpected} are unexpected; need the names of this module. "
            "strict=False loads what fits."
        )
    new = {
        name: _fitting(name, state[name], t) for name, t in own.items() if name in state
    }
    with no_grad():  # in place: what a captured graph reads stays where it is
        for name, value in new.items():
            own[name].copy_(value)


def _fitting(name: str, value: Any, target: Tensor) -> Tensor:
    """`value` as a tensor of its own of target's dtype and device."""
    value = getattr(value, "__minitorch_value__", value)  # a Parameter's
    if not isinstance(value, Tensor) and hasattr(value, "__array__"):
        value = np.asarray(value)  # an array, or another library's tensor
    if not isinstance(value, Tensor | np.ndarray | np.generic):
        raise TypeError(
            f"[load_state_dict] got {type(value).__name__} for '{name}'; need a tensor "
            "or a NumPy array. Try .numpy() of another library's tensor."
        )
    made = tensor(value, dtype=target.dtype, device=target.device)
    if made.shape != target.shape:
        raise ValueError(
            f"[load_state_dict] got shape {made.shape} for '{name}'; need "
            f"{target.shape}."
        )
    return made


def move(module: Any, target: Any) -> None:
    """Moves parameters and buffers to a device, or floating ones to a dtype."""
    for parameter in module._parameters.values():
        if parameter is not None and isinstance(parameter.value, Tensor):
            parameter.update(_moved(parameter.value, target))
    for name, buffer in module._buffers.items():
        if buffer is not None:
            module._buffers[name] = _moved(buffer, target)
    for inner in module.children():
        move(inner, target)


def _moved(value: Tensor, target: Any) -> Tensor:
    device = isinstance(target, str) and target.partition(":")[0] in ("cpu", "cuda")
    if device or value.dtype.is_floating_point:
        return value.detach().to(target)
    return value

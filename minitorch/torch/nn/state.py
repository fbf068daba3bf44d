"""Save and load state dicts, module by module."""

from __future__ import annotations

import collections
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ... import _core
from ...autograd.function import no_grad
from .hooks import _Rows
from .parameter import Parameter

_EXTRA = "_extra_state"


@dataclass
class Hooks:
    """A module's hooks around saving and loading a state dict."""

    before: _Rows = field(default_factory=_Rows)
    after: _Rows = field(default_factory=_Rows)
    load: _Rows = field(default_factory=_Rows)
    loaded: _Rows = field(default_factory=_Rows)


class _Keys(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]


class _IncompatibleKeys(_Keys):
    """Result of load_state_dict: missing names, and unexpected names."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return (
            f"_IncompatibleKeys(missing_keys={self.missing_keys}, "
            f"unexpected_keys={self.unexpected_keys})"
        )

    __str__ = __repr__


def collect(
    module: Any, destination: Any, prefix: str, keep_vars: bool
) -> collections.OrderedDict[str, Any]:
    """Return the state dict of a module and its submodules."""
    if destination is None:
        destination = collections.OrderedDict()
    hooks = module._state_hooks or Hooks()
    for entry in hooks.before.values():
        entry.hook(module, prefix, keep_vars)
    module._save_to_state_dict(destination, prefix, keep_vars)
    for name, inner in module._modules.items():
        if inner is not None:
            inner.state_dict(
                destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars
            )
    for entry in hooks.after.values():
        new = entry.hook(module, destination, prefix, {})
        destination = destination if new is None else new
    return destination  # type: ignore[no-any-return]


def _has_extra(module: Any) -> bool:
    name = "get_extra_state"
    origin: str = getattr(type(module), name).__module__
    return origin != "minitorch.torch.nn.module"


def save_own(
    module: Any, destination: dict[str, Any], prefix: str, keep_vars: bool
) -> None:
    """Add a module's own parameters and persistent buffers to a state dict."""
    kept = {
        **module._parameters,
        **{k: v for k, v in module._buffers.items() if k not in module._passing},
    }
    for name, value in kept.items():
        if value is not None:
            destination[prefix + name] = value if keep_vars else value.detach()
    if _has_extra(module):
        destination[prefix + _EXTRA] = module.get_extra_state()


def load(module: Any, state_dict: Any, strict: bool, assign: bool) -> Any:
    """Load a state dict into a module and its submodules."""
    if not isinstance(state_dict, Mapping):
        raise TypeError(
            f"[load_state_dict] got {type(state_dict).__name__}; need a state dict: "
            "tensors by name."
        )
    missing: list[str] = []
    unexpected: list[str] = []
    errors: list[str] = []
    rest = collections.OrderedDict(state_dict)
    _load_tree(module, rest, "", strict, assign, (missing, unexpected, errors))
    incompatible = _IncompatibleKeys(missing, unexpected)
    _post_hooks(module, incompatible)
    if strict and incompatible.unexpected_keys:
        errors.insert(0, f"unexpected: {', '.join(incompatible.unexpected_keys)}")
    if strict and incompatible.missing_keys:
        errors.insert(0, f"missing: {', '.join(incompatible.missing_keys)}")
    if errors:
        raise RuntimeError(
            f"[load_state_dict] got a state dict that does not fit "
            f"{type(module).__name__}; need its names and sizes.\n\t"
            + "\n\t".join(errors)
        )
    return incompatible


def _load_tree(
    module: Any,
    state_dict: Any,
    prefix: str,
    strict: bool,
    assign: bool,
    lists: tuple[list[str], list[str], list[str]],
) -> None:
    hooks = module._state_hooks or Hooks()
    metadata = {"assign_to_params_buffers": True} if assign else {}
    for entry in hooks.load.values():
        entry.hook(module, state_dict, prefix, metadata, strict, *lists)
    module._load_from_state_dict(state_dict, prefix, metadata, strict, *lists)
    for name, inner in module._modules.items():
        if inner is not None:
            path = f"{prefix}{name}."
            # As PyTorch: a module sees what is below its own name alone.
            below = {k: v for k, v in state_dict.items() if k.startswith(path)}
            below = collections.OrderedDict(below)
            _load_tree(inner, below, path, strict, assign, lists)


def _post_hooks(module: Any, incompatible: Any) -> None:
    for inner in module._modules.values():
        if inner is not None:
            _post_hooks(inner, incompatible)
    for entry in (module._state_hooks or Hooks()).loaded.values():
        entry.hook(module, incompatible)


def load_own(
    module: Any,
    state_dict: Mapping[str, Any],
    prefix: str,
    metadata: Any,
    strict: bool,
    missing: list[str],
    unexpected: list[str],
    errors: list[str],
) -> None:
    """Load a module's own parameters and buffers from a state dict."""
    assign = bool(metadata) and metadata.get("assign_to_params_buffers", False)
    buffers = {k: v for k, v in module._buffers.items() if k not in module._passing}
    for name, target in {**module._parameters, **buffers}.items():
        if target is None:
            continue
        key = prefix + name
        if key not in state_dict:
            missing.append(key)
            continue
        problem = _assign(module, name, target, state_dict[key], assign)
        if problem:
            errors.append(f"'{key}': {problem}")
    if _has_extra(module):
        if prefix + _EXTRA in state_dict:
            module.set_extra_state(state_dict[prefix + _EXTRA])
        else:
            missing.append(prefix + _EXTRA)
    unexpected += _unexpected(module, state_dict, prefix)


def _unexpected(module: Any, state_dict: Mapping[str, Any], prefix: str) -> list[str]:
    """Return names below `prefix` that neither the module nor a submodule has."""
    kept = {k for k in module._buffers if k not in module._passing}
    expected = {k for k, v in module._parameters.items() if v is not None}
    expected |= {k for k in kept if module._buffers[k] is not None} | {*module._modules}
    expected |= {_EXTRA} if _has_extra(module) else set()
    return [
        key
        for key in state_dict
        if key.startswith(prefix) and _first(module, key[len(prefix) :]) not in expected
    ]


def _first(module: Any, rest: str) -> str:
    first, dot, _ = rest.partition(".")
    # A dot after a name that is no module's makes another name of it.
    return first if not dot or first in module._modules else rest


def _assign(module: Any, name: str, target: Any, value: Any, assign: bool) -> str:
    """Assign new values to a tensor; return an error text, "" if they fit."""
    if not isinstance(value, _core.Tensor):
        if not isinstance(value, np.ndarray | np.generic):
            return f"got {type(value).__name__}; need a tensor."
        value = _core.from_numpy(np.asarray(value))
    if tuple(value.shape) != tuple(target.shape):
        return f"got shape {tuple(value.shape)}; need {tuple(target.shape)}."
    if value._dialect != "torch":
        value = value.detach().as_torch()
    with no_grad():
        if not assign:
            there = value._to_device(target.device)
            target.copy_(there._cast(target.dtype))
        elif name in module._parameters:
            learns = target.requires_grad and value.dtype.is_floating_point
            kept = value if isinstance(value, Parameter) else Parameter(value, learns)
            module._parameters[name] = kept
        else:
            module._buffers[name] = value
    return ""

"""`torch.nn.Module`: parameters, buffers and submodules by name.

A subclass of minitorch.Module, so that every tool of this library takes it.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, NoReturn, Self, cast

import numpy as np

from ... import _core, module
from ...autograd.function import no_grad
from ...autograd.module_scope import ModuleScope
from ...tensors.op_calls import open_overrides
from ..arguments import require_torch
from ..conversions import target_of
from ..dtypes import as_dtype
from ..modes import compile
from ..tensor import Tensor
from .hooks import RemovableHandle, call_with_hooks
from .parameter import Buffer, Parameter

__all__ = ["Module"]

# What PyTorch's modules can and these cannot, and what to do instead.
_ABSENT = {
    "get_buffer": "read the attribute",
    "get_extra_state": "keep it in a buffer",
    "jit": "there is no scripting; call the module itself",
    "register_full_backward_hook": "use register_hook on an input or the result",
    "register_full_backward_pre_hook": "use register_hook on the result",
    "set_extra_state": "keep it in a buffer",
    "set_submodule": "assign to the attribute of the parent module",
    "share_memory": "there is one process; threads share tensors anyway",
    "to_empty": "use .to(device)",
} | dict.fromkeys(
    (
        "register_load_state_dict_post_hook",
        "register_load_state_dict_pre_hook",
        "register_state_dict_post_hook",
        "register_state_dict_pre_hook",
    ),
    "change the dictionary that state_dict returns and load_state_dict takes",
)


class Module(module.Module):
    """Part of a network: parameters, buffers, submodules, and a `forward` method.

    Assigning a Parameter, a Buffer or a Module to an attribute registers it under that
    name. `training` says whether it is being trained.

    Example:
        >>> import minitorch
        >>> class Scale(Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.factor = Parameter(minitorch.ones(1).as_torch() * 2)
        ...     def forward(self, x):
        ...         return x * self.factor
        >>> Scale()(minitorch.tensor([3.0]).as_torch()).item()
        6.0
        >>> [name for name, _ in Scale().named_parameters()]
        ['factor']
    """

    _new_numbers = " For new values, use .copy_(value) under torch.no_grad()."
    # Do neutral layers that it makes become those of this dialect?
    adopts_layers = False
    _absent = _ABSENT
    _own_hooks: tuple[dict[int, Any], dict[int, Any]] | None = None  # before, after

    def __init__(self) -> None:
        # By name: a layer of this dialect has the neutral one in between.
        module.Module.__init__(self)

    # Calls

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call `forward`, between the hooks if there are any."""
        if self._own_hooks is None:
            if not (open_overrides or _core.recording()):
                return self.forward(*args, **kwargs)
            with ModuleScope(self):
                return self.forward(*args, **kwargs)
        with ModuleScope(self):
            return call_with_hooks(self, *self._own_hooks, args, kwargs)

    __call__.calls_forward = True  # type: ignore[attr-defined]

    def _hooks(self) -> Any:
        if self._own_hooks is None:
            self.__dict__["_own_hooks"] = ({}, {})
        return self._own_hooks

    def register_forward_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call hook(module, args) before `forward`; it may return new arguments.

        Example:
            >>> from minitorch.torch import nn
            >>> import minitorch
            >>> layer = nn.Identity()
            >>> with layer.register_forward_pre_hook(lambda layer, args: args[0] * 2):
            ...     layer(minitorch.ones(1).as_torch()).item()
            2.0
        """
        return RemovableHandle(self._hooks()[0], "register_forward_pre_hook", hook)

    def register_forward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call hook(module, args, result) after `forward`; it may return another."""
        return RemovableHandle(self._hooks()[1], "register_forward_hook", hook)

    # What it keeps

    def _kind_of(self, value: Any) -> str:
        if isinstance(value, Parameter):
            return "_parameters"
        return "_buffers" if isinstance(value, Buffer) else super()._kind_of(value)

    def _owned(self, kind: str, where: str, name: str, value: Any) -> Any:
        """Return the value to register; neutral parameters change dialect."""
        value = super()._owned(kind, where, name, value)
        if kind == "_modules":
            if not (self.adopts_layers or isinstance(value, Module)):
                _refuse_other(where, name, value)
            return _adopted(value)
        if kind == "_parameters":
            if isinstance(value, Parameter):
                return value
            return Parameter(value, value.requires_grad)
        if not isinstance(value, _core.Tensor):
            raise TypeError(
                f"[{where}] got {type(value).__name__} for '{name}'; need a tensor or "
                "None."
            )
        if isinstance(value, Buffer):
            (self._passing.discard if value.persistent else self._passing.add)(name)
        require_torch(where, value)
        return value.as_torch() if value._dialect == "" else value

    # Who is inside

    def modules(  # type: ignore[override]
        self, remove_duplicate: bool = True
    ) -> Iterator[Any]:
        """Iterate over this module and all submodules, outer ones first.

        Example:
            >>> from minitorch.torch import nn
            >>> net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
            >>> [type(each).__name__ for each in net.modules()]
            ['Sequential', 'Linear', 'ReLU']
        """
        for _, inner in self.named_modules(remove_duplicate=remove_duplicate):
            yield inner

    def parameters(  # type: ignore[override]
        self, recurse: bool = True
    ) -> Iterator[Any]:
        """Iterate over parameters, with `recurse` of all submodules too."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_parameters(  # type: ignore[override]
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """Iterate over parameters with their dotted names, own ones first.

        Example:
            >>> from minitorch.torch import nn
            >>> [name for name, _ in nn.Linear(2, 1).named_parameters("first")]
            ['first.weight', 'first.bias']
        """
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Any]:  # type: ignore[override]
        """Iterate over buffers, with `recurse` of all submodules too."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(  # type: ignore[override]
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """Iterate over buffers with their dotted names, own ones first."""
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def get_parameter(self, target: str) -> Any:
        """Return the parameter with a dotted name; AttributeError if there is none."""
        around, _, name = target.rpartition(".")
        kept = self.get_submodule(around)._parameters
        if kept.get(name) is None:
            raise AttributeError(
                f"[get_parameter] the module has no parameter '{target}'; need one of "
                f"{list(kept)}."
            )
        return kept[name]

    # Changing all of it

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Self:
        """Apply `fn` to every parameter, gradient and buffer; return the module."""
        if recurse:
            for child in self.children():
                child._apply(fn)
        with no_grad():
            for parameter in self._parameters.values():
                kept = cast("Tensor | None", parameter)
                if kept is None:
                    continue
                gradient = kept.grad
                kept._set_data(fn(kept.detach()))
                if gradient is not None:
                    kept.grad = fn(gradient)
            for name, buffer in self._buffers.items():
                if buffer is not None:
                    self._buffers[name] = fn(buffer)
        return self

    def to(
        self,
        *targets: Any,
        device: Any = None,
        dtype: Any = None,
        tensor: Any = None,
        non_blocking: bool = False,
        memory_format: Any = None,
    ) -> Self:
        """Move parameters and buffers to a device, a floating dtype, or both.

        `to(device)`, `to(dtype)`, `to(device, dtype)`, `to(tensor)`; parameters stay
        the objects that they are, so that optimizers know them. What is not floating
        keeps its dtype.

        Raises:
            TypeError: Another dtype, or neither a device nor a dtype.

        Example:
            >>> import minitorch.torch as torch
            >>> torch.nn.Linear(2, 1).to("cpu", torch.float64).weight.dtype
            torch.float64
        """
        place, kind = target_of((*targets, tensor), device, dtype)
        if place is None and kind is None and memory_format is None:
            raise TypeError("[to] got no arguments; need a device or a dtype.")
        if kind is not None and not kind.is_floating_point:
            raise TypeError(f"[to] got {kind}; need a floating-point dtype.")

        def moved(x: Tensor) -> Tensor:
            if kind is not None and x.dtype.is_floating_point:
                x = cast(Tensor, x._cast(kind))
            return x if place is None else cast(Tensor, x._to_device(place))

        return self._apply(moved)

    def type(self, dst_type: Any) -> Self:
        """Cast all parameters and buffers to a dtype; return the module."""
        dtype = as_dtype("type", dst_type)
        return self._apply(lambda x: cast(Tensor, x._cast(dtype)))

    def float(self) -> Self:
        """Cast floating parameters and buffers to float32; return the module."""
        return self.to(_core.float32)

    def double(self) -> Self:
        """Cast floating parameters and buffers to float64; return the module."""
        return self.to(_core.float64)

    def half(self) -> Self:
        """Cast floating parameters and buffers to float16; return the module."""
        return self.to(_core.float16)

    def bfloat16(self) -> Self:
        """Cast floating parameters and buffers to bfloat16; return the module."""
        return self.to(_core.bfloat16)

    def compile(self, *args: Any, **options: Any) -> None:
        """Warn, for compatibility with PyTorch; the module runs unchanged."""
        compile(self, *args, **options)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Reset the gradients of all parameters to None, or to 0."""
        for parameter in self.parameters():
            if parameter.grad is None:
                continue
            if set_to_none:
                parameter.grad = None
            else:
                parameter.grad = parameter.grad.detach()
                parameter.grad.zero_()

    # State dicts

    def state_dict(
        self,
        destination: Any = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> OrderedDict[str, Any]:
        """Return parameters and persistent buffers by dotted name, sharing memory.

        Args:
            destination: A dictionary that they are put into.
            prefix: Before every name.
            keep_vars: The parameters themselves, not detached tensors.

        Example:
            >>> from minitorch.torch import nn
            >>> list(nn.Linear(2, 3).state_dict())
            ['weight', 'bias']
        """
        destination = OrderedDict() if destination is None else destination
        for name, value in module.saved_tensors(self, prefix):
            destination[name] = value if keep_vars else value.detach()
        return cast("OrderedDict[str, Any]", destination)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> Any:
        """Load the values of a state dict into the existing parameters.

        Args:
            state_dict: Tensors by dotted name.
            strict: All names must be there, and no others.
            assign: Take the tensors themselves, with their dtype and device.

        Returns:
            The missing and the unexpected names (missing_keys, unexpected_keys).

        Raises:
            RuntimeError: A shape differs, or, with `strict`, names do.
            TypeError: No mapping.

        Example:
            >>> from minitorch.torch import nn
            >>> nn.Linear(2, 1).load_state_dict(nn.Linear(2, 1).state_dict())
            <All keys matched successfully>
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(
                f"[load_state_dict] got {type(state_dict).__name__}; need a dict from "
                "names to tensors, as state_dict() returns."
            )
        saved = dict(module.saved_tensors(self))
        keys = _IncompatibleKeys(
            [name for name in saved if name not in state_dict],
            [name for name in state_dict if name not in saved],
        )
        errors = []
        if strict and keys.missing_keys:
            errors.append(f"missing: {', '.join(keys.missing_keys)}")
        if strict and keys.unexpected_keys:
            errors.append(f"unexpected: {', '.join(keys.unexpected_keys)}")
        for name, target in saved.items():
            if name in state_dict:
                problem = self._load(name, target, state_dict[name], assign)
                errors += [f"'{name}': {problem}"] if problem else []
        if errors:
            raise RuntimeError(
                "[load_state_dict] the state dict does not match "
                f"{type(self).__name__}:\n\t" + "\n\t".join(errors)
            )
        return keys

    def _load(self, name: str, target: Any, value: Any, assign: bool) -> str:
        """Load one tensor; return an error text, "" if it fits."""
        if isinstance(value, np.ndarray | np.generic):
            value = _core.from_numpy(np.asarray(value))
        if not isinstance(value, _core.Tensor):
            return f"got {type(value).__name__}; need a tensor."
        if tuple(value.shape) != tuple(target.shape):
            return f"got shape {tuple(value.shape)}; need {tuple(target.shape)}."
        if value._dialect != "torch":
            value = value.detach().as_torch()
        around, _, own = name.rpartition(".")
        owner = self.get_submodule(around)
        with no_grad():
            if not assign:
                target.copy_(value._to_device(target.device)._cast(target.dtype))
            elif own in owner._buffers:
                owner._buffers[own] = value
            elif isinstance(value, Parameter):
                owner._parameters[own] = value
            else:
                learns = target.requires_grad and value.dtype.is_floating_point
                owner._parameters[own] = Parameter(value, learns)
        return ""


class _IncompatibleKeys(NamedTuple):
    """Result of load_state_dict: missing names, and unexpected names."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return (
            f"_IncompatibleKeys(missing_keys={self.missing_keys}, "
            f"unexpected_keys={self.unexpected_keys})"
        )


def _adopted(value: Any) -> Any:
    """Convert a neutral layer, with its submodules, to this dialect, in place."""
    if isinstance(value, Module):
        return value
    value.__class__ = vars(sys.modules[__package__ or ""])[type(value).__name__]
    for kind in ("_parameters", "_buffers"):
        kept = value.__dict__[kind]
        for name, entry in kept.items():
            if entry is not None:
                kept[name] = value._owned(kind, value._get_name(), name, entry)
    for inner in value._modules.values():
        _adopted(inner)
    return value


def _refuse_other(where: str, name: str, value: Any) -> NoReturn:
    kind = type(value)
    # All layers are there when a program makes modules.
    ours = kind.__name__ in vars(sys.modules[__package__ or ""])
    hint = f"torch.nn.{kind.__name__}" if ours else "calling it outside of this module"
    raise TypeError(
        f"[{where}] got {kind.__name__} of {kind.__module__} for '{name}'; need a "
        f"module of minitorch.torch.nn. Try {hint}."
    )

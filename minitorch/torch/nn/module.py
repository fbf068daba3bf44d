"""PyTorch's Module: keeping parameters, buffers and modules by name.

A subclass of minitorch.Module, so that every tool of this library takes it.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn, Self, cast

from ... import _core, module
from ...autograd.function import no_grad
from ...autograd.module_scope import ModuleScope
from ...tensors.op_calls import open_overrides
from ..arguments import require_torch
from ..switches import compile
from ..tensor import Tensor
from . import state
from .arguments import device_and_dtype, require_name
from .hooks import Hooks, RemovableHandle, add, called
from .parameter import Buffer, Parameter

__all__ = ["Module"]

# What PyTorch's modules can and these cannot, and what to do instead.
_ABSENT = {
    "compile": "kernels are compiled when they are first used; call the module itself",
    "jit": "there is no scripting; call the module itself",
}
_KINDS = ("_parameters", "_buffers", "_modules")


class Module(module.Module):
    """A part of a network: parameters, buffers, other modules, and a `forward` method.

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

    _own_hooks: Hooks | None = None
    _state_hooks: state.Hooks | None = None

    def __init__(self) -> None:
        # By name: a layer that is derived from a neutral one has that in between.
        module.Module.__init__(self)

    # Calls

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """`forward`, between the hooks if there are any."""
        if self._own_hooks is None:
            if not (open_overrides or _core.recording()):
                return self.forward(*args, **kwargs)
            with ModuleScope(self):
                return self.forward(*args, **kwargs)
        with ModuleScope(self):
            return called(self, self._own_hooks, args, kwargs)

    __call__.calls_forward = True  # type: ignore[attr-defined]

    def _hooks(self) -> Hooks:
        if self._own_hooks is None:
            self.__dict__["_own_hooks"] = Hooks()
        return cast(Hooks, self._own_hooks)

    def register_forward_pre_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
    ) -> RemovableHandle:
        """Calls hook(module, args) before `forward`; what it returns are new arguments.

        Args:
            hook: With `with_kwargs` hook(module, args, kwargs), which returns None or
                both.
            prepend: Before the hooks that are there.
            with_kwargs: Give it the named arguments, too.

        Example:
            >>> from minitorch.torch import nn
            >>> import minitorch
            >>> layer = nn.Identity()
            >>> with layer.register_forward_pre_hook(lambda layer, args: args[0] * 2):
            ...     layer(minitorch.ones(1).as_torch()).item()
            2.0
        """
        where = "register_forward_pre_hook"
        return add(self._hooks().before, where, hook, prepend, with_kwargs)

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Calls hook(module, args, result) after `forward`; it may return a new result.

        Args:
            hook: With `with_kwargs` hook(module, args, kwargs, result).
            prepend: Before the hooks that are there.
            with_kwargs: Give it the named arguments, too.
            always_call: Also after an error, with None for the result.
        """
        where, rows = "register_forward_hook", self._hooks().after
        return add(rows, where, hook, prepend, with_kwargs, always_call)

    def register_full_backward_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Calls hook(module, grad_input, grad_output) on the way back.

        Both are tuples, one gradient for each positional argument and result, None
        where there is none; what the hook returns goes on in place of grad_input.
        """
        return add(self._hooks().back, "register_full_backward_hook", hook, prepend)

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Calls hook(module, grad_output) before the way back; it may return others."""
        where = "register_full_backward_pre_hook"
        return add(self._hooks().back_before, where, hook, prepend)

    register_backward_hook = register_full_backward_hook

    # What it keeps

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if "_parameters" not in own:
            if isinstance(value, Parameter | module.Parameter | module.Module | Buffer):
                raise AttributeError(
                    f"[{type(self).__name__}] got '{name}' before the module was "
                    "ready; need super().__init__() first."
                )
            object.__setattr__(self, name, value)
        elif isinstance(value, Parameter | module.Parameter):
            self._keep("_parameters", name, _own_parameter(value))
        elif isinstance(value, module.Module):
            self._keep("_modules", name, _own_module(type(self).__name__, name, value))
        elif isinstance(value, Buffer):
            (self._passing.discard if value.persistent else self._passing.add)(name)
            self._keep("_buffers", name, value)
        elif not self._takes(name, value):
            object.__setattr__(self, name, value)

    def _takes(self, name: str, value: Any) -> bool:
        """Is it the value of a registered name? TypeError if it does not fit there."""
        for kind in _KINDS:
            kept = self.__dict__[kind]
            if name not in kept:
                continue
            if value is not None and not (
                kind == "_buffers" and isinstance(value, _core.Tensor)
            ):
                need = {"_parameters": "Parameter", "_modules": "Module"}.get(kind)
                hint = " New numbers: .copy_(value) under torch.no_grad()."
                raise TypeError(
                    f"[{type(self).__name__}] got {type(value).__name__} for '{name}'; "
                    f"need a {need or 'tensor'} or None.{hint * (need == 'Parameter')}"
                )
            kept[name] = _own_buffer(value) if kind == "_buffers" else value
            return True
        return False

    def __delattr__(self, name: str) -> None:
        self._passing.discard(name)
        super().__delattr__(name)

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for kind in _KINDS:
            kept = own.get(kind)
            if kept is not None and name in kept:
                return kept[name]
        absent = _ABSENT.get(name)
        if absent is not None:
            raise AttributeError(f"nn.Module.{name} is not here; {absent}.")
        raise AttributeError(
            f"[{type(self).__name__}] got no attribute, parameter, buffer or module "
            f"'{name}'."
        )

    def __dir__(self) -> list[str]:
        names = [name for kind in _KINDS for name in self.__dict__.get(kind, ())]
        return sorted({*super().__dir__(), *names})

    def _require_free(self, where: str, name: Any, kind: str) -> None:
        """KeyError or TypeError unless a name can be registered."""
        if kind not in self.__dict__:
            raise AttributeError(
                f"[{where}] got '{name}' before the module was ready; need "
                "super().__init__() first."
            )
        require_name(where, name)
        if name not in self.__dict__[kind] and hasattr(self, name):
            raise KeyError(f"[{where}] got the name '{name}', which is taken.")

    def register_parameter(self, name: str, param: Any) -> None:
        """Keeps a parameter under a name; None for no parameter.

        Raises:
            TypeError: It is no Parameter.
            KeyError: The name has dots, is empty, or is taken.
        """
        self._require_free("register_parameter", name, "_parameters")
        if not isinstance(param, Parameter | module.Parameter | None):
            raise TypeError(
                f"[register_parameter] got {type(param).__name__} for '{name}'; need a "
                "nn.Parameter or None."
            )
        self._parameters[name] = _own_parameter(param)

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Keeps a tensor that is not learned; `persistent` puts it in state dicts.

        Raises:
            TypeError: It is no tensor.
            KeyError: The name has dots, is empty, or is taken.
        """
        self._require_free("register_buffer", name, "_buffers")
        if not isinstance(tensor, _core.Tensor | None):
            raise TypeError(
                f"[register_buffer] got {type(tensor).__name__} for '{name}'; need a "
                "tensor or None."
            )
        if tensor is not None:
            require_torch("register_buffer", tensor)
        self._buffers[name] = _own_buffer(tensor)
        (self._passing.discard if persistent else self._passing.add)(name)

    def add_module(self, name: str, module: Any) -> None:
        """Keeps a module under a name; None for no module.

        Raises:
            TypeError: It is no Module.
            KeyError: The name has dots, is empty, or is taken.
        """
        self._require_free("add_module", name, "_modules")
        if module is not None:
            module = _own_module("add_module", name, module)
        self._modules[name] = module

    register_module = add_module

    # Who is inside

    def children(self) -> Iterator[Any]:
        """The modules directly inside this one, each once."""
        for _, each in self.named_children():
            yield each

    def named_children(self) -> Iterator[tuple[str, Any]]:
        """The modules directly inside this one with their names, each once."""
        seen: set[int] = set()
        for name, each in self._modules.items():
            if each is not None and id(each) not in seen:
                seen.add(id(each))
                yield name, each

    def modules(  # type: ignore[override]
        self, remove_duplicate: bool = True
    ) -> Iterator[Any]:
        """This module and all inside it, outer ones first.

        Example:
            >>> from minitorch.torch import nn
            >>> net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
            >>> [type(each).__name__ for each in net.modules()]
            ['Sequential', 'Linear', 'ReLU']
        """
        for _, each in self.named_modules(remove_duplicate=remove_duplicate):
            yield each

    def named_modules(  # type: ignore[override]
        self,
        memo: set[Any] | None = None,
        prefix: str = "",
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:
        """This module, whose name is "", and all inside it with their dotted names.

        Args:
            memo: Modules that are left out.
            prefix: Before every name.
            remove_duplicate: A module that is there twice has its first name alone.
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, inner in self._modules.items():
            if inner is not None:
                path = f"{prefix}.{name}" if prefix else name
                named: Any = inner.named_modules
                yield from named(memo, path, remove_duplicate)

    def _named_members(
        self, kind: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        """What the modules keep in one of their dictionaries, without None."""
        inside = (
            self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
            if recurse
            else [(prefix, self)]
        )
        seen: set[int] = set()
        for path, each in inside:
            for name, value in each.__dict__[kind].items():
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield (f"{path}.{name}" if path else name), value

    def parameters(  # type: ignore[override]
        self, recurse: bool = True
    ) -> Iterator[Any]:
        """All parameters of this module and, with `recurse`, of those inside it."""
        for _, each in self.named_parameters(recurse=recurse):
            yield each

    def named_parameters(  # type: ignore[override]
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """All parameters with their dotted names, own ones first.

        Example:
            >>> from minitorch.torch import nn
            >>> [name for name, _ in nn.Linear(2, 1).named_parameters("first")]
            ['first.weight', 'first.bias']
        """
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Any]:  # type: ignore[override]
        """All buffers of this module and, with `recurse`, of those inside it."""
        for _, each in self.named_buffers(recurse=recurse):
            yield each

    def named_buffers(  # type: ignore[override]
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """All buffers with their dotted names, own ones first."""
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def get_submodule(self, target: str) -> Any:
        """The module of a dotted name; "" is this one.

        Raises:
            AttributeError: There is none; the message lists what is there.
        """
        if not isinstance(target, str):
            raise TypeError(f"[get_submodule] got {target!r}; need a dotted name.")
        found: Any = self
        for part in target.split(".") if target else ():
            inner = getattr(found, part, None)
            if not isinstance(inner, module.Module):
                raise AttributeError(
                    f"[get_submodule] got '{target}', of which '{part}' is no module "
                    f"of {type(found).__name__}; need one of {list(found._modules)}."
                )
            found = inner
        return found

    def set_submodule(self, target: str, module: Any, strict: bool = False) -> None:
        """Puts a module in the place of a dotted name.

        Raises:
            AttributeError: What is around it is not there, or `strict` and nothing has
                this name.
            ValueError: The name is empty.
        """
        if not target:
            raise ValueError("[set_submodule] got an empty name; need a dotted name.")
        around, _, name = target.rpartition(".")
        home = self.get_submodule(around)
        if strict:
            self.get_submodule(target)
        setattr(home, name, _own_module("set_submodule", target, module))

    def get_parameter(self, target: str) -> Any:
        """The parameter of a dotted name; AttributeError if there is none."""
        return self._member(target, "_parameters", "get_parameter")

    def get_buffer(self, target: str) -> Any:
        """The buffer of a dotted name; AttributeError if there is none."""
        return self._member(target, "_buffers", "get_buffer")

    def _member(self, target: str, kind: str, where: str) -> Any:
        around, _, name = target.rpartition(".")
        kept = self.get_submodule(around).__dict__[kind]
        if kept.get(name) is None:
            raise AttributeError(
                f"[{where}] got '{target}', which is not there; need one of "
                f"{list(kept)}."
            )
        return kept[name]

    def apply(self, fn: Callable[[Any], Any]) -> Self:
        """Calls a function with each module inside, then with this one; itself."""
        return super().apply(fn)

    # Changing all of it

    def train(self, mode: bool = True) -> Self:
        """Puts this module and all inside it into training mode; itself.

        Raises:
            ValueError: `mode` is no bool.
        """
        if not isinstance(mode, bool):
            raise ValueError(f"[train] got mode {mode!r}; need True or False.")
        self.training = mode
        for each in self.children():
            each.train(mode)
        return self

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Self:
        """Gives every parameter, gradient and buffer what `fn` makes of it; itself."""
        if recurse:
            for each in self.children():
                each._apply(fn)
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

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Moves parameters and buffers to a device, a floating dtype, or both; itself.

        `to(device)`, `to(dtype)`, `to(device, dtype)`, `to(tensor)`; parameters stay
        the objects that they are, so that optimizers know them. What is not floating
        keeps its dtype.

        Raises:
            TypeError: Another dtype, or neither a device nor a dtype.

        Example:
            >>> from minitorch.torch import nn
            >>> nn.Linear(2, 1).to("cpu", "float64").weight.dtype == "float64"
            True
        """
        device, dtype = device_and_dtype("to", args, kwargs)
        if dtype is not None and not dtype.is_floating_point:
            raise TypeError(f"[to] got {dtype.name}; need a floating dtype.")

        def moved(x: Tensor) -> Tensor:
            if dtype is not None and x.dtype.is_floating_point:
                x = cast(Tensor, x._cast(dtype))
            return x if device is None else cast(Tensor, x._to_device(device))

        return self._apply(moved)

    def cpu(self) -> Self:
        """Moves parameters and buffers into host memory; itself."""
        return self.to("cpu")

    def cuda(self, device: Any = None) -> Self:
        """Moves parameters and buffers to the device `cuda`; itself."""
        return self.to("cuda" if device is None else device)

    def type(self, dst_type: Any) -> Self:
        """Casts all parameters and buffers to a dtype; itself."""
        _, dtype = device_and_dtype("type", (), {"dtype": dst_type})
        return self._apply(lambda x: cast(Tensor, x._cast(dtype)))

    def float(self) -> Self:
        """Floating parameters and buffers as float32; itself."""
        return self.to("float32")

    def double(self) -> Self:
        """Floating parameters and buffers as float64; itself."""
        return self.to("float64")

    def half(self) -> Self:
        """Floating parameters and buffers as float16; itself."""
        return self.to("float16")

    def bfloat16(self) -> Self:
        """Floating parameters and buffers as bfloat16; itself."""
        return self.to("bfloat16")

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Moves it to a device without copying: the numbers there are not written."""
        place, _ = device_and_dtype("to_empty", (device,), {})

        def empty(x: Tensor) -> Tensor:
            made = _core.empty(x.shape, x.dtype, place or x.device)
            return cast(Tensor, made.as_torch())

        return self._apply(empty, recurse)

    def share_memory(self) -> Self:
        """Itself: threads share the memory of tensors anyway."""
        return self

    def compile(self, *args: Any, **options: Any) -> None:
        """For programs of PyTorch: a warning; the module runs as it is."""
        compile(self, *args, **options)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Lets all parameters collect gradients, or none of them; itself."""
        for each in self.parameters():
            each.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients of all parameters, or makes them 0."""
        for each in self.parameters():
            if each.grad is None:
                continue
            if set_to_none:
                each.grad = None
            else:
                each.grad = each.grad.detach()
                each.grad.zero_()

    # State dicts

    def state_dict(
        self,
        *args: Any,
        destination: Any = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> OrderedDict[str, Any]:
        """Parameters and persistent buffers by dotted name, sharing their memory.

        Args:
            destination: A dictionary that they are put into.
            prefix: Before every name.
            keep_vars: The parameters themselves, not detached tensors.

        Example:
            >>> from minitorch.torch import nn
            >>> list(nn.Linear(2, 3).state_dict())
            ['weight', 'bias']
        """
        given = dict(
            zip(("destination", "prefix", "keep_vars"), args, strict=False),
        )
        destination = given.get("destination", destination)
        prefix = given.get("prefix", prefix)
        keep_vars = given.get("keep_vars", keep_vars)
        return state.collect(self, destination, prefix, keep_vars)

    def _save_to_state_dict(
        self, destination: dict[str, Any], prefix: str, keep_vars: bool
    ) -> None:
        """Puts its own parameters and buffers, not those inside, into a state dict."""
        state.save_own(self, destination, prefix, keep_vars)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> Any:
        """Takes the numbers of a state dict, in the memory that parameters have.

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
        return state.load(self, state_dict, strict, assign)

    def _load_from_state_dict(
        self,
        state_dict: Mapping[str, Any],
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Takes what is its own, not what is inside, from a state dict."""
        lists = missing_keys, unexpected_keys, error_msgs
        state.load_own(self, state_dict, prefix, local_metadata, strict, *lists)

    def get_extra_state(self) -> Any:
        """What a state dict keeps beside tensors; subclasses define both of these."""
        raise RuntimeError(
            f"[{type(self).__name__}] got no get_extra_state; need one in the class."
        )

    def set_extra_state(self, state: Any) -> None:
        """Takes what `get_extra_state` gave."""
        raise RuntimeError(
            f"[{type(self).__name__}] got no set_extra_state; need one in the class."
        )

    def _state(self) -> state.Hooks:
        if self._state_hooks is None:
            self.__dict__["_state_hooks"] = state.Hooks()
        return cast(state.Hooks, self._state_hooks)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls hook(module, prefix, keep_vars) before a state dict is made."""
        return add(self._state().before, "register_state_dict_pre_hook", hook)

    def register_state_dict_post_hook(
        self, hook: Callable[..., Any]
    ) -> RemovableHandle:
        """Calls hook(module, state_dict, prefix, local_metadata) once it is made."""
        return add(self._state().after, "register_state_dict_post_hook", hook)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any]
    ) -> RemovableHandle:
        """Calls hook(module, state_dict, prefix, …) before a state dict is taken."""
        return add(self._state().load, "register_load_state_dict_pre_hook", hook)

    def register_load_state_dict_post_hook(
        self, hook: Callable[..., Any]
    ) -> RemovableHandle:
        """Calls hook(module, incompatible_keys) once a state dict is taken."""
        return add(self._state().loaded, "register_load_state_dict_post_hook", hook)

    # What is printed

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        extra = self.extra_repr()
        first = extra.split("\n") if extra else []
        inner = [
            f"({name}): " + repr(each).replace("\n", "\n  ")
            for name, each in self._modules.items()
        ]
        if not first and not inner:
            return f"{self._get_name()}()"
        if len(first) == 1 and not inner:
            return f"{self._get_name()}({first[0]})"
        return f"{self._get_name()}(\n  " + "\n  ".join([*first, *inner]) + "\n)"


def _own_parameter(value: Any) -> Any:
    """A parameter of this dialect; those that neutral layers make become one."""
    if isinstance(value, module.Parameter):
        return Parameter(value, value.requires_grad)
    return value


def _own_buffer(value: Any) -> Any:
    """A buffer of this dialect; what the library makes for itself has none yet."""
    if isinstance(value, _core.Tensor) and value._dialect == "":
        return value.as_torch()
    return value


def _own_module(where: str, name: str, value: Any) -> Any:
    """The module; TypeError for one of the other dialect, and for what is none."""
    if isinstance(value, Module):
        return value
    if isinstance(value, module.Module):
        _refuse_other(where, name, value)
    raise TypeError(
        f"[{where}] got {type(value).__name__} for '{name}'; need a nn.Module."
    )


def _refuse_other(where: str, name: str, value: Any) -> NoReturn:
    kind = type(value)
    # All layers are there when a program makes modules.
    ours = kind.__name__ in vars(sys.modules[__package__ or ""])
    hint = f"torch.nn.{kind.__name__}" if ours else "calling it beside this module"
    raise TypeError(
        f"[{where}] got {kind.__name__} of {kind.__module__} for '{name}'; need a "
        f"module of minitorch.torch. Try {hint}."
    )

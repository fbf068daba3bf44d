"""Module and Parameter: naming and collecting what a network learns."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from . import _core
from ._core import Tensor
from .autograd.function import no_grad
from .autograd.module_scope import ModuleScope
from .tensors.create import tensor
from .tensors.op_calls import open_overrides
from .tensors.tensor_backend import plain

_Operator = Callable[["Parameter", Any], Any]


def _both(apply: Callable[[Any, Any], Any]) -> tuple[_Operator, _Operator]:
    """Return an operator with the parameter on the left, and one on the right."""

    def left(self: Parameter, other: Any) -> Any:
        return apply(self.value, self._operand(other))

    def right(self: Parameter, other: Any) -> Any:
        return apply(self._operand(other), self.value)

    return left, right


def _refused(sign: str) -> _Operator:
    """Return an in-place operator that raises, as it would replace the parameter."""

    def assign(self: Parameter, other: Any) -> Any:
        raise TypeError(
            f"[Parameter] {sign} would replace the parameter by a tensor. Use "
            ".update(value), or an optimizer's step."
        )

    return assign


class Parameter:
    """A value that a module learns: `value` is usually a tensor.

    It computes as its value does, on either side of an operator. Only `==` compares
    parameters, not values, so that lists and sets of parameters work.

    Example:
        >>> import minitorch
        >>> weight = Parameter(minitorch.ones(2))
        >>> weight.value.requires_grad
        True
        >>> minitorch.tensor([3.0, 4.0]) * weight + 1
        tensor([4., 5.], requires_grad=True)

    What it has no name for, it asks its value: shape, methods, dtype.

        >>> weight.shape, weight.sum().item()
        ((2,), 2.0)
        >>> weight.requires_grad = False  # no optimizer moves it any more
        >>> weight.value.requires_grad
        False
    """

    def __init__(
        self, x: Any, name: str | None = None, requires_grad: bool = True
    ) -> None:
        self.value: Any = None
        self.name = name
        self._learns = requires_grad
        self.update(x)

    def update(self, x: Any) -> None:
        """Replace the value; a tensor becomes a leaf that collects a gradient.

        It collects none where `requires_grad` is False.
        """
        if isinstance(x, Parameter):
            x = x.value
        if hasattr(x, "requires_grad_"):
            x.requires_grad_(self._learns)
        self.value = x
        if self.name and hasattr(x, "name"):
            x.name = self.name

    @property
    def grad(self) -> Any:
        """Gradient of the value, or None."""
        return getattr(self.value, "grad", None)

    @grad.setter
    def grad(self, value: Any) -> None:
        self.value.grad = value

    @property
    def requires_grad(self) -> bool:
        """Whether the value collects a gradient."""
        return self._learns

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad: bool = True) -> Parameter:
        """Set whether the value collects a gradient; return the parameter."""
        if not isinstance(requires_grad, bool):
            raise TypeError(
                f"[Parameter] got requires_grad {requires_grad!r}; need True or False."
            )
        if hasattr(self.value, "requires_grad_"):
            self.value.requires_grad_(requires_grad)
        self._learns = requires_grad
        return self

    def zero_grad(self) -> None:
        """Reset the gradient of a tensor or the derivative of a Scalar."""
        for name in ("grad", "derivative"):
            if hasattr(self.value, name):
                setattr(self.value, name, None)

    def __repr__(self) -> str:
        return repr(self.value)

    def __getattr__(self, name: str) -> Any:
        """Return the value's attribute, unless its name begins with an underscore."""
        if name.startswith("_") or name == "value":
            raise AttributeError(f"[Parameter] has no attribute '{name}'.")
        return getattr(self.value, name)

    @property
    def __minitorch_value__(self) -> Any:
        """The value, which the library computes with."""
        return self.value

    def _operand(self, other: Any) -> Any:
        """Return the other operand, which must be on the same device."""
        if isinstance(other, Parameter):
            return other.value
        home = getattr(self.value, "device", None)
        device = getattr(other, "device", home)
        if isinstance(home, str) and isinstance(device, str) and device != home:
            raise ValueError(
                f"[Parameter] the data are on {device}, but the parameter is on "
                f"{home}; they must be on the same device. Move the data to the model: "
                f'x.to("{home}").'
            )
        return other

    __add__, __radd__ = _both(operator.add)
    __sub__, __rsub__ = _both(operator.sub)
    __mul__, __rmul__ = _both(operator.mul)
    __matmul__, __rmatmul__ = _both(operator.matmul)
    __truediv__, __rtruediv__ = _both(operator.truediv)
    __floordiv__, __rfloordiv__ = _both(operator.floordiv)
    __mod__, __rmod__ = _both(operator.mod)
    __pow__, __rpow__ = _both(operator.pow)
    __lt__, __gt__ = _both(operator.lt)  # a > b asks b < a
    __le__, __ge__ = _both(operator.le)
    __iadd__, __isub__ = _refused("+="), _refused("-=")
    __imul__, __itruediv__ = _refused("*="), _refused("/=")
    __imatmul__, __ipow__ = _refused("@="), _refused("**=")

    def __neg__(self) -> Any:
        return -self.value

    def __abs__(self) -> Any:
        return abs(self.value)

    def __getitem__(self, index: Any) -> Any:
        return self.value[index]

    def __array_ufunc__(
        self, ufunc: Any, method: str, *inputs: Any, **options: Any
    ) -> Any:
        """Apply a ufunc to the parameter's value (NumPy's protocol)."""
        values = [
            operand.value if isinstance(operand, Parameter) else operand
            for operand in inputs
        ]
        return getattr(ufunc, method)(*values, **options)


def tensor_of(kept: Any) -> Any:
    """Return the tensor of a parameter; a tensor or None is returned unchanged.

    Layers ask it, since programs may put a tensor where a parameter was, and no bias
    is None.
    """
    if kept is None or isinstance(kept, _core.Tensor):
        return kept
    return kept.value


# What a module keeps by name, and what fits there.
_KINDS = {"_parameters": "Parameter", "_buffers": "Buffer", "_modules": "Module"}


class Module:
    """A part of a network: parameters, other modules, and a `forward` method.

    Assigning a Parameter or a Module to an attribute registers it under that name.
    `training` says whether it is being trained.

    Example:
        >>> import minitorch
        >>> class Scale(Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.factor = Parameter(minitorch.ones(1))
        ...     def forward(self, x):
        ...         return x * self.factor
        >>> Scale()(minitorch.tensor([3.0])).item()
        3.0
        >>> [name for name, _ in Scale().named_parameters()]
        ['factor']
    """

    # What other dialects have otherwise.
    _new_numbers: ClassVar[str] = " For new values, use .{0}.update(value)."
    _absent: ClassVar[dict[str, str]] = {}

    _modules: dict[str, Module]
    _parameters: dict[str, Parameter]
    _buffers: dict[str, Any]
    _passing: set[str]
    training: bool

    def __init__(self) -> None:
        self.__dict__["_modules"] = {}
        self.__dict__["_parameters"] = {}
        self.__dict__["_buffers"] = {}
        self.__dict__["_passing"] = set()  # buffers that no state dict keeps
        self.__dict__["training"] = True

    def modules(self) -> Sequence[Module]:
        """Return the direct submodules; named_modules gives all of them."""
        return list(self._modules.values())

    def children(self) -> Iterator[Any]:
        """Yield the direct submodules, each once."""
        for _, module in self.named_children():
            yield module

    def named_children(self) -> Iterator[tuple[str, Any]]:
        """Yield the direct submodules with their names, each once."""
        seen: set[int] = set()
        for name, module in self._modules.items():
            if module is not None and id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def named_modules(
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

    def get_submodule(self, target: str) -> Any:
        """Return the module of a dotted name; "" is this one.

        Raises:
            AttributeError: There is none; the message lists what is there.
        """
        if not isinstance(target, str):
            raise TypeError(
                f"[get_submodule] got {target!r}; need a string of names and dots."
            )
        module: Any = self
        for part in target.split(".") if target else ():
            inner = getattr(module, part, None)
            if not isinstance(inner, Module):
                raise AttributeError(
                    f"[get_submodule] '{target}': {type(module).__name__} has no "
                    f"submodule '{part}'; need one of {list(module._modules)}."
                )
            module = inner
        return module

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Call a function with each submodule, then with this module; return self.

        Raises:
            TypeError: What is given cannot be called; then no module was.

        Example:
            >>> from minitorch.nn import Linear, Sequential, init
            >>> def start(module):
            ...     if isinstance(module, Linear):
            ...         init.zeros_(module.bias)
            >>> net = Sequential(Linear(2, 3)).apply(start)
            >>> net[0].bias.value.numpy()
            array([0., 0., 0.])
        """
        if not callable(fn):
            raise TypeError(f"[apply] got {fn!r}; need a function that takes a module.")
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Self:
        """Set this module and all submodules to training mode; return self.

        Raises:
            ValueError: `mode` is no bool.
        """
        if not isinstance(mode, bool):
            raise ValueError(f"[train] got mode {mode!r}; need True or False.")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Set this module and all submodules to evaluation mode; return self."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set whether all parameters collect gradients; return self.

        Example:
            >>> import minitorch
            >>> layer = minitorch.Linear(2, 1).requires_grad_(False)
            >>> layer(minitorch.ones(1, 2)).requires_grad
            False
        """
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def named_parameters(self) -> Sequence[tuple[str, Parameter]]:
        """Return all parameters with their dotted names, this module's first.

        One that two modules share has its first name alone.
        """
        return list(self._named_members("_parameters"))

    def _named_members(
        self,
        kind: str,
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:
        """Yield names and values of one of the modules' dictionaries, without None."""
        inside = (
            self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
            if recurse
            else [(prefix, self)]
        )
        seen: set[int] = set()
        for path, module in inside:
            for name, value in module.__dict__[kind].items():
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield (f"{path}.{name}" if path else name), value

    def _get_name(self) -> str:
        return type(self).__name__

    def parameters(self) -> Sequence[Parameter]:
        """Return all parameters of this module and its submodules."""
        return [parameter for _, parameter in self.named_parameters()]

    def add_parameter(self, k: str, v: Any) -> Parameter:
        """Register `v` as the parameter `k` and return it."""
        parameter = Parameter(v, k)
        self._parameters[k] = parameter
        return parameter

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Keep a tensor that is not learned; `persistent` puts it in state dicts.

        Raises:
            KeyError: The name has dots, is empty, or is taken.

        Example:
            >>> import minitorch
            >>> net = Module()
            >>> net.register_buffer("steps", minitorch.zeros(1))
            >>> list(net.state_dict())
            ['steps']
        """
        self._register("_buffers", "register_buffer", name, tensor)
        (self._passing.discard if persistent else self._passing.add)(name)

    def register_parameter(self, name: str, param: Any) -> None:
        """Keep a parameter under a name, as assigning it does; None for no parameter.

        Raises:
            TypeError: It is no Parameter.
            KeyError: The name has dots, is empty, or is taken.
        """
        self._register("_parameters", "register_parameter", name, param)

    def add_module(self, name: str, module: Any) -> None:
        """Keep a module under a name, as assigning it does; None for no module.

        Raises:
            TypeError: It is no Module.
            KeyError: The name has dots, is empty, or is taken.

        Example:
            >>> from minitorch.nn import ReLU
            >>> net = Module()
            >>> net.add_module("last", ReLU())
            >>> net
            Module(
              (last): ReLU()
            )
        """
        self._register("_modules", "add_module", name, module)

    def _register(self, kind: str, where: str, name: Any, value: Any) -> None:
        """Register a value under a name, which must be free and without dots."""
        if kind not in self.__dict__:
            raise self._not_ready(where, name)
        if not isinstance(name, str):
            raise TypeError(f"[{where}] got the name {name!r}; need a string.")
        if not name or "." in name:
            raise KeyError(
                f"[{where}] got the name {name!r}; need a non-empty name without dots."
            )
        if name not in self.__dict__[kind] and hasattr(self, name):
            raise KeyError(f"[{where}] the name '{name}' is already taken.")
        owned = None if value is None else self._owned(kind, where, name, value)
        self.__dict__[kind][name] = owned

    def _not_ready(self, where: str, name: str) -> Exception:
        return AttributeError(
            f"[{where}] cannot assign '{name}' before the module is initialized. Call "
            "super().__init__() first."
        )

    def _kind_of(self, value: Any) -> str:
        """Return the dictionary in which an assigned value is registered, or ""."""
        if isinstance(value, Parameter):
            return "_parameters"
        return "_modules" if isinstance(value, Module) else ""

    def _owned(self, kind: str, where: str, name: str, value: Any) -> Any:
        """Return the value to register. Raises TypeError if its type does not fit."""
        if kind != "_buffers" and self._kind_of(value) != kind:
            raise TypeError(
                f"[{where}] got {type(value).__name__} for '{name}'; need an "
                f"nn.{_KINDS[kind]} or None."
            )
        return value

    register_module = add_module

    def buffers(self) -> Sequence[Any]:
        """Return all buffers of this module and its submodules."""
        return [buffer for _, buffer in self.named_buffers()]

    def named_buffers(self) -> Sequence[tuple[str, Any]]:
        """Return all buffers with their dotted names, this module's first."""
        return list(self._named_members("_buffers"))

    def state_dict(self) -> dict[str, Any]:
        """Return copies of parameters and buffers by dotted name, with PyTorch's names.

        Example:
            >>> import minitorch
            >>> {k: v.shape for k, v in minitorch.Linear(2, 3).state_dict().items()}
            {'weight': (3, 2), 'bias': (3,)}
        """
        return {name: plain(t).clone() for name, t in saved_tensors(self)}

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True
    ) -> None:
        """Copy a state dict of tensors or NumPy arrays into the parameters and buffers.

        Raises:
            KeyError: `strict`, and names are missing or unexpected.
            ValueError: A shape differs. Then nothing has changed.
            TypeError: No mapping, or an entry that is neither a tensor nor an array.

        Example:
            >>> import minitorch
            >>> a, b = minitorch.Linear(2, 1), minitorch.Linear(2, 1)
            >>> b.load_state_dict(a.state_dict())
            >>> x = minitorch.ones(1, 2)
            >>> a(x).item() == b(x).item()
            True
        """
        _load_state_dict(self, state_dict, strict)

    def to(
        self,
        *targets: Any,
        device: Any = None,
        dtype: Any = None,
        non_blocking: bool = False,
    ) -> Self:
        """Move all parameters and buffers to a device or floating dtype; return self.

        Args:
            targets: A device, a dtype, or both.
            device: The same by name, as for PyTorch's modules.
            dtype: Of parameters and floating buffers.
            non_blocking: See `Tensor.to`.

        Example:
            >>> import minitorch
            >>> minitorch.Linear(2, 1).to("float32").weight.value.dtype
            minitorch.float32
        """
        for target in (*targets, device, dtype):
            if target is not None:
                _move(self, target)
        return self

    def cpu(self) -> Self:
        """Move all parameters and buffers to the CPU; return self."""
        return self.to("cpu")

    def cuda(self, device: Any = None) -> Self:
        """Move all parameters and buffers to the device `cuda`; return self."""
        return self.to("cuda" if device is None else device)

    def zero_grad(self) -> None:
        """Reset the gradients of all parameters."""
        for parameter in self.parameters():
            parameter.zero_grad()

    def __setattr__(self, name: str, value: Any) -> None:
        attributes, kind = self.__dict__, self._kind_of(value)
        if "_parameters" not in attributes:
            if kind:
                raise self._not_ready(type(self).__name__, name)
            object.__setattr__(self, name, value)
        elif kind:
            owned = self._owned(kind, type(self).__name__, name, value)
            attributes.pop(name, None)
            for other in _KINDS:
                if other != kind:
                    attributes[other].pop(name, None)
            attributes[kind][name] = owned
        elif not self._takes(name, value):
            object.__setattr__(self, name, value)

    def _takes(self, name: str, value: Any) -> bool:
        """Assign to a registered name; return False if there is none. Raises
        TypeError if the value does not fit.
        """
        for kind, need in _KINDS.items():
            kept = self.__dict__[kind]
            if name not in kept:
                continue
            if value is not None and kind != "_buffers":
                hint = self._new_numbers.format(name) * (kind == "_parameters")
                raise TypeError(
                    f"[{type(self).__name__}] got {type(value).__name__} for '{name}'; "
                    f"need an nn.{need} or None.{hint}"
                )
            if value is not None:
                value = self._owned(kind, type(self).__name__, name, value)
            kept[name] = value
            return True
        return False

    def __delattr__(self, name: str) -> None:
        self._passing.discard(name)
        for kind in _KINDS:
            if name in self.__dict__[kind]:
                del self.__dict__[kind][name]
                return
        super().__delattr__(name)

    def __getattr__(self, name: str) -> Any:
        attributes = self.__dict__
        for kind in _KINDS:
            kept = attributes.get(kind)
            if kept is not None and name in kept:
                return kept[name]
        if name in self._absent:
            raise AttributeError(
                f"nn.Module.{name} is in PyTorch but not in minitorch; "
                f"{self._absent[name]}."
            )
        raise AttributeError(
            f"[{type(self).__name__}] has no attribute, parameter, buffer or module "
            f"'{name}'."
        )

    def __dir__(self) -> list[str]:
        names = [name for kind in _KINDS for name in self.__dict__.get(kind, ())]
        return sorted({*super().__dir__(), *names})

    def __call__(self, *values: Any, **options: Any) -> Any:
        if not (open_overrides or _core.recording()):
            return self.forward(*values, **options)
        with ModuleScope(self):
            return self.forward(*values, **options)

    __call__.calls_forward = True  # type: ignore[attr-defined]

    def forward(self, *values: Any, **options: Any) -> Any:
        """Compute the result of a call; subclasses define it."""
        raise NotImplementedError(f"[{type(self).__name__}] needs a method forward.")

    def extra_repr(self) -> str:
        """Return the text between the parentheses of its repr; subclasses define it."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        first = extra.split("\n") if extra else []
        inner = [
            f"({name}): " + repr(module).replace("\n", "\n  ")
            for name, module in self._modules.items()
        ]
        if not first and not inner:
            return f"{self._get_name()}()"
        if len(first) == 1 and not inner:
            return f"{self._get_name()}({first[0]})"
        return f"{self._get_name()}(\n  " + "\n  ".join([*first, *inner]) + "\n)"


def saved_tensors(module: Any, prefix: str = "") -> Iterator[tuple[str, Tensor]]:
    """Yield saved tensors with dotted names: own parameters and buffers first."""
    for name, parameter in module._parameters.items():
        if parameter is not None and isinstance(parameter.value, Tensor):
            yield prefix + name, parameter.value
    for name, buffer in module._buffers.items():
        if buffer is not None and name not in module._passing:
            yield prefix + name, buffer
    for name, inner in module._modules.items():
        if inner is not None:
            yield from saved_tensors(inner, f"{prefix}{name}.")


def _load_state_dict(module: Any, state: Mapping[str, Any], strict: bool) -> None:
    """Copy `state` into the saved tensors: all of them or, on an error, none.

    Raises:
        KeyError: `strict`, and names are missing or unexpected.
        ValueError: A shape differs.
        TypeError: No mapping, or an entry that is neither a tensor nor an array.
    """
    if not isinstance(state, Mapping):
        raise TypeError(
            f"[load_state_dict] got {type(state).__name__}; need a dict from names to "
            "tensors or arrays, as state_dict() returns."
        )
    saved = dict(saved_tensors(module))
    missing = [name for name in saved if name not in state]
    unexpected = [name for name in state if name not in saved]
    if strict and (missing or unexpected):
        raise KeyError(
            "[load_state_dict] the state dict does not match the module: missing "
            f"{missing}, unexpected {unexpected}. strict=False loads the rest."
        )
    new = {
        name: _fitting(name, state[name], t)
        for name, t in saved.items()
        if name in state
    }
    with no_grad():  # in place: what a captured graph reads stays where it is
        for name, value in new.items():
            saved[name].copy_(value)


def _fitting(name: str, value: Any, target: Tensor) -> Tensor:
    """Return `value` as a new tensor of target's dtype and device."""
    value = getattr(value, "__minitorch_value__", value)  # a Parameter's
    if not isinstance(value, Tensor) and hasattr(value, "__array__"):
        value = np.asarray(value)  # an array, or another library's tensor
    if not isinstance(value, Tensor | np.ndarray | np.generic):
        raise TypeError(
            f"[load_state_dict] got {type(value).__name__} for '{name}'; need a tensor "
            "or a NumPy array. Try .numpy() of another library's tensor."
        )
    result = tensor(value, dtype=target.dtype, device=target.device)
    if result.shape != target.shape:
        raise ValueError(
            f"[load_state_dict] '{name}' has shape {tuple(result.shape)}; need "
            f"{tuple(target.shape)}."
        )
    return result


def _move(module: Any, target: Any) -> None:
    """Move all parameters and buffers to a device, or cast the floating-point ones.

    Those of inner modules, too. `target` is either a device or a dtype.
    """
    for parameter in module._parameters.values():
        if parameter is not None and isinstance(parameter.value, Tensor):
            parameter.update(_moved(parameter.value, target))
    for name, buffer in module._buffers.items():
        if buffer is not None:
            module._buffers[name] = _moved(buffer, target)
    for inner in module.children():
        _move(inner, target)


def _moved(value: Tensor, target: Any) -> Tensor:
    device = isinstance(target, str) and target.partition(":")[0] in ("cpu", "cuda")
    if device or value.dtype.is_floating_point:
        return value.detach().to(target)
    return value

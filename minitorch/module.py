"""Owns Module and Parameter: naming and collecting what a network learns."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .io import state

_Operator = Callable[["Parameter", Any], Any]


def _both(apply: Callable[[Any, Any], Any]) -> tuple[_Operator, _Operator]:
    """An operator with the parameter on the left, and with it on the right."""

    def left(self: Parameter, other: Any) -> Any:
        return apply(self.value, self._beside(other))

    def right(self: Parameter, other: Any) -> Any:
        return apply(self._beside(other), self.value)

    return left, right


def _refused(sign: str) -> _Operator:
    """An operator that would put a plain result in the parameter's place."""

    def assign(self: Parameter, other: Any) -> Any:
        raise TypeError(
            f"[Parameter] got {sign}, which would replace the parameter by a result; "
            "need .update(value), or an optimizer's step."
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
    """

    def __init__(self, x: Any, name: str | None = None) -> None:
        self.value: Any = None
        self.name = name
        self.update(x)

    def update(self, x: Any) -> None:
        """Replaces the value; a tensor becomes a leaf that collects a gradient."""
        if hasattr(x, "requires_grad_"):
            x.requires_grad_(True)
        self.value = x
        if self.name and hasattr(x, "name"):
            x.name = self.name

    @property
    def grad(self) -> Any:
        """The gradient of the value, or None."""
        return getattr(self.value, "grad", None)

    def zero_grad(self) -> None:
        """Forgets the gradient of a tensor or the derivative of a Scalar."""
        for name in ("grad", "derivative"):
            if hasattr(self.value, name):
                setattr(self.value, name, None)

    def __repr__(self) -> str:
        return repr(self.value)

    @property
    def __minitorch_value__(self) -> Any:
        """What stands for it where the library computes."""
        return self.value

    def _beside(self, other: Any) -> Any:
        """The other operand, on the same device."""
        if isinstance(other, Parameter):
            return other.value
        home = getattr(self.value, "device", None)
        place = getattr(other, "device", home)
        if isinstance(home, str) and isinstance(place, str) and place != home:
            raise ValueError(
                f"[Parameter] got data on {place} and a parameter on {home}; need one "
                f'device. Move the data to the model: x.to("{home}").'
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
        """NumPy's protocol: an array beside a parameter meets its value."""
        values = [
            each.value if isinstance(each, Parameter) else each for each in inputs
        ]
        return getattr(ufunc, method)(*values, **options)


class Module:
    """A part of a network: parameters, other modules, and a `forward` method.

    Assigning a Parameter or a Module to an attribute registers it under that name.
    `training` says whether it is being trained, and `mode` the same as a word, "train"
    or "eval".

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
        """The modules directly inside this one."""
        return list(self._modules.values())

    def train(self) -> None:
        """Puts this module and all inside it into training mode."""
        self._set_training(True)

    def eval(self) -> None:
        """Puts this module and all inside it into evaluation mode."""
        self._set_training(False)

    def _set_training(self, training: bool) -> None:
        self.training = training
        for module in self.modules():
            module._set_training(training)

    def named_parameters(self) -> Sequence[tuple[str, Parameter]]:
        """All parameters with their dotted names, own ones first."""
        found = list(self._parameters.items())
        for name, module in self._modules.items():
            found += [(f"{name}.{k}", p) for k, p in module.named_parameters()]
        return found

    def parameters(self) -> Sequence[Parameter]:
        """All parameters of this module and those inside it."""
        return [parameter for _, parameter in self.named_parameters()]

    def add_parameter(self, k: str, v: Any) -> Parameter:
        """Registers `v` as the parameter `k` and returns it."""
        parameter = Parameter(v, k)
        self._parameters[k] = parameter
        return parameter

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Keeps a tensor that is not learned; `persistent` puts it in state dicts.

        Example:
            >>> import minitorch
            >>> net = Module()
            >>> net.register_buffer("steps", minitorch.zeros(1))
            >>> list(net.state_dict())
            ['steps']
        """
        if name in self.__dict__ or "." in name or not name:
            raise KeyError(
                f"[register_buffer] got the name '{name}'; need one without dots that "
                "is free."
            )
        self._buffers[name] = tensor
        (self._passing.discard if persistent else self._passing.add)(name)

    def named_buffers(self) -> Sequence[tuple[str, Any]]:
        """All buffers with their dotted names, own ones first."""
        found = list(self._buffers.items())
        for name, module in self._modules.items():
            found += [(f"{name}.{k}", b) for k, b in module.named_buffers()]
        return found

    def state_dict(self) -> dict[str, Any]:
        """Copies of parameters and buffers by dotted name, under PyTorch's names.

        Example:
            >>> import minitorch
            >>> {k: v.shape for k, v in minitorch.Linear(2, 3).state_dict().items()}
            {'weight': (3, 2), 'bias': (3,)}
        """
        return state.state_dict(self)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True
    ) -> None:
        """Takes the numbers of a state dict of tensors or NumPy arrays.

        Raises:
            KeyError: `strict`, and names are missing or unexpected.
            ValueError: A shape differs. Then nothing has changed.

        Example:
            >>> import minitorch
            >>> a, b = minitorch.Linear(2, 1), minitorch.Linear(2, 1)
            >>> b.load_state_dict(a.state_dict())
            >>> x = minitorch.ones(1, 2)
            >>> a(x).item() == b(x).item()
            True
        """
        state.load_state_dict(self, state_dict, strict)

    def to(self, target: Any) -> Module:
        """Moves all parameters and buffers to a device or floating dtype; itself.

        Example:
            >>> import minitorch
            >>> minitorch.Linear(2, 1).to("float32").weight.value.dtype
            minitorch.float32
        """
        state.move(self, target)
        return self

    def zero_grad(self) -> None:
        """Forgets the gradients of all parameters."""
        for parameter in self.parameters():
            parameter.zero_grad()

    def __setattr__(self, key: str, value: Any) -> None:
        own = self.__dict__
        if "_modules" not in own and isinstance(value, Parameter | Module):
            raise AttributeError(
                f"[{type(self).__name__}] got '{key}' before the module was ready; "
                "need super().__init__() first."
            )
        if isinstance(value, Parameter):
            own["_parameters"][key] = value
        elif isinstance(value, Module):
            own["_modules"][key] = value
        elif key in own.get("_buffers", ()):
            own["_buffers"][key] = value
        else:
            super().__setattr__(key, value)

    def __getattr__(self, key: str) -> Any:
        for kind in ("_parameters", "_modules", "_buffers"):
            if key in self.__dict__.get(kind, {}):
                return self.__dict__[kind][key]
        if key == "mode":  # unless a subclass has an attribute of this name
            return "train" if self.training else "eval"
        raise AttributeError(
            f"[{type(self).__name__}] got no attribute, parameter or module '{key}'."
        )

    def __call__(self, *values: Any, **options: Any) -> Any:
        return self.forward(*values, **options)

    def forward(self, *values: Any, **options: Any) -> Any:
        """What calling the module computes; subclasses define it."""
        raise NotImplementedError(f"[{type(self).__name__}] need a method forward.")

    def __repr__(self) -> str:
        lines = []
        for name, module in self._modules.items():
            inside = repr(module).replace("\n", "\n  ")
            lines.append(f"  ({name}): {inside}")
        if not lines:
            return f"{type(self).__name__}()"
        return "\n".join([f"{type(self).__name__}(", *lines, ")"])

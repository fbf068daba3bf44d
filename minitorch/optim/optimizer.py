"""Base class of optimizers: parameter groups, state, steps and hooks.

Knows no formula, and nothing of dialects beyond that a state has its parameter's.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.function import enable_grad, no_grad
from ..module import Parameter, tensor_of
from ..scalar import Scalar
from ..tensors.create import full, in_dialect
from ..tensors.create_ranges import zeros_like

State = dict[str, Any]
Group = dict[str, Any]

# Replays would make the state anew each time.
MAKES_STATE = "which creates its state"
STEP_BEFORE = "Take a step before the capture."

# How PyTorch lets its steps be made; here a step has one way, so all are taken but
# one: a step that itself has a gradient.
SWITCHES: dict[str, Any] = {
    "maximize": False,
    "foreach": None,
    "capturable": False,
    "differentiable": False,
    "fused": None,
}


class Optimizer:
    """Holds the parameters that it updates: of tensors, or of Scalars.

    A subclass defines `update`, a formula of one value and its gradient, or a `step` of
    its own over `param_groups`. A tensor gets new numbers in the memory that it has; a
    Parameter of a Scalar gets a new Scalar, which has no derivative yet. A graph that
    was recorded with the old numbers cannot be gone back through after a step.

    Args:
        params: Parameters of a module, tensors, pairs of a name and one of these, or
            dicts: groups with "params" and options of their own.
        defaults: The options of groups that do not say them.

    Attributes:
        param_groups: Dicts with "params" and the options, which may be changed.
        state: What a step remembers of a parameter, by the parameter.

    Example:
        >>> import minitorch
        >>> from minitorch.optim import SGD
        >>> a, b = (minitorch.ones(1, requires_grad=True) for _ in range(2))
        >>> sgd = SGD([{"params": [a]}, {"params": [b], "lr": 0.5}], lr=0.1)
        >>> (a + b).sum().backward()
        >>> sgd.step()
        >>> round(a.item(), 6), b.item()
        (0.9, 0.5)
    """

    # Attributes that are the options of all groups, and of the one that is being
    # stepped over while a step runs.
    options: tuple[str, ...] = ("lr",)
    lr: float
    takes_scalars = True  # `update` is a formula of numbers as well

    param_groups: list[Group]
    state: defaultdict[Any, State]
    defaults: dict[str, Any]

    def __init__(self, params: Any, defaults: Mapping[str, Any] | None = None) -> None:
        self.defaults = dict(defaults or {})
        self.state = defaultdict(dict)
        self.param_groups = []
        groups = _listed(params)
        if not groups:
            raise ValueError(
                "[Optimizer] got no parameters; need at least one. Does the module "
                "register its parameters?"
            )
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)
        self._group = self.param_groups[0]

    def __getattr__(self, name: str) -> Any:
        if name in type(self).options and "_group" in self.__dict__:
            return self._group[name]
        hint = " minitorch has no optimizer hooks: override a method in a subclass."
        raise AttributeError(
            f"[{type(self).__name__}] has no attribute '{name}'."
            + hint * name.endswith("_hook")
        )

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an option in all groups; a new option only in groups without it."""
        if name not in type(self).options or "param_groups" not in self.__dict__:
            super().__setattr__(name, value)
            return
        known = name in self.defaults
        self.defaults.setdefault(name, value)
        for group in self.param_groups:
            group[name] = value if known else group.get(name, value)

    @property
    def parameters(self) -> list[Any]:
        """Parameters of all groups."""
        return [p for group in self.param_groups for p in group["params"]]

    def add_param_group(self, param_group: Mapping[str, Any]) -> None:
        """Add parameters with their own options, for example those of a thawed layer.

        Raises:
            TypeError: No dict with "params", or something there is no parameter.
            ValueError: A tensor is no leaf, or is in another group already.
        """
        known = self.parameters
        group = _group_of(param_group, type(self).__name__, known)
        for name, value in self.defaults.items():
            group.setdefault(name, value)
        self.param_groups.append(group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Reset all gradients, or fill them with zeros."""
        for parameter in self.parameters:
            value = tensor_of(parameter)
            if not set_to_none and isinstance(value, Tensor):
                if value.grad is not None:
                    value.grad = value.grad.detach().zero_()
            elif isinstance(parameter, Parameter):
                parameter.zero_grad()
            else:
                parameter.grad = None

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update each parameter that has a gradient.

        Args:
            closure: Computes the loss and its gradients anew; called first.

        Returns:
            What the closure returned.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            try:
                for group in self.param_groups:
                    self._group = group
                    for parameter in group["params"]:
                        self._step(parameter, bool(group.get("maximize")))
            finally:
                self._group = self.param_groups[0]
        return loss

    def _step(self, parameter: Parameter | Tensor, maximize: bool) -> None:
        value = tensor_of(parameter)
        if isinstance(value, Tensor):
            gradient = value.grad
            if gradient is not None:
                gradient = -gradient if maximize else gradient
                self.update_tensor(value, gradient, self.state[parameter])
        elif isinstance(value, Scalar) and value.derivative is not None:
            assert isinstance(parameter, Parameter)
            if not self.takes_scalars:
                raise TypeError(
                    f"[{type(self).__name__}] got a Scalar; need tensors. Only SGD "
                    "accepts Scalars."
                )
            slope = -value.derivative if maximize else value.derivative
            new = self.update(value.data, slope, self.state[parameter])
            parameter.update(Scalar(new))

    def update_tensor(self, value: Tensor, gradient: Tensor, state: State) -> None:
        """Update a tensor in place, by default to the result of `update`."""
        before = dict(state)
        new = self.update(value, gradient, state)
        if new.shape != value.shape:
            raise ValueError(
                f"[{type(self).__name__}] update returned shape {tuple(new.shape)}, "
                f"but the parameter has shape {tuple(value.shape)}."
            )
        Tensor.copy_(value, new)
        moved = any(before.get(name) is not kept for name, kept in state.items())
        if moved and _core.capturing() and value.device.startswith("cuda"):
            state.clear()
            state.update(before)
            self._refuse_capture(
                value,
                "which replaces its state in every step",
                "Define update_tensor, and change the state in place.",
            )

    def _refuse_capture(self, value: Tensor, reason: str, instead: str) -> None:
        """Raise GraphCaptureError for a step that replays could not repeat."""
        if value.device.startswith("cuda"):
            _core.require_no_capture(
                f"a step of {type(self).__name__}, {reason},", instead
            )

    def update(self, value: Any, gradient: Any, state: State) -> Any:
        """Return the new value: tensors of one shape, or numbers."""
        raise NotImplementedError(f"[{type(self).__name__}] needs a method update.")

    def state_dict(self) -> dict[str, Any]:
        """Return options and state in PyTorch's layout, with copies of the tensors."""
        numbers = {id(p): i for i, p in enumerate(self.parameters)}
        groups = [
            {
                **{k: v for k, v in group.items() if k != "params"},
                "params": [numbers[id(p)] for p in group["params"]],
            }
            for group in self.param_groups
        ]
        kept = {
            numbers[id(p)]: _saved(p, state)
            for p, state in self.state.items()
            if state and id(p) in numbers
        }
        return {"state": dict(sorted(kept.items())), "param_groups": groups}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load options and state of an optimizer with as many parameters.

        Raises:
            ValueError: The number of groups, of parameters or the shape of a state
                differs. Then nothing has changed.
        """
        groups, kept = list(state_dict["param_groups"]), state_dict["state"]
        self._require_groups([len(group["params"]) for group in groups])
        numbers = [n for group in groups for n in group["params"]]
        new: defaultdict[Any, State] = defaultdict(dict)
        places = enumerate(zip(numbers, self.parameters, strict=True))
        for i, (number, parameter) in places:
            if number in kept:
                new[parameter] = self._fitting(kept[number], parameter, i)
        for group, saved in zip(self.param_groups, groups, strict=True):
            group.update({k: v for k, v in saved.items() if k != "params"})
        self.state = new

    def _require_groups(self, counts: list[int]) -> None:
        needed = [len(group["params"]) for group in self.param_groups]
        if len(counts) == len(needed) == 1 and counts != needed:
            raise ValueError(
                f"[{type(self).__name__}] the number of parameters differs: "
                f"{counts[0]} in the state dict, {needed[0]} in the optimizer."
            )
        if counts != needed:
            raise ValueError(
                f"[{type(self).__name__}] the sizes of the parameter groups differ: "
                f"{counts} in the state dict, {needed} in the optimizer."
            )

    def _fitting(self, state: Mapping[str, Any], parameter: Any, index: int) -> State:
        """Return a copy of a state with the device and dtype of its parameter."""
        value = tensor_of(parameter)
        result = _copied(state)
        for name, kept in result.items():
            if not isinstance(kept, Tensor) or not isinstance(value, Tensor):
                continue
            wanted = () if name == "step" else value.shape
            if tuple(kept.shape) not in (tuple(wanted), ()):
                raise ValueError(
                    f"[{type(self).__name__}] '{name}' of parameter {index} has shape "
                    f"{tuple(kept.shape)} in the state dict; need {tuple(wanted)}."
                )
            if name == "step" and value._dialect == "torch" and value.device == "cpu":
                result[name] = int(kept)
                continue
            moved = kept._to_device(value.device)
            if name != "step" and value.dtype.is_floating_point:
                moved = moved._cast(value.dtype)
            result[name] = in_dialect(moved, value)
        return result

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines += [""] * (number > 0) + [f"Parameter Group {number}"]
            lines += [f"    {k}: {group[k]}" for k in sorted(group) if k != "params"]
        return "\n".join([*lines, ")"])


def new_state(value: Tensor) -> Tensor:
    """Return zeros like a parameter, in its dialect."""
    return in_dialect(zeros_like(value), value)


def _copied(state: Mapping[str, Any]) -> State:
    return {
        name: v.detach().clone() if isinstance(v, Tensor) else copy.copy(v)
        for name, v in state.items()
    }


def _saved(parameter: Any, state: Mapping[str, Any]) -> State:
    """Return a copy of a state; in PyTorch's dialect the step count is a tensor."""
    result = _copied(state)
    value = tensor_of(parameter)
    torchs = isinstance(value, Tensor) and value._dialect == "torch"
    if torchs and isinstance(result.get("step"), int):
        step = full((), float(result["step"]), dtype="float32")
        result["step"] = in_dialect(step, value)
    return result


def switches_of(where: str, given: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """PyTorch's switches of how a step is made, with those that were given.

    Raises:
        TypeError: An option that there is not.
        ValueError: `differentiable=True`.
    """
    result = {**SWITCHES, **more}
    for name, value in given.items():
        if name not in result:
            raise TypeError(
                f"[{where}] got an unknown option '{name}'; need one of "
                f"{', '.join(result)}, or an option of this optimizer."
            )
        result[name] = value
    if result["differentiable"]:
        raise ValueError(
            f"[{where}] does not support differentiable=True: a step has no gradient."
        )
    return result


def require(where: str, **values: Any) -> None:
    """Raise TypeError for an option that is no number, ValueError if negative."""
    for name, value in values.items():
        is_number = isinstance(value, Real | Tensor)
        if not is_number:
            raise TypeError(f"[{where}] got {name} {value!r}; need a number.")
        if not value >= 0:
            raise ValueError(f"[{where}] got {name} {value}; need at least 0.")


def require_betas(where: str, betas: Iterable[float]) -> None:
    """Raise ValueError unless all betas are from 0 to below 1."""
    if not all(0 <= float(beta) < 1 for beta in betas):
        raise ValueError(
            f"[{where}] got betas {betas}; both must be at least 0 and below 1."
        )


def counted(state: State) -> int:
    """Increment the step count of a state and return it; the first step is 1."""
    state["step"] = int(state.get("step", 0)) + 1
    return int(state["step"])


def _listed(params: Any) -> list[Any]:
    """What an optimizer got, as a list.

    Raises:
        TypeError: A tensor, a set, or nothing to go through.
    """
    if isinstance(params, Tensor | Parameter):
        raise TypeError(
            "[Optimizer] got a single tensor; need an iterable of tensors. Try a list: "
            "[x]."
        )
    if isinstance(params, set | frozenset):
        raise TypeError(
            "[Optimizer] got a set, whose order can change from run to run; need a "
            "list."
        )
    if not isinstance(params, Iterable) or isinstance(params, str | bytes | Mapping):
        raise TypeError(
            f"[Optimizer] got {type(params).__name__}; need an iterable of parameters, "
            "(name, parameter) pairs or dicts."
        )
    return list(params)


def _group_of(given: Any, where: str, known: list[Any]) -> dict[str, Any]:
    """Return a group in the optimizer's form: "params" is a list, names are separate.

    Args:
        given: A dict with "params", one tensor or several.
        where: The optimizer, for messages.
        known: The parameters of the other groups.

    Raises:
        TypeError: It is no such dict.
        ValueError: A tensor is no leaf, or is in another group.
    """
    if not isinstance(given, dict) or "params" not in given:
        raise TypeError(
            f"[{where}] got {type(given).__name__} as a parameter group; need a dict "
            "with the key 'params'."
        )
    params = given["params"]
    params = [params] if isinstance(params, Tensor | Parameter) else _listed(params)
    group = dict(given)
    if params and all(_is_named(entry) for entry in params):
        group["param_names"] = [name for name, _ in params]
        params = [parameter for _, parameter in params]
    for parameter in params:
        _require_leaf(parameter, where)
    if {id(p) for p in known} & {id(p) for p in params}:
        raise ValueError(
            f"[{where}] a parameter appears in more than one parameter group; it must "
            "be in only one."
        )
    # Tied weights are found twice, and move once.
    group["params"] = list({id(p): p for p in params}.values())
    return group


def _is_named(entry: Any) -> bool:
    return isinstance(entry, tuple) and len(entry) == 2 and isinstance(entry[0], str)


def _require_leaf(parameter: Any, where: str) -> None:
    if not isinstance(parameter, Tensor | Parameter):
        raise TypeError(
            f"[{where}] got {type(parameter).__name__} among the parameters; need "
            "tensors."
        )
    value = tensor_of(parameter)
    if isinstance(value, Tensor) and not _is_leaf(value):
        raise ValueError(
            f"[{where}] cannot optimize the result of an operation, of shape "
            f"{tuple(value.shape)}; need a leaf tensor. Try .detach().requires_grad_()."
        )


def _is_leaf(value: Tensor) -> bool:
    """Return whether a tensor is a leaf, in either dialect."""
    return not value.requires_grad or bool(Tensor.is_leaf(value))

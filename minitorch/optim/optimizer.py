"""Owns what every optimizer shares: its parameters, their state, steps over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .. import _core
from .._core import Tensor
from ..gradients.function import no_grad
from ..module import Parameter
from ..scalar import Scalar
from ..tensors.create import tensor

State = dict[str, Any]

# Replays would make the state anew each time.
MAKES_STATE = "which makes its state"
STEP_BEFORE = "Take a step before the capture."


class Optimizer:
    """Holds the parameters that it updates: of tensors, or of Scalars.

    A subclass defines `update`, a formula of one value and its gradient. A tensor gets
    new numbers in the memory that it has; a Parameter of a Scalar gets a new Scalar,
    which has no derivative yet. A graph that was recorded with the old numbers cannot
    be gone back through after a step.
    """

    options: tuple[str, ...] = ("lr",)  # what a state dict keeps beside the state
    lr: float

    def __init__(self, parameters: Iterable[Parameter | Tensor]) -> None:
        self.parameters = list(parameters)
        if not self.parameters:
            raise ValueError(
                "[Optimizer] got no parameters; need at least one. Does the module "
                "register any?"
            )
        self.state: list[State] = [{} for _ in self.parameters]

    def zero_grad(self) -> None:
        """Forgets all gradients."""
        for parameter in self.parameters:
            if isinstance(parameter, Parameter):
                parameter.zero_grad()
            else:
                parameter.grad = None

    def step(self) -> None:
        """Updates every parameter that has a gradient."""
        with no_grad():
            for parameter, state in zip(self.parameters, self.state, strict=True):
                self._step(parameter, state)

    def _step(self, parameter: Parameter | Tensor, state: State) -> None:
        value = parameter.value if isinstance(parameter, Parameter) else parameter
        if isinstance(value, Tensor):
            if value.grad is not None:
                self.update_tensor(value, value.grad, state)
        elif isinstance(value, Scalar) and value.derivative is not None:
            assert isinstance(parameter, Parameter)
            new = self.update(value.data, value.derivative, state)
            parameter.update(Scalar(new))

    def update_tensor(self, value: Tensor, gradient: Tensor, state: State) -> None:
        """Updates a tensor in its own memory, by default to what `update` returns."""
        before = dict(state)
        new = self.update(value, gradient, state)
        if new.shape != value.shape:
            raise ValueError(
                f"[{type(self).__name__}] got a new value of shape {new.shape}; need "
                f"{value.shape}, that of the parameter."
            )
        value.copy_(new)
        moved = any(before.get(name) is not kept for name, kept in state.items())
        if moved and _core.capturing() and value.device.startswith("cuda"):
            state.clear()
            state.update(before)
            self._refuse_capture(
                value,
                "whose state is another object after each step",
                "Define update_tensor, and write into the state in place.",
            )

    def _refuse_capture(self, value: Tensor, what: str, instead: str) -> None:
        """GraphCaptureError for a step that replays would not repeat, with its line."""
        if value.device.startswith("cuda"):
            _core.require_no_capture(
                f"a step of {type(self).__name__}, {what},", instead
            )

    def update(self, value: Any, gradient: Any, state: State) -> Any:
        """The new value: tensors of one shape, or numbers; subclasses define it."""
        raise NotImplementedError(f"[{type(self).__name__}] need a method update.")

    def state_dict(self) -> dict[str, Any]:
        """Options and state, as PyTorch nests them, with copies of the tensors."""
        group = {name: getattr(self, name) for name in self.options}
        group["params"] = list(range(len(self.parameters)))
        kept = {i: _copied(state) for i, state in enumerate(self.state) if state}
        return {"state": kept, "param_groups": [group]}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes options and state of an optimizer of as many parameters.

        Raises:
            ValueError: The number of parameters or the shape of a state differs. Then
                nothing has changed.
        """
        (group,) = state_dict["param_groups"]
        count = len(group["params"])
        if count != len(self.parameters):
            raise ValueError(
                f"[{type(self).__name__}] got the state of {count} parameters; need "
                f"{len(self.parameters)}."
            )
        new = [_copied(state_dict["state"].get(i, {})) for i in range(count)]
        for i, (state, parameter) in enumerate(zip(new, self.parameters, strict=True)):
            value = parameter.value if isinstance(parameter, Parameter) else parameter
            for name, kept in state.items():
                wanted = () if name == "step" else value.shape
                if isinstance(kept, Tensor) and kept.shape != wanted:
                    raise ValueError(
                        f"[{type(self).__name__}] got '{name}' of shape {kept.shape} "
                        f"for parameter {i}; need {wanted}."
                    )
        for name in self.options:
            if name in group:
                setattr(self, name, group[name])
        self.state = new


def _copied(state: Mapping[str, Any]) -> State:
    return {
        name: tensor(v.detach(), device=v.device) if isinstance(v, Tensor) else v
        for name, v in state.items()
    }


def require(where: str, **values: float) -> None:
    """ValueError for a negative option."""
    for name, value in values.items():
        if not value >= 0:
            raise ValueError(f"[{where}] got {name} {value}; need 0 or more.")

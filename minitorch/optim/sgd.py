"""Owns stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import _core
from .._core import Tensor
from ..tensors.create_ranges import empty_like
from .optimizer import (
    MAKES_STATE,
    STEP_BEFORE,
    Optimizer,
    State,
    in_dialect_of,
    require,
    switches_of,
)


class SGD(Optimizer):
    """Stochastic gradient descent, with momentum if wanted.

    g = gradient + weight_decay * p; v = momentum * v + (1 - dampening) * g, at first
    v = g; p = p - lr * v, or with nesterov p = p - lr * (g + momentum * v). Sutskever
    et al., "On the importance of initialization and momentum" (2013), in the form that
    PyTorch gives it.

    Args:
        parameters: Of a module, or tensors.
        lr: Size of a step.
        momentum: Share of the last step's v that stays.
        dampening: Share of the gradient that is left out of v.
        weight_decay: Pull towards 0.
        nesterov: Look ahead along v.
        switches: `maximize=True` goes up. PyTorch's `foreach`, `fused` and
            `capturable` change nothing.

    Kernel:
        `sgd.cu`, a thread per cell: one launch for a parameter.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([3.0], requires_grad=True)
        >>> (x * x).backward()
        >>> SGD([x], lr=0.5).step()
        >>> x.item()
        0.0
    """

    options = ("lr", "momentum", "dampening", "weight_decay", "nesterov", "maximize")

    def __init__(
        self,
        parameters: Iterable[Any],
        lr: float = 1.0,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        **switches: Any,
    ) -> None:
        require("SGD", lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError(
                f"[SGD] got nesterov with momentum {momentum} and dampening "
                f"{dampening}; need a momentum above 0 and no dampening."
            )
        own = {"lr": lr, "momentum": momentum, "dampening": dampening}
        own |= {"weight_decay": weight_decay, "nesterov": nesterov}
        super().__init__(parameters, {**own, **switches_of("SGD", switches)})

    def update_tensor(self, value: Tensor, gradient: Tensor, state: State) -> None:
        """One step of the formula above in one launch, in the tensor's memory."""
        if type(self).update is not SGD.update:  # a subclass with its own formula
            return super().update_tensor(value, gradient, state)
        group = self._group
        moving = state.get("momentum_buffer")
        first = moving is None
        if group["momentum"] and first:
            self._refuse_capture(value, MAKES_STATE, STEP_BEFORE)
            moving = state["momentum_buffer"] = in_dialect_of(value, empty_like(value))
        _core.sgd_step(
            value,
            gradient,
            moving if group["momentum"] else None,
            first,
            group["lr"],
            group["momentum"],
            group["dampening"],
            group["weight_decay"],
            group["nesterov"],
        )
        return None

    def update(self, value: Any, gradient: Any, state: State) -> Any:
        """One step of the formula above."""
        if self.weight_decay:
            gradient = gradient + self.weight_decay * value
        if self.momentum:
            last = state.get("momentum_buffer")
            if last is None:
                moving = gradient * 1.0  # with memory of its own
            else:
                moving = self.momentum * last + (1 - self.dampening) * gradient
            state["momentum_buffer"] = moving
            gradient = gradient + self.momentum * moving if self.nesterov else moving
        return value - self.lr * gradient

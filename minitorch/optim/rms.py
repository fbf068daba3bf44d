"""Owns the optimizers that divide by a mean or a sum of squared gradients."""

from __future__ import annotations

from typing import Any

from .._core import Tensor
from .both import filled_like, root, zero_like
from .optimizer import Optimizer, State, counted, in_dialect_of, require, switches_of


class RMSprop(Optimizer):
    """Steps divided by the root of a running mean of squared gradients.

    v = alpha v + (1 - alpha) g²; p = p - lr g / (sqrt(v) + eps). Centred, v - m² stands
    for v, with the running mean m of g. With momentum b = momentum b + g / (...) and
    p = p - lr b. Tieleman and Hinton, "Lecture 6.5: rmsprop" (2012).

    Args:
        params: Parameters, or groups of them.
        lr: Size of a step.
        alpha: Share of the running mean that stays.
        eps: Keeps a small v from dividing.
        weight_decay: Pull towards 0, added to the gradient.
        momentum: Share of the last b that stays.
        centered: Divide by the root of the variance.
        switches: See `SGD`.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([3.0], requires_grad=True)
        >>> (x * x).backward()
        >>> RMSprop([x], lr=0.1).step()
        >>> round(x.item(), 6)
        2.0
    """

    options = (
        *("lr", "momentum", "alpha", "eps", "centered", "weight_decay"),
        *("capturable", "maximize"),
    )

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        **switches: Any,
    ) -> None:
        require("RMSprop", lr=lr, eps=eps, momentum=momentum)
        require("RMSprop", weight_decay=weight_decay, alpha=alpha)
        own = {"lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps}
        own |= {"centered": centered, "weight_decay": weight_decay}
        shared = switches_of("RMSprop", {**switches, "capturable": capturable})
        del shared["fused"]
        super().__init__(params, {**own, **shared})

    def update(self, value: Any, gradient: Any, state: State) -> Any:
        """One step of the formula above."""
        counted(state)
        if self.weight_decay:
            gradient = gradient + self.weight_decay * value
        stays = self.alpha
        square = stays * state.get("square_avg", 0.0) + (1 - stays) * (
            gradient * gradient
        )
        state["square_avg"] = spread = square
        if self.centered:
            mean = stays * state.get("grad_avg", 0.0) + (1 - stays) * gradient
            state["grad_avg"] = mean
            spread = square - mean * mean
        move = gradient / (root(spread) + self.eps)
        if self.momentum:
            move = self.momentum * state.get("momentum_buffer", 0.0) + move
            state["momentum_buffer"] = move
        return value - self.lr * move


class Adagrad(Optimizer):
    """Steps divided by the root of the sum of all squared gradients so far.

    s = s + g²; p = p - lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps) at step t. Duchi
    et al., "Adaptive subgradient methods" (2011).

    Args:
        params: Parameters, or groups of them.
        lr: Size of a step.
        lr_decay: How fast steps become smaller.
        weight_decay: Pull towards 0, added to the gradient.
        initial_accumulator_value: s before the first step.
        eps: Keeps a small s from dividing.
        switches: See `SGD`.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([3.0], requires_grad=True)
        >>> (x * x).backward()
        >>> Adagrad([x], lr=0.5).step()
        >>> round(x.item(), 6)
        2.5
    """

    options = (
        *("lr", "lr_decay", "eps", "weight_decay", "initial_accumulator_value"),
        "maximize",
    )

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        **switches: Any,
    ) -> None:
        require("Adagrad", lr=lr, lr_decay=lr_decay, weight_decay=weight_decay)
        require("Adagrad", initial_accumulator_value=initial_accumulator_value, eps=eps)
        own = {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay}
        own |= {"initial_accumulator_value": initial_accumulator_value}
        shared = switches_of("Adagrad", switches)
        del shared["capturable"]
        super().__init__(params, {**own, **shared})
        for group in self.param_groups:
            start = float(group["initial_accumulator_value"])
            for parameter in group["params"]:
                value = _number(parameter)
                made = filled_like(value, start)
                if isinstance(value, Tensor):
                    made = in_dialect_of(value, made)
                self.state[parameter] |= {"step": 0, "sum": made}

    def update(self, value: Any, gradient: Any, state: State) -> Any:
        """One step of the formula above."""
        step = counted(state)
        if self.weight_decay:
            gradient = gradient + self.weight_decay * value
        state["sum"] = state["sum"] + gradient * gradient
        rate = self.lr / (1 + (step - 1) * self.lr_decay)
        return value - rate * (gradient / (root(state["sum"]) + self.eps))


def _number(parameter: Any) -> Any:
    """A parameter's tensor, without history, or the number of its Scalar."""
    value = getattr(parameter, "value", parameter)
    return value.detach() if hasattr(value, "detach") else getattr(value, "data", value)


class Adadelta(Optimizer):
    """Steps of the size of the last ones, so that no rate is needed.

    v = rho v + (1 - rho) g²; d = sqrt(u + eps) / sqrt(v + eps) g; u = rho u + (1 - rho)
    d²; p = p - lr d. Zeiler, "ADADELTA: an adaptive learning rate method" (2012).

    Args:
        params: Parameters, or groups of them.
        lr: Factor of the step.
        rho: Share of the running means that stays.
        eps: Lets the first steps be more than 0.
        weight_decay: Pull towards 0, added to the gradient.
        capturable: As PyTorch has it; changes nothing.
        switches: See `SGD`.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([3.0], requires_grad=True)
        >>> (x * x).backward()
        >>> Adadelta([x]).step()
        >>> round(x.item(), 6)
        2.996838
    """

    options = ("lr", "rho", "eps", "weight_decay", "capturable", "maximize")

    def __init__(
        self,
        params: Any,
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        capturable: bool = False,
        **switches: Any,
    ) -> None:
        require("Adadelta", lr=lr, eps=eps, weight_decay=weight_decay)
        if not 0 <= rho <= 1:
            raise ValueError(f"[Adadelta] got rho {rho}; need a number from 0 to 1.")
        own = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay}
        shared = switches_of("Adadelta", {**switches, "capturable": capturable})
        del shared["fused"]
        super().__init__(params, {**own, **shared})

    def update(self, value: Any, gradient: Any, state: State) -> Any:
        """One step of the formula above."""
        counted(state)
        if self.weight_decay:
            gradient = gradient + self.weight_decay * value
        stays = self.rho
        square = stays * state.get("square_avg", 0.0) + (1 - stays) * (
            gradient * gradient
        )
        last = state.get("acc_delta", None)
        last = zero_like(value) if last is None else last
        move = root(last + self.eps) / root(square + self.eps) * gradient
        state["square_avg"] = square
        state["acc_delta"] = stays * last + (1 - stays) * (move * move)
        return value - self.lr * move

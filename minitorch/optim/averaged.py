"""Owns the optimizers that average values, or look at the signs of gradients alone."""

from __future__ import annotations

from typing import Any

from .both import direction, filled_like, size_of, within, zero_like
from .optimizer import Optimizer, State, counted, require, switches_of


class ASGD(Optimizer):
    """Gradient descent that keeps the mean of the values in its state.

    p = (1 - lambd r) p - r g with r = lr / (1 + lambd lr t)^alpha; from step t0 on `ax`
    is the mean of p. Polyak and Juditsky, "Acceleration of stochastic approximation by
    averaging" (1992).

    Args:
        params: Parameters, or groups of them.
        lr: Size of the first step.
        lambd: How fast steps become smaller.
        alpha: The power of it.
        t0: When averaging begins.
        weight_decay: Pull towards 0, added to the gradient.
        capturable: As PyTorch has it; changes nothing.
        switches: See `SGD`.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([3.0], requires_grad=True)
        >>> (x * x).backward()
        >>> ASGD([x], lr=0.5, lambd=0.0).step()
        >>> x.item()
        0.0
    """

    options = (
        *("lr", "lambd", "alpha", "t0", "weight_decay", "capturable"),
        "maximize",
    )

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        capturable: bool = False,
        **switches: Any,
    ) -> None:
        require("ASGD", lr=lr, weight_decay=weight_decay)
        own = {"lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0}
        shared = switches_of("ASGD", {**switches, "capturable": capturable})
        del shared["fused"]
        super().__init__(params, {**own, "weight_decay": weight_decay, **shared})

    def update(self, value: Any, gradient: Any, state: State) -> Any:
        """One step of the formula above."""
        step = counted(state)
        if self.weight_decay:
            gradient = gradient + self.weight_decay * value
        rate, share = float(state.get("eta", self.lr)), float(state.get("mu", 1.0))
        value = value * (1 - self.lambd * rate) - rate * gradient
        last = state["ax"] if "ax" in state else zero_like(value)
        state["ax"] = value * 1.0 if share == 1 else last + (value - last) * share
        state["eta"] = self.lr / (1 + self.lambd * self.lr * step) ** self.alpha
        state["mu"] = 1 / max(1.0, step - self.t0)
        return value


class Rprop(Optimizer):
    """Steps that grow while the gradient keeps its sign, and shrink when it turns.

    A cell's step s times etas[1] where the sign stays, times etas[0] where it turned
    (which is a step of 0), within step_sizes; p = p - s sign(g). Riedmiller and Braun,
    "A direct adaptive method for faster backpropagation learning" (1993).

    Args:
        params: Parameters, or groups of them.
        lr: The first step.
        etas: Factors: the smaller, the larger.
        step_sizes: The smallest and the largest step.
        capturable: As PyTorch has it; changes nothing.
        switches: See `SGD`.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([3.0], requires_grad=True)
        >>> (x * x).backward()
        >>> Rprop([x], lr=0.5).step()
        >>> x.item()
        2.5
    """

    options = ("lr", "etas", "step_sizes", "capturable", "maximize")

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        capturable: bool = False,
        **switches: Any,
    ) -> None:
        require("Rprop", lr=lr)
        if not 0 < etas[0] < 1 < etas[1]:
            raise ValueError(
                f"[Rprop] got etas {etas}; need one between 0 and 1, one above 1."
            )
        own = {"lr": lr, "etas": etas, "step_sizes": step_sizes}
        shared = switches_of("Rprop", {**switches, "capturable": capturable})
        del shared["fused"]
        super().__init__(params, {**own, **shared})

    def update(self, value: Any, gradient: Any, state: State) -> Any:
        """One step of the formula above."""
        counted(state)
        if "prev" not in state:
            state["prev"] = zero_like(value)
            state["step_size"] = filled_like(value, float(self.lr))
        turn = direction(gradient * state["prev"])  # 1 same sign, -1 turned
        smaller, bigger = self.etas
        turned = (size_of(turn) - turn) / 2
        kept = (size_of(turn) + turn) / 2
        factor = 1 + kept * (bigger - 1) + turned * (smaller - 1)
        size = within(state["step_size"] * factor, *self.step_sizes)
        gradient = gradient * (1 - turned)
        state["prev"], state["step_size"] = gradient, size
        return value - direction(gradient) * size

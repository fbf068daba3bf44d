"""Owns the optimizers that change one thing of Adam's formula."""

from __future__ import annotations

import math
from typing import Any

from .both import larger, root, size_of
from .optimizer import (
    Optimizer,
    State,
    counted,
    require,
    require_betas,
    switches_of,
)


class _WithMeans(Optimizer):
    """Adam's options, and its two running means."""

    options: tuple[str, ...] = (
        *("lr", "betas", "eps", "weight_decay", "capturable", "maximize"),
        "decoupled_weight_decay",
    )

    def _start(self, params: Any, own: dict[str, Any], switches: Any) -> None:
        where = type(self).__name__
        sizes = {k: own[k] for k in ("lr", "eps", "weight_decay")}
        require(where, **sizes)
        require_betas(where, own["betas"])
        shared = switches_of(where, switches)
        del shared["fused"]
        super().__init__(params, {**own, **shared})

    def _means(self, gradient: Any, state: State) -> tuple[Any, Any]:
        """exp_avg and exp_avg_sq with this gradient."""
        first, second = self.betas
        mean = first * state.get("exp_avg", 0.0) + (1 - first) * gradient
        square = second * state.get("exp_avg_sq", 0.0)
        square = square + (1 - second) * (gradient * gradient)
        state["exp_avg"], state["exp_avg_sq"] = mean, square
        return mean, square

    def _decayed(self, value: Any, gradient: Any) -> tuple[Any, Any]:
        """Value and gradient with the pull towards 0."""
        if not self.weight_decay:
            return value, gradient
        if self.decoupled_weight_decay:
            return value * (1 - self.lr * self.weight_decay), gradient
        return value, gradient + self.weight_decay * value


class Adamax(_WithMeans):
    """Adam with the largest gradient in place of the mean square.

    m = b1 m + (1 - b1) g; u = max(b2 u, |g| + eps); p = p - lr / (1 - b1^t) m / u.
    Kingma and Ba, "Adam" (2015), section 7.1.

    Args:
        params: Parameters, or groups of them.
        lr: Size of a step.
        betas: Shares that stay, b1 and b2.
        eps: Keeps u from 0.
        weight_decay: Pull towards 0, added to the gradient.
        switches: See `SGD`.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([3.0], requires_grad=True)
        >>> (x * x).backward()
        >>> Adamax([x], lr=0.5).step()
        >>> round(x.item(), 6)
        2.5
    """

    options = ("lr", "betas", "eps", "weight_decay", "capturable", "maximize")

    def __init__(
        self,
        params: Any,
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        **switches: Any,
    ) -> None:
        own = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        self._start(params, own, switches)

    def update(self, value: Any, gradient: Any, state: State) -> Any:
        """One step of the formula above."""
        step = counted(state)
        if self.weight_decay:
            gradient = gradient + self.weight_decay * value
        first, second = self.betas
        mean = first * state.get("exp_avg", 0.0) + (1 - first) * gradient
        size = size_of(gradient) + self.eps
        if "exp_inf" in state:
            size = larger(second * state["exp_inf"], size)
        state["exp_avg"], state["exp_inf"] = mean, size
        return value - self.lr / (1 - first**step) * (mean / size)


class NAdam(_WithMeans):
    """Adam that looks ahead along its running mean, as Nesterov's momentum does.

    Dozat, "Incorporating Nesterov momentum into Adam" (2016): at step t the mean counts
    with mu_t = b1 (1 - 0.96^(t momentum_decay) / 2), and the next mu is used already.

    Args:
        params: Parameters, or groups of them.
        lr: Size of a step.
        betas: Shares of the running means that stay.
        eps: Keeps a small mean square from dividing.
        weight_decay: Pull towards 0.
        momentum_decay: How slowly mu grows to b1.
        decoupled_weight_decay: Pull towards 0 as AdamW does.
        switches: See `SGD`.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([3.0], requires_grad=True)
        >>> (x * x).backward()
        >>> NAdam([x], lr=0.5).step()
        >>> x.item() < 3
        True
    """

    options = (*_WithMeans.options, "momentum_decay")

    def __init__(
        self,
        params: Any,
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        **switches: Any,
    ) -> None:
        require("NAdam", momentum_decay=momentum_decay)
        own = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        own |= {"momentum_decay": momentum_decay}
        own |= {"decoupled_weight_decay": decoupled_weight_decay}
        self._start(params, own, switches)

    def update(self, value: Any, gradient: Any, state: State) -> Any:
        """One step of the formula above."""
        step = counted(state)
        value, gradient = self._decayed(value, gradient)
        mean, square = self._means(gradient, state)
        first, second = self.betas
        now, ahead = (
            first * (1 - 0.5 * 0.96 ** (t * self.momentum_decay))
            for t in (step, step + 1)
        )
        product = float(state.get("mu_product", 1.0)) * now
        state["mu_product"] = product
        spread = root(square / (1 - second**step)) + self.eps
        value = value - self.lr * (1 - now) / (1 - product) * (gradient / spread)
        return value - self.lr * ahead / (1 - product * ahead) * (mean / spread)


class RAdam(_WithMeans):
    """Adam that divides only when enough gradients were seen to know their spread.

    Liu et al., "On the variance of the adaptive learning rate and beyond" (2020),
    algorithm 2: until then it is momentum alone.

    Args:
        params: Parameters, or groups of them.
        lr: Size of a step.
        betas: Shares of the running means that stay.
        eps: Keeps a small mean square from dividing.
        weight_decay: Pull towards 0.
        decoupled_weight_decay: Pull towards 0 as AdamW does.
        switches: See `SGD`.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([3.0], requires_grad=True)
        >>> (x * x).backward()
        >>> RAdam([x], lr=0.5).step()
        >>> x.item()
        0.0
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        **switches: Any,
    ) -> None:
        own = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        own |= {"decoupled_weight_decay": decoupled_weight_decay}
        self._start(params, own, switches)

    def update(self, value: Any, gradient: Any, state: State) -> Any:
        """One step of the algorithm above."""
        step = counted(state)
        value, gradient = self._decayed(value, gradient)
        mean, square = self._means(gradient, state)
        first, second = self.betas
        move = mean / (1 - first**step)
        rest = 1 - second**step
        most = 2 / (1 - second) - 1
        length = most - 2 * step * second**step / rest  # of the mean of squares
        if length <= 5:
            return value - self.lr * move
        known = (length - 4) * (length - 2) * most
        share = math.sqrt(known / ((most - 4) * (most - 2) * length))
        scale = math.sqrt(rest) / (root(square) + self.eps)
        return value - self.lr * share * (move * scale)

"""The optimizers SGD, Adam, AdamW and RMSprop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import _core
from .._core import Tensor
from ..tensors.create import full, in_dialect
from ..tensors.create_ranges import empty_like
from .optimizer import (
    MAKES_STATE,
    STEP_BEFORE,
    Optimizer,
    State,
    counted,
    new_state,
    require,
    require_betas,
    switches_of,
)

__all__ = ["SGD", "Adam", "AdamW", "RMSprop"]


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
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        **switches: Any,
    ) -> None:
        require("SGD", lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError(
                "[SGD] nesterov needs momentum > 0 and dampening 0, got momentum "
                f"{momentum} and dampening {dampening}."
            )
        options = {"lr": lr, "momentum": momentum, "dampening": dampening}
        options |= {"weight_decay": weight_decay, "nesterov": nesterov}
        shared = switches_of("SGD", switches)
        del shared["capturable"]
        super().__init__(parameters, {**options, **shared})

    def update_tensor(self, value: Tensor, gradient: Tensor, state: State) -> None:
        """Compute a step of the formula above in one launch, in place."""
        if type(self).update is not SGD.update:  # a subclass with its own formula
            return super().update_tensor(value, gradient, state)
        group = self._group
        moving = state.get("momentum_buffer")
        first = moving is None
        if group["momentum"] and first:
            self._refuse_capture(value, MAKES_STATE, STEP_BEFORE)
            moving = state["momentum_buffer"] = in_dialect(empty_like(value), value)
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
        """Compute a step of the formula above."""
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


class Adam(Optimizer):
    """Steps scaled by running means of the gradient and of its square.

    m = b1 m + (1 - b1) g; v = b2 v + (1 - b2) g²; p = p - lr m' / (sqrt(v') + eps) with
    m' = m / (1 - b1^t) and v' = v / (1 - b2^t) at step t. Kingma and Ba, "Adam" (2015),
    algorithm 1; weight_decay * p is added to the gradient.

    Args:
        params: Of a module, or tensors.
        lr: Size of a step.
        betas: Shares of the running means that stay, b1 and b2.
        eps: Keeps a small v' from dividing.
        weight_decay: Pull towards 0.
        amsgrad: Divide by the largest v' so far. Reddi et al., "On the convergence of
            Adam and beyond" (2018).
        decoupled_weight_decay: Pull towards 0 as AdamW does.
        switches: `maximize=True` goes up. `capturable=True` counts the steps on `cuda`,
            in `state["step"]`, so that the replays of a captured graph go on counting;
            all parameters lie there. PyTorch's `foreach` and `fused` change nothing.

    Kernel:
        `adam.cu`, a thread per cell: one launch for a parameter, two if capturable.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([3.0], requires_grad=True)
        >>> (x * x).backward()
        >>> Adam([x], lr=0.5).step()
        >>> round(x.item(), 6)
        2.5
    """

    options = (
        *("lr", "betas", "eps", "weight_decay", "capturable"),
        *("amsgrad", "maximize", "decoupled_weight_decay"),
    )
    takes_scalars = False
    decoupled = False  # AdamW: the pull towards 0 goes past the running means

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        decoupled_weight_decay: bool | None = None,
        **switches: Any,
    ) -> None:
        where = type(self).__name__
        require(where, lr=lr, eps=eps, weight_decay=weight_decay)
        require_betas(where, betas)
        apart = decoupled_weight_decay
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        options |= {"amsgrad": amsgrad}
        options |= {
            "decoupled_weight_decay": self.decoupled if apart is None else apart
        }
        super().__init__(params, {**options, **switches_of(where, switches)})

    def update_tensor(self, value: Tensor, gradient: Tensor, state: State) -> None:
        """Compute a step of the formula above in one launch, in place."""
        default_methods = (Adam.update, Adam.decayed)
        group = self._group
        plain = (
            type(self).update in default_methods
            and type(self).decayed in default_methods
        )
        if not plain or group["amsgrad"]:
            return super().update_tensor(value, gradient, state)
        if _core.capturing() and not group["capturable"]:
            self._refuse_capture(
                value,
                "which counts its steps in Python",
                "Create it with capturable=True.",
            )
        if "exp_avg" not in state:
            self._refuse_capture(value, MAKES_STATE, STEP_BEFORE)
            state["exp_avg"], state["exp_avg_sq"] = new_state(value), new_state(value)
        steps = self._count(value, state)
        _core.adam_step(
            value,
            gradient,
            state["exp_avg"],
            state["exp_avg_sq"],
            state["step"] if steps is None else 0,
            steps,
            group["lr"],
            group["betas"][0],
            group["betas"][1],
            group["eps"],
            group["weight_decay"],
            group["decoupled_weight_decay"],
        )
        return None

    def _count(self, value: Tensor, state: State) -> Tensor | None:
        """Count this step in Python; if capturable, return the kernel's counter."""
        step = state.get("step", 0)
        if not self.capturable:
            state["step"] = int(step) + 1
            return None
        if not isinstance(step, Tensor):
            self._refuse_capture(value, MAKES_STATE, STEP_BEFORE)
            step = full((), step, dtype="float32", device=value.device)
            step = state["step"] = in_dialect(step, value)
        return step

    def update(self, value: Any, gradient: Any, state: State) -> Any:
        """Compute a step of the formula above."""
        if self.weight_decay:
            value, gradient = self.decayed(value, gradient)
        first, second = self.betas
        step = counted(state)
        mean = first * state.get("exp_avg", 0.0) + (1 - first) * gradient
        square = second * state.get("exp_avg_sq", 0.0)
        square = square + (1 - second) * gradient * gradient
        state["exp_avg"], state["exp_avg_sq"] = mean, square
        if self.amsgrad:
            square = Tensor.maximum(square, state.get("max_exp_avg_sq", square))
            state["max_exp_avg_sq"] = square
        spread = Tensor.sqrt(square / (1 - second**step)) + self.eps
        return value - (self.lr / (1 - first**step)) * (mean / spread)

    def decayed(self, value: Any, gradient: Any) -> tuple[Any, Any]:
        """Return value and gradient with weight decay."""
        if self.decoupled_weight_decay:
            return value * (1 - self.lr * self.weight_decay), gradient
        return value, gradient + self.weight_decay * value


class AdamW(Adam):
    """Adam whose pull towards 0 is not scaled: p = p - lr weight_decay p beforehand.

    Loshchilov and Hutter, "Decoupled weight decay regularization" (2019).

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([3.0], requires_grad=True)
        >>> (x * 0).backward()
        >>> AdamW([x], lr=0.1, weight_decay=0.5).step()
        >>> round(x.item(), 6)
        2.85
    """

    decoupled = True

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        **switches: Any,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **switches)


class RMSprop(Optimizer):
    """Divide the gradient by the root of a running mean of squared gradients.

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

    takes_scalars = False
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
        options = {"lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps}
        options |= {"centered": centered, "weight_decay": weight_decay}
        shared = switches_of("RMSprop", {**switches, "capturable": capturable})
        del shared["fused"]
        super().__init__(params, {**options, **shared})

    def update(self, value: Any, gradient: Any, state: State) -> Any:
        """Compute a step of the formula above."""
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
        move = gradient / (Tensor.sqrt(spread) + self.eps)
        if self.momentum:
            move = self.momentum * state.get("momentum_buffer", 0.0) + move
            state["momentum_buffer"] = move
        return value - self.lr * move

"""Owns Adam and AdamW."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import _core
from .._core import Tensor
from ..tensors.create import full
from .both import larger, root
from .optimizer import (
    MAKES_STATE,
    STEP_BEFORE,
    Optimizer,
    State,
    counted,
    in_dialect_of,
    new_state,
    require,
    require_betas,
    switches_of,
)


class Adam(Optimizer):
    """Steps scaled by running means of the gradient and of its square.

    m = b1 m + (1 - b1) g; v = b2 v + (1 - b2) g²; p = p - lr m' / (sqrt(v') + eps) with
    m' = m / (1 - b1^t) and v' = v / (1 - b2^t) at step t. Kingma and Ba, "Adam" (2015),
    algorithm 1; weight_decay * p is added to the gradient.

    Args:
        parameters: Of a module, or tensors.
        lr: Size of a step.
        betas: Shares of the running means that stay, b1 and b2.
        eps: Keeps a small v' from dividing.
        weight_decay: Pull towards 0.
        capturable: Count the steps on `cuda`, in `state["step"]`, so that the replays
            of a captured graph go on counting. All parameters lie there.
        amsgrad: Divide by the largest v' so far. Reddi et al., "On the convergence of
            Adam and beyond" (2018).
        decoupled_weight_decay: Pull towards 0 as AdamW does.
        switches: `maximize=True` goes up. PyTorch's `foreach` and `fused` change
            nothing.

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
    decoupled = False  # AdamW: the pull towards 0 goes past the running means

    def __init__(
        self,
        parameters: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        capturable: bool = False,
        amsgrad: bool = False,
        decoupled_weight_decay: bool | None = None,
        **switches: Any,
    ) -> None:
        where = type(self).__name__
        require(where, lr=lr, eps=eps, weight_decay=weight_decay)
        require_betas(where, betas)
        apart = decoupled_weight_decay
        own = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        own |= {"amsgrad": amsgrad}
        own |= {"decoupled_weight_decay": self.decoupled if apart is None else apart}
        shared = switches_of(where, {**switches, "capturable": capturable})
        super().__init__(parameters, {**own, **shared})

    def update_tensor(self, value: Tensor, gradient: Tensor, state: State) -> None:
        """One step of the formula above in one launch, in the tensor's memory."""
        own = (Adam.update, Adam.decayed)
        group = self._group
        plain = type(self).update in own and type(self).decayed in own
        if not plain or group["amsgrad"]:
            return super().update_tensor(value, gradient, state)
        if _core.capturing() and not group["capturable"]:
            self._refuse_capture(
                value,
                "which counts its steps in Python",
                "Make it with capturable=True.",
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
        """Counts this step in Python, or if capturable gives where the kernel does."""
        step = state.get("step", 0)
        if not self.capturable:
            state["step"] = int(step) + 1
            return None
        if not isinstance(step, Tensor):
            self._refuse_capture(value, MAKES_STATE, STEP_BEFORE)
            step = full((), step, dtype="float32", device=value.device)
            step = state["step"] = in_dialect_of(value, step)
        return step

    def update(self, value: Any, gradient: Any, state: State) -> Any:
        """One step of the formula above."""
        if self.weight_decay:
            value, gradient = self.decayed(value, gradient)
        first, second = self.betas
        step = counted(state)
        mean = first * state.get("exp_avg", 0.0) + (1 - first) * gradient
        square = second * state.get("exp_avg_sq", 0.0)
        square = square + (1 - second) * gradient * gradient
        state["exp_avg"], state["exp_avg_sq"] = mean, square
        if self.amsgrad:
            square = larger(square, state.get("max_exp_avg_sq", square))
            state["max_exp_avg_sq"] = square
        spread = root(square / (1 - second**step)) + self.eps
        return value - (self.lr / (1 - first**step)) * (mean / spread)

    def decayed(self, value: Any, gradient: Any) -> tuple[Any, Any]:
        """Value and gradient with the pull towards 0."""
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
        parameters: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        capturable: bool = False,
        amsgrad: bool = False,
        **switches: Any,
    ) -> None:
        super().__init__(
            parameters,
            lr,
            betas,
            eps,
            weight_decay,
            capturable,
            amsgrad,
            True,
            **switches,
        )

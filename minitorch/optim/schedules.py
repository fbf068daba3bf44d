"""Owns how an optimizer's `lr` changes from step to step."""

from __future__ import annotations

import math
from collections.abc import Callable

from .optimizer import Optimizer


class Schedule:
    """Sets `optimizer.lr` to a function of the number of steps taken so far.

    Call `step()` after each step or epoch of the optimizer. `base_lr` is the rate that
    the optimizer had at first; `lr_at(step)` defines the schedule.
    """

    def __init__(self, optimizer: Optimizer) -> None:
        if not hasattr(optimizer, "lr"):
            raise TypeError(
                f"[{type(self).__name__}] got {type(optimizer).__name__}; need an "
                "optimizer."
            )
        self.optimizer = optimizer
        self.base_lr = optimizer.lr
        self.last_step = 0
        optimizer.lr = self.lr_at(0)

    def lr_at(self, step: int) -> float:
        """The rate after `step` steps; subclasses define it."""
        raise NotImplementedError(f"[{type(self).__name__}] need a method lr_at.")

    def step(self) -> None:
        """Goes on by one step."""
        self.last_step += 1
        self.optimizer.lr = self.lr_at(self.last_step)

    def state_dict(self) -> dict[str, float]:
        """What is needed to go on from here."""
        return {"base_lr": self.base_lr, "last_step": self.last_step}

    def load_state_dict(self, state_dict: dict[str, float]) -> None:
        """Goes on from a state."""
        self.base_lr = float(state_dict["base_lr"])
        self.last_step = int(state_dict["last_step"])
        self.optimizer.lr = self.lr_at(self.last_step)


class LambdaLR(Schedule):
    """base_lr times a function of the number of steps.

    Example:
        >>> import minitorch
        >>> from minitorch.optim import SGD
        >>> sgd = SGD([minitorch.zeros(1, requires_grad=True)], lr=2.0)
        >>> schedule = LambdaLR(sgd, lambda step: 1 / (1 + step))
        >>> schedule.step()
        >>> sgd.lr
        1.0
    """

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float]) -> None:
        self.lr_lambda = lr_lambda
        super().__init__(optimizer)

    def lr_at(self, step: int) -> float:
        """The rate after `step` steps."""
        return self.base_lr * self.lr_lambda(step)


class StepLR(Schedule):
    """base_lr * gamma^(step // step_size): smaller by gamma every `step_size` steps."""

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1
    ) -> None:
        _require_steps(step_size, "StepLR")
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer)

    def lr_at(self, step: int) -> float:
        """The rate after `step` steps."""
        return float(self.base_lr * self.gamma ** (step // self.step_size))


class CosineAnnealingLR(Schedule):
    """Half a cosine from base_lr down to eta_min over T_max steps (and up again).

    eta_min + (base_lr - eta_min) (1 + cos(π step / T_max)) / 2: Loshchilov and Hutter,
    "SGDR" (2017), formula 5.
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0) -> None:
        _require_steps(T_max, "CosineAnnealingLR")
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer)

    def lr_at(self, step: int) -> float:
        """The rate after `step` steps."""
        share = (1 + math.cos(math.pi * step / self.T_max)) / 2
        return self.eta_min + (self.base_lr - self.eta_min) * share


class LinearLR(Schedule):
    """base_lr times a factor that goes from start_factor to end_factor in a line.

    With the defaults a warm-up from a third of the rate.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
    ) -> None:
        _require_steps(total_iters, "LinearLR")
        self.start_factor, self.end_factor = start_factor, end_factor
        self.total_iters = total_iters
        super().__init__(optimizer)

    def lr_at(self, step: int) -> float:
        """The rate after `step` steps."""
        done = min(step, self.total_iters) / self.total_iters
        factor = self.start_factor + (self.end_factor - self.start_factor) * done
        return self.base_lr * factor


class WarmupCosineLR(Schedule):
    """Up in a line over `warmup` steps, then down half a cosine until step `total`.

    base_lr (step + 1) / warmup, then CosineAnnealingLR over the other steps; eta_min
    afterwards.

    Example:
        >>> import minitorch
        >>> from minitorch.optim import SGD
        >>> sgd = SGD([minitorch.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedule = WarmupCosineLR(sgd, warmup=2, total=6)
        >>> [round(schedule.lr_at(step), 3) for step in range(8)]
        [0.5, 1.0, 1.0, 0.854, 0.5, 0.146, 0.0, 0.0]
    """

    def __init__(
        self, optimizer: Optimizer, warmup: int, total: int, eta_min: float = 0.0
    ) -> None:
        _require_steps(warmup, "WarmupCosineLR")
        if total <= warmup:
            raise ValueError(
                f"[WarmupCosineLR] got warmup {warmup} of {total} steps; need fewer."
            )
        self.warmup, self.total, self.eta_min = warmup, total, eta_min
        super().__init__(optimizer)

    def lr_at(self, step: int) -> float:
        """The rate after `step` steps."""
        if step < self.warmup:
            return self.base_lr * (step + 1) / self.warmup
        done = min(1.0, (step - self.warmup) / (self.total - self.warmup))
        share = (1 + math.cos(math.pi * done)) / 2
        return self.eta_min + (self.base_lr - self.eta_min) * share


def _require_steps(steps: int, where: str) -> None:
    if steps < 1:
        raise ValueError(f"[{where}] got {steps} steps; need 1 or more.")

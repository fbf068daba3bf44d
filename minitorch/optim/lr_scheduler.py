"""Schedules that change the learning rate of each parameter group.

Each new rate is computed from the last one, so that several schedules work on one
optimizer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

from .optimizer import Optimizer

__all__ = [
    "CosineAnnealingLR",
    "LRScheduler",
    "LambdaLR",
    "MultiStepLR",
    "ReduceLROnPlateau",
    "StepLR",
    "WarmupCosineLR",
]


def __dir__() -> list[str]:
    return sorted(__all__)


def _require_optimizer(where: str, optimizer: Any) -> None:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"[{where}] got {type(optimizer).__name__}; need an optimizer.")


def _one_each(where: str, given: Any, groups: int) -> list[Any]:
    """Return one value for each group."""
    values = list(given) if isinstance(given, list | tuple) else [given] * groups
    if len(values) != groups:
        raise ValueError(
            f"[{where}] got a list of length {len(values)}; need one value per "
            f"parameter group ({groups})."
        )
    return values


class LRScheduler:
    """Sets `lr` of each group of an optimizer; a subclass defines `get_lr`.

    Args:
        optimizer: Whose groups change; each keeps its first rate as "initial_lr".
        last_epoch: Where to go on; -1 begins.

    Attributes:
        last_epoch: How often `step` was called.
        base_lrs: The rate of each group at first.

    Example:
        >>> import minitorch
        >>> from minitorch.optim import SGD
        >>> class Halved(LRScheduler):
        ...     def get_lr(self):
        ...         return [base / 2**self.last_epoch for base in self.base_lrs]
        >>> schedule = Halved(SGD([minitorch.ones(1, requires_grad=True)], lr=1.0))
        >>> schedule.step()
        >>> schedule.get_last_lr()
        [0.5]
    """

    unsaved: tuple[str, ...] = ("optimizer",)

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        _require_optimizer(type(self).__name__, optimizer)
        self.optimizer = optimizer
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", float(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"[{type(self).__name__}] got last_epoch {last_epoch}, but "
                    f"parameter group {number} has no 'initial_lr'. Load the "
                    "optimizer's state dict first."
                )
        self.base_lrs = [g["initial_lr"] for g in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._step_count = 0
        self._last_lr: list[float] = []
        self.step()

    @property
    def rates(self) -> list[float]:
        """Current learning rate of each group."""
        return [float(group["lr"]) for group in self.optimizer.param_groups]

    def get_last_lr(self) -> list[float]:
        """Return the learning rates that the last step set."""
        return self._last_lr

    def get_lr(self) -> list[float]:
        """Return each group's learning rate at `last_epoch`; subclasses define it."""
        raise NotImplementedError(f"[{type(self).__name__}] needs a method get_lr.")

    def step(self) -> None:
        """Advance by one epoch; call it after the optimizer's step."""
        self._step_count += 1
        self.last_epoch += 1
        rates = self.get_lr()
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate
        self._last_lr = self.rates

    def state_dict(self) -> dict[str, Any]:
        """Return the state, without the optimizer and functions."""
        return {k: v for k, v in self.__dict__.items() if k not in self.unsaved}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore a state."""
        self.__dict__.update(state_dict)


class LambdaLR(LRScheduler):
    """Multiply the initial rate by a function of the epoch, one for each group.

    Example:
        >>> import minitorch
        >>> from minitorch.optim import SGD
        >>> sgd = SGD([minitorch.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule = LambdaLR(sgd, lambda epoch: 0.5**epoch)
        >>> schedule.step()
        >>> sgd.param_groups[0]["lr"]
        0.5
    """

    unsaved = ("optimizer", "lr_lambdas")

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1
    ) -> None:
        _require_optimizer(type(self).__name__, optimizer)
        groups = len(optimizer.param_groups)
        self.lr_lambdas = _one_each(type(self).__name__, lr_lambda, groups)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the learning rates; see the class."""
        pairs = zip(self.base_lrs, self.lr_lambdas, strict=True)
        return [base * factor(self.last_epoch) for base, factor in pairs]


class StepLR(LRScheduler):
    """Times `gamma` every `step_size` epochs.

    Example:
        >>> import minitorch
        >>> from minitorch.optim import SGD, lr_scheduler
        >>> optimizer = SGD([minitorch.zeros(1)], lr=0.1)
        >>> schedule = lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
        >>> optimizer.step()
        >>> schedule.step()
        >>> schedule.get_last_lr()
        [0.05]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        step_size: int,
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        if step_size < 1:
            raise ValueError(f"[StepLR] got step_size {step_size}; need at least 1.")
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the learning rates; see the class."""
        if self.last_epoch == 0 or self.last_epoch % self.step_size:
            return self.rates
        return [rate * self.gamma for rate in self.rates]


class MultiStepLR(LRScheduler):
    """Times `gamma` at each of the milestones.

    Example:
        >>> import minitorch
        >>> from minitorch.optim import SGD, lr_scheduler
        >>> optimizer = SGD([minitorch.zeros(1)], lr=0.1)
        >>> schedule = lr_scheduler.MultiStepLR(optimizer, milestones=[1, 2], gamma=0.5)
        >>> optimizer.step()
        >>> schedule.step()
        >>> schedule.get_last_lr()
        [0.05]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Iterable[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the learning rates; see the class."""
        if self.last_epoch not in self.milestones:
            return self.rates
        factor = self.gamma ** self.milestones[self.last_epoch]
        return [rate * factor for rate in self.rates]


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the first rate to eta_min over T_max epochs, and up again.

    Loshchilov and Hutter, "SGDR" (2017), formula 5, without restarts.

    Example:
        >>> import minitorch
        >>> from minitorch.optim import SGD, lr_scheduler
        >>> optimizer = SGD([minitorch.zeros(1)], lr=0.1)
        >>> schedule = lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
        >>> optimizer.step()
        >>> schedule.step()
        >>> schedule.get_last_lr()
        [0.05]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_max: int,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the learning rates; see the class."""
        epoch, low, angle = self.last_epoch, self.eta_min, math.pi / self.T_max
        if epoch == 0:
            return self.rates
        if self._step_count == 1 and epoch > 0:
            wave = 1 + math.cos(angle * epoch)
            return [low + (base - low) * wave / 2 for base in self.base_lrs]
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # it stood at the bottom
            pairs = zip(self.base_lrs, self.rates, strict=True)
            up = 1 - math.cos(angle)
            return [rate + (base - low) * up / 2 for base, rate in pairs]
        now = 1 + math.cos(math.pi * epoch / self.T_max)
        before = 1 + math.cos(math.pi * (epoch - 1) / self.T_max)
        return [now / before * (rate - low) + low for rate in self.rates]


class WarmupCosineLR(LRScheduler):
    """Up in a line over `warmup` steps, then down half a cosine until step `total`.

    base_lr (step + 1) / warmup, then CosineAnnealingLR over the other steps; eta_min
    afterwards.

    Example:
        >>> import minitorch
        >>> from minitorch.optim import SGD
        >>> sgd = SGD([minitorch.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedule = WarmupCosineLR(sgd, warmup=2, total=6)
        >>> rates = []
        >>> for _ in range(8):
        ...     rates += schedule.get_last_lr()
        ...     schedule.step()
        >>> [round(rate, 3) for rate in rates]
        [0.5, 1.0, 1.0, 0.854, 0.5, 0.146, 0.0, 0.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        warmup: int,
        total: int,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if not 1 <= warmup < total:
            raise ValueError(
                f"[WarmupCosineLR] got warmup {warmup} and {total} steps in all; need "
                f"1 <= warmup < {total}."
            )
        self.warmup, self.total, self.eta_min = warmup, total, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the learning rates; see the class."""
        step, low = self.last_epoch, self.eta_min
        if step < self.warmup:
            return [base * (step + 1) / self.warmup for base in self.base_lrs]
        done = min(1.0, (step - self.warmup) / (self.total - self.warmup))
        share = (1 + math.cos(math.pi * done)) / 2
        return [low + (base - low) * share for base in self.base_lrs]


class ReduceLROnPlateau(LRScheduler):
    """Times `factor` when a number, the loss, was no better for `patience` epochs.

    Args:
        optimizer: Whose groups change.
        mode: "min" where smaller is better, or "max".
        factor: Below 1.
        patience: Epochs without a better number that are let pass.
        threshold: How much better counts.
        threshold_mode: "rel"ative to the best number, or "abs"olute.
        cooldown: Epochs after a change in which nothing is counted.
        min_lr: The smallest rate, or one for each group.
        eps: Smaller changes of a rate are left out.

    Example:
        >>> import minitorch
        >>> from minitorch.optim import SGD
        >>> sgd = SGD([minitorch.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule = ReduceLROnPlateau(sgd, factor=0.5, patience=0)
        >>> for loss in (3.0, 2.0, 2.0):
        ...     schedule.step(loss)
        >>> schedule.get_last_lr()
        [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: Any = 0.0,
        eps: float = 1e-8,
    ) -> None:
        where = "ReduceLROnPlateau"
        _require_optimizer(where, optimizer)
        if factor >= 1.0:
            raise ValueError(f"[{where}] got factor {factor}; need factor < 1.")
        for name, value, known in (
            ("mode", mode, ("min", "max")),
            ("threshold_mode", threshold_mode, ("rel", "abs")),
        ):
            if value not in known:
                raise ValueError(
                    f"[{where}] got {name} {value!r}; need one of {known}."
                )
        self.optimizer, self.factor, self.patience = optimizer, factor, patience
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self.cooldown, self.eps = cooldown, eps
        self.min_lrs = _one_each(where, min_lr, len(optimizer.param_groups))
        self.last_epoch = 0
        self._last_lr = self.rates
        self._reset()

    def _reset(self) -> None:
        self.best = math.inf if self.mode == "min" else -math.inf
        self.cooldown_counter = self.num_bad_epochs = 0

    @property
    def in_cooldown(self) -> bool:
        """Whether bad epochs are not counted now."""
        return self.cooldown_counter > 0

    def is_better(self, a: float, best: float) -> bool:
        """Return whether `a` is better than the best by more than the threshold."""
        down = self.mode == "min"
        if self.threshold_mode == "abs":
            limit = best - self.threshold if down else best + self.threshold
        else:
            limit = best * (1.0 - self.threshold if down else self.threshold + 1.0)
        return a < limit if down else a > limit

    def step(self, metrics: Any = None) -> None:
        """Take the metric of an epoch into account."""
        if metrics is None:
            raise TypeError(
                "[ReduceLROnPlateau] got no metric. Pass the value for this epoch: "
                "step(loss)."
            )
        current = float(metrics)
        self.last_epoch += 1
        if self.is_better(current, self.best):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = self.rates

    def _reduce(self) -> None:
        groups = self.optimizer.param_groups
        for group, least in zip(groups, self.min_lrs, strict=True):
            old = float(group["lr"])
            new = max(old * self.factor, least)
            if old - new > self.eps:
                group["lr"] = new

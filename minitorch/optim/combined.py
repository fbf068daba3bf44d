"""Owns the schedules of other schedules, and the one that looks at the loss."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from .optimizer import Optimizer
from .rates import LRScheduler, one_each, require_optimizer


class _OfOthers(LRScheduler):
    """A schedule that asks others, whose states are inside its own."""

    unsaved = ("optimizer", "_schedulers")
    _schedulers: list[Any]

    def state_dict(self) -> dict[str, Any]:
        """All that is needed to go on, also of the schedules."""
        inner = [each.state_dict() for each in self._schedulers]
        return {**super().state_dict(), "_schedulers": inner}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Goes on from a state."""
        own = dict(state_dict)
        for each, state in zip(self._schedulers, own.pop("_schedulers"), strict=True):
            each.load_state_dict(state)
        super().load_state_dict(own)


class SequentialLR(_OfOthers):
    """One schedule after another, from milestone to milestone.

    Example:
        >>> import minitorch
        >>> from minitorch.optim import SGD
        >>> from minitorch.optim.lr_scheduler import ConstantLR, ExponentialLR
        >>> sgd = SGD([minitorch.ones(1, requires_grad=True)], lr=1.0)
        >>> first, then = ConstantLR(sgd, 0.5, 2), ExponentialLR(sgd, 0.9)
        >>> schedule = SequentialLR(sgd, [first, then], milestones=[2])
        >>> rates = []
        >>> for _ in range(4):
        ...     rates.append(sgd.param_groups[0]["lr"])
        ...     schedule.step()
        >>> [round(rate, 6) for rate in rates]
        [0.5, 0.5, 1.0, 0.9]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[Any],
        milestones: Sequence[int],
        last_epoch: int = -1,
    ) -> None:
        _require_schedulers("SequentialLR", schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                f"[SequentialLR] got {len(milestones)} milestones for "
                f"{len(schedulers)} schedules; need one between each two."
            )
        self._schedulers, self._milestones = list(schedulers), list(milestones)
        self.optimizer, self.last_epoch = optimizer, last_epoch + 1
        for group in optimizer.param_groups:  # each schedule changed it when it began
            group["lr"] = group["initial_lr"]
        for schedule in self._schedulers:
            _undo(schedule)
        self._schedulers[0]._step_count = 0
        self._schedulers[0].step()
        self._last_lr = self._schedulers[0].get_last_lr()

    def step(self, epoch: int | None = None) -> None:
        """Goes on by one epoch."""
        self.last_epoch += 1
        place = bisect_right(self._milestones, self.last_epoch)
        schedule = self._schedulers[place]
        if place > 0 and self._milestones[place - 1] == self.last_epoch:
            schedule.step(0)
        else:
            schedule.step()
        self._last_lr = schedule.get_last_lr()


def _undo(schedule: Any) -> None:
    """Takes back the step with which a schedule began."""
    for inner in getattr(schedule, "_schedulers", ()):
        _undo(inner)
    schedule.last_epoch -= 1


def _require_schedulers(
    where: str, schedulers: Sequence[Any], optimizer: Optimizer | None
) -> Optimizer:
    if len(schedulers) < 1:
        raise ValueError(f"[{where}] got no schedules; need one or more.")
    for each in schedulers:
        if not hasattr(each, "optimizer"):
            raise TypeError(
                f"[{where}] got {type(each).__name__}; need schedules. Try a list."
            )
    wanted: Optimizer = optimizer or schedulers[0].optimizer
    for number, each in enumerate(schedulers):
        if each.optimizer is not wanted:
            raise ValueError(
                f"[{where}] got schedule {number} of another optimizer; need one "
                "optimizer for all."
            )
    return wanted


class ChainedScheduler(_OfOthers):
    """Several schedules at a time: each goes on from the rate of the one before."""

    def __init__(
        self, schedulers: Sequence[Any], optimizer: Optimizer | None = None
    ) -> None:
        self.optimizer = _require_schedulers("ChainedScheduler", schedulers, optimizer)
        self._schedulers = list(schedulers)
        self.last_epoch = 0
        self._last_lr = self.rates

    def step(self, epoch: int | None = None) -> None:
        """Goes on by one epoch with all of them."""
        self.last_epoch += 1
        for schedule in self._schedulers:
            schedule.step()
        self._last_lr = self.rates


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
        require_optimizer(where, optimizer)
        if factor >= 1.0:
            raise ValueError(f"[{where}] got factor {factor}; need below 1.")
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
        self.min_lrs = one_each(where, min_lr, len(optimizer.param_groups))
        self.last_epoch = 0
        self._last_lr = self.rates
        self._reset()

    def _reset(self) -> None:
        self.best = math.inf if self.mode == "min" else -math.inf
        self.cooldown_counter = self.num_bad_epochs = 0

    @property
    def in_cooldown(self) -> bool:
        """Is nothing counted now?"""
        return self.cooldown_counter > 0

    def is_better(self, a: float, best: float) -> bool:
        """Is `a` better than the best number by more than the threshold?"""
        down = self.mode == "min"
        if self.threshold_mode == "abs":
            limit = best - self.threshold if down else best + self.threshold
        else:
            limit = best * (1.0 - self.threshold if down else self.threshold + 1.0)
        return a < limit if down else a > limit

    def step(  # type: ignore[override]
        self, metrics: Any = None, epoch: int | None = None
    ) -> None:
        """Looks at the number of an epoch."""
        if metrics is None:
            raise TypeError(
                "[ReduceLROnPlateau] got no number; need that of the epoch: step(loss)."
            )
        current = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
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

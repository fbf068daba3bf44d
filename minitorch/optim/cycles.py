"""Owns the schedules that go up and down, momentum against the rate."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .optimizer import Optimizer
from .rates import LRScheduler, one_each, require_optimizer


def _cosine(start: float, end: float, share: float) -> float:
    return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)


def _line(start: float, end: float, share: float) -> float:
    return (end - start) * share + start


def _momentum_name(where: str, optimizer: Optimizer) -> str:
    """What the optimizer calls its momentum; ValueError where it has none."""
    for name in ("momentum", "betas"):
        if name in optimizer.defaults:
            return name
    raise ValueError(
        f"[{where}] got {type(optimizer).__name__}, which has no momentum; need "
        "cycle_momentum=False."
    )


def _set_momentum(group: dict[str, Any], name: str, value: float) -> None:
    group[name] = (value, *group["betas"][1:]) if name == "betas" else value


def _steps_of(
    total_steps: int | None, epochs: int | None, steps_per_epoch: int | None
) -> int:
    """The number of steps, however it was said."""
    if total_steps is None:
        if epochs is None or steps_per_epoch is None:
            raise ValueError(
                "[OneCycleLR] got no number of steps; need total_steps, or epochs and "
                "steps_per_epoch."
            )
        total_steps = epochs * steps_per_epoch
    if total_steps <= 0 or not isinstance(total_steps, int):
        raise ValueError(
            f"[OneCycleLR] got total_steps {total_steps}; need an integer above 0."
        )
    return total_steps


def _require_shape(pct_start: float, anneal_strategy: str) -> None:
    if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
        raise ValueError(
            f"[OneCycleLR] got pct_start {pct_start}; need a float from 0 to 1."
        )
    if anneal_strategy not in ("cos", "linear"):
        raise ValueError(
            f"[OneCycleLR] got anneal_strategy {anneal_strategy!r}; need 'cos' or "
            "'linear'."
        )


# Its last step, and from which of a group's own limits to which: rate and momentum.
_Phase = tuple[float, tuple[str, str], tuple[str, str]]


def _phases(steps: int, pct_start: float, three_phase: bool) -> list[_Phase]:
    up, end = pct_start * steps - 1, float(steps - 1)
    rise: _Phase = (up, ("initial_lr", "max_lr"), ("max_momentum", "base_momentum"))
    if not three_phase:
        return [rise, (end, ("max_lr", "min_lr"), ("base_momentum", "max_momentum"))]
    return [
        rise,
        (
            2 * pct_start * steps - 2,
            ("max_lr", "initial_lr"),
            ("base_momentum", "max_momentum"),
        ),
        (end, ("initial_lr", "min_lr"), ("max_momentum", "max_momentum")),
    ]


class OneCycleLR(LRScheduler):
    """Up to max_lr and down far below the start, within `total_steps` steps.

    Smith and Topin, "Super-convergence" (2019). Momentum goes the other way.

    Args:
        optimizer: Whose groups change.
        max_lr: The highest rate, or one for each group.
        total_steps: Of the whole cycle; or `epochs` times `steps_per_epoch`.
        pct_start: Share of the steps in which the rate grows.
        anneal_strategy: "cos" or "linear".
        cycle_momentum: Change momentum, or Adam's first beta, too.
        base_momentum, max_momentum: Its limits, or one for each group.
        div_factor: max_lr divided by it is the first rate.
        final_div_factor: The first rate divided by it is the last one.
        three_phase: Down as slowly as up, then to the last rate.
        last_epoch: Where to go on; -1 begins.
    """

    unsaved = ("optimizer", "_bend")

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: Any,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.85,
        max_momentum: Any = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        require_optimizer("OneCycleLR", optimizer)
        steps = _steps_of(total_steps, epochs, steps_per_epoch)
        _require_shape(pct_start, anneal_strategy)
        self.total_steps = steps
        self._bend = _cosine if anneal_strategy == "cos" else _line
        self._phases = _phases(steps, pct_start, three_phase)
        groups = optimizer.param_groups
        peaks = one_each("OneCycleLR", max_lr, len(groups))
        if last_epoch == -1:
            for group, peak in zip(groups, peaks, strict=True):
                group["initial_lr"] = peak / div_factor
                group["max_lr"] = peak
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin_momentum(optimizer, base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def _begin_momentum(
        self, optimizer: Optimizer, base: Any, most: Any, last_epoch: int
    ) -> None:
        name = self._momentum = _momentum_name("OneCycleLR", optimizer)
        groups = optimizer.param_groups
        lows = one_each("OneCycleLR", base, len(groups))
        highs = one_each("OneCycleLR", most, len(groups))
        if last_epoch == -1:
            for group, low, high in zip(groups, lows, highs, strict=True):
                _set_momentum(group, name, high)
                group["base_momentum"], group["max_momentum"] = low, high

    def get_lr(self) -> list[float]:
        """See the class; it changes momentum as well."""
        step, begin = self.last_epoch, 0.0
        if step > self.total_steps:
            raise ValueError(
                f"[OneCycleLR] got step {step}; need at most {self.total_steps}, for "
                "which it was made."
            )
        place = 0
        while place < len(self._phases) - 1 and step > self._phases[place][0]:
            begin = self._phases[place][0]
            place += 1
        end, rate, push = self._phases[place]
        share = (step - begin) / (end - begin)
        found = []
        for group in self.optimizer.param_groups:
            found.append(self._bend(group[rate[0]], group[rate[1]], share))
            if self.cycle_momentum:
                value = self._bend(group[push[0]], group[push[1]], share)
                _set_momentum(group, self._momentum, value)
        return found


_Scale = Callable[[float], float]


def _scale_of(
    mode: str, gamma: float, scale_fn: _Scale | None, scale_mode: str
) -> tuple[_Scale, str]:
    """The height's factor, and whether it is one of a cycle or of a step."""
    if scale_fn is not None:
        return scale_fn, scale_mode
    modes: dict[str, tuple[_Scale, str]] = {
        "triangular": (lambda _: 1.0, "cycle"),
        "triangular2": (lambda cycle: 1 / 2.0 ** (cycle - 1), "cycle"),
        "exp_range": (lambda steps: gamma**steps, "iterations"),
    }
    if mode not in modes:
        raise ValueError(
            f"[CyclicLR] got mode {mode!r}; need one of {', '.join(modes)}, or a "
            "scale_fn."
        )
    return modes[mode]


class CyclicLR(LRScheduler):
    """Up and down between base_lr and max_lr, again and again.

    Smith, "Cyclical learning rates" (2017).

    Args:
        optimizer: Whose groups change.
        base_lr, max_lr: The limits, or one for each group.
        step_size_up, step_size_down: Steps of each way.
        mode: "triangular", "triangular2" (half as high each time) or "exp_range".
        gamma: Of "exp_range": gamma^step scales the height.
        scale_fn: A function in place of `mode`, from 0..1.
        scale_mode: What it is given: "cycle" or "iterations".
        cycle_momentum: Change momentum, or Adam's first beta, the other way.
        base_momentum, max_momentum: Its limits, or one for each group.
        last_epoch: Where to go on; -1 begins.
    """

    unsaved = ("optimizer", "_scale")

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.8,
        max_momentum: Any = 0.9,
        last_epoch: int = -1,
    ) -> None:
        require_optimizer("CyclicLR", optimizer)
        groups = optimizer.param_groups
        lows = one_each("CyclicLR", base_lr, len(groups))
        if last_epoch == -1:
            for group, low in zip(groups, lows, strict=True):
                group["lr"] = low
        self.max_lrs = one_each("CyclicLR", max_lr, len(groups))
        down = step_size_up if step_size_down is None else step_size_down
        self.total_size = float(step_size_up + down)
        self.step_ratio = step_size_up / self.total_size
        self._scale, self.scale_mode = _scale_of(mode, gamma, scale_fn, scale_mode)
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin_momentum(optimizer, base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = lows

    def _begin_momentum(
        self, optimizer: Optimizer, base: Any, most: Any, last_epoch: int
    ) -> None:
        name = self._momentum = _momentum_name("CyclicLR", optimizer)
        groups = optimizer.param_groups
        self.base_momentums = one_each("CyclicLR", base, len(groups))
        self.max_momentums = one_each("CyclicLR", most, len(groups))
        if last_epoch == -1:
            for group, high in zip(groups, self.max_momentums, strict=True):
                _set_momentum(group, name, high)

    def get_lr(self) -> list[float]:
        """See the class; it changes momentum as well."""
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        place = 1.0 + self.last_epoch / self.total_size - cycle
        if place <= self.step_ratio:
            height = place / self.step_ratio
        else:
            height = (place - 1) / (self.step_ratio - 1)
        given = cycle if self.scale_mode == "cycle" else self.last_epoch
        scale = self._scale(given)
        if self.cycle_momentum:
            for i, group in enumerate(self.optimizer.param_groups):
                low, high = self.base_momentums[i], self.max_momentums[i]
                value = high - (high - low) * height * scale
                _set_momentum(group, self._momentum, value)
        pairs = zip(self.base_lrs, self.max_lrs, strict=True)
        return [low + (high - low) * height * scale for low, high in pairs]

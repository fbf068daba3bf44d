"""Owns L-BFGS and its line search, on the host: vectors here are NumPy's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .._core import Tensor
from ..gradients.function import enable_grad, no_grad
from ..module import Parameter
from ..tensors.create import tensor
from .optimizer import Optimizer, require

Array = np.ndarray[Any, Any]
_CURVED = 1e-10  # y·s above this tells something of the curvature
_ARMIJO, _WOLFE = 1e-4, 0.9
_MOST_TRIALS = 25  # points that a line search looks at


class LBFGS(Optimizer):
    """Newton's method with the curvature that the last steps showed.

    Each step asks for the loss and its gradients several times, so `step` needs a
    function. Liu and Nocedal, "On the limited memory BFGS method" (1989). Directions
    are computed on the host, wherever the parameters lie.

    Args:
        params: Parameters, in one group.
        lr: Factor of a step; 1 for Newton's.
        max_iter: Directions tried in a step.
        max_eval: Calls of the function in a step; 5 / 4 of max_iter by default.
        tolerance_grad: No gradient larger than this ends a step.
        tolerance_change: A smaller change ends a step.
        history_size: Steps remembered.
        line_search_fn: None, or "strong_wolfe" to look for a good length.
        maximize: Go up.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([3.0, -4.0], requires_grad=True)
        >>> lbfgs = LBFGS([x], line_search_fn="strong_wolfe")
        >>> def closure():
        ...     lbfgs.zero_grad()
        ...     loss = (x * x).sum()
        ...     loss.backward()
        ...     return loss
        >>> lbfgs.step(closure).item(), float(x.abs().max().item()) < 1e-6
        (25.0, True)
    """

    options = (
        *("lr", "max_iter", "max_eval", "tolerance_grad", "tolerance_change"),
        *("history_size", "line_search_fn", "maximize"),
    )
    like_values = False  # vectors of all parameters

    def __init__(
        self,
        params: Any,
        lr: float = 1.0,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
        maximize: bool = False,
    ) -> None:
        require("LBFGS", lr=lr)
        if line_search_fn not in (None, "strong_wolfe"):
            raise RuntimeError(
                f"[LBFGS] got line_search_fn {line_search_fn!r}; need 'strong_wolfe' "
                "or None."
            )
        own: dict[str, Any] = {"lr": lr, "max_iter": max_iter}
        own["max_eval"] = max_iter * 5 // 4 if max_eval is None else max_eval
        own |= {"tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change}
        own |= {"history_size": history_size, "line_search_fn": line_search_fn}
        super().__init__(params, {**own, "maximize": maximize})
        if len(self.param_groups) != 1:
            raise ValueError(
                f"[LBFGS] got {len(self.param_groups)} groups; need one, for the "
                "directions are of all parameters together."
            )

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Goes on until nothing changes, or `max_iter` directions were tried.

        Args:
            closure: Clears the gradients, computes the loss, goes back, returns it.

        Returns:
            The loss before the step.
        """
        if closure is None:
            raise TypeError("[LBFGS] got no closure; need one: step(closure).")
        with no_grad():
            return _Descent(self, closure).run()

    def _values(self) -> list[Tensor]:
        found = self.param_groups[0]["params"]
        return [p.value if isinstance(p, Parameter) else p for p in found]


class _Descent:
    """One step: the function, where it stands, and what it remembers."""

    def __init__(self, optimizer: LBFGS, closure: Callable[[], Any]) -> None:
        self.values, self.closure = optimizer._values(), closure
        self.options = optimizer.param_groups[0]
        self.kept = optimizer.state[self.options["params"][0]]
        self.kept.setdefault("func_evals", 0)
        self.kept.setdefault("n_iter", 0)
        self.calls = 0

    def ask(self) -> tuple[Any, float, Array]:
        """The loss as it came, as a number, and the gradient as one vector."""
        with enable_grad():
            loss = self.closure()
        self.calls += 1
        self.kept["func_evals"] += 1
        rows = []
        for value in self.values:
            held = value.grad
            if held is None:
                rows.append(np.zeros(math.prod(value.shape), value.dtype.name))
            else:
                rows.append(Tensor.numpy(Tensor.detach(held)).reshape(-1))
        sign = -1 if self.options["maximize"] else 1
        return loss, sign * float(loss), sign * np.concatenate(rows)

    def place(self) -> Array:
        """All parameters as one vector."""
        rows = [Tensor.numpy(Tensor.detach(v)).reshape(-1) for v in self.values]
        return np.concatenate([row.copy() for row in rows])

    def go(self, place: Array) -> None:
        """Gives the parameters the numbers of a vector."""
        start = 0
        for value in self.values:
            stop = start + math.prod(value.shape)
            row = place[start:stop].reshape(tuple(value.shape))
            Tensor.copy_(
                value, tensor(row, dtype=value.dtype.name, device=str(value.device))
            )
            start = stop

    def run(self) -> Any:
        """Directions, one after another."""
        first, loss, slope = self.ask()
        options = self.options
        if not self._goes_on(slope):
            return first
        for number in range(1, options["max_iter"] + 1):
            self.kept["n_iter"] += 1
            way = self._direction(slope)
            self.kept["prev_flat_grad"], self.kept["prev_loss"] = slope, loss
            length = float(options["lr"])
            if self.kept["n_iter"] == 1:
                length *= min(1.0, 1.0 / float(np.abs(slope).sum()))
            falls = float(slope @ way)
            if falls > -options["tolerance_change"]:
                break
            before = loss
            last = number == options["max_iter"]
            loss, slope, length = self._move(way, length, loss, slope, falls, last)
            self.kept["d"], self.kept["t"] = way, length
            moved = float(np.abs(way * length).max())
            if (
                self.calls >= options["max_eval"]
                or not self._goes_on(slope)
                or moved <= options["tolerance_change"]
                or abs(loss - before) < options["tolerance_change"]
            ):
                break
        return first

    def _goes_on(self, slope: Array) -> bool:
        return bool(np.abs(slope).max(initial=0.0) > self.options["tolerance_grad"])

    def _direction(self, slope: Array) -> Array:
        """-(inverse of the curvature) times the gradient, by the two loops."""
        kept = self.kept
        if kept["n_iter"] == 1:
            kept |= {"old_dirs": [], "old_stps": [], "ro": [], "H_diag": 1.0}
            return -slope
        change, step = slope - kept["prev_flat_grad"], kept["d"] * kept["t"]
        bend = float(change @ step)
        if bend > _CURVED:
            if len(kept["old_dirs"]) == self.options["history_size"]:
                for name in ("old_dirs", "old_stps", "ro"):
                    kept[name].pop(0)
            kept["old_dirs"].append(change)
            kept["old_stps"].append(step)
            kept["ro"].append(1.0 / bend)
            kept["H_diag"] = bend / float(change @ change)
        rows = list(zip(kept["old_dirs"], kept["old_stps"], kept["ro"], strict=True))
        way, shares = -slope, []
        for old, moved, ro in reversed(rows):
            shares.append(float(moved @ way) * ro)
            way = way - shares[-1] * old
        way = way * slope.dtype.type(kept["H_diag"])
        for (old, moved, ro), share in zip(rows, reversed(shares), strict=True):
            way = way + (share - float(old @ way) * ro) * moved
        found: Array = way.astype(slope.dtype)
        return found

    def _move(
        self,
        way: Array,
        length: float,
        loss: float,
        slope: Array,
        falls: float,
        last: bool,
    ) -> tuple[float, Array, float]:
        """Goes along a direction; loss and gradient there, and how far it went."""
        start = self.place()
        if self.options["line_search_fn"] is None:
            self.go((start + length * way).astype(start.dtype))
            if not last:  # nobody reads it after the last
                _, loss, slope = self.ask()
            return loss, slope, length

        def at(far: float) -> tuple[float, Array]:
            self.go((start + far * way).astype(start.dtype))
            _, found, there = self.ask()
            return found, there

        found = _strong_wolfe(at, length, way, loss, slope, falls)
        far, loss, slope = found
        self.go((start + far * way).astype(start.dtype))
        return loss, slope, far


_Point = tuple[
    float, float, Array, float
]  # length, loss, gradient, slope along the way


def _between(a: _Point, b: _Point, low: float, high: float) -> float:
    """The minimum of the cubic through two points, within limits.

    Nocedal and Wright, "Numerical optimization" (2006), formula 3.59.
    """
    if a[0] > b[0]:
        a, b = b, a
    one = a[3] + b[3] - 3 * (a[1] - b[1]) / (a[0] - b[0])
    square = one * one - a[3] * b[3]
    if square < 0:
        return (low + high) / 2
    two = math.sqrt(square)
    place = b[0] - (b[0] - a[0]) * ((b[3] + two - one) / (b[3] - a[3] + 2 * two))
    return min(max(place, low), high)


def _strong_wolfe(
    at: Callable[[float], tuple[float, Array]],
    length: float,
    way: Array,
    loss: float,
    slope: Array,
    falls: float,
) -> tuple[float, float, Array]:
    """A length that lowers the loss enough, where the slope has become flat enough.

    Nocedal and Wright, algorithms 3.5 and 3.6.
    """
    start: _Point = (0.0, loss, slope, falls)
    last = start
    bracket: tuple[_Point, _Point] | None = None
    for trial in range(_MOST_TRIALS):
        found, there = at(length)
        here: _Point = (length, found, there, float(there @ way))
        high = found > loss + _ARMIJO * length * falls
        if high or (trial > 0 and found >= last[1]):
            bracket = (last, here)
            break
        if abs(here[3]) <= -_WOLFE * falls:
            return length, found, there
        if here[3] >= 0:
            bracket = (last, here)
            break
        low = length + 0.01 * (length - last[0])
        length, last = _between(last, here, low, length * 10), here
    if bracket is None:
        return last[0], last[1], last[2]
    best = _zoom(at, bracket, start, way)
    return best[0], best[1], best[2]


def _zoom(
    at: Callable[[float], tuple[float, Array]],
    bracket: tuple[_Point, _Point],
    start: _Point,
    way: Array,
) -> _Point:
    """Makes the bracket smaller until its lower end is good enough."""
    low, high = sorted(bracket, key=lambda point: point[1])
    wide = float(np.abs(way).max(initial=0.0))
    stuck = False
    for _ in range(_MOST_TRIALS):
        left, right = min(low[0], high[0]), max(low[0], high[0])
        if (right - left) * wide < 1e-9:
            break
        length = _between(low, high, left, right)
        margin = 0.1 * (right - left)
        if min(right - length, length - left) < margin:  # too near to an end
            if stuck or length >= right or length <= left:
                near_right = abs(length - right) < abs(length - left)
                length = right - margin if near_right else left + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        found, there = at(length)
        here: _Point = (length, found, there, float(there @ way))
        enough = found <= start[1] + _ARMIJO * length * start[3]
        if not enough or found >= low[1]:
            low, high = sorted((low, here), key=lambda point: point[1])
            continue
        if abs(here[3]) <= -_WOLFE * start[3]:
            return here
        if here[3] * (high[0] - low[0]) >= 0:
            high = low
        low = here
    return low

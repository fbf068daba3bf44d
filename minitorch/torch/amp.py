"""Owns `torch.amp`: blocks of lower precision, and the scaling of small gradients.

Ops keep their operands' dtype here, also inside of `autocast`: results are at least as
exact as PyTorch's, and memory is not saved. For 16 bits: `model.half()`.
"""

from __future__ import annotations

import functools
import math
from typing import Any

from ..gradients.function import no_grad
from .dtypes import bfloat16, dtype, float16

__all__ = ["GradScaler", "autocast"]


def __dir__() -> list[str]:
    return sorted(__all__)


class autocast:
    """A `with` block or decorator that PyTorch computes with 16 bits in; here it does
    not.

    Args:
        device_type: "cuda" or "cpu".
        dtype: float16 or bfloat16; what PyTorch would compute in.
        enabled, cache_enabled: For programs of PyTorch; change nothing.

    Raises:
        RuntimeError: Another device or dtype.

    Example:
        >>> import minitorch.torch as torch
        >>> with torch.amp.autocast("cpu", dtype=torch.bfloat16):
        ...     (torch.ones(2) * 2).dtype
        torch.float32
    """

    def __init__(
        self,
        device_type: str,
        dtype: Any = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        kind = str(device_type).partition(":")[0]
        if kind not in ("cuda", "cpu"):
            raise RuntimeError(
                f"[autocast] got device {device_type!r}; need 'cuda' or 'cpu'."
            )
        _require_half(dtype)
        self.device, self.enabled = kind, enabled

    def __enter__(self) -> autocast:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def __call__(self, function: Any) -> Any:
        @functools.wraps(function)
        def inside(*values: Any, **options: Any) -> Any:
            with self:
                return function(*values, **options)

        return inside


def _require_half(wanted: Any) -> None:
    if wanted is None or wanted in (float16, bfloat16):
        return
    shown = wanted if isinstance(wanted, dtype) else repr(wanted)
    raise RuntimeError(
        f"[autocast] got dtype {shown}; need torch.float16 or torch.bfloat16."
    )


class GradScaler:
    """Scales a loss up so that gradients of 16 bits do not vanish, and back down.

    After a step whose gradients overflowed the scale becomes smaller and the step is
    left out; after `growth_interval` good ones it becomes larger.

    Args:
        device: For programs of PyTorch.
        init_scale: The first scale.
        growth_factor, backoff_factor: Factors of a change.
        growth_interval: Good steps before the scale grows.
        enabled: False lets everything through as it is.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> sgd, scaler = torch.optim.SGD([x], lr=0.5), torch.amp.GradScaler()
        >>> scaler.scale((x * x).sum()).backward()
        >>> scaler.step(sgd)
        >>> scaler.update()
        >>> x.tolist()
        [0.0, 0.0]
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 65536.0,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        if enabled and not (growth_factor > 1 > backoff_factor):
            raise ValueError(
                f"[GradScaler] got factors {growth_factor} and {backoff_factor}; need "
                "one above 1, one below."
            )
        self._enabled, self._scale = enabled, float(init_scale)
        self._growth, self._backoff = growth_factor, backoff_factor
        self._interval, self._good = growth_interval, 0
        self._overflowed: dict[int, bool] = {}

    def is_enabled(self) -> bool:
        """Does it scale?"""
        return self._enabled

    def get_scale(self) -> float:
        """The scale now."""
        return self._scale if self._enabled else 1.0

    def scale(self, outputs: Any) -> Any:
        """The loss, or several in a list or tuple, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, list | tuple):
            return type(outputs)(self.scale(each) for each in outputs)
        return outputs * self._scale

    def unscale_(self, optimizer: Any) -> None:
        """Divides the gradients of an optimizer's parameters, once a step.

        Raises:
            RuntimeError: It was called twice before `update`.
        """
        if not self._enabled:
            return
        if id(optimizer) in self._overflowed:
            raise RuntimeError(
                "[GradScaler] got unscale_() twice for one step; need update() between."
            )
        worst = 0.0
        with no_grad():
            for parameter in optimizer.parameters:
                gradient = parameter.grad
                if gradient is not None:
                    parameter.grad = gradient = gradient.detach() / self._scale
                    total = float(gradient.abs().sum())
                    worst = total if not math.isfinite(total) else worst
        self._overflowed[id(optimizer)] = not math.isfinite(worst)

    def step(self, optimizer: Any, *values: Any, **options: Any) -> Any:
        """A step of the optimizer, unless its gradients overflowed."""
        if not self._enabled:
            return optimizer.step(*values, **options)
        if id(optimizer) not in self._overflowed:
            self.unscale_(optimizer)
        if self._overflowed[id(optimizer)]:
            return None
        return optimizer.step(*values, **options)

    def update(self, new_scale: Any = None) -> None:
        """Makes the scale fit, after the steps."""
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif any(self._overflowed.values()):
            self._scale, self._good = self._scale * self._backoff, 0
        else:
            self._good += 1
            if self._good == self._interval:
                self._scale, self._good = self._scale * self._growth, 0
        self._overflowed = {}

    def state_dict(self) -> dict[str, Any]:
        """What is needed to go on."""
        if not self._enabled:
            return {}
        return {
            "scale": self._scale,
            "growth_factor": self._growth,
            "backoff_factor": self._backoff,
            "growth_interval": self._interval,
            "_growth_tracker": self._good,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Goes on from a state."""
        if self._enabled:
            self._scale = float(state_dict["scale"])
            self._growth = state_dict["growth_factor"]
            self._backoff = state_dict["backoff_factor"]
            self._interval = state_dict["growth_interval"]
            self._good = state_dict["_growth_tracker"]

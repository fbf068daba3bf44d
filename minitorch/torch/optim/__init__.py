"""`torch.optim`: the optimizers under PyTorch's names and with its defaults.

They are minitorch.optim's, which work on tensors of either dialect.
"""

from __future__ import annotations

from typing import Any

from ... import optim
from ...optim import Optimizer, RMSprop
from . import lr_scheduler

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]


def __dir__() -> list[str]:
    return sorted(__all__)


class SGD(optim.SGD):
    """Stochastic gradient descent: see `minitorch.optim.SGD`.

    Args:
        params: Parameters, pairs of a name and one, or groups.
        lr: Size of a step.
        momentum, dampening, weight_decay, nesterov: As there.
        switches: `maximize=True` goes up; `foreach`, `fused` change nothing.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([3.0], requires_grad=True)
        >>> sgd = torch.optim.SGD([x], lr=0.5)
        >>> (x * x).sum().backward()
        >>> sgd.step()
        >>> x.item()
        0.0
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        **switches: Any,
    ) -> None:
        super().__init__(
            params, lr, momentum, dampening, weight_decay, nesterov, **switches
        )
        for each in (self.defaults, *self.param_groups):
            del each["capturable"]


class Adam(optim.Adam):
    """Steps scaled by running means: see `minitorch.optim.Adam`.

    Args:
        params: Parameters, pairs of a name and one, or groups.
        lr, betas, eps, weight_decay, amsgrad: As there.
        switches: `maximize=True` goes up, `capturable=True` counts on the device,
            `decoupled_weight_decay=True` is AdamW; `foreach`, `fused` change nothing.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([3.0], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> torch.optim.Adam([x], lr=0.5).step()
        >>> round(x.item(), 6)
        2.5
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        **switches: Any,
    ) -> None:
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad=amsgrad, **switches
        )


class AdamW(optim.AdamW):
    """Adam whose pull towards 0 is not scaled: see `minitorch.optim.AdamW`.

    Args:
        params: Parameters, pairs of a name and one, or groups.
        lr, betas, eps, weight_decay, amsgrad: As there.
        switches: See `Adam`.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([3.0], requires_grad=True)
        >>> (x * 0).sum().backward()
        >>> torch.optim.AdamW([x], lr=0.1, weight_decay=0.5).step()
        >>> round(x.item(), 6)
        2.85
    """

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
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad=amsgrad, **switches
        )

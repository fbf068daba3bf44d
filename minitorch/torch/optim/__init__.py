"""`torch.optim`: minitorch.optim, whose optimizers take tensors of either dialect."""

from __future__ import annotations

from typing import Any

from ... import optim
from ...optim import Adam, AdamW, Optimizer, RMSprop
from . import lr_scheduler

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]


def __dir__() -> list[str]:
    return sorted(__all__)


class SGD(optim.SGD):
    """Stochastic gradient descent with PyTorch's default: see `minitorch.optim.SGD`.

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
        self, params: Any, lr: float = 1e-3, *options: Any, **switches: Any
    ) -> None:
        super().__init__(params, lr, *options, **switches)

"""`torch.nn.utils`: gradient clipping, and sequences of different lengths."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from .... import optim
from ...arguments import require_torch
from ...tensor import Tensor
from . import rnn

__all__ = ["clip_grad_norm_", "clip_grad_value_", "rnn"]


def _of_torch(function: Callable[..., Any]) -> Any:
    """Return the function, restricted to parameters of PyTorch's dialect."""

    @functools.wraps(function)
    def call(parameters: Any, *args: Any, **options: Any) -> Any:
        if isinstance(parameters, Tensor) or not isinstance(parameters, Iterable):
            parameters = [parameters]
        kept = list(parameters)
        require_torch(function.__name__, *kept)
        result = function(kept, *args, **options)
        return None if result is None else result.as_torch()

    return call


clip_grad_norm_ = _of_torch(optim.clip_grad_norm_)
clip_grad_value_ = _of_torch(optim.clip_grad_value_)

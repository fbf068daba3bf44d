"""The functions of networks that are minitorch.functional's by the same name.

They take tensors of this dialect alone.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from .... import _core, functional
from ..arguments import computed, require_torch
from .losses import rename_reduction

__all__ = [
    "cosine_similarity",
    "dropout2d",
    "elu",
    "embedding_bag",
    "group_norm",
    "huber_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "logsigmoid",
    "normalize",
    "pad",
    "pixel_shuffle",
    "relu6",
    "rms_norm",
    "smooth_l1_loss",
    "softplus",
]


def _here(name: str) -> Callable[..., Any]:
    """The function, for tensors of PyTorch's dialect."""
    function = getattr(functional, name)
    is_loss = "reduction" in inspect.signature(function).parameters

    @functools.wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        require_torch(name, *args[:1])
        if is_loss:
            rename_reduction(name, options)
        given = (*args[1:], *options.values())
        require_torch(name, *(v for v in given if isinstance(v, _core.Tensor)))
        return computed(function, *args, **options)

    return called


cosine_similarity = _here("cosine_similarity")
dropout2d = _here("dropout2d")
elu = _here("elu")
embedding_bag = _here("embedding_bag")
group_norm = _here("group_norm")
huber_loss = _here("huber_loss")
instance_norm = _here("instance_norm")
interpolate = _here("interpolate")
kl_div = _here("kl_div")
logsigmoid = _here("logsigmoid")
normalize = _here("normalize")
pad = _here("pad")
pixel_shuffle = _here("pixel_shuffle")
relu6 = _here("relu6")
rms_norm = _here("rms_norm")
smooth_l1_loss = _here("smooth_l1_loss")
softplus = _here("softplus")

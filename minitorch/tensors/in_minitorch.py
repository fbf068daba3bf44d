"""Constructors of tensors in MiniTorch's dialect.

Those of `create` and `create_ranges` serve every dialect: what they make has none, and
the library computes with it beside anything. These say that a tensor is MiniTorch's, so
that it never meets one of `minitorch.torch` by accident.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, cast

from . import create, create_ranges, interchange

if TYPE_CHECKING:
    from ..tensor import Tensor

P = ParamSpec("P")


def in_minitorch(make: Callable[P, Any]) -> Callable[P, Tensor]:
    """Decorate `make` so that its tensors have MiniTorch's dialect."""

    @functools.wraps(make)
    def call(*args: P.args, **options: P.kwargs) -> Tensor:
        return cast("Tensor", make(*args, **options)._say_minitorch())

    return call


arange = in_minitorch(create_ranges.arange)
empty = in_minitorch(create.empty)
empty_like = in_minitorch(create_ranges.empty_like)
eye = in_minitorch(create_ranges.eye)
from_dlpack = in_minitorch(interchange.from_dlpack)
from_numpy = in_minitorch(interchange.from_numpy)
full = in_minitorch(create.full)
full_like = in_minitorch(create_ranges.full_like)
linspace = in_minitorch(create_ranges.linspace)
ones = in_minitorch(create.ones)
ones_like = in_minitorch(create_ranges.ones_like)
rand = in_minitorch(create.rand)
rand_like = in_minitorch(create_ranges.rand_like)
randint = in_minitorch(create_ranges.randint)
randn = in_minitorch(create.randn)
randn_like = in_minitorch(create_ranges.randn_like)
tensor = in_minitorch(create.tensor)
zeros = in_minitorch(create.zeros)
zeros_like = in_minitorch(create_ranges.zeros_like)

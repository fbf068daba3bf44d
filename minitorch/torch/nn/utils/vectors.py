"""Owns parameters as one vector, and back. Must not know modules."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from .... import _core
from ...tensor import Tensor
from ..arguments import require_torch


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All elements of all parameters, one after another: (elements,).

    Example:
        >>> from minitorch.torch import nn
        >>> parameters_to_vector(nn.Linear(3, 2).parameters()).numel()
        8
    """
    kept = list(parameters)
    require_torch("parameters_to_vector", *kept)
    rows: list[Any] = [each._reshape((-1,)) for each in kept]
    return cast(Tensor, _core.cat(rows, 0))


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Gives parameters the elements of a vector, one after another.

    The parameters show the vector's memory from then on, as PyTorch's do.

    Raises:
        TypeError: `vec` is no tensor.
        RuntimeError: It is too short.

    Example:
        >>> import minitorch.torch as torch
        >>> layer = torch.nn.Linear(2, 1)
        >>> vector_to_parameters(torch.ones(3), layer.parameters())
        >>> layer(torch.ones(1, 2)).item()
        3.0
    """
    require_torch("vector_to_parameters", vec)
    place = 0
    for each in parameters:
        require_torch("vector_to_parameters", each)
        count = each.numel()
        if place + count > vec.numel():
            raise RuntimeError(
                f"[vector_to_parameters] got {vec.numel()} elements; need those of all "
                "parameters."
            )
        part: Any = vec.detach()._slice(0, place, place + count, 1)
        each._set_data(part._reshape(tuple(each.shape)))
        place += count

"""How many operations an op has by its formula."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..network.work import convolution, product
from .records import Record

_BY_ELEMENT = ("add", "mul")


def flops_of(scope: Record) -> int:
    """Operations of an op, as PyTorch counts them.

    Two for each multiply-add of a product or convolution, also on its way back; one for
    each element of a sum or product by element; 0 for all else.
    """
    name, shapes, output = scope["name"], scope["shapes"], scope["output"]
    try:
        return 2 * _macs(name, shapes, output) or _elements(name, shapes)
    except ValueError:  # shapes that did not fit: the op has refused them
        return 0


def _macs(
    name: str, shapes: Sequence[tuple[int, ...]], output: tuple[int, ...] | None
) -> int:
    if len(shapes) < 2:
        return 0
    first, second = shapes[:2]
    if name == "matmul":
        return product(first, second)
    if name == "conv2d_grad_input":  # of the gradient and the weight
        return convolution(first, second)
    if output is not None and name == "conv2d":
        return convolution(output, second)
    if output is not None and name == "conv2d_grad_weight":
        return convolution(first, output)
    return 0


def _elements(name: str, shapes: Sequence[tuple[int, ...]]) -> int:
    if name not in _BY_ELEMENT or not shapes:
        return 0
    return math.prod(np.broadcast_shapes(*map(tuple, shapes)))

"""Useful multiply-adds of layers, by formulas from shapes.

A cell of a convolution's padding counts as any other, as it does everywhere else.
Elementwise functions, normalisation and pooling have no multiply-adds in this sense,
though a compiler makes some of their sums and products into such instructions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

Shape = Sequence[int]


def product(a: Shape, b: Shape) -> int:
    """Return the multiply-adds of `a @ b`: one per output element and inner index.

    Args:
        a: (..., m, k); b: (..., k, n), whose leading dimensions broadcast.

    Raises:
        ValueError: the shapes do not fit.

    Example:
        >>> product((64, 32), (32, 8))
        16384
        >>> product((5, 1, 2, 3), (4, 3, 7))
        840
    """
    if len(a) < 2 or len(b) < 2 or a[-1] != b[-2]:
        raise ValueError(
            f"[product] got shapes {tuple(a)} and {tuple(b)}; need (..., m, k) and "
            "(..., k, n)."
        )
    leading = np.broadcast_shapes(tuple(a[:-2]), tuple(b[:-2]))
    return math.prod(leading) * a[-2] * a[-1] * b[-1]


def convolution(out: Shape, weight: Shape) -> int:
    """Return the multiply-adds of a convolution: one per output element and tap.

    Its two gradients have as many: each product goes into them once.

    Args:
        out: (batch, outputs, rows, columns), or of one or three spatial dimensions.
        weight: (outputs, channels / groups, kernel rows, kernel columns).

    Raises:
        ValueError: the shapes do not fit.

    Example:
        >>> convolution((1, 64, 112, 112), (64, 3, 7, 7))  # the first of ResNet-50
        118013952
    """
    if len(out) != len(weight) or len(out) < 3 or out[1] != weight[0]:
        raise ValueError(
            f"[convolution] got output shape {tuple(out)} and weight shape "
            f"{tuple(weight)}; need (batch, outputs, ...) and (outputs, channels, "
            "...)."
        )
    return math.prod(out) * math.prod(weight[1:])


def useful_macs(kernel: str, shapes: Mapping[str, Shape]) -> int:
    """Multiply-adds that the formula of a kernel's layer has; 0 for one without.

    Args:
        kernel: the entry of one of the library's kernels, such as "conv2d".
        shapes: of its arrays, by the names of its parameters.

    Example:
        >>> useful_macs("conv2d", {"out": (1, 6, 24, 24), "w": (6, 1, 5, 5)})
        86400
        >>> useful_macs("zip", {"out": (8,), "a": (8,), "b": (8,)})
        0
    """
    formula = _FORMULAS.get(kernel)
    if formula is None:
        return 0
    function, first, second = formula
    if first not in shapes or second not in shapes:
        return 0
    return function(shapes[first], shapes[second])


# The arrays of each kernel that its formula looks at; `g` is the output's gradient.
_FORMULAS = {
    "matmul_naive": (product, "a", "b"),
    "matmul_tiled": (product, "a", "b"),
    "conv2d": (convolution, "out", "w"),
    "conv2d_tiled": (convolution, "out", "w"),
    "conv2d_grad_input": (convolution, "g", "w"),
    "conv2d_grad_weight": (convolution, "g", "dw"),
    "conv2d_grad_input_tiled": (convolution, "g", "w"),
    "conv2d_grad_weight_tiled": (convolution, "g", "dw"),
}

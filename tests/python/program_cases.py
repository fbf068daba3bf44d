"""The list of kernels that plain Python judges.

See flow_kernels and value_kernels.
"""

from __future__ import annotations

import numpy as np

#: Kernels with the arguments of their one call.
CASES = []


def case(*arguments):
    """Add the decorated function, to be called with these arguments."""

    def note(function):
        CASES.append((function, arguments))
        return function

    return note


def integers(*shape):
    """Small int64 of both signs."""
    return (np.arange(np.prod(shape)) * 3 % 7 - 2).reshape(shape).astype(np.int64)


def floats(*shape):
    """Small float64 of both signs, halves among them."""
    return (np.arange(np.prod(shape)) * 3 % 7 - 2.5).reshape(shape)

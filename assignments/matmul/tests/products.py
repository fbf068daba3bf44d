"""The products that public tests ask for: matrices, grids, NumPy's result."""

from __future__ import annotations

from typing import Any

import numpy as np
from launches import launched, poisoned

# (m, k, n): one cell, around a warp, primes, more rows than columns and the reverse.
SIZES = [(1, 1, 1), (31, 33, 32), (13, 17, 19), (70, 5, 3), (3, 40, 70)]
Pair = tuple[int, int]


def matrix(rows: int, columns: int) -> np.ndarray:
    """Small whole numbers: products are exact in any order."""
    numbers = np.arange(rows * columns) * 5 % 11 - 5
    return numbers.astype(np.float32).reshape(rows, columns)


def product(
    kernel: Any, size: tuple[int, int, int], block: Pair, cells: Pair, *also: int
) -> Any:
    """Launch a kernel and compare with NumPy.

    Args:
        kernel: Takes c, a, b, and `also`.
        size: m, k, n.
        block: Threads in x and y.
        cells: How many columns and rows of c a block makes.

    Returns:
        the record of the launch.
    """
    m, k, n = size
    a, b = matrix(m, k), matrix(k, n)
    grid = -(-n // cells[0]), -(-m // cells[1])
    (c, *_), launch = launched(kernel, grid, block, poisoned(m, n), a, b, *also)
    np.testing.assert_array_equal(c, a @ b)
    return launch

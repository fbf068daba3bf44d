"""What students see of tasks 7.1 to 7.3: products, and what they may cost."""

from __future__ import annotations

import matmul
import pytest
from launches import compare
from products import SIZES, product

TILE = (matmul.TILE, matmul.TILE)
SIDE = (matmul.SIDE, matmul.SIDE)
WIDE = (matmul.WIDE, matmul.WIDE)


@pytest.mark.task7_1
@pytest.mark.parametrize("size", SIZES)
def test_coalesced(size: tuple[int, int, int]) -> None:
    """Threads without a cell of c do nothing."""
    product(matmul.matmul_coalesced, size, (32, 8), (32, 8))


@pytest.mark.task7_1
def test_cost_of_coalesced() -> None:
    """For 32 products a warp asks for 4 sectors of b and 1 of a; all threads work."""
    m, k, n = 16, 24, 64
    launch = product(matmul.matmul_coalesced, (m, k, n), (32, 8), (32, 8))
    compare(launch, global_sectors=m * n // 32 * (k * 5 + 4))
    compare(launch, ptx_warp_instructions=m * k * n // 32 * 18)


@pytest.mark.task7_2
@pytest.mark.parametrize("size", SIZES)
def test_tiled(size: tuple[int, int, int]) -> None:
    """Tiles at the edges are only partly full."""
    product(matmul.matmul_tiled, size, TILE, TILE)


@pytest.mark.task7_2
def test_cost_of_tiled() -> None:
    """Each number of a tile is read from global memory once, by one thread."""
    m, k, n = 32, 48, 64
    launch = product(matmul.matmul_tiled, (m, k, n), TILE, TILE)
    blocks, tiles = m * n // 256, k // 16
    compare(launch, global_sectors=blocks * (tiles * 64 + 32))
    compare(launch, shared_passes=blocks * tiles * 8 * 34, shared_bank_conflicts=0)
    compare(launch, ptx_warp_instructions=m * k * n // 32 * 16)


@pytest.mark.task7_3
@pytest.mark.parametrize("size", SIZES)
def test_blocked(size: tuple[int, int, int]) -> None:
    """Each thread has 16 cells; some of them may lie outside of c."""
    product(matmul.matmul_blocked, size, SIDE, WIDE)


@pytest.mark.task7_3
def test_cost_of_blocked() -> None:
    """For 16 products a thread reads 8 numbers from shared memory."""
    m, k, n = 32, 24, 64
    launch = product(matmul.matmul_blocked, (m, k, n), SIDE, WIDE)
    blocks, tiles = m * n // 1024, k // 8
    compare(launch, global_sectors=blocks * (tiles * 64 + 128))
    compare(launch, shared_passes=blocks * tiles * 2 * (8 * 8 + 8))
    compare(launch, ptx_warp_instructions=m * k * n // 32 * 9)

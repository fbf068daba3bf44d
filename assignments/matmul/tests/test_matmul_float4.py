"""What students see of task 7.4: products, and what they may cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from launches import compare
from products import SIZES, product

from minitorch_cuda import cuda

FILE = Path(__file__).resolve().parents[1] / "matmul_float4.cu"


def product_of(m: int, k: int, n: int) -> Any:
    """Launch the student's kernel; the compiler's words if it refuses it."""
    kernel = cuda.RawKernel(FILE.read_text("utf-8"), "matmul_float4")
    return product(kernel, (m, k, n), (16, 16), (64, 64), m, k, n)


@pytest.mark.task7_4
@pytest.mark.parametrize("size", SIZES)
def test_float4(size: tuple[int, int, int]) -> None:
    """k and n are rounded up to multiples of 4."""
    m, k, n = size
    product_of(m, k + -k % 4, n + -n % 4)


@pytest.mark.task7_4
def test_cost_of_float4() -> None:
    """256 threads load a tile of 1,024 numbers with one instruction of each warp."""
    m, k, n = 64, 32, 128
    launch = product_of(m, k, n)
    blocks, tiles = m * n // 4096, k // 16
    compare(launch, global_sectors=blocks * (tiles * 256 + 512))
    compare(launch, global_load_requests=blocks * tiles * 16)
    compare(launch, global_store_requests=blocks * 32)
    compare(launch, shared_passes=blocks * tiles * 8 * (16 * 8 + 8))
    compare(launch, ptx_warp_instructions=m * k * n // 32 * 11 // 4)

"""Owns the advice for races of a line of a Python kernel with itself."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda

pytestmark = pytest.mark.cuda


@pytest.fixture(autouse=True)
def _need_the_emulator():
    if not cuda.is_emulated():
        pytest.skip("a GPU does not find races")


def fault() -> cuda.KernelError:
    with pytest.raises(cuda.KernelError) as caught:
        cuda.synchronize()
    return caught.value


def test_a_race_within_one_line_asks_for_an_atomic():
    @cuda.jit
    def total(out):
        out[0] += 1

    total[1, 64](cuda.to_device(np.zeros(1)))
    message = str(fault())
    assert "[total] race on out[0]: " in message
    assert "use cuda.atomic.add or its like" in message


def test_a_line_that_reads_its_neighbour_needs_a_barrier_or_another_array():
    @cuda.jit
    def rounds(x):
        i, half = cuda.threadIdx.x, 32
        while half > 0:
            if i < half:
                x[i] += x[i + half]
            half //= 2

    rounds[1, 64](cuda.to_device(np.ones(64)))
    message = str(fault())
    assert "put cuda.syncthreads() between the rounds of a loop" in message

    @cuda.jit
    def shift(x):
        i = cuda.grid(1)
        if i < x.size - 1:
            x[i] = x[i + 1]

    shift[64, 1](cuda.to_device(np.ones(64)))
    message = str(fault())
    assert "read one array and write another, or use a second launch" in message

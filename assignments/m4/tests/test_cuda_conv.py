"""The tests of task 4.4b: the same convolutions by kernels of your own."""

from __future__ import annotations

import numba.cuda
import pytest
from minitorch.cuda_conv import cuda_conv1d, cuda_conv2d

import minitorch

from .samples import check_convolution, drawn

pytestmark = [
    pytest.mark.task4_4b,
    pytest.mark.skipif(not numba.cuda.is_available(), reason="needs device cuda"),
]

CudaBackend = minitorch.TensorBackend(minitorch.CudaOps)


def compare(convolve, x_shape, w_shape) -> None:
    __tracebackhide__ = True
    for turned in (False, True):
        for reverse, sign in [(False, 1), (True, -1)]:
            x = drawn(*x_shape, turned=turned)
            w = drawn(*w_shape, seed=1, turned=turned)
            there = [
                drawn(*shape, seed=seed, turned=turned, backend=CudaBackend)
                for seed, shape in enumerate((x_shape, w_shape))
            ]
            for t in there:
                t._type_(CudaBackend)
            check_convolution(x, w, convolve(*there, reverse), sign)


def test_cuda_conv1d() -> None:
    """A signal in one tile."""
    compare(cuda_conv1d, (1, 1, 6), (1, 1, 3))


def test_cuda_conv1d_tiles() -> None:
    """Tiles that reach over their edge, batches and channels."""
    compare(cuda_conv1d, (2, 2, 45), (2, 2, 5))


def test_cuda_conv2d() -> None:
    """An image in one tile."""
    compare(cuda_conv2d, (1, 1, 5, 4), (1, 1, 2, 3))


def test_cuda_conv2d_tiles() -> None:
    """Tiles that reach over their edges, batches and channels."""
    compare(cuda_conv2d, (2, 2, 17, 19), (2, 2, 3, 2))

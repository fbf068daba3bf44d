"""Owns the tests of `cuda.jit` and what it gives, but for arguments and findings."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda

pytestmark = pytest.mark.cuda


@cuda.jit
def axpy(a, x, y):
    """Add a times x to y."""
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


def plain_scale(x, factor):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= factor


FLOATS = cuda.float64[::1]


@pytest.mark.parametrize(
    "make",
    [
        cuda.jit,
        cuda.jit(),
        cuda.jit(fastmath=True),
        cuda.jit("void(float64[:], int64)"),
        cuda.jit("float64[:], int64"),
        cuda.jit(cuda.void(cuda.float64[:], cuda.int64)),
        cuda.jit((cuda.float64[:], cuda.int64)),
        cuda.jit(["void(float64[:], int64)", "void(float32[:], int64)"]),
        cuda.jit([cuda.void(FLOATS, cuda.int64), (FLOATS, cuda.float64)]),
    ],
)
def test_every_form_of_jit_gives_a_kernel(make):
    kernel = make(plain_scale)
    x = cuda.to_device(np.arange(40.0))
    kernel[2, 32](x, 3)
    assert np.array_equal(x.copy_to_host(), 3 * np.arange(40.0))


def test_a_kernel_looks_like_its_function():
    assert axpy.__name__ == "axpy"
    assert axpy.__doc__ == "Add a times x to y."
    assert axpy.py_func.__code__.co_argcount == 3
    assert "axpy" in repr(axpy)

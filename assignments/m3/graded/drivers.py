"""The ways from arrays to the functions of module 3 and back, in the author.

What is expected is not known here: whoever reads this file learns only what is called.
"""

from __future__ import annotations

import random

import numpy as np
from numba import njit

import minitorch
from minitorch import fast_ops


def _bent(x):
    return 2.0 * x * x - 3.0 * x + 0.5


def _mixed(x, y):
    return x * y - 2.0 * y + 0.25


_LARGER = minitorch.operators.max


def _strides(shape):
    steps = [1]
    for size in shape[:0:-1]:
        steps.insert(0, steps[0] * int(size))
    return np.array(steps[: len(shape)], np.int64)


def _empty(shape):
    """A storage in which no number is right, and how it lies."""
    shape = np.array(shape, np.int64)
    return np.full(int(np.prod(shape)), -777.0), shape, _strides(shape)


def fast_map(out_shape, storage, shape, strides):
    """tensor_map of a function over any layout, broadcast to `out_shape`."""
    out = _empty(out_shape)
    fast_ops.tensor_map(njit()(_bent))(*out, storage, shape, strides)
    return out[0].reshape(tuple(out_shape))


def fast_map_turned(storage, shape, strides):
    """As `fast_map`, into an output that lies as the input does."""
    out = np.full(len(storage), -777.0)
    kernel = fast_ops.tensor_map(njit()(_bent))
    kernel(out, shape, strides, storage, shape, strides)
    return out


def fast_zip(out_shape, a, a_shape, a_strides, b, b_shape, b_strides):
    """tensor_zip of a function over any two layouts."""
    out = _empty(out_shape)
    kernel = fast_ops.tensor_zip(njit()(_mixed))
    kernel(*out, a, a_shape, a_strides, b, b_shape, b_strides)
    return out[0].reshape(tuple(out_shape))


def fast_reduce(storage, shape, strides, dim, start, larger):
    """tensor_reduce along `dim`, from `start`: the sum, or the largest."""
    out, out_shape, out_strides = _empty([*shape[:dim], 1, *shape[dim + 1 :]])
    out[:] = start
    fn = _LARGER if larger else minitorch.operators.add
    kernel = fast_ops.tensor_reduce(njit()(fn))
    kernel(out, out_shape, out_strides, storage, shape, strides, int(dim))
    return out.reshape(tuple(out_shape))


def fast_matmul(out_shape, a, a_shape, a_strides, b, b_shape, b_strides):
    """tensor_matrix_multiply of batches in any two layouts."""
    out = _empty(out_shape)
    fast_ops.tensor_matrix_multiply(*out, a, a_shape, a_strides, b, b_shape, b_strides)
    return out[0].reshape(tuple(out_shape))


def learned(points, labels, secret):
    """Probabilities for points that were not learned from."""
    from project.run_fast_tensor import train

    random.seed(3)
    predict = train(points.tolist(), [int(label) for label in labels])
    return np.array(predict(secret.tolist()), np.float64)

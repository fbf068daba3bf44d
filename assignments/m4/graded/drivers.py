"""The ways from arrays to the functions of module 4 and back, in the author.

What is expected is not known here: whoever reads this file learns only what is called.
"""

from __future__ import annotations

import random

import numpy as np

import minitorch

_FAST = minitorch.TensorBackend(minitorch.FastOps)


def _tensor(array, turned=False):
    """A tensor of an array, laid out row by row or with the first dimension fastest."""
    if not turned:
        data = minitorch.TensorData([float(x) for x in array.ravel()], array.shape)
        return minitorch.Tensor(data, backend=_FAST)
    numbers = [float(x) for x in array.T.ravel()]
    data = minitorch.TensorData(numbers, array.shape[::-1])
    order = range(array.ndim - 1, -1, -1)
    return minitorch.Tensor(data.permute(*order), backend=_FAST)


def _array(tensor):
    out = np.empty(tensor.shape, np.float64)
    for index in np.ndindex(*tensor.shape):
        out[index] = tensor[index]
    return out


def _gradients(fn, arrays, d, turned=False):
    """The derivatives of sum(fn(...) * d) by each array, one behind the other."""
    inputs = [_tensor(a, turned) for a in arrays]
    for each in inputs:
        each.requires_grad_(True)
    (fn(*inputs) * _tensor(d)).sum().backward()
    return np.concatenate([_array(each.grad).ravel() for each in inputs])


def conv1d(x, w, turned):
    return _array(minitorch.conv1d(_tensor(x, turned), _tensor(w, turned)))


def conv1d_gradients(x, w, d, turned):
    return _gradients(minitorch.conv1d, (x, w), d, turned)


def conv2d(x, w, turned):
    return _array(minitorch.conv2d(_tensor(x, turned), _tensor(w, turned)))


def conv2d_gradients(x, w, d, turned):
    return _gradients(minitorch.conv2d, (x, w), d, turned)


def tile(x, rows, columns, turned):
    """The tiles, each sorted: which cell of a tile is where does not matter."""
    tiles, height, width = minitorch.tile(_tensor(x, turned), (rows, columns))
    assert tiles.shape[2:4] == (height, width)
    return np.sort(_array(tiles), axis=-1)


def avgpool(x, rows, columns, turned):
    return _array(minitorch.avgpool2d(_tensor(x, turned), (rows, columns)))


def maxpool(x, rows, columns, turned):
    return _array(minitorch.maxpool2d(_tensor(x, turned), (rows, columns)))


def largest(x, dim, turned):
    return _array(minitorch.max(_tensor(x, turned), int(dim)))


def largest_gradients(x, dim, d):
    return _gradients(lambda t: minitorch.max(t, int(dim)), (x,), d)


def softmax(x, dim, turned):
    return _array(minitorch.softmax(_tensor(x, turned), int(dim)))


def logsoftmax(x, dim, turned):
    return _array(minitorch.logsoftmax(_tensor(x, turned), int(dim)))


def dropout(x, rate, ignore):
    random.seed(11)
    return _array(minitorch.dropout(_tensor(x), float(rate), bool(ignore)))


def learned(images, labels, asked):
    """Probabilities of four labels for images that were not learned from."""
    from project.run_mnist_multiclass import train

    random.seed(3)
    predict = train(images.tolist(), [int(label) for label in labels])
    return np.array(predict(asked.tolist()), np.float64)

"""Holds what the judge has called: plain functions of arrays and numbers."""

import numpy as np

import minitorch
from minitorch import TensorData, tensor_map, tensor_reduce, tensor_zip


def _integers(array):
    return tuple(int(each) for each in array)


def _laid(array, order):
    """A tensor with the numbers of an array, its dimensions in memory in an order."""
    order = _integers(order)
    row = np.ascontiguousarray(np.transpose(array, order))
    strides = [0] * len(order)
    step = 1
    for axis in reversed(order):
        strides[axis] = step
        step *= array.shape[axis]
    return TensorData(row.reshape(-1).copy(), _integers(array.shape), tuple(strides))


def _array(data):
    """The numbers of a tensor, found without any function of the submission."""
    steps = [8 * step for step in data.strides]
    row = np.ascontiguousarray(data._storage, dtype=float)
    view = np.lib.stride_tricks.as_strided(row, data.shape, steps, writeable=False)
    return np.array(view)


def positions(indices, strides):
    return np.array(
        [minitorch.index_to_position(index, strides.tolist()) for index in indices]
    )


def enumerated(shape):
    """The index of each ordinal, in a list and in an array that is longer."""
    sizes = _integers(shape)
    found = []
    for ordinal in range(int(np.prod(sizes))):
        exact, longer = [0] * len(sizes), np.full(len(sizes) + 2, 7, np.int32)
        minitorch.to_index(ordinal, sizes, exact)
        minitorch.to_index(ordinal, sizes, longer)
        found.append([*exact, *longer])
    return np.array(found, int)


def permuted(array, layout, order):
    """Shape, strides and numbers; is it the same row, is the tensor as it was?"""
    data = _laid(array, layout)
    before = (data.shape, data.strides)
    other = data.permute(*_integers(order))
    facts = [np.shares_memory(other._storage, data._storage)]
    facts += [(data.shape, data.strides) == before, other is not data]
    return [
        np.array(other.shape),
        np.array(other.strides),
        _array(other),
        np.array(facts),
    ]


def broadcast(first, second):
    """The shape, or [-1] where two do not fit."""
    try:
        return np.array(
            minitorch.shape_broadcast(_integers(first), _integers(second)), int
        )
    except minitorch.IndexingError:
        return np.array([-1])


def broadcast_indices(big_shape, shape):
    """The small index of each big one, which must stay as it was."""
    big, small = _integers(big_shape), _integers(shape)
    found = []
    for index in np.ndindex(*big):
        given, out = list(index), [7] * (len(small) + 1)
        minitorch.broadcast_index(given, big, small, out)
        found.append([*out, *given])
    return np.array(found, int)


def mapped(out, out_order, a, order):
    """out = 0.5 a + 1, and a afterwards."""
    result, given = _laid(out, out_order), _laid(a, order)
    tensor_map(lambda x: 0.5 * x + 1)(*result.tuple(), *given.tuple())
    return [_array(result), _array(given)]


def zipped(out, out_order, a, a_order, b, b_order):
    """out = a - 2 b, and both afterwards."""
    result, first, second = _laid(out, out_order), _laid(a, a_order), _laid(b, b_order)
    kernel = tensor_zip(lambda x, y: x - 2 * y)
    kernel(*result.tuple(), *first.tuple(), *second.tuple())
    return [_array(result), _array(first), _array(second)]


def reduced(out, out_order, a, order, dim):
    """out = ... 0.5 (0.5 out + a_0) + a_1 ..., and a afterwards."""
    result, given = _laid(out, out_order), _laid(a, order)
    kernel = tensor_reduce(lambda total, x: 0.5 * total + x)
    kernel(*result.tuple(), *given.tuple(), dim)
    return [_array(result), _array(given)]


def _tensor(array, order=None, grad=False):
    order = range(array.ndim) if order is None else order
    made = minitorch.Tensor(_laid(array, order), backend=minitorch.SimpleBackend)
    made.requires_grad_(grad)
    return made


def _numbers(tensor):
    return _array(tensor._tensor)


def functions(a, order, b):
    """Every function, forward."""
    x, y = _tensor(a, order), _tensor(b)
    results = [x * y, x.sigmoid(), x.relu(), (x * x).log(), (x * 0.1).exp()]
    results += [
        x < y,
        x > y,
        x == y,
        x == x * 1.0,
        x.is_close(y),
        x.is_close(x + 0.005),
    ]
    results += [x.permute(*reversed(range(x.dims))), x.permute(*_integers(order))]
    results += [x.sum(0), x.mean(x.dims - 1), x.sum(), (x == x).all()]
    return [_numbers(each) for each in results]


_ONE = (
    lambda x: x.sigmoid(),
    lambda x: x.relu(),
    lambda x: (x * 0.1).exp(),
    lambda x: (x * x).log(),
    lambda x: 1.0 / (x * x + 1.0),
)
_TWO = (
    lambda x, y: x * y,
    lambda x, y: x * (x < y) + y,
    lambda x, y: x + (x == y) * y + y,
)


def gradients(a, order, b, weights):
    """Gradients of functions, weighted so that cells can be told apart."""
    w = _tensor(weights)
    found = []
    for function in _ONE:
        x = _tensor(a, order, grad=True)
        (function(x) * w).sum().backward()
        found.append(_numbers(x.grad))
    for function in _TWO:
        x, y = _tensor(a, order, grad=True), _tensor(b, order, grad=True)
        (function(x, y) * w).sum().backward()
        found += [_numbers(x.grad), _numbers(y.grad)]
    return found


def broadcast_gradients(a, b, weights):
    """Gradients of a + b and a < b where both are broadcast; their shapes count."""
    w = _tensor(weights)
    x, y = _tensor(a, grad=True), _tensor(b, grad=True)
    ((x + y) * w + (x < y)).sum().backward()
    return [_numbers(x.grad), _numbers(y.grad)]


def permuted_gradient(a, layout, order, weights):
    """The gradient of a permuted tensor."""
    x, w = _tensor(a, layout, grad=True), _tensor(weights)
    (x.permute(*_integers(order)) + w * 0.0).sum().backward()
    first = _numbers(x.grad)
    z = _tensor(a, layout, grad=True)
    z.permute(*_integers(order)).backward(w)
    return [first, _numbers(z.grad)]


def learned(points, labels, asked):
    """Probabilities of the label 1 for points that were not trained on."""
    from project.run_tensor import train

    predict = train(points.tolist(), [int(label) for label in labels])
    return np.array([float(each) for each in predict(asked.tolist())])

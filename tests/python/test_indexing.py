"""The comparison of indexing, assignment, joining and choosing with NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minitorch
import minitorch.functional as F

from .tensors import DEVICES, layouts, need, on, shapes


@st.composite
def basic_keys(draw, shape):
    """Integers, slices of either direction, None and Ellipsis that fit the shape."""
    key = []
    for size in shape[: draw(st.integers(0, len(shape)))]:
        ends = st.none() | st.integers(-size - 2, size + 2)
        steps = st.sampled_from([None, 1, 2, -1, -2, 7, -(2**62)])
        options = [st.builds(slice, ends, ends, steps)]
        if size:
            options.append(st.integers(-size, size - 1))
        key.append(draw(st.one_of(options)))
        if draw(st.integers(0, 4)) == 0:
            key.append(None)
    if draw(st.booleans()):
        key.insert(len(key), Ellipsis)
    return tuple(key)


def same(got, expected):
    if isinstance(got, minitorch.Tensor):
        got = got.numpy()
    assert np.shape(got) == np.shape(expected)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("device", DEVICES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_views_agree_with_numpy(device, data):
    need(device)
    x = data.draw(layouts(data.draw(shapes()), "float64"))
    key = data.draw(basic_keys(x.shape))
    t = on(device, x)
    same(t[key], x[key])
    written, copy = on(device, x.copy()), x.copy()
    written[key] = 9
    copy[key] = 9
    same(written, copy)


FANCY = [
    ((5,), [0, -1, 0]),
    ((5,), np.array([[0, 1], [4, -5]])),
    ((5,), np.array([], dtype="int64")),
    ((5,), []),
    ((5, 4), [4, 0]),
    ((5, 4), (slice(None), [3, 0, 3])),
    ((5, 4), ([0, 1, 2], [3, 2, 1])),
    ((5, 4), ([[0], [1]], [3, 2, 1])),
    ((5, 4), (slice(1, 4), [3, -1])),
    ((5, 4), (2, [3, -1])),
    ((5, 4), ([3, -1], 2)),
    ((5, 4, 3), (0, slice(None), [2, 0])),  # an integer apart from the array
    ((5, 4, 3), ([0, 1], slice(None), [2, 0])),
    ((5, 4, 3), (slice(None), [0, 1], [2, 0])),
    ((5, 4, 3), (slice(None, None, -2), [0, 1], None, [2, 0])),
    ((5, 4, 3), (Ellipsis, [2, 0, 0])),
    ((5, 4, 3), (None, [2, 0], Ellipsis, 1)),
    ((5,), np.array([True, False, True, False, True])),
    ((5, 4), np.array([True, False, True, False, True])),
    ((5, 4), (slice(None), np.array([True, False, False, True]))),
    ((5, 4), np.arange(20).reshape(5, 4) % 3 == 0),
    ((5, 4, 3), np.arange(20).reshape(5, 4) % 3 == 0),
    ((5, 4, 3), (slice(None), np.arange(12).reshape(4, 3) % 5 == 0)),
    ((5, 4), np.zeros((5, 4), bool)),
    ((0, 3), np.zeros((0, 3), bool)),
    ((3, 4), (np.array([True, False, True]), [1, 2])),
]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("case", range(len(FANCY)))
def test_arrays_of_indices_agree_with_numpy(case, device):
    need(device)
    shape, key = FANCY[case]
    x = np.random.default_rng(1).standard_normal(shape)
    same(on(device, x)[key], x[key])
    # Distinct values for distinct places only: of equal indices cuda keeps any.
    places = np.arange(x.size).reshape(shape)[key]
    values = np.random.default_rng(2).standard_normal(max(x.size, 1))[places]
    for value in (values, 3.0):
        written, expected = on(device, x), x.copy()
        written[key] = value
        expected[key] = value
        same(written, expected)
    turned, expected = on(device, x.T.copy().T), x.copy()  # not in row order
    turned[key] = 5
    expected[key] = 5
    same(turned, expected)


def test_values_are_broadcast_and_converted():
    t = minitorch.zeros(2, 3, dtype="int32")
    t[:, 1:] = minitorch.tensor([[1.9], [-2.9]])
    assert t.numpy().tolist() == [[0, 1, 1], [0, -2, -2]]
    t[0] = [7, 8, 9]
    assert t.numpy().tolist() == [[7, 8, 9], [0, -2, -2]]
    for key, value, error, message in [
        (0, [1, 2], ValueError, "broadcast"),
        (
            5,
            1,
            IndexError,
            r"\[index\] index 5 is out of range for dimension 0 of size 2",
        ),
        ((0, 0, 0), 1, IndexError, r"\[index\] too many indices: got 3"),
        ([2], 1, IndexError, r"\[index\] got index 2 for a dimension of size 2"),
        (1.0, 1, TypeError, r"\[index\] got 1.0; need an integer"),
        (True, 1, TypeError, r"\[index\] got True; need integers"),
        ([0.5], 1, TypeError, r"\[index\] got an array of float64"),
        (minitorch.zeros(2), 1, TypeError, "need integers or bools"),
        (np.array([True]), 1, IndexError, r"got a mask of shape \(1,\) for dim"),
        ((..., ...), 1, IndexError, "got more than one Ellipsis"),
        (slice(None, None, 0), 1, ValueError, "step must not be 0"),
        (slice("a"), 1, TypeError, "need an integer"),
        (0, np.inf, ValueError, "inf cannot be stored in a tensor of int32"),
    ]:
        before = t.numpy().tolist()
        with pytest.raises(error, match=message):
            t[key] = value
        assert t.numpy().tolist() == before
        if error is not ValueError:
            with pytest.raises(error, match=message):
                t[key]


def test_gradients_go_through_assignments():
    x = minitorch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    v = minitorch.tensor([5.0, 6.0], requires_grad=True)
    y = x * 2
    y[[0, 3]] = v * 3
    y[1] = 0
    (y * y).sum().backward()  # y = (15, 0, 6, 18)
    assert x.grad.numpy().tolist() == [0, 0, 24, 0]
    assert v.grad.numpy().tolist() == [90, 108]
    with pytest.raises(RuntimeError, match="leaf"):
        x[0] = 1


@pytest.mark.parametrize("device", DEVICES)
def test_gather_and_scatter_follow_their_definition(device):
    need(device)
    generator = np.random.default_rng(4)
    x = generator.standard_normal((4, 5, 6))
    for dim in range(3):
        shape = [3, 4, 5]
        shape[dim] = 7
        index = generator.integers(-x.shape[dim], x.shape[dim], shape)
        source = generator.standard_normal(shape)
        expected, added = np.zeros(shape), x.copy()
        for at in np.ndindex(*shape):
            to = list(at)
            to[dim] = index[at]
            expected[at] = x[tuple(to)]
            added[tuple(to)] += source[at]
        t, i = on(device, x), on(device, index)
        same(F.gather(t, dim, i), expected)
        got = F.scatter_add(t, dim, i, on(device, source)).numpy()
        np.testing.assert_allclose(got, added, rtol=1e-12)
        picked = generator.permutation(x.shape[dim])[:2]
        same(F.index_select(t, dim, on(device, picked)), x.take(picked, dim))
        line = np.moveaxis(x.copy(), dim, 0)
        line[picked] = -1
        spread = picked.reshape([-1 if d == dim else 1 for d in range(3)])
        shape = [2 if d == dim else n for d, n in enumerate(x.shape)]
        at_all = on(device, np.broadcast_to(spread, shape).copy())
        same(F.scatter(t, dim, at_all, -1), np.moveaxis(line, 0, dim))


@pytest.mark.parametrize("device", DEVICES)
def test_joining_and_rearranging_agree_with_numpy(device):
    need(device)
    x = np.arange(24.0).reshape(2, 3, 4)
    t = on(device, x)
    for dim in (-3, -1, 0, 1, 2):
        same(F.cat([t, t[:, ::-1], t], dim), np.concatenate([x, x[:, ::-1], x], dim))
        same(F.stack([t, t + 1], dim), np.stack([x, x + 1], dim))
        same(F.flip(t, dim), np.flip(x, dim))
        for ours, parts in [
            (F.split(t, 2, dim), range(2, x.shape[dim], 2)),
            (F.chunk(t, 2, dim), [-(-x.shape[dim] // 2)]),
        ]:
            for a, b in zip(ours, np.split(x, list(parts), dim), strict=True):
                same(a, b)
    for name, options, expected in [
        ("tril", (1,), np.tril(x, 1)),
        ("triu", (-1,), np.triu(x, -1)),
        ("repeat", (2, 1, 3), np.tile(x, (2, 1, 3))),
        ("repeat", (2, 1, 1, 2), np.tile(x, (2, 1, 1, 2))),
        ("flatten", (1,), x.reshape(2, 12)),
        ("transpose", (0, -1), x.swapaxes(0, 2)),
    ]:
        same(getattr(F, name)(t, *options), expected)
    same(F.squeeze(t[:, :1, :1]), x[:, 0, 0])
    same(t.nonzero(), np.argwhere(x))
    labels = np.array([[0, 3], [2, 1]])
    same(F.one_hot(on(device, labels)), np.eye(4, dtype="int64")[labels])
    mixed = F.cat([t.to("float32"), on(device, np.ones((2, 3, 1), "int64"))], 2)
    assert mixed.dtype == "float64"


def test_what_does_not_fit_is_named():
    t, i = minitorch.zeros(2, 3), minitorch.zeros(2, 3, dtype="int64")
    for call, error, message in [
        (lambda: F.cat([]), ValueError, r"\[cat\] got no tensors"),
        (
            lambda: F.cat([t, minitorch.zeros(3, 2)]),
            ValueError,
            "differ outside dimension",
        ),
        (
            lambda: F.split(t, [1, 3]),
            ValueError,
            r"\[split\] got sizes \(1, 3\) for a dimension of size 2",
        ),
        (lambda: F.split(t, 0), ValueError, r"\[split\] got size 0"),
        (lambda: F.chunk(t, 0), ValueError, r"\[chunk\] got 0 chunks"),
        (lambda: F.flip(t, (0, 0)), ValueError, r"\[flip\] got dims"),
        (
            lambda: F.gather(t, 0, i + 2),
            IndexError,
            "got index 2 for a dimension of size 2",
        ),
        (lambda: F.gather(t, 0, t), TypeError, r"\[gather\] got float64; need indices"),
        (lambda: F.gather(t, 1, i.reshape(6)), ValueError, "need the same number"),
        (lambda: F.index_select(t, 0, i), ValueError, "need one dimension"),
        (lambda: F.one_hot(i - 1), IndexError, r"\[one_hot\] got labels from -1 to -1"),
        (lambda: F.one_hot(t), TypeError, r"\[one_hot\] got float64; need integers"),
        (lambda: F.repeat(t, 2), ValueError, r"\[repeat\] got \(2,\) for shape"),
        (
            lambda: F.flatten(t, 1, 0),
            ValueError,
            r"\[flatten\] start_dim 1 must not come after end_dim 0",
        ),
        (lambda: F.tril(t[0]), ValueError, r"\[tril\] got shape \(3,\)"),
        (lambda: F.transpose(t, 0, 2), IndexError, r"\[transpose\] got dim 2"),
    ]:
        with pytest.raises(error, match=message):
            call()


@pytest.mark.parametrize("device", DEVICES)
def test_long_scatters_are_right_on_all_threads(device):
    need(device)
    generator = np.random.default_rng(6)
    index = generator.integers(0, 50, 3000)
    source = generator.standard_normal((3000, 40))
    expected = np.zeros((50, 40))
    np.add.at(expected, index, source)
    x = minitorch.zeros(50, 40, device=device, requires_grad=True)
    (x[index] * on(device, source)).sum().backward()
    got = x.grad.numpy()
    np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("device", DEVICES)
def test_a_source_may_be_larger_than_its_index(device):
    need(device)
    index = on(device, np.array([[2, 0]]))
    source = on(device, np.arange(1.0, 7.0).reshape(2, 3)).requires_grad_()
    for put in (F.scatter, F.scatter_add):
        result = put(minitorch.zeros(2, 3, device=device), 1, index, source)
        same(result, np.array([[2.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))
        source.grad = None
        result.sum().backward()
        same(source.grad, np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "dtype", ["float16", "bfloat16", "float32", "int32", "uint8", "bool"]
)
def test_every_dtype_moves(dtype, device):
    need(device)
    t = minitorch.tensor([[0, 1, 1], [1, 0, 1]], dtype=dtype, device=device)
    assert t[:, [2, 0]].numpy().tolist() == [[1, 0], [1, 1]]
    assert F.where(t.gt(0), 0, t).numpy().tolist() == [[0, 0, 0], [0, 0, 0]]
    t[0, [0, 1]] = minitorch.tensor([1.0, 0.0], device=device)
    t[1] = 0
    assert t.numpy().tolist() == [[1, 0, 1], [0, 0, 0]]
    assert F.cat([t, t], 1).dtype == dtype

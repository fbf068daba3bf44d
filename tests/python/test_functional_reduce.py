"""The comparison of functional's reductions with NumPy, on both devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import minitorch
import minitorch.functional as F

from .tensors import DEVICES, layouts, need, on, shapes

Fn = Callable[..., Any]


def logsumexp(x, axis, keepdims):
    return np.log(np.exp(x).sum(axis, keepdims=keepdims))


# name: (ours, NumPy's, does it need an element?)
OVER_DIMS = {
    "sum": (F.sum, np.sum, False),
    "mean": (F.mean, np.mean, True),
    "var": (F.var, lambda x, **o: np.var(x, ddof=1, **o), True),
    "std": (
        lambda t, dim, keepdim: F.std(t, dim, 0, keepdim),
        lambda x, **o: np.std(x, **o),
        True,
    ),
    "amax": (F.amax, np.max, True),
    "amin": (F.amin, np.min, True),
    "prod": (F.prod, np.prod, False),
    "any": (F.any, np.any, False),
    "all": (F.all, np.all, False),
    "logsumexp": (F.logsumexp, logsumexp, True),
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", OVER_DIMS)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_one_several_or_all_dims(name, device, data):
    need(device)
    ours, reference, needs_elements = OVER_DIMS[name]
    drawn = data.draw(shapes(max_dims=4))
    shape = tuple(each or 4 for each in drawn) if needs_elements else drawn
    x = data.draw(layouts(shape, "float64"))
    some = st.lists(st.sampled_from(range(len(shape)) or [0]), min_size=1, unique=True)
    dim = data.draw(st.none() | some.map(tuple) if shape else st.none())
    keep = data.draw(st.booleans())
    count = x.size if dim is None else np.prod([shape[d] for d in dim])
    assume(name != "var" or count > 1)
    expected = np.asarray(reference(x, axis=dim, keepdims=keep))
    if name == "any" or name == "all":
        x = np.where(x > 2, 0, x)
        expected = np.asarray(reference(x, axis=dim, keepdims=keep))
    got = ours(on(device, x), dim, keepdim=keep).numpy()
    assert got.shape == expected.shape
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", [(1,), (5,), (300,), (7, 300), (300, 7), (3, 5, 4)])
def test_positions_and_running_sums(shape, device):
    need(device)
    generator = np.random.default_rng(len(shape))
    x = generator.integers(-3, 4, shape).astype("float64")  # with equal elements
    t = on(device, x)
    assert F.argmax(t).item() == x.argmax()
    assert F.argmin(t).item() == x.argmin()
    for dim in range(-len(shape), len(shape)):
        np.testing.assert_array_equal(F.argmax(t, dim).numpy(), x.argmax(dim))
        np.testing.assert_array_equal(F.argmin(t, dim).numpy(), x.argmin(dim))
        np.testing.assert_allclose(F.cumsum(t, dim).numpy(), x.cumsum(dim))
        values, indices = F.max(t, dim, keepdim=True)
        np.testing.assert_array_equal(values.numpy(), x.max(dim, keepdims=True))
        np.testing.assert_array_equal(indices.numpy(), x.argmax(dim, keepdims=True))
        np.testing.assert_array_equal(F.min(t, dim).values.numpy(), x.min(dim))
    turned = t.permute(*range(len(shape))[::-1])
    np.testing.assert_array_equal(turned.argmax(0).numpy(), x.T.argmax(0))
    np.testing.assert_allclose(turned.cumsum(0).numpy(), x.T.cumsum(0))


@pytest.mark.parametrize("device", DEVICES)
def test_nan_and_infinities_as_in_numpy(device):
    need(device)
    inf, nan = np.inf, np.nan
    x = np.array(
        [[1, nan, 3], [inf, 1, -inf], [-inf] * 3, [nan, nan, inf], [-0.0, 0.0, -0.0]]
    )
    t = on(device, x)
    with np.errstate(all="ignore"):
        for name in [
            "sum",
            "mean",
            "amax",
            "amin",
            "prod",
            "argmax",
            "argmin",
            "cumsum",
            "any",
            "all",
        ]:
            ours, expected = getattr(F, name)(t, 1), getattr(np, name)(x, 1)
            np.testing.assert_array_equal(ours.numpy(), expected)
        np.testing.assert_array_equal(F.var(t, 1, 0).numpy(), x.var(1))
    rows = F.logsumexp(t, 1).numpy()
    np.testing.assert_array_equal(rows[:4], [nan, inf, -inf, nan])
    assert F.logsumexp(on(device, np.array([1e4, 1e4])), 0).item() == 1e4 + np.log(2)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "bool"])
def test_integers_reduce_in_numpys_dtypes(dtype, device):
    need(device)
    x = np.array([[0, 1, 200], [7, 100, 250]]).astype(dtype)
    for name in [
        "sum",
        "prod",
        "cumsum",
        "mean",
        "amax",
        "amin",
        "argmax",
        "any",
        "all",
    ]:
        wide = {"dtype": "int64"} if name in ("sum", "prod", "cumsum") else {}
        ours = getattr(F, name)(on(device, x), 1).numpy()
        expected = getattr(np, name)(x, 1, **wide)
        assert ours.dtype == expected.dtype
        np.testing.assert_allclose(ours, expected)


def test_what_cannot_be_reduced_is_named():
    t = minitorch.zeros(2, 3)
    for call, error, message in [
        (
            lambda: F.sum(t, (0, -2)),
            ValueError,
            r"\[sum\] got dims \(0, -2\); need each",
        ),
        (lambda: F.prod(t, 2), IndexError, r"\[prod\] got dim 2; need -2 to 1"),
        (lambda: F.argmax(t, 5), IndexError, r"\[argmax\] got dim 5"),
        (lambda: F.argmax(minitorch.zeros(0)), ValueError, "need at least one element"),
        (lambda: F.amin(minitorch.zeros(0)), ValueError, r"\[min\] got shape \(0,\)"),
        (lambda: F.cumsum(minitorch.zeros(()), 1), IndexError, r"\[cumsum\] got dim 1"),
        (lambda: F.sum(minitorch.zeros(()), -2), IndexError, r"\[sum\] got dim -2"),
        (lambda: F.sum(t, 1.5), TypeError, "incompatible"),
    ]:
        with pytest.raises(error, match=message):
            call()
    assert F.sum(minitorch.zeros(0)).item() == 0
    assert F.prod(minitorch.zeros(0)).item() == 1


def test_products_with_zeros_have_the_gradients_of_the_others():
    x = minitorch.tensor(
        [[2.0, 0.0, 3.0], [0.0, 0.0, 3.0], [2.0, 1.0, 3.0]], requires_grad=True
    )
    x.prod(1).sum().backward()
    assert x.grad.numpy().tolist() == [[0, 6, 0], [0, 0, 0], [3, 6, 2]]
    x.grad = None
    with pytest.raises(RuntimeError, match=r"\[prod\] got zeros among the factors"):
        x.prod(1).sum().backward(create_graph=True)

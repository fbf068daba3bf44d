"""The comparison of reductions and log-softmax with NumPy, on both devices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import minitorch

from .tensors import DEVICES, close, layouts, need, numbers, on, shapes


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["sum", "mean", "max"])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_reductions_agree_with_numpy(
    name: str, device: str, data: st.DataObject
) -> None:
    need(device)
    dtype = data.draw(st.sampled_from(["float64", "float32"]))
    shape = data.draw(shapes(min_dims=1))
    assume(name == "sum" or 0 not in shape)
    x = data.draw(layouts(shape, dtype))
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    ours, reference = getattr(on(device, x), name), getattr(np, name)
    close(ours(dim, keepdim=True), reference(x, axis=dim, keepdims=True))
    close(ours(dim, keepdim=False), np.asarray(reference(x, axis=dim)))
    close(ours(keepdim=True), np.asarray(reference(x)).reshape(1))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "shape", [(1,), (127,), (128,), (257,), (1024,), (1025,), (4099,), (200003,)]
)
@pytest.mark.parametrize("name", ["sum", "max"])
def test_long_rows(name: str, shape: tuple[int, ...], device: str) -> None:
    need(device)
    x = numbers(shape, 3, "float64")
    expected = np.asarray(getattr(np, name)(x)).reshape(1)
    np.testing.assert_allclose(
        getattr(on(device, x), name)(keepdim=True).numpy(),
        expected,
        rtol=1e-11,
        atol=1e-9,
    )


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "bool"])
def test_rows_with_gaps(dtype: str, device: str) -> None:
    need(device)
    x = (numbers((5, 7, 90), 5, "float64") * 4).astype(dtype)
    for part in (np.s_[:, :, 3:-2], np.s_[1:, ::2, :70], np.s_[..., :65]):
        view = on(device, x)[part]
        expected = x[part].sum(dtype="float64")
        np.testing.assert_allclose(view.sum().item(), expected, rtol=1e-4, atol=1e-3)
        assert view.sum(keepdim=True).shape == (1,)
        assert view.sum().dtype == on(device, x).sum().dtype


@pytest.mark.parametrize("device", DEVICES)
def test_rows_with_gaps_take_their_gradient(device: str) -> None:
    need(device)
    x = on(device, numbers((3, 70), 6, "float64")).requires_grad_(True)
    (2 * x[:, 1:-1]).sum().backward()
    expected = np.full((3, 70), 2.0)
    expected[:, [0, -1]] = 0
    np.testing.assert_array_equal(x.grad.numpy(), expected)
    x.grad = None
    x[:, 1:-1].sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), expected / 2)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", [(33, 65), (1031, 7), (7, 1031), (3, 70, 5)])
def test_every_dim_of_odd_shapes(shape: tuple[int, ...], device: str) -> None:
    need(device)
    x = numbers(shape, 4, "float64")
    for dim in range(len(shape)):
        expected = x.sum(dim, keepdims=True)
        got = on(device, x).sum(dim).numpy()
        np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-10)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("length", [1, 33, 63, 64, 65, 97])
def test_the_largest_is_found_wherever_it_stands(length: int, dtype: str) -> None:
    low = np.full((length, length), -np.inf, dtype)
    for largest in (-5.0, np.inf, np.nan):
        x = low.copy()
        np.fill_diagonal(x, largest)
        got = minitorch.tensor(x).max(1, keepdim=True).numpy()
        np.testing.assert_array_equal(got, np.full((length, 1), largest, dtype))
    assert (minitorch.tensor(low).max(1, keepdim=True).numpy() == -np.inf).all()


@pytest.mark.parametrize("device", DEVICES)
def test_nan_reaches_the_result(device: str) -> None:
    need(device)
    x = np.ones((3, 300))
    x[1, 217] = np.nan
    t = on(device, x)
    assert np.isnan(t.max(1, keepdim=True).numpy()).tolist() == [
        [False],
        [True],
        [False],
    ]
    assert np.isnan(t.sum(1).numpy()).tolist() == [[False], [True], [False]]


@pytest.mark.parametrize("device", DEVICES)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_log_softmax_agrees_with_its_definition(
    device: str, data: st.DataObject
) -> None:
    need(device)
    shape = data.draw(shapes(min_dims=1, max_dims=3))
    assume(0 not in shape)
    x = data.draw(layouts(shape, "float64"))
    dim = data.draw(st.integers(0, len(shape) - 1))
    expected = x - np.log(np.exp(x).sum(dim, keepdims=True))
    got = on(device, x).log_softmax(dim)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(got.exp().sum(dim).numpy(), 1, rtol=1e-12)


@pytest.mark.parametrize("device", DEVICES)
def test_log_softmax_of_large_values_is_exact(device: str) -> None:
    need(device)
    x = on(device, np.array([[1e4, 0.0, -1e4]]))
    assert x.log_softmax(1).numpy().tolist() == [[0.0, -1e4, -2e4]]


def test_dims_outside_are_named() -> None:
    with pytest.raises(IndexError) as caught:
        minitorch.zeros(2, 3).sum(2)
    assert str(caught.value) == "[sum] got dim 2; need -2 to 1 for 2 dimensions."
    with pytest.raises(ValueError, match=r"\[max\] got shape \(0, 2\); need at least"):
        minitorch.zeros(0, 2).max(0)

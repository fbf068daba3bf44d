"""The comparison of sums and maxima with NumPy on the ways that kernels go."""

from __future__ import annotations

import numpy as np
import pytest

import minitorch

from .tensors import DEVICES, need, numbers, on


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "shape", [(1,), (127,), (128,), (257,), (1024,), (1025,), (4099,), (200003,)]
)
@pytest.mark.parametrize("name", ["sum", "max"])
def test_long_rows(name, shape, device):
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
def test_rows_with_gaps(dtype, device):
    need(device)
    x = (numbers((5, 7, 90), 5, "float64") * 4).astype(dtype)
    for part in (np.s_[:, :, 3:-2], np.s_[1:, ::2, :70], np.s_[..., :65]):
        view = on(device, x)[part]
        expected = x[part].sum(dtype="float64")
        np.testing.assert_allclose(view.sum().item(), expected, rtol=1e-4, atol=1e-3)
        assert view.sum(keepdim=True).shape == (1,)
        assert view.sum().dtype == on(device, x).sum().dtype


@pytest.mark.parametrize("device", DEVICES)
def test_rows_with_gaps_take_their_gradient(device):
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
def test_every_dim_of_odd_shapes(shape, device):
    need(device)
    x = numbers(shape, 4, "float64")
    for dim in range(len(shape)):
        expected = x.sum(dim, keepdims=True)
        got = on(device, x).sum(dim).numpy()
        np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-10)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("length", [1, 33, 63, 64, 65, 97])
def test_the_largest_is_found_wherever_it_stands(length, dtype):
    low = np.full((length, length), -np.inf, dtype)
    for largest in (-5.0, np.inf, np.nan):
        x = low.copy()
        np.fill_diagonal(x, largest)
        got = minitorch.tensor(x).max(1, keepdim=True).numpy()
        np.testing.assert_array_equal(got, np.full((length, 1), largest, dtype))
    assert (minitorch.tensor(low).max(1, keepdim=True).numpy() == -np.inf).all()


def test_dims_outside_are_named():
    with pytest.raises(IndexError) as caught:
        minitorch.zeros(2, 3).sum(2)
    assert str(caught.value) == "[sum] got dim 2; need -2 to 1 for 2 dimensions."
    with pytest.raises(
        ValueError,
        match=r"\[max\] dimension 0 of shape \(0, 2\) has size 0; need at least",
    ):
        minitorch.zeros(0, 2).max(0)

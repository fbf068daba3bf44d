"""How tests make tensors: both devices, random shapes, layouts and dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import minitorch
from minitorch import cuda

Array = np.ndarray[Any, Any]

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.cuda)]
RTOL = {"float64": 1e-12, "float32": 2e-5}


def need(device):
    """Skips where the device cannot be opened (no emulator, no GPU)."""
    if device == "cuda" and not cuda.is_available():
        pytest.skip("nothing is behind device cuda")


def on(device, array, requires_grad=False):
    """The array as a tensor with the same strides, as far as a layout shows in values.

    A permuted or stepped array becomes a view of a tensor, not a copy in row order.
    """
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    whole = minitorch.tensor(np.ascontiguousarray(base), device=device)
    view = _same_view(whole, base, array)
    if view is None:
        view = minitorch.tensor(array, device=device)
    if requires_grad:
        view = view.detach().requires_grad_()
    return view


def _same_view(whole, base, array):
    if array is base or not base.flags.c_contiguous or array.ndim != base.ndim:
        return None
    # Find the order and steps that `layouts` used to derive the array from its base.
    steps = [s // array.itemsize for s in array.strides]
    order = sorted(range(array.ndim), key=lambda d: (-steps[d], array.shape[d]))
    view = whole
    for dim, source in enumerate(order):
        own = base.strides[dim] // base.itemsize
        if own == 0 or steps[source] % own:
            return None
        step = steps[source] // own
        if step < 1 or array.shape[source] != -(-base.shape[dim] // step):
            return None
        view = view._slice(dim, 0, base.shape[dim], step)
    view = view.permute(*np.argsort(order)) if array.ndim else view
    return view if np.array_equal(view.numpy(), array, equal_nan=True) else None


def numbers(shape, seed, dtype, low=-4):
    """Reproducible values between `low` and 4, none within 0.05 of zero."""
    generator = np.random.default_rng(seed)
    values = generator.uniform(low, 4, shape)
    return np.where(abs(values) < 0.05, 0.5, values).astype(dtype)


@st.composite
def shapes(draw, min_dims=0, max_dims=4):
    """A shape with few elements: sizes 0 to 5, ones more often than others."""
    sizes = st.sampled_from([1, 1, 2, 3, 5, 0])
    return tuple(draw(st.lists(sizes, min_size=min_dims, max_size=max_dims)))


@st.composite
def layouts(draw, shape, dtype, low=-4):
    """An array of that shape: row-major, permuted, or with steps."""
    seed = draw(st.integers(0, 2**16))
    order = draw(st.permutations(range(len(shape))))
    step = draw(st.sampled_from([1, 1, 2]))
    stored = [shape[d] for d in order]
    if stored:
        stored[-1] = stored[-1] * step
    base = numbers(tuple(stored), seed, dtype, low)
    stepped = base[..., ::step] if stored else base
    return stepped.transpose(np.argsort(order)) if stored else stepped


@st.composite
def broadcast_pairs(draw, dtype, low=-4):
    """Two arrays whose shapes broadcast."""
    shape = draw(shapes())
    pair = []
    for _ in range(2):
        ones = draw(st.lists(st.booleans(), min_size=len(shape), max_size=len(shape)))
        kept = tuple(1 if one else size for one, size in zip(ones, shape, strict=True))
        cut = draw(st.integers(0, len(shape)))
        pair.append(draw(layouts(kept[cut:], dtype, low)))
    return pair[0], pair[1]


def close(tensor, expected):
    """Same shape, dtype and values up to the rounding of a few operations."""
    got = tensor.numpy()
    assert got.shape == expected.shape
    assert got.dtype == expected.dtype
    rtol = RTOL[str(expected.dtype)]
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=rtol)


def slopes(value, arrays, every=1):
    """Central differences of fourth order at each, or every n-th, element.

    Yields the number of the array, the index of the element, and the slope.
    """
    step = 1e-3
    for number, array in enumerate(arrays):
        for index in list(np.ndindex(array.shape))[::every]:
            kept, total = array[index], 0.0
            for offset, weight in [(-2, 1), (-1, -8), (1, 8), (2, -1)]:
                array[index] = kept + offset * step
                total += weight * value(*arrays)
            array[index] = kept
            yield number, index, total / (12 * step)


def check_second_gradients(function, arrays, device="cpu", every=1):
    """Compare the gradient of |df/dx|², f = sum(function³), with differences."""

    def squared_slopes(*values):
        leaves = [
            minitorch.tensor(v, device=device, requires_grad=True) for v in values
        ]
        out = function(*leaves)
        first = minitorch.autograd.grad(
            (out * out * out).sum(), leaves, create_graph=True
        )
        return leaves, sum((g * g).sum() for g in first)

    leaves, total = squared_slopes(*arrays)
    got = [g.numpy() for g in minitorch.autograd.grad(total, leaves)]

    def value(*values):
        return float(squared_slopes(*values)[1].item())

    for number, index, slope in slopes(value, arrays, every):
        assert got[number][index] == pytest.approx(slope, rel=1e-5, abs=1e-6)

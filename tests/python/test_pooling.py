"""The comparison of pooling with plain loops in NumPy, on both devices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minitorch
import minitorch.functional as F

from .tensors import DEVICES, check_second_gradients, need, numbers


def windows(x, kernel, stride, padding, dilation):
    """Each output position with the cells of the image that its window reads."""
    counts = [
        (x.shape[2 + d] + 2 * padding[d] - dilation[d] * (kernel[d] - 1) - 1)
        // stride[d]
        + 1
        for d in (0, 1)
    ]
    found = []
    for out in np.ndindex(*counts):
        cells = []
        for tap in np.ndindex(*kernel):
            at = tuple(
                out[d] * stride[d] - padding[d] + tap[d] * dilation[d] for d in (0, 1)
            )
            if all(0 <= at[d] < x.shape[2 + d] for d in (0, 1)):
                cells.append(at)
        found.append((out, cells))
    return found


def compare(kind, x, device, count=True, **options):
    """Output and gradient of one pooling against the list of windows."""
    leaf = minitorch.tensor(x, device=device, requires_grad=True)
    if kind == "max":
        out = F.max_pool2d(leaf, **options)
    else:
        out = F.avg_pool2d(
            leaf,
            **{k: v for k, v in options.items() if k != "dilation"},
            count_include_pad=count,
        )
    parts = windows(
        x,
        options["kernel_size"],
        options["stride"],
        options["padding"],
        options["dilation"],
    )
    assert out.dtype == leaf.dtype
    g = numbers(out.shape, 5, str(x.dtype))
    expected, slope = np.zeros(out.shape), np.zeros(x.shape)
    for at, cells in parts:
        for plane in np.ndindex(x.shape[:2]):
            values = [x[(*plane, *cell)] for cell in cells]
            if kind == "max":
                best = int(np.argmax(values)) if values else -1
                expected[(*plane, *at)] = values[best] if values else -np.inf
                if values:
                    slope[(*plane, *cells[best])] += g[(*plane, *at)]
            else:
                size = np.prod(options["kernel_size"]) if count else len(cells)
                expected[(*plane, *at)] = np.sum(values) / size
                for cell in cells:
                    slope[(*plane, *cell)] += g[(*plane, *at)] / size
    limit = 1e-12 if x.dtype == np.float64 else 1e-5
    np.testing.assert_allclose(out.numpy(), expected, rtol=limit, atol=limit)
    out.backward(minitorch.tensor(g, device=device))
    np.testing.assert_allclose(leaf.grad.numpy(), slope, rtol=limit, atol=limit)


@st.composite
def options(draw, kind):
    """Options under which at least one window fits."""

    def pair(low, high):
        return draw(st.integers(low, high)), draw(st.integers(low, high))

    kernel = pair(1, 3)
    return {
        "kernel_size": kernel,
        "stride": pair(1, 3),
        "padding": tuple(draw(st.integers(0, k // 2)) for k in kernel),
        "dilation": pair(1, 2) if kind == "max" else (1, 1),
    }


@pytest.mark.parametrize("kind", ["max", "avg"])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_pooling_takes_one_value_a_window(kind, data):
    chosen = data.draw(options(kind))
    size = tuple(
        max(1, d * (k - 1) + 1 - 2 * p) + data.draw(st.integers(0, 4))
        for k, p, d in zip(
            chosen["kernel_size"], chosen["padding"], chosen["dilation"], strict=True
        )
    )
    dtype = data.draw(st.sampled_from(["float64", "float32"]))
    x = numbers((data.draw(st.integers(1, 3)), 2, *size), 3, dtype)
    if data.draw(st.booleans()):
        x = x.round()  # with equal cells: the first one gets the gradient
    compare(kind, x, "cpu", data.draw(st.booleans()), **chosen)


@pytest.mark.cuda
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kind", ["max", "avg"])
def test_pooling_on_cuda(kind, dtype):
    need("cuda")
    chosen = {
        "kernel_size": (3, 2),
        "stride": (2, 1),
        "padding": (1, 1),
        "dilation": (1, 1),
    }
    x = numbers((2, 3, 6, 5), 1, dtype).round()
    compare(kind, x, "cuda", False, **chosen)
    if kind == "max":
        compare(kind, x, "cuda", **{**chosen, "dilation": (1, 2)})
    else:
        compare(kind, x, "cuda", True, **chosen)


@pytest.mark.parametrize("device", DEVICES)
def test_one_dimension_and_defaults(device):
    need(device)
    x = numbers((2, 3, 8), 1, "float64")
    t = minitorch.tensor(x, device=device)
    pairs = x.reshape(2, 3, 4, 2)
    np.testing.assert_array_equal(F.max_pool1d(t, 2).numpy(), pairs.max(3))
    np.testing.assert_allclose(F.avg_pool1d(t, 2).numpy(), pairs.mean(3), rtol=1e-15)
    np.testing.assert_array_equal(F.max_pool1d(t[0], (2,)).numpy(), pairs.max(3)[0])


@pytest.mark.parametrize("device", DEVICES)
def test_nan_and_infinity(device):
    need(device)
    x = np.full((1, 1, 2, 6), -np.inf)
    x[0, 0, 1, 2] = np.nan
    x[0, 0, 0, 3] = np.inf
    t = minitorch.tensor(x, device=device)
    got = F.max_pool2d(t, 2).numpy()[0, 0, 0]
    assert got[0] == -np.inf
    assert np.isnan(got[1])
    assert got[2] == -np.inf


@pytest.mark.parametrize("function", [F.max_pool2d, F.avg_pool2d])
def test_gradients_of_gradients(function):
    x = numbers((1, 2, 5, 5), 1, "float64")
    check_second_gradients(lambda t: function(t, 3, 2, 1), [x], every=7)


def test_what_does_not_fit_is_named():
    x = minitorch.zeros(1, 1, 4, 4)
    with pytest.raises(
        ValueError, match=r"\[max_pool2d\] got windows of 5 cells for rows of 4"
    ):
        F.max_pool2d(x, 5)
    with pytest.raises(
        ValueError, match=r"\[avg_pool2d\] got padding 2 for a window of 3"
    ):
        F.avg_pool2d(x, 3, padding=2)
    with pytest.raises(ValueError, match=r"\[max_pool2d\] got stride 0; need 1"):
        F.max_pool2d(x, 2, 0)
    with pytest.raises(ValueError, match=r"\[max_pool2d\] got kernel size 0; need 1"):
        F.max_pool2d(x, 0)
    with pytest.raises(
        ValueError, match=r"\[max_pool2d\] got \(4, 4\); need \(n, channels"
    ):
        F.max_pool2d(x.reshape(4, 4), 2)
    with pytest.raises(ValueError, match=r"\[max_pool1d\] got shape \(4,\); need"):
        F.max_pool1d(minitorch.zeros(4), 2)
    with pytest.raises(TypeError, match=r"\[avg_pool2d\] got kernel_size 2.0; need an"):
        F.avg_pool2d(x, 2.0)
    assert F.max_pool2d(minitorch.zeros(0, 2, 4, 4), 2).shape == (0, 2, 2, 2)

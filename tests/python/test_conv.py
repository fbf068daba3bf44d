"""The comparison of convolutions with plain sums in NumPy, on both devices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minitorch
import minitorch.functional as F

from .tensors import DEVICES, check_second_gradients, need, numbers

TOLERANCE = {"float64": 1e-11, "float32": 2e-4}


def reference(
    x,
    w,
    stride=(1, 1),
    padding=(0, 0),
    dilation=(1, 1),
    groups=1,
):
    """Each output cell by its definition: the sum over a window of the padded image."""
    n, _, height, width = x.shape
    outputs, depth, kh, kw = w.shape
    padded = np.zeros((n, x.shape[1], height + 2 * padding[0], width + 2 * padding[1]))
    padded[:, :, padding[0] : padding[0] + height, padding[1] : padding[1] + width] = x
    rows = (padded.shape[2] - dilation[0] * (kh - 1) - 1) // stride[0] + 1
    columns = (padded.shape[3] - dilation[1] * (kw - 1) - 1) // stride[1] + 1
    out = np.zeros((n, outputs, rows, columns))
    for o in range(outputs):
        first = o // (outputs // groups) * depth
        for r in range(rows):
            for c in range(columns):
                window = padded[
                    :,
                    first : first + depth,
                    r * stride[0] : r * stride[0] + dilation[0] * kh : dilation[0],
                    c * stride[1] : c * stride[1] + dilation[1] * kw : dilation[1],
                ][:, :, :kh, :kw]
                out[:, o, r, c] = (window * w[o].astype("float64")).sum((1, 2, 3))
    return out


@st.composite
def cases(draw):
    """Sizes at which windows fit, with every option away from its default at times."""
    groups = draw(st.sampled_from([1, 1, 2, 3]))
    case = {
        "stride": (draw(st.integers(1, 3)), draw(st.integers(1, 3))),
        "padding": (draw(st.integers(0, 2)), draw(st.integers(0, 2))),
        "dilation": (draw(st.integers(1, 2)), draw(st.integers(1, 3))),
        "groups": groups,
    }
    kernel = (draw(st.integers(1, 3)), draw(st.integers(1, 3)))
    size = []
    for d in (0, 1):
        reach = case["dilation"][d] * (kernel[d] - 1) + 1
        least = max(1, reach - 2 * case["padding"][d])
        size.append(least + draw(st.integers(0, 5)))
    depth = draw(st.integers(1, 3))
    case["x"] = (draw(st.integers(1, 5)), groups * depth, *size)
    case["w"] = (groups * draw(st.integers(1, 3)), depth, *kernel)
    return case


def compare(case, dtype, device):
    """Output and all three gradients against sums, and sums against small changes."""
    options = {k: case[k] for k in ("stride", "padding", "dilation", "groups")}
    arrays = [numbers(case["x"], 1, dtype), numbers(case["w"], 2, dtype)]
    arrays.append(numbers((case["w"][0],), 3, dtype))
    x, w, b = leaves = [
        minitorch.tensor(a, device=device, requires_grad=True) for a in arrays
    ]
    out = F.conv2d(x, w, b, **options)
    bias = arrays[2].reshape(1, -1, 1, 1)
    expected = reference(arrays[0], arrays[1], **options) + bias
    limit = TOLERANCE[dtype]
    assert (out.shape, out.dtype, out.device) == (expected.shape, x.dtype, device)
    np.testing.assert_allclose(out.numpy(), expected, rtol=limit, atol=limit)
    g = numbers(expected.shape, 4, dtype)
    out.backward(minitorch.tensor(g, device=device))
    # The output is linear in x and in w: <conv(probe), g> = <probe, gradient>.
    probes = [numbers(a.shape, 5, "float64") for a in arrays[:2]]
    moved = [(probes[0], arrays[1]), (arrays[0], probes[1])]
    for leaf, probe, pair in zip(leaves[:2], probes, moved, strict=True):
        assert leaf.grad.shape == probe.shape
        along, exact = leaf.grad.numpy() * probe, reference(*pair, **options) * g
        scale = abs(exact).sum() + 1
        assert abs(along.sum() - exact.sum()) <= limit * scale
    np.testing.assert_allclose(
        b.grad.numpy(), g.astype("float64").sum((0, 2, 3)), rtol=limit, atol=limit * 10
    )


@settings(max_examples=40, deadline=None)
@given(case=cases(), dtype=st.sampled_from(["float64", "float32"]))
def test_conv2d_and_its_gradients_are_the_plain_sums(case, dtype):
    compare(case, dtype, "cpu")


# A channel by itself: windows side by side, wider padding than windows, steps, spread.
DEPTHWISE = [
    ((1, 1), (1, 0), (1, 1)),
    ((1, 1), (4, 5), (1, 1)),
    ((1, 1), (0, 0), (1, 1)),
    ((2, 1), (1, 1), (1, 1)),
    ((1, 3), (2, 1), (1, 1)),
    ((1, 1), (2, 2), (2, 1)),
    ((3, 2), (2, 4), (2, 3)),
    ((2, 5), (3, 0), (1, 1)),  # steps past what a window reads
]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("stride", "padding", "dilation"), DEPTHWISE)
@pytest.mark.parametrize("kernel", [(1, 1), (3, 2)])
def test_channels_by_themselves(
    kernel,
    stride,
    padding,
    dilation,
    dtype,
):
    case = ((2, 2, 3, 18), (2, 1, *kernel), stride, padding, dilation, 2)
    compare(dict(zip(OPTIONS, case, strict=True)), dtype, "cpu")


OPTIONS = ("x", "w", "stride", "padding", "dilation", "groups")
CUDA = [
    ((3, 4, 6, 5), (6, 2, 3, 2), (2, 1), (1, 0), (1, 2), 2),
    ((2, 1, 5, 7), (2, 1, 2, 3), (1, 3), (2, 2), (2, 1), 1),
    # In tiles, each way: two groups, edges within tiles, cells that divide no tile.
    ((3, 66, 5, 4), (70, 33, 3, 2), (2, 1), (1, 1), (1, 2), 2),
    ((2, 35, 3, 3), (33, 35, 1, 1), (1, 1), (0, 0), (1, 1), 1),
]


@pytest.mark.cuda
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("case", CUDA)
def test_conv2d_on_cuda(case, dtype):
    need("cuda")
    compare(dict(zip(OPTIONS, case, strict=True)), dtype, "cuda")


@pytest.mark.parametrize("batch", [1, 7, 33])
@pytest.mark.parametrize("size", [1, 4, 28])
def test_images_joined_in_one_product(batch, size):
    """Sizes at which many, some and single images share a product, and a 1x1 kernel."""
    x, w = (
        numbers((batch, 3, size, size), 1, "float64"),
        numbers((5, 3, 3, 3), 2, "float64"),
    )
    got = F.conv2d(minitorch.tensor(x), minitorch.tensor(w), padding=1)
    np.testing.assert_allclose(got.numpy(), reference(x, w, padding=(1, 1)), atol=1e-11)
    point = w[:, :, :1, :1].copy()
    got = F.conv2d(minitorch.tensor(x), minitorch.tensor(point))
    np.testing.assert_allclose(got.numpy(), reference(x, point), atol=1e-11)


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("stride", [1, 2])
def test_an_image_in_several_products(stride, groups):
    """Larger than the matrix of windows that one product takes."""
    x, b = numbers((2, 80, 61, 50), 1, "float64"), numbers((2,), 3, "float64")
    w = numbers((2, 80 // groups, 3, 3), 2, "float64")
    leaves = [minitorch.tensor(each) for each in (x, w, b)]
    got = F.conv2d(*leaves, stride=stride, padding=1, groups=groups)
    expected = reference(x, w, (stride, stride), (1, 1), groups=groups)
    np.testing.assert_allclose(got.numpy(), expected + b[:, None, None], atol=1e-10)
    alone = F.conv2d(*leaves[:2], stride=stride, padding=1, groups=groups)
    np.testing.assert_allclose(alone.numpy(), expected, atol=1e-10)


@pytest.mark.parametrize("device", DEVICES)
def test_nan_and_infinity_meet_the_padding(device):
    """Padding is 0, and 0 times infinity is NaN, as in NumPy's sum."""
    need(device)
    x, w = numbers((1, 2, 4, 4), 1, "float64"), numbers((2, 2, 3, 3), 2, "float64")
    w[0, 0, 0, 2], w[1, 1, 2, 0] = np.inf, np.nan
    x[0, 1, 3, 3] = -np.inf
    leaves = [minitorch.tensor(a, device=device, requires_grad=True) for a in (x, w)]
    out = F.conv2d(*leaves, padding=1)
    with np.errstate(invalid="ignore"):
        expected = reference(x, w, padding=(1, 1))
    assert np.isnan(expected).any()
    assert not np.isnan(expected).all()
    np.testing.assert_allclose(out.numpy(), expected, atol=1e-12)
    g = numbers(out.shape, 3, "float64")
    g[0, 0, 0, 0] = np.inf
    out.backward(minitorch.tensor(g, device=device))
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    with np.errstate(invalid="ignore"):
        slope = [
            [
                [
                    [
                        (g[0, o] * padded[0, c, i : i + 4, j : j + 4]).sum()
                        for j in range(3)
                    ]
                    for i in range(3)
                ]
                for c in range(2)
            ]
            for o in range(2)
        ]
    np.testing.assert_allclose(leaves[1].grad.numpy(), slope, atol=1e-12)


@pytest.mark.parametrize(
    ("device", "every"), [("cpu", 5), pytest.param("cuda", 11, marks=pytest.mark.cuda)]
)
def test_gradients_of_gradients(device, every):
    need(device)
    arrays = [numbers((2, 2, 4, 3), 1, "float64"), numbers((2, 2, 2, 2), 2, "float64")]
    check_second_gradients(
        lambda x, w: F.conv2d(x, w / 4, stride=2, padding=1), arrays, device, every
    )


def test_integers_and_empty_batches():
    x, w = np.arange(12).reshape(1, 1, 3, 4), np.array([[[[1, -1]]]])
    got = F.conv2d(minitorch.tensor(x), minitorch.tensor(w))
    assert got.dtype == minitorch.float64
    assert (got.numpy() == -1).all()
    none = minitorch.zeros(0, 2, 5, 5, requires_grad=True)
    w2 = minitorch.ones(3, 2, 2, 2, requires_grad=True)
    out = F.conv2d(none, w2, minitorch.ones(3))
    assert out.shape == (0, 3, 4, 4)
    out.sum().backward()
    assert (w2.grad.numpy() == 0).all()
    assert none.grad.shape == none.shape


@pytest.mark.parametrize(
    ("x", "w", "options", "message"),
    [
        (
            (1, 3, 4, 4),
            (2, 2, 3, 3),
            {},
            r"got x \(1, 3, 4, 4\), weight \(2, 2, 3, 3\) and 1 groups",
        ),
        ((1, 4, 4, 4), (3, 2, 3, 3), {"groups": 2}, "that the groups divide"),
        ((1, 4, 4, 4), (4, 4, 3, 3), {"groups": 0}, "and 0 groups"),
        ((4, 4), (4, 4, 3, 3), {}, r"need x \(n, channels, height, width\)"),
        (
            (1, 1, 2, 9),
            (1, 1, 3, 3),
            {},
            "got windows of 3 cells for rows of 2, padding included",
        ),
        (
            (1, 1, 9, 4),
            (1, 1, 3, 3),
            {"dilation": 2},
            "got windows of 5 cells for columns of 4",
        ),
        ((1, 1, 4, 4), (1, 1, 3, 3), {"stride": 0}, "got stride 0; need 1 to"),
        (
            (1, 1, 4, 4),
            (1, 1, 3, 3),
            {"dilation": (1, 2**40)},
            "got dilation 1099511627776",
        ),
        ((1, 1, 4, 4), (1, 1, 3, 3), {"padding": -1}, "got padding -1; need 0 to"),
        (
            (1, 1, 4, 4),
            (1, 1, 3, 3),
            {"padding": "same", "stride": 2},
            r"'same' needs stride 1, got stride \(2, 2\)",
        ),
        ((1, 0, 4, 4), (1, 0, 3, 3), {}, "need x"),
    ],
)
def test_what_does_not_fit_is_named(x, w, options, message):
    with pytest.raises(ValueError, match=r"\[conv2d\].*" + message):
        F.conv2d(minitorch.zeros(x), minitorch.zeros(w), **options)


def test_views_are_read_in_their_order():
    x, w = numbers((3, 6, 5, 2), 1, "float64"), numbers((3, 2, 2, 4), 2, "float64")
    got = F.conv2d(
        minitorch.tensor(x).permute(0, 3, 2, 1), minitorch.tensor(w).permute(3, 1, 2, 0)
    )
    expected = reference(x.transpose(0, 3, 2, 1), w.transpose(3, 1, 2, 0))
    np.testing.assert_allclose(got.numpy(), expected, atol=1e-12)


def test_same_padding_keeps_the_size():
    x = numbers((1, 1, 4, 5), 1, "float64")
    for kh, kw in [(1, 2), (3, 4), (2, 5)]:
        w = numbers((1, 1, kh, kw), 2, "float64")
        got = F.conv2d(minitorch.tensor(x), minitorch.tensor(w), padding="same")
        top, left = (kh - 1) // 2, (kw - 1) // 2
        padded = np.pad(x, ((0, 0), (0, 0), (top, kh - 1 - top), (left, kw - 1 - left)))
        np.testing.assert_allclose(got.numpy(), reference(padded, w), atol=1e-12)
    valid = F.conv2d(minitorch.tensor(x), minitorch.tensor(w), padding="valid")
    np.testing.assert_allclose(valid.numpy(), reference(x, w), atol=1e-12)


def test_other_bad_arguments():
    x, w = minitorch.zeros(1, 1, 4, 4), minitorch.zeros(2, 1, 3, 3)
    with pytest.raises(ValueError, match=r"\[conv2d\] got bias \(3,\); need \(2,\)"):
        F.conv2d(x, w, minitorch.zeros(3))
    for bad in (1.5, (1, 2, 3), "wide"):
        with pytest.raises(
            TypeError, match=r"\[conv2d\] got padding .*; need an integer"
        ):
            F.conv2d(x, w, padding=bad)
    with pytest.raises(ValueError, match=r"\[conv1d\] got x \(1, 1, 4, 4\)"):
        F.conv1d(x, w)
    with pytest.raises(
        ValueError, match=r"\[conv_transpose2d\].*output_padding must be smaller"
    ):
        F.conv_transpose2d(x, w.permute(1, 0, 2, 3), output_padding=1)

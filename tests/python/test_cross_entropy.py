"""The tests of cross_entropy in one step: its gradient in every form, limits, 16 bits.

Values: test_losses.py; its kernels under all checks: test_checked_kernels.py.
"""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
import minitorch.functional as F

from .tensors import DEVICES, RTOL, check_second_gradients, need, on

# (n, classes, …): short and long lines, alone and side by side.
SHAPES = [(5,), (7, 3), (3, 65), (2, 2050), (4, 5, 3), (2, 3, 300), (2, 3, 4, 5)]


def case(shape, seed):
    """Scores, labels of which some are ignored, and a weight of each class."""
    drawn = np.random.default_rng(seed)
    dim = 1 if len(shape) > 1 else 0
    labels = drawn.integers(0, shape[dim], shape[:dim] + shape[dim + 1 :])
    labels = np.where(drawn.random(labels.shape) < 0.3, -100, labels)
    labels.reshape(-1)[:1] = shape[dim] - 1
    return drawn.standard_normal(shape) * 3, labels, drawn.random(shape[dim]) + 0.5


def target_of(labels, weight, smoothing, shape):
    """What the loss weighs the logarithms with: shares of each class, by definition."""
    dim = 1 if len(shape) > 1 else 0
    classes = shape[dim]
    hit = np.expand_dims(labels, dim) == np.expand_dims(
        np.arange(classes), tuple(d for d in range(len(shape)) if d != dim)
    )
    along = weight.reshape([-1 if d == dim else 1 for d in range(len(shape))])
    target = along * ((1 - smoothing) * hit + smoothing / classes)
    return target * (np.expand_dims(labels, dim) != -100)


def gradient_of(x, labels, weight, smoothing, reduction, g):
    dim = 1 if x.ndim > 1 else 0
    e = np.exp(x - x.max(dim, keepdims=True))
    target = target_of(labels, weight, smoothing, x.shape)
    shares = e / e.sum(dim, keepdims=True) * target.sum(dim, keepdims=True)
    total = weight[labels[labels != -100]].sum() if reduction == "mean" else 1.0
    arrived = np.expand_dims(g, dim) if reduction == "none" else g
    return (shares - target) * arrived / total


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("smoothing", [0.0, 0.3])
@pytest.mark.parametrize("weighted", [False, True])
def test_gradients(
    weighted,
    smoothing,
    reduction,
    shape,
    device,
):
    need(device)
    scores, labels, weight = case(shape, 1)
    weight = weight if weighted else np.ones_like(weight)
    x = on(device, scores, requires_grad=True)
    loss = F.cross_entropy(
        x,
        on(device, labels),
        on(device, weight) if weighted else None,
        reduction=reduction,
        label_smoothing=smoothing,
    )
    g = np.random.default_rng(2).standard_normal(loss.shape)
    loss.backward(on(device, g))
    want = gradient_of(scores, labels, weight, smoothing, reduction, g)
    np.testing.assert_allclose(x.grad.numpy(), want, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize(
    ("device", "every"), [("cpu", 1), pytest.param("cuda", 9, marks=pytest.mark.cuda)]
)
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_the_gradient_has_a_gradient(reduction, device, every):
    need(device)
    scores, labels, weight = case((3, 4, 2), 3)
    given, options = (on(device, labels), on(device, weight)), {"label_smoothing": 0.1}
    check_second_gradients(
        lambda x: F.cross_entropy(x, *given, reduction=reduction, **options),
        [scores],
        device,
        every,
    )


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_16_bits_are_rounded_once(dtype, device):
    need(device)
    scores, labels, _ = case((40, 33), 4)
    x = minitorch.tensor(scores, device=device).to(dtype)
    y = on(device, labels)
    for reduction in ("none", "sum", "mean"):
        half = x.clone().requires_grad_()
        whole = x.to("float32").requires_grad_()
        a = F.cross_entropy(half, y, reduction=reduction)
        b = F.cross_entropy(whole, y, reduction=reduction)
        assert a.dtype == dtype
        for loss in (a, b):
            loss.sum().backward()
        for got, want in ((a, b), (half.grad, whole.grad)):
            once = want.detach().to(dtype).to("float32").numpy()
            got = got.detach().to("float32").numpy()
            np.testing.assert_array_equal(got, once)


@pytest.mark.parametrize("device", DEVICES)
def test_limits(device):
    need(device)
    x = on(device, np.array([[1e4, 0], [0, 1e4], [np.nan, 0]], np.float32))
    x = x.detach().requires_grad_()
    y = on(device, np.array([0, 0, -100]))
    each = F.cross_entropy(x, y, reduction="none")
    np.testing.assert_array_equal(each.numpy(), [0, 1e4, 0])
    each.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [[0, 0], [-1, 1], [0, 0]])
    none = on(device, np.array([-100, -100, -100]))
    assert np.isnan(F.cross_entropy(x, none).item())
    assert F.cross_entropy(x, none, reduction="sum").item() == 0


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", [(0, 3), (0, 3, 2)])
def test_no_samples(shape, device):
    need(device)
    x = on(device, np.zeros(shape), requires_grad=True)
    y = on(device, np.zeros(shape[:1] + shape[2:], np.int64))
    assert F.cross_entropy(x, y, reduction="none").shape == y.shape
    assert F.cross_entropy(x, y, reduction="sum").item() == 0
    assert np.isnan(F.cross_entropy(x, y).item())


@pytest.mark.cuda
def test_labels_that_are_no_class_on_cuda_are_said_later():
    need("cuda")
    x = on("cuda", np.zeros((2, 3)))
    loss = F.cross_entropy(x, on("cuda", np.array([0, 7])))
    with pytest.raises(IndexError, match=r"\[cross_entropy\] got label 7; need 0 to 2"):
        loss.item()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["int32", "uint8"])
def test_dtypes_of_labels(dtype, device):
    need(device)
    x, y = on(device, np.eye(3)), np.array([0, 1, 1])
    got = F.cross_entropy(x, on(device, y.astype(dtype))).item()
    assert got == pytest.approx(F.cross_entropy(x, on(device, y)).item(), rel=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_weight_that_learns_takes_the_long_way(dtype):
    scores, labels, weight = case((6, 4), 5)
    w = minitorch.tensor(weight.astype(dtype), requires_grad=True)
    x = minitorch.tensor(scores.astype(dtype))
    F.cross_entropy(x, minitorch.tensor(labels), w, reduction="sum").backward()
    e = np.exp(scores)
    log = np.log(e / e.sum(1, keepdims=True))
    want = -(target_of(labels, np.ones(4), 0.0, (6, 4)) * log).sum(0)
    np.testing.assert_allclose(w.grad.numpy(), want, rtol=10 * RTOL[dtype])

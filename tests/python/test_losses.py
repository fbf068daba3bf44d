"""The comparison of the losses with their definitions in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
import minitorch.functional as F

from .tensors import DEVICES, need, on

SCORES = np.random.default_rng(1).standard_normal((4, 3, 2)) * 3
LABELS = np.array([[0, 2], [1, 1], [2, 0], [1, 2]])
WEIGHT = np.array([1.0, 2.0, 0.5])


def log_probabilities(x, axis):
    shifted = x - x.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))


def expected_loss(labels, weight, ignored, smoothing):
    """Loss and share of each sample, by a loop over them."""
    p = log_probabilities(SCORES, 1)
    loss, share = np.zeros(labels.shape), np.zeros(labels.shape)
    for n, i in np.ndindex(*labels.shape):
        c = labels[n, i]
        if c == ignored:
            continue
        share[n, i] = weight[c]
        loss[n, i] = -(1 - smoothing) * weight[c] * p[n, c, i]
        loss[n, i] -= smoothing / 3 * (weight * p[n, :, i]).sum()
    return loss, share


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("ignored", [-100, 1])
@pytest.mark.parametrize("weighted", [False, True])
def test_cross_entropy(weighted, ignored, smoothing, device):
    need(device)
    weight = WEIGHT if weighted else np.ones(3)
    loss, share = expected_loss(LABELS, weight, ignored, smoothing)
    options = {
        "weight": on(device, WEIGHT) if weighted else None,
        "ignore_index": ignored,
        "label_smoothing": smoothing,
    }
    scores, labels = on(device, SCORES), on(device, LABELS)
    for reduction, expected in [
        ("none", loss),
        ("sum", loss.sum()),
        ("mean", loss.sum() / share.sum()),
    ]:
        got = F.cross_entropy(scores, labels, reduction=reduction, **options)
        assert got.shape == np.shape(expected)
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-11)
    if not smoothing:
        options.pop("label_smoothing")
        got = F.nll_loss(F.log_softmax(scores, 1), labels, **options)
        np.testing.assert_allclose(got.numpy(), loss.sum() / share.sum(), rtol=1e-11)


def test_what_does_not_fit_is_named():
    x = minitorch.zeros(2, 3)
    good = minitorch.tensor([0, 2], dtype="int64")
    for call, error, message in [
        (lambda: F.nll_loss(x, x), ValueError, r"\[nll_loss\] got scores of shape"),
        (lambda: F.nll_loss(x, x[:, 0]), TypeError, "got labels of float64"),
        (
            lambda: F.cross_entropy(x, good, reduction="no"),
            ValueError,
            "got 'no'; need",
        ),
        (
            lambda: F.cross_entropy(x, good, label_smoothing=2),
            ValueError,
            "need a number from 0 to 1",
        ),
        (lambda: F.mse_loss(x, x[0]), ValueError, r"\[mse_loss\] shapes \(2, 3\)"),
    ]:
        with pytest.raises(error, match=message):
            call()

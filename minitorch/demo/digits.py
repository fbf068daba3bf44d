"""The data of the demo: scikit-learn's digits, real scans that lie inside its wheel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Digits:
    """1,797 scans of handwritten digits, split into training and test images.

    Images are rows of 64 pixels in [0, 1], labels are integers 0 to 9.
    """

    train_images: np.ndarray
    train_labels: np.ndarray
    test_images: np.ndarray
    test_labels: np.ndarray


def load(test_share: float = 0.2, seed: int = 0) -> Digits:
    """Loads and splits the digits.

    Args:
        test_share: Part of the images kept for testing.
        seed: Seed of the shuffle, so that every run sees the same split.

    Raises:
        ImportError: scikit-learn is missing; the message names the extra to install.
    """
    try:
        from sklearn.datasets import load_digits
    except ImportError as error:
        raise ImportError(
            "[demo] scikit-learn is not installed; need it for the digits. "
            'Install the extra: pip install "minitorch-cuda[data]".'
        ) from error
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(images))
    images, labels = images[order] / 16.0, labels[order]
    cut = int(len(images) * (1 - test_share))
    return Digits(images[:cut], labels[:cut], images[cut:], labels[cut:])

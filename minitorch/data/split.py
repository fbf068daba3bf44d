"""Images split into those to learn from and those to test with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Split:
    """Images (n, 1, height, width) with values in [0, 1], and labels (n,) of int64."""

    train_images: Array
    train_labels: Array
    test_images: Array
    test_labels: Array

    @staticmethod
    def shuffled(images: Array, labels: Array) -> Split:
        """Keep a fifth for testing, after a shuffle that is the same in every run."""
        order = np.random.default_rng(0).permutation(len(images))
        images, labels = images[order], labels[order].astype(np.int64)
        cut = int(len(images) * 0.8)
        return Split(images[:cut], labels[:cut], images[cut:], labels[cut:])

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
    def shuffled(images: Array, labels: Array, test_share: float, seed: int) -> Split:
        """Splits after a shuffle that the seed decides.

        Raises:
            ValueError: `test_share` is not between 0 and 1.
        """
        if not 0 < test_share < 1:
            raise ValueError(
                f"[data] got test_share {test_share}; need 0 < test_share < 1."
            )
        order = np.random.default_rng(seed).permutation(len(images))
        images, labels = images[order], labels[order].astype(np.int64)
        cut = int(len(images) * (1 - test_share))
        return Split(images[:cut], labels[:cut], images[cut:], labels[cut:])

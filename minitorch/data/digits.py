"""scikit-learn's digits: real scans that lie inside its wheel."""

from __future__ import annotations

from .split import Split


def load_digits(test_share: float = 0.2, seed: int = 0) -> Split:
    """1,797 scans of handwritten digits of 8 × 8 pixels, as float64.

    Args:
        test_share: Part of the images kept for testing.
        seed: Seed of the shuffle, so that every run sees the same split.

    Raises:
        ImportError: scikit-learn is missing; the message names the extra to install.
    """
    try:
        from sklearn import datasets
    except ImportError as error:
        raise ImportError(
            "[digits] needs scikit-learn, which is not installed. Try: pip install "
            '"minitorch-cuda[data]".'
        ) from error
    images, labels = datasets.load_digits(return_X_y=True)
    return Split.shuffled(images.reshape(-1, 1, 8, 8) / 16.0, labels, test_share, seed)

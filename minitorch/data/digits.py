"""scikit-learn's digits: real scans that lie inside its wheel."""

from __future__ import annotations

from .split import Split


def load_digits() -> Split:
    """1,797 scans of handwritten digits of 8 × 8 pixels, as float64.

    A fifth of them is kept for testing, the same in every run.

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
    return Split.shuffled(images.reshape(-1, 1, 8, 8) / 16.0, labels)

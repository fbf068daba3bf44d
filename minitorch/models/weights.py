"""How a network takes weights that were given with it."""

from __future__ import annotations

from os import PathLike
from typing import Any, TypeVar

from ..module import Module
from ..tensors.files.serialization import load

_Network = TypeVar("_Network", bound=Module)

_SUFFIXES = (".pth", ".pt", ".safetensors")


def with_weights(where: str, network: _Network, weights: Any) -> _Network:
    """The network with the numbers of a state dict or of a file; as it is for None.

    Raises:
        ValueError: A name of torchvision's weights, which would be downloaded.
        TypeError: Neither a state dict nor a file, or a file with something else.
        KeyError: Names are missing or unexpected.
    """
    if weights is None:
        return network
    if isinstance(weights, str) and not weights.endswith(_SUFFIXES):
        raise ValueError(
            f"[{where}] got weights {weights!r}; need a file that ends in "
            f"{', '.join(_SUFFIXES)}, or a state dict. Nothing is downloaded; "
            "docs/training.md shows how to save PyTorch's weights to a file."
        )
    if isinstance(weights, str | PathLike):
        weights = load(weights)
    network.load_state_dict(weights)
    return network

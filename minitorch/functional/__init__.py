"""Owns the list of functions under PyTorch's names and with its meaning.

`import minitorch.functional as F`. Where upstream MiniTorch has a function of the same
name with another meaning, that one is `minitorch.<name>`; docs/minitorch_api.md lists
the pairs. One file a family; this file knows none of their insides.
"""

from __future__ import annotations

from .conv import conv1d, conv2d, conv_transpose2d

__all__ = [
    "conv1d",
    "conv2d",
    "conv_transpose2d",
]

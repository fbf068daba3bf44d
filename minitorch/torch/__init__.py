"""Owns what `import minitorch.torch as torch` brings: PyTorch's names and meaning.

Tensors made here have PyTorch's dialect, and so has what comes of them; `as_minitorch`
shows one in MiniTorch's. One file a family of names; this one knows none of their
insides.
"""

from __future__ import annotations

from .tensor import Tensor

__all__ = ["Tensor"]

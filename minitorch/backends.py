"""`minitorch.backends`: PyTorch's switches for libraries that are not used here.

They can be set and read, so that programs for PyTorch run, and change nothing: every
kernel of this library is its own, with its source (`cpp/kernels`). Knows no kernels.
"""

from __future__ import annotations

__all__ = ["cudnn"]


class _Cudnn:
    """NVIDIA's library of layers, which this library does without.

    `enabled benchmark deterministic allow_tf32` keep what they are given, and do
    nothing else.

    Example:
        >>> cudnn.enabled = False
        >>> cudnn.enabled, cudnn.is_available(), cudnn.version()
        (False, False, None)
        >>> cudnn.enabled = True
    """

    enabled = allow_tf32 = True
    benchmark = deterministic = False

    def is_available(self) -> bool:
        """Return False: this library does not use cuDNN."""
        return False

    def version(self) -> None:
        """Return None: there is no cuDNN."""


cudnn = _Cudnn()


def __dir__() -> list[str]:
    return list(__all__)

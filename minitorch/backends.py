"""`minitorch.backends`: PyTorch's switches for libraries that are not used here.

They can be set and read, so that programs for PyTorch run, and change nothing: every
kernel of this library is its own, with its source (`cpp/kernels`). Knows no kernels.
"""

from __future__ import annotations

from typing import Any

__all__ = ["cudnn"]

_SWITCHES = ("enabled", "benchmark", "deterministic", "allow_tf32")


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

    enabled: bool
    benchmark: bool
    deterministic: bool
    allow_tf32: bool

    def __init__(self) -> None:
        self.enabled = self.allow_tf32 = True
        self.benchmark = self.deterministic = False

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _SWITCHES:
            raise AttributeError(
                f"[cudnn] got '{name}'; need one of {', '.join(_SWITCHES)}."
            )
        if not isinstance(value, bool):
            raise TypeError(f"[cudnn] got {name} {value!r}; need True or False.")
        super().__setattr__(name, value)

    def is_available(self) -> bool:
        """Return False: this library does not use cuDNN."""
        return False

    def version(self) -> None:
        """Return None: there is no cuDNN."""


cudnn = _Cudnn()


def __dir__() -> list[str]:
    return list(__all__)

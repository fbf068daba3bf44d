"""Stand-ins for what MiniTorch's own tests and scripts import. Changes nothing until it
is asked to.
"""

from __future__ import annotations

from .numba_module import install_numba

__all__ = ["install_numba"]


def __dir__() -> list[str]:
    return sorted(__all__)

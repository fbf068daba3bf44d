"""Owns what `import minitorch` brings. Must not find or load a GPU, driver or NVRTC."""

from __future__ import annotations

try:
    from . import _core as _core
except ImportError as error:
    raise ImportError(
        f"[minitorch] the compiled core does not load ({error}). In a checkout, build "
        "it with: pip install -e . (or: make test)."
    ) from error

from . import blas as _blas
from . import cuda

__version__ = "0.1.0"

__all__ = ["cuda"]

_blas.connect()

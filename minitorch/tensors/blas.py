"""Find the BLAS library of the scipy-openblas32 wheel, without loading it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from .. import _core


def connect() -> None:
    """Tell the core where the wheel's library is, if the wheel is installed.

    The package itself is not imported: the core loads the library at the first product.
    """
    spec = importlib.util.find_spec("scipy_openblas32")
    if spec is None or spec.origin is None:
        return
    folder = Path(spec.origin).parent / "lib"
    for library in sorted(folder.glob("libscipy_openblas*.so*")):
        _core.suggest_blas(str(library))
        return

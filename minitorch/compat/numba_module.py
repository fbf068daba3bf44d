"""The stand-in for the package `numba`, which programs find by `import numba`.

`numba.cuda` is `minitorch.cuda`, so kernels compile and run here. Functions for the CPU
stay Python functions, which tensor operations and kernels take as they are.
"""

from __future__ import annotations

import importlib.util
import sys

#: Programs compare it with the version they need: that of the language that we follow.
__version__ = "0.60.0+minitorch"


def install_numba(force: bool = False) -> bool:
    """Registers `numba`, `numba.cuda` and what programs import below them.

    Args:
        force: Also where the real Numba is installed, or imported already.

    Returns:
        Whether the stand-in is in place; False where the real Numba was left alone.

    Raises:
        TypeError: `force` is not a bool.

    Example:
        >>> if install_numba():
        ...     import numba
        ...     print(numba.cuda.is_available())
        True
    """
    if not isinstance(force, bool):
        raise TypeError(f"[install_numba] got force={force!r}; need True or False.")
    present = sys.modules.get("numba")
    if present is not None and getattr(present, "__version__", "") == __version__:
        return True
    if not force and (present or importlib.util.find_spec("numba") is not None):
        return False
    for name in [name for name in sys.modules if name.split(".")[0] == "numba"]:
        del sys.modules[name]
    # Only now: a program without Numba need not wait for the compiler of kernels.
    from .numba_tree import register_modules

    register_modules(__version__)
    return True

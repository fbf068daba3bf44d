"""The stand-in for the package `numba`, which programs find by `import numba`.

`numba.cuda` is `minitorch.cuda`, so kernels compile and run here. Functions for the CPU
stay Python functions, which tensor operations and kernels take as they are. Nothing
changes until `install_numba` is called.
"""

from __future__ import annotations

import importlib.util
import sys
import types
from typing import Any, NoReturn

__all__ = ["install_numba"]

#: Programs compare it with the version they need: that of the language that we follow.
__version__ = "0.60.0+minitorch"


def jit(*arguments: Any, **options: Any) -> Any:
    """`@jit`, `@njit`, with or without a signature and options: the function itself.

    Args:
        arguments: The function; or signatures, for `@jit("f8(f8)")`.
        options: Numba's, which change nothing here, except that `target="cuda"` and
            `device=True` of old programs are refused.

    Returns:
        The function with Numba's attributes `py_func`, `signatures` and the like; or,
        without a function, what does this to one.

    Raises:
        NotImplementedError: A kernel is asked for in the words of Numba before 0.54.
    """
    if options.get("target") == "cuda" or options.get("device"):
        raise NotImplementedError(
            "[numba.jit] target='cuda' is not supported, as in Numba since 0.54. Use "
            "numba.cuda.jit."
        )
    function = arguments[0] if arguments else None
    if not isinstance(function, types.FunctionType):
        return lambda fn: jit(fn, **options)
    return _with_attributes(function, options)


_WITHOUT_EFFECT = (
    "compile",
    "recompile",
    "disable_compile",
    "inspect_types",
    "parallel_diagnostics",
)


def _with_attributes(
    function: types.FunctionType, options: dict[str, Any]
) -> types.FunctionType:
    function.__dict__.update(
        py_func=function,
        signatures=[],
        nopython_signatures=[],
        overloads={},
        targetoptions=options,
        **dict.fromkeys(_WITHOUT_EFFECT, lambda *_, **__: None),
    )
    return function


def _vectorize(*_arguments: Any, **_options: Any) -> NoReturn:
    """Refuse `@vectorize` and `@guvectorize`.

    Raises:
        NotImplementedError: Always.
    """
    raise NotImplementedError(
        "[numba.vectorize] vectorize and guvectorize are not supported. Write a kernel "
        "with numba.cuda.jit, or call numpy.vectorize(function)."
    )


#: `numba.*`: functions for the CPU.
FUNCTIONS: dict[str, Any] = {
    "jit": jit,
    "njit": jit,
    "prange": range,
    "vectorize": _vectorize,
    "guvectorize": _vectorize,
    "get_num_threads": lambda: 1,
    "set_num_threads": lambda count: None,
    "get_thread_id": lambda: 0,
}


def install_numba(force: bool = False) -> bool:
    """Register `numba`, `numba.cuda` and what programs import below them.

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
    from .cuda.numba_modules import register_modules

    register_modules(__version__, FUNCTIONS)
    return True


def __dir__() -> list[str]:
    return sorted(__all__)

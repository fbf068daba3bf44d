"""Stand-ins for Numba's decorators of functions on the CPU.

The functions stay Python functions, which run as they are and which kernels and tensor
operations take as they are, too.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["FUNCTIONS", "jit"]


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
    *("compile", "recompile", "disable_compile"),
    *("inspect_types", "parallel_diagnostics"),
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


def _unchanged(*arguments: Any, **_options: Any) -> Any:
    """Decorator, with or without parentheses, that returns the function unchanged."""
    if arguments and isinstance(arguments[0], types.FunctionType):
        return arguments[0]
    return lambda function: function


@contextmanager
def _objmode(*_names: Any, **_types: Any) -> Iterator[None]:
    """`with objmode(x="f8")`: a block of plain Python."""
    yield


def _value(value: Any) -> Any:
    """Return the value: `literally(x)` and `literal_unroll(x)`."""
    return value


#: `numba.*`, without the ufuncs, which are kernels.
FUNCTIONS: dict[str, Any] = {
    "jit": jit,
    "njit": jit,
    "cfunc": _unchanged,
    "prange": range,
    "objmode": _objmode,
    "literally": _value,
    "literal_unroll": _value,
    "get_num_threads": lambda: 1,
    "set_num_threads": lambda count: None,
    "get_thread_id": lambda: 0,
}

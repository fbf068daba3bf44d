"""`cuda.jit` in all its forms."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any

from ..compiling.kernel_options import JitOptions, options_from
from ..compiling.signatures import is_signature, signatures_from
from ..tracebacks import learner_frames

_STOPS_BETWEEN = (
    inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
)

Jitted = Any  # Dispatcher | DeviceFunction, which are imported late


@learner_frames
def jit(func_or_sig: Any = None, **keywords: Any) -> Jitted:
    """Compile a Python function to a kernel, or to a device function.

    Forms: `@jit`, `@jit()`, `@jit(device=True)`, `@jit('void(float32[:], int32)')`,
    `@jit(void(float32[:]))`, `@jit((float32[:],))`, `@jit([signature, signature])`.
    Without a signature the kernel is compiled at its first launch with arguments of new
    types; with signatures it is compiled now, for these only.

    Args:
        func_or_sig: The function, or its signature or signatures.
        keywords: `device`, `debug` (with opt=False: `-G`), `opt`, `fastmath`,
            `max_registers`, `link` (files or sources in CUDA C++). `cache`, `lineinfo`,
            `inline`, `boundscheck` and others of Numba's are accepted.

    Returns:
        A `Dispatcher`, launched by `kernel[grid, block](...)`; with `device` a
        `DeviceFunction`. Without a function a decorator that gives them.

    Raises:
        TypeError: Neither a function nor a signature, or an unknown keyword.
        ValueError: Text that is no signature.
        CompileError: With a signature: the function has no meaning for it.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda
        >>> @cuda.jit
        ... def axpy(a, x, y):
        ...     i = cuda.grid(1)
        ...     if i < x.size:
        ...         y[i] += a * x[i]
        >>> x, y = cuda.to_device(np.arange(4.0)), cuda.to_device(np.ones(4))
        >>> axpy[1, 32](2.0, x, y)
        >>> y.copy_to_host()
        array([1., 3., 5., 7.])
    """
    options = options_from(keywords)
    if func_or_sig is None:
        return functools.partial(_compiled, signatures=[], options=options)
    if is_signature(func_or_sig):
        signatures = signatures_from(func_or_sig)
        return functools.partial(_compiled, signatures=signatures, options=options)
    return _compiled(func_or_sig, [], options)


@learner_frames
def _compiled(function: Any, signatures: list[Any], options: JitOptions) -> Jitted:
    plain = python_function(function)
    if options.device:
        from .device_function import DeviceFunction

        return DeviceFunction(plain, options, signatures)
    from .dispatcher import Dispatcher

    return Dispatcher(plain, options, signatures)


def python_function(function: Any) -> types.FunctionType:
    plain = getattr(function, "py_func", function)  # of a kernel: its function anew
    if isinstance(plain, types.FunctionType):
        if plain.__code__.co_flags & _STOPS_BETWEEN:
            from ..language.source import find_source

            find_source(plain)  # refuses it, with the line that yields or awaits
        return plain
    raise TypeError(f"[jit] got {_described(plain)}; need a function.{_hint(plain)}")


def _described(value: Any) -> str:
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, (staticmethod, classmethod)):
        return f"a {type(value).__name__}"
    if isinstance(value, types.MethodType):
        return f"the method {value.__qualname__}"
    if callable(value):
        return f"the built-in {getattr(value, '__name__', type(value).__name__)}"
    kind = type(value).__name__
    return f"{value!r}, {'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _hint(value: Any) -> str:
    if isinstance(value, type):
        return " Decorate a function outside the class."
    if isinstance(value, staticmethod):
        return " Put @staticmethod above @cuda.jit."
    if isinstance(value, (classmethod, types.MethodType)):
        return " A kernel cannot take self: write it outside the class."
    return " A signature is a string, a type or a list of them."

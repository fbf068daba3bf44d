"""Translate a Python function of numbers for both targets, with a cache."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass

from .captures import Captures
from .emit.cuda import emit_cuda
from .emit.flat import FlatProgram, emit_flat
from .errors import TranslationError, nested_too_deeply
from .typed import TypedFunction
from .types import Type
from .typing.functions import Session, infer


@dataclass(frozen=True, eq=False)
class ScalarFunction:
    """Python function of numbers, translated for one signature.

    Attributes:
        name: The function's qualified name.
        arguments: Types of the arguments.
        result: Type of the result.
        cuda: `struct Fn` in CUDA C++, for the spec of a kernel.
        flat: The same for the CPU's evaluator.
    """

    name: str
    arguments: tuple[Type, ...]
    result: Type
    cuda: str
    flat: FlatProgram


# By code, defaults and types; several entries where what is captured differs, as in a
# notebook that rebinds names, or functions from one factory.
_cache: dict[object, list[tuple[Captures, ScalarFunction]]] = {}
_KEPT = 16


def translate(
    function: Callable[..., object], arguments: tuple[Type, ...]
) -> ScalarFunction:
    """Translate a Python function of numbers for these argument types.

    Args:
        function: By `def` or `lambda`, or a function of `math`.
        arguments: The type of each argument.

    Returns:
        Its CUDA C++ and flat program. The same as before, as long as the code and all
        that it captures are the same.

    Raises:
        TranslationError: Something in it has no meaning on the device.

    Example:
        >>> import math
        >>> translate(math.exp, (Type.FLOAT32,)).result.value
        'float32'
    """
    if not isinstance(function, types.FunctionType):
        builtin = isinstance(function, (types.BuiltinFunctionType, type))
        if not builtin and type(function).__name__ != "ufunc":
            raise TranslationError(
                f"got an object of type {type(function).__name__}; need a function "
                "written with def or lambda, or a function of math."
            )
        session = Session(Captures(function))  # type: ignore[arg-type]
        return _both_targets(session.builtin(function, arguments))
    key = (function.__code__, repr(function.__defaults__), arguments)
    entries = _cache.setdefault(key, [])
    for captures, known in reversed(entries):
        if captures.unchanged(function):
            return known
    captures = Captures(function)
    try:
        result = _both_targets(infer(function, arguments, captures))
    except RecursionError:
        raise nested_too_deeply(function) from None
    entries.append((captures, result))
    del entries[:-_KEPT]
    return result


def _both_targets(typed: TypedFunction) -> ScalarFunction:
    arguments = tuple(parameter.type for parameter in typed.parameters)
    result = typed.result
    assert isinstance(result, Type)  # `infer` saw to it
    flat = emit_flat(typed)
    return ScalarFunction(typed.name, arguments, result, emit_cuda(typed), flat)

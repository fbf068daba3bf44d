"""Device functions: `cuda.jit(device=True)`."""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Sequence
from typing import Any, NoReturn

from ..compiling.kernel_options import JitOptions
from ..compiling.signatures import signature_from
from ..language.types import FunctionType, KernelType, Type
from ..tracebacks import learner_frames


def is_global(decorated: Any) -> bool:
    """Return whether its module has it under its qualified name, as pickle requires."""
    value: Any = sys.modules.get(decorated.__module__)
    for name in decorated.__qualname__.split("."):
        value = getattr(value, name, None)
    return value is decorated


def check_result(signature: FunctionType, name: str, result: KernelType | None) -> None:
    """Raise TypeError if the value would lose precision in its declared type.

    Args:
        signature: Declares the result; None: any.
        name: The function's.
        result: What it gives.

    Raises:
        TypeError: The declared type cannot hold it.
    """
    if signature.result is None or signature.result == result:
        return
    hint = ""
    if isinstance(result, Type) and not result.is_complex:
        hint = f" Try return cuda.{signature.result}(...)."
    raise TypeError(
        f"[jit] the signature {signature} returns {signature.result}, but {name} "
        f"returns {result or 'nothing'}.{hint}"
    )


class DeviceFunction:
    """Python device function, translated into each kernel that calls it.

    Attributes:
        py_func: The Python function.
        options: What `jit` was asked for.
        declared: Its signatures. A call converts numbers to the types of the nearest.

    Example:
        >>> from minitorch import cuda
        >>> @cuda.jit(device=True)
        ... def square(x):
        ...     return x * x
        >>> square.py_func(3)
        9
    """

    is_kernel = False

    def __init__(
        self,
        function: types.FunctionType,
        options: JitOptions,
        signatures: Sequence[FunctionType] = (),
    ) -> None:
        functools.update_wrapper(self, function)
        self.__name__, self.__qualname__ = function.__name__, function.__qualname__
        self.py_func = function
        self.options = options
        self.declared = tuple(signatures)
        for signature in signatures:
            self.compile(signature)

    @learner_frames
    def compile(self, signature: Any) -> Any:
        """Check that the function can be translated for these argument types.

        Returns:
            The type of what it gives; None for nothing.

        Raises:
            CompileError: It has none.
            TypeError: The signature declares a result that cannot hold it.
        """
        from ..language.kernel import result_of

        parsed = signature_from(signature)
        result = result_of(self.py_func, parsed.arguments, parsed.result)
        check_result(parsed, self.__name__, result)
        return result

    @learner_frames
    def __call__(self, *args: Any, **named: Any) -> NoReturn:
        raise RuntimeError(
            f"[jit] {self.__name__} is a device function; call it from a kernel. The "
            f"plain Python function is {self.__name__}.py_func."
        )

    @learner_frames
    def __getitem__(self, brackets: Any) -> NoReturn:
        raise TypeError(
            f"[jit] {self.__name__} is a device function and cannot be launched. For a "
            "kernel use @cuda.jit without device=True."
        )

    def __reduce__(self) -> Any:
        if is_global(self):
            return self.__qualname__
        return type(self), (self.py_func, self.options, self.declared)

    def __repr__(self) -> str:
        return f"<cuda device function {self.__qualname__}>"

"""Compile a Python function to PTX without a device."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from ... import _core
from ..compiling.kernel_options import options_from
from ..compiling.signatures import signature_from
from ..language.kernel import compile_device_function, compile_kernel
from ..tracebacks import learner_frames
from .device_function import check_result
from .jit_decorator import python_function

if TYPE_CHECKING:
    from ..language.types import KernelType

_ARCHITECTURE = (7, 5)


@learner_frames
def compile_ptx(
    pyfunc: Any,
    sig: Any,
    debug: bool = False,
    lineinfo: bool = False,
    device: bool = False,
    fastmath: bool = False,
    cc: tuple[int, int] | None = None,
    opt: bool = True,
) -> tuple[str, KernelType | None]:
    """Compile a kernel or device function to PTX; no device is needed.

    Args:
        pyfunc: The Python function.
        sig: Types of its arguments, as `jit` takes them.
        debug: With opt=False NVRTC's `-G`.
        lineinfo: Accepted; lines are always in the PTX.
        device: A device function: a `.func` with its own name.
        fastmath: NVRTC's `--use_fast_math`.
        cc: Compute capability, (7, 5) if None.
        opt: Optimise.

    Returns:
        The PTX, and the type of what the function gives (None for a kernel).

    Raises:
        CompileError: The function has no meaning for these types.
        TypeError: The signature declares a result that cannot hold it.
        ValueError: NVRTC does not know the compute capability.

    Example:
        >>> from minitorch import cuda
        >>> def add(x, y):
        ...     return x + y
        >>> ptx, result = cuda.compile_ptx(add, "(int32, int32)", device=True)
        >>> print(result)
        int64
    """
    function = python_function(pyfunc)
    signature = signature_from(sig)
    options = options_from({"debug": debug, "fastmath": fastmath, "opt": opt}).nvrtc
    result: KernelType | None = None
    if device:
        source, result = compile_device_function(
            function, signature.arguments, signature.result
        )
        options.append("--relocatable-device-code=true")
    else:
        source = compile_kernel(function, signature.arguments)
    check_result(signature, function.__name__, result)
    ptx = _core.compile_ptx(
        source.cuda,
        options,
        source.file,
        list(source.headers.items()),
        _architecture(cc),
    )
    return ptx, result


def _architecture(cc: object) -> int:
    given: Any = _ARCHITECTURE if cc is None else cc
    try:
        major, minor = given
        return 10 * operator.index(major) + operator.index(minor)
    except (TypeError, ValueError):
        raise TypeError(
            f"[compile_ptx] got cc={cc!r}; need a tuple such as (8, 0)."
        ) from None


@learner_frames
def compile(
    pyfunc: Any, sig: Any, *, output: str = "ptx", **keywords: Any
) -> tuple[str, KernelType | None]:
    """Compile as `compile_ptx`; `output` can only be "ptx".

    Raises:
        ValueError: Another output.
    """
    if output != "ptx":
        raise ValueError(f"[compile] got output={output!r}; need 'ptx'.")
    return compile_ptx(pyfunc, sig, **{"device": True, **keywords})

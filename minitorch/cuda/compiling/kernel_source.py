"""Read and compile a user's CUDA C++: options, files, warnings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ... import _core
from ..compiler_messages import with_host_advice
from ..errors import CompileError, KernelWarning
from ..tracebacks import warn_at_caller

_IMAGES = {".ptx", ".cubin"}


def words(value: Iterable[str] | None, what: str) -> list[str]:
    """Return options or name expressions as a list of strings; [] for None."""
    if value is None:
        return []
    if isinstance(value, Iterable) and not isinstance(value, str):
        result = list(value)
        if all(isinstance(word, str) for word in result):
            return result
    raise TypeError(f"[cuda] got {what} {value!r}; need a tuple of strings.")


def require_text(value: object, what: str) -> None:
    """Raise TypeError unless source code or a name is a string."""
    if not isinstance(value, str):
        raise TypeError(f"[cuda] got {what} {value!r}; need a string.")


def pseudo_file(name: str) -> str:
    """Return the name that messages use for a kernel source without a file.

    Example:
        >>> pseudo_file("scale<float>")
        '/minitorch/user/scale_float_.cu'
    """
    stem = "".join(c if c.isalnum() or c == "_" else "_" for c in name)
    return f"/minitorch/user/{stem}.cu"


def compile_code(
    code: str,
    options: list[str],
    name_expressions: list[str],
    file: str,
    headers: Mapping[str, str],
) -> _core.RawModule:
    """Compile CUDA C++; raise the compiler's warnings at the line of the caller.

    Raises:
        CompileError: the source does not compile.
    """
    try:
        module = _core.RawModule.from_source(
            code, options, name_expressions, file, list(headers.items())
        )
    except CompileError as error:
        advice = with_host_advice(code, file, error.diagnostics)
        if advice is None:
            raise
        raise CompileError(
            advice, diagnostics=error.diagnostics, log=error.log
        ) from None
    for diagnostic in module.warnings:
        warn_at_caller(str(diagnostic), KernelWarning)
    return module


def is_image(path: Path) -> bool:
    """Return whether the file suffix is that of PTX or machine code."""
    return path.suffix in _IMAGES

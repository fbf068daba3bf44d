"""Compile a Python function to the CUDA C++ of a kernel."""

from __future__ import annotations

import functools
import re
import types
from dataclasses import dataclass, field, replace
from pathlib import Path

from ... import _core
from .captures import Captures
from .emit.cuda import emit_device_function, emit_kernel
from .emit.cuda_text import demangled, identifier
from .emit.indices import IndexChecks
from .errors import TranslationError, nested_too_deeply
from .typed import Access, TypedFunction
from .types import KernelType, Type
from .typing.functions import Session
from .written import Path as ArrayPath
from .written import written_arrays

# Names beside a comparison, in CUDA C++.
_COMPARED = re.compile(r"\b(\w+) [<>]=? ")
_DYNAMIC = re.compile(r"\b(\w+) = dynamic_array<[^;]*>\(\);")
_HEADERS = Path(__file__).parent / "headers"


@dataclass(frozen=True)
class KernelSource:
    """CUDA C++ of a kernel, for one signature.

    Attributes:
        name: The function's qualified name.
        entry: The kernel's name, as the core shows it.
        cuda: The source file.
        file: Its pseudo name, which `python_location` maps back.
        headers: Text of the headers that it may include, by name.
        parameters: Name and type of each parameter of the entry.
        accesses: The subscripts by pseudo file, for the words of findings; each
            function has its file.
        checked: The same source with checks of its indices (`emit.indices`); "" where
            there are none.
        checks: The subscripts that are checked, by their numbers.
        variables: Python's names by pseudo file, and by those in C++.
        shared: Sizes of the shared arrays, by their names as the core shows them.
        cooperative: Does it wait for the whole grid, so that the launch has to be
            cooperative?
        notes: Notes for the learner, shown when it is compiled.
    """

    name: str
    entry: str
    cuda: str
    file: str
    headers: dict[str, str]
    parameters: tuple[tuple[str, KernelType], ...]
    accesses: dict[str, list[Access]]
    variables: dict[str, dict[str, str]]
    cooperative: bool = False
    checked: str = ""
    checks: tuple[Access, ...] = ()
    written: frozenset[ArrayPath] = frozenset()
    shared: dict[str, tuple[int, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @functools.cached_property
    def compared(self) -> frozenset[str]:
        """C++ names that the kernel compares with something."""
        return frozenset(_COMPARED.findall(self.cuda))

    @property
    def keeps_arrays(self) -> bool:
        """Whether only the checked build keeps shared or local arrays in memory."""
        return "keep_in_memory(" in self.checked

    @functools.cached_property
    def dynamic(self) -> frozenset[str]:
        """C++ names of arrays that are all of dynamic shared memory."""
        return frozenset(_DYNAMIC.findall(self.cuda))


def compile_kernel(
    function: types.FunctionType, arguments: tuple[KernelType, ...]
) -> KernelSource:
    """Translate a Python function into a kernel for these argument types.

    Args:
        function: By `def`; it gives no value.
        arguments: The type of each argument of the launch.

    Returns:
        The kernel's source. Captured values are what they are now.

    Raises:
        TranslationError: Something in it has no meaning on the device.

    Example:
        >>> from minitorch import cuda
        >>> def double(x):
        ...     x[cuda.threadIdx.x] *= 2
        >>> from minitorch.cuda.language.types import Type
        >>> source = compile_kernel(double, (Type.INT64[::1],))
        >>> source.entry, source.parameters[0][0]
        ('double', 'x')
    """
    session = Session(Captures(function))
    try:
        typed = session.kernel(function, arguments)
    except RecursionError:
        raise nested_too_deeply(function) from None
    source = replace(
        _source(session, typed, *emit_kernel(typed)), written=written_arrays(typed)
    )
    indices = IndexChecks()
    checked = emit_kernel(typed, indices)[1]
    if not indices.accesses:
        return source
    return replace(source, checked=checked, checks=tuple(indices.accesses))


def compile_device_function(
    function: types.FunctionType,
    arguments: tuple[KernelType, ...],
    result: Type | None = None,
) -> tuple[KernelSource, KernelType | None]:
    """Translate a Python function into a device function that C++ can call.

    Args:
        function: By `def`.
        arguments: The type of each.
        result: The number that its value becomes, where nothing is lost by that.

    Returns:
        Its source, and the type of what it gives; None for nothing.

    Raises:
        TranslationError: Something in it has no meaning on the device.

    Example:
        >>> from minitorch.cuda.language.types import Type
        >>> def half(x):
        ...     return x / 2
        >>> source, result = compile_device_function(half, (Type.FLOAT32,))
        >>> source.entry, result.value
        ('half', 'float64')
    """
    session = Session(Captures(function))
    typed = session.translate(function, arguments, TranslationError, result)
    source = _source(session, typed, *emit_device_function(typed))
    return source, typed.result


def _source(
    session: Session,
    typed: TypedFunction,
    entry: str,
    cuda: str,
    headers: frozenset[str],
) -> KernelSource:
    return KernelSource(
        typed.name,
        demangled(entry),
        cuda,
        typed.pseudo_file,
        _header_texts() if headers else {},
        tuple((parameter.name, parameter.type) for parameter in typed.parameters),
        session.accesses,
        {
            file: {identifier(local): name for local, name in names.items()}
            for file, names in session.variables.items()
        },
        "grid_sync" in cuda,
        notes=tuple(session.notes),
        shared={
            demangled(identifier(array.variable.name)): array.variable.type.shape
            for function in (*session.functions, typed)  # the kernel's names win
            for array in function.arrays
            if array.space == "shared"
        },
    )


def result_of(
    function: types.FunctionType,
    arguments: tuple[KernelType, ...],
    result: Type | None = None,
) -> KernelType | None:
    """Return the result type of a device function; see `compile_device_function`.

    Example:
        >>> def mean(a, b):
        ...     return (a + b) / 2
        >>> from minitorch.cuda.language.types import Type
        >>> print(result_of(mean, (Type.INT32, Type.FLOAT32)))
        float64
    """
    session = Session(Captures(function))
    return session.translate(function, arguments, TranslationError, result).result


@functools.lru_cache(maxsize=1)
def _header_texts() -> dict[str, str]:
    """Return all headers of the language, since they include each other."""
    texts = {path.name: path.read_text() for path in sorted(_HEADERS.glob("*.cuh"))}
    texts["python_math.cuh"] = _core.kernel_source("python_math.cuh")
    # A name from the root, else the present folder becomes part of the PTX.
    return {
        name: f'#line 1 "/minitorch/language/{name}"\n{text}'
        for name, text in texts.items()
    }

"""Link CUDA C++ functions into Python kernels: `declare_device` and `link`.

Sources are compiled together with the kernel.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

from ..compiling.signatures import signature_from
from ..language.array_views import int64, item_of
from ..language.builtins.calls import CallSite, named_method, python_function
from ..language.typed import Address, Expression, Intrinsic
from ..language.types import ArrayType, KernelType, Type
from ..tracebacks import learner_frames

_SOURCES = (".cu", ".cuh", ".h", ".cpp", ".c")
_INCLUDE = re.compile(r'^#include "(declared/[^"]+)"', re.MULTILINE)
_texts: dict[str, str] = {}


class CUSource:
    """CUDA C++ to compile with a kernel, for `link=[...]`.

    Args:
        data: The source.
        name: What messages call it.

    Example:
        >>> from minitorch import cuda
        >>> twice = cuda.CUSource('''extern "C" __device__ int twice(int* result, int x)
        ... { *result = 2 * x; return 0; }''')
        >>> declared = cuda.declare_device("twice", "int32(int32)", link=twice)
        >>> @cuda.jit
        ... def double(x):
        ...     x[0] = declared(x[0])
        >>> x = cuda.to_device([21])
        >>> double[1, 1](x)
        >>> x.copy_to_host()
        array([42])
    """

    @learner_frames
    def __init__(self, data: str, name: str = "linked.cu") -> None:
        if not isinstance(data, str) or not isinstance(name, str):
            raise TypeError(
                f"[CUSource] got data of type {type(data).__name__} and name {name!r}; "
                "both must be strings."
            )
        self.data = data
        self.name = name

    def __repr__(self) -> str:
        return f"CUSource({self.name}, {len(self.data)} characters)"


def source_of(item: Any) -> CUSource:
    """Read an item of `link`: the path of a CUDA C++ file, or a `CUSource`.

    Raises:
        TypeError: Something else.
        ValueError: A file of another kind.
        OSError: No such file.
    """
    if isinstance(item, CUSource):
        return item
    if not isinstance(item, (str, os.PathLike)):
        raise TypeError(
            f"[link] got {item!r}; need the path of a .cu file, or a cuda.CUSource."
        )
    path = Path(item)
    if path.suffix not in _SOURCES:
        raise ValueError(
            f"[link] cannot link {path.name}; need CUDA C++ source "
            f"({', '.join(_SOURCES)}), which is compiled with the kernel."
        )
    return CUSource(path.read_text(), path.name)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _header(source: CUSource) -> str:
    """Store a source as a header with an include guard; return the header's name."""
    digest = _digest(source.data)
    name, guard = f"linked/{digest}/{source.name}", f"LINKED_{digest}"
    _texts[name] = (
        f"#ifndef {guard}\n#define {guard}\n"
        f'#line 1 "/minitorch/linked/{source.name}"\n{source.data}\n#endif\n'
    )
    return name


def linked(
    cuda: str, link: Iterable[Any], headers: dict[str, str]
) -> tuple[str, dict[str, str]]:
    """Add linked CUDA C++ to a kernel's source and headers.

    Args:
        cuda: The kernel's source.
        link: Items that `jit` was given.
        headers: Of the language.
    """
    headers_linked = [_header(source_of(item)) for item in link]
    includes_found = [*headers_linked, *_INCLUDE.findall(cuda)]
    if not includes_found:
        return cuda, headers
    includes = "".join(f'#include "{name}"\n' for name in headers_linked)
    return includes + cuda, {**headers, **_texts}


class DeclaredFunction:
    """CUDA C++ function that kernels can call; see `declare_device`."""

    def __init__(
        self,
        name: str,
        result: Type | None,
        arguments: tuple[KernelType, ...],
        sources: list[CUSource],
        abi: str,
    ) -> None:
        self.__name__ = name
        self.result = result
        self.arguments = arguments
        self._c_abi = abi == "c"
        includes = "".join(f'#include "{_header(source)}"\n' for source in sources)
        text = includes + self._wrapper()
        self._header = f"declared/{_digest(text)}/{name}.cuh"
        _texts[self._header] = text
        python_function(self)(self._typed)

    def _wrapper(self) -> str:
        """Return a C++ function that returns the result as its value.

        The source has come before, so that nothing has to be declared again.
        """
        name, kinds = self.__name__, [_pointed(argument) for argument in self.arguments]
        named = [f"{kind} a{index}" for index, kind in enumerate(kinds)]
        given = [f"a{index}" for index in range(len(kinds))]
        result = self.result.cuda if self.result else "void"
        head = f"__device__ inline {result} declared_{name}({', '.join(named)})"
        if self._c_abi:
            return f"{head} {{ return {name}({', '.join(given)}); }}\n"
        if self.result is None:
            return f"{head} {{ {name}({', '.join(['nullptr', *given])}); }}\n"
        call = f"{name}({', '.join(['&result', *given])});"
        return f"{head} {{\n  {result} result;\n  {call}\n  return result;\n}}\n"

    def _typed(self, site: CallSite) -> Expression:
        names = [f"argument_{index + 1}" for index in range(len(self.arguments))]
        values = [bound for bound in site.bind(*names) if bound is not None]
        passed = tuple(
            self._argument(site, value, index) for index, value in enumerate(values)
        )
        function = f"declared_{self.__name__}"
        result: Any = self.result
        return Intrinsic(result, function, passed, (self._header,), effect=True)

    def _argument(self, site: CallSite, value: Expression, index: int) -> Expression:
        kind = self.arguments[index]
        if isinstance(kind, Type):
            return site.number(value, index, kind)
        dtype = kind.dtype if isinstance(kind, ArrayType) else None
        if not isinstance(value.type, ArrayType) or value.type.dtype is not dtype:
            raise site.error(
                f"{self.__name__} needs an array of {dtype}, got {value.type}.",
                index,
            )
        first: Any = item_of(value, tuple(int64(0) for _ in range(value.type.ndim)))
        pointer: Any = None
        return Address(pointer, first)

    @learner_frames
    def __call__(self, *args: Any) -> NoReturn:
        raise RuntimeError(
            f"[declare_device] {self.__name__} is a device function; call it from a "
            "kernel."
        )

    def __repr__(self) -> str:
        arguments = ", ".join(map(str, self.arguments))
        return f"<declared {self.result or 'void'} {self.__name__}({arguments})>"


@named_method("cffi.api", "FFI.from_buffer")
def _from_buffer(site: CallSite) -> Expression:
    """Type Numba's `ffi.from_buffer(array)`: here the array itself."""
    (array,) = site.bind("array")
    assert array is not None
    return array


def _pointed(kind: KernelType) -> str:
    if isinstance(kind, ArrayType):
        return f"{kind.dtype.cuda}*"
    return kind.cuda if isinstance(kind, Type) else ""


@learner_frames
def declare_device(
    name: str, sig: Any, link: Any = None, *, abi: str = "numba"
) -> DeclaredFunction:
    """Declare a function in CUDA C++, so that kernels in Python can call it.

    With Numba's ABI it is `extern "C" __device__ int name(R* result, ...)`, with "c"
    `extern "C" __device__ R name(...)`. An array type stands for a pointer to the first
    element.

    Args:
        name: Its name in C.
        sig: Result and arguments, such as `'float32(float32, int32)'`.
        link: Where it is: a path or `CUSource`, or a list of them; None: in what the
            kernel's `jit(link=...)` names.
        abi: "numba" or "c".

    Raises:
        TypeError: No name, no signature, or a tuple as an argument.
        ValueError: Another ABI.
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise TypeError(
            f"[declare_device] got name {name!r}; need the name of a device function."
        )
    if abi not in ("numba", "c"):
        raise ValueError(f"[declare_device] got abi={abi!r}; need 'numba' or 'c'.")
    signature = signature_from(sig)
    if not all(
        isinstance(argument, (Type, ArrayType)) for argument in signature.arguments
    ):
        raise TypeError(
            f"[declare_device] got the signature {signature}; argument types must be "
            "numbers or arrays."
        )
    items = link if isinstance(link, (list, tuple)) else [] if link is None else [link]
    sources = [source_of(item) for item in items]
    return DeclaredFunction(name, signature.result, signature.arguments, sources, abi)

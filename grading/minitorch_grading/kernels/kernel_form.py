"""A compiled kernel as JSON: written where a submission is, loaded elsewhere.

PTX, types and the tables that messages need; no code of Python.
"""

from __future__ import annotations

import dataclasses
import json
import linecache
import os
import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import minitorch_cuda._core as _core
from minitorch_cuda.cuda.compiling.debug_info import with_bools
from minitorch_cuda.cuda.compiling.kernel_options import JitOptions
from minitorch_cuda.cuda.compiling.signatures import type_from
from minitorch_cuda.cuda.language.kernel import KernelSource, compile_kernel
from minitorch_cuda.cuda.language.source import python_location
from minitorch_cuda.cuda.language.typed import Access
from minitorch_cuda.cuda.language.types import KernelType
from minitorch_cuda.cuda.launching.arguments import Parameters
from minitorch_cuda.cuda.python_kernels.linking import linked

from .form_fields import SCHEMA, Form, FormError, read_form
from .loaded_kernel import LoadedCudaKernel, LoadedKernel, LoadedPythonKernel

#: A form as `json.dumps` takes it.
KernelForm = dict[str, Any]

_BYTES = 32 << 20  # of a form between processes
_CARD = "t4"  # the card that is emulated where nothing else is said
_ROOTED = "/minitorch/handed_in/"
_QUIET = "--diag-suppress=177,550"  # unused variables, which Python does not mind


def of(
    kernel: Any,
    kinds: Sequence[Any] | None = None,
    *,
    root: str | os.PathLike[str] | None = None,
    debug: bool = False,
) -> KernelForm:
    """Compile a kernel for types; return all that another process needs to launch it.

    Numbers and arrays that a kernel captures go along as constants of the PTX; what a
    host program has written into variables of a module does not.

    Args:
        kernel: What `cuda.jit` gives, a Python function, or a `cuda.RawKernel`.
        kinds: The type of each argument in Numba's words: `float32[:, ::1]`, `int64`.
            A RawKernel may have None: then the arguments of a launch tell them.
        root: Files below this folder are named from there on, others by their last
            part; None: by their last part.
        debug: Build for debuggers, so that a trace has the values of variables.

    Returns:
        Plain data, at most some 100 kB for kernels of ordinary size.

    Raises:
        CompileError: The kernel has no meaning for these types, or does not compile.
        TypeError: Something else than a kernel, or not a type for each parameter.
        ValueError: A text that is no type; more text than a form may have.

    Example:
        >>> from minitorch import cuda
        >>> @cuda.jit
        ... def double(x):
        ...     x[cuda.threadIdx.x] *= 2
        >>> form = of(double, ["float32[::1]"])
        >>> form["name"], form["types"], form["parameters"]
        ('double', ['array(float32, 1d, C)'], ['x'])
    """
    core = getattr(kernel, "_core", None)
    if isinstance(core, _core.RawKernel):
        if debug and kernel._compiled is not None:
            core = kernel._compiled.debug_kernel(core)
        form = _of_raw(kernel, core, kinds, root)
    else:
        function = getattr(kernel, "py_func", kernel)
        is_kernel = getattr(kernel, "is_kernel", kernel is function)
        if not isinstance(function, types.FunctionType) or not is_kernel:
            raise TypeError(
                f"[kernel] got {type(kernel).__name__}; need a kernel: a function with "
                "@cuda.jit, or a cuda.RawKernel."
            )
        if kinds is None:
            raise TypeError(
                f"[kernel] the types of {function.__name__} are missing; need one for "
                "each argument."
            )
        options = getattr(kernel, "options", None) or JitOptions()
        # All are judged by one build: one for debuggers counts otherwise.
        options = dataclasses.replace(options, debug=debug, opt=not debug)
        signature = tuple(map(type_from, kinds))
        form = _of_python(function, signature, options, root)
    return _checked(form | {"debug": debug})


def of_cuda(
    code: str,
    name: str,
    kinds: Sequence[Any] | None = None,
    *,
    file: str = "kernel.cu",
    debug: bool = False,
) -> KernelForm:
    """Do the same for a kernel in the text of a `.cu` file.

    Args:
        code: CUDA C++.
        name: The `__global__` function, or a name expression such as "scale<float>".
        kinds: As for `of`.
        file: What messages call the text.
        debug: As for `of`.

    Raises:
        CompileError: It does not compile; messages name `file` and the line.
        LaunchError: There is no kernel of that name.

    Example:
        >>> form = of_cuda("__global__ void f(int* x) { *x = 1; }", "f", file="f.cu")
        >>> form["file"], form["types"]
        ('f.cu', None)
    """
    expressions = [name] if "<" in name else []
    pseudo = _ROOTED + file  # else the present folder becomes part of the PTX
    flags = ["--device-debug"] * debug

    def compiled(text: str) -> _core.RawModule:
        return _core.RawModule.from_source(text, flags, expressions, pseudo, [])

    module = with_bools(code, compiled) if debug else compiled(code)
    form = _of_core(module.function(name), kinds, file, {pseudo: file})
    return _checked(form | {"debug": debug})


def loaded(form: Form) -> LoadedKernel:
    """Load a form that was read: a kernel whose findings have the words that they have
    where it was made.

    Raises:
        PtxError: The driver refuses the PTX.
        LaunchError: The PTX has no such kernel, or other parameters.

    Example:
        >>> form = of_cuda("__global__ void f(int* x) { *x = 1; }", "f")
        >>> loaded(read_form(form)).name
        'f'
    """
    return (
        LoadedPythonKernel(form)
        if form.language == "python"
        else LoadedCudaKernel(form)
    )


def packed(form: KernelForm) -> NDArray[np.uint8]:
    """Return a form as an array of bytes, to send to another process."""
    return np.frombuffer(json.dumps(form).encode(), np.uint8)


def unpacked(data: NDArray[Any]) -> object:
    """Return the form that `packed` wrote. Raises FormError for anything else."""
    if data.dtype != np.uint8 or data.ndim != 1 or data.size > _BYTES:
        raise FormError(
            f"[kernel] got a form of {data.size} {data.dtype}; need at most {_BYTES} "
            "bytes."
        )
    try:
        return json.loads(data.tobytes(), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise FormError("[kernel] got a form that is no JSON; need one.") from None


def _no_constant(word: str) -> None:
    raise ValueError(word)


def _checked(form: KernelForm) -> KernelForm:
    """Return the form as JSON reads it; raise FormError if it is beyond the limits."""
    form = json.loads(json.dumps(form))
    read_form(form)
    return form


def _label(file: str, root: str | os.PathLike[str] | None) -> str:
    """Return a file's name for messages and pages."""
    if root is not None:
        relative = os.path.relpath(os.path.realpath(file), os.path.realpath(root))
        if not relative.startswith(os.pardir):
            return Path(relative).as_posix()
    return os.path.basename(file)


def _of_python(
    function: types.FunctionType,
    kinds: tuple[KernelType, ...],
    options: JitOptions,
    root: str | os.PathLike[str] | None,
) -> KernelForm:
    Parameters(function).check_count(len(kinds))
    source = compile_kernel(function, kinds)
    locations = {file: python_location(file, 1) for file in source.accesses}
    places = {file: location for file, location in locations.items() if location}
    files = {file for file, _ in places.values()}
    return {
        "schema": SCHEMA,
        "language": "python",
        "name": source.name,
        "entry": source.entry,
        "ptx": _compiled(source, source.cuda, options),
        "checked": source.checked and _compiled(source, source.checked, options),
        "cooperative": source.cooperative,
        "types": list(map(str, kinds)),
        "file": source.file,
        "sources": {
            _label(file, root): "".join(linecache.getlines(file)) for file in files
        },
        "parameters": [name for name, _ in source.parameters],
        "places": {
            file: (_label(path, root), line) for file, (path, line) in places.items()
        },
        "accesses": {file: _rows(rows) for file, rows in source.accesses.items()},
        "checks": _rows(source.checks),
        "shared": source.shared,
        "dynamic": sorted(source.dynamic),
        "compared": sorted(source.compared),
        "variables": source.variables,
    }


def _rows(accesses: Sequence[Access]) -> list[Any]:
    return list(map(dataclasses.asdict, accesses))


def _compiled(source: KernelSource, text: str, options: JitOptions) -> str:
    cuda, headers = linked(text, options.link, source.headers)
    flags = [*options.nvrtc, _QUIET]
    card = _core.card(os.environ.get("MINITORCH_EMULATED_GPU") or _CARD)
    major, minor = card["compute"]

    def compiled(text: str) -> str:
        return _core.compile_ptx(
            text, flags, source.file, list(headers.items()), 10 * major + minor
        )

    return with_bools(cuda, compiled) if options.for_debuggers else compiled(cuda)


def _of_raw(
    kernel: Any,
    core: _core.RawKernel,
    kinds: Sequence[Any] | None,
    root: str | os.PathLike[str] | None,
) -> KernelForm:
    given = getattr(kernel, "compiled_from", None)
    file = str(given[3]) if given else "the PTX"
    name = file if file.startswith("/minitorch/") else _label(file, root)
    return _of_core(core, kinds, name, {file: name})


def _of_core(
    core: _core.RawKernel,
    kinds: Sequence[Any] | None,
    file: str,
    renamed: Mapping[str, str],
) -> KernelForm:
    module = core.module
    if not module.ptx:
        raise TypeError(f"[kernel] {core.name} is machine code; need CUDA C++ or PTX.")
    ptx = module.ptx
    for path, name in renamed.items():
        if path != name:  # a line `.file 1 "/folder/kernel.cu"`
            ptx = ptx.replace(f'"{path}"', f'"{name}"')
    return {
        "schema": SCHEMA,
        "language": "cuda",
        "name": core.name,
        "entry": core.name,
        "ptx": ptx,
        "cooperative": core.cooperative,
        "types": None if kinds is None else [str(type_from(kind)) for kind in kinds],
        "file": file,
        "sources": {file: module.code} if module.code else {},
        "code": module.code,
        "lowered": dict(module.lowered_names),
    }

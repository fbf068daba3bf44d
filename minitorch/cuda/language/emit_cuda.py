"""Owns the writing of whole texts of CUDA C++: a scalar function, a kernel."""

from __future__ import annotations

import re

from .cuda_text import identifier
from .emit_indices import IndexChecks
from .emit_statements import StatementWriter
from .typed import TypedFunction
from .types import TupleType

__all__ = ["emit_cuda", "emit_device_function", "emit_kernel"]


def emit_cuda(function: TypedFunction) -> str:
    """Write `struct Fn`, whose call operator is `function`.

    Args:
        function: The typed form.

    Returns:
        CUDA C++ for the end of a kernel's spec: the functions that it calls, then Fn.
    """
    writer = StatementWriter()
    result = writer.type_text(function.result)
    head = f"  __device__ {result} operator()({writer.parameters(function)}) const {{"
    body = writer.function_text(function, head, "  }", "    ")
    parts = "\n".join([*writer.constants, *writer.parts])
    return f'#include "python_math.cuh"\n\n{parts}struct Fn {{\n{body}}};\n'


def emit_kernel(
    function: TypedFunction, indices: IndexChecks | None = None
) -> tuple[str, str, frozenset[str]]:
    """Write a kernel as a whole source file.

    Args:
        function: The typed form of the entry.
        indices: Collects the checks of its indices; None: the text has none.

    Returns:
        Its name in the binary, the text, and the names of the headers that it includes.
    """
    writer = _KernelWriter()
    writer.entry, writer.indices = function, indices
    return _whole_file(writer, function, "__global__ void")


def emit_device_function(function: TypedFunction) -> tuple[str, str, frozenset[str]]:
    """Write a device function as a whole file, for a linker; see `emit_kernel`."""
    writer = _KernelWriter()
    result = "void" if function.result is None else writer.type_text(function.result)
    return _whole_file(writer, function, f"__device__ {result}")


def _whole_file(
    writer: StatementWriter, function: TypedFunction, kind: str
) -> tuple[str, str, frozenset[str]]:
    entry = re.sub(r"\W+", "_", function.name.rpartition(".")[2])
    entry = identifier(entry) if entry.strip("_") else "kernel"
    head = f'extern "C" {kind} {entry}({writer.parameters(function)}) {{'
    body = writer.function_text(function, head, "}", "  ")
    structs = [_struct(writer, each, name) for each, name in writer.tuples.items()]
    includes = [f'#include "{header}"\n' for header in sorted(writer.headers)]
    checks = writer.indices.text() if writer.indices else ""
    texts = ["".join(includes), checks, "".join(structs), "".join(writer.constants)]
    text = "\n".join([each for each in texts if each] + [*writer.parts, body])
    return entry, text, frozenset(writer.headers)


class _KernelWriter(StatementWriter):
    checked = True


def _struct(writer: StatementWriter, type_: TupleType, name: str) -> str:
    fields = "".join(
        f"  {writer.type_text(each)} item{index};\n"
        for index, each in enumerate(type_.items)
    )
    return f"struct {name} {{\n{fields}}};\n"

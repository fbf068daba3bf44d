"""Emit CUDA C++ of functions, scalar functions and kernels.

Every statement stands on a line that `#line` gives its Python number, so that messages
of the compiler and findings of a run name the Python line.
"""

from __future__ import annotations

import re

from ..typed import Declare, Invoke, TypedFunction
from ..types import ArrayType, TupleType, Type
from .cuda_text import constant_literal, identifier
from .declarations import declarations_of
from .indices import CONST, GLOBAL, LOCAL, SHARED, IndexChecks
from .writer import Page, Writer, expression_rule

# Of `Declare`; a host array that is too large for constant memory is a global one.
_SPACES = {
    "shared": SHARED,
    "dynamic": SHARED,
    "local": LOCAL,
    "const": CONST,
    "device": GLOBAL,
}


def emit_cuda(function: TypedFunction) -> str:
    """Write `struct Fn`, whose call operator is `function`.

    Args:
        function: The typed form.

    Returns:
        CUDA C++ for the end of a kernel's spec: the functions that it calls, then Fn.
    """
    writer = Writer()
    result = writer.type_text(function.result)
    head = f"  __device__ {result} operator()({_parameters(writer, function)}) const {{"
    body = _function_text(writer, function, head, "  }", "    ")
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
    writer = Writer(checked=True, entry=function, indices=indices)
    return _translation_unit(writer, function, "__global__ void")


def emit_device_function(function: TypedFunction) -> tuple[str, str, frozenset[str]]:
    """Write a device function as a whole file, for linking; see `emit_kernel`."""
    writer = Writer(checked=True)
    result = "void" if function.result is None else writer.type_text(function.result)
    return _translation_unit(writer, function, f"__device__ {result}")


def _translation_unit(
    writer: Writer, function: TypedFunction, kind: str
) -> tuple[str, str, frozenset[str]]:
    entry = re.sub(r"\W+", "_", function.name.rpartition(".")[2])
    entry = identifier(entry) if entry.strip("_") else "kernel"
    head = f'extern "C" {kind} {entry}({_parameters(writer, function)}) {{'
    body = _function_text(writer, function, head, "}", "  ")
    structs = [_struct(writer, part, name) for part, name in writer.tuples.items()]
    includes = [f'#include "{header}"\n' for header in sorted(writer.headers)]
    checks = writer.indices.text() if writer.indices else ""
    texts = ["".join(includes), checks, "".join(structs), "".join(writer.constants)]
    text = "\n".join([part for part in texts if part] + [*writer.parts, body])
    return entry, text, frozenset(writer.headers)


def _struct(writer: Writer, type_: TupleType, name: str) -> str:
    fields = "".join(
        f"  {writer.type_text(element_type)} item{index};\n"
        for index, element_type in enumerate(type_.items)
    )
    return f"struct {name} {{\n{fields}}};\n"


# Functions.


@expression_rule(Invoke)
def _invoke(writer: Writer, value: Invoke) -> tuple[str, int]:
    return writer.call(_name_of(writer, value.function), value.arguments)


def _name_of(writer: Writer, function: TypedFunction) -> str:
    """Return the C++ name of a called function; emit it on first use."""
    if function not in writer.names:
        stem = re.sub(r"\W+", "_", function.name.rpartition(".")[2])
        name, number = f"py_{stem}", 1
        while name in writer.names.values():
            number += 1
            name = f"py_{stem}_{number}"
        writer.names[function] = name  # a function that it calls has another
        page, result = writer.page, writer.type_text(function.result)
        parameters = _parameters(writer, function)
        head = f"__device__ inline {result} {name}({parameters}) {{"
        writer.parts.append(_function_text(writer, function, head, "}", "  "))
        writer.page = page
    return writer.names[function]


def _parameters(writer: Writer, function: TypedFunction) -> str:
    return ", ".join(
        f"{writer.type_text(parameter.type)} {identifier(parameter.name)}"
        for parameter in function.parameters
    )


def _function_text(
    writer: Writer, function: TypedFunction, head: str, tail: str, indent: str
) -> str:
    """Write a function between its first and last lines."""
    spaces = _spaces_of(writer, function)
    writer.page = page = Page(function, declarations_of(function), spaces)
    page.last = function.line
    page.put(page.last, head)
    for array in function.arrays:
        _declare_array(writer, array, indent)
    writer.block(function.body, indent)
    # The return that ends a function belongs to its last line, not to what follows.
    page.put(page.last, tail)
    return "\n".join(page.lines) + "\n"


def _spaces_of(writer: Writer, function: TypedFunction) -> dict[str, int]:
    """Return the memory space of each array: local ones and kernel parameters."""
    spaces = {value.variable.name: _SPACES[value.space] for value in function.arrays}
    if function is writer.entry:
        for value in function.parameters:
            if isinstance(value.type, ArrayType):
                spaces[value.name] = GLOBAL
    return spaces


def _declare_array(writer: Writer, declare: Declare, indent: str) -> None:
    variable = declare.variable
    type_: ArrayType = variable.type
    assert type_.shape is not None
    writer.headers.add("array.cuh")
    name = identifier(variable.name)
    element = writer.type_text(type_.dtype)
    sizes = "".join(f"[{size}]" for size in type_.shape)
    if declare.space in ("const", "device"):
        unique = f"{name}_{len(writer.constants)}"
        kind = "__constant__" if declare.space == "const" else "__device__"
        values = _braces(declare.values.tolist(), type_.dtype)
        writer.constants.append(f"{kind} const {element} {unique}{sizes} = {values};\n")
        writer.page.put(declare.line, f"{indent}const auto& {name} = {unique};")
        return
    shared = "__shared__ " if declare.space == "shared" else ""
    writer.page.put(declare.line, f"{indent}{shared}{element} {name}{sizes};")
    if writer.indices is not None:
        # The compiler may take any value for uninitialized memory, and so remove the
        # read that a check would report.
        writer.page.put(declare.line, f"{indent}keep_in_memory({name});")


def _braces(values: object, dtype: Type) -> str:
    if isinstance(values, list):
        return "{" + ", ".join(_braces(value, dtype) for value in values) + "}"
    return constant_literal(dtype, values)  # type: ignore[arg-type]

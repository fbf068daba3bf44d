"""C++ text shared by generated kernels: types, layouts, line numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..launching.operands import Dtype, Operand, Param, Sizes, c_type, is_flat, merged

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Argument:
    """Parameter of one generated kernel; `steps` of a number is None.

    `steps` counts elements along the dimensions of the loop; of a raw array, along its
    own `shape`.
    """

    param: Param
    dtype: Dtype
    shape: Sizes
    steps: Sizes | None
    flat: bool  # a raw array without gaps

    @property
    def name(self) -> str:
        """Parameter name."""
        return self.param.name

    @property
    def c_type(self) -> str:
        """CUDA C++ type, const for inputs."""
        return c_type(self.dtype) if self.param.out else f"const {c_type(self.dtype)}"

    @property
    def looped(self) -> bool:
        """Whether the loop reads or writes one element of this array per step."""
        return self.steps is not None and not self.param.raw

    @property
    def variant(self) -> tuple[object, ...]:
        """Key of what the generated code depends on, except the parameter."""
        dims = len(self.shape) if self.param.raw else 0
        return self.dtype, self.steps is not None, dims, self.flat


def argument_of(
    param: Param, dtype: Dtype, operand: Operand | None, steps: Sizes | None
) -> Argument:
    """Return the description of a parameter of a generated kernel.

    Args:
        param: the user's.
        dtype: its dtype in this call.
        operand: its array; None for a number.
        steps: along the dimensions of the loop; None for a raw array or a number.
    """
    if operand is None:
        return Argument(param, dtype, (), None, False)
    if not param.raw:
        return Argument(param, dtype, operand.shape, steps, False)
    flat = is_flat(*merged(operand.shape, [operand.steps]))
    return Argument(param, dtype, operand.shape, operand.steps, flat)


def check_name(name: object, where: str) -> str:
    """Return a kernel's name; it must be a C++ identifier.

    Raises:
        ValueError: it is not.
    """
    if not isinstance(name, str) or not _IDENTIFIER.fullmatch(name):
        raise ValueError(
            f"[{where}] got name {name!r}; need a C identifier: letters, digits and _, "
            "not starting with a digit."
        )
    return name


def prelude(
    arguments: Sequence[Argument], placeholders: Mapping[str, Dtype], text: str
) -> str:
    """Return the includes and the typedefs of placeholders."""
    types = " ".join(c_type(argument.dtype) for argument in arguments) + text
    lines = ["#include <minitorch_elements.cuh>"]
    if "__half" in types or "half" in text:
        lines.append("#include <cuda_fp16.h>")
    if "complex<" in types:
        lines += ["#include <cuda/std/complex>", "using cuda::std::complex;"]
    lines += [
        f"typedef {c_type(dtype)} {name};" for name, dtype in placeholders.items()
    ]
    return "\n".join(lines) + "\n"


def layout_struct(fields: Mapping[str, Sizes]) -> str:
    """Return the struct with the kernel's sizes and steps; "" if none are needed."""
    if not fields:
        return ""
    rows = "".join(f"  long long {key}[{len(row)}];\n" for key, row in fields.items())
    return (
        "// Sizes, and the steps between neighbours: in elements, of raw arrays in "
        f"bytes.\nstruct _Layout {{\n{rows}}};\n"
    )


def loop_fields(
    key: str, sizes: Sizes, arguments: Sequence[Argument], always: bool = False
) -> dict[str, Sizes]:
    """Return the layout fields of a loop; none if it is flat.

    Args:
        key: Field of the sizes.
        sizes: Of the loop; () where it is flat.
        arguments: Of the kernel; those of the loop have steps.
        always: Are the sizes wanted even if no array has steps?
    """
    looped = {a.name: a.steps for a in arguments if a.looped and a.steps is not None}
    return {key: sizes, **looped} if sizes and (looped or always) else {}


def raw_fields(arguments: Sequence[Argument]) -> dict[str, Sizes]:
    """Return the layout fields of raw arrays."""
    fields: dict[str, Sizes] = {}
    for argument in arguments:
        if argument.param.raw:
            assert argument.steps is not None
            size = argument.dtype.itemsize
            fields[f"_sizes_{argument.name}"] = argument.shape or (1,)
            strides = tuple(step * size for step in argument.steps)
            fields[f"_steps_{argument.name}"] = strides or (size,)
    return fields


def signature(name: str, arguments: Sequence[Argument], rest: Sequence[str]) -> str:
    """Return the head of the kernel. Parameters keep the user's names, for findings."""
    parameters = [
        f"{a.c_type} {a.name}" if a.steps is None else f"{a.c_type}* {a.name}"
        for a in arguments
    ]
    return f"__global__ void {name}({', '.join([*parameters, *rest])}) {{\n"


def pointers(arguments: Sequence[Argument]) -> str:
    """Return aliases for the arrays, whose names will denote their elements."""
    arrays = [a for a in arguments if a.steps is not None]
    return "".join(
        f"  [[maybe_unused]] {a.c_type}* const _array_{a.name} = {a.name};\n"
        for a in arrays
    )


def raw_arrays(arguments: Sequence[Argument]) -> str:
    """Declare the raw arrays, as the user's text indexes them."""
    text = ""
    for a in arguments:
        if a.param.raw:
            dims, flat = len(a.shape) or 1, "true" if a.flat else "false"
            text += (
                f"    [[maybe_unused]] const RawArray<{a.c_type}, {dims}, {flat}> "
                f"{a.name}(_array_{a.name}, _layout._sizes_{a.name}, "
                f"_layout._steps_{a.name});\n"
            )
    return text


def offsets(index: str, names: Sequence[str], sizes: str, dims: int, pad: str) -> str:
    """Compute the offset of element `index` in each array: `_place_x` for x."""
    if dims == 0 or not names:
        return ""
    zeros = "".join(f", _place_{name} = 0" for name in names)
    adds = "".join(
        f"{pad}  _place_{name} += _k * _layout.{name}[_d];\n" for name in names
    )
    return (
        f"{pad}long long _rest = {index}{zeros};\n{pad}#pragma unroll\n"
        f"{pad}for (int _d = {dims - 1}; _d >= 0; --_d) {{\n"
        f"{pad}  const long long _k = _rest % _layout.{sizes}[_d];\n"
        f"{pad}  _rest /= _layout.{sizes}[_d];\n{adds}{pad}}}\n"
    )


def elements(arguments: Sequence[Argument], dims: int, index: str, pad: str) -> str:
    """Declare references to the elements of one loop step."""
    return "".join(
        f"{pad}[[maybe_unused]] {a.c_type}& {a.name} = "
        f"_array_{a.name}[{f'_place_{a.name}' if dims else index}];\n"
        for a in arguments
        if a.looped
    )

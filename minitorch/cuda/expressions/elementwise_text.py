"""The CUDA C++ of an ElementwiseKernel for arguments of given types and layouts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..launching.operands import Dtype, Sizes
from .kernel_text import (
    Argument,
    Pieces,
    elements,
    layout_struct,
    offsets,
    pointers,
    prelude,
    raw_arrays,
    raw_fields,
    signature,
)

_HEAD = (
    "    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;\n"
    "         i += (long long)gridDim.x * blockDim.x) {\n"
)


@dataclass(frozen=True)
class ElementwiseTexts:
    """What the user wrote."""

    name: str
    operation: str
    preamble: str
    loop_prep: str
    after_loop: str

    @property
    def asks_for_index(self) -> bool:
        """Does it name the index of the element in each dimension?"""
        return "_ind." in self.operation.replace("_ind.size", "")


def layout_fields(
    arguments: Sequence[Argument], sizes: Sizes, whole: bool
) -> dict[str, Sizes]:
    """What the kernel has to be told of sizes and steps, by field of its struct.

    Args:
        arguments: all of them.
        sizes: of the loop; () where it is flat.
        whole: does the user's text ask for the index in each dimension?
    """
    fields: dict[str, Sizes] = {}
    looped = {a.name: a.steps for a in arguments if a.looped and a.steps is not None}
    if sizes and (looped or whole):
        fields["_sizes"] = sizes
        fields |= looped
    return fields | raw_fields(arguments)


def elementwise_code(
    texts: ElementwiseTexts,
    arguments: Sequence[Argument],
    placeholders: Mapping[str, Dtype],
    sizes: Sizes,
) -> str:
    """The translation unit; `sizes` is () where all arrays are flat."""
    pieces, whole = Pieces(texts.name), texts.asks_for_index
    fields = layout_fields(arguments, sizes, whole)
    every = texts.operation + texts.preamble + texts.loop_prep + texts.after_loop
    dims = len(sizes)
    known = "_layout._sizes" if "_sizes" in fields else "nullptr"
    rest = ["const long long n"] + (["const _Layout _layout"] if fields else [])
    names = [a.name for a in arguments if a.looped]
    return pieces.finish(
        prelude(arguments, placeholders, every)
        + pieces.piece(texts.preamble, "preamble")
        + layout_struct(fields)
        + "\n"
        + signature(texts.name, arguments, rest)
        + pointers(arguments)
        + f"  [[maybe_unused]] Indexer<{dims or 1}> _ind(n, {known});\n  {{\n"
        + raw_arrays(arguments)
        + pieces.piece(texts.loop_prep, "loop_prep", ";")
        + _HEAD
        + ("      _ind.set(i);\n" if whole else "")
        + offsets("i", names, "_sizes", dims, "      ")
        + elements(arguments, dims, "i", "      ")
        + pieces.piece(texts.operation, "operation", ";")
        + "    }\n"
        + pieces.piece(texts.after_loop, "after_loop", ";")
        + "  }\n}\n"
    )

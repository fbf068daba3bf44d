"""The CUDA C++ of a ReductionKernel for arguments of given types and layouts."""

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

BLOCK = 256  # threads; a group of them, a power of two, joins the values of one output

_PAD = " " * 8


@dataclass(frozen=True)
class ReductionTexts:
    """What the user wrote; `reduce_type` is C++."""

    name: str
    map_expr: str
    reduce_expr: str
    post_map_expr: str
    identity: str
    preamble: str


@dataclass(frozen=True)
class ReductionShape:
    """The loops: over the values of an output, dimensions of `out_sizes` before those
    that are reduced; () where the arrays are flat. `group` threads share an output;
    0 where there is no value to reduce."""

    sizes: Sizes
    out_sizes: Sizes
    group: int


def layout_fields(
    arguments: Sequence[Argument], shape: ReductionShape
) -> dict[str, Sizes]:
    """What the kernel has to be told of sizes and steps, by field of its struct."""
    fields: dict[str, Sizes] = {}
    for out, key, sizes in (
        (False, "_sizes", shape.sizes),
        (True, "_out_sizes", shape.out_sizes),
    ):
        own = [a for a in arguments if a.looped and a.param.out == out]
        if sizes and own:
            fields[key] = sizes
            fields |= {a.name: a.steps for a in own if a.steps is not None}
    return fields | raw_fields(arguments)


def reduction_code(
    texts: ReductionTexts,
    arguments: Sequence[Argument],
    placeholders: Mapping[str, Dtype],
    reduce_type: str,
    shape: ReductionShape,
) -> str:
    """The translation unit."""
    pieces = Pieces(texts.name)
    fields = layout_fields(arguments, shape)
    every = texts.map_expr + texts.preamble + texts.post_map_expr + reduce_type
    rest = ["const long long _in_size", "const long long _out_size"]
    rest += ["const _Layout _layout"] if fields else []
    group = shape.group or 1
    return pieces.finish(
        prelude(arguments, placeholders, every)
        + pieces.piece(texts.preamble, "preamble")
        + f"typedef {reduce_type} _type_reduce;\n"
        + layout_struct(fields)
        + "\n// Joins two values.\n[[maybe_unused]] static __device__ _type_reduce\n"
        + "_join(const _type_reduce& a, const _type_reduce& b) {\n  return (\n"
        + pieces.piece(texts.reduce_expr, "reduce_expr")
        + "  );\n}\n\n"
        + signature(texts.name, arguments, rest)
        + pointers(arguments)
        + "  [[maybe_unused]] const Indexer<1> _in_ind(_in_size, nullptr);\n"
        + "  [[maybe_unused]] const Indexer<1> _out_ind(_out_size, nullptr);\n"
        + "  [[maybe_unused]] const long long _each = _in_size / _out_size;\n"
        + f"  __shared__ SharedRoom<_type_reduce, {BLOCK}> _room;\n"
        + "  _type_reduce* const _cells = _room.data();\n"
        + f"  const int _lane = threadIdx.x % {group};\n"
        + "  {\n"
        + raw_arrays(arguments)
        + _loop(texts, arguments, shape, pieces)
        + "  }\n}\n"
    )


def _loop(
    texts: ReductionTexts,
    arguments: Sequence[Argument],
    shape: ReductionShape,
    pieces: Pieces,
) -> str:
    """Over the outputs, those of a block at once."""
    group, groups = shape.group or 1, BLOCK // (shape.group or 1)
    head = (
        f"    for (long long _first = (long long)blockIdx.x * {groups};\n"
        f"         _first < _out_size; _first += (long long)gridDim.x * {groups}) {{\n"
        f"      const long long _o = _first + threadIdx.x / {group};\n"
        "      const bool _inside = _o < _out_size;\n"
    )
    if shape.group:
        fill = (
            _map(texts, arguments, shape, pieces)
            + "      if (_inside) {\n"
            + f"{_PAD}_type_reduce _value = _map(_lane);\n"
            + f"{_PAD}for (long long _j = _lane + {group}; _j < _each; _j += {group})\n"
            + f"{_PAD}  _value = _join(_value, _map(_j));\n"
            + f"{_PAD}_cells[threadIdx.x] = _value;\n      }}\n"
        )
    else:
        identity = pieces.piece(texts.identity, "identity")
        fill = f"      _cells[threadIdx.x] = _type_reduce(\n{identity}      );\n"
    return head + fill + _tree(group) + _store(texts, arguments, shape, pieces)


def _map(
    texts: ReductionTexts,
    arguments: Sequence[Argument],
    shape: ReductionShape,
    pieces: Pieces,
) -> str:
    ins = [a for a in arguments if not a.param.out]
    names = [a.name for a in ins if a.looped]
    dims = len(shape.sizes)
    return (
        "      // Value _J of those that make up the output.\n"
        "      const auto _map = [&](long long _J) -> _type_reduce {\n"
        f"{_PAD}[[maybe_unused]] const long long _i = _o * _each + _J;\n"
        + offsets("_i", names, "_sizes", dims, _PAD)
        + elements(ins, dims, "_i", _PAD)
        + f"{_PAD}return _type_reduce(\n"
        + pieces.piece(texts.map_expr, "map_expr")
        + f"{_PAD});\n      }};\n"
    )


def _tree(group: int) -> str:
    if group == 1:
        return ""
    return (
        "      __syncthreads();\n"
        f"      for (int _half = {group // 2}; _half > 0; _half /= 2) {{\n"
        "        if (_inside && _lane < _half)\n"
        "          _cells[threadIdx.x] = _join(_cells[threadIdx.x], "
        "_cells[threadIdx.x + _half]);\n"
        "        __syncthreads();\n      }\n"
    )


def _store(
    texts: ReductionTexts,
    arguments: Sequence[Argument],
    shape: ReductionShape,
    pieces: Pieces,
) -> str:
    outs = [a for a in arguments if a.param.out]
    names = [a.name for a in outs if a.looped]
    dims = len(shape.out_sizes)
    wait = "      __syncthreads();\n" if shape.group > 1 else ""
    return (
        "      if (_inside && _lane == 0) {\n"
        + f"{_PAD}[[maybe_unused]] const _type_reduce a = _cells[threadIdx.x];\n"
        + offsets("_o", names, "_out_sizes", dims, _PAD)
        + elements(outs, dims, "_o", _PAD)
        + pieces.piece(texts.post_map_expr, "post_map_expr", ";")
        + f"      }}\n{wait}    }}\n"
    )

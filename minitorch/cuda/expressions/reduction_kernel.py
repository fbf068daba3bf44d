"""`ReductionKernel`: a kernel that reduces elements along dimensions."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, SupportsIndex

from ..device.stream import StreamLike, on_stream
from ..launching.operands import (
    Dtype,
    Operand,
    Sizes,
    as_kernel_dtype,
    c_type,
    element_count,
    is_flat,
    merged,
    new_array,
    operand_of,
)
from ..tracebacks import learner_frames
from .expression_kernel import Call, ExpressionKernel, packed
from .kernel_text import (
    Argument,
    Pieces,
    argument_of,
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
    """Source strings given by the user; `reduce_type` is C++."""

    name: str
    map_expr: str
    reduce_expr: str
    post_map_expr: str
    identity: str
    preamble: str


@dataclass(frozen=True)
class ReductionShape:
    """Sizes of the loops of a reduction; () for flat arrays.

    In `sizes`, the dimensions of `out_sizes` precede those that are reduced. `group`
    threads share an output; 0 if there is no value to reduce.
    """

    sizes: Sizes
    out_sizes: Sizes
    group: int


def layout_fields(
    arguments: Sequence[Argument], shape: ReductionShape
) -> dict[str, Sizes]:
    """Return sizes and steps that the kernel needs, by field of its struct."""
    fields: dict[str, Sizes] = {}
    for out, key, sizes in (
        (False, "_sizes", shape.sizes),
        (True, "_out_sizes", shape.out_sizes),
    ):
        arrays = [a for a in arguments if a.looped and a.param.out == out]
        if sizes and arrays:
            fields[key] = sizes
            fields |= {a.name: a.steps for a in arrays if a.steps is not None}
    return fields | raw_fields(arguments)


def reduction_code(
    texts: ReductionTexts,
    arguments: Sequence[Argument],
    placeholders: Mapping[str, Dtype],
    reduce_type: str,
    shape: ReductionShape,
) -> str:
    """Return the translation unit."""
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
    """Return the loop over the outputs, several at once per block."""
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


_MOST_BLOCKS = 2**16
Axis = SupportsIndex | Iterable[SupportsIndex] | None


class ReductionKernel(ExpressionKernel):
    """Kernel that maps elements, reduces them and maps the results, as CuPy's.

    Args:
        in_params: inputs, as for `ElementwiseKernel`.
        out_params: outputs, in the same way.
        map_expr: an expression of the inputs: the value to join. `_J` is its index
            among those of an output.
        reduce_expr: an expression of `a` and `b`: the two joined, in any order.
        post_map_expr: statements that assign the outputs from `a`, the joined value;
            `_in_ind.size()` and `_out_ind.size()` count all elements.
        identity: an expression: the result of no elements; "" for an error there.
        name: of the kernel.
        reduce_type: NumPy's name or a C++ type of the values; by default that of the
            first output.
        reduce_dims: join dimensions where that changes nothing but the speed.
        preamble: CUDA C++ in front of the kernel.
        options: for NVRTC.

    Raises:
        ValueError: a parameter or name that is not understood.
        TypeError: an unknown type.

    Kernel:
        Up to 256 threads for an output: each joins its share, then a tree in shared
        memory joins theirs.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda
        >>> norm = cuda.ReductionKernel(
        ...     "T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
        >>> x = cuda.to_device(np.array([[3.0, 4.0], [5.0, 12.0]]))
        >>> norm(x, axis=1).copy_to_host()
        array([ 5., 13.])
    """

    @learner_frames
    def __init__(
        self,
        in_params: str,
        out_params: str,
        map_expr: str,
        reduce_expr: str,
        post_map_expr: str,
        identity: object,
        name: str = "reduce_kernel",
        reduce_type: str | None = None,
        reduce_dims: bool = True,
        preamble: str = "",
        options: Iterable[str] = (),
    ) -> None:
        texts = {
            "map_expr": map_expr,
            "reduce_expr": reduce_expr,
            "post_map_expr": post_map_expr,
            "identity": "" if identity is None else str(identity),
            "preamble": preamble,
        }
        super().__init__("ReductionKernel", in_params, out_params, name, options, texts)
        if not self.in_params or not self.out_params:
            raise ValueError("[ReductionKernel] need an input and an output or more.")
        if any(param.raw for param in self.out_params):
            raise ValueError("[ReductionKernel] got a raw output; need plain ones.")
        self._texts = ReductionTexts(self.name, **texts)
        self.reduce_type, self.reduce_dims = reduce_type, reduce_dims
        self.identity = texts["identity"]

    @learner_frames
    def __call__(
        self,
        *args: Any,
        out: Any = None,
        axis: Axis = None,
        keepdims: bool = False,
        stream: StreamLike = None,
    ) -> Any:
        """Launch for all outputs.

        Args:
            args: the inputs, or the inputs and the outputs.
            out: the output, or a tuple of several, to write.
            axis: a dimension or several, along which to join; None for all.
            keepdims: keep these dimensions with size 1.
            stream: where to queue the launch; None: the current stream.

        Returns:
            The output, or a tuple of several.

        Raises:
            TypeError: a host array; an array of another dtype.
            ValueError: no such axis; an output of another shape; no elements and no
                identity.
            CompileError: an expression does not compile.
        """
        given = () if out is None else out if isinstance(out, tuple) else (out,)
        if len(args) > self.nin and given:
            raise TypeError(f"[{self.name}] got out= beside outputs; need one of them.")
        call = self._read(args[: self.nin], args[self.nin :] or given, joins=True)
        if call.shape is None:
            raise ValueError(f"[{self.name}] got no array that is not raw; need one.")
        axes = as_axes(axis, len(call.shape), self.name)
        kept = tuple(d for d in range(len(call.shape)) if d not in axes)
        out_shape = tuple(
            1 if d in axes else size
            for d, size in enumerate(call.shape)
            if keepdims or d not in axes
        )
        with on_stream(stream, self.name):
            operands, results = self._outputs(call, out_shape)
            self._run(call, operands, kept, axes, out_shape)
        return results[0] if self.nout == 1 else results

    def _outputs(
        self, call: Call, shape: Sizes
    ) -> tuple[tuple[Operand | None, ...], tuple[Any, ...]]:
        operands, values = list(call.operands), list(call.values)
        for index in range(self.nin, self.nargs):
            if values[index] is None:
                values[index] = new_array(call.operands, shape, call.dtypes[index])
                operands[index] = operand_of(
                    values[index], self.params[index], self.name
                )
            operand = operands[index]
            if operand is None or operand.shape != shape:
                got = f"of shape {operand.shape}" if operand else "that is no array"
                raise ValueError(
                    f"[{self.name}] got output {self.params[index].name} {got}; "
                    f"need {shape}."
                )
        return tuple(operands), tuple(values[self.nin :])

    def _run(
        self,
        call: Call,
        operands: Sequence[Operand | None],
        kept: Sizes,
        axes: Sizes,
        out_shape: Sizes,
    ) -> None:
        assert call.shape is not None
        outs = element_count(out_shape)
        reduced = element_count(tuple(call.shape[d] for d in axes))
        if outs == 0:
            return
        if reduced == 0 and not self.identity.strip():
            raise ValueError(
                f"[{self.name}] got shape {call.shape} without elements to join; need "
                "some, or an identity."
            )
        arguments, shape = self._generation_inputs(
            call, operands, kept, axes, out_shape, reduced
        )
        kernel = self._kernel(
            (
                len(shape.sizes),
                len(shape.out_sizes),
                shape.group,
                *(argument.variant for argument in arguments),
            ),
            lambda: reduction_code(
                self._texts,
                arguments,
                call.placeholders,
                self._reduce_type(call),
                shape,
            ),
        )
        groups = BLOCK // (shape.group or 1)
        grid = min(-(-outs // groups), _MOST_BLOCKS)
        rest = [outs * reduced, outs, *packed(layout_fields(arguments, shape))]
        self._launch(kernel, (grid, BLOCK), call, operands, rest)

    def _generation_inputs(
        self,
        call: Call,
        operands: Sequence[Operand | None],
        kept: Sizes,
        axes: Sizes,
        out_shape: Sizes,
        reduced: int,
    ) -> tuple[list[Argument], ReductionShape]:
        """Return arguments and shape for code generation; outer dimensions first."""
        assert call.shape is not None
        order = (*kept, *axes)
        shape = tuple(call.shape[d] for d in order)
        named = list(zip(self.params, operands, strict=True))
        ins, outs = {}, {}
        for param, operand in named:
            if operand is not None and param.out:
                outs[param.name] = operand.at(out_shape)
            elif operand is not None and not param.raw:
                steps = operand.at(call.shape)
                ins[param.name] = tuple(steps[d] for d in order)
        sizes = self._merge(shape, ins)
        out_sizes = self._merge(out_shape, outs)
        steps_by_name = ins | outs
        arguments = [
            argument_of(param, dtype, operand, steps_by_name.get(param.name))
            for (param, operand), dtype in zip(named, call.dtypes, strict=True)
        ]
        group = min(BLOCK, 1 << (reduced.bit_length() - 1)) if reduced else 0
        return arguments, ReductionShape(sizes, out_sizes, group)

    def _merge(self, shape: Sizes, steps: dict[str, Sizes]) -> Sizes:
        """Merge dimensions in `steps` in place; return the sizes left, () if flat."""
        if not self.reduce_dims:
            return shape
        sizes, joined = merged(shape, list(steps.values()))
        steps.update(zip(steps, joined, strict=True))
        return () if is_flat(sizes, joined) else sizes

    def _reduce_type(self, call: Call) -> str:
        asked = self.reduce_type
        if asked is None:
            return c_type(call.dtypes[self.nin])
        try:
            return c_type(as_kernel_dtype(asked, self.name))
        except TypeError:
            return asked  # C++, such as a struct of the preamble


def as_axes(axis: Axis, dims: int, where: str) -> Sizes:
    """Return the dimensions to reduce, in order.

    Raises:
        ValueError: there is no such dimension, or it comes twice.
        TypeError: no integer.

    Example:
        >>> as_axes((-1, 0), 3, "sum")
        (0, 2)
    """
    if axis is None:
        return tuple(range(dims))
    try:
        parts = (axis,) if isinstance(axis, SupportsIndex) else tuple(axis)
        dims_given = [operator.index(part) for part in parts]
    except TypeError:
        raise TypeError(
            f"[{where}] got axis {axis!r}; need an int, a tuple of ints or None."
        ) from None
    if any(not -dims <= dim < dims for dim in dims_given):
        raise ValueError(
            f"[{where}] got axis {axis!r} for {dims} dimensions; need {-dims} to "
            f"{dims - 1}."
        )
    axes = sorted(dim % dims for dim in dims_given)
    if len(set(axes)) != len(axes):
        raise ValueError(f"[{where}] got axis {axis!r}; need each dimension once.")
    return tuple(axes)

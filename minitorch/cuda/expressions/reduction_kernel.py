"""`ReductionKernel`: a kernel that reduces elements along dimensions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, SupportsIndex

from ..arrays.layout import as_axes
from ..device.stream import StreamLike, on_stream
from ..launching.operands import (
    Operand,
    Sizes,
    as_kernel_dtype,
    c_type,
    element_count,
)
from ..tracebacks import learner_frames
from .expression_kernel import Call, ExpressionKernel
from .kernel_text import (
    Argument,
    elements,
    layout_struct,
    loop_fields,
    offsets,
    pointers,
    prelude,
    raw_arrays,
    raw_fields,
    signature,
)

BLOCK = 256  # threads; a group of them, a power of two, joins the values of one output

_PAD = " " * 8


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
        self.identity = "" if identity is None else str(identity)
        super().__init__(
            "ReductionKernel",
            in_params,
            out_params,
            name,
            options,
            reduce_dims,
            map_expr=map_expr,
            reduce_expr=reduce_expr,
            post_map_expr=post_map_expr,
            identity=self.identity,
            preamble=preamble,
        )
        if not self.in_params or not self.out_params:
            raise ValueError(
                "[ReductionKernel] needs at least one input and one output."
            )
        if any(param.raw for param in self.out_params):
            raise ValueError(
                "[ReductionKernel] an output cannot be raw. Remove 'raw' from "
                "out_params."
            )
        self.reduce_type = reduce_type

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
            raise TypeError(
                f"[{self.name}] got both out= and outputs as arguments; pass only one "
                "of them."
            )
        call = self._read(args[: self.nin], args[self.nin :] or given, joins=True)
        if call.shape is None:
            raise ValueError(
                f"[{self.name}] all arrays are raw; need at least one input that is "
                "not."
            )
        dims = range(len(call.shape))
        axes = tuple(dims)
        if axis is not None:
            axes = tuple(sorted(as_axes(axis, len(dims), self.name)))
        kept = tuple(d for d in dims if d not in axes)
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
        operands, results = super()._outputs(call, shape)
        for param, operand in zip(self.params, operands, strict=True):
            if param.out and (operand is None or operand.shape != shape):
                got = f"of shape {operand.shape}" if operand else "that is not an array"
                raise ValueError(
                    f"[{self.name}] got output {param.name} {got}; need an array of "
                    f"shape {shape}."
                )
        return operands, results

    def _run(
        self,
        call: Call,
        operands: Sequence[Operand | None],
        kept: Sizes,
        axes: Sizes,
        out_shape: Sizes,
    ) -> None:
        """Launch on the current stream; `kept` and `axes` are the dimensions."""
        assert call.shape is not None
        outs = element_count(out_shape)
        reduced = element_count(tuple(call.shape[d] for d in axes))
        if outs == 0:
            return
        if reduced == 0 and not self.identity.strip():
            raise ValueError(
                f"[{self.name}] cannot reduce an empty dimension of shape {call.shape} "
                "without an identity. Pass identity=..."
            )
        # In the loop over inputs the dimensions that are kept come first.
        order = (*kept, *axes)
        in_steps, out_steps = {}, {}
        for param, operand in zip(self.params, operands, strict=True):
            if operand is not None and param.out:
                out_steps[param.name] = operand.at(out_shape)
            elif operand is not None and not param.raw:
                steps = operand.at(call.shape)
                in_steps[param.name] = tuple(steps[d] for d in order)
        sizes = self._merge(tuple(call.shape[d] for d in order), in_steps)
        out_sizes = self._merge(out_shape, out_steps)
        arguments = self._arguments(call, operands, in_steps | out_steps)
        # So many threads share an output; 0: there is no value to join.
        group = min(BLOCK, 1 << (reduced.bit_length() - 1)) if reduced else 0
        loops = (
            _Loop("_sizes", sizes, arguments[: self.nin]),
            _Loop("_out_sizes", out_sizes, arguments[self.nin :]),
        )
        fields = loops[0].fields | loops[1].fields | raw_fields(arguments)
        kernel = self._kernel(
            arguments,
            (len(sizes), len(out_sizes), group),
            lambda: self._code(call, arguments, fields, *loops, group),
        )
        grid = min(-(-outs // (BLOCK // (group or 1))), _MOST_BLOCKS)
        rest = [outs * reduced, outs]
        self._launch(kernel, (grid, BLOCK), call, operands, rest, fields)

    def _reduce_type(self, call: Call) -> str:
        asked = self.reduce_type
        if asked is None:
            return c_type(call.dtypes[self.nin])
        try:
            return c_type(as_kernel_dtype(asked, self.name))
        except TypeError:
            return asked  # C++, such as a struct of the preamble

    def _code(
        self,
        call: Call,
        arguments: Sequence[Argument],
        fields: Mapping[str, Sizes],
        ins: _Loop,
        outs: _Loop,
        group: int,
    ) -> str:
        """Return the translation unit."""
        reduce_type = self._reduce_type(call)
        every = "".join(self._texts.values()) + reduce_type
        rest = ["const long long _in_size", "const long long _out_size"]
        rest += ["const _Layout _layout"] if fields else []
        return (
            prelude(arguments, call.placeholders, every)
            + self._piece("preamble")
            + f"typedef {reduce_type} _type_reduce;\n"
            + layout_struct(fields)
            + "\n// Joins two values.\n[[maybe_unused]] static __device__ "
            + "_type_reduce\n_join(const _type_reduce& a, const _type_reduce& b) {\n"
            + "  return (\n"
            + self._piece("reduce_expr")
            + "  );\n}\n\n"
            + signature(self.name, arguments, rest)
            + pointers(arguments)
            + "  [[maybe_unused]] const Indexer<1> _in_ind(_in_size, nullptr);\n"
            + "  [[maybe_unused]] const Indexer<1> _out_ind(_out_size, nullptr);\n"
            + "  [[maybe_unused]] const long long _each = _in_size / _out_size;\n"
            + f"  __shared__ SharedRoom<_type_reduce, {BLOCK}> _room;\n"
            + "  _type_reduce* const _cells = _room.data();\n"
            + f"  const int _lane = threadIdx.x % {group or 1};\n"
            + "  {\n"
            + raw_arrays(arguments)
            + self._loop(ins, outs, group)
            + "  }\n}\n"
        )

    def _loop(self, ins: _Loop, outs: _Loop, group: int) -> str:
        """Return the loop over the outputs, several at once per block."""
        groups = BLOCK // (group or 1)
        head = (
            f"    for (long long _first = (long long)blockIdx.x * {groups};\n"
            f"         _first < _out_size; "
            f"_first += (long long)gridDim.x * {groups}) {{\n"
            f"      const long long _o = _first + threadIdx.x / {group or 1};\n"
            "      const bool _inside = _o < _out_size;\n"
        )
        if not group:
            fill = (
                "      _cells[threadIdx.x] = _type_reduce(\n"
                f"{self._piece('identity')}      );\n"
            )
            return head + fill + self._store(outs, False)
        fill = (
            "      // Value _J of those that make up the output.\n"
            "      const auto _map = [&](long long _J) -> _type_reduce {\n"
            f"{_PAD}[[maybe_unused]] const long long _i = _o * _each + _J;\n"
            f"{ins.elements('_i')}{_PAD}return _type_reduce(\n"
            f"{self._piece('map_expr')}{_PAD});\n      }};\n"
            "      if (_inside) {\n"
            f"{_PAD}_type_reduce _value = _map(_lane);\n"
            f"{_PAD}for (long long _j = _lane + {group}; _j < _each; _j += {group})\n"
            f"{_PAD}  _value = _join(_value, _map(_j));\n"
            f"{_PAD}_cells[threadIdx.x] = _value;\n      }}\n"
        )
        tree = (
            "      __syncthreads();\n"
            f"      for (int _half = {group // 2}; _half > 0; _half /= 2) {{\n"
            "        if (_inside && _lane < _half)\n"
            "          _cells[threadIdx.x] = _join(_cells[threadIdx.x], "
            "_cells[threadIdx.x + _half]);\n"
            "        __syncthreads();\n      }\n"
        )
        return head + fill + tree * (group > 1) + self._store(outs, group > 1)

    def _store(self, outs: _Loop, waits: bool) -> str:
        wait = "      __syncthreads();\n" if waits else ""
        return (
            "      if (_inside && _lane == 0) {\n"
            f"{_PAD}[[maybe_unused]] const _type_reduce a = _cells[threadIdx.x];\n"
            f"{outs.elements('_o')}{self._piece('post_map_expr', ';')}      }}\n"
            f"{wait}    }}\n"
        )


class _Loop(NamedTuple):
    """Arrays that a loop goes through, with the field that has its sizes."""

    key: str
    sizes: Sizes
    arguments: Sequence[Argument]

    @property
    def fields(self) -> dict[str, Sizes]:
        """Sizes and steps, by field of the layout."""
        return loop_fields(self.key, self.sizes, self.arguments)

    def elements(self, index: str) -> str:
        """Return the references to the elements of one step."""
        names = [a.name for a in self.arguments if a.looped]
        dims = len(self.sizes)
        places = offsets(index, names, self.key, dims, _PAD)
        return places + elements(self.arguments, dims, index, _PAD)

"""`ReductionKernel`: a kernel that joins elements along dimensions."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any, SupportsIndex

from ..device.stream import StreamLike, on_stream
from ..launching.operands import (
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
from .kernel_text import Argument, argument_of
from .reduction_text import (
    BLOCK,
    ReductionShape,
    ReductionTexts,
    layout_fields,
    reduction_code,
)

_MOST_BLOCKS = 2**16
Axis = SupportsIndex | Iterable[SupportsIndex] | None


class ReductionKernel(ExpressionKernel):
    """A kernel that maps elements, joins them and maps the results, as CuPy's.

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
        for at in range(self.nin, self.nargs):
            if values[at] is None:
                values[at] = new_array(call.operands, shape, call.dtypes[at])
                operands[at] = operand_of(values[at], self.params[at], self.name)
            operand = operands[at]
            if operand is None or operand.shape != shape:
                raise ValueError(
                    f"[{self.name}] got output {self.params[at].name} of shape "
                    f"{operand and operand.shape}; need {shape}."
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
        each = element_count(tuple(call.shape[d] for d in axes))
        if outs == 0:
            return
        if each == 0 and not self.identity.strip():
            raise ValueError(
                f"[{self.name}] got shape {call.shape} without elements to join; need "
                "some, or an identity."
            )
        arguments, shape = self._shaped(call, operands, kept, axes, out_shape, each)
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
        rest = [outs * each, outs, *packed(layout_fields(arguments, shape))]
        self._launch(kernel, (grid, BLOCK), call, operands, rest)

    def _shaped(
        self,
        call: Call,
        operands: Sequence[Operand | None],
        kept: Sizes,
        axes: Sizes,
        out_shape: Sizes,
        each: int,
    ) -> tuple[list[Argument], ReductionShape]:
        """What the code is generated from; outputs' dimensions come first."""
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
        found = ins | outs
        arguments = [
            argument_of(param, dtype, operand, found.get(param.name))
            for (param, operand), dtype in zip(named, call.dtypes, strict=True)
        ]
        group = min(BLOCK, 1 << (each.bit_length() - 1)) if each else 0
        return arguments, ReductionShape(sizes, out_sizes, group)

    def _merge(self, shape: Sizes, steps: dict[str, Sizes]) -> Sizes:
        """Join dimensions in `steps`; the sizes that remain, () where all is flat."""
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
    """The dimensions to join, in order.

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
        found = [operator.index(part) for part in parts]
    except TypeError:
        raise TypeError(
            f"[{where}] got axis {axis!r}; need an int, a tuple of ints or None."
        ) from None
    if any(not -dims <= each < dims for each in found):
        raise ValueError(
            f"[{where}] got axis {axis!r} for {dims} dimensions; need {-dims} to "
            f"{dims - 1}."
        )
    axes = sorted(each % dims for each in found)
    if len(set(axes)) != len(axes):
        raise ValueError(f"[{where}] got axis {axis!r}; need each dimension once.")
    return tuple(axes)

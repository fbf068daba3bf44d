"""`ElementwiseKernel`: a kernel generated from an elementwise expression."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, SupportsIndex

from ..device.stream import StreamLike, on_stream
from ..launching.launch_shape import count_of
from ..launching.operands import (
    Dtype,
    Sizes,
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

_HEAD = (
    "    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;\n"
    "         i += (long long)gridDim.x * blockDim.x) {\n"
)


_BLOCK = 128
_MOST_BLOCKS = 2**20  # beyond, each thread does several elements


class ElementwiseKernel(ExpressionKernel):
    """Kernel that applies an expression to each element of its arrays, as CuPy's.

    Args:
        in_params: inputs, "float32 x, T y, raw T z": a NumPy type or a placeholder of
            one letter, which the arguments tell. An input may be a number. Arrays are
            broadcast, but for those marked `raw`, which the operation indexes: `z[i]`,
            `z.size()`, `z.shape()[0]`.
        out_params: outputs, in the same way; made by the call, or given to it.
        operation: CUDA C++ with the names of the parameters; `i` is the index of the
            element in row order, `_ind.size()` and `n` the number of elements,
            `_ind.get()[d]` the index along a dimension.
        name: of the kernel.
        reduce_dims: join dimensions where that changes nothing but the speed.
        preamble: CUDA C++ in front of the kernel.
        no_return: return None.
        return_tuple: return a tuple also for one output.
        loop_prep: CUDA C++ of each thread before its elements.
        after_loop: CUDA C++ of each thread after its elements.
        options: for NVRTC, such as ("-DTILE=16",).

    Raises:
        ValueError: a parameter or name that is not understood.
        TypeError: an unknown type.

    A mistake in the operation is a CompileError at the first call, with its line.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda
        >>> squared = cuda.ElementwiseKernel(
        ...     "T x, T y", "T z", "z = (x - y) * (x - y)", "squared")
        >>> x = cuda.to_device(np.arange(3, dtype=np.float32))
        >>> squared(x, 1).copy_to_host()
        array([1., 0., 1.], dtype=float32)
    """

    @learner_frames
    def __init__(
        self,
        in_params: str,
        out_params: str,
        operation: str,
        name: str = "kernel",
        reduce_dims: bool = True,
        preamble: str = "",
        no_return: bool = False,
        return_tuple: bool = False,
        loop_prep: str = "",
        after_loop: str = "",
        options: Iterable[str] = (),
    ) -> None:
        super().__init__(
            "ElementwiseKernel",
            in_params,
            out_params,
            name,
            options,
            reduce_dims,
            operation=operation,
            preamble=preamble,
            loop_prep=loop_prep,
            after_loop=after_loop,
        )
        self.operation = operation
        self.no_return, self.return_tuple = no_return, return_tuple
        # Does the operation use the index of the element in each dimension?
        self._indexed = "_ind." in operation.replace("_ind.size", "")

    @learner_frames
    def __call__(
        self,
        *args: Any,
        size: SupportsIndex | None = None,
        block_size: SupportsIndex = -1,
        stream: StreamLike = None,
    ) -> Any:
        """Launch for all elements.

        Args:
            args: the inputs, or the inputs and the outputs: arrays in device memory,
                and numbers for inputs.
            size: the number of elements, where every array is raw.
            block_size: threads of a block; -1 for 128.
            stream: where to queue the launch; None: the current stream.

        Returns:
            The output, a tuple of several, or None without any. New outputs are
            DeviceArrays; Tensors if an argument is one.

        Raises:
            TypeError: a host array; an array of another dtype.
            ValueError: shapes that do not go together; `size` missing or not wanted.
            CompileError: the operation does not compile.
        """
        call = self._read(args[: self.nin], args[self.nin :], joins=False)
        shape = self._shape(call, size)
        block = _BLOCK
        if block_size != -1:
            block = count_of(block_size, "block_size", least=1)
        with on_stream(stream, self.name):
            outputs = self._run(call, shape, block)
        if self.no_return or not outputs:
            return None
        return outputs if self.return_tuple or len(outputs) > 1 else outputs[0]

    def _run(self, call: Call, shape: Sizes, block: int) -> tuple[Any, ...]:
        """Allocate missing outputs and launch on the current stream."""
        operands, outputs = self._outputs(call, shape)
        count = element_count(shape)
        if count > 0:
            steps = {
                param.name: operand.at(shape)
                for param, operand in zip(self.params, operands, strict=True)
                if operand is not None and not param.raw
            }
            sizes = shape if self._indexed else self._merge(shape, steps)
            arguments = self._arguments(call, operands, steps)
            fields = loop_fields("_sizes", sizes, arguments, self._indexed)
            fields |= raw_fields(arguments)
            kernel = self._kernel(
                arguments,
                len(sizes),
                lambda: self._code(arguments, call.placeholders, fields, len(sizes)),
            )
            grid = min(-(-count // block), _MOST_BLOCKS)
            self._launch(kernel, (grid, block), call, operands, [count], fields)
        return outputs

    def _code(
        self,
        arguments: Sequence[Argument],
        placeholders: Mapping[str, Dtype],
        fields: Mapping[str, Sizes],
        dims: int,
    ) -> str:
        """Return the translation unit of a loop over `dims` dimensions, 0 if flat."""
        known = "_layout._sizes" if "_sizes" in fields else "nullptr"
        rest = ["const long long n"] + (["const _Layout _layout"] if fields else [])
        names = [a.name for a in arguments if a.looped]
        return (
            prelude(arguments, placeholders, "".join(self._texts.values()))
            + self._piece("preamble")
            + layout_struct(fields)
            + "\n"
            + signature(self.name, arguments, rest)
            + pointers(arguments)
            + f"  [[maybe_unused]] Indexer<{dims or 1}> _ind(n, {known});\n  {{\n"
            + raw_arrays(arguments)
            + self._piece("loop_prep", ";")
            + _HEAD
            + ("      _ind.set(i);\n" if self._indexed else "")
            + offsets("i", names, "_sizes", dims, "      ")
            + elements(arguments, dims, "i", "      ")
            + self._piece("operation", ";")
            + "    }\n"
            + self._piece("after_loop", ";")
            + "  }\n}\n"
        )

    def _shape(self, call: Call, size: SupportsIndex | None) -> Sizes:
        if call.shape is None and size is None and any(o for o in call.operands):
            raise ValueError(
                f"[{self.name}] all arrays are raw, so the number of elements is "
                "unknown. Pass size=..."
            )
        if call.shape is not None and size is not None:
            raise ValueError(
                f"[{self.name}] got size={size!r} and arrays that are not raw; the "
                "arrays determine the size. Leave size out."
            )
        if size is not None:
            return (count_of(size, "size"),)
        return call.shape or ()

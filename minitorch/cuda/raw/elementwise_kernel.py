"""`ElementwiseKernel`: a kernel made of an elementwise expression in CUDA C++."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arrays.array_creation import device_array
from ..arrays.layout import Sizes
from ..compiling.compiled_code import CompiledCode
from ..compiling.kernel_source import pseudo_file, require_text
from ..language.types import Type
from ..launching.arguments import DeviceView
from ..tracebacks import learner_frames
from .raw_kernel import Kernel

# NumPy's names and what they are in CUDA C++.
_TYPES = {
    type_.value: type_.cuda
    for type_ in Type
    if not type_.is_complex and type_ is not Type.BFLOAT16
}
_PARAMETER = re.compile(r"\s*(\w+)\s+([A-Za-z]\w*)\s*")
_BLOCK = 128


class _Parameter(NamedTuple):
    """`dtype` is NumPy's name; `type` is that of CUDA C++, const for inputs."""

    name: str
    dtype: str
    type: str


class ElementwiseKernel:
    """Kernel that applies an expression to each element of its arrays, as CuPy's.

    Args:
        in_params: Inputs, "float32 x, float32 y": a NumPy dtype and a name. An input
            may be a number. Arrays are broadcast.
        out_params: Outputs, in the same way; allocated by the call, or given to it.
        operation: CUDA C++ with the names of the parameters; `i` is the index of the
            element in row order, `n` the number of elements.
        name: Of the kernel.
        preamble: CUDA C++ in front of the kernel, such as functions.

    Raises:
        ValueError: A parameter that is not understood.
        TypeError: An unknown dtype.

    A mistake in the operation is a CompileError at the first call, with its line.

    Kernel:
        A thread an element, 128 threads a block.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda
        >>> squared = cuda.ElementwiseKernel(
        ...     "float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "squared")
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
        preamble: str = "",
    ) -> None:
        require_text(operation, "operation")
        require_text(preamble, "preamble")
        require_text(name, "name")
        self.name, self._operation, self._preamble = name, operation, preamble
        self._inputs = _parameters(in_params, "const ")
        self._outputs = _parameters(out_params, "")
        self._kernels: dict[object, Kernel] = {}

    @learner_frames
    def __call__(self, *args: Any) -> Any:
        """Launch for all elements, on the current stream.

        Args:
            args: The inputs, or the inputs and the outputs: arrays in device memory,
                and numbers for inputs.

        Returns:
            The output, or a tuple of several. New outputs are DeviceArrays; Tensors if
            an argument is one.

        Raises:
            TypeError: A host array; an array of another dtype.
            ValueError: Shapes that cannot be broadcast.
            CompileError: The operation does not compile.
        """
        inputs, outputs = args[: len(self._inputs)], args[len(self._inputs) :]
        parameters = [*self._inputs, *self._outputs]
        if len(args) not in (len(self._inputs), len(parameters)):
            raise TypeError(
                f"[{self.name}] got {len(args)} arguments; need {len(self._inputs)} "
                f"inputs, or {len(parameters)} arguments with the outputs."
            )
        values = [
            self._argument(value, parameter)
            for value, parameter in zip(args, parameters, strict=False)
        ]
        shape = self._shape(values[: len(inputs)], values[len(inputs) :])
        if not outputs:
            outputs = tuple(
                _new_array(inputs, shape, parameter.dtype)
                for parameter in self._outputs
            )
            values += map(self._argument, outputs, self._outputs)
        if count := math.prod(shape):
            self._launch(values, shape, count)
        return outputs[0] if len(outputs) == 1 else outputs

    def _argument(self, value: Any, parameter: _Parameter) -> Any:
        """Return an array as a DeviceView; numbers stay."""
        output = parameter in self._outputs
        if isinstance(value, np.generic | int | float) and not output:
            return value
        view = getattr(value, "__minitorch_device_view__", None)
        if view is None:
            hint = ""
            if isinstance(value, np.ndarray):
                hint = " Try cuda.to_device(array)."
            elif hasattr(value, "device"):
                hint = ' Try x.to("cuda").'
            raise TypeError(
                f"[{self.name}] got {type(value).__name__} for '{parameter.name}'; "
                f"need an array in device memory{'' if output else ' or a number'}."
                f"{hint}"
            )
        if view[1] != parameter.dtype:
            raise TypeError(
                f"[{self.name}] got {view[1]} for '{parameter.dtype} {parameter.name}'."
                f" Try array.astype('{parameter.dtype}')."
            )
        return DeviceView(*view)

    def _shape(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> Sizes:
        """Return the shape that the inputs are broadcast to, which outputs have."""
        shapes = [value.shape for value in inputs if isinstance(value, DeviceView)]
        try:
            shape = np.broadcast_shapes(*shapes)
        except ValueError:
            text = " and ".join(map(str, shapes))
            raise ValueError(
                f"[{self.name}] shapes {text} cannot be broadcast."
            ) from None
        for value, parameter in zip(outputs, self._outputs, strict=False):
            if value.shape != shape:
                raise ValueError(
                    f"[{self.name}] output {parameter.name} has shape {value.shape}; "
                    f"the inputs broadcast to {shape}."
                )
        return shape

    def _launch(self, values: Sequence[Any], shape: Sizes, count: int) -> None:
        parameters = [*self._inputs, *self._outputs]
        arrays = {
            parameter.name: value
            for parameter, value in zip(parameters, values, strict=True)
            if isinstance(value, DeviceView)
        }
        flat = all(
            array.shape == shape and array.kernel_type.layout == "C"
            for array in arrays.values()
        )
        dims = 0 if flat else len(shape)
        layout = []
        if dims:
            rows = [shape, *(_steps(array, shape) for array in arrays.values())]
            numbers = np.array(rows, np.int64).ravel()
            layout = [numbers.view(f"V{numbers.nbytes}")[0]]
        variant = dims, *arrays
        if variant not in self._kernels:
            code, file = self._code(dims, list(arrays)), pseudo_file(self.name)
            compiled = CompiledCode(code, (), (), file, {})
            core = compiled.module.function(self.name)
            self._kernels[variant] = Kernel(core, compiled=compiled)
        grid = -(-count // _BLOCK)
        self._kernels[variant](grid, _BLOCK, [*values, count, *layout])

    def _code(self, dims: int, arrays: Sequence[str]) -> str:
        """Return the kernel for arrays of `dims` dimensions; 0: all without gaps.

        Parameters keep the user's names, for findings; around the operation these are
        the elements.
        """
        offset = " + ".join(f"_{d} * _layout.{{0}}[{d}]" for d in range(dims)) or "i"
        heads, pointers, elements = [], "", ""
        for name, _, type_ in [*self._inputs, *self._outputs]:
            heads.append(f"{type_}{'*' * (name in arrays)} {name}")
            if name in arrays:
                pointers += f"  {type_}* const _{name} = {name};\n"
                elements += (
                    f"    [[maybe_unused]] {type_}& {name} = "
                    f"_{name}[{offset.format(name)}];\n"
                )
        heads.append("const long long n")
        head, struct, index = "", "", ""
        if "__half" in "".join(heads):
            head = "#include <cuda_fp16.h>\n"
        if dims:
            fields = ", ".join(f"{name}[{dims}]" for name in ("sizes_", *arrays))
            struct = (
                "// Sizes, and the steps of each array, in elements.\n"
                f"struct _Layout {{\n  long long {fields};\n}};\n"
            )
            heads.append("const _Layout _layout")
            index = "  long long _rest = i;\n" + "".join(
                f"  const long long _{d} = _rest % _layout.sizes_[{d}];\n"
                f"  _rest /= _layout.sizes_[{d}];\n"
                for d in reversed(range(dims))
            )
        return (
            f"{head}{self._preamble}\n{struct}"
            f"__global__ void {self.name}({', '.join(heads)}) {{\n"
            "  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n"
            f"  if (i >= n) return;\n{index}{pointers}  {{\n{elements}"
            f'#line 1 "/minitorch/user/{self.name}.operation"\n'
            f"{self._operation};\n  }}\n}}\n"
        )

    def __repr__(self) -> str:
        return f"ElementwiseKernel({self.name})"


def _parameters(text: str, qualifier: str) -> list[_Parameter]:
    """Parse a list such as "float32 x, int64 y"; "" for none.

    Raises:
        ValueError: A parameter that is no dtype and name, or a name that is taken.
        TypeError: An unknown dtype.
    """
    require_text(text, "parameters")
    parameters = []
    for part in text.split(",") if text.strip() else ():
        match = _PARAMETER.fullmatch(part)
        if match is None or match[2] in ("i", "n"):
            raise ValueError(
                f"[ElementwiseKernel] got parameter {part.strip()!r}; need a dtype and "
                "a name other than i and n, such as 'float32 x'."
            )
        dtype, name = match.groups()
        if dtype not in _TYPES:
            raise TypeError(
                f"[ElementwiseKernel] got type {dtype!r}; need a NumPy dtype: "
                f"{', '.join(_TYPES)}."
            )
        parameters.append(_Parameter(name, dtype, qualifier + _TYPES[dtype]))
    return parameters


def _steps(array: DeviceView, shape: Sizes) -> Sizes:
    """Return the steps along the dimensions of `shape`; 0 where it is broadcast."""
    added = len(shape) - len(array.shape)
    pairs = zip(array.shape, array.steps, strict=True)
    return (0,) * added + tuple(0 if size == 1 else step for size, step in pairs)


def _new_array(inputs: Sequence[Any], shape: Sizes, dtype: str) -> Any:
    """Allocate a result like the first tensor, else as a device array."""
    for value in inputs:
        make = getattr(value, "__minitorch_new_device_array__", None)
        if make is not None:
            return make(shape, dtype)
    return device_array(shape, dtype)

"""`numba.vectorize` and `guvectorize`: functions of numbers or small arrays, applied
along arrays.

On the CPU, Python calls the function for each step; with target="cuda" each thread of a
kernel does for one.
"""

from __future__ import annotations

import functools
import itertools
import linecache
import re
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import cuda
from ..cuda.compiling.signatures import signatures_from
from ..cuda.language.kernel import result_of
from ..cuda.language.types import ArrayType, FunctionType, KernelType, Type
from ..cuda.tracebacks import learner_frames

__all__ = ["guvectorize", "vectorize"]

_Array = np.ndarray[Any, Any]
_numbers = itertools.count()


def vectorize(*arguments: Any, target: str = "cpu", **_options: Any) -> Any:
    """`@vectorize`, `@vectorize(["f4(f4, f4)"], target="cuda")`.

    Args:
        arguments: The function; or a signature, or a list of them.
        target: "cpu", "parallel" or "cuda".

    Returns:
        A function of arrays, which broadcast; or what makes one.

    Raises:
        TypeError: A signature has no result.

    Example:
        >>> from minitorch.compat.numba_ufuncs import vectorize
        >>> @vectorize(["float64(float64, float64)"])
        ... def hypotenuse(a, b):
        ...     return (a * a + b * b) ** 0.5
        >>> print(hypotenuse([3, 5], [[4], [12]]))
        [[ 5.          6.40312424]
         [12.36931688 13.        ]]
    """
    if arguments and isinstance(arguments[0], types.FunctionType):
        return _Ufunc(arguments[0], [], target)
    signatures = _signatures_of(arguments)
    for signature in signatures:
        if signature.result is None:
            raise TypeError(
                f"[numba.vectorize] the signature {signature} has no result; need a "
                'signature such as "float32(float32)".'
            )
    return lambda function: _Ufunc(function, signatures, target)


def guvectorize(
    signatures: Any, layout: str, *, target: str = "cpu", **_options: Any
) -> Any:
    """`@guvectorize(["void(f8[:], f8[:])"], "(n)->(n)", target="cuda")`.

    Args:
        signatures: One or a list; the last arguments are the results.
        layout: Sizes of each argument, `(m,n),(n,p)->(m,p)`; `()` is a number.
        target: "cpu", "parallel" or "cuda".

    Returns:
        What makes of a function one of arrays; their leading sizes broadcast.

    Raises:
        ValueError: The layout has no arrow.

    Example:
        >>> from minitorch.compat.numba_ufuncs import guvectorize
        >>> @guvectorize(["void(float64[:], float64[:])"], "(n)->()")
        ... def largest(values, out):
        ...     out[0] = max(values)
        >>> print(largest(np.array([[1.0, 4.0], [3.0, 2.0]])))
        [4. 3.]
    """
    if "->" not in layout:
        raise ValueError(
            f"[numba.guvectorize] got the layout {layout!r}; need a layout such as "
            "'(n),(n)->()'."
        )
    loops = _signatures_of((signatures,))
    sides = [_sizes_of(side) for side in layout.split("->")]
    return lambda function: _GeneralUfunc(function, loops, sides[0], sides[1], target)


def _sizes_of(side: str) -> list[tuple[str, ...]]:
    # "(m,n),(),(n)" -> [("m", "n"), (), ("n",)]
    inner = re.findall(r"\(([^)]*)\)", side.replace(" ", ""))
    return [tuple(name for name in names.split(",") if name) for names in inner]


def _signatures_of(arguments: Sequence[Any]) -> list[FunctionType]:
    return [
        signature for argument in arguments for signature in signatures_from(argument)
    ]


def _dtype_of(type_: KernelType | None) -> np.dtype[Any]:
    """Return NumPy's dtype of a number or of an array's elements."""
    number = type_.dtype if isinstance(type_, ArrayType) else type_
    if not isinstance(number, Type):
        raise TypeError(
            f"[numba.vectorize] got the type {type_}; need a number or an array."
        )
    return number.dtype


class _Loops:
    """Base class of both kinds: a function, its signatures and its target."""

    def __init__(
        self,
        function: types.FunctionType,
        signatures: list[FunctionType],
        target: str,
    ) -> None:
        self.py_func = function
        self._signatures = signatures
        self._on_device = target == "cuda"
        self._kernels: dict[int, Any] = {}
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__

    @learner_frames
    def __call__(self, *arguments: Any, out: Any = None, **_options: Any) -> Any:
        given, *outs = self._inputs_and_outputs(arguments)
        out = out if out is not None or not outs else outs[0]
        device = any(isinstance(array, cuda.DeviceArray) for array in given)
        inputs = [_on_host(array) for array in given]
        loop = self._loop_of(inputs)
        if loop is not None:
            inputs = [
                array.astype(_dtype_of(want))
                for array, want in zip(inputs, loop.arguments, strict=False)
            ]
        return self._finish(self._results(inputs, loop), out, device)

    def _inputs_and_outputs(self, arguments: tuple[Any, ...]) -> list[Any]:
        """Return the inputs, and what comes after them, if anything."""
        return [arguments]

    def _results(self, inputs: list[_Array], loop: FunctionType | None) -> list[Any]:
        raise NotImplementedError

    def _body(self, names: list[str]) -> str:
        """Return the statement of a kernel's thread i, given names of its arrays."""
        raise NotImplementedError

    def _launch(self, inputs: list[_Array], results: list[_Array]) -> list[_Array]:
        """Run a kernel with a thread for each row; return the results."""
        names = [f"x{index}" for index in range(len(inputs) + len(results))]
        if len(names) not in self._kernels:
            self._kernels[len(names)] = _row_kernel(
                self.py_func, names, self._body(names)
            )
        arrays = [
            cuda.to_device(np.ascontiguousarray(array)) for array in (*inputs, *results)
        ]
        rows = len(inputs[0])
        self._kernels[len(names)].forall(rows)(rows, *arrays)
        return [array.copy_to_host() for array in arrays[len(inputs) :]]

    def _loop_of(self, inputs: list[_Array]) -> FunctionType | None:
        for casting in ("safe", "same_kind"):
            for signature in self._signatures:
                pairs = zip(inputs, signature.arguments, strict=False)
                if all(_fits(given, _dtype_of(want), casting) for given, want in pairs):
                    return signature
        if not self._signatures:
            return None
        given = ", ".join(str(signature.dtype) for signature in inputs)
        known = "; ".join(map(str, self._signatures))
        raise TypeError(
            f"[{self.py_func.__name__}] no signature accepts arguments of types "
            f"{given}; the signatures are {known}. Try array.astype(...)."
        )

    def _finish(self, results: list[Any], out: Any, device: bool) -> Any:
        if out is not None:
            targets = out if isinstance(out, tuple) else (out,)
            for target, result in zip(targets, results, strict=True):
                if isinstance(target, cuda.DeviceArray):
                    target.copy_to_device(np.ascontiguousarray(result, target.dtype))
                else:
                    target[...] = result
            return out
        if device:
            results = [cuda.to_device(np.asarray(value)) for value in results]
        return results[0] if len(results) == 1 else tuple(results)


class _Ufunc(_Loops):
    """A function of numbers, applied to each element."""

    def _results(self, inputs: list[_Array], loop: FunctionType | None) -> list[Any]:
        if not self._on_device:
            kinds = None if loop is None else [_dtype_of(loop.result)]
            return [np.vectorize(self.py_func, otypes=kinds)(*inputs)]
        wide = np.broadcast_arrays(*inputs)
        if loop is None:
            kinds_of = tuple(Type(array.dtype.name) for array in wide)
            result = result_of(self.py_func, kinds_of)
        else:
            result = loop.result
        out = np.empty(wide[0].size, _dtype_of(result))
        if out.size:
            (out,) = self._launch([array.ravel() for array in wide], [out])
        return [out.reshape(wide[0].shape)[()]]

    def _body(self, names: list[str]) -> str:
        *given, out = [f"{name}[i]" for name in names]
        return f"{out} = function({', '.join(given)})"

    def reduce(self, array: Any, axis: int = 0) -> Any:
        """Combine the elements along an axis, from the first to the last.

        Args:
            array: On the host or the device.
            axis: That is combined.

        Returns:
            The array without that axis.
        """
        rows = np.moveaxis(_on_host(array), axis, 0)
        return functools.reduce(self, rows)


class _GeneralUfunc(_Loops):
    """A function of arrays of fixed rank, applied along the leading dimensions."""

    def __init__(
        self,
        function: types.FunctionType,
        signatures: list[FunctionType],
        inputs: list[tuple[str, ...]],
        outputs: list[tuple[str, ...]],
        target: str,
    ) -> None:
        super().__init__(function, signatures, target)
        self._inputs, self._outputs = inputs, outputs
        # Numbers that are declared as arrays come as arrays of one; results always do.
        declared = signatures[0].arguments if signatures else ()
        self._as_one = [
            not sizes and (index >= len(inputs) or _is_array(declared, index))
            for index, sizes in enumerate([*inputs, *outputs])
        ]

    def _inputs_and_outputs(self, arguments: tuple[Any, ...]) -> list[Any]:
        count = len(self._inputs)
        given, rest = arguments[:count], arguments[count:]
        return [given, *([rest[0] if len(rest) == 1 else rest] if rest else [])]

    def _results(self, inputs: list[_Array], loop: FunctionType | None) -> list[Any]:
        sizes, leading = self._sizes(inputs)
        # Each argument becomes (steps, *its own sizes).
        flat = [
            np.broadcast_to(array, leading + core).reshape(-1, *core)
            for array, core in zip(
                inputs, self._cores(sizes, self._inputs), strict=True
            )
        ]
        results = [
            np.empty((len(flat[0]), *core), self._out_dtype(loop, index, inputs))
            for index, core in enumerate(self._cores(sizes, self._outputs))
        ]
        if self._on_device:
            results = self._launch(flat, results)
        else:
            self._run([*flat, *results])
        return [array.reshape(leading + array.shape[1:])[()] for array in results]

    def _out_dtype(
        self, loop: FunctionType | None, index: int, inputs: list[Any]
    ) -> np.dtype[Any]:
        if loop is None:
            return np.result_type(*inputs)
        return _dtype_of(loop.arguments[len(self._inputs) + index])

    def _sizes(self, inputs: list[Any]) -> tuple[dict[str, int], tuple[int, ...]]:
        sizes: dict[str, int] = {}
        leading = []
        for array, names in zip(inputs, self._inputs, strict=True):
            core = array.shape[array.ndim - len(names) :]
            leading.append(array.shape[: array.ndim - len(names)])
            for name, size in zip(names, core, strict=True):
                if sizes.setdefault(name, size) != size:
                    raise ValueError(
                        f"[{self.py_func.__name__}] dimension {name} of the layout has "
                        f"size {sizes[name]} in one argument and {size} in another."
                    )
        return sizes, np.broadcast_shapes(*leading)

    @staticmethod
    def _cores(
        sizes: dict[str, int], sides: list[tuple[str, ...]]
    ) -> list[tuple[int, ...]]:
        return [tuple(sizes[name] for name in names) for names in sides]

    def _run(self, arrays: list[_Array]) -> None:
        for step in range(len(arrays[0])):
            self.py_func(
                *(
                    array[step : step + 1] if as_one else array[step]
                    for array, as_one in zip(arrays, self._as_one, strict=True)
                )
            )

    def _body(self, names: list[str]) -> str:
        parts = [
            f"{name}[i : i + 1]" if as_one else f"{name}[i]"
            for name, as_one in zip(names, self._as_one, strict=True)
        ]
        return f"function({', '.join(parts)})"


def _is_array(declared: Sequence[Any], index: int) -> bool:
    return index < len(declared) and isinstance(declared[index], ArrayType)


def _fits(value: _Array, dtype: np.dtype[Any], casting: str) -> bool:
    """Return whether `value` can be cast; a real number always can, as in Numba."""
    if value.ndim == 0 and value.dtype.kind in "biuf":
        return True
    return np.can_cast(value.dtype, dtype, casting)  # type: ignore[arg-type]


def _on_host(value: Any) -> _Array:
    if isinstance(value, cuda.DeviceArray):
        return value.copy_to_host()
    return np.asarray(value)


def _row_kernel(function: Callable[..., Any], names: list[str], body: str) -> Any:
    """Return a kernel of arrays that runs `body` for each i below their length."""
    name = f"{function.__name__}_elements"
    text = (
        f"def {name}(size, {', '.join(names)}):\n"
        "    i = cuda.grid(1)\n"
        "    if i < size:\n"
        f"        {body}\n"
    )
    file = f"<minitorch {name} {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope: dict[str, Any] = {"cuda": cuda, "function": function}
    exec(compile(text, file, "exec"), scope)
    return cuda.jit(scope[name])

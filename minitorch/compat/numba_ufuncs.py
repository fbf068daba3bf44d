"""`numba.vectorize`: functions of numbers applied to arrays.

On the CPU, Python calls the function for each element; with target="cuda" each thread
of a kernel does for one.
"""

from __future__ import annotations

import functools
import itertools
import linecache
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import cuda
from ..cuda.compiling.signatures import signatures_from
from ..cuda.language.kernel import result_of
from ..cuda.language.types import ArrayType, FunctionType, KernelType, Type
from ..cuda.tracebacks import learner_frames

__all__ = [
    "Loops",
    "dtype_of",
    "element_kernel",
    "on_host",
    "signatures_of",
    "vectorize",
]

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
    signatures = signatures_of(arguments)
    for signature in signatures:
        if signature.result is None:
            raise TypeError(
                f"[numba.vectorize] got the signature {signature}; need one with a "
                "result, "
                'such as "float32(float32)".'
            )
    return lambda function: _Ufunc(function, signatures, target)


def signatures_of(arguments: Sequence[Any]) -> list[FunctionType]:
    return [
        signature for argument in arguments for signature in signatures_from(argument)
    ]


def dtype_of(type_: KernelType | None) -> np.dtype[Any]:
    """Return NumPy's dtype of a number or of an array's elements."""
    number = type_.dtype if isinstance(type_, ArrayType) else type_
    if not isinstance(number, Type):
        raise TypeError(
            f"[numba.vectorize] got the type {type_}; need a number or an array."
        )
    return number.dtype


class Loops:
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
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__

    def _loop_of(self, inputs: list[np.ndarray[Any, Any]]) -> FunctionType | None:
        for casting in ("safe", "same_kind"):
            for signature in self._signatures:
                pairs = zip(inputs, signature.arguments, strict=False)
                if all(_fits(given, dtype_of(want), casting) for given, want in pairs):
                    return signature
        if not self._signatures:
            return None
        given = ", ".join(str(signature.dtype) for signature in inputs)
        known = "; ".join(map(str, self._signatures))
        raise TypeError(
            f"[{self.py_func.__name__}] got arguments of types {given}; need types "
            f"that one of its signatures takes: {known}. Cast them with astype."
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


class _Ufunc(Loops):
    """A function of numbers, applied to each element."""

    def __init__(
        self,
        function: types.FunctionType,
        signatures: list[FunctionType],
        target: str,
    ) -> None:
        super().__init__(function, signatures, target)
        self._kernels: dict[int, Any] = {}

    @learner_frames
    def __call__(self, *arguments: Any, out: Any = None, **_options: Any) -> Any:
        device = any(isinstance(array, cuda.DeviceArray) for array in arguments)
        inputs = [on_host(array) for array in arguments]
        loop = self._loop_of(inputs)
        if loop is not None:
            inputs = [
                array.astype(dtype_of(want))
                for array, want in zip(inputs, loop.arguments, strict=True)
            ]
        if self._on_device:
            result = self._launch(inputs, loop)
        else:
            kinds = None if loop is None else [dtype_of(loop.result)]
            result = np.vectorize(self.py_func, otypes=kinds)(*inputs)
        return self._finish([result], out, device)

    def _launch(
        self, inputs: list[np.ndarray[Any, Any]], loop: FunctionType | None
    ) -> Any:
        wide = np.broadcast_arrays(*inputs)
        if loop is None:
            kinds = tuple(Type(array.dtype.name) for array in wide)
            result = result_of(self.py_func, kinds)
        else:
            result = loop.result
        out = cuda.device_array(max(1, wide[0].size), dtype_of(result))
        if wide[0].size:
            flat = [
                cuda.to_device(np.ascontiguousarray(array).ravel()) for array in wide
            ]
            self._kernel(len(flat)).forall(wide[0].size)(wide[0].size, out, *flat)
        host = out.copy_to_host()[: wide[0].size].reshape(wide[0].shape)
        return host if host.ndim else host[()]

    def _kernel(self, count: int) -> Any:
        if count not in self._kernels:
            self._kernels[count] = self._build(count)
        return self._kernels[count]

    def _build(self, count: int) -> Any:
        names = [f"x{index}" for index in range(count)]
        body = f"out[i] = function({', '.join(f'{name}[i]' for name in names)})"
        return element_kernel(self.py_func, ["size", "out", *names], "size", body)

    def reduce(self, array: Any, axis: int = 0) -> Any:
        """Combine the elements along an axis, from the first to the last.

        Args:
            array: On the host or the device.
            axis: That is combined.

        Returns:
            The array without that axis.
        """
        rows = np.moveaxis(on_host(array), axis, 0)
        return functools.reduce(self, rows)


def _fits(value: np.ndarray[Any, Any], dtype: np.dtype[Any], casting: str) -> bool:
    """Return whether `value` can be cast; a real number always can, as in Numba."""
    if value.ndim == 0 and value.dtype.kind in "biuf":
        return True
    return np.can_cast(value.dtype, dtype, casting)  # type: ignore[arg-type]


def on_host(value: Any) -> np.ndarray[Any, Any]:
    if isinstance(value, cuda.DeviceArray):
        return value.copy_to_host()
    return np.asarray(value)


def element_kernel(
    function: Callable[..., Any], parameters: list[str], size: str, body: str
) -> Any:
    """Return a kernel that runs `body` for each i below `size`."""
    name = f"{function.__name__}_elements"
    text = (
        f"def {name}({', '.join(parameters)}):\n"
        "    i = cuda.grid(1)\n"
        f"    if i < {size}:\n"
        f"        {body}\n"
    )
    file = f"<minitorch {name} {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope: dict[str, Any] = {"cuda": cuda, "function": function}
    exec(compile(text, file, "exec"), scope)
    return cuda.jit(scope[name])

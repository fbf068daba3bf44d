"""`numba.guvectorize`: functions of small arrays applied along leading axes."""

from __future__ import annotations

import re
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import cuda
from ..cuda.language.types import ArrayType, FunctionType
from ..cuda.tracebacks import learner_frames
from .numba_ufuncs import Loops, dtype_of, element_kernel, on_host, signatures_of

__all__ = ["guvectorize"]


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
        >>> from minitorch.compat.numba_gufuncs import guvectorize
        >>> @guvectorize(["void(float64[:], float64[:])"], "(n)->()")
        ... def largest(values, out):
        ...     out[0] = max(values)
        >>> print(largest(np.array([[1.0, 4.0], [3.0, 2.0]])))
        [4. 3.]
    """
    if "->" not in layout:
        raise ValueError(
            f"[numba.guvectorize] got the layout {layout!r}; need one such as "
            "'(n),(n)->()'."
        )
    loops = signatures_of((signatures,))
    sides = [_sizes_of(side) for side in layout.split("->")]
    return lambda function: _GeneralUfunc(function, loops, sides[0], sides[1], target)


def _sizes_of(side: str) -> list[tuple[str, ...]]:
    # "(m,n),(),(n)" -> [("m", "n"), (), ("n",)]
    inner = re.findall(r"\(([^)]*)\)", side.replace(" ", ""))
    return [tuple(name for name in names.split(",") if name) for names in inner]


class _GeneralUfunc(Loops):
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
        self._made: Any = None
        # Numbers that are declared as arrays come as arrays of one; results always do.
        declared = signatures[0].arguments if signatures else ()
        self._as_one = [
            not sizes and (index >= len(inputs) or _is_array(declared, index))
            for index, sizes in enumerate([*inputs, *outputs])
        ]

    @learner_frames
    def __call__(self, *arguments: Any, out: Any = None, **_options: Any) -> Any:
        count = len(self._inputs)
        if out is None and len(arguments) > count:
            out = arguments[count] if len(arguments) == count + 1 else arguments[count:]
        given = arguments[:count]
        device = any(isinstance(array, cuda.DeviceArray) for array in given)
        inputs = [on_host(array) for array in given]
        loop = self._loop_of(inputs)
        if loop is not None:
            inputs = [
                array.astype(dtype_of(want))
                for array, want in zip(inputs, loop.arguments, strict=False)
            ]
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
        results = (
            self._launch(flat, results) if self._on_device else self._run(flat, results)
        )
        shaped = [array.reshape(leading + array.shape[1:]) for array in results]
        return self._finish([array[()] for array in shaped], out, device)

    def _out_dtype(
        self, loop: FunctionType | None, index: int, inputs: list[Any]
    ) -> np.dtype[Any]:
        if loop is None:
            return np.result_type(*inputs)
        return dtype_of(loop.arguments[len(self._inputs) + index])

    def _sizes(self, inputs: list[Any]) -> tuple[dict[str, int], tuple[int, ...]]:
        sizes: dict[str, int] = {}
        leading = []
        for array, names in zip(inputs, self._inputs, strict=True):
            core = array.shape[array.ndim - len(names) :]
            leading.append(array.shape[: array.ndim - len(names)])
            for name, size in zip(names, core, strict=True):
                if sizes.setdefault(name, size) != size:
                    raise ValueError(
                        f"[{self.py_func.__name__}] got {name} = {sizes[name]} and "
                        f"{size}; need the same size wherever the layout has {name}."
                    )
        return sizes, np.broadcast_shapes(*leading)

    @staticmethod
    def _cores(
        sizes: dict[str, int], sides: list[tuple[str, ...]]
    ) -> list[tuple[int, ...]]:
        return [tuple(sizes[name] for name in names) for names in sides]

    def _run(self, inputs: list[Any], results: list[Any]) -> list[Any]:
        for step in range(len(inputs[0])):
            self.py_func(
                *(
                    array[step : step + 1] if as_one else array[step]
                    for array, as_one in zip(
                        [*inputs, *results], self._as_one, strict=True
                    )
                )
            )
        return results

    def _launch(self, inputs: list[Any], results: list[Any]) -> list[Any]:
        moved = [cuda.to_device(np.ascontiguousarray(array)) for array in inputs]
        outs = [cuda.to_device(array) for array in results]
        self._kernel().forall(len(inputs[0]))(len(inputs[0]), *moved, *outs)
        return [array.copy_to_host() for array in outs]

    def _kernel(self) -> Any:
        if self._made is None:
            self._made = self._make()
        return self._made

    def _make(self) -> Any:
        names = [f"x{index}" for index in range(len(self._as_one))]
        parts = [
            f"{name}[i : i + 1]" if as_one else f"{name}[i]"
            for name, as_one in zip(names, self._as_one, strict=True)
        ]
        body = f"function({', '.join(parts)})"
        return element_kernel(self.py_func, ["size", *names], "size", body)


def _is_array(declared: Sequence[Any], index: int) -> bool:
    return index < len(declared) and isinstance(declared[index], ArrayType)

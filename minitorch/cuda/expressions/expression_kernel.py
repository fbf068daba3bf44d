"""Base class of kernels generated from expressions: arguments, variants, launches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..compiling.compiled_code import CompiledCode
from ..compiling.kernel_source import require_text, words
from ..launching.operands import (
    Dtype,
    Operand,
    Sizes,
    check_names,
    common_shape,
    number_as,
    number_dtype,
    operand_of,
    parse_params,
    resolve_types,
)
from ..raw.raw_kernel import Kernel
from .kernel_text import check_name

_HEADER = "minitorch_elements.cuh"


@cache
def _headers() -> dict[str, str]:
    file = Path(__file__).parents[1] / "include" / _HEADER
    return {_HEADER: file.read_text(encoding="utf-8")}


@dataclass(frozen=True)
class Call:
    """Arguments of one call; operands are None for numbers and missing outputs."""

    values: tuple[Any, ...]  # of all parameters; None for outputs to be made
    operands: tuple[Operand | None, ...]
    dtypes: tuple[Dtype, ...]
    placeholders: Mapping[str, Dtype]
    shape: Sizes | None  # to which the arrays are broadcast


class ExpressionKernel:
    """Kernel generated for the types and layouts of its arguments."""

    def __init__(
        self,
        where: str,
        in_params: str,
        out_params: str,
        name: str,
        options: Iterable[str],
        texts: Mapping[str, object],
    ) -> None:
        self._where = where
        self.name = check_name(name, where)
        for role, text in texts.items():
            require_text(text, role)
        self.in_params = parse_params(in_params, False, where)
        self.out_params = parse_params(out_params, True, where)
        self.params = self.in_params + self.out_params
        self.nin, self.nout = len(self.in_params), len(self.out_params)
        self.nargs = self.nin + self.nout
        check_names(self.params, where)
        self.options = tuple(words(options, "options"))
        self._kernels: dict[object, Kernel] = {}

    @property
    def cached_codes(self) -> list[str]:
        """CUDA C++ generated so far, one string per argument variant."""
        return [kernel.code for kernel in self._kernels.values()]

    @property
    def cached_code(self) -> str:
        """CUDA C++ of the most recent argument variant.

        Raises:
            RuntimeError: the kernel was not called yet.
        """
        if not self._kernels:
            raise RuntimeError(
                f"[{self.name}] got no call yet; need one: the code depends on the "
                "types of the arguments."
            )
        return self.cached_codes[-1]

    def _read(
        self, inputs: Sequence[Any], outputs: Sequence[Any], *, joins: bool
    ) -> Call:
        """Check a call's arguments; return their types and common shape.

        Args:
            inputs: as many as there are.
            outputs: as many as there are, or none.
            joins: do outputs have shapes of their own, smaller than the common one?
        """
        count = len(inputs) + len(outputs)
        if len(inputs) != self.nin or len(outputs) not in (0, self.nout):
            raise TypeError(
                f"[{self.name}] got {count} arguments; need {self.nin} inputs"
                + (f", or {self.nargs} with the outputs." if self.nout else ".")
            )
        values = [*inputs, *outputs]
        values += [None] * (self.nargs - len(values))
        operands = tuple(
            None if value is None and param.out else operand_of(value, param, self.name)
            for value, param in zip(values, self.params, strict=True)
        )
        arrays = [None if o is None else o.dtype for o in operands]
        placeholders, dtypes = resolve_types(
            self.params, arrays, [number_dtype(v) for v in values], self.name
        )
        looped = self.params[: self.nin] if joins else self.params
        shape = common_shape(looped, operands[: len(looped)], self.name)
        return Call(tuple(values), operands, dtypes, placeholders, shape)

    def _kernel(self, key: object, code: Callable[[], str]) -> Kernel:
        """Return the compiled kernel of a variant; compile it on first use."""
        kernel = self._kernels.get(key)
        if kernel is None:
            file = f"/minitorch/user/{self.name}.cu"
            compiled = CompiledCode(code(), self.options, (), file, _headers())
            core = compiled.module.function(self.name)
            kernel = self._kernels[key] = Kernel(core, compiled=compiled)
        return kernel

    def _launch(
        self,
        kernel: Kernel,
        shape: tuple[int, int],
        call: Call,
        operands: Sequence[Operand | None],
        rest: Sequence[Any],
    ) -> None:
        """Launch on the current stream, with `rest` after the user's arguments."""
        arguments = [
            number_as(value, dtype, param, self.name) if operand is None else operand
            for value, dtype, param, operand in zip(
                call.values, call.dtypes, self.params, operands, strict=True
            )
        ]
        grid, block = shape
        kernel(grid, block, [*arguments, *rest])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name})"


def packed(fields: Mapping[str, Sizes]) -> list[Any]:
    """Return a generated `_Layout` as a list of one argument; [] if it is empty."""
    numbers = [number for row in fields.values() for number in row]
    if not numbers:
        return []
    raw = np.array(numbers, np.int64)
    return [raw.view(np.dtype(("V", raw.nbytes)))[0]]

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
    is_flat,
    merged,
    new_array,
    number_as,
    number_dtype,
    operand_of,
    parse_params,
    resolve_types,
)
from ..raw.raw_kernel import Kernel
from .kernel_text import Argument, argument_of, check_name

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
        reduce_dims: bool,
        **texts: str,
    ) -> None:
        self.name = check_name(name, where)
        for role, text in texts.items():
            require_text(text, role)
        self._texts, self.reduce_dims = texts, reduce_dims
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
                f"[{self.name}] the kernel has no code before its first call: the code "
                "depends on the argument types. Call it once."
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
                + (
                    f", or {self.nargs} arguments with the outputs."
                    if self.nout
                    else "."
                )
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

    def _outputs(
        self, call: Call, shape: Sizes
    ) -> tuple[tuple[Operand | None, ...], tuple[Any, ...]]:
        """Return all operands, and the outputs; allocate those that are missing."""
        operands, values = list(call.operands), list(call.values)
        for index in range(self.nin, self.nargs):
            if values[index] is None:
                values[index] = new_array(call.operands, shape, call.dtypes[index])
                operands[index] = operand_of(
                    values[index], self.params[index], self.name
                )
        return tuple(operands), tuple(values[self.nin :])

    def _merge(self, shape: Sizes, steps: dict[str, Sizes]) -> Sizes:
        """Merge dimensions in `steps` in place; return the sizes left, () if flat."""
        if not self.reduce_dims:
            return shape
        sizes, joined = merged(shape, list(steps.values()))
        steps.update(zip(steps, joined, strict=True))
        return () if is_flat(sizes, joined) else sizes

    def _arguments(
        self,
        call: Call,
        operands: Sequence[Operand | None],
        steps: Mapping[str, Sizes],
    ) -> list[Argument]:
        """Return the arguments for code generation; `steps` are those of the loops."""
        return [
            argument_of(param, dtype, operand, steps.get(param.name))
            for param, dtype, operand in zip(
                self.params, call.dtypes, operands, strict=True
            )
        ]

    def _piece(self, role: str, end: str = "") -> str:
        """Return the user's text as a file of its own in messages, then `end`."""
        text = self._texts[role]
        if not text.strip():
            return ""
        return f'#line 1 "/minitorch/user/{self.name}.{role}"\n{text}{end}\n#line @\n'

    def _kernel(
        self, arguments: Sequence[Argument], key: object, code: Callable[[], str]
    ) -> Kernel:
        """Return the compiled kernel of a variant; compile it on first use."""
        variant = key, *(argument.variant for argument in arguments)
        kernel = self._kernels.get(variant)
        if kernel is None:
            file = f"/minitorch/user/{self.name}.cu"
            lines = code().split("\n")
            for number, line in enumerate(lines, 2):
                if line == "#line @":  # behind a text of the user
                    lines[number - 2] = f'#line {number} "{file}"'
            text = "\n".join(lines)
            compiled = CompiledCode(text, self.options, (), file, _headers())
            core = compiled.module.function(self.name)
            kernel = self._kernels[variant] = Kernel(core, compiled=compiled)
        return kernel

    def _launch(
        self,
        kernel: Kernel,
        shape: tuple[int, int],
        call: Call,
        operands: Sequence[Operand | None],
        rest: Sequence[Any],
        fields: Mapping[str, Sizes],
    ) -> None:
        """Launch on the current stream; `rest` and the layout come last."""
        arguments = [
            number_as(value, dtype, param, self.name) if operand is None else operand
            for value, dtype, param, operand in zip(
                call.values, call.dtypes, self.params, operands, strict=True
            )
        ]
        numbers = [number for row in fields.values() for number in row]
        raw = np.array(numbers, np.int64)
        layout = [raw.view(np.dtype(("V", raw.nbytes)))[0]] if numbers else []
        grid, block = shape
        kernel(grid, block, [*arguments, *rest, *layout])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name})"

"""Owns the writing of statements and functions in CUDA C++; infers nothing.

Every statement stands on a line that `#line` gives its Python number, so that messages
of the compiler and findings of a run name the Python line.
"""

from __future__ import annotations

import re

from .cuda_text import constant_literal, identifier, literal
from .declarations import Declarations, declarations_of
from .emit_expressions import ExpressionWriter
from .emit_indices import CONST, GLOBAL, LOCAL, SHARED
from .typed import (
    Assign,
    Constant,
    Convert,
    Expression,
    If,
    Return,
    Statement,
    TypedFunction,
)
from .typed_kernel import (
    Break,
    Continue,
    Declare,
    Do,
    For,
    Item,
    Special,
    Store,
    While,
)
from .types import ArrayType, Type

__all__ = ["StatementWriter"]


# Of `Declare`; a host array that is too large for constant memory is a global one.
_SPACES = {
    "shared": SHARED,
    "dynamic": SHARED,
    "local": LOCAL,
    "const": CONST,
    "device": GLOBAL,
}


class StatementWriter(ExpressionWriter):
    """Writes functions one after the other into `parts`.

    Attributes:
        entry: The kernel that is launched, if it is one.
    """

    entry: TypedFunction | None = None

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.constants: list[str] = []
        self._names: dict[TypedFunction, str] = {}
        self._lines: list[str] = []
        self._file, self._next, self._last = "", 0, 1

    def name_of(self, function: TypedFunction) -> str:
        """Write a called function once and give its name in C++."""
        if function not in self._names:
            stem = re.sub(r"\W+", "_", function.name.rpartition(".")[2])
            name, number = f"py_{stem}", 1
            while name in self._names.values():
                number += 1
                name = f"py_{stem}_{number}"
            self._names[function] = name  # a function that it calls has another
            outer = self._lines, self._file, self._next, self._last, self._declared
            result = self.type_text(function.result)
            head = f"__device__ inline {result} {name}({self.parameters(function)}) {{"
            self.parts.append(self.function_text(function, head, "}", "  "))
            self._lines, self._file, self._next, self._last, self._declared = outer
        return self._names[function]

    def parameters(self, function: TypedFunction) -> str:
        """Write the parameters of a function."""
        return ", ".join(
            f"{self.type_text(each.type)} {identifier(each.name)}"
            for each in function.parameters
        )

    _declared: Declarations

    def function_text(
        self, function: TypedFunction, head: str, tail: str, indent: str
    ) -> str:
        """Write a function between its first and last lines."""
        self._lines, self._file, self._next = [], function.pseudo_file, 0
        self._last = 1
        self._declared = declarations_of(function)
        outer, self.spaces = self.spaces, self._spaces_of(function)
        self._put(1, head)
        for each in function.arrays:
            self._declare_array(each, indent)
        self._block(function, function.body, indent)
        # The return that ends a function belongs to its last line, not to what follows.
        self._put(self._last, tail)
        self.spaces = outer
        return "\n".join(self._lines) + "\n"

    def _spaces_of(self, function: TypedFunction) -> dict[str, int]:
        """Where a function's arrays are: its own, and what a launch gives a kernel."""
        spaces = {each.variable.name: _SPACES[each.space] for each in function.arrays}
        if function is self.entry:
            for each in function.parameters:
                if isinstance(each.type, ArrayType):
                    spaces[each.name] = GLOBAL
        return spaces

    def _put(self, line: int, text: str) -> None:
        if line != self._next:
            self._lines.append(f'#line {line} "{self._file}"')
        self._lines.append(text)
        self._next = line + 1

    def _block(
        self, function: TypedFunction, body: list[Statement], indent: str
    ) -> None:
        for index, statement in enumerate(body):
            for variable in self._declared.before.get((id(body), index), ()):
                zero = ""
                if variable.name in function.zeroed and isinstance(variable.type, Type):
                    zero = f" = {literal(variable.type, 0)}"
                name = identifier(variable.name)
                type_ = self.type_text(variable.type)
                self._put(statement.line, f"{indent}{type_} {name}{zero};")
            self._statement(function, statement, indent)

    def _statement(
        self, function: TypedFunction, statement: Statement, indent: str
    ) -> None:
        line, inner = statement.line, indent + "  "
        self._last = max(self._last, line)
        match statement:
            case Return(value=None):
                self._put(line, f"{indent}return;")
            case Return(value=Expression() as value):
                self._put(line, f"{indent}return {self.text(value)};")
            case Assign(target=target, value=value):
                first = id(statement) in self._declared.first
                kind = f"{self.type_text(target.type)} " if first else ""
                text = self._assigned(value, target.type)
                self._put(line, f"{indent}{kind}{identifier(target.name)} = {text};")
            case Store(item=item, value=value):
                self._put(line, indent + self._store(item, value))
            case Do(value=value):
                self._put(line, f"{indent}{self.text(value)};")
            case If(test=test, then=then, otherwise=otherwise):
                self._put(line, f"{indent}if ({self.text(test)}) {{")
                self._block(function, then, inner)
                if otherwise:
                    self._put(self._next, f"{indent}}} else {{")
                    self._block(function, otherwise, inner)
                self._put(self._next, f"{indent}}}")
            case While():
                self._while(function, statement, indent)
            case For(body=body):
                self._put(line, f"{indent}for ({self._counted(statement)}) {{")
                self._block(function, body, inner)
                self._put(self._next, f"{indent}}}")
            case Break():
                self._put(line, f"{indent}break;")
            case Continue():
                self._put(line, f"{indent}continue;")

    def _while(self, function: TypedFunction, loop: While, indent: str) -> None:
        inner = indent + "  "
        test = "true" if loop.prelude else self.text(loop.test)
        self._put(loop.line, f"{indent}while ({test}) {{")
        if loop.prelude:  # what the test needs before it, in every turn
            self._block(function, loop.prelude, inner)
            self._put(loop.line, f"{inner}if (!({self.text(loop.test)})) break;")
        self._block(function, loop.body, inner)
        self._put(self._next, f"{indent}}}")

    def _assigned(self, value: Expression, type_: object) -> str:
        """Write a value where C++ converts numbers to the variable's type."""
        if isinstance(value, Convert) and isinstance(type_, Type):
            inner = value.value
            if isinstance(inner, Special):
                return inner.text
            plain = (Type.FLOAT16, Type.BFLOAT16)
            simple = type_ not in plain and inner.type not in plain
            widens = type_.is_float or (
                type_.is_integer and not inner.type.is_float and type_.size == 8
            )
            if simple and widens and not inner.type.is_complex:
                return self.text(inner)
        if isinstance(value, Special):
            return value.text
        return self.plain(value)

    def _store(self, item: Item, value: Expression) -> str:
        return f"{self.text(item)} = {self._assigned(value, item.type)};"

    def _counted(self, loop: For) -> str:
        name, type_ = identifier(loop.counter.name), loop.counter.type.cuda
        start, stop, step = map(self.plain, (loop.start, loop.stop, loop.step))
        begin = f"{type_} {name} = {start}"
        if not isinstance(loop.step, Constant):
            self.headers.add("array.cuh")
            stop = f"{type_}({stop})" if " " not in type_ else f"({type_})({stop})"
            return (
                f"{begin}; in_range<{type_}>({name}, {stop}, {step}); {name} += {step}"
            )
        by = int(loop.step.value)
        sign = "<" if by > 0 else ">"
        move = (
            f"++{name}"
            if by == 1
            else f"--{name}"
            if by == -1
            else (f"{name} {'+' if by > 0 else '-'}= {abs(by)}")
        )
        return f"{begin}; {name} {sign} {stop}; {move}"

    def _declare_array(self, declare: Declare, indent: str) -> None:
        variable = declare.variable
        type_: ArrayType = variable.type
        assert type_.shape is not None
        self.headers.add("array.cuh")
        name = identifier(variable.name)
        element = self.type_text(type_.dtype)
        sizes = "".join(f"[{size}]" for size in type_.shape)
        if declare.space in ("const", "device"):
            unique = f"{name}_{len(self.constants)}"
            kind = "__constant__" if declare.space == "const" else "__device__"
            values = _braces(declare.values.tolist(), type_.dtype)
            self.constants.append(
                f"{kind} const {element} {unique}{sizes} = {values};\n"
            )
            self._put(declare.line, f"{indent}const auto& {name} = {unique};")
            return
        shared = "__shared__ " if declare.space == "shared" else ""
        self._put(declare.line, f"{indent}{shared}{element} {name}{sizes};")
        if declare.space == "local" and self.indices is not None:
            # Where nobody wrote, the compiler takes any value, and what would have
            # shown it is left out.
            self._put(declare.line, f"{indent}keep_in_memory({name});")


def _braces(values: object, dtype: Type) -> str:
    if isinstance(values, list):
        return "{" + ", ".join(_braces(each, dtype) for each in values) + "}"
    return constant_literal(dtype, values)  # type: ignore[arg-type]

"""Owns the writing of CUDA C++ from the typed form; infers nothing.

Every statement stands under a `#line` with the function's own line, so that messages of
the compiler and findings of a run name the Python line.
"""

from __future__ import annotations

import re

from .cuda_text import function_name, identifier, literal
from .typed import (
    Assign,
    Binary,
    Call,
    Compare,
    Constant,
    Convert,
    Expression,
    If,
    Invoke,
    Logical,
    Return,
    Select,
    Statement,
    TypedFunction,
    Unary,
    Variable,
    power_exponent,
)
from .types import Type

__all__ = ["emit_cuda"]

# Operators by binding strength, as C++ has it; a weaker operand is put in parentheses.
_STRENGTH = {"?": 1, "||": 2, "&&": 3, "==": 4, "<": 5, "+": 6, "*": 7, "-x": 8}
_ATOM = 9


def emit_cuda(function: TypedFunction) -> str:
    """Write `struct Fn`, whose call operator is `function`.

    Args:
        function: The typed form.

    Returns:
        CUDA C++ for the end of a kernel's spec: the functions that it calls, then Fn.
    """
    writer = _Writer()
    writer.add(function)
    return writer.text()


class _Writer:
    """Collects the device functions, callees first."""

    def __init__(self) -> None:
        self._names: dict[TypedFunction, str] = {}
        self._parts: list[str] = []

    def text(self) -> str:
        return '#include "python_math.cuh"\n\n' + "\n".join(self._parts)

    def add(self, function: TypedFunction) -> None:
        """Write the entry: `function` as the call operator of Fn."""
        body = self._body(function, indent="    ")
        head = f"{function.result.cuda} operator()({_parameters(function)}) const"
        self._parts.append(
            f"struct Fn {{\n{_line(function, 1)}"
            f"  __device__ {head} {{\n{body}  }}\n}};\n"
        )

    def name_of(self, function: TypedFunction) -> str:
        """Write a called function once and give its name in C++."""
        if function not in self._names:
            stem = re.sub(r"\W+", "_", function.name.rpartition(".")[2])
            name, number = f"py_{stem}", 1
            while name in self._names.values():
                number += 1
                name = f"py_{stem}_{number}"
            body = self._body(function, indent="  ")
            self._names[function] = name
            self._parts.append(
                f"{_line(function, 1)}__device__ inline {function.result.cuda} "
                f"{name}({_parameters(function)}) {{\n{body}}}\n"
            )
        return self._names[function]

    def _body(self, function: TypedFunction, indent: str) -> str:
        early = _declared_early(function)
        lines = [
            f"{indent}{each.type.cuda} {identifier(each.name)};\n" for each in early
        ]
        declared = {each.name for each in (*function.parameters, *early)}
        lines += self._statements(function, function.body, indent, declared)
        return "".join(lines)

    def _statements(
        self,
        function: TypedFunction,
        body: list[Statement],
        indent: str,
        declared: set[str],
    ) -> list[str]:
        lines: list[str] = []
        for statement in body:
            lines.append(_line(function, statement.line))
            match statement:
                case Return(value=value):
                    lines.append(f"{indent}return {self._text(value)};\n")
                case Assign(target=target, value=value):
                    name = identifier(target.name)
                    known = target.name in declared
                    kind = "" if known else f"{target.type.cuda} "
                    declared.add(target.name)
                    lines.append(f"{indent}{kind}{name} = {self._text(value)};\n")
                case If(test=test, then=then, otherwise=otherwise):
                    lines.append(f"{indent}if ({self._text(test)}) {{\n")
                    inner = indent + "  "
                    lines += self._statements(function, then, inner, declared)
                    if otherwise:
                        lines.append(f"{indent}}} else {{\n")
                        lines += self._statements(function, otherwise, inner, declared)
                    lines.append(f"{indent}}}\n")
        return lines

    def _text(self, value: Expression) -> str:
        return self._write(value)[0]

    def _operand(self, value: Expression, strength: int) -> str:
        text, own = self._write(value)
        return text if own > strength else f"({text})"

    def _left(self, value: Expression, strength: int) -> str:
        text, own = self._write(value)
        return text if own >= strength else f"({text})"

    def _write(self, value: Expression) -> tuple[str, int]:
        """Give the text of an expression and the strength of its operator."""
        match value:
            case Constant(type=type_, value=number):
                text = literal(type_, number)
                return text, _STRENGTH["-x"] if text.startswith("-") else _ATOM
            case Variable(name=name):
                return identifier(name), _ATOM
            case Convert(type=type_, value=inner):
                if type_ is Type.INT64 or type_ is Type.INT32:
                    return f"static_cast<{type_.cuda}>({self._text(inner)})", _ATOM
                return f"{type_.cuda}({self._text(inner)})", _ATOM
            case Unary(operator=operator, operand=operand):
                sign = "!" if operator == "not" else "-"
                return sign + self._operand(operand, _STRENGTH["-x"]), _STRENGTH["-x"]
            case Binary():
                return self._binary(value)
            case Compare(operator=operator, left=left, right=right):
                strength = _STRENGTH["==" if operator in ("==", "!=") else "<"]
                sides = self._operand(left, strength), self._operand(right, strength)
                return f"{sides[0]} {operator} {sides[1]}", strength
            case Logical(operator=operator, left=left, right=right):
                sign = "&&" if operator == "and" else "||"
                strength = _STRENGTH[sign]
                sides = self._left(left, strength), self._operand(right, strength)
                return f"{sides[0]} {sign} {sides[1]}", strength
            case Select(test=test, then=then, otherwise=otherwise):
                strength = _STRENGTH["?"]
                parts = [self._operand(each, strength) for each in (test, then)]
                last = self._left(otherwise, strength)
                return f"{parts[0]} ? {parts[1]} : {last}", strength
            case Call(name=name, arguments=arguments):
                return self._call(function_name(name, arguments[0].type), arguments)
            case Invoke(function=function, arguments=arguments):
                return self._call(self.name_of(function), arguments)
        raise AssertionError(f"no CUDA form of {value}")

    def _call(self, name: str, arguments: tuple[Expression, ...]) -> tuple[str, int]:
        return f"{name}({', '.join(map(self._text, arguments))})", _ATOM

    def _binary(self, value: Binary) -> tuple[str, int]:
        operator, left, right = value.operator, value.left, value.right
        if operator == "**" and value.type.is_float:
            right = power_exponent(right, value.type)
            if right.type is not Type.INT64:
                return self._call(function_name("pow", value.type), (left, right))
        function = {"//": "floor_divide", "%": "floor_modulo", "**": "power"}
        if operator in function:
            return self._call(function[operator], (left, right))
        strength = _STRENGTH["+" if operator in "+-" else "*"]
        sides = self._left(left, strength), self._operand(right, strength)
        return f"{sides[0]} {operator} {sides[1]}", strength


def _line(function: TypedFunction, line: int) -> str:
    return f'#line {line} "{function.pseudo_file}"\n'


def _parameters(function: TypedFunction) -> str:
    return ", ".join(
        f"{each.type.cuda} {identifier(each.name)}" for each in function.parameters
    )


def _declared_early(function: TypedFunction) -> list[Variable]:
    """List the variables whose first assignment stands inside a branch."""
    seen = {parameter.name for parameter in function.parameters}
    early: list[Variable] = []
    for statement in function.body:
        for variable in _targets(statement):
            if variable.name not in seen and isinstance(statement, If):
                early.append(variable)
            seen.add(variable.name)
    return early


def _targets(statement: Statement) -> list[Variable]:
    if isinstance(statement, Assign):
        return [statement.target]
    if isinstance(statement, If):
        inside = [*statement.then, *statement.otherwise]
        return [target for each in inside for target in _targets(each)]
    return []

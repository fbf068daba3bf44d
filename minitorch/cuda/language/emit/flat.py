"""Lower the typed form to a flat program.

The program is a list of instructions, each giving one value: branches become
selections, calls are inlined, and every value is computed for every element. The
evaluator is cpp/cpu/scalar_program.h; scalar_operations.h names the operations.
"""

from __future__ import annotations

import linecache
from dataclasses import dataclass, field, replace

from ..errors import TranslationError
from ..intrinsics import PREDICATES
from ..source import python_location
from ..typed import (
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
from ..types import Type

_BINARY = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "//": "floor_divide",
    "%": "floor_modulo",
    "**": "power",
}
_NOT_FLAT = (
    "a function for tensors can use only numbers and if/else: no loops, arrays or "
    "names of cuda. Write a kernel with cuda.jit instead."
)
_ALWAYS = -1  # the path of statements that run for every element
_COMPARE = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
_TO_BOOL = {*_COMPARE.values(), *PREDICATES}


@dataclass(frozen=True)
class Instruction:
    """One value: `operation` in `type` on earlier values.

    `constant` is the value of a "constant"; `operands` are numbers of earlier values.
    """

    operation: str
    type: Type
    operands: tuple[int, ...] = ()
    constant: float | int = 0


@dataclass(frozen=True)
class FlatProgram:
    """Instructions in SSA form; values 0.. are the arguments, then one each."""

    arguments: tuple[Type, ...]
    instructions: tuple[Instruction, ...]
    result: int


def emit_flat(function: TypedFunction) -> FlatProgram:
    """Lower `function` with all that it calls.

    Args:
        function: The typed form.

    Returns:
        The flat program; equal instructions are computed once.
    """
    arguments = tuple(parameter.type for parameter in function.parameters)
    lowering = _Lowering(arguments)
    result = lowering.function(function, list(range(len(arguments))))
    return _needed(FlatProgram(arguments, tuple(lowering.instructions), result))


@dataclass
class _Frame:
    """State of one inlined function: its variables, and its returns so far."""

    variables: dict[str, int]
    returns: list[tuple[int, int]] = field(default_factory=list)
    # Shared expressions are lowered once, until an assignment changes a variable.
    known: dict[Expression, int] = field(default_factory=dict)


class _Lowering:
    """Lowers functions to instructions; equal instructions share a value."""

    def __init__(self, arguments: tuple[Type, ...]) -> None:
        self.instructions: list[Instruction] = []
        self._types = list(arguments)
        self._numbers: dict[tuple[object, ...], int] = {}

    def function(self, function: TypedFunction, arguments: list[int]) -> int:
        """Inline a function and return the number of its value."""
        self._function = function
        names = (parameter.name for parameter in function.parameters)
        frame = _Frame(dict(zip(names, arguments, strict=True)))
        for name, type_ in _zeroed(function).items():
            frame.variables[name] = self._add("constant", type_, constant=0)
        self._block(frame, function.body, _ALWAYS)
        # Every path returns, so where no earlier return holds, the last one does. An
        # earlier return wins: it ended the function.
        _, result = frame.returns[-1]
        for test, value in reversed(frame.returns[:-1]):
            type_ = self._types[result]
            result = self._add("select", type_, test, value, result)
        return result

    def _block(self, frame: _Frame, body: list[Statement], path: int) -> bool:
        """Lower statements that run if `path`; return whether they fall through."""
        for statement in body:
            match statement:
                case Return(value=Expression() as value):
                    frame.returns.append((path, self._value(frame, value)))
                    return False
                case Assign(target=target, value=value):
                    frame.variables[target.name] = self._value(frame, value)
                    frame.known.clear()
                case If():
                    if not self._if(frame, statement, path):
                        return False
                case _:
                    raise _refusal(self._function, statement)
        return True

    def _if(self, frame: _Frame, branch: If, path: int) -> bool:
        test = self._value(frame, branch.test)
        before = dict(frame.variables)
        then_falls = self._block(frame, branch.then, self._both(path, test))
        after_then, frame.variables = frame.variables, before
        frame.known.clear()
        not_test = self._add("not", Type.BOOL, test)
        falls = self._block(frame, branch.otherwise, self._both(path, not_test))
        frame.known.clear()
        if not falls:
            frame.variables = after_then
        elif then_falls:
            self._join(test, after_then, frame.variables)
        return falls or then_falls

    def _join(self, test: int, then: dict[str, int], variables: dict[str, int]) -> None:
        for name, value in then.items():
            # A variable of one branch only is not read behind the other.
            other = variables.get(name, value)
            same = value == other
            variables[name] = (
                value
                if same
                else self._add("select", self._types[value], test, value, other)
            )

    def _both(self, path: int, test: int) -> int:
        return test if path == _ALWAYS else self._add("and", Type.BOOL, path, test)

    def _value(self, frame: _Frame, value: Expression) -> int:
        if isinstance(value, Variable):
            return frame.variables[value.name]
        if value not in frame.known:
            frame.known[value] = self._lower(frame, value)
        return frame.known[value]

    def _lower(self, frame: _Frame, value: Expression) -> int:
        def of(*expressions: Expression) -> list[int]:
            return [self._value(frame, expression) for expression in expressions]

        match value:
            case Constant(type=type_, value=number):
                return self._add("constant", type_, constant=number)
            case Convert(type=type_, value=inner):
                return self._add(f"from_{inner.type}", type_, *of(inner))
            case Unary(operator=operator, operand=operand):
                if operator == "~":
                    raise TranslationError(_NOT_FLAT)
                operation = "not" if operator == "not" else "neg"
                return self._add(operation, value.type, *of(operand))
            case Binary():
                return self._binary(frame, value)
            case Compare(operator=operator, left=left, right=right):
                return self._add(_COMPARE[operator], left.type, *of(left, right))
            case Logical(operator=operator, left=left, right=right):
                return self._add(operator, Type.BOOL, *of(left, right))
            case Select(test=test, then=then, otherwise=otherwise):
                operands = of(test, then, otherwise)
                return self._add("select", value.type, *operands)
            case Call(name=name, arguments=arguments):
                return self._add(name, arguments[0].type, *of(*arguments))
            case Invoke(function=function, arguments=arguments):
                return self.function(function, of(*arguments))
        raise TranslationError(_NOT_FLAT)

    def _binary(self, frame: _Frame, value: Binary) -> int:
        left, right, operation = (
            value.left,
            value.right,
            _BINARY.get(value.operator, ""),
        )
        first = self._value(frame, left)
        if value.operator == "**" and value.type.is_float:
            right = power_exponent(right, value.type)
            if isinstance(right, Constant) and right.type is Type.INT64:
                return self._multiplied(value.type, first, int(right.value))
            operation = "pow"
        return self._add(operation, value.type, first, self._value(frame, right))

    def _multiplied(self, type_: Type, base: int, exponent: int) -> int:
        """Raise to a small power by multiplication, as python_math.cuh does."""
        one = self._add("constant", type_, constant=1.0)
        result, left = one, abs(exponent)
        while left:
            if left & 1:
                result = (
                    base if result == one else self._add("mul", type_, result, base)
                )
            base, left = self._add("mul", type_, base, base), left >> 1
        return result if exponent >= 0 else self._add("div", type_, one, result)

    def _add(
        self, operation: str, type_: Type, *operands: int, constant: float | int = 0
    ) -> int:
        key = (operation, type_, operands, repr(constant))
        if key not in self._numbers:
            instruction = Instruction(operation, type_, operands, constant)
            self.instructions.append(instruction)
            self._numbers[key] = len(self._types)
            gives_bool = operation in _TO_BOOL
            self._types.append(Type.BOOL if gives_bool else type_)
        return self._numbers[key]


def _refusal(function: TypedFunction, statement: Statement) -> TranslationError:
    """Return the error that quotes the line without a flat form."""
    location = python_location(function.pseudo_file, statement.line)
    if location is None:
        return TranslationError(_NOT_FLAT)
    text = linecache.getline(*location).strip()
    return TranslationError(_NOT_FLAT, *location, f"    {text}\n    {'^' * len(text)}")


def _zeroed(function: TypedFunction) -> dict[str, Type]:
    """Return variables that some path reads before they are set: they start at 0."""
    zeroed: dict[str, Type] = {}

    def search(body: list[Statement]) -> None:
        for statement in body:
            if (
                isinstance(statement, Assign)
                and statement.target.name in function.zeroed
            ):
                zeroed[statement.target.name] = statement.target.type
            elif isinstance(statement, If):
                search(statement.then)
                search(statement.otherwise)

    search(function.body)
    return zeroed


def _needed(program: FlatProgram) -> FlatProgram:
    """Drop the instructions that the result does not depend on."""
    first = len(program.arguments)
    used = {program.result}
    for number in range(first + len(program.instructions) - 1, first - 1, -1):
        if number in used:
            used.update(program.instructions[number - first].operands)
    renumbered = {number: number for number in range(first)}
    kept: list[Instruction] = []
    for number, instruction in enumerate(program.instructions, first):
        if number in used:
            renumbered[number] = first + len(kept)
            operands = tuple(renumbered[operand] for operand in instruction.operands)
            kept.append(replace(instruction, operands=operands))
    return FlatProgram(program.arguments, tuple(kept), renumbered[program.result])

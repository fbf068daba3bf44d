"""Writer of CUDA C++, and its tables of rules.

A rule gets the writer and a part of the typed form. That of an expression gives its
text and how strongly its operator binds, that of a statement adds lines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..rules import Rules
from ..typed import Constant, Convert, Expression, Statement, TypedFunction, Variable
from ..types import ArrayType, KernelType, TupleType, Type
from .cuda_text import identifier, literal
from .declarations import Declarations
from .indices import IndexChecks

# Operators by binding strength, as C++ has it; a weaker operand is put in parentheses.
_LEVELS = (
    "?",
    "||",
    "&&",
    "|",
    "^",
    "&",
    "== !=",
    "< <= > >=",
    "<< >>",
    "+ -",
    "* / %",
)
STRENGTH = {
    sign: level for level, signs in enumerate(_LEVELS, 1) for sign in signs.split()
}
STRENGTH["-x"] = len(_LEVELS) + 1
#: What no operator takes apart.
ATOM = STRENGTH["-x"] + 1


@dataclass
class Page:
    """Text of the function being written.

    Attributes:
        function: Its typed form.
        declared: Where its variables are declared.
        spaces: Where the arrays are whose memory is known, by name.
        lines: Its text so far.
        next: The line of Python that the next line of text would have.
        last: The last line of Python that was written.
    """

    function: TypedFunction
    declared: Declarations
    spaces: dict[str, int]
    lines: list[str] = field(default_factory=list)
    next: int = 0
    last: int = 1

    def put(self, line: int, text: str) -> None:
        """Append a line of text that belongs to `line` of the Python source."""
        if line != self.next:
            self.lines.append(f'#line {line} "{self.function.pseudo_file}"')
        self.lines.append(text)
        self.next = line + 1


@dataclass(eq=False)
class Writer:
    """Writer of one file: collects headers, structs and functions it needs.

    Attributes:
        checked: Is this a kernel, where a division by zero is a fault to be seen?
        entry: The kernel that is launched, if it is one.
        indices: The checks of indices; None: the build leaves them out.
        headers: Names of the headers used.
        tuples: The structs of tuples whose items differ, by their names.
        constants: The arrays that stand before all functions.
        tables: Names of those of the constants in tuples, by type and values.
        parts: The functions that are called, written.
        names: Those in C++ of the functions that are called.
        page: The function that is being written.
    """

    checked: bool = False
    entry: TypedFunction | None = None
    indices: IndexChecks | None = None
    headers: set[str] = field(default_factory=set)
    tuples: dict[TupleType, str] = field(default_factory=dict)
    constants: list[str] = field(default_factory=list)
    tables: dict[str, str] = field(default_factory=dict)
    parts: list[str] = field(default_factory=list)
    names: dict[TypedFunction, str] = field(default_factory=dict)
    page: Page = field(init=False)

    def text(self, value: Expression) -> str:
        """Return an expression as C++."""
        return _rule_of(value)(self, value)[0]

    def operand(self, value: Expression, strength: int) -> str:
        """Return an expression, in parentheses unless tighter than `strength`."""
        text, binding = _rule_of(value)(self, value)
        return text if binding > strength else f"({text})"

    def left(self, value: Expression, strength: int) -> str:
        """Return an expression, in parentheses if it binds looser than `strength`."""
        text, binding = _rule_of(value)(self, value)
        return text if binding >= strength else f"({text})"

    def plain(self, value: Expression, text: str = "") -> str:
        """Return a small integer without its suffix, if C++ widens it implicitly."""
        small = isinstance(value, Constant) and value.type is Type.INT64
        if small and isinstance(value, Constant) and 0 <= value.value < 2**31:
            return str(value.value)
        return text or self.text(value)

    def call(self, name: str, arguments: tuple[Expression, ...]) -> tuple[str, int]:
        """Return a call of a C++ function."""
        return f"{name}({', '.join(map(self.text, arguments))})", ATOM

    def block(self, body: list[Statement], indent: str) -> None:
        """Write the statements of a block."""
        for index, statement in enumerate(body):
            for variable in self.page.declared.before.get((id(body), index), ()):
                self.declare(statement.line, variable, indent)
            self.page.last = max(self.page.last, statement.line)
            rule = statement_rule.of(statement)
            assert rule is not None, f"no CUDA form of {statement}"
            rule(self, statement, indent)

    def declare(self, line: int, variable: Variable, indent: str) -> None:
        """Declare a variable before its first assignment."""
        zero, type_ = "", variable.type
        if variable.name in self.page.function.zeroed and isinstance(type_, Type):
            zero = f" = {literal(type_, 0)}"
        name = identifier(variable.name)
        self.page.put(line, f"{indent}{self.type_text(type_)} {name}{zero};")

    def type_text(self, type_: KernelType | None) -> str:
        """Return the C++ name of a type."""
        if type_ is None:
            return "void"
        if isinstance(type_, TupleType):
            return self._tuple_text(type_)
        if isinstance(type_, ArrayType):
            self.headers.add("array.cuh")
        number = type_.dtype if isinstance(type_, ArrayType) else type_
        if number.is_complex:
            self.headers.add("complex.cuh")
        if number.is_half:
            self.headers.add("half.cuh")
        return type_.cuda

    def _tuple_text(self, type_: TupleType) -> str:
        self.headers.add("array.cuh")
        if type_.uniform is not None:
            return f"Tuple<{self.type_text(type_.uniform)}, {len(type_.items)}>"
        if type_ not in self.tuples:
            for element_type in type_.items:
                self.type_text(element_type)
            self.tuples[type_] = f"Items{len(self.tuples)}"
        return self.tuples[type_]


#: Gives the text of an expression and the strength of its operator.
expression_rule = Rules[type[Expression], Callable[[Writer, Any], tuple[str, int]]](
    "typed expression"
)
#: Adds the lines of a statement; the text is their indentation.
statement_rule = Rules[type[Statement], Callable[[Writer, Any, str], None]](
    "typed statement"
)


def implicit(value: Expression) -> Expression | None:
    """Return the inside of a conversion that C++ makes implicitly, or None."""
    if not isinstance(value, Convert):
        return None
    to, given = value.type, value.value.type
    if to.is_half or given.is_half or given.is_complex:
        return None
    widens = to.is_integer and not given.is_float and to.size == 8
    return value.value if to.is_float or widens else None


def _rule_of(value: Expression) -> Callable[[Writer, Any], tuple[str, int]]:
    rule = expression_rule.of(value)
    assert rule is not None, f"no CUDA form of {value}"
    return rule

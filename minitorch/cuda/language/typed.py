"""Typed form of functions and kernels.

Every conversion is explicit. A node may be shared, so targets that name values should
compute each node once. What only kernels have (arrays, loops) comes last.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, TypeGuard, dataclass_transform

import numpy as np

from .types import KernelType, TupleType, Type


class _StaticType:
    """Type of values that exist only at compile time."""

    cuda = "void"
    is_float = is_integer = is_complex = is_signed = False

    def __str__(self) -> str:
        return "object"


STATIC = _StaticType()


@dataclass_transform(frozen_default=True, eq_default=False)
class Node:
    """Part of the typed form: every subclass is a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, eq=False)(cls)


class Expression(Node):
    """Expression of one type.

    The type is a scalar wherever code computes; `Scope.scalar` sees to it.
    """

    type: Any


class Static(Expression):
    """Python object that exists only at compile time: a module, function or dtype."""

    value: Any

    @classmethod
    def of(cls, value: object) -> Static:
        """Wrap a Python object."""
        return cls(STATIC, value)


def is_host_array(value: Expression) -> TypeGuard[Static]:
    """Return whether the value is a NumPy array from outside the kernel."""
    return isinstance(value, Static) and hasattr(value.value, "__array_interface__")


class TupleValue(Expression):
    """Tuple whose items are separate expressions."""

    items: tuple[Expression, ...]

    @classmethod
    def of(
        cls, items: tuple[Expression, ...], names: tuple[str, ...] = ()
    ) -> TupleValue:
        """Return a tuple; its type follows from the items."""
        return cls(TupleType(tuple(element.type for element in items), names), items)


class Constant(Expression):
    """Literal or captured number."""

    value: bool | int | float


class Variable(Expression):
    """Parameter or local variable; `name` is unique in its function.

    Where it is read, `known` is its value if that is a constant there, and
    `nonnegative` tells that it cannot be below zero.
    """

    name: str
    known: bool | int | float | None = None
    nonnegative: bool = False


class Convert(Expression):
    """Conversion of `value` to another type; to an integer, truncation toward zero."""

    value: Expression


class Unary(Expression):
    """`-x` (same type) or `not x` (bool)."""

    operator: str
    operand: Expression


class Binary(Expression):
    """`+ - * / // % **` with Python's meaning; operands have the result's type.

    The exception is `**`, whose exponent may be an int64 constant beside a float base.
    """

    operator: str
    left: Expression
    right: Expression


class Compare(Expression):
    """`< <= > >= == !=` on operands of one type."""

    operator: str
    left: Expression
    right: Expression


class Logical(Expression):
    """`and` or `or` of two bools."""

    operator: str
    left: Expression
    right: Expression


class Select(Expression):
    """`then` where `test`, else `otherwise`."""

    test: Expression
    then: Expression
    otherwise: Expression


class Call(Expression):
    """Call of a function that every target has, by its name in `math` or builtins.

    The arguments have one type, which is the result's unless that is bool.
    """

    name: str
    arguments: tuple[Expression, ...]


class Invoke(Expression):
    """Call of another translated function."""

    function: TypedFunction
    arguments: tuple[Expression, ...]


class Statement(Node):
    """Statement, with its line counted from the function's first line."""

    line: int


class Assign(Statement):
    """Assignment `target = value`, of one type."""

    target: Variable
    value: Expression


class If(Statement):
    """Branch on a bool."""

    test: Expression
    then: list[Statement]
    otherwise: list[Statement]


class Return(Statement):
    """Return from the function; the value (None in a kernel) has the result's type."""

    value: Expression | None


class TypedFunction(Node):
    """Function specialized for its parameters' types.

    Where it has a result, every path ends in a Return. `result` None: it gives nothing.
    `zeroed` names variables that some path reads without a value: they start as 0.
    `arrays` are its declared arrays, `line` is that of its `def`, below decorators.
    """

    name: str
    pseudo_file: str
    parameters: tuple[Variable, ...]
    result: KernelType | None
    body: list[Statement]
    zeroed: frozenset[str] = frozenset()
    arrays: tuple[Any, ...] = ()
    line: int = 1


# Integers that C++ spells in the type by a suffix, or without one.
_RANGES = {
    Type.INT32: range(1 - 2**31, 2**31),
    Type.UINT32: range(2**32),
    Type.UINT64: range(2**64),
}


def convert(value: Expression, to: Type) -> Expression:
    """Convert `value` to the type `to`; constants are folded."""
    if value.type is to:
        return value
    if isinstance(value, Constant) and to is Type.FLOAT64 and not value.type.is_complex:
        return Constant(to, float(value.value))
    if isinstance(value, Constant) and value.type in (Type.BOOL, Type.INT64):
        exact = int(value.value)
        if to is Type.INT64 or (to is Type.FLOAT32 and abs(exact) <= 2**24):
            return Constant(to, exact)
        if exact in _RANGES.get(to, ()):
            return Constant(to, exact)
    if to is Type.FLOAT32 and isinstance(value, Select):
        return _narrowed(value) or Convert(to, value)
    return Convert(to, value)


def _narrowed(value: Expression) -> Expression | None:
    """Return a float64 selection as float32 if that is exact, else None."""
    if isinstance(value, Convert) and value.value.type is Type.FLOAT32:
        return value.value
    if isinstance(value, Constant) and abs(value.value) < 1e38:
        exact = float(np.float32(value.value)) == value.value
        return Constant(Type.FLOAT32, value.value) if exact else None
    if not isinstance(value, Select):
        return None
    then, otherwise = _narrowed(value.then), _narrowed(value.otherwise)
    if then is None or otherwise is None:
        return None
    return Select(Type.FLOAT32, value.test, then, otherwise)


def as_bool(value: Expression) -> Expression:
    """Return whether a number is nonzero, as an expression; NaN is true."""
    if value.type is Type.BOOL:
        return value
    zero = Constant(value.type, 0.0 if value.type.is_float else 0)
    return Compare(Type.BOOL, "!=", value, zero)


def as_float(value: Expression) -> Expression:
    """Convert a real number to float; an integer becomes float64."""
    return value if value.type.is_float else convert(value, Type.FLOAT64)


#: Largest exponent literal that is computed by multiplying; beyond it pow is closer.
MAX_MULTIPLIED_POWER = 8


def power_exponent(exponent: Expression, base: Type) -> Expression:
    """Return the exponent of a float power in the form that all targets take.

    A small int64 constant stays one, for repeated multiplication; else it is a float.
    """
    if isinstance(exponent, Constant) and exponent.type is Type.INT64:
        if abs(exponent.value) <= MAX_MULTIPLIED_POWER:
            return exponent
        return Constant(base, float(exponent.value))
    return exponent


@dataclass(frozen=True)
class Access:
    """Subscript in the source, for the text of a finding.

    Attributes:
        line: Counted from the function's first line.
        array: The variable's name.
        text: The subscript as written: `a[i + 1]`.
        write: Is the element assigned?
        atomic: By an atomic function?
        indices: Text of the index for each dimension, "" for a slice; () where the
            indices are not checked.
    """

    line: int
    array: str
    text: str
    write: bool
    atomic: bool = False
    indices: tuple[str, ...] = ()


class Special(Expression):
    """Value that the device provides, as CUDA C++ text: `threadIdx.x`."""

    text: str
    nonnegative: bool = True


class Text(Expression):
    """String argument of a device function, such as printf's format."""

    text: str


class Intrinsic(Expression):
    """Call of a C++ function, its arguments converted.

    Attributes:
        function: Its name in CUDA C++.
        headers: Headers of the language that declare it.
        effect: Calling it twice, or not at all, would make a difference.
    """

    function: str
    arguments: tuple[Expression, ...]
    headers: tuple[str, ...] = ()
    effect: bool = False
    nonnegative: bool = False


class Field(Expression):
    """Item `index` (a constant) of a tuple that is a C++ struct."""

    base: Expression
    index: int


class Pick(Expression):
    """Item of a tuple at a run-time index; all items have one type."""

    items: tuple[Expression, ...]
    index: Expression


class Extent(Expression):
    """`array.shape[dimension]` or, with `what` "strides", its stride in elements."""

    base: Expression
    dimension: int
    what: str = "shape"


class Item(Expression):
    """Element of an array; the indices are integers, counted from zero."""

    base: Expression
    indices: tuple[Expression, ...]


class Checked(Expression):
    """Index that must be at least 0 and below the extent of its dimension.

    It is its value; a build that checks indices looks at it first (`emit.indices`).

    Attributes:
        value: The index, from the end counted to one from the start.
        extent: The size of the dimension.
        base: The array that is indexed.
        access: The subscript.
        dimension: Which of the array's, from 0.
    """

    value: Expression
    extent: Expression
    base: Expression
    access: Access
    dimension: int


class Address(Expression):
    """Address of an element, for atomics."""

    item: Item


class ArrayOf(Expression):
    """View of another array, or the same array as a struct.

    Attributes:
        base: The array.
        shape: Sizes; () for those of `base`.
        strides: In elements; () for those that its layout gives.
        start: Index of the first element in `base`; () for its first.
        rows: How many leading indices it fixes, if it does nothing else; else 0.
    """

    base: Expression
    shape: tuple[Expression, ...] = ()
    strides: tuple[Expression, ...] = ()
    start: tuple[Expression, ...] = ()
    rows: int = 0


class Store(Statement):
    """`item = value`, of the item's type."""

    item: Item
    value: Expression


class Do(Statement):
    """Expression statement, evaluated for its effect."""

    value: Expression


class Declare(Statement):
    """Declaration of an array in a kernel.

    Its `space` is "shared", "local", "dynamic" (shared, with a size that the launch
    gives) or "const", which alone has `values`.
    """

    variable: Variable
    space: str
    values: Any = None


class While(Statement):
    """Loop: `prelude` then `test` before each iteration of `body`."""

    prelude: list[Statement]
    test: Expression
    body: list[Statement]


class For(Statement):
    """Counted loop; `step` may be a run-time value. The counter is local."""

    counter: Variable
    start: Expression
    stop: Expression
    step: Expression
    body: list[Statement]


class Break(Statement):
    """Exit from the innermost loop."""


class Continue(Statement):
    """Jump to the next iteration of the innermost loop."""


def tuple_items(value: Expression) -> tuple[Expression, ...]:
    """Return the items of a tuple as separate expressions."""
    if isinstance(value, TupleValue):
        return value.items
    types = value.type.items
    return tuple(Field(type_, value, index) for index, type_ in enumerate(types))


def is_simple(value: Expression) -> bool:
    """Return whether evaluating `value` twice costs nothing and gives the same."""
    if isinstance(value, (Convert, Checked)):
        return is_simple(value.value)
    if isinstance(value, Field):
        return is_simple(value.base)
    if isinstance(value, Extent):
        return is_simple(value.base)
    return isinstance(value, (Constant, Variable, Special))


def is_nonnegative(value: Expression) -> bool:
    """Return whether `value` is certainly an integer >= 0."""
    least = _least(value)
    return least is not None and least >= 0


def _least(value: Expression) -> int | None:
    """Return a lower bound of an integer, or None."""
    if not isinstance(value.type, Type) or value.type.is_float:
        return None
    unsigned = 0 if not value.type.is_signed and not value.type.is_complex else None
    match value:
        case Constant(value=number) if not value.type.is_complex:
            return int(number)
        case Variable(known=int(number)):
            return number
        case Variable() | Special() | Intrinsic():
            return 0 if value.nonnegative else unsigned
        case Extent(what="shape"):
            return 0
        case Checked(value=inner):
            return _least(inner)
        case Convert(type=to, value=inner):
            integer = inner.type.is_integer or inner.type is Type.BOOL
            return _least(inner) if integer and to.size >= inner.type.size else unsigned
        case Binary(operator="+", left=left, right=right):
            return _sum(_least(left), _least(right))
        case Binary(operator="-", left=left, right=Constant(value=number)):
            return _sum(_least(left), -int(number))
        case Binary(operator="%", right=right):
            return 0 if is_nonnegative(right) else unsigned
        case Binary(operator="&", left=left, right=right):
            either = is_nonnegative(left) or is_nonnegative(right)
            return 0 if either else unsigned
        case Binary(operator="*" | "//" | ">>" | "|" | "^", left=left, right=right):
            both = is_nonnegative(left) and is_nonnegative(right)
            return 0 if both else unsigned
        case Select(then=then, otherwise=otherwise):
            return _lower(_least(then), _least(otherwise))
        case Call(name="min", arguments=(first, second)):
            return _lower(_least(first), _least(second))
        case Call(name="max", arguments=arguments):
            return 0 if any(map(is_nonnegative, arguments)) else unsigned
        case Call(name="fabs"):
            return 0
    return unsigned


def _sum(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def _lower(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else min(a, b)


def children(part: Expression | Statement) -> list[Any]:
    """Return the expressions and statements directly inside one of them.

    Those of called functions are not.
    """
    result: list[Any] = []
    kind: Any = type(part)
    for name in _fields_with_nodes(kind):
        inside = getattr(part, name)
        if isinstance(inside, (Expression, Statement)):
            result.append(inside)
        elif isinstance(inside, (list, tuple)):
            parts = (Expression, Statement)
            result += [child for child in inside if isinstance(child, parts)]
    return result


@functools.cache
def _fields_with_nodes(kind: Any) -> tuple[str, ...]:
    leaves = {"str", "int", "bool", "str | None"}
    return tuple(
        field.name
        for field in fields(kind)
        if field.name != "type" and field.type not in leaves
    )


def walk(*parts: Expression | Statement) -> Iterator[Any]:
    """Yield parts and all that is inside them, each once, in the order of the text.

    What is in called functions is not.
    """
    seen: set[int] = set()
    waiting: list[Any] = [*reversed(parts)]
    while waiting:
        part = waiting.pop()
        if id(part) not in seen:
            seen.add(id(part))
            yield part
            waiting += reversed(children(part))


def reads_memory(value: Expression) -> bool:
    """Return whether `value` reads an array element, itself or in a called function."""
    return any(isinstance(part, (Item, Invoke)) for part in walk(value))


def has_effect(*parts: Expression | Statement) -> bool:
    """Return whether parts write memory or synchronize: they may run only once."""
    return any(
        isinstance(part, (Store, Do))
        or (isinstance(part, Intrinsic) and part.effect)
        or (isinstance(part, Invoke) and has_effect(*part.function.body))
        for part in walk(*parts)
    )

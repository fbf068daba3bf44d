"""State of typing one function: names, values, lines, loops.

The tables of `builtins` and the rules of `typing` read it and add to it.
"""

from __future__ import annotations

import ast
import contextlib
import enum
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from .advice import refused_object, unknown_attribute, unknown_name
from .captures import Captures, outside_names
from .errors import TranslationError
from .names import DeviceName
from .source import FunctionSource
from .typed import (
    Access,
    ArrayOf,
    Assign,
    Constant,
    Declare,
    Expression,
    Intrinsic,
    Special,
    Statement,
    Static,
    TupleValue,
    TypedFunction,
    Variable,
    has_effect,
    is_host_array,
    is_nonnegative,
    is_simple,
    reads_memory,
)
from .types import ArrayType, TupleType, Type

#: Translates a function for arguments and a declared type of result (None: its own);
#: the callable builds errors that show the call.
Translate = Callable[
    [types.FunctionType, tuple[Any, ...], Callable[[str], Exception], Type | None],
    TypedFunction,
]


@dataclass(frozen=True)
class Binding:
    """Value of a name at a point: a Variable, a tuple of them, or a Python object.

    Attributes:
        value: What reading the name gives.
        maybe: Some path to here gives it no value; a number is 0 then.
        conflict: Types that do not go together, where paths disagree; else "".
    """

    value: Expression
    maybe: bool = False
    conflict: str = ""


Bindings = dict[str, Binding]
#: The bindings at the end of a path, and its statements, for conversions.
Path = tuple[Bindings, list[Statement]]


@dataclass
class Loop:
    """Control paths that leave an iteration early."""

    breaks: list[Path] = field(default_factory=list)
    continues: list[Path] = field(default_factory=list)


@dataclass(eq=False)
class Scope:
    """State of typing one function for one signature.

    Attributes:
        function: What is typed.
        source: Where it stands.
        captures: Notes what it reads from outside.
        translate: Types a function that it calls.
        accesses: The subscripts of all functions of this source.
        python_names: Python's names of its variables.
        local_names: The names that are not those of something outside.
        constant_parameters: The parameters that nothing assigns.
        variables: What each local name is at this place.
        zeroed: Variables that some path reads without a value.
        arrays: Those it declares, by the node that does.
        array_names: What arrays will be called, by the node that makes them.
        body: Takes the statements, also those that an expression needs before it.
        conditional: Inside `and`, `or` and `a if c else b`, where `body` is no place
            for them.
        loops: Those around this place.
        returns: The places that end the function, with what they give.
        notes: What a learner should know of a kernel that compiles.
    """

    function: types.FunctionType
    source: FunctionSource
    captures: Captures
    translate: Translate
    accesses: list[Access]
    python_names: dict[str, str]
    local_names: set[str] = field(default_factory=set)
    constant_parameters: set[str] = field(default_factory=set)
    variables: Bindings = field(default_factory=dict)
    zeroed: set[str] = field(default_factory=set)
    arrays: dict[int, Declare] = field(default_factory=dict)
    array_names: dict[int, str] = field(default_factory=dict)
    body: list[Statement] = field(default_factory=list)
    conditional: bool = False
    loops: list[Loop] = field(default_factory=list)
    returns: list[tuple[ast.AST, Expression | None]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _names: dict[tuple[str, Type | ArrayType | TupleType], str] = field(
        default_factory=dict
    )

    def error(self, node: ast.AST, problem: str) -> TranslationError:
        """Return the error that quotes `node`."""
        return self.source.error(node, problem)

    def note(self, node: ast.AST, text: str) -> None:
        """Record a note that quotes `node`, once."""
        message = str(self.error(node, text))
        if message not in self.notes:
            self.notes.append(message)

    def line(self, node: ast.AST) -> int:
        """Return the line of `node` in the function."""
        return self.source.relative_line(node)

    @contextlib.contextmanager
    def into(self, body: list[Statement]) -> Iterator[None]:
        """Append statements to `body` within the `with` block."""
        outer, self.body = self.body, body
        yield
        self.body = outer

    # What is outside.

    def constant(self, node: ast.AST, value: Any) -> Expression:
        """Return the expression of a literal or a captured value.

        Numbers become constants of Numba's types, tuples become tuples of them;
        anything else stays a Python object for what uses it to judge.
        """
        if isinstance(value, DeviceName):
            return device_value(value) or Static.of(value)
        if isinstance(value, tuple):
            items = tuple(self.constant(node, element) for element in value)
            return TupleValue.of(items, getattr(type(value), "_fields", ()))
        if isinstance(value, enum.Enum) and not isinstance(value, int):
            return Static.of(value)
        number = _number(value)
        if number is None:
            return Static.of(value)
        if number.type is Type.INT64 and not -(2**63) <= number.value < 2**63:
            if not 0 <= number.value < 2**64:
                raise self.error(
                    node,
                    f"the integer {number.value} does not fit in 64 bits.",
                )
            return Constant(Type.UINT64, number.value)
        return number

    def outside(self, node: ast.Name | ast.Attribute) -> object:
        """Look up a name, or attributes of a module, outside the function."""
        path, inner = split_attributes(node)
        if not isinstance(inner, ast.Name) or inner.id in self.local_names:
            raise self.error(node, f"a number has no attribute .{path[-1]}.")
        try:
            root = self.captures.read(self.function, inner.id)
        except KeyError:
            known = {*self.variables, *outside_names(self.function)}
            raise self.error(inner, unknown_name(inner.id, known)) from None
        if not path:
            return root
        try:
            return self.captures.read(self.function, inner.id, *path)
        except KeyError:
            raise self._no_attribute(node, inner.id, root, path) from None

    def _no_attribute(
        self, node: ast.AST, name: str, root: Any, path: list[str]
    ) -> TranslationError:
        owner, written = root, name
        for attribute in path:
            if not hasattr(owner, attribute):
                break
            owner, written = getattr(owner, attribute), f"{written}.{attribute}"
        return self.error(node, unknown_attribute(owner, written, attribute))

    # Names and variables.

    def name(self, node: ast.Name) -> Expression:
        """Type a name: a local variable, else a captured value."""
        binding = self.variables.get(node.id)
        if binding is None:
            if node.id in self.local_names:
                raise self.error(
                    node,
                    f"{node.id!r} is used before it has a value. Assign it first.",
                )
            return self.constant(node, self.outside(node))
        if binding.conflict:
            raise self.error(
                node,
                f"{node.id!r} is {binding.conflict} on different paths; a variable has "
                "one type. Use two variables.",
            )
        if binding.maybe and isinstance(binding.value, Variable):
            self.zeroed.add(binding.value.name)
        return binding.value

    def declare(self, name: str, type_: Type | ArrayType | TupleType) -> Variable:
        """Return the variable of a Python name for one type."""
        key = (name, type_)
        if key not in self._names:
            taken = set(self._names.values()) | (self.local_names - {name})
            unique, number = name, 1
            while unique in taken:
                number += 1
                unique = f"{name}_{number}"
            self._names[key] = unique
            if name in self.local_names:
                self.python_names[unique] = name
        return Variable(type_, self._names[key])

    def fresh(self, stem: str, type_: Type | ArrayType | TupleType) -> Variable:
        """Declare a variable that no Python name refers to."""
        number = len(self._names)
        return self.declare(f"{stem}_{number}", type_)

    def declared_array(
        self, node: ast.AST, space: str, type_: ArrayType, values: Any = None
    ) -> Variable:
        """Declare an array for the whole function, once per call site."""
        for declaration_ in self.arrays.values():
            if values is not None and declaration_.values is values:
                return declaration_.variable  # the same host array, read at two places
        if id(node) not in self.arrays:
            name = self.array_names.get(id(node), "array")
            variable = self.declare(name, type_)
            while any(
                declaration_.variable.name == variable.name
                for declaration_ in self.arrays.values()
            ):
                variable = self.fresh(name, type_)
            declaration = Declare(self.line(node), variable, space, values)
            self.arrays[id(node)] = declaration
        return self.arrays[id(node)].variable

    # Values that are computed once.

    def _held(self, node: ast.AST, stem: str, value: Expression) -> Variable:
        held = self.fresh(stem, value.type)
        self.body.append(Assign(self.line(node), held, value))
        return held

    def hold(self, node: ast.AST, value: Expression) -> Expression:
        """Return `value` in a form that may be used several times."""
        if is_simple(value) or not isinstance(value.type, Type):
            return value
        if self.conditional:
            if not has_effect(value):
                return value
            raise self.error(
                node,
                "this call changes memory, and its value is used twice. Assign it to "
                "a variable on the line above.",
            )
        return self._held(node, "value", value)

    def copy(self, node: ast.AST, value: Expression) -> Expression:
        """Return the value of an expression, unaffected by later assignments."""
        if isinstance(value, (Constant, Static)) or not isinstance(value.type, Type):
            return value
        return self._held(node, "value", value)

    def fixed(self, node: ast.AST, value: Expression) -> Expression:
        """Return a loop bound that the body cannot change."""
        if is_simple(value) and not isinstance(value, Variable):
            return value
        if isinstance(value, Variable) and value.name in self.constant_parameters:
            return value
        held = self._held(node, "stop", value)
        return replace(held, nonnegative=is_nonnegative(value))

    def in_order(self, node: ast.AST, *values: Expression) -> tuple[Expression, ...]:
        """Return values so that memory is read and written in this order.

        C++ may compute the operands of `a + b` in any order. What comes before a value
        that changes memory is computed in a line above.
        """
        effects = [index for index, value in enumerate(values) if has_effect(value)]
        if not effects or self.conditional:
            return values
        return tuple(
            self.hold(node, value)
            if index < effects[-1] and (has_effect(value) or reads_memory(value))
            else value
            for index, value in enumerate(values)
        )

    # What a value has to be.

    def scalar(self, node: ast.AST, value: Expression) -> Expression:
        """Return `value` if it is a number, else raise TranslationError."""
        if isinstance(value.type, Type):
            return value
        host = is_host_array(value)
        if isinstance(value, Static) and not host:
            raise self.error(node, refused_object(value.value))
        if isinstance(value.type, ArrayType) or host:
            ndim = value.value.ndim if isinstance(value, Static) else value.type.ndim
            kind = "an array from outside" if host else value.type
            index = ", ".join("ijklmn"[:ndim]) or "()"
            name = ast.unparse(node) if isinstance(node, ast.Name) else "it"
            wanted = f"{name}[{index}]"
            if isinstance(node, ast.Subscript):  # image[i] of two dimensions
                wanted = f"{ast.unparse(node)[:-1]}, {index.replace('i', 'j')}]"
            raise self.error(
                node,
                f"got {kind}, a whole array; need a number. Kernels compute element by "
                f"element: use {wanted}.",
            )
        if isinstance(value.type, TupleType):
            raise self.error(
                node,
                f"got the tuple {value.type}; need a number. Index it, or unpack it: "
                "x, y = ...",
            )
        raise self.error(
            node,
            "this call returns nothing; need a number. Does the function end with "
            "return ...?",
        )

    def need_integer(self, node: ast.AST, index: Expression) -> None:
        """Raise unless `index`, a number, can be an index."""
        if not index.type.is_integer:
            hint = " Use // instead of /, or int(...)." if index.type.is_float else ""
            raise self.error(
                node,
                "an index must be an integer, got "
                f"{index.type}{self._sides(node)}.{hint}",
            )

    def _sides(self, node: ast.AST) -> str:
        """Return the types of an operation's operands as text, if they are simple."""
        if not isinstance(node, ast.BinOp):
            return ""
        sides = [
            side
            for side in (node.left, node.right)
            if isinstance(side, (ast.Name, ast.Constant))
        ]
        if len(sides) < 2:
            return ""
        texts = []
        for side in sides:
            value = (
                self.name(side)
                if isinstance(side, ast.Name)
                else self.constant(side, side.value)
            )
            texts.append(f"{ast.unparse(side)} is {value.type}")
        return f" ({', '.join(texts)})"

    def access(
        self, node: ast.AST, array: Expression, text: str, indices: tuple[str, ...]
    ) -> Access:
        """Return the `Access` of a subscript that is read, for findings."""
        root = array
        while isinstance(root, ArrayOf):
            root = root.base
        name = root.name if isinstance(root, Variable) else ""
        return Access(self.line(node), name, text, False, False, indices)


def split_attributes(node: ast.expr) -> tuple[list[str], ast.expr]:
    """Split `a.b.c` into (["b", "c"], the node of a)."""
    path: list[str] = []
    while isinstance(node, ast.Attribute):
        path.insert(0, node.attr)
        node = node.value
    return path, node


def device_value(name: DeviceName) -> Expression | None:
    """Return the value of a device name, or None for a function or namespace.

    Args:
        name: A name of `minitorch.cuda`.

    Returns:
        An int32, as in Numba.

    Example:
        >>> from minitorch.cuda.language.names import device_name_of
        >>> print(device_value(device_name_of("threadIdx.x")).type)
        int32
    """
    root, _, axis = name.path.partition(".")
    if axis and root in ("threadIdx", "blockIdx", "blockDim", "gridDim"):
        return Special(Type.INT32, name.path)
    if name.path == "warpsize":
        return Constant(Type.INT32, 32)
    if name.path == "laneid":
        return Intrinsic(Type.INT32, "lane_id", (), ("device.cuh",), nonnegative=True)
    return None


_NUMPY_SCALARS = {type_.value for type_ in Type} - {"bool", "bfloat16"}


def _number(value: Any) -> Constant | None:
    kind = type(value).__name__
    if isinstance(value, bool) or kind in ("bool_", "bool"):
        return Constant(Type.BOOL, bool(value))
    if type(value).__module__ == "numpy" and kind in _NUMPY_SCALARS:
        return Constant(Type(kind), value.item())
    if isinstance(value, int):
        return Constant(Type.INT64, int(value))
    if isinstance(value, float):
        return Constant(Type.FLOAT64, float(value))
    if isinstance(value, complex):
        return Constant(Type.COMPLEX128, value)  # type: ignore[arg-type]
    return None

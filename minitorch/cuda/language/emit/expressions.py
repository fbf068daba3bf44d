"""Emit expressions as CUDA C++."""

from __future__ import annotations

import json

from ..array_views import array_shape, array_strides
from ..typed import (
    Address,
    ArrayOf,
    Binary,
    Call,
    Checked,
    Compare,
    Constant,
    Convert,
    Expression,
    Extent,
    Field,
    Intrinsic,
    Item,
    Logical,
    Pick,
    Select,
    Special,
    Text,
    TupleValue,
    Unary,
    Variable,
    is_nonnegative,
    power_exponent,
)
from ..types import TupleType, Type
from .cuda_text import constant_literal, function_name, identifier, literal
from .indices import ANYWHERE, LOCAL, IndexChecks
from .writer import ATOM, STRENGTH, Writer, expression_rule, implicit

#: A text, and how strongly its operator binds.
_Written = tuple[str, int]
_PARTIAL = ("&", "|", "^", "<<", ">>")  # operands in parentheses unless plain


@expression_rule(Constant)
def _constant(writer: Writer, value: Constant) -> _Written:
    writer.type_text(value.type)
    text = literal(value.type, value.value)
    return text, STRENGTH["-x"] if text.startswith("-") else ATOM


@expression_rule(Variable)
def _variable(writer: Writer, value: Variable) -> _Written:
    return identifier(value.name), ATOM


@expression_rule(Special)
def _special(writer: Writer, value: Special) -> _Written:
    if value.type is Type.INT32:
        return f"int({value.text})", ATOM
    return value.text, STRENGTH["+" if " + " in value.text else "*"]


@expression_rule(Text)
def _text(writer: Writer, value: Text) -> _Written:
    return json.dumps(value.text), ATOM


# Operators.


@expression_rule(Unary)
def _unary(writer: Writer, value: Unary) -> _Written:
    sign = "!" if value.operator == "not" else value.operator
    return sign + writer.operand(value.operand, STRENGTH["-x"]), STRENGTH["-x"]


@expression_rule(Compare)
def _compare(writer: Writer, value: Compare) -> _Written:
    return _infix(writer, value.operator, value.left, value.right)


@expression_rule(Logical)
def _logical(writer: Writer, value: Logical) -> _Written:
    sign = "&&" if value.operator == "and" else "||"
    strength = STRENGTH[sign]
    left = writer.left(value.left, strength)
    return f"{left} {sign} {writer.operand(value.right, strength)}", strength


@expression_rule(Select)
def _select(writer: Writer, value: Select) -> _Written:
    strength = STRENGTH["?"]
    test = writer.operand(value.test, strength)
    then = writer.operand(value.then, strength)
    return f"{test} ? {then} : {writer.left(value.otherwise, strength)}", strength


@expression_rule(Convert)
def _convert(writer: Writer, value: Convert) -> _Written:
    inner = value.value
    text = inner.text if isinstance(inner, Special) else writer.text(inner)
    if value.type.is_complex and inner.type.is_complex:
        writer.type_text(value.type)
        return f"{value.type.cuda}({text})", ATOM
    name = writer.type_text(value.type)
    if " " in name or value.type.is_integer:
        return f"static_cast<{name}>({text})", ATOM
    return f"{name}({text})", ATOM


@expression_rule(Binary)
def _binary(writer: Writer, value: Binary) -> _Written:
    operator, left, right = value.operator, value.left, value.right
    if operator == "**" and value.type.is_float:
        right = power_exponent(right, value.type)
        if right.type is not Type.INT64:
            return writer.call(function_name("pow", value.type), (left, right))
    if operator in ("//", "%") and value.type.is_integer:
        unsigned = not value.type.is_signed
        if writer.checked and (
            unsigned or (is_nonnegative(left) and is_nonnegative(right))
        ):
            return _infix(writer, operator[0], left, right)
    functions = {"//": "floor_divide", "%": "floor_modulo", "**": "power"}
    if operator in functions:
        name = functions[operator]
        if writer.checked and value.type is Type.INT64 and operator != "**":
            writer.headers.add("division.cuh")
            name = "floor_quotient" if operator == "//" else "floor_remainder"
        else:
            writer.headers.add("python_math.cuh")
        return writer.call(name, (left, right))
    return _infix(writer, operator, left, right)


def _infix(
    writer: Writer, operator: str, left: Expression, right: Expression
) -> _Written:
    """Write `left operator right`; leave out a conversion that C++ makes itself."""
    strength = STRENGTH[operator]
    if operator in ("<<", ">>"):
        return _shift(writer, operator, left, right), strength
    bare_right = None if _is_cast(left) else _bare(right)
    bare_left = _bare(left) if bare_right is None and not _is_cast(right) else None
    around = ATOM - 1 if operator in _PARTIAL else strength
    first = writer.left(bare_left or left, around)
    second = writer.operand(bare_right or right, around)
    if bare_left is None and bare_right is None:
        first = first if isinstance(right, Constant) else writer.plain(left, first)
        second = writer.plain(right, second)
    if isinstance(bare_left, Special):
        first = bare_left.text
    if isinstance(bare_right, Special):
        second = bare_right.text
    return f"{first} {operator} {second}", strength


def _shift(writer: Writer, operator: str, left: Expression, right: Expression) -> str:
    """Write a shift, which C++ computes in the type of the left operand alone."""
    count = right.value if isinstance(right, Convert) else right
    second = writer.plain(count, writer.operand(count, ATOM - 1))
    return f"{writer.left(left, ATOM - 1)} {operator} {second}"


def _bare(value: Expression) -> Expression | None:
    """Return the inside of a conversion that C++ makes among operands, or None."""
    inner = implicit(value)
    narrow = inner is not None and (value.type.is_float or inner.type.size < 8)
    return inner if narrow else None


def _is_cast(value: Expression) -> bool:
    return isinstance(value, Convert) or (
        isinstance(value, Special) and value.type is Type.INT32
    )


# Calls, tuples and arrays.


@expression_rule(Call)
def _call(writer: Writer, value: Call) -> _Written:
    if value.name in ("min", "max"):
        writer.headers.add("python_math.cuh")
    name = function_name(value.name, value.arguments[0].type)
    return writer.call(name, value.arguments)


@expression_rule(Intrinsic)
def _intrinsic(writer: Writer, value: Intrinsic) -> _Written:
    writer.headers.update(value.headers)
    function = value.function
    if isinstance(value.type, TupleType):
        function = f"{function}<{writer.type_text(value.type)}>"
    return writer.call(function, value.arguments)


@expression_rule(TupleValue)
def _tuple(writer: Writer, value: TupleValue) -> _Written:
    inner = ", ".join(map(writer.text, value.items))
    braces = f"{{{inner}}}"
    if value.type.uniform is not None:
        braces = f"{{{braces}}}"
    return f"{writer.type_text(value.type)}{braces}", ATOM


@expression_rule(Field)
def _field(writer: Writer, value: Field) -> _Written:
    uniform = value.base.type.uniform is not None
    name = f"items[{value.index}]" if uniform else f"item{value.index}"
    return f"{writer.left(value.base, ATOM)}.{name}", ATOM


@expression_rule(Pick)
def _pick(writer: Writer, value: Pick) -> _Written:
    writer.headers.add("array.cuh")
    if len(value.items) > _MAX_PICKED and all(
        isinstance(element, Constant) for element in value.items
    ):
        return f"{_table(writer, value)}[{_index(writer, value.index)}]", ATOM
    return writer.call("pick", (value.index, *value.items))


# NVRTC takes 19 s for a loop over 200 triples of arguments, 0.3 s for three tables.
_MAX_PICKED = 32
_MAX_CONSTANT = 1024  # of 64 KB for all of a module


def _table(writer: Writer, value: Pick) -> str:
    """Declare constants as one array before all functions; return its name."""
    kind = writer.type_text(value.type)
    literals = [
        constant_literal(value.type, element.value)
        for element in value.items
        if isinstance(element, Constant)
    ]
    values = f"{kind} {{{', '.join(literals)}}}"
    if values not in writer.tables:
        name = writer.tables[values] = f"py_table_{len(writer.tables)}"
        space = "__constant__" if len(literals) <= _MAX_CONSTANT else "__device__"
        text = f"{space} const {kind} {name}[] = {values.removeprefix(kind)};\n"
        writer.constants.append(text)
    return writer.tables[values]


@expression_rule(Extent)
def _extent(writer: Writer, value: Extent) -> _Written:
    base = writer.left(value.base, ATOM)
    return f"{base}.{value.what}[{value.dimension}]", ATOM


@expression_rule(Checked)
def _checked(writer: Writer, value: Checked) -> _Written:
    return _index(writer, value), 0


@expression_rule(Address)
def _address(writer: Writer, value: Address) -> _Written:
    return f"&{_item(writer, value.item)[0]}", STRENGTH["-x"]


@expression_rule(Item)
def _item(writer: Writer, item: Item) -> _Written:
    array, indices = item.base, item.indices
    shape = array.type.shape
    if shape is not None and isinstance(array, Variable):
        subscripts = "".join(f"[{_index(writer, index)}]" for index in indices)
        return identifier(array.name) + subscripts, ATOM
    if array.type.ndim == 0:
        return f"*{writer.left(array, ATOM)}.data", STRENGTH["-x"]
    offset = _offset(writer, array, indices)
    return f"{writer.left(array, ATOM)}.data[{offset}]", ATOM


def _index(writer: Writer, index: Expression, least: int = 0) -> str:
    """Write an index, in parentheses where it binds weaker than `least`.

    A thread's own index needs no cast: C++ widens it.
    """
    if isinstance(index, Checked):
        if writer.indices is not None:
            return _checked_index(writer, writer.indices, index)
        index = index.value
    inner = index.value if isinstance(index, Convert) else index
    if isinstance(inner, Special) and inner.type is Type.INT32:
        return inner.text
    return writer.left(index, least)


def _checked_index(writer: Writer, checks: IndexChecks, index: Checked) -> str:
    root = index.base
    while isinstance(root, ArrayOf):
        root = root.base
    space, address = LOCAL, ""
    if isinstance(root.type, TupleType):
        pass  # its items become an array of the thread
    elif not isinstance(root, Variable) or root.name not in writer.page.spaces:
        space, address = ANYWHERE, f"{writer.left(root, ATOM)}.data"
    else:
        space = writer.page.spaces[root.name]
    size = index.extent
    extent = int(size.value) if isinstance(size, Constant) else writer.text(size)
    texts = _index(writer, index.value), extent, address
    return checks.call(index.access, index.dimension, space, texts)


def _offset(writer: Writer, array: Expression, indices: tuple[Expression, ...]) -> str:
    """Write the offset of an index from the array's first element, in elements."""
    layout, shape = array.type.layout, array_shape(array)
    if layout == "A":
        strides = array_strides(array)
        terms = [
            f"{_factor(writer, index)} * {_factor(writer, stride)}"
            for index, stride in zip(indices, strides, strict=True)
        ]
        return " + ".join(terms)
    if layout == "F":
        indices, shape = indices[::-1], shape[::-1]
    if len(indices) == 1:
        return _index(writer, indices[0])
    text = _factor(writer, indices[0])
    for dimension in range(1, len(indices)):
        size = writer.text(shape[dimension])
        text = f"({text})" if " " in text else text
        text = f"{text} * {size} + {_index(writer, indices[dimension], STRENGTH['+'])}"
    return text


def _factor(writer: Writer, index: Expression) -> str:
    return _index(writer, index, STRENGTH["*"] + 1)


@expression_rule(ArrayOf)
def _array(writer: Writer, value: ArrayOf) -> _Written:
    base = value.base
    if value.start:
        pointer = f"&{_item(writer, Item(base.type.dtype, base, value.start))[0]}"
    elif base.type.shape is not None and isinstance(base, Variable):
        pointer = "&" + identifier(base.name) + "[0]" * len(base.type.shape)
    elif isinstance(base, ArrayOf):
        pointer = f"{_array(writer, base)[0]}.data"
    else:
        pointer = f"{writer.left(base, ATOM)}.data"
    name = writer.type_text(value.type)
    if value.type.ndim == 0:
        return f"{name}{{{pointer}}}", ATOM
    shape = ", ".join(map(writer.text, array_shape(value)))
    strides = ", ".join(map(writer.text, value.strides or array_strides(value)))
    return f"{name}{{{pointer}, {{{shape}}}, {{{strides}}}}}", ATOM

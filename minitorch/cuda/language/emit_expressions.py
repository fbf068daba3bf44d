"""Owns the writing of expressions in CUDA C++; infers nothing."""

from __future__ import annotations

import json

from .array_views import array_shape, array_strides
from .cuda_text import function_name, identifier, literal
from .emit_indices import ANYWHERE, LOCAL, IndexChecks
from .typed import (
    Binary,
    Call,
    Compare,
    Constant,
    Convert,
    Expression,
    Invoke,
    Logical,
    Select,
    TupleValue,
    TypedFunction,
    Unary,
    Variable,
    power_exponent,
)
from .typed_kernel import (
    Address,
    ArrayOf,
    Checked,
    Extent,
    Field,
    Intrinsic,
    Item,
    Pick,
    Special,
    Text,
    is_nonnegative,
)
from .types import ArrayType, KernelType, TupleType, Type

__all__ = ["ExpressionWriter"]

# Operators by binding strength, as C++ has it; a weaker operand is put in parentheses.
_STRENGTH = {
    "?": 1,
    "||": 2,
    "&&": 3,
    "|": 4,
    "^": 5,
    "&": 6,
    "==": 7,
    "<": 8,
    "<<": 9,
    "+": 10,
    "*": 11,
    "-x": 12,
}
_SAME_STRENGTH = {
    "/": "*",
    "%": "*",
    "!=": "==",
    "<=": "<",
    ">": "<",
    ">=": "<",
    ">>": "<<",
    "-": "+",
}
_ATOM = 13
_PARTIAL = ("&", "|", "^", "<<", ">>")  # operands in parentheses unless plain


class ExpressionWriter:
    """Writes expressions and collects what they need.

    Attributes:
        checked: Is this a kernel, where a division by zero is a fault to be seen?
        headers: Names of the headers used.
        indices: The checks of indices; None: the build leaves them out.
        spaces: Where the arrays are whose memory is known, by name.
    """

    checked = False
    indices: IndexChecks | None = None

    def __init__(self) -> None:
        self.spaces: dict[str, int] = {}
        self.headers: set[str] = set()
        self.tuples: dict[TupleType, str] = {}

    def name_of(self, function: TypedFunction) -> str:
        """Give the C++ name of a called function."""
        raise NotImplementedError

    def text(self, value: Expression) -> str:
        """Write an expression."""
        return self._write(value)[0]

    def plain(self, value: Expression, text: str = "") -> str:
        """Write a small integer without its suffix, where C++ widens it by itself."""
        small = isinstance(value, Constant) and value.type is Type.INT64
        if small and isinstance(value, Constant) and 0 <= value.value < 2**31:
            return str(value.value)
        return text or self.text(value)

    def type_text(self, type_: KernelType | None) -> str:
        """Write a type."""
        if type_ is None:
            return "void"
        if isinstance(type_, ArrayType):
            self.headers.add("array.cuh")
            self._need(type_.dtype)
            return type_.cuda
        if isinstance(type_, TupleType):
            return self._tuple_text(type_)
        self._need(type_)
        return type_.cuda

    def _need(self, type_: Type) -> None:
        if type_.is_complex:
            self.headers.add("complex.cuh")
        if type_ in (Type.FLOAT16, Type.BFLOAT16):
            self.headers.add("half.cuh")

    def _tuple_text(self, type_: TupleType) -> str:
        self.headers.add("array.cuh")
        if type_.uniform is not None:
            return f"Tuple<{self.type_text(type_.uniform)}, {len(type_.items)}>"
        if type_ not in self.tuples:
            for each in type_.items:
                self.type_text(each)
            self.tuples[type_] = f"Items{len(self.tuples)}"
        return self.tuples[type_]

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
                self.type_text(type_)
                text = literal(type_, number)
                return text, _STRENGTH["-x"] if text.startswith("-") else _ATOM
            case Variable(name=name):
                return identifier(name), _ATOM
            case Convert():
                return self._convert(value)
            case Unary(operator=operator, operand=operand):
                sign = {"not": "!"}.get(operator, operator)
                return sign + self._operand(operand, _STRENGTH["-x"]), _STRENGTH["-x"]
            case Binary():
                return self._binary(value)
            case Compare(operator=operator, left=left, right=right):
                return self._infix(operator, left, right, left.type)
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
                if name in ("min", "max"):
                    self.headers.add("python_math.cuh")
                return self._call(function_name(name, arguments[0].type), arguments)
            case Invoke(function=function, arguments=arguments):
                return self._call(self.name_of(function), arguments)
        return self._write_kernel_part(value)

    def _write_kernel_part(self, value: Expression) -> tuple[str, int]:
        match value:
            case Special(text=text, type=type_):
                if type_ is Type.INT32:
                    return f"int({text})", _ATOM
                return text, _STRENGTH["+"] if " + " in text else _STRENGTH["*"]
            case Text(text=text):
                return json.dumps(text), _ATOM
            case Intrinsic(function=function, arguments=arguments, headers=headers):
                self.headers.update(headers)
                if isinstance(value.type, TupleType):
                    function = f"{function}<{self.type_text(value.type)}>"
                return self._call(function, arguments)
            case Field(base=base, index=index):
                uniform = base.type.uniform is not None
                name = f"items[{index}]" if uniform else f"item{index}"
                return f"{self._left(base, _ATOM)}.{name}", _ATOM
            case Pick(items=items, index=index):
                self.headers.add("array.cuh")
                return self._call("pick", (index, *items))
            case Extent(base=base, dimension=dimension, what=what):
                return f"{self._left(base, _ATOM)}.{what}[{dimension}]", _ATOM
            case Checked():
                return self._index(value), 0
            case Item():
                return self._item(value)
            case Address(item=item):
                return f"&{self._item(item)[0]}", _STRENGTH["-x"]
            case ArrayOf():
                return self._array(value), _ATOM
            case TupleValue(items=items):
                inner = ", ".join(map(self.text, items))
                braces = f"{{{inner}}}"
                if value.type.uniform is not None:
                    braces = f"{{{braces}}}"
                return f"{self.type_text(value.type)}{braces}", _ATOM
        raise AssertionError(f"no CUDA form of {value}")

    def _call(self, name: str, arguments: tuple[Expression, ...]) -> tuple[str, int]:
        return f"{name}({', '.join(map(self.text, arguments))})", _ATOM

    def _convert(self, value: Convert) -> tuple[str, int]:
        inner = value.value
        text = inner.text if isinstance(inner, Special) else self.text(inner)
        if value.type.is_complex and inner.type.is_complex:
            self.type_text(value.type)
            return f"{value.type.cuda}({text})", _ATOM
        name = self.type_text(value.type)
        if " " in name or value.type.is_integer:
            return f"static_cast<{name}>({text})", _ATOM
        return f"{name}({text})", _ATOM

    def _infix(
        self, operator: str, left: Expression, right: Expression, common: Type
    ) -> tuple[str, int]:
        """Write `left operator right`; C++ converts one side where it does so alike."""
        strength = _STRENGTH[_SAME_STRENGTH.get(operator, operator)]
        if operator in ("<<", ">>"):
            return self._shift(operator, left, right), strength
        bare_right = self._bare(right, common) if not _is_cast(left) else None
        bare_left = (
            self._bare(left, common)
            if bare_right is None and not _is_cast(right)
            else None
        )
        around = _ATOM - 1 if operator in _PARTIAL else strength
        first = self._left(bare_left or left, around)
        second = self._operand(bare_right or right, around)
        if bare_left is None and bare_right is None:
            first = first if isinstance(right, Constant) else self.plain(left, first)
            second = self.plain(right, second)
        if isinstance(bare_left, Special):
            first = bare_left.text
        if isinstance(bare_right, Special):
            second = bare_right.text
        return f"{first} {operator} {second}", strength

    def _shift(self, operator: str, left: Expression, right: Expression) -> str:
        """Write a shift, which C++ computes in the type of its left side alone."""
        count = right.value if isinstance(right, Convert) else right
        second = self.plain(count, self._operand(count, _ATOM - 1))
        return f"{self._left(left, _ATOM - 1)} {operator} {second}"

    def _bare(self, value: Expression, common: Type) -> Expression | None:
        """Give the inside of a conversion that C++ makes by itself, or None."""
        if not isinstance(value, Convert) or common.is_complex:
            return None
        inner, wide = value.value, common
        if wide in (Type.FLOAT16, Type.BFLOAT16) or inner.type in (
            Type.FLOAT16,
            Type.BFLOAT16,
        ):
            return None
        if inner.type.is_complex or not isinstance(inner.type, Type):
            return None
        if wide.is_float:
            return inner
        fits = wide.is_integer and not inner.type.is_float and wide.size == 8
        return inner if fits and inner.type.size < 8 else None

    def _binary(self, value: Binary) -> tuple[str, int]:
        operator, left, right = value.operator, value.left, value.right
        if operator == "**" and value.type.is_float:
            right = power_exponent(right, value.type)
            if right.type is not Type.INT64:
                return self._call(function_name("pow", value.type), (left, right))
        if operator in ("//", "%") and value.type.is_integer:
            unsigned = not value.type.is_signed
            if self.checked and (
                unsigned or (is_nonnegative(left) and is_nonnegative(right))
            ):
                return self._infix(operator[0], left, right, value.type)
        functions = {"//": "floor_divide", "%": "floor_modulo", "**": "power"}
        if operator in functions:
            name = functions[operator]
            if self.checked and value.type is Type.INT64 and operator != "**":
                self.headers.add("division.cuh")
                name = "floor_quotient" if operator == "//" else "floor_remainder"
            else:
                self.headers.add("python_math.cuh")
            return self._call(name, (left, right))
        return self._infix(operator, left, right, value.type)

    def _item(self, item: Item) -> tuple[str, int]:
        array, indices = item.base, item.indices
        shape = array.type.shape
        if shape is not None and isinstance(array, Variable):
            subscripts = "".join(f"[{self._index(each)}]" for each in indices)
            return identifier(array.name) + subscripts, _ATOM
        if array.type.ndim == 0:
            return f"*{self._left(array, _ATOM)}.data", _STRENGTH["-x"]
        place = self._place(array, indices)
        return f"{self._left(array, _ATOM)}.data[{place}]", _ATOM

    def _index(self, index: Expression, least: int = 0) -> str:
        """Write an index, in parentheses where it binds weaker than `least`.

        A thread's own index needs no cast: C++ widens it.
        """
        if isinstance(index, Checked):
            if self.indices is not None:
                return self._checked_index(self.indices, index)
            index = index.value
        inner = index.value if isinstance(index, Convert) else index
        if isinstance(inner, Special) and inner.type is Type.INT32:
            return inner.text
        return self._left(index, least)

    def _checked_index(self, checks: IndexChecks, index: Checked) -> str:
        root = index.base
        while isinstance(root, ArrayOf):
            root = root.base
        space, address = LOCAL, ""
        if isinstance(root.type, TupleType):
            pass  # its items become an array of the thread
        elif not isinstance(root, Variable) or root.name not in self.spaces:
            space, address = ANYWHERE, f"{self._left(root, _ATOM)}.data"
        else:
            space = self.spaces[root.name]
        size = index.extent
        extent = int(size.value) if isinstance(size, Constant) else self.text(size)
        texts = self._index(index.value), extent, address
        return checks.call(index.access, index.dimension, space, texts)

    def _place(self, array: Expression, indices: tuple[Expression, ...]) -> str:
        """Write how many elements an index is from the array's first one."""
        layout, shape = array.type.layout, array_shape(array)
        if layout == "A":
            strides = array_strides(array)
            terms = [
                f"{self._factor(index)} * {self._factor(stride)}"
                for index, stride in zip(indices, strides, strict=True)
            ]
            return " + ".join(terms)
        if layout == "F":
            indices, shape = indices[::-1], shape[::-1]
        if len(indices) == 1:
            return self._index(indices[0])
        text = self._factor(indices[0])
        for dimension in range(1, len(indices)):
            size = self.text(shape[dimension])
            text = f"({text})" if " " in text else text
            text = (
                f"{text} * {size} + {self._index(indices[dimension], _STRENGTH['+'])}"
            )
        return text

    def _factor(self, index: Expression) -> str:
        return self._index(index, _STRENGTH["*"] + 1)

    def _array(self, value: ArrayOf) -> str:
        base = value.base
        if value.start:
            pointer = f"&{self._item(Item(base.type.dtype, base, value.start))[0]}"
        elif base.type.shape is not None and isinstance(base, Variable):
            pointer = "&" + identifier(base.name) + "[0]" * len(base.type.shape)
        elif isinstance(base, ArrayOf):
            pointer = f"{self._array(base)}.data"
        else:
            pointer = f"{self._left(base, _ATOM)}.data"
        name = self.type_text(value.type)
        if value.type.ndim == 0:
            return f"{name}{{{pointer}}}"
        shape = ", ".join(map(self.text, array_shape(value)))
        strides = ", ".join(map(self.text, value.strides or array_strides(value)))
        return f"{name}{{{pointer}, {{{shape}}}, {{{strides}}}}}"


def _is_cast(value: Expression) -> bool:
    return isinstance(value, Convert) or (
        isinstance(value, Special) and value.type is Type.INT32
    )

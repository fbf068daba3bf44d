"""Owns the typing of calls: builtins, math, other functions; knows no targets."""

from __future__ import annotations

import ast
import builtins
import math
import operator
import types
from collections.abc import Callable
from typing import Any

from .device_calls import CallSite, handler_of, handler_of_object
from .dtypes import dtype_of
from .elements import ElementTyping
from .errors import TranslationError
from .intrinsics import ARITY, PREDICATES, intrinsic_name
from .iterables import Iterable
from .names import DeviceName
from .outside import SUPPORTED
from .typed import (
    Binary,
    Call,
    Constant,
    Expression,
    Invoke,
    Return,
    Statement,
    Static,
    TupleValue,
    TypedFunction,
    Variable,
    as_bool,
    convert,
)
from .typed_kernel import ArrayOf
from .types import ArrayType, TupleType, Type, unify

__all__ = ["CallTyping", "Translate", "typed_builtin"]

#: Translates a function for arguments; the callable builds errors that show the call.
Translate = Callable[
    [types.FunctionType, tuple[Any, ...], Callable[[str], Exception]], TypedFunction
]
_OPERATORS: dict[object, ast.operator] = {
    operator.add: ast.Add(),
    operator.sub: ast.Sub(),
    operator.mul: ast.Mult(),
    operator.truediv: ast.Div(),
    operator.floordiv: ast.FloorDiv(),
    operator.mod: ast.Mod(),
    operator.pow: ast.Pow(),
    operator.and_: ast.BitAnd(),
    operator.or_: ast.BitOr(),
    operator.xor: ast.BitXor(),
    operator.lshift: ast.LShift(),
    operator.rshift: ast.RShift(),
}


class CallTyping(ElementTyping):
    """Adds calls to the expressions of one function."""

    translate: Translate

    def call(self, node: ast.Call) -> Expression:
        """Type a call of anything that is supported."""
        target = self._target(node)
        if isinstance(target, Expression):  # a method, bound to its value
            raise self.error(
                node.func,
                f"got a call of {ast.unparse(node.func)}, a value of {target.type}; "
                "need a function.",
            )
        arguments = self._arguments(node)
        keywords = {
            each.arg: self.expression(each.value) for each in node.keywords if each.arg
        }
        if len(keywords) < len(node.keywords):
            raise self.error(node, "got ** in a call; need named arguments.")
        if isinstance(target, DeviceName):
            site = CallSite(self, node, target.path, arguments, keywords)
            return handler_of(site)(site)
        function = getattr(target, "py_func", target)
        if isinstance(function, types.FunctionType):
            if getattr(target, "is_kernel", False):
                raise self.error(
                    node,
                    f"got a call of the kernel {function.__name__!r} inside a kernel; "
                    "need a device function. Decorate it with "
                    "@cuda.jit(device=True), or call the plain function.",
                )
            return self._invoke(node, function, arguments, keywords)
        fields = getattr(target, "_fields", None)
        if isinstance(target, type) and fields is not None:
            return self._named_tuple(node, target, fields, arguments, keywords)
        if keywords:
            raise self.error(
                node, f"got keyword arguments for {_name_of(target)}; need positions."
            )
        return self.call_builtin(node, target, arguments)

    def _named_tuple(
        self,
        node: ast.Call,
        target: type,
        fields: tuple[str, ...],
        arguments: list[Expression],
        keywords: dict[str, Expression],
    ) -> Expression:
        """Make a named tuple: `Point(1, y=2)`."""
        given = {**dict(zip(fields, arguments, strict=False)), **keywords}
        if set(given) != set(fields) or len(arguments) + len(keywords) != len(fields):
            raise self.error(
                node,
                f"got {_arguments(len(arguments) + len(keywords))} for "
                f"{target.__name__}; need {', '.join(fields)}.",
            )
        return TupleValue.of(tuple(given[name] for name in fields), fields)

    def _target(self, node: ast.Call) -> Any:
        """Give the Python object that is called, or the value of a local name."""
        if isinstance(node.func, ast.Attribute):
            method = self.method(node.func)
            if method is not None:
                return method
        if not isinstance(node.func, (ast.Name, ast.Attribute)):
            value = self.expression(node.func)
        elif isinstance(node.func, ast.Name) and node.func.id in self.local_names:
            if node.func.id not in self.variables:
                return self.name(node.func)
            value = self.variables[node.func.id].value
            if not isinstance(value, Static):
                raise self.error(
                    node, f"got a call of the number {node.func.id!r}; need a function."
                )
        elif isinstance(node.func, ast.Name):
            return self.outside(node.func)
        else:
            value = self.attribute(node.func)
        return value.value if isinstance(value, Static) else value

    def declared_array(
        self, node: ast.AST, space: str, type_: ArrayType, values: Any = None
    ) -> Variable:
        """Declare an array; the class that knows whole functions overrides it."""
        raise NotImplementedError

    def iterable_of(self, node: ast.AST, value: Expression) -> Iterable:
        """Give what a loop goes over; the class that knows loops overrides it."""
        raise NotImplementedError

    def method(self, node: ast.Attribute) -> Any:
        """Give the DeviceName that stands for a method of a value, or None."""
        return None

    def _arguments(self, node: ast.Call) -> list[Expression]:
        arguments: list[Expression] = []
        for each in node.args:
            if not isinstance(each, ast.Starred):
                arguments.append(self.expression(each))
                continue
            value = self.expression(each.value)
            if not isinstance(value.type, TupleType):
                raise self.error(each, f"got * of {value.type}; need a tuple.")
            arguments += self.tuple_items(value)
        return arguments

    def call_builtin(
        self, node: ast.AST, target: object, arguments: list[Expression]
    ) -> Expression:
        """Type a call of a builtin, a function of math, or a NumPy function or type."""
        special = handler_of_object(target)
        if special is not None and isinstance(node, ast.Call):
            site = CallSite(self, node, _name_of(target), arguments, {})
            return special(site)
        if target in (builtins.min, builtins.max) and len(arguments) == 1:
            arguments = self._items_of(arguments[0])
        places = node.args if isinstance(node, ast.Call) else []
        if not hasattr(target, "_fields") and len(places) == len(arguments):
            for place, each in zip(places, arguments, strict=True):
                self.scalar(place, each)
        name = intrinsic_name(target)
        if name is not None:
            return self._math(node, name, arguments)
        if target in (math.degrees, math.radians):
            self._expect(node, target, arguments, 1)
            scale = 180 / math.pi if target is math.degrees else math.pi / 180
            value = self._as_float(arguments[0])
            factor = convert(Constant(Type.FLOAT64, scale), value.type)
            return Binary(value.type, "*", value, factor)
        if target in (builtins.min, builtins.max):
            return self._extreme(node, target, arguments)
        if target is builtins.pow:
            target = operator.pow
        if isinstance(target, types.BuiltinFunctionType) and target in _OPERATORS:
            self._expect(node, target, arguments, 2)
            return self.binary(node, _OPERATORS[target], *arguments)
        if target in (abs, round, int, float, bool):
            self._expect(node, target, arguments, 1)
            return self._unary_builtin(target, arguments[0])
        fields = getattr(target, "_fields", None)
        if isinstance(target, type) and issubclass(target, tuple) and fields:
            self._expect(node, target, arguments, len(fields))
            return TupleValue.of(tuple(arguments), fields)
        cast = dtype_of(target)
        if cast is not None:
            self._expect(node, target, arguments, 1)
            return self._cast(arguments[0], cast)
        raise self.error(node, f"got a call of {_name_of(target)}; need {SUPPORTED}.")

    def _cast(self, value: Expression, to: Type) -> Expression:
        return as_bool(value) if to is Type.BOOL else convert(value, to)

    def _unary_builtin(self, target: object, value: Expression) -> Expression:
        if target is bool:
            return as_bool(value)
        if target is float:
            return self._as_float(value)
        if target is int:
            whole = value.type.is_integer
            return value if whole else convert(value, Type.INT64)
        if value.type is Type.BOOL:
            value = convert(value, Type.INT64)
        if target is abs:
            return Call(value.type, "fabs", (value,))
        if value.type.is_integer:  # round
            return convert(value, Type.INT64)
        return convert(Call(value.type, "rint", (value,)), Type.INT64)

    def _as_float(self, value: Expression) -> Expression:
        return value if value.type.is_float else convert(value, Type.FLOAT64)

    def _math(
        self, node: ast.AST, name: str, arguments: list[Expression]
    ) -> Expression:
        if name == "log" and len(arguments) == 2:
            value, base = (self._math(node, "log", [each]) for each in arguments)
            common = unify(value.type, base.type)
            return Binary(common, "/", convert(value, common), convert(base, common))
        self._expect(node, name, arguments, ARITY[name])
        if name == "pow":
            base, exponent = self._as_float(arguments[0]), arguments[1]
            if isinstance(exponent, Constant) and exponent.type is not Type.FLOAT32:
                exponent = convert(exponent, base.type)
            common = unify(
                base.type, exponent.type if exponent.type.is_float else base.type
            )
            return Call(
                common, name, (convert(base, common), convert(exponent, common))
            )
        floats = [self._as_float(argument) for argument in arguments]
        common = floats[0].type
        for each in floats[1:]:
            common = unify(common, each.type)
        result = Type.BOOL if name in PREDICATES else common
        return Call(result, name, tuple(convert(each, common) for each in floats))

    def _items_of(self, value: Expression) -> list[Expression]:
        """`min(pair)` of a tuple is that of its items."""
        if isinstance(value.type, TupleType):
            return list(self.tuple_items(value))
        return [value]

    def _extreme(
        self, node: ast.AST, target: object, arguments: list[Expression]
    ) -> Expression:
        # Python's order decides about NaN and signed zeros: min(a, b) is b if b < a.
        if len(arguments) < 2:
            raise self.error(
                node,
                f"got {_name_of(target)} of one value; need at least two numbers.",
            )
        best = arguments[0]
        for challenger in arguments[1:]:
            common = unify(best.type, challenger.type)
            pair = convert(best, common), convert(challenger, common)
            best = Call(common, _name_of(target), pair)
        return best

    def _invoke(
        self,
        node: ast.Call,
        target: types.FunctionType,
        positional: list[Expression],
        keywords: dict[str, Expression],
    ) -> Expression:
        arguments = self._bind(node, target, positional, keywords)

        def fail(problem: str) -> Exception:
            return self.error(node, problem)

        function = self.translate(target, tuple(map(_signature, arguments)), fail)
        given = tuple(part for each in arguments for part in _flattened(self, each))
        return Invoke(function.result, function, given)

    def _bind(
        self,
        node: ast.Call,
        target: types.FunctionType,
        positional: list[Expression],
        keywords: dict[str, Expression],
    ) -> list[Expression]:
        names = target.__code__.co_varnames[: target.__code__.co_argcount]
        given = dict(zip(names, positional, strict=False))
        for name, value in keywords.items():
            if name not in names or name in given:
                raise self.error(
                    node,
                    f"got the argument {name!r} for {target.__name__}"
                    f"({', '.join(names)}); need each of them once.",
                )
            given[name] = value
        defaults = target.__defaults__ or ()
        for name, default in zip(
            names[len(names) - len(defaults) :], defaults, strict=True
        ):
            if name not in given:
                given[name] = self.constant(node, default)
        if len(positional) > len(names) or len(given) < len(names):
            count = len(positional) + len(keywords)
            raise self.error(
                node,
                f"got {_arguments(count)} for {target.__name__}({', '.join(names)}); "
                f"need {len(names)}.",
            )
        return [given[name] for name in names]

    def _expect(
        self, node: ast.AST, target: object, arguments: list[Expression], count: int
    ) -> None:
        if len(arguments) != count:
            raise self.error(
                node,
                f"got {_arguments(len(arguments))} for {_name_of(target)}; "
                f"need {count}.",
            )


def typed_builtin(function: object, arguments: tuple[Type, ...]) -> TypedFunction:
    """Give the typed form of a builtin itself, as in `map(math.exp)`.

    Args:
        function: A function of builtins, math, operator or NumPy.
        arguments: Type of each argument.

    Returns:
        A function that calls it.

    Raises:
        TranslationError: It is not supported, or not with so many arguments.
    """
    name = _name_of(function)
    node: ast.AST = ast.Name(name)
    parameters = tuple(
        Variable(type_, f"x{index}") for index, type_ in enumerate(arguments)
    )
    value = _BuiltinTyping().call_builtin(node, function, list(parameters))
    body: list[Statement] = [Return(1, value)]
    return TypedFunction(name, f"/minitorch/py/{name}", parameters, value.type, body)


class _BuiltinTyping(CallTyping):
    """Types a call that no Python line stands for."""

    def __init__(self) -> None:
        """Need no function: only `call_builtin` is used."""
        self.body = []

    def error(self, node: ast.AST, problem: str) -> TranslationError:
        return TranslationError(problem)


def _arguments(count: int) -> str:
    return f"{count} argument{'s' if count != 1 else ''}"


def _name_of(target: object) -> str:
    if isinstance(target, str):
        return target
    return str(getattr(target, "__name__", type(target).__name__))


def _signature(argument: Expression) -> Any:
    """What a called function is specialised for: a type, or a Python object."""
    if isinstance(argument, Static):
        return argument
    if isinstance(argument, TupleValue):
        return TupleValue.of(
            tuple(
                each if isinstance(each, Static) else Expression(_signature(each))
                for each in argument.items
            ),
            argument.type.names,
        ).type
    if isinstance(argument.type, ArrayType):
        return argument.type.plain
    return argument.type


def _flattened(typing: CallTyping, argument: Expression) -> list[Expression]:
    """List what is handed over: tuples item by item, Python objects not at all."""
    if isinstance(argument, Static):
        return []
    if isinstance(argument.type, TupleType):
        items = typing.tuple_items(argument)
        return [part for each in items for part in _flattened(typing, each)]
    if isinstance(argument.type, ArrayType) and argument.type.shape is not None:
        return [ArrayOf(argument.type.plain, argument)]
    return [argument]

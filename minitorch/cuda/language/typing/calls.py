"""Rule for calls: the called function and its arguments."""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Sequence
from typing import Any

from ..advice import refused_call
from ..builtins.calls import CallSite, device_method, handler_of, handler_of_object
from ..builtins.mathematics import call_builtin, name_of
from ..names import DeviceName
from ..scope import Scope, split_attributes
from ..typed import (
    ArrayOf,
    Expression,
    Invoke,
    Static,
    TupleValue,
    convert,
    tuple_items,
)
from ..types import ArrayType, FunctionType, TupleType, Type
from .rules import expression, expression_rule


@expression_rule(ast.Call)
def _call(scope: Scope, node: ast.Call) -> Expression:
    """Type a call."""
    method = _method(scope, node)
    if method is not None:
        return method
    target = _target(scope, node)
    if isinstance(target, Expression):  # a method, bound to its value
        raise scope.error(
            node.func,
            f"cannot call {ast.unparse(node.func)}: it is a value of type "
            f"{target.type}, not a function.",
        )
    arguments = _arguments(scope, node)
    keywords = {
        keyword.arg: expression(scope, keyword.value)
        for keyword in node.keywords
        if keyword.arg
    }
    if len(keywords) < len(node.keywords):
        raise scope.error(
            node,
            "** is not supported in a call. Write the keyword arguments one by one.",
        )
    path = target.path if isinstance(target, DeviceName) else name_of(target)
    site = CallSite(scope, node, path, arguments, keywords)
    handler = (
        handler_of(site)
        if isinstance(target, DeviceName)
        else handler_of_object(target)
    )
    result = handler(site) if handler else None
    if result is not None:
        return result
    function = getattr(target, "py_func", target)
    if isinstance(function, types.FunctionType):
        if getattr(target, "is_kernel", False):
            raise scope.error(
                node,
                f"a kernel cannot call the kernel {function.__name__!r}. Decorate it "
                "with @cuda.jit(device=True), or call the plain function.",
            )
        if _is_host_function(function):
            raise scope.error(node, refused_call(function, ast.unparse(node.func)))
        return _invoke(site, target)
    fields = getattr(target, "_fields", None)
    if isinstance(target, type) and fields is not None:
        return TupleValue.of(tuple(site.bind(*fields)), fields)
    if keywords:
        raise scope.error(
            node,
            f"{name_of(target)} takes no keyword arguments in a kernel; pass them "
            "by position.",
        )
    return call_builtin(scope, node, target, arguments)


def _target(scope: Scope, node: ast.Call) -> Any:
    """Return the Python object that is called, or the value of a local name."""
    if not isinstance(node.func, (ast.Name, ast.Attribute)):
        value = expression(scope, node.func)
    elif isinstance(node.func, ast.Name) and node.func.id in scope.local_names:
        if node.func.id not in scope.variables:
            return scope.name(node.func)
        value = scope.variables[node.func.id].value
        if not isinstance(value, Static):
            raise scope.error(
                node, f"cannot call {node.func.id!r}: it is a number, not a function."
            )
    elif isinstance(node.func, ast.Name):
        return scope.outside(node.func)
    else:
        value = expression(scope, node.func)
    return value.value if isinstance(value, Static) else value


def _method(scope: Scope, node: ast.Call) -> Expression | None:
    """Type a method call on a number, such as z.conjugate(); else return None."""
    if not isinstance(node.func, ast.Attribute):
        return None
    handler = device_method.get(node.func.attr)
    root = split_attributes(node.func)[1]
    local = not isinstance(root, ast.Name) or root.id in scope.local_names
    if handler is None or not local:
        return None
    value = expression(scope, node.func.value)
    if not isinstance(value.type, Type):
        return None
    name = ast.unparse(node.func)
    arguments = [value, *_arguments(scope, node)]
    return handler(CallSite(scope, node, name, arguments, {}))


def _arguments(scope: Scope, node: ast.Call) -> list[Expression]:
    arguments: list[Expression] = []
    for argument in node.args:
        if not isinstance(argument, ast.Starred):
            arguments.append(expression(scope, argument))
            continue
        value = expression(scope, argument.value)
        if not isinstance(value.type, TupleType):
            raise scope.error(argument, f"* in a call needs a tuple, got {value.type}.")
        arguments += tuple_items(value)
    return list(scope.in_order(node, *arguments))


def _invoke(site: CallSite, target: Any) -> Expression:
    """Type a call of a Python function, plain or decorated by `jit`."""
    callee: types.FunctionType = getattr(target, "py_func", target)
    signatures: Sequence[FunctionType] = getattr(target, "declared", ())
    names = callee.__code__.co_varnames[: callee.__code__.co_argcount]
    values = callee.__defaults__ or ()
    defaults = {
        name: site.scope.constant(site.node, value)
        for name, value in zip(names[len(names) - len(values) :], values, strict=True)
    }
    arguments = site.bind(*names[: len(names) - len(values)], **defaults)
    result: Type | None = None
    costs = [_cost(value, arguments) for value in signatures]
    if costs and min(costs) < _NEVER:
        signature = signatures[costs.index(min(costs))]
        result = signature.result
        arguments = [
            convert(value, kind) if isinstance(kind, Type) else value
            for value, kind in zip(arguments, signature.arguments, strict=True)
        ]
    kinds = tuple(map(_signature, arguments))
    function = site.scope.translate(callee, kinds, site.error, result)
    given = tuple(part for value in arguments for part in _flattened(value))
    return Invoke(function.result, function, given)


_NEVER = 1000


def _cost(signature: FunctionType, arguments: list[Expression]) -> int:
    """Return the conversion cost from arguments to a signature, as Numba ranks them."""
    if len(signature.arguments) != len(arguments):
        return _NEVER
    cost = 0
    for kind, argument in zip(signature.arguments, arguments, strict=True):
        given = argument.type
        if isinstance(kind, Type) and isinstance(given, Type):
            falls = given.rank - kind.rank
            narrows = given.size > kind.size
            cost += 0 if given is kind else 20 if falls > 0 else 10 if narrows else 1
            cost += _NEVER if given.is_complex and falls > 0 else 0
        elif isinstance(kind, ArrayType) and isinstance(given, ArrayType):
            alike = (kind.dtype, kind.ndim) == (given.dtype, given.ndim)
            cost += 0 if alike else _NEVER
        elif isinstance(kind, Type) or isinstance(given, Type):
            cost += _NEVER
    return cost


def _signature(argument: Expression) -> Any:
    """Return what a called function is specialized for: a type, or a Python object."""
    if isinstance(argument, Static):
        return argument
    if isinstance(argument, TupleValue):
        return TupleValue.of(
            tuple(
                element
                if isinstance(element, Static)
                else Expression(_signature(element))
                for element in argument.items
            ),
            argument.type.names,
        ).type
    if isinstance(argument.type, ArrayType):
        return argument.type.plain
    return argument.type


def _flattened(argument: Expression) -> list[Expression]:
    """List the arguments to pass: tuples item by item, no compile-time objects."""
    if isinstance(argument, Static):
        return []
    if isinstance(argument.type, TupleType):
        items = tuple_items(argument)
        return [part for element in items for part in _flattened(element)]
    if isinstance(argument.type, ArrayType) and argument.type.shape is not None:
        return [ArrayOf(argument.type.plain, argument)]
    return [argument]


# How names of the modules of `minitorch.cuda` begin, under whichever of its two names
# the library is loaded.
_OF_THE_HOST = __name__.removesuffix("language.typing.calls")


def _is_host_function(function: types.FunctionType) -> bool:
    """Return whether it is a host function of `minitorch.cuda`."""
    name = str(function.__module__)
    module = sys.modules.get(name) if name.startswith(_OF_THE_HOST) else None
    return module is not None and vars(module).get(function.__name__) is function

"""The nearest wrong versions of a function: one small change of its text each.

What a judge should refuse is made of right answers, not thought up, so that a judge
whose data is too kind shows.
"""

from __future__ import annotations

import ast
import copy
import inspect
import itertools
import linecache
import textwrap
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Change = Callable[[Any], None]  # of a node, in place

_COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
}
_OPERATORS = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add,),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Mult, ast.Sub),
    ast.Mod: (ast.FloorDiv,),
}
_OTHER_NAME = {"max": "min", "min": "max"}
_OTHER_PART = {"x": "y", "y": "x"}
_numbers = itertools.count()


@dataclass(frozen=True)
class Mutant:
    """A function with one change.

    Attributes:
        name: the line that differs, with its number in the function.
        function: to be called, or to be compiled as a kernel.
    """

    name: str
    function: types.FunctionType


def mutants(function):
    """All functions that differ from `function` by one change of the kinds above."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    right = ast.unparse(tree)
    texts = dict.fromkeys(_texts(tree))
    texts.pop(right, None)
    return [Mutant(_name(right, text), _made(function, text)) for text in texts]


def _texts(tree):
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    alike = _alike(function)
    shapes = {id(each) for each in _shapes_of_boards(tree)}
    for at, node in enumerate(ast.walk(tree)):
        if id(node) in shapes:
            continue  # a larger board is as right, a smaller one is hardly near
        for change in _changes(node, alike):
            copied = copy.deepcopy(tree)
            # A copy is walked in the same order.
            change(next(itertools.islice(ast.walk(copied), at, None)))
            yield ast.unparse(ast.fix_missing_locations(copied))


def _alike(function):
    """Names that are mistaken for each other: inputs, and places of a thread."""
    places = []
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and _asks_for_the_thread(node.value):
            places += [
                each.id
                for target in node.targets
                for each in ast.walk(target)
                if isinstance(each, ast.Name)
            ]
    inputs = [each.arg for each in function.args.args if each.arg != "out"]
    return [inputs, list(dict.fromkeys(places))]


def _asks_for_the_thread(value):
    asked = {each.attr for each in ast.walk(value) if isinstance(each, ast.Attribute)}
    return bool(asked & {"grid", "threadIdx", "blockIdx"})


def _shapes_of_boards(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".array"):
            for argument in node.args:
                yield from ast.walk(argument)


def _changes(node, alike):
    match node:
        case ast.Compare():
            yield from _of_comparison(node)
        case ast.BinOp(op=op) | ast.AugAssign(op=op):
            for other in _OPERATORS.get(type(op), ()):
                yield _set("op", other())
        case ast.BoolOp(values=values):
            yield _set("op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
            for at in range(len(values)):
                yield _set("values", [values[at]])
        case ast.Name(id=name) if name in _OTHER_NAME:
            yield _set("id", _OTHER_NAME[name])
        case ast.Name(id=name, ctx=ast.Load()):
            for names in alike:
                for other in names if name in names else ():
                    yield _set("id", other)
        case ast.Attribute(attr=part) if part in _OTHER_PART:
            yield _set("attr", _OTHER_PART[part])
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            yield _set("value", value + 1)
            yield _set("value", value - 1)
        case ast.Subscript():
            yield from _of_subscript(node)
        case ast.Tuple(elts=[first, second], ctx=ast.Store()):
            yield _set("elts", [second, first])
        case ast.IfExp():
            yield _set("test", ast.Constant(True))
            yield _set("test", ast.Constant(False))
    if isinstance(node, ast.If):
        yield _set("test", ast.Constant(True))
    if isinstance(node, ast.AugAssign):
        yield _assign_only
    for field in ("body", "orelse"):
        statements = getattr(node, field, None)
        if isinstance(statements, list) and not isinstance(node, ast.Module):
            for at in range(len(statements)):
                left = statements[:at] + statements[at + 1 :]
                yield _set(field, left or [ast.Pass()])


def _of_comparison(node):
    for at, op in enumerate(node.ops):
        if type(op) in _COMPARISONS:
            other = _COMPARISONS[type(op)]()
            yield _set("ops", [*node.ops[:at], other, *node.ops[at + 1 :]])


def _of_subscript(node):
    """The cells beside it, and two indices swapped."""
    whole = node.slice
    parts = whole.elts if isinstance(whole, ast.Tuple) else [whole]
    if any(isinstance(part, ast.Slice) for part in parts):
        return
    for at, part in enumerate(parts):
        if isinstance(part, ast.Constant):
            continue  # changed as a constant
        for op in (ast.Add(), ast.Sub()):
            moved = list(parts)
            moved[at] = ast.BinOp(part, op, ast.Constant(1))
            slice_ = moved[0] if len(moved) == 1 else ast.Tuple(moved, ast.Load())
            yield _set("slice", slice_)
    if len(parts) == 2:
        yield _set("slice", ast.Tuple(list(reversed(parts)), ast.Load()))


def _set(field, value):
    # Copied: the changed tree must not share nodes with the right one.
    return lambda node: setattr(node, field, copy.deepcopy(value))


def _assign_only(node):
    """`a += b` becomes `a = b`, in place."""
    target, value = node.target, node.value
    node.__class__ = ast.Assign
    node.__dict__ = {"targets": [target], "value": value}


def _name(right, wrong):
    """`number: new text` of the first line that differs."""
    before, after = right.splitlines(), wrong.splitlines()
    at = next(
        i
        for i, (one, other) in enumerate(itertools.zip_longest(before, after))
        if one != other
    )
    if len(after) < len(before):
        return f"{at + 1}: without {before[at].strip()}"
    return f"{at + 1}: {after[at].strip()}"


def _made(function, text):
    """Define the text as if it stood where the function does."""
    # The translator of kernels asks for the source.
    file = f"<mutant {next(_numbers)} of {function.__name__}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = dict(function.__globals__)
    exec(compile(text, file, "exec"), names)
    made = names[function.__name__]
    assert isinstance(made, types.FunctionType)
    return made

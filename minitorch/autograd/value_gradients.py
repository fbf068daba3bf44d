"""Gradients of elementwise values, as values; the same formulas as the library's ops.

Each has the form, and the order of additions, of cpp/cpu/elementwise.inc and of the
engine, so that they round alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from .stand_ins import COMPARISONS, Value, value

_Rule = Callable[..., tuple[Any, ...]]

_INV_ROOT_PI = 1 / math.sqrt(math.pi)


def _masked(g: Any, op: str, a: Any, b: Any) -> Any:
    """Return 0 where `a` op `b`, else g; correct even if the other factor is NaN."""
    return value("where", value(op, a, b), 0.0, g)


def _kept(g: Any, op: str, a: Any, b: Any) -> Any:
    """Return g where `a` op `b`, else 0."""
    return value("where", value(op, a, b), g, 0.0)


def _chosen(g: Any, lost: str, a: Any, b: Any) -> Any:
    """g where `a` was chosen of two, half of it where both are equal, 0 where it
    `lost`; of a number nothing asks for one."""
    if not isinstance(a, Value):
        return 0.0
    return value("where", value("eq", a, b), g * 0.5, _masked(g, lost, a, b))


def _slope_of_power(g: Any, a: Any, b: Any) -> Any:
    """Return the gradient of the base: 0 for exponent 0, even if 1 / a is undefined."""
    if not isinstance(b, Value):
        return 0.0 if b == 0 else g * (value("pow", a, b - 1.0) * b)
    # 1 where 1 / a is infinite or NaN: times 0 it is NaN.
    open_ = value("ne", value("reciprocal", a) * 0.0, 0.0)
    flat = open_ * value("eq", b, 0.0)
    return g * (b * value("pow", a, value("sub", b, 1.0) + flat))


def _log_of_base(a: Any, b: Any) -> Any:
    """Return log(a), or 0 (the limit) where a is 0 and b is not negative."""
    if isinstance(a, Value):
        bounded = value("eq", a, 0.0) * value("ge", b, 0.0)
        return value("log", a + bounded)
    if a == 0:
        return value("log", value("ge", b, 0.0))
    return math.log(a) if a > 0 else math.nan


def _power(g: Any, y: Any, a: Any, b: Any) -> tuple[Any, ...]:
    of_base = _slope_of_power(g, a, b) if isinstance(a, Value) else 0.0
    if not isinstance(b, Value):
        return of_base, 0.0
    return of_base, g * (value("pow", a, b) * _log_of_base(a, b))


def _clamp(g: Any, y: Any, x: Any, low: Any, high: Any) -> tuple[Any, ...]:
    return _kept(_kept(g, "gt", x, low), "lt", x, high), 0.0, 0.0


# (g, result, *inputs) -> a gradient for each input.
_RULES: dict[str, _Rule] = {
    "neg": lambda g, y, x: (-g,),
    "abs": lambda g, y, x: (g * value("sign", x),),
    "relu": lambda g, y, x: (value("relu_grad", x, g),),
    "sigmoid": lambda g, y, x: (value("sigmoid_grad", y, g),),
    "tanh": lambda g, y, x: (value("tanh_grad", y, g),),
    "exp": lambda g, y, x: (g * y,),
    "log": lambda g, y, x: (g / x,),
    "sqrt": lambda g, y, x: (g * 0.5 / y,),
    "rsqrt": lambda g, y, x: (g * -0.5 * (y * (y * y)),),
    "reciprocal": lambda g, y, x: (-(g * (y * y)),),
    "sin": lambda g, y, x: (g * value("cos", x),),
    "cos": lambda g, y, x: (-(g * value("sin", x)),),
    "erf": lambda g, y, x: (g * (value("exp", -(x * x)) * (2 * _INV_ROOT_PI)),),
    "gelu": lambda g, y, x: (value("gelu_grad", x, g),),
    "silu": lambda g, y, x: (value("silu_grad", x, g),),
    "add": lambda g, y, a, b: (g, g),
    "sub": lambda g, y, a, b: (g, -g),
    "mul": lambda g, y, a, b: (g * b, g * a),
    "div": lambda g, y, a, b: (g / b, -(g * (a / b / b))),
    "remainder": lambda g, y, a, b: (g, -(g * value("floor_divide", a, b))),
    "pow": _power,
    "maximum": lambda g, y, a, b: (_chosen(g, "lt", a, b), _chosen(g, "lt", b, a)),
    "minimum": lambda g, y, a, b: (_chosen(g, "gt", a, b), _chosen(g, "gt", b, a)),
    "where": lambda g, y, c, a, b: (
        0.0,
        value("where", c, g, 0.0),
        value("where", c, 0.0, g),
    ),
    "clamp": _clamp,
    "clamp_min": lambda g, y, x, low: (_kept(g, "gt", x, low), 0.0),
    "clamp_max": lambda g, y, x, high: (_kept(g, "lt", x, high), 0.0),
}
_ZERO = ("sign", "floor", "ceil", "round", "floor_divide", *COMPARISONS)


def _gradients_of(node: Value, g: Any) -> tuple[Any, ...]:
    if node.op in _ZERO:
        return (0.0,) * len(node.inputs)
    if not isinstance(g, Value):
        g = Value("number", (g,), dtype=node.dtype)
    return _RULES[node.op](g, node, *node.inputs)


def on_the_way(root: Value) -> list[Value]:
    """Return all values that `root` depends on, in topological order."""
    order: list[Value] = []
    seen: set[Value] = set()
    open_: list[tuple[Value, bool]] = [(root, False)]
    while open_:
        node, entered = open_.pop()
        if entered:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            open_.append((node, True))
            inputs = [operand for operand in node.inputs if isinstance(operand, Value)]
            open_ += [(operand, False) for operand in reversed(inputs)]
    return order


def _sum(a: Any, b: Any) -> Any:
    both_numbers = not isinstance(a, Value) and not isinstance(b, Value)
    return a + b if both_numbers else value("add", a, b)


def gradients(root: Value, arrived: Value, positions: Sequence[int]) -> list[Any]:
    """Return the gradients of the arguments at `positions`, in the engine's order.

    Args:
        root: The result of the function.
        arrived: Its gradient.
        positions: Positions of arguments that need one.

    Returns:
        A value or a number for each.
    """
    nodes = on_the_way(root)
    needed = {n for n in nodes if n.op == "argument" and n.position in positions}
    for node in nodes:
        if any(
            operand in needed for operand in node.inputs if isinstance(operand, Value)
        ):
            needed.add(node)
    waiting = dict.fromkeys(needed, 0)
    for node in needed:
        for operand in node.inputs:
            if isinstance(operand, Value) and operand in needed:
                waiting[operand] += 1
    sums: dict[Value, Any] = {root: arrived}
    ready = [root] if root in needed else []
    while ready:
        node = ready.pop()
        if node.op == "argument":
            continue
        derivatives = _gradients_of(node, sums[node])
        for operand, one in zip(node.inputs, derivatives, strict=True):
            if not isinstance(operand, Value) or operand not in needed:
                continue
            sums[operand] = _sum(sums[operand], one) if operand in sums else one
            waiting[operand] -= 1
            if waiting[operand] == 0:
                ready.append(operand)
    by_position = {n.position: sums[n] for n in needed if n.op == "argument"}
    return [by_position.get(position, 0.0) for position in positions]

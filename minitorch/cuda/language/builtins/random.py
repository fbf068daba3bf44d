"""Typing of `cuda.random.xoroshiro128p_*`: state and number."""

from __future__ import annotations

import ast

from ..advice import describe
from ..array_views import checked, int64, item_of
from ..typed import Address, Expression, Intrinsic, Item, Static
from ..types import ArrayType, Type
from .calls import CallSite, device_function

_RESULTS = {
    "next": ("next", Type.UINT64),
    "uniform_float32": ("uniform32", Type.FLOAT32),
    "uniform_float64": ("uniform64", Type.FLOAT64),
    "normal_float32": ("normal32", Type.FLOAT32),
    "normal_float64": ("normal64", Type.FLOAT64),
}


@device_function(*(f"random.xoroshiro128p_{name}" for name in _RESULTS))
def _random(site: CallSite) -> Expression:
    states, index = site.bind("states", "index")
    function, result = _RESULTS[site.name.partition("128p_")[2]]
    state = _state(site, states, index)
    return Intrinsic(
        result, f"py::random_{function}", (state,), ("random.cuh",), effect=True
    )


@device_function("random.xoroshiro128p_jump")
def _jump(site: CallSite) -> Expression:
    states, index = site.bind("states", "index")
    state = _state(site, states, index)
    return Intrinsic(None, "py::random_jump", (state,), ("random.cuh",), effect=True)


def _state(site: CallSite, states: Expression, index: Expression) -> Expression:
    """Return the address of a state's two words: states are (n, 2) words."""
    type_ = states.type
    fits = isinstance(type_, ArrayType) and (type_.dtype, type_.ndim) == (
        Type.UINT64,
        2,
    )
    if not fits:
        got = describe(states.value) if isinstance(states, Static) else str(type_)
        raise site.error(
            f"{site.name} needs random states, got {got}. Create them with "
            "create_xoroshiro128p_states(n, seed) and pass them as an argument.",
            0,
        )
    node = site.place(1)
    number = site.scope.scalar(node, index)
    site.scope.need_integer(node, number)
    text = ast.unparse(site.place(0)), ast.unparse(node)
    access = site.scope.access(site.node, states, f"{text[0]}[{text[1]}]", text[1:])
    site.scope.accesses.append(access)
    row = checked({0: number}, states, access)[0]
    item = item_of(states, (row, int64(0)))
    assert isinstance(item, Item)
    return Address(None, item)

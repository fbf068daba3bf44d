"""Typing of thread functions: grid, barriers, warps."""

from __future__ import annotations

import ast

from ..array_views import known_index
from ..typed import (
    Assign,
    Constant,
    Expression,
    Intrinsic,
    Special,
    Static,
    TupleValue,
    as_bool,
    convert,
)
from ..types import TupleType, Type
from .calls import CallSite, device_function, python_function

_GRID = ("grid_group.cuh",)
_WARP = ("warp.cuh",)
_EVERY_LANE = Constant(Type.UINT32, 0xFFFFFFFF)
_PAIR = TupleType((Type.INT32, Type.BOOL))
_WIDEST_SHUFFLED = 8  # bytes
_MATCHED = (
    *(Type.INT32, Type.UINT32, Type.INT64, Type.UINT64),
    *(Type.FLOAT32, Type.FLOAT64),
)


def integer(site: CallSite, value: Expression, index: int, to: Type) -> Expression:
    """Convert an argument to the integer type `to`; a float is an error."""
    number = site.scope.scalar(site.place(index), value)
    if not (number.type.is_integer or number.type is Type.BOOL):
        raise site.error(
            f"{site.name} needs an integer, got {number.type}. Convert with int(...).",
            index,
        )
    return convert(number, to)


def named(site: CallSite, value: Expression) -> Expression:
    """Assign a returned tuple to a variable, so that the call happens once."""
    scope = site.scope
    if scope.conditional:
        raise site.error(
            f"{site.name} returns a tuple, which cannot be used inside `and`, `or` or "
            "`if else`. Assign it to a variable on the line above."
        )
    held = scope.fresh("pair", value.type)
    scope.body.append(Assign(scope.line(site.node), held, value))
    return held


def _predicate(site: CallSite, value: Expression, index: int) -> Expression:
    return as_bool(integer(site, value, index, value.type))


@device_function("grid", "gridsize")
def _grid(site: CallSite) -> Expression:
    (dimensions,) = site.bind("ndim")
    count = known_index(dimensions)
    if count not in (1, 2, 3):
        given = ", ".join(map(ast.unparse, site.node.args))
        raise site.error(
            f"got {site.name}({given}); the argument must be the constant 1, 2 or 3.", 0
        )
    pattern = (
        "blockIdx.{0} * (long long)blockDim.{0} + threadIdx.{0}"
        if site.name == "grid"
        else "gridDim.{0} * (long long)blockDim.{0}"
    )
    axes = "xyz"[:count]
    items = tuple(Special(Type.INT64, pattern.format(axis)) for axis in axes)
    return items[0] if count == 1 else TupleValue.of(items)


class _Method:
    """Key of a group's method in the table of calls."""

    def __init__(self, name: str) -> None:
        self.__name__ = name


_SYNC = _Method("this_grid().sync")


class GridGroup:
    """Compile-time value of `cuda.cg.this_grid()`; has `sync`."""

    sync = _SYNC


@device_function("cg.this_grid")
def _this_grid(site: CallSite) -> Expression:
    site.bind()
    return Static.of(GridGroup())


@python_function(_SYNC)
def _grid_sync(site: CallSite) -> Expression:
    site.bind()
    grid = Intrinsic(Type.UINT64, "py::this_grid", (), _GRID)
    return Intrinsic(Type.INT32, "py::grid_sync", (grid,), _GRID, effect=True)


@device_function(
    "syncthreads", "threadfence", "threadfence_block", "threadfence_system"
)
def _barrier(site: CallSite) -> Expression:
    site.bind()
    return Intrinsic(None, f"__{site.name}", (), effect=True)


@device_function("syncthreads_count", "syncthreads_and", "syncthreads_or")
def _counted_barrier(site: CallSite) -> Expression:
    (predicate,) = site.bind("predicate")
    test = convert(_predicate(site, predicate, 0), Type.INT32)
    return Intrinsic(Type.INT32, f"__{site.name}", (test,), effect=True)


@device_function("syncwarp")
def _syncwarp(site: CallSite) -> Expression:
    (mask,) = site.bind(mask=_EVERY_LANE)
    lanes = integer(site, mask, 0, Type.UINT32)
    return Intrinsic(None, "__syncwarp", (lanes,), effect=True)


@device_function("nanosleep")
def _nanosleep(site: CallSite) -> Expression:
    (ns,) = site.bind("ns")
    time = integer(site, ns, 0, Type.UINT32)
    return Intrinsic(None, "__nanosleep", (time,), effect=True)


@device_function("activemask")
def _activemask(site: CallSite) -> Expression:
    site.bind()
    return Intrinsic(Type.UINT32, "__activemask", (), effect=True)


@device_function("lanemask_lt")
def _lanemask(site: CallSite) -> Expression:
    site.bind()
    return Intrinsic(Type.UINT32, "py::lanemask_lt", (), _WARP)


@device_function("shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync")
def _shuffle(site: CallSite) -> Expression:
    function = site.name.removesuffix("_sync")
    last = {"shfl": "src_lane", "shfl_xor": "lane_mask"}.get(function, "delta")
    mask, value, by = site.bind("mask", "value", last)
    number = site.scope.scalar(site.place(1), value)
    if number.type.size > _WIDEST_SHUFFLED:
        raise site.error(
            f"{site.name} supports values of at most 8 bytes, got {number.type}. "
            "Shuffle .real and .imag separately.",
            1,
        )
    counts = Type.UINT32 if last == "delta" else Type.INT32
    lanes = integer(site, mask, 0, Type.UINT32), integer(site, by, 2, counts)
    return Intrinsic(
        number.type,
        f"py::{function}<{number.type.cuda}>",
        (lanes[0], number, lanes[1]),
        (*_WARP, *(("complex.cuh",) if number.type.is_complex else ())),
        effect=True,
    )


_VOTES = {
    "all_sync": ("py::all_lanes", Type.BOOL),
    "any_sync": ("py::any_lane", Type.BOOL),
    "eq_sync": ("py::equal_lanes", Type.BOOL),
    "ballot_sync": ("py::ballot", Type.INT32),
}


@device_function(*_VOTES)
def _vote(site: CallSite) -> Expression:
    mask, predicate = site.bind("mask", "predicate")
    function, result = _VOTES[site.name]
    arguments = integer(site, mask, 0, Type.UINT32), _predicate(site, predicate, 1)
    return Intrinsic(result, function, arguments, _WARP, effect=True)


@device_function("vote_sync_intrinsic")
def _vote_by_mode(site: CallSite) -> Expression:
    mask, mode, predicate = site.bind("mask", "mode", "predicate")
    if known_index(mode) not in (0, 1, 2, 3):
        raise site.error(
            "the mode must be a constant: 0 (all), 1 (any), 2 (equal) or 3 (ballot).",
            1,
        )
    arguments = (
        integer(site, mask, 0, Type.UINT32),
        convert(mode, Type.INT32),
        _predicate(site, predicate, 2),
    )
    return named(site, Intrinsic(_PAIR, "py::vote", arguments, _WARP, effect=True))


@device_function("match_any_sync", "match_all_sync")
def _match(site: CallSite) -> Expression:
    mask, value = site.bind("mask", "value")
    number = site.scope.scalar(site.place(1), value)
    if number.type not in _MATCHED:
        needed = ", ".join(map(str, _MATCHED))
        raise site.error(f"{site.name} needs one of {needed}, got {number.type}.", 1)
    arguments = integer(site, mask, 0, Type.UINT32), number
    if site.name == "match_all_sync":
        pair = Intrinsic(_PAIR, "py::match_all", arguments, _WARP, effect=True)
        return named(site, pair)
    function = f"py::match_any<{number.type.cuda}>"
    return Intrinsic(Type.INT32, function, arguments, _WARP, effect=True)

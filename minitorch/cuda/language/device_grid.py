"""Owns the typing of cooperative groups: the grid as one group, and its barrier."""

from __future__ import annotations

from .device_calls import CallSite, device_function, python_function
from .typed import Expression, Static
from .typed_kernel import Intrinsic
from .types import Type

__all__ = ["GridGroup"]

_HEADER = ("grid_group.cuh",)


class _Method:
    """Stands for a method of a group in the table of calls."""

    def __init__(self, name: str) -> None:
        self.__name__ = name


_SYNC = _Method("this_grid().sync")


class GridGroup:
    """What `cuda.cg.this_grid()` is while a kernel is compiled; has `sync`."""

    sync = _SYNC


@device_function("cg.this_grid")
def _this_grid(site: CallSite) -> Expression:
    site.bind()
    return Static.of(GridGroup())


@python_function(_SYNC)
def _grid_sync(site: CallSite) -> Expression:
    site.bind()
    grid = Intrinsic(Type.UINT64, "py::this_grid", (), _HEADER)
    return Intrinsic(Type.INT32, "py::grid_sync", (grid,), _HEADER, effect=True)

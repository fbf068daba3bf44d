"""Table of the methods of `minitorch.torch.Tensor`, by module.

Each family has functions that take the tensor first, and a table `METHODS` of those
that are methods, too. What no family has is the library's own.
"""

from __future__ import annotations

from types import ModuleType

from . import (
    arithmetic,
    comparison,
    conversions,
    create,
    graph,
    in_place,
    indexing,
    indexing_ops,
    joining,
    linalg,
    minmax,
    pointwise,
    printing,
    products,
    ranges,
    reduce,
    sampling,
    shapes,
    slicing,
    sorting,
)
from .tensor import Tensor

FAMILIES: tuple[ModuleType, ...] = (
    arithmetic,
    comparison,
    conversions,
    create,
    sampling,
    minmax,
    graph,
    in_place,
    indexing,
    joining,
    shapes,
    linalg,
    slicing,
    indexing_ops,
    pointwise,
    printing,
    products,
    ranges,
    reduce,
    sorting,
)


def owners(families: tuple[ModuleType, ...] = FAMILIES) -> dict[str, ModuleType]:
    """Return the family (module) of each method.

    Raises:
        ValueError: Two families have a method of the same name.
    """
    result: dict[str, ModuleType] = {}
    for family in families:
        for name in family.METHODS:
            if name in result:
                raise ValueError(
                    f"[torch.Tensor] got {name} of {result[name].__name__} and of "
                    f"{family.__name__}; need one."
                )
            result[name] = family
    return result


def attach(families: tuple[ModuleType, ...] = FAMILIES) -> None:
    """Add the methods of all families to the Tensor class."""
    for name, family in owners(families).items():
        setattr(Tensor, name, family.METHODS[name])

"""Find which of its array parameters a typed function writes.

Follows views, other names and called functions.
"""

from __future__ import annotations

from .typed import (
    Address,
    ArrayOf,
    Assign,
    Expression,
    Field,
    Invoke,
    Store,
    TypedFunction,
    Variable,
    children,
    walk,
)
from .types import ArrayType

#: A parameter's place, then those of an item in its tuples.
Path = tuple[int, ...]


def written_arrays(function: TypedFunction) -> frozenset[Path]:
    """Return the arrays among the parameters that the function may write.

    Args:
        function: A kernel or a device function, typed.

    Returns:
        Of each array the place of its parameter, counted from 0, and in a tuple the
        place of the item: `(2,)`, `(0, 1)`.
    """
    return _Writes(function, {}).arrays()


class _Writes:
    """Search for a function's writes; `known` has those of called functions."""

    def __init__(
        self, function: TypedFunction, known: dict[int, frozenset[Path]]
    ) -> None:
        self._parameters = {
            parameter.name: index for index, parameter in enumerate(function.parameters)
        }
        self._parts = list(walk(*function.body))
        self._known = known
        self._aliases: dict[str, set[Path]] = {}

    def arrays(self) -> frozenset[Path]:
        """Return the arrays that the function stores to, itself or through calls."""
        self._follow_names()
        written: set[Path] = set()
        for part in self._parts:
            if isinstance(part, (Store, Address)):
                written |= self._roots(part.item.base)
            elif isinstance(part, Invoke):
                # A called function takes the items of a tuple one by one.
                for index, *_ in self._writes_of(part.function):
                    written |= self._roots(part.arguments[index])
        return frozenset(written)

    def _writes_of(self, function: TypedFunction) -> frozenset[Path]:
        if id(function) not in self._known:
            self._known[id(function)] = _Writes(function, self._known).arrays()
        return self._known[id(function)]

    def _follow_names(self) -> None:
        """Collect which arrays each local name may refer to, regardless of order."""
        given = [
            part
            for part in self._parts
            if isinstance(part, Assign) and isinstance(part.target.type, ArrayType)
        ]
        grows = True
        while grows:
            grows = False
            for statement in given:
                names = self._aliases.setdefault(statement.target.name, set())
                before = len(names)
                names |= self._roots(statement.value)
                grows |= len(names) > before

    def _roots(self, array: Expression) -> set[Path]:
        """Return the parameters' arrays that an expression may be, or be a view of."""
        items: list[int] = []
        while not isinstance(array, Variable):
            if isinstance(array, Field):
                items.insert(0, array.index)
            elif not isinstance(array, ArrayOf):
                return set().union(*map(self._roots, _expressions(array)))
            array = array.base
        if array.name in self._parameters:
            path = (self._parameters[array.name], *items)
            return {path, *self._aliases.get(array.name, ())}
        return self._aliases.get(array.name, set())


def _expressions(value: Expression) -> list[Expression]:
    return [
        child
        for child in children(value)
        if isinstance(child, Expression) and isinstance(child.type, ArrayType)
    ]

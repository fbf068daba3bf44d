"""How launches fold: into rows of the network view, by the module they are of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .nets import Kernel, Net

MOST_ROWS = 16
_CHUNK = 24  # launches of a row where no module tells them apart


@dataclass(frozen=True)
class Group:
    """Launches that follow each other, as one row.

    Attributes:
        name: Of their module; of a single launch its kernel's.
        kind: The module's class, or "".
        first, last: Numbers of the first and the last of them.
    """

    name: str
    kind: str
    first: int
    last: int

    @property
    def count(self) -> int:
        """How many launches they are."""
        return self.last - self.first + 1


def _runs(
    kernels: tuple[Kernel, ...], first: int, last: int, key: Callable[[Kernel], str]
) -> list[tuple[int, int]]:
    """Stretches of launches that are alike by a key."""
    starts = [first]
    starts += [
        at
        for at in range(first + 1, last + 1)
        if key(kernels[at]) != key(kernels[at - 1])
    ]
    return [(one, other - 1) for one, other in pairwise([*starts, last + 1])]


def _prefix(kernel: Kernel, parts: int) -> str:
    back = "/" if kernel.back else ""
    return back + ".".join(kernel.layer.split(".")[:parts])


def _split(net: Net, group: tuple[int, int], parts: int) -> list[tuple[int, int]]:
    """A stretch by the next part of its modules' paths."""
    return _runs(net.kernels, *group, key=lambda each: _prefix(each, parts))


def _shared(paths: list[str]) -> str:
    """What paths begin with, in whole parts."""
    columns = zip(*(path.split(".") for path in paths), strict=False)
    same = []
    for column in columns:
        if len(set(column)) > 1:
            break
        same.append(column[0])
    return ".".join(same)


def _name(kernels: Sequence[Kernel]) -> str:
    """What a row of several launches is called by; "" where no module has them all."""
    back = " (back)" if all(each.back for each in kernels) else ""
    return _shared([each.layer for each in kernels]) + back


def _alike(net: Net, found: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Stretches of several launches with the name of another one, longest first."""
    names = [_name(net.kernels[one : last + 1]) for one, last in found]
    alike = [
        each
        for each, name in zip(found, names, strict=True)
        if names.count(name) > 1 and each[0] < each[1]
    ]
    return sorted(alike, key=lambda each: each[0] - each[1])


def _told_apart(net: Net, found: list[tuple[int, int]], deepest: int
                ) -> list[tuple[int, int]]:  # fmt: skip
    """Split stretches of one name by the next parts of their paths, while room is."""
    for parts in range(2, deepest + 1):
        for each in _alike(net, found):
            at, finer = found.index(each), _split(net, each, parts)
            if len(found) + len(finer) - 1 <= MOST_ROWS:
                found = [*found[:at], *finer, *found[at + 1 :]]
    return found


def _stretches(net: Net) -> list[tuple[int, int]]:
    """Stretches of launches, as fine as `MOST_ROWS` allow."""
    last = len(net.kernels) - 1
    if last < MOST_ROWS:
        return [(at, at) for at in range(last + 1)]
    found = _split(net, (0, last), 1)
    deepest = max(len(each.layer.split(".")) for each in net.kernels)
    for parts in range(2, deepest + 1):
        finer = [part for each in found for part in _split(net, each, parts)]
        if len(finer) > MOST_ROWS:
            break
        found = finer
    found = _told_apart(net, found, deepest)
    if len(found) <= MOST_ROWS:
        return found
    size = max(-(-(last + 1) // MOST_ROWS), _CHUNK)
    return [(at, min(at + size - 1, last)) for at in range(0, last + 1, size)]


def groups_of(net: Net) -> list[Group]:
    """The rows: each launch where they are few, else modules, split while room is.

    Args:
        net: From `net_of`.
    """
    kinds, found = dict(net.layers), []
    for first, last in _stretches(net):
        own = net.kernels[first : last + 1]
        if first == last:
            found.append(Group(own[0].name, "", first, last))
            continue
        name = _shared([each.layer for each in own])
        numbers = f"kernels {first + 1}–{last + 1}"
        back = " (back)" if all(each.back for each in own) else ""
        found.append(Group((name or numbers) + back, kinds.get(name, ""), first, last))
    return found

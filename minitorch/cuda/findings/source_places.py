"""Owns whose lines people read: those of Python for kernels that came from it.

Whoever makes kernels out of another language says how its lines are found. Must not
know languages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

#: File and line, as the device names them or as people know them.
Place = tuple[str, int]

_finders: list[Callable[[int, Place], Place | None]] = []


def add_finder(find: Callable[[int, Place], Place | None]) -> None:
    """Add what gives the original place for one of the kernel with that number."""
    _finders.append(find)


def original_place(owner: int, place: Place) -> Place | None:
    """Give the place in the file that its author wrote; None where there is no other.

    Args:
        owner: The number of the kernel in a finding or record; 0: CUDA C++.
        place: As the device names it.
    """
    for find in _finders if owner else ():
        found = find(owner, place)
        if found is not None:
            return found
    return None


def original_places(owner: int, places: Sequence[Place | None]) -> list[Place | None]:
    """Do the same for a place and the calls that led to it, innermost first.

    Where the innermost ones belong to no original, as headers of the library do, the
    list begins with the first that does.

    Example:
        >>> original_places(0, [("map.cu", 3), None])
        [('map.cu', 3), None]
    """
    found = [original_place(owner, at) if at else None for at in places]
    first = next((number for number, at in enumerate(found) if at), 0)
    return [new or old for new, old in zip(found, places, strict=True)][first:]

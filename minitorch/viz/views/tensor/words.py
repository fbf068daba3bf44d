"""The sentences of the tensor view."""

from __future__ import annotations

from ...scene.drawing import number, shortened
from ...scene.phrases import counted
from .places import Places
from .seen import Index, Seen

_MOST_DIMS = 5  # of a sum that a sentence can hold


def spelled(index: Index) -> str:
    """An index as it is written: [1, 2]."""
    return f"[{', '.join(map(str, index))}]"


def element(index: Index) -> str:
    """The element of an index, in words.

    Example:
        >>> element((1, 2)), element(())
        ('Element [1, 2]', 'The only element')
    """
    return f"Element {spelled(index)}" if index else "The only element"


def _sum(array: Seen, index: Index) -> str:
    """The arithmetic from index to cell; "" where it would be too long or is none."""
    if not 0 < len(index) <= _MOST_DIMS:
        return ""
    start = [number(array.start)] if array.start else []
    terms = [
        f"{at} × {number(step)}" for at, step in zip(index, array.strides, strict=True)
    ]
    return f": {' + '.join(start + terms)} = {number(array.cell_of(index))}"


def _alone(array: Seen) -> str:
    index = array.focus
    if index is None:
        return f"Shape {array.shape} has no element: nothing lies in storage."
    cell = number(array.cell_of(index))
    return f"{element(index)} lies in cell {cell} of storage{_sum(array, index)}."


def _both(one: Seen, other: Seen, shared: bool) -> str:
    names = [shortened(each.name, 30) for each in (one, other)]
    if one.focus is None and other.focus is None:
        return f"{names[0]} and {names[1]} have no element in common."
    if not shared:
        return f"{names[0]} and {names[1]} each lie in storage of their own."
    if one.focus is None or other.focus is None:
        seen, index, blind = (
            (one, one.focus, names[1])
            if one.focus is not None
            else (other, other.focus, names[0])
        )
        assert index is not None
        cell = number(seen.cell_of(index))
        name = shortened(seen.name, 30)
        return (
            f"{element(index)} of {name} lies in cell {cell}; {blind} does not see it."
        )
    cell = number(one.cell_of(one.focus))
    first, second = element(one.focus), element(other.focus)
    second = second[0].lower() + second[1:]
    return (
        f"{first} of {names[0]} and {second} of {names[1]} both lie in cell {cell} of "
        "storage."
    )


def answer_of(places: Places) -> str:
    """Where the focus lies, in one sentence."""
    if len(places.arrays) == 1:
        return _alone(places.arrays[0])
    return _both(places.arrays[0], places.arrays[1], places.shared)


def _cells(count: int) -> str:
    if count == 0:
        return "stays in its cell"
    way = "" if count > 0 else " back"
    return f"moves {counted(abs(count), 'cell')}{way}"


def _steps(array: Seen) -> str:
    """What a step in each direction does."""
    steps = array.strides if array.size else ()
    if len(steps) == 1:
        return f"A step to the right {_cells(steps[0])}."
    if len(steps) == 2:
        return (
            f"A step down {_cells(steps[0])}, a step to the right {_cells(steps[1])}."
        )
    return ""


def _amount(array: Seen, cells: int) -> str:
    """How many cells the elements take, and whether in order."""
    different = array.different
    if array.size == 0 or different is None:
        return ""
    if different < array.size:
        times = array.size / different
        often = f"{number(times)} times" if times == int(times) else "more than once"
        return (
            f"{number(array.size)} elements lie in {counted(different, 'cell')}: "
            f"{'it' if different == 1 else 'each'} is seen {often}."
        )
    if different < cells:
        return f"It sees {number(different)} of {number(cells)} cells."
    if array.row_order:
        return "Row after row lies there without gaps." if len(array.shape) > 1 else ""
    return f"All {number(cells)} cells are seen, but not row after row."


def detail_of(places: Places) -> str:
    """How the strides go through storage, and what two arrays have in common."""
    last = places.arrays[-1]
    parts = [_steps(last), _amount(last, places.memories[last.memory].cells)]
    if len(places.arrays) == 2:
        name = shortened(last.name, 30)
        words = " ".join(filter(None, parts))
        own = f"{name}: {words[0].lower()}{words[1:]}" if words else ""
        changes = "changes" if places.shared else "does not change"
        return f"{own} What is written to one {changes} the other.".strip()
    return " ".join(filter(None, parts))

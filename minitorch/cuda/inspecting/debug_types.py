"""Owns the types of variables in debug information, taken apart into numbers.

Must not know where variables are.
"""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from elftools.dwarf.die import DIE

#: What follows the variable's name, the offset in bytes, and the dtype.
Part = tuple[str, int, "np.dtype[np.generic]"]

#: Larger variables are left out: nobody looks at so many numbers of one thread.
_MOST_PARTS = 64
_KINDS = {2: "?", 4: "f", 5: "i", 6: "i", 7: "u", 8: "u"}  # DW_ATE_*
_INSIDE = ("DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type")
_HALF = {"__half": "f2"}


def parts_of(type_: DIE, commas: bool) -> list[Part]:
    """The numbers that a variable of this type consists of.

    Args:
        type_: A type.
        commas: Whether indices are written `[1, 2]`, as in Python, and not `[1][2]`.

    Returns:
        One part for a number, several for arrays and structs; none for pointers, for
        types that are not known, and for too large ones.
    """
    found = _parts(type_, commas)
    return found if len(found) <= _MOST_PARTS else []


def _parts(type_: DIE, commas: bool) -> list[Part]:
    while type_.tag in _INSIDE:
        type_ = type_.get_DIE_from_attribute("DW_AT_type")
    size = _value(type_, "DW_AT_byte_size")
    name = name_of(type_)
    if name in _HALF:
        return [("", 0, np.dtype(_HALF[name]))]
    if type_.tag == "DW_TAG_base_type":
        kind = _KINDS.get(_value(type_, "DW_AT_encoding"))
        if kind is None or size not in (1, 2, 4, 8):
            return []
        return [("", 0, np.dtype("?" if kind == "?" else f"<{kind}{size}"))]
    if type_.tag == "DW_TAG_enumeration_type":
        return [("", 0, np.dtype(f"<i{size}"))]
    if type_.tag == "DW_TAG_structure_type":
        return [
            (f".{name_of(member)}{suffix}", _place(member) + offset, dtype)
            for member in type_.iter_children()
            if member.tag == "DW_TAG_member"
            for suffix, offset, dtype in _parts(_type(member), commas)
        ]
    if type_.tag == "DW_TAG_array_type":
        return _elements(type_, commas)
    return []


def _elements(type_: DIE, commas: bool) -> list[Part]:
    sizes = [
        _value(each, "DW_AT_count") or _value(each, "DW_AT_upper_bound") + 1
        for each in type_.iter_children()
        if each.tag == "DW_TAG_subrange_type"
    ]
    inner = _parts(_type(type_), commas)
    if not inner or math.prod(sizes) * len(inner) > _MOST_PARTS:
        return []
    step = max(offset + dtype.itemsize for _, offset, dtype in inner)
    return [
        (_index(index, commas) + suffix, number * step + offset, dtype)
        for number, index in enumerate(product(*map(range, sizes)))
        for suffix, offset, dtype in inner
    ]


def _index(index: tuple[int, ...], commas: bool) -> str:
    return str(list(index)) if commas else "".join(f"[{at}]" for at in index)


def _type(die: DIE) -> DIE:
    return die.get_DIE_from_attribute("DW_AT_type")


def name_of(die: DIE) -> str:
    """The name in the source, or ""."""
    found = die.attributes.get("DW_AT_name")
    return found.value.decode(errors="replace") if found else ""


def _value(die: DIE, name: str) -> int:
    found = die.attributes.get(name)
    return found.value if found and isinstance(found.value, int) else 0


def _place(member: DIE) -> int:
    """Offset of a member: a number, or the expression `plus_uconst offset`."""
    found = member.attributes.get("DW_AT_data_member_location")
    if found is None or isinstance(found.value, int):
        return found.value if found else 0
    return uleb128(found.value[1:])


def uleb128(data: list[int]) -> int:
    """The first number in bytes of seven bits each.

    Example:
        >>> uleb128([0xE5, 0x8E, 0x26, 0xFF])
        624485
    """
    value = 0
    for place, byte in enumerate(data):
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            break
    return value

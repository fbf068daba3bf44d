"""Owns the words for an index that is outside of its dimension, as a check found it.

The emulator tells the access's number and, for each of its dimensions, the index that
the thread computed and the extent. Must not know the sentences around it.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .finding_elements import (
    guard_above,
    guard_below,
    is_name,
    part_of_array,
)
from .kernel_registry import CompiledKernel, kernel_of

if TYPE_CHECKING:
    from ..language.typed_kernel import Access
    from .argument_layout import PackedArray

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")


class IndexWords:
    """Names the element that one finding is about, index by index."""

    def __init__(
        self, fields: Mapping[str, Any], owner: CompiledKernel, advice: str
    ) -> None:
        self._fields = fields
        self._general = advice
        self._access: Access = owner.source.checks[fields["index_access"]]
        self._compared = owner.source.compared
        self._indices = {at: _given(*rest) for at, *rest in sorted(fields["indices"])}
        self._array = array_argument(owner, self._access, fields["arguments"])

    def what(self) -> str:
        """`write outside 'out', shape (4, 5)`."""
        done = "atomic change" if self._access.atomic else self._fields["access"]
        text = f"{done} outside '{self.array()}'"
        shape = self._shape()
        if not shape:
            return text
        return (
            f"{text}, shape {shape}" if len(shape) > 1 else f"{text}, size {shape[0]}"
        )

    def array(self) -> str:
        """The array as the learner calls it."""
        return base_text(self._access)

    def name(self) -> str:
        """`out[4, 0]`."""
        shown = (str(index) for _, (index, _) in self._indices.items())
        return f"{self.array()}[{', '.join(shown)}]"

    def subscripts(self, _site: object, _access: object) -> str:
        """The subscript as written."""
        return self._access.text

    def sentence(self, _site: object, _access: object) -> str:
        """`out[r, c] with r = 4 of 4, c = 0 of 5`."""
        told = []
        for at, (index, extent) in self._indices.items():
            text = self._text(at)
            if not text.lstrip("-").isdigit():
                told.append(f"{text} = {index} of {extent}")
            elif not 0 <= index < extent:
                told.append(f"{self._ordinal(at)}index = {index} of {extent}")
        return f"{self._access.text} with {', '.join(dict.fromkeys(told))}"

    def guard(self) -> str:
        """What to look at, then what to write, so that the index stays inside."""
        swapped = self._swapped()
        advice = self._advice()
        return (
            f"{swapped} If not, {advice[0].lower()}{advice[1:]}" if swapped else advice
        )

    def _text(self, dimension: int) -> str:
        texts = self._access.indices
        return texts[dimension] if dimension < len(texts) else ""

    def _ordinal(self, dimension: int) -> str:
        if len(self._access.indices) < 2 or dimension >= len(_ORDINALS):
            return ""
        return f"{_ORDINALS[dimension]} "

    def _shape(self) -> tuple[int, ...]:
        if self._array is not None:
            return self._array.sizes
        extents = [extent for _, (_, extent) in self._indices.items()]
        whole = len(extents) == len(self._access.indices)
        return tuple(extents) if whole and "" not in self._access.indices else ()

    def _outside(self) -> Iterator[int]:
        for at, (index, extent) in self._indices.items():
            if not 0 <= index < extent:
                yield at

    def _swapped(self) -> str:
        """A question, where the indices would fit in another order.

        Only about a name that the kernel compares with something: without any guard, a
        grid larger than the array is the likelier cause.
        """
        for at in self._outside():
            if self._text(at) not in self._compared:
                continue
            index, extent = self._indices[at]
            for other, (second, room) in self._indices.items():
                names = [self._text(each) for each in sorted((at, other))]
                fits = 0 <= index < room and 0 <= second < extent
                if other != at and fits and all(map(is_name, names)):
                    return (
                        f"{self._text(at)} = {index} fits dimension {other} ({room}): "
                        f"are {' and '.join(names)} swapped?"
                    )
        return ""

    def _advice(self) -> str:
        space, array = self._fields["space"], self.array()
        if space == "shared":
            return self._general
        if space in ("local", "const"):
            return f"Check the index against the size of '{array}'."
        names = {at: self._text(at) for at in self._indices}
        part = self._part()
        for at in self._outside():
            index, extent = self._indices[at]
            if index < 0:
                return guard_below(names[at], extent)
        if not all(map(is_name, names.values())):
            return f"{part}{self._general}"
        return f"{part}{guard_above(array, names, self._dimensions())}"

    def _dimensions(self) -> int:
        """The array's, where it is known, or else how many indices there are."""
        given = len(self._access.indices)
        return given if self._array is None else max(given, len(self._array.sizes))

    def _part(self) -> str:
        """A sentence where the subscript has fewer indices than the array dimensions.

        An atomic function takes an index for each.
        """
        dimensions = self._dimensions()
        if len(self._access.indices) == dimensions:
            return ""
        return f"{part_of_array(self.array(), self._access.text, dimensions)} "


def in_python(
    owner: CompiledKernel, site: Mapping[str, Any], access: Access | None = None
) -> Mapping[str, Any]:
    """Let a site in a header of the library begin where Python calls it.

    Of an access at the line of its subscript: a statement may have several.
    """
    places = [site["position"], *site["call_chain"]]
    for number, at in enumerate(places):
        if at is not None and owner.python_place(*at[:2]):
            position = at if access is None else (at[0], access.line, at[2])
            return {**site, "position": position, "call_chain": places[number + 1 :]}
    return site


def completed(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Complete such a finding: indices as the thread computed them.

    Of an array that the launch was given the address, and the array as its allocation,
    follow from the indices.
    """
    owner = kernel_of(fields["owner"])
    if not fields["indices"] or owner is None:
        return fields
    if fields["index_access"] >= len(owner.source.checks):
        return fields  # linked C++ may hold such a comment of its own
    indices = [(at, *_given(index, extent)) for at, index, extent in fields["indices"]]
    access = owner.source.checks[fields["index_access"]]
    site = in_python(owner, fields["site"], access)
    fields = {**fields, "indices": indices, "site": site, "address": None, "size": None}
    found = array_argument(owner, access, fields["arguments"])
    if found is None or fields["space"] != "global":
        return fields
    itemsize = found.kind.dtype.size
    offset = itemsize * sum(
        index * found.strides[dimension]
        for dimension, index, _ in indices
        if dimension < len(found.strides)
    )
    names, label = [name for name, _ in owner.source.parameters], base_text(access)
    return {
        **fields,
        "address": found.pointer + offset,
        "size": itemsize,
        "allocation": {
            "base": found.pointer,
            "size": math.prod(found.sizes) * itemsize,
            "offset": offset,
            "label": label,
            "parameter": names.index(label.partition("[")[0]),
        },
    }


def base_text(access: Access) -> str:
    """What is indexed, as written: `x` of `x[i]`, `x[i]` of `x[i][j]`."""
    node = ast.parse(access.text, mode="eval").body
    return ast.unparse(node.value) if isinstance(node, ast.Subscript) else access.array


def array_argument(
    owner: CompiledKernel, access: Access, given: bytes
) -> PackedArray | None:
    """Give the array of the launch; None: it is to a part of one, or to another."""
    wanted = base_text(access)
    names = [name for name, _ in owner.source.parameters]
    arrays = owner.layout.unpacked(names, given)
    return next((each for each in arrays if each.name == wanted), None)


def _given(index: int, extent: int) -> tuple[int, int]:
    """The index as computed, and the extent: what was negative has the size added."""
    return (index - extent if index < 0 else index), extent

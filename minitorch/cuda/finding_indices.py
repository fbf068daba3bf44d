"""Owns the words for an index that is outside of its dimension, as a check found it.

The emulator tells the access's number and, for each of its dimensions, the index that
the thread computed and the extent. Must not know the sentences around it.
"""

from __future__ import annotations

import ast
import math
import re
import struct
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .kernel_registry import CompiledKernel, kernel_of

if TYPE_CHECKING:
    from .language.typed_kernel import Access

# Names beside a comparison, in CUDA C++.
_COMPARED = re.compile(r"\b(\w+) [<>]=? ")

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")


class IndexWords:
    """Names the element that one finding is about, index by index."""

    def __init__(self, fields: Mapping[str, Any], owner: CompiledKernel) -> None:
        self._fields = fields
        self._access: Access = owner.source.checks[fields["index_access"]]
        self._compared = set(_COMPARED.findall(owner.source.cuda))
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
            return self._array[1]
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
                if other != at and fits and all(map(_is_name, names)):
                    return (
                        f"{self._text(at)} = {index} fits dimension {other} ({room}): "
                        f"are {' and '.join(names)} swapped?"
                    )
        return ""

    def _advice(self) -> str:
        space, array = self._fields["space"], self.array()
        extents = [extent for _, extent in self._indices.values()]
        if space == "shared" and 0 in extents:
            return (
                "The launch gave the block no dynamic shared memory: pass its size in "
                "bytes, kernel[grid, block, stream, size]."
            )
        if space == "shared":
            return "Check the size of the shared array against the block size."
        if space in ("local", "const"):
            return f"Check the index against the size of '{array}'."
        names = [self._text(at) for at in self._indices]
        for at in self._outside():
            index, extent = self._indices[at]
            if index < 0:
                return (
                    f"Guard the access: if {self._text(at)} >= 0: ... (indices from -1 "
                    f"down to -{extent} count from the end)."
                )
        if not all(map(_is_name, names)):
            return "Guard the access with the array's shape, or check the grid."
        if len(self._access.indices) == 1:
            return f"Guard the access: if {names[0]} < {array}.size: ..."
        tests = (f"{self._text(at)} < {array}.shape[{at}]" for at in self._indices)
        return f"Guard the access: if {' and '.join(tests)}: ..."


def at_subscript(
    owner: CompiledKernel, site: Mapping[str, Any], access: Access
) -> Mapping[str, Any]:
    """Let a site begin at the line of its subscript: a statement may have several."""
    places = [site["position"], *site["call_chain"]]
    for number, at in enumerate(places):
        if at is not None and owner.python_place(*at[:2]):
            position = (at[0], access.line, at[2])
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
    site = at_subscript(owner, fields["site"], access)
    fields = {**fields, "indices": indices, "site": site, "address": None, "size": None}
    found = array_argument(owner, access, fields["arguments"])
    if found is None or fields["space"] != "global":
        return fields
    pointer, shape, strides, itemsize = found
    offset = itemsize * sum(
        index * strides[dimension]
        for dimension, index, _ in indices
        if dimension < len(strides)
    )
    names, label = [name for name, _ in owner.source.parameters], base_text(access)
    return {
        **fields,
        "address": pointer + offset,
        "size": itemsize,
        "allocation": {
            "base": pointer,
            "size": math.prod(shape) * itemsize,
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
) -> tuple[int, tuple[int, ...], tuple[int, ...], int] | None:
    """Give pointer, sizes, strides and element size of an array of the launch.

    None: the access is to a part of it, or to another array.
    """
    wanted = base_text(access)
    names = [name for name, _ in owner.source.parameters]
    for name, kind, place in owner.layout.arrays(names):
        if name == wanted and place + 8 + 16 * kind.ndim <= len(given):
            form = f"<Q{2 * kind.ndim}q"
            pointer, *numbers = struct.unpack_from(form, given, place)
            sizes, strides = numbers[: kind.ndim], numbers[kind.ndim :]
            return pointer, tuple(sizes), tuple(strides), kind.dtype.size
    return None


def _given(index: int, extent: int) -> tuple[int, int]:
    """The index as computed, and the extent: what was negative has the size added."""
    return (index - extent if index < 0 else index), extent


def _is_name(text: str) -> bool:
    return text.replace(".", "_").isidentifier()

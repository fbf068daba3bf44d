"""Owns which element of which array a finding is about, in the words of the source.

Shapes come from the launch's arguments, which a finding carries, and of shared arrays
from their declarations. Must not know the sentences around it.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .kernel_registry import CompiledKernel

if TYPE_CHECKING:
    from ..language.typed_kernel import Access
    from .argument_layout import PackedArray


#: Dynamic shared memory in CUDA C++ (headers/array.cuh).
_DYNAMIC = "dynamic_shared"


@dataclass(frozen=True)
class Element:
    """An element, perhaps outside of its array.

    Attributes:
        array: Name of the array.
        shape: Its sizes.
        index: One number for each size; the first may be outside of it.
    """

    array: str
    shape: tuple[int, ...]
    index: tuple[int, ...]


class ElementWords:
    """Names the element that one finding is about; `advice` is the catalogue's."""

    def __init__(
        self, fields: Mapping[str, Any], owner: CompiledKernel, advice: str
    ) -> None:
        self._fields = fields
        self._owner = owner
        self._general = advice
        self._element = self._global() or self._shared()

    def name(self) -> str:
        """`tile[3, 7]`, or "" where it is not known."""
        if self._element is None:
            return ""
        index = self._element.index
        if self._fields["remedy"] == "OwnRandomState":
            index = index[:1]  # a state is a row of two words
        return f"{self._element.array}[{', '.join(map(str, index))}]"

    def overlay(self) -> bool:
        """Do the sites of a race name two arrays of dynamic shared memory?"""
        sites = (self._fields["site"], self._fields["other"])
        dynamic = self._owner.source.dynamic
        names = [{each.array for each in self._lines(site)} & dynamic for site in sites]
        return names[0] != names[1] and all(len(each) == 1 for each in names)

    def subscripts(self, site: Mapping[str, Any], access: str | None) -> str:
        """The subscripts of the line that may be meant, as written."""
        found = dict.fromkeys(each.text for each in self._accesses(site, access))
        return " or ".join(found)

    def sentence(self, site: Mapping[str, Any], access: str | None) -> str:
        """`a[i] with i = 17 of 16`, or as much of it as is known."""
        quoted = self.subscripts(site, access)
        element = self._element
        if element is None:
            return quoted
        if len(element.shape) == 1:
            inner = self._index_texts(site, access)
            (index,), (size,) = element.index, element.shape
            if len(inner) == 1 and not inner[0].lstrip("-").isdigit():
                return f"{quoted} with {inner[0]} = {index} of {size}"
            return f"{quoted or element.array} at index {index} of {size}"
        indices = ", ".join(map(str, element.index))
        shown = f"{quoted} at " if quoted else ""
        return f"{shown}index ({indices}) of '{element.array}', shape {element.shape}"

    def guard(self) -> str:
        """What to write so that the index stays inside."""
        if self._fields["space"] != "global":
            return self._general
        site, access = self._fields["site"], self._fields["access"]
        found = self._accesses(site, access)
        element = self._element
        if element is None or len({each.text for each in found}) != 1:
            return self._general
        names = _index_parts(found[0].text)
        if len(names) != len(element.shape) or not all(map(is_name, names)):
            return self._general
        if element.index[0] < 0:
            return guard_below(names[0], element.shape[0])
        return guard_above(found[0].array, dict(enumerate(names)), len(names))

    def _accesses(self, site: Mapping[str, Any], access: str | None) -> list[Access]:
        """The subscripts of the line that may be meant: of the array, and of the kind.

        What a function reads or writes that gets `a[i]` is a subscript that is read.
        """
        here, name = self._lines(site), self._name()
        named = [each for each in here if each.array == name.partition("[")[0]]
        found = named or [each for each in here if each.array not in self._others(site)]
        if access not in ("read", "write"):
            return found
        fitting = [each for each in found if each.write == (access == "write")]
        return fitting or [each for each in named if not each.write]

    def _name(self) -> str:
        return self._element.array if self._element else self._label()

    def _others(self, site: Mapping[str, Any]) -> set[str]:
        """Names of the kernel that are certainly another array than the finding's."""
        source = self._owner.source
        if not site["position"] or site["position"][0] != source.file:
            return set()  # a function has names of its own
        space, name = self._fields["space"], self._name()
        given = {each for each, _ in source.parameters}
        known = given | source.shared.keys() | source.dynamic
        if name in source.dynamic:
            return known - source.dynamic
        if name in known or space == "local":
            return known - {name}
        return set(source.shared) if space == "global" else given

    def _index_texts(self, site: Mapping[str, Any], access: str | None) -> list[str]:
        texts = {each.text for each in self._accesses(site, access)}
        return _index_parts(texts.pop()) if len(texts) == 1 else []

    def _label(self) -> str:
        allocation = self._fields["allocation"]
        return allocation["label"] if allocation else ""

    def _global(self) -> Element | None:
        allocation, address = self._fields["allocation"], self._fields["address"]
        if self._fields["space"] != "global" or not allocation or not address:
            return None
        low, high = allocation["base"], allocation["base"] + allocation["size"]
        wanted = {each.array for each in self._lines(self._fields["site"])}
        names = [name for name, _ in self._owner.source.parameters]
        arrays = self._owner.layout.unpacked(names, self._fields["arguments"])
        inside = [each for each in arrays if low <= each.pointer <= high]
        if not inside:
            return None
        found = max(
            inside, key=lambda each: (_holds(each, address), each.name in wanted)
        )
        offset = (address - found.pointer) // found.kind.dtype.size
        index = _unravelled(offset, found.sizes, found.strides)
        return Element(found.name, found.sizes, index)

    def _lines(self, site: Mapping[str, Any] | None) -> list[Access]:
        """The subscripts of the site's line."""
        if site is None or site["position"] is None:
            return []
        file, line, _ = site["position"]
        every = self._owner.source.accesses.get(file, [])
        return [each for each in every if each.line == line]

    def _shared(self) -> Element | None:
        allocation, size = self._fields["allocation"], self._fields["size"]
        if self._fields["space"] != "shared" or not allocation or not size:
            return None
        offset = allocation["offset"] // size
        shape = self._owner.source.shared.get(allocation["label"], ())
        if math.prod(shape) * size != allocation["size"]:
            shape = (allocation["size"] // size,)
        strides = [math.prod(shape[at + 1 :]) for at in range(len(shape))]
        label = allocation["label"]
        if label == _DYNAMIC:
            here = {each.array for each in self._lines(self._fields["site"])}
            names = here & self._owner.source.dynamic
            label = names.pop() if len(names) == 1 else label
        return Element(label, shape, _unravelled(offset, shape, strides))


def _holds(array: PackedArray, address: int) -> bool:
    """Does the memory from the array's first element to its last hold the address?"""
    reaches = [(n - 1) * by for n, by in zip(array.sizes, array.strides, strict=True)]
    first = sum(each for each in reaches if each < 0)
    last = sum(each for each in reaches if each > 0)
    offset = (address - array.pointer) // array.kind.dtype.size
    return first <= offset <= last


def guard_below(name: str, size: int) -> str:
    """What to write so that an index is not negative."""
    return (
        f"Guard the access: if {name} >= 0: ... (indices from -1 down to "
        f"-{size} count from the end)."
    )


def guard_above(array: str, names: Mapping[int, str], ndim: int) -> str:
    """What to write so that indices, by dimension, are below the sizes.

    Args:
        array: Its name.
        names: The indices, by dimension.
        ndim: Dimensions of the array, which may have more of them than indices.
    """
    if ndim == 1:
        return f"Guard the access: if {names[0]} < {array}.size: ..."
    tests = (f"{name} < {array}.shape[{at}]" for at, name in names.items())
    return f"Guard the access: if {' and '.join(tests)}: ..."


def part_of_array(array: str, text: str, ndim: int) -> str:
    """What a subscript with fewer indices than dimensions is.

    Example:
        >>> part_of_array("out", "out[i]", 2)
        "'out' has 2 dimensions: out[i] is a row, out[row, column] one element."
    """
    if ndim == 2:
        return (
            f"'{array}' has 2 dimensions: {text} is a row, {array}[row, column] one "
            "element."
        )
    return f"'{array}' has {ndim} dimensions: {text} is a part, not one element."


def is_name(text: str) -> bool:
    """Is it a name, or an attribute such as `cuda.threadIdx.x`?"""
    return text.replace(".", "_").isidentifier()


def _unravelled(
    offset: int, shape: Sequence[int], strides: Sequence[int]
) -> tuple[int, ...]:
    """The indices that lead to `offset`; the widest stride's may leave its size."""
    index = [0] * len(shape)
    order = sorted(range(len(shape)), key=lambda at: -abs(strides[at]))
    for number, at in enumerate(order):
        if strides[at] == 0:
            continue
        if number == 0:
            index[at] = (
                offset // strides[at] if len(shape) > 1 else _exact(offset, strides[at])
            )
        else:
            index[at] = min(offset // strides[at], max(shape[at] - 1, 0))
        offset -= index[at] * strides[at]
    for at in order[:1]:
        if index[at] < 0:
            index[at] -= shape[at]  # the kernel has added the size
    return tuple(index)


def _exact(offset: int, stride: int) -> int:
    return offset // stride if offset % stride == 0 else int(offset / stride)


def _index_parts(text: str) -> list[str]:
    """`["i", "j + 1"]` of `a[i, j + 1]`."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return []
    if not isinstance(node, ast.Subscript):
        return []
    inner = node.slice
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    return [ast.unparse(part) for part in parts]

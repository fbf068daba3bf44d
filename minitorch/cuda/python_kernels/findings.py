"""Describe findings in Python kernels: Python lines, subscripts and indices."""

from __future__ import annotations

import ast
import contextlib
import functools
import json
import linecache
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import _core
from ..errors import (
    KINDS,
    SourceLine,
    add_line_finder,
    connect_completion,
    original_lines,
)
from ..tracebacks import display_name
from .kernel_registry import CompiledKernel, kernel_of

if TYPE_CHECKING:
    from ..language.typed_kernel import Access
    from .argument_layout import PackedArray

#: What the emulator calls a finding: kind, kernel, pseudo file and line.
ReportName = tuple[str, str, str, int]


def add_report_words(
    fields: Mapping[str, Any], text: str, source_line: tuple[str, int] | None
) -> None:
    """Write the text of a finding to the emulator's report folder, if there is one.

    Args:
        fields: What the core knows of it.
        text: The whole text in words of Python.
        source_line: The line of Python, if one is known.
    """
    folder, site = os.environ.get("MINITORCH_REPORT"), fields["site"]
    if not folder or not site or not site["position"]:
        return
    file, line, _column = site["position"]
    row: dict[str, Any] = {"of": [fields["kind"], fields["kernel"], file, line]}
    row["indices"] = [list(index) for index in fields["indices"]]
    row["text"] = text
    if source_line:
        row["file"], row["line"] = source_line
    # A full disk must not take the words from the error that is being raised.
    with (
        contextlib.suppress(OSError),
        Path(folder, f"{os.getpid()}.words").open("a", encoding="utf-8") as words,
    ):
        words.write(json.dumps(row) + "\n")


def read_report_words(folder: Path) -> dict[ReportName, dict[str, Any]]:
    """Return the added texts by the emulator's finding; the first of each."""
    known: dict[ReportName, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.words")):
        for line in path.read_text("utf-8", "replace").splitlines():
            try:
                row = json.loads(line)
            except ValueError:  # cut short by a crash
                continue
            kind, kernel, file, number = row.pop("of")
            known.setdefault((kind, kernel, file, number), row)
    return known


#: Dynamic shared memory in CUDA C++ (headers/array.cuh).
_DYNAMIC = "dynamic_shared"


@dataclass(frozen=True)
class Element:
    """Element of an array, possibly out of bounds.

    Attributes:
        array: Name of the array.
        shape: Its sizes.
        index: One number for each size; the first may be outside of it.
    """

    array: str
    shape: tuple[int, ...]
    index: tuple[int, ...]


class ElementWords:
    """Names the element of one finding; `advice` is the catalogue's."""

    def __init__(
        self, fields: Mapping[str, Any], owner: CompiledKernel, advice: str
    ) -> None:
        self._fields = fields
        self._owner = owner
        self._general = advice
        self._element = self._global() or self._shared()

    def name(self) -> str:
        """Return the element, such as `tile[3, 7]`, or "" if unknown."""
        if self._element is None:
            return ""
        index = self._element.index
        if self._fields["remedy"] == "OwnRandomState":
            index = index[:1]  # a state is a row of two words
        return f"{self._element.array}[{', '.join(map(str, index))}]"

    def overlay(self) -> bool:
        """Return whether a race is between two arrays of dynamic shared memory."""
        sites = (self._fields["site"], self._fields["other"])
        dynamic = self._owner.source.dynamic
        names = [
            {subscript.array for subscript in self._lines(site)} & dynamic
            for site in sites
        ]
        return names[0] != names[1] and all(len(subscript) == 1 for subscript in names)

    def subscripts(self, site: Mapping[str, Any], access: str | None) -> list[str]:
        """Return the line's possible subscripts, as written."""
        return list(
            dict.fromkeys(subscript.text for subscript in self._accesses(site, access))
        )

    def sentence(self, site: Mapping[str, Any], access: str | None) -> str:
        """Return `a[i] with i = 17 of 16`, or the part of it that is known."""
        quoted = " or ".join(self.subscripts(site, access))
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
        prefix = f"{quoted} at " if quoted else ""
        return f"{prefix}index ({indices}) of '{element.array}', shape {element.shape}"

    def guard(self) -> str:
        """Return advice on how to keep the index in bounds."""
        if self._fields["space"] != "global":
            return self._general
        site, access = self._fields["site"], self._fields["access"]
        subscripts = self._accesses(site, access)
        element = self._element
        if element is None or len({subscript.text for subscript in subscripts}) != 1:
            return self._general
        names = _index_parts(subscripts[0].text)
        if len(names) != len(element.shape) or not all(map(is_name, names)):
            return self._general
        if element.index[0] < 0:
            return guard_below(names[0], element.shape[0])
        return guard_above(subscripts[0].array, dict(enumerate(names)), len(names))

    def _accesses(self, site: Mapping[str, Any], access: str | None) -> list[Access]:
        """Return the subscripts of the line that may be the finding's.

        What a function reads or writes that gets `a[i]` is a subscript that is read.
        """
        here, name = self._lines(site), self._name()
        named = [
            subscript for subscript in here if subscript.array == name.partition("[")[0]
        ]
        candidates = named or [
            subscript
            for subscript in here
            if subscript.array not in self._excluded(site)
        ]
        if access not in ("read", "write"):
            return candidates
        fitting = [
            subscript
            for subscript in candidates
            if subscript.write == (access == "write")
        ]
        return fitting or [subscript for subscript in named if not subscript.write]

    def _name(self) -> str:
        return self._element.array if self._element else self._label()

    def _excluded(self, site: Mapping[str, Any]) -> set[str]:
        """Return the names of arrays in the kernel that cannot be the finding's."""
        source = self._owner.source
        if not site["position"] or site["position"][0] != source.file:
            return set()  # a function has names of its own
        space, name = self._fields["space"], self._name()
        given = {parameter for parameter, _ in source.parameters}
        known = given | source.shared.keys() | source.dynamic
        if name in source.dynamic:
            return known - source.dynamic
        if name in known or space == "local":
            return known - {name}
        return set(source.shared) if space == "global" else given

    def _index_texts(self, site: Mapping[str, Any], access: str | None) -> list[str]:
        texts = {subscript.text for subscript in self._accesses(site, access)}
        return _index_parts(texts.pop()) if len(texts) == 1 else []

    def _label(self) -> str:
        allocation = self._fields["allocation"]
        return allocation["label"] if allocation else ""

    def _global(self) -> Element | None:
        allocation, address = self._fields["allocation"], self._fields["address"]
        if self._fields["space"] != "global" or not allocation or not address:
            return None
        low, high = allocation["base"], allocation["base"] + allocation["size"]
        wanted = {array.array for array in self._lines(self._fields["site"])}
        names = [name for name, _ in self._owner.source.parameters]
        arrays = self._owner.layout.unpacked(names, self._fields["arguments"])
        inside = [array for array in arrays if low <= array.pointer <= high]
        if not inside:
            return None
        nearest = max(
            inside, key=lambda array: (_holds(array, address), array.name in wanted)
        )
        offset = (address - nearest.pointer) // nearest.kind.dtype.size
        index = _unravelled(offset, nearest.sizes, nearest.strides)
        return Element(nearest.name, nearest.sizes, index)

    def _lines(self, site: Mapping[str, Any] | None) -> list[Access]:
        """Return the subscripts of the site's line."""
        if site is None or site["position"] is None:
            return []
        file, line, _ = site["position"]
        every = self._owner.source.accesses.get(file, [])
        return [subscript for subscript in every if subscript.line == line]

    def _shared(self) -> Element | None:
        allocation, size = self._fields["allocation"], self._fields["size"]
        if self._fields["space"] != "shared" or not allocation or not size:
            return None
        offset = allocation["offset"] // size
        shape = self._owner.source.shared.get(allocation["label"], ())
        if math.prod(shape) * size != allocation["size"]:
            shape = (allocation["size"] // size,)
        strides = [math.prod(shape[dim + 1 :]) for dim in range(len(shape))]
        label = allocation["label"]
        if label == _DYNAMIC:
            here = {subscript.array for subscript in self._lines(self._fields["site"])}
            names = here & self._owner.source.dynamic
            label = names.pop() if len(names) == 1 else label
        return Element(label, shape, _unravelled(offset, shape, strides))


def _holds(array: PackedArray, address: int) -> bool:
    """Return whether the address lies between the array's first and last element."""
    reaches = [(n - 1) * by for n, by in zip(array.sizes, array.strides, strict=True)]
    first = sum(reach for reach in reaches if reach < 0)
    last = sum(reach for reach in reaches if reach > 0)
    offset = (address - array.pointer) // array.kind.dtype.size
    return first <= offset <= last


def guard_below(name: str, size: int) -> str:
    """Return the advice for a negative index."""
    return (
        f"Guard the access: if {name} >= 0: ... (indices from -1 down to "
        f"-{size} count from the end)."
    )


def guard_above(array: str, names: Mapping[int, str], ndim: int) -> str:
    """Return the advice for indices, by dimension, that are too large.

    Args:
        array: Its name.
        names: The indices, by dimension.
        ndim: Dimensions of the array, which may have more of them than indices.
    """
    if ndim == 1:
        return f"Guard the access: if {names[0]} < {array}.size: ..."
    tests = (f"{name} < {array}.shape[{dim}]" for dim, name in names.items())
    return f"Guard the access: if {' and '.join(tests)}: ..."


def part_of_array(array: str, text: str, ndim: int) -> str:
    """Return what a subscript with fewer indices than dimensions refers to.

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
    """Return whether it is a name, or an attribute such as `cuda.threadIdx.x`."""
    return text.replace(".", "_").isidentifier()


def _unravelled(
    offset: int, shape: Sequence[int], strides: Sequence[int]
) -> tuple[int, ...]:
    """Return the indices of `offset`; that of the widest stride may be too large."""
    index = [0] * len(shape)
    order = sorted(range(len(shape)), key=lambda dim: -abs(strides[dim]))
    for number, dim in enumerate(order):
        if strides[dim] == 0:
            continue
        if number == 0:
            index[dim] = (
                offset // strides[dim]
                if len(shape) > 1
                else _exact(offset, strides[dim])
            )
        else:
            index[dim] = min(offset // strides[dim], max(shape[dim] - 1, 0))
        offset -= index[dim] * strides[dim]
    for dim in order[:1]:
        if index[dim] < 0:
            index[dim] -= shape[dim]  # the kernel has added the size
    return tuple(index)


def _exact(offset: int, stride: int) -> int:
    return offset // stride if offset % stride == 0 else int(offset / stride)


def _index_parts(text: str) -> list[str]:
    """Return the indices of a subscript: `["i", "j + 1"]` for `a[i, j + 1]`."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return []
    if not isinstance(node, ast.Subscript):
        return []
    inner = node.slice
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    return [ast.unparse(part) for part in parts]


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")


class IndexWords:
    """Describes an out-of-bounds access, index by index."""

    def __init__(
        self, fields: Mapping[str, Any], owner: CompiledKernel, advice: str
    ) -> None:
        self._fields = fields
        self._general = advice
        self._access: Access = owner.source.checks[fields["index_access"]]
        self._compared = owner.source.compared
        self._indices = {
            dim: _unwrapped(*rest) for dim, *rest in sorted(fields["indices"])
        }
        self._array = array_argument(owner, self._access, fields["arguments"])

    def what(self) -> str:
        """Return `write outside 'out', shape (4, 5)`."""
        done = "atomic change" if self._access.atomic else self._fields["access"]
        text = f"{done} outside '{self.array()}'"
        shape = self._shape()
        if not shape:
            return text
        return (
            f"{text}, shape {shape}" if len(shape) > 1 else f"{text}, size {shape[0]}"
        )

    def array(self) -> str:
        """Return the array as the source writes it."""
        return base_text(self._access)

    def name(self) -> str:
        """Return the element: `out[4, 0]`."""
        texts = (str(index) for _, (index, _) in self._indices.items())
        return f"{self.array()}[{', '.join(texts)}]"

    def subscripts(self, _site: object, _access: object) -> list[str]:
        """Return the subscript as written."""
        return [self._access.text]

    def sentence(self, _site: object, _access: object) -> str:
        """Return `out[r, c] with r = 4 of 4, c = 0 of 5`."""
        texts = []
        for dim, (index, extent) in self._indices.items():
            text = self._text(dim)
            if not text.lstrip("-").isdigit():
                texts.append(f"{text} = {index} of {extent}")
            elif not 0 <= index < extent:
                texts.append(f"{self._ordinal(dim)}index = {index} of {extent}")
        return f"{self._access.text} with {', '.join(dict.fromkeys(texts))}"

    def guard(self) -> str:
        """Return advice: what to check, then how to keep the index in bounds."""
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
        complete = len(extents) == len(self._access.indices)
        return tuple(extents) if complete and "" not in self._access.indices else ()

    def _outside(self) -> Iterator[int]:
        for dim, (index, extent) in self._indices.items():
            if not 0 <= index < extent:
                yield dim

    def _swapped(self) -> str:
        """Return the question whether indices are swapped, if they would then fit.

        Only about a name that the kernel compares with something: without any guard, a
        grid larger than the array is the likelier cause.
        """
        for dim in self._outside():
            if self._text(dim) not in self._compared:
                continue
            index, extent = self._indices[dim]
            for other, (second, room) in self._indices.items():
                names = [self._text(d) for d in sorted((dim, other))]
                fits = 0 <= index < room and 0 <= second < extent
                if other != dim and fits and all(map(is_name, names)):
                    return (
                        f"{self._text(dim)} = {index} fits dimension {other} ({room}): "
                        f"are {' and '.join(names)} swapped?"
                    )
        return ""

    def _advice(self) -> str:
        space, array = self._fields["space"], self.array()
        if space == "shared":
            return self._general
        if space in ("local", "const"):
            return f"Check the index against the size of '{array}'."
        names = {dim: self._text(dim) for dim in self._indices}
        part = self._part()
        for dim in self._outside():
            index, extent = self._indices[dim]
            if index < 0:
                return guard_below(names[dim], extent)
        if not all(map(is_name, names.values())):
            return f"{part}{self._general}"
        return f"{part}{guard_above(array, names, self._dimensions())}"

    def _dimensions(self) -> int:
        """Return the array's dimensions, or the number of indices if unknown."""
        given = len(self._access.indices)
        return given if self._array is None else max(given, len(self._array.sizes))

    def _part(self) -> str:
        """Return the hint for a subscript with fewer indices than dimensions.

        An atomic function takes an index for each.
        """
        dimensions = self._dimensions()
        if len(self._access.indices) == dimensions:
            return ""
        return f"{part_of_array(self.array(), self._access.text, dimensions)} "


def in_python(
    owner: CompiledKernel, site: Mapping[str, Any], access: Access | None = None
) -> Mapping[str, Any]:
    """Return a site whose position is the Python line, not a library header.

    Of an access at the line of its subscript: a statement may have several.
    """
    chain = [site["position"], *site["call_chain"]]
    for number, entry in enumerate(chain):
        if entry is not None and owner.python_location(*entry[:2]):
            position = entry if access is None else (entry[0], access.line, entry[2])
            return {**site, "position": position, "call_chain": chain[number + 1 :]}
    return site


def completed(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Complete a finding: the element of a race, or the indices as computed.

    Of an array that the launch was given the address, and the array as its allocation,
    follow from the indices.
    """
    owner = kernel_of(fields["owner"])
    if owner is not None and KINDS[fields["kind"]].form == "race":
        element = ElementWords(fields, owner, "").name()
        return {**fields, "element": element} if element else fields
    if not fields["indices"] or owner is None:
        return fields
    if fields["index_access"] >= len(owner.source.checks):
        return fields  # linked C++ may hold such a comment of its own
    indices = [
        (dim, *_unwrapped(index, extent)) for dim, index, extent in fields["indices"]
    ]
    access = owner.source.checks[fields["index_access"]]
    site = in_python(owner, fields["site"], access)
    fields = {**fields, "indices": indices, "site": site, "address": None, "size": None}
    array = array_argument(owner, access, fields["arguments"])
    if array is None or fields["space"] != "global":
        return fields
    itemsize = array.kind.dtype.size
    offset = itemsize * sum(
        index * array.strides[dimension]
        for dimension, index, _ in indices
        if dimension < len(array.strides)
    )
    names, label = [name for name, _ in owner.source.parameters], base_text(access)
    return {
        **fields,
        "address": array.pointer + offset,
        "size": itemsize,
        "allocation": {
            "base": array.pointer,
            "size": math.prod(array.sizes) * itemsize,
            "offset": offset,
            "label": label,
            "parameter": names.index(label.partition("[")[0]),
        },
    }


def base_text(access: Access) -> str:
    """Return the indexed expression: `x` for `x[i]`, `x[i]` for `x[i][j]`."""
    node = ast.parse(access.text, mode="eval").body
    return ast.unparse(node.value) if isinstance(node, ast.Subscript) else access.array


def array_argument(
    owner: CompiledKernel, access: Access, given: bytes
) -> PackedArray | None:
    """Return the accessed array argument; None if it is a view or a local array."""
    wanted = base_text(access)
    names = [name for name, _ in owner.source.parameters]
    arrays = owner.layout.unpacked(names, given)
    return next((array for array in arrays if array.name == wanted), None)


def _unwrapped(index: int, extent: int) -> tuple[int, int]:
    """Return the index as the thread computed it, before the wrap, and the extent."""
    return (index - extent if index < 0 else index), extent


#: Advice of the core that knows no more of a race than where its threads are.
_BY_DISTANCE = (
    "AtomicOrSecondKernel",
    "BlockBarrier",
    "OneWarpBarrier",
    "BlockOrWarpBarrier",
)


def finding_words(fields: Mapping[str, Any]) -> str:
    """Return the text of a finding in a Python kernel.

    Args:
        fields: What the core knows, as `errors.finding_from` takes it, and the
            catalogue's words for it.

    Returns:
        The whole text; "" leaves the core's own.
    """
    owner = kernel_of(fields["owner"])
    if owner is None:
        return ""
    try:
        given = {name: fields[name] for name in ("site", "other") if fields[name]}
        sites = {name: in_python(owner, site) for name, site in given.items()}
        if fields["indices"]:
            access = owner.source.checks[fields["index_access"]]
            sites["site"] = in_python(owner, fields["site"], access)
        words = _Sentences({**fields, **sites}, owner)
        text = words.text()
        add_report_words(fields, text, words.line())
        return text
    except Exception:  # the core's words are better than no report of the finding
        return ""


@functools.cache
def connect() -> None:
    """Register these texts with the core, and the Python locations with errors."""
    _core.set_finding_words(finding_words)
    add_line_finder(_python_location)
    connect_completion(completed)


def _python_location(owner: int, line: SourceLine) -> SourceLine | None:
    kernel = kernel_of(owner)
    return kernel.python_location(*line) if kernel else None


class _Sentences:
    """Sentences that describe one finding."""

    def __init__(self, fields: Mapping[str, Any], owner: CompiledKernel) -> None:
        self._fields = fields
        self._owner = owner
        self._core: _core.FindingWords = fields["words"]
        self._form = KINDS[fields["kind"]].form
        self._element: ElementWords | IndexWords = (
            IndexWords(fields, owner, self._core.hint)
            if fields["indices"]
            else ElementWords(fields, owner, self._core.hint)
        )

    def text(self) -> str:
        """Return the full text: what, where, which element, and what to do."""
        if self._form == "operations":
            body = self._between_operations()
        elif self._form == "race":
            body = self._race()
        else:
            body = self._fault()
        hint = self._hint()
        return f"{body}{self._seen()}.{' ' * bool(hint)}{hint}"

    def line(self) -> tuple[str, int] | None:
        """Return the Python file and line of the finding, if known."""
        site = self._fields["site"]
        if not site or not site["position"]:
            return None
        (location,) = original_lines(self._owner.number, [site["position"][:2]])
        return location

    def _fault(self) -> str:
        site = self._fields["site"]
        if isinstance(self._element, IndexWords):
            fault = self._element.what()
        elif self._fields["kind"] == "div_by_zero":
            fault = self._core.what(self._python_line, detail=self._division(site))
        else:
            fault = self._core.what(self._python_line)
        if site is None:
            return fault
        text = f"{fault}: {self._thread(site)}{self._location(site)}"
        if self._fields["access"]:
            element = self._element.sentence(site, self._fields["access"])
            text += f": {element}" * bool(element)
        other = self._fields["other"]
        if other and (other["thread"], other["position"]) != (
            site["thread"],
            site["position"],
        ):
            text += f"; and {self._thread(other)}{self._location(other)}"
        return text

    def _division(self, site: Mapping[str, Any] | None) -> str:
        """Return the division operators in the line."""
        location = (
            site
            and site["position"]
            and self._owner.python_location(*site["position"][:2])
        )
        line = linecache.getline(*location) if location else ""
        return " or ".join(sign for sign in ("//", "%", "divmod") if sign in line)

    def _python_line(self, line: int) -> int:
        """Map a line of the kernel's pseudo file to the Python file."""
        location = self._owner.python_location(self._owner.source.file, line)
        return location[1] if location else line

    def _race(self) -> str:
        first, other = self._fields["site"], self._fields["other"]
        text = f"{self._core.what(self._python_line, self._element.name())}: "
        text += self._doing(first, self._core.does, self._fields["access"])
        if other:
            access = self._fields["other_access"]
            text += f"; {self._doing(other, self._core.other_does, access)}"
            text += "; nothing orders the two"
        return text

    def _doing(self, site: Mapping[str, Any], verb: str, access: str | None) -> str:
        quoted = " or ".join(self._element.subscripts(site, access))
        subscripts = f" ({quoted})" if quoted else ""
        location = self._location(site).replace(", ", " at ", 1)
        return f"{self._thread(site)} {verb} it{location}{subscripts}"

    def _between_operations(self) -> str:
        sites = [self._fields["site"], self._fields["other"]]
        locations = [
            self._location(site)[2:] for site in sites if site and site["position"]
        ]
        return self._core.what(self._python_line) + "".join(
            (" and " if number else ": ") + location
            for number, location in enumerate(locations)
        )

    def _thread(self, site: Mapping[str, Any]) -> str:
        def triple(at: Any) -> str:
            return f"({','.join(map(str, at))})"

        if site["thread"] is None:
            return ""
        return f"thread {triple(site['thread'])} of block {triple(site['block'])}"

    def _location(self, site: Mapping[str, Any]) -> str:
        """Return the location as text: `, lesson.py:12, called from lesson.py:30`."""
        given = [
            location and location[:2]
            for location in (site["position"], *site["call_chain"])
        ]
        text = ""
        for number, location in enumerate(original_lines(self._owner.number, given)):
            if location is not None:
                called = "called from " * (number > 0)
                text += f", {called}{display_name(location[0])}:{location[1]}"
        return text

    def _seen(self) -> str:
        text = ""
        if self._fields["count"] > 1:
            text += f" ({self._fields['count']} times)"
        launched: str = self._fields["launched"]
        return text + launched

    def _is_one_line(self) -> bool:
        first, other = self._fields["site"], self._fields["other"]
        if not first or not other or not first["position"] or not other["position"]:
            return False
        return bool(first["position"][:2] == other["position"][:2])

    def _fills(self) -> str:
        """Return a subscript that assigns a whole array, such as `x[:]`, or ""."""
        site = self._fields["site"]
        if self._form != "race" or not self._is_one_line():
            return ""
        written = self._element.subscripts(site, "write")
        if len(written) != 1:
            return ""
        inside = written[0].partition("[")[2].removesuffix("]").replace(" ", "")
        return written[0] if inside and not inside.strip(":,.") else ""

    def _hint(self) -> str:
        filled = self._fills()
        if filled:
            return (
                f"Every thread writes all cells, {filled}: let each write its own, at "
                "its index from cuda.grid, or let one thread do it, in an if."
            )
        if self._form == "outside":
            return self._element.guard()
        if self._form == "race" and self._is_error():
            return self._race_hint()
        return self._core.hint

    def _race_hint(self) -> str:
        """Return the core's advice if it is more specific, else advice for the line."""
        if isinstance(self._element, ElementWords) and self._element.overlay():
            return self._core.advice("OneDynamicArray")
        if self._fields["remedy"] not in _BY_DISTANCE or not self._is_one_line():
            return self._core.hint
        return self._one_line_hint()

    def _is_error(self) -> bool:
        """Return whether the finding is an error; a benign race is not."""
        return KINDS[self._fields["kind"]].severity == "error"

    def _one_line_hint(self) -> str:
        """Return advice for a line that races with itself."""
        if len(self._element.subscripts(self._fields["site"], None)) < 2:
            return (
                "Threads share this element within one line: use cuda.atomic.add or "
                "its like, or give each thread an element of its own."
            )
        if self._fields["site"]["block"] != self._fields["other"]["block"]:
            return (
                "The line reads elements that other blocks change: read one array and "
                "write another, or use a second launch."
            )
        return (
            "The line reads elements that other threads change: put "
            "cuda.syncthreads() between the rounds of a loop, or read one array and "
            "write another."
        )

"""Describe findings in Python kernels: Python lines, subscripts and indices."""

from __future__ import annotations

import ast
import contextlib
import functools
import json
import linecache
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import _core
from ..arrays.layout import span
from ..errors import (
    KINDS,
    add_line_finder,
    connect_completion,
    original_lines,
)
from ..tracebacks import display_name
from .kernel_registry import CompiledKernel, kernel_of

if TYPE_CHECKING:
    from ..language.typed import Access
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


def _arguments(owner: CompiledKernel, fields: Mapping[str, Any]) -> list[PackedArray]:
    """Return the arrays among the arguments of the launch."""
    names = [name for name, _ in owner.source.parameters]
    return list(owner.layout.unpacked(names, fields["arguments"]))


class ElementWords:
    """Names the element of one finding."""

    def __init__(self, fields: Mapping[str, Any], owner: CompiledKernel) -> None:
        self._fields = fields
        self._source = owner.source
        self._element = self._global(owner) or self._shared()
        label = (fields["allocation"] or {}).get("label", "")
        self._array = self._element.array if self._element else label

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
        first, other = (
            {subscript.array for subscript in self._lines(self._fields[site])}
            & self._source.dynamic
            for site in ("site", "other")
        )
        return first != other and len(first) == len(other) == 1

    def subscripts(self, site: Mapping[str, Any], access: str | None) -> list[str]:
        """Return the line's possible subscripts, as written."""
        every = (subscript.text for subscript in self._accesses(site, access))
        return list(dict.fromkeys(every))

    def sentence(self, site: Mapping[str, Any], access: str | None) -> str:
        """Return `a[i] with i = 7`, or the part of it that is known."""
        subscripts = self.subscripts(site, access)
        quoted = " or ".join(subscripts)
        element = self._element
        if element is None:
            return quoted
        if len(element.shape) == 1:
            (index,) = element.index
            if len(subscripts) == 1:
                texts = self._accesses(site, access)[0].indices
                if len(texts) == 1 and texts[0] and not _is_number(texts[0]):
                    return f"{quoted} with {texts[0]} = {index}"
            return f"{quoted or element.array} at index {index}"
        indices = ", ".join(map(str, element.index))
        prefix = f"{quoted} at " if quoted else ""
        return f"{prefix}index ({indices}) of '{element.array}', shape {element.shape}"

    def _accesses(self, site: Mapping[str, Any], access: str | None) -> list[Access]:
        """Return the subscripts of the line that may be the finding's.

        What a function reads or writes that gets `a[i]` is a subscript that is read.
        """
        here, array = self._lines(site), self._array.partition("[")[0]
        named = [subscript for subscript in here if subscript.array == array]
        excluded = self._excluded(site)
        candidates = named or [entry for entry in here if entry.array not in excluded]
        if access not in ("read", "write"):
            return candidates
        writes = access == "write"
        fitting = [entry for entry in candidates if entry.write == writes]
        return fitting or [subscript for subscript in named if not subscript.write]

    def _excluded(self, site: Mapping[str, Any]) -> set[str]:
        """Return the names of arrays in the kernel that cannot be the finding's."""
        source, space = self._source, self._fields["space"]
        if not site["position"] or site["position"][0] != source.file:
            return set()  # a function has names of its own
        given = {parameter for parameter, _ in source.parameters}
        known = given | source.shared.keys() | source.dynamic
        if self._array in source.dynamic:
            return known - source.dynamic
        if self._array in known or space == "local":
            return known - {self._array}
        return set(source.shared) if space == "global" else given

    def _lines(self, site: Mapping[str, Any] | None) -> list[Access]:
        """Return the subscripts of the site's line."""
        if site is None or site["position"] is None:
            return []
        file, line, _ = site["position"]
        every = self._source.accesses.get(file, [])
        return [subscript for subscript in every if subscript.line == line]

    def _global(self, owner: CompiledKernel) -> Element | None:
        allocation, address = self._fields["allocation"], self._fields["address"]
        if self._fields["space"] != "global" or not allocation or not address:
            return None
        low, high = allocation["base"], allocation["base"] + allocation["size"]
        wanted = {array.array for array in self._lines(self._fields["site"])}
        arrays = _arguments(owner, self._fields)
        nearest = max(
            (array for array in arrays if low <= array.pointer <= high),
            key=lambda array: (_holds(array, address), array.name in wanted),
            default=None,
        )
        if nearest is None:
            return None
        offset = (address - nearest.pointer) // nearest.kind.dtype.size
        index = _unravelled(offset, nearest.sizes, nearest.strides)
        return Element(nearest.name, nearest.sizes, index)

    def _shared(self) -> Element | None:
        allocation, size = self._fields["allocation"], self._fields["size"]
        if self._fields["space"] != "shared" or not allocation or not size:
            return None
        label = allocation["label"]
        shape = self._source.shared.get(label, ())
        if math.prod(shape) * size != allocation["size"]:
            shape = (allocation["size"] // size,)
        strides = [math.prod(shape[dim + 1 :]) for dim in range(len(shape))]
        if label == _DYNAMIC:
            here = {subscript.array for subscript in self._lines(self._fields["site"])}
            names = here & self._source.dynamic
            label = names.pop() if len(names) == 1 else label
        offset = allocation["offset"] // size
        return Element(label, shape, _unravelled(offset, shape, strides))


def _holds(array: PackedArray, address: int) -> bool:
    """Return whether the address lies between the array's first and last element."""
    first, end = span(array.sizes, array.strides, 1)
    return first <= (address - array.pointer) // array.kind.dtype.size < end


def size_text(array: str, shape: Sequence[int]) -> str:
    """Return how large an array is, in words.

    Example:
        >>> size_text("x", (1000,)), size_text("out", (4, 5))
        ('x has 1000 elements', 'out has shape (4, 5)')
    """
    if len(shape) != 1:
        return f"{array} has shape {tuple(shape)}"
    return f"{array} has {shape[0]} element{'s' * (shape[0] != 1)}"


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


def _is_number(text: str) -> bool:
    return text.lstrip("-").isdigit()


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


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")


class IndexWords:
    """Describes an out-of-bounds access, index by index."""

    def __init__(self, fields: Mapping[str, Any], owner: CompiledKernel) -> None:
        self._fields = fields
        self._access: Access = owner.source.checks[fields["index_access"]]
        self._compared = owner.source.compared
        self._indices = {
            dim: _unwrapped(*rest) for dim, *rest in sorted(fields["indices"])
        }
        self._outside = [
            dim
            for dim, (index, extent) in self._indices.items()
            if not 0 <= index < extent
        ]
        self._name = base_text(self._access)
        self._array = array_argument(owner, self._access, fields)
        given = len(self._access.indices)
        # The array's dimensions, or the number of indices if unknown.
        self._ndim = max(given, len(self._array.sizes)) if self._array else given

    def what(self) -> str:
        """Return `out-of-bounds write: out[r, c] with r = 4, c = 0, but out has …`."""
        access = "atomic operation" if self._access.atomic else self._fields["access"]
        values = []
        for dim, (index, _) in self._indices.items():
            text = self._text(dim)
            if _is_number(text):
                continue
            if not text:
                several = len(self._access.indices) > 1 and dim < len(_ORDINALS)
                text = f"{_ORDINALS[dim]} index" if several else "index"
            values.append(f"{text} = {index}")
        given = " with " * bool(values) + ", ".join(dict.fromkeys(values))
        return f"out-of-bounds {access}: {self._access.text}{given}, but {self._size()}"

    def _size(self) -> str:
        """Return how large the array is, or the dimensions that are too small."""
        shape = self._shape()
        if shape:
            return size_text(self._name, shape)
        return " and ".join(
            f"dimension {dim} has size {self._indices[dim][1]}" for dim in self._outside
        )

    def name(self) -> str:
        """Return the element: `out[4, 0]`."""
        texts = (str(index) for index, _ in self._indices.values())
        return f"{self._name}[{', '.join(texts)}]"

    def subscripts(self, _site: object, _access: object) -> list[str]:
        """Return the subscript as written."""
        return [self._access.text]

    def guard(self) -> str:
        """Return advice: what to check, then how to keep the index in bounds."""
        swapped, advice = self._swapped(), self._advice()
        if not swapped:
            return advice
        advice = advice or str(self._fields["words"].hint)
        return f"{swapped} If not, {advice[0].lower()}{advice[1:]}"

    def _text(self, dimension: int) -> str:
        texts = self._access.indices
        return texts[dimension] if dimension < len(texts) else ""

    def _shape(self) -> tuple[int, ...]:
        if self._array is not None:
            return self._array.sizes
        extents = [extent for _, extent in self._indices.values()]
        complete = len(extents) == len(self._access.indices)
        return tuple(extents) if complete and "" not in self._access.indices else ()

    def _swapped(self) -> str:
        """Return the question whether indices are swapped, if they would then fit.

        Only about a name that the kernel compares with something: without any guard, a
        grid larger than the array is the likelier cause.
        """
        for dim in self._outside:
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
        space = self._fields["space"]
        if space == "shared":
            return ""
        if space in ("local", "const"):
            return f"Check the index against the size of '{self._name}'."
        names = {dim: self._text(dim) for dim in self._indices}
        for dim in self._outside:
            index, extent = self._indices[dim]
            if index < 0:
                return guard_below(names[dim], extent)
        advice = str(self._fields["words"].hint)
        if all(map(is_name, names.values())):
            advice = guard_above(self._name, names, self._ndim)
        if len(self._access.indices) == self._ndim:
            return advice
        return f"{part_of_array(self._name, self._access.text, self._ndim)} {advice}"


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
        element = ElementWords(fields, owner).name()
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
    array = array_argument(owner, access, fields)
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
    owner: CompiledKernel, access: Access, fields: Mapping[str, Any]
) -> PackedArray | None:
    """Return the accessed array argument; None if it is a view or a local array."""
    wanted = base_text(access)
    arrays = _arguments(owner, fields)
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
    add_line_finder(
        lambda owner, line: (
            kernel.python_location(*line) if (kernel := kernel_of(owner)) else None
        )
    )
    connect_completion(completed)


class _Sentences:
    """Sentences that describe one finding."""

    def __init__(self, fields: Mapping[str, Any], owner: CompiledKernel) -> None:
        self._fields = fields
        self._owner = owner
        self._core: _core.FindingWords = fields["words"]
        self._form = KINDS[fields["kind"]].form
        words = IndexWords if fields["indices"] else ElementWords
        self._element: ElementWords | IndexWords = words(fields, owner)

    def text(self) -> str:
        """Return the full text: what, where, which element, and what to do."""
        if self._form == "operations":
            body = self._between_operations()
        elif self._form == "race":
            body = self._race()
        else:
            body = self._fault()
        count = self._fields["count"]
        times = f" ({count} times)" if count > 1 else ""
        hint = self._hint()
        seen = f"{times}{self._fields['launched']}"
        return f"{body}{seen}.{' ' * bool(hint)}{hint}"

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
            location = self._location(site)[2:]
            return f"{self._element.what()} ({location}, {self._thread(site)})"
        if self._fields["kind"] == "div_by_zero":
            fault = self._core.what(self._python_line, detail=self._division(site))
        else:
            inside = self._form == "access" and self._element.name()
            fault = self._core.what(self._python_line, inside or "")
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
        if site["thread"] is None:
            return ""
        thread, block = (",".join(map(str, site[at])) for at in ("thread", "block"))
        return f"thread ({thread}) of block ({block})"

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

    def _hint(self) -> str:
        """Return what to do: the core's advice, or what only the line tells."""
        site, other = self._fields["site"], self._fields["other"]
        if isinstance(self._element, IndexWords):
            return self._element.guard() or self._core.hint
        if self._form != "race":
            return self._core.hint
        one_line = bool(
            site
            and other
            and site["position"]
            and other["position"]
            and site["position"][:2] == other["position"][:2]
        )
        if one_line:
            written = self._element.subscripts(site, "write")
            inside = written[0].partition("[")[2] if len(written) == 1 else ""
            inside = inside.removesuffix("]").replace(" ", "")
            if inside and not inside.strip(":,."):  # a whole array, such as x[:]
                return (
                    f"Every thread writes all cells, {written[0]}: let each write its "
                    "own, at its index from cuda.grid, or let one thread do it, in an "
                    "if."
                )
        if KINDS[self._fields["kind"]].severity != "error":  # a benign race
            return self._core.hint
        if isinstance(self._element, ElementWords) and self._element.overlay():
            return self._core.advice("OneDynamicArray")
        if self._fields["remedy"] not in _BY_DISTANCE or not one_line:
            return self._core.hint
        if len(self._element.subscripts(site, None)) < 2:
            return (
                "Threads share this element within one line: use cuda.atomic.add or "
                "its like, or give each thread an element of its own."
            )
        if site["block"] != other["block"]:
            return (
                "The line reads elements that other blocks change: read one array and "
                "write another, or use a second launch."
            )
        return (
            "The line reads elements that other threads change: put "
            "cuda.syncthreads() between the rounds of a loop, or read one array and "
            "write another."
        )

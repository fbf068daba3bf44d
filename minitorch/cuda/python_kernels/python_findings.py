"""Owns the words for what a check found in a Python kernel: its lines, its variables.

The core's words speak of pseudo files and bytes; here they become lines of the Python
file, subscripts as written, and indices. Must not know how anything was found.
"""

from __future__ import annotations

import functools
import linecache
from collections.abc import Mapping
from typing import Any

from ... import _core
from ..findings import report_words
from ..findings.errors import connect_completion
from ..findings.finding_kinds import KINDS
from ..findings.launch_site import display_name
from ..findings.source_places import Place, add_finder, original_places
from .finding_elements import ElementWords
from .finding_indices import IndexWords, completed, in_python
from .kernel_registry import CompiledKernel, kernel_of

#: Advice of the core that knows no more of a race than where its threads are.
_BY_DISTANCE = (
    "AtomicOrSecondKernel",
    "BlockBarrier",
    "OneWarpBarrier",
    "BlockOrWarpBarrier",
)


def finding_words(fields: Mapping[str, Any]) -> str:
    """Word a finding of a Python kernel.

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
        words = _Words({**fields, **sites}, owner)
        text = words.text()
        report_words.add(fields, text, words.line())
        return text
    except Exception:  # the core's words are better than no report of the finding
        return ""


@functools.cache
def connect() -> None:
    """Let the core ask for these words, and errors for these places; once is enough."""
    _core.set_finding_words(finding_words)
    add_finder(_python_place)
    connect_completion(completed)


def _python_place(owner: int, place: Place) -> Place | None:
    found = kernel_of(owner)
    return found.python_place(*place) if found else None


class _Words:
    """The sentences about one finding."""

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
        """What, where, which element, and what to do."""
        if self._form == "operations":
            body = self._between_operations()
        elif self._form == "race":
            body = self._race()
        else:
            body = self._fault()
        hint = self._hint()
        return f"{body}{self._seen()}.{' ' * bool(hint)}{hint}"

    def line(self) -> tuple[str, int] | None:
        """The Python file and the line of what was found, if known."""
        site = self._fields["site"]
        if not site or not site["position"]:
            return None
        (place,) = original_places(self._owner.number, [site["position"][:2]])
        return place

    def _fault(self) -> str:
        site = self._fields["site"]
        if isinstance(self._element, IndexWords):
            what = self._element.what()
        elif self._fields["kind"] == "div_by_zero":
            what = self._core.what(self._python_line, detail=self._division(site))
        else:
            what = self._core.what(self._python_line)
        if site is None:
            return what
        text = f"{what}: {self._thread(site)}{self._place(site)}"
        if self._fields["access"]:
            element = self._element.sentence(site, self._fields["access"])
            text += f": {element}" * bool(element)
        other = self._fields["other"]
        if other and (other["thread"], other["position"]) != (
            site["thread"],
            site["position"],
        ):
            text += f"; and {self._thread(other)}{self._place(other)}"
        return text

    def _division(self, site: Mapping[str, Any] | None) -> str:
        """The signs of the line; the core names the instruction."""
        place = (
            site
            and site["position"]
            and self._owner.python_place(*site["position"][:2])
        )
        line = linecache.getline(*place) if place else ""
        return " or ".join(sign for sign in ("//", "%", "divmod") if sign in line)

    def _python_line(self, line: int) -> int:
        """A line of the kernel's pseudo file as one of the Python file."""
        place = self._owner.python_place(self._owner.source.file, line)
        return place[1] if place else line

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
        quoted = self._element.subscripts(site, access)
        shown = f" ({quoted})" if quoted else ""
        place = self._place(site).replace(", ", " at ", 1)
        return f"{self._thread(site)} {verb} it{place}{shown}"

    def _between_operations(self) -> str:
        sites = [self._fields["site"], self._fields["other"]]
        places = [self._place(site)[2:] for site in sites if site and site["position"]]
        return self._core.what(self._python_line) + "".join(
            (" and " if number else ": ") + place for number, place in enumerate(places)
        )

    def _thread(self, site: Mapping[str, Any]) -> str:
        def triple(at: Any) -> str:
            return f"({','.join(map(str, at))})"

        if site["thread"] is None:
            return ""
        return f"thread {triple(site['thread'])} of block {triple(site['block'])}"

    def _place(self, site: Mapping[str, Any]) -> str:
        """`, lesson.py:12, called from lesson.py:30`."""
        given = [at and at[:2] for at in (site["position"], *site["call_chain"])]
        text = ""
        for number, at in enumerate(original_places(self._owner.number, given)):
            if at is not None:
                called = "called from " * (number > 0)
                text += f", {called}{display_name(at[0])}:{at[1]}"
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
        """The subscript of a line that writes all cells of an array, as `x[:]`."""
        site = self._fields["site"]
        if self._form != "race" or not self._is_one_line():
            return ""
        text = self._element.subscripts(site, "write")
        inside = text.partition("[")[2].removesuffix("]").replace(" ", "")
        return text if inside and not inside.strip(":,.") else ""

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
        """The core's advice, where it knows more than who races; else the line's."""
        if isinstance(self._element, ElementWords) and self._element.overlay():
            return self._core.advice("OneDynamicArray")
        if self._fields["remedy"] not in _BY_DISTANCE or not self._is_one_line():
            return self._core.hint
        return self._one_line_hint()

    def _is_error(self) -> bool:
        """Is it a mistake wherever it is found? A benign race is none."""
        return KINDS[self._fields["kind"]].severity == "error"

    def _one_line_hint(self) -> str:
        """Advice for a line that races with itself."""
        if " or " not in self._element.subscripts(self._fields["site"], None):
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

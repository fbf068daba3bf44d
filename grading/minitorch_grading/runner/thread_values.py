"""Values that a thread's variables had when something was found, by source line."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, takewhile
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minitorch_cuda.cuda.errors import Finding, Site
from minitorch_cuda.cuda.inspecting.inspection import Launch
from minitorch_cuda.cuda.inspecting.trace import Trace
from minitorch_cuda.cuda.inspecting.variables import LANES, VariableChanges

_TEXTS = "/minitorch/"  # where texts of kernels lie that are in no file
_AROUND = 18  # lines above and below that a page may quote
_MOST_NAMES, _MOST_TEXT = 8, 160  # of one line
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_ASSIGNED = re.compile(
    r"(?<![\w.])([A-Za-z_]\w*)\s*(?:[-+*/%&|^@]|//|\*\*|<<|>>)?=(?!=)"
)

Rows = NDArray[np.int64]  # of a trace


class ThreadValues:
    """Values of variables in a launch of a build for debuggers.

    A line has those of the variables that it names and that exist there and at the
    finding, as they were at the finding. What the debug information does not tell, or
    what depends on which of several rounds of a loop it was, is left out.

    Args:
        launch: Recorded with its trace.
        sources: Text by file.
    """

    def __init__(self, launch: Launch, sources: Mapping[str, str]) -> None:
        self._launch, self._sources = launch, sources

    def at(
        self, finding: Finding, site: Site
    ) -> tuple[str | None, int | None, list[dict[str, Any]]]:
        """Return the file and line of a site, and values at it by line.

        Args:
            finding: Of the launch.
            site: Its site, or the other one of a race.

        Returns:
            The position, and of lines that were run `line` and `text`, such as
            "i = 8, n = 8".
        """
        from minitorch_cuda.viz.traces.launches import number_at

        (file, line), trace = own_position(site), self._launch.trace
        if site.block is None or site.thread is None or trace.truncated:
            return file, line, []
        block = number_at(site.block, self._launch.grid)
        thread = _Thread(trace, block, number_at(site.thread, self._launch.block))
        if file not in self._sources and len(thread.rows):  # a check that was inlined
            row = thread.rows[-1]
            file, line = str(trace.file[row]), int(trace.line[row])
        texts = self._sources.get(file or "", "").splitlines()
        lines = np.where(trace.file == file, trace.line, 0)
        here = thread.rows[lines[thread.rows] == line]
        if not line or line > len(texts) or not len(here):
            return file, line, []
        moments = thread.moments(here, finding)
        return file, line, _by_line(thread, lines, texts, line, moments)


@dataclass(frozen=True)
class _Thread:
    """A thread in a trace: the numbers of its block and of itself in the block."""

    trace: Trace
    block: int
    number: int

    @cached_property
    def rows(self) -> Rows:
        """The rows of the trace that it ran."""
        trace, (warp, lane) = self.trace, divmod(self.number, LANES)
        mine = (trace.block == self.block) & (trace.warp == warp)
        return np.nonzero(mine & (trace.mask >> np.uint32(lane) & 1 == 1))[0]

    @cached_property
    def changes(self) -> VariableChanges:
        """Changes of its block's variables."""
        return self.trace.variables(self.block)

    def moments(self, here: Rows, finding: Finding) -> Rows:
        """Return the rows that may be a finding's, of those of its line: accesses to
        its address, the last row of a thread that failed, or all.
        """
        from minitorch_cuda.cuda.inspecting.accesses import accesses_of

        if finding.address is not None:
            every = accesses_of(self.trace)
            mine = (every.block == self.block) & (every.thread == self.number)
            touched = np.intersect1d(here, every.step[mine & every.touches(finding)])
            if len(touched):
                return touched
        return here[-1:] if here[-1] == self.rows[-1] else here

    def values(self, rows: Sequence[int]) -> dict[str, str]:
        """Return the values of variables that are the same after all these rows."""
        warp, lane = divmod(self.number, LANES)
        first, *others = [
            {
                name: str(values[lane])
                for name, (values, known) in self.changes.at(row, warp).items()
                if known[lane]
            }
            for row in rows
        ]
        same = set(first.items()).intersection(*(state.items() for state in others))
        return dict(same)

    def changed(self, first: int, last: int) -> set[str]:
        """Return the names of variables that change in some of these rows."""
        (warp, lane), changes = divmod(self.number, LANES), self.changes
        mine = (changes.warp == warp) & changes.written[:, lane]
        mine &= (first <= changes.step) & (changes.step <= last)
        return {changes.names[number] for number in changes.name[mine]}

    def visible(self, rows: Sequence[int]) -> dict[str, list[str]]:
        """Return the variables that exist at all rows, by their names in the text: of
        an array those of its elements, none where two variables have one name.
        """
        instructions = self.trace.columns["instruction"][rows].tolist()
        known = self.changes.visible(instructions)
        visible: dict[str, list[str]] = defaultdict(list)
        for name in dict.fromkeys(self.changes.names):
            if name in known:
                visible[re.split(r"[.\[ ]", name)[0]].append(name)
        return {
            name: names for name, names in visible.items() if "(" not in "".join(names)
        }


def _by_line(
    thread: _Thread, lines: Rows, texts: Sequence[str], line: int, moments: Rows
) -> list[dict[str, Any]]:
    """Return the values by line of a file.

    Args:
        thread: The finding's.
        lines: Of the file, for each row; 0 in other files.
        texts: Of the lines.
        line: The finding's.
        moments: Rows that may be the finding's.
    """
    rows = thread.rows
    ends = [
        [*takewhile(lambda row: lines[row] == line, rows[rows >= moment])][-1]
        for moment in moments
    ]
    spans = zip(moments, ends, strict=True)
    fresh = set.intersection(*(thread.changed(*span) for span in spans))
    values = thread.values(ends)
    ran = {int(lines[row]): int(row) for row in rows[rows <= ends[0]]}
    result = []
    for number in range(max(1, line - _AROUND), line + _AROUND + 1):
        if number not in ran or number > len(texts):
            continue
        text = texts[number - 1]
        # What the line itself assigns may still be of the round before.
        old = set(_ASSIGNED.findall(text)) - fresh if number == line else ()
        visible = thread.visible([ran[number], *moments])
        shown = [
            f"{name} = {values[name]}"
            for word in dict.fromkeys(_NAME.findall(text))
            if word not in old
            for name in visible.get(word, ())
            if name in values
        ]
        lengths = accumulate(len(words) + 2 for words in shown)
        fits = sum(length <= _MOST_TEXT for length in lengths)
        if fits:
            words = ", ".join(shown[: min(fits, _MOST_NAMES)])
            result.append({"line": number, "text": words})
    return result


def own_position(site: Site) -> tuple[str | None, int | None]:
    """Return the innermost file and line of a site that is the student's own."""
    for file, line in [(site.file, site.line), *site.call_chain]:
        if file and (file.startswith(_TEXTS) or not PurePath(file).is_absolute()):
            return file, line
    # Where headers lie on this machine is nobody's business.
    return PurePath(site.file).name if site.file else None, site.line

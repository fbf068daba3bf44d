"""The table of the network view: launches that are alike as a row, or modules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

from ....network.explanation import Explanation
from ....network.records import Kernel
from ....network.table import TableRow, rows_by_kernel
from ...scene.drawing import Drawing, number, shortened
from ...scene.phrases import counted, duration
from ...traces.launches import extent_words

MOST_ROWS = 20
_HIGH = 46.0  # of a line of cells
_BESIDE = {1080: 6, 696: 3, 340: 2}  # of the six cells of a row, by the width
_BAR, _LEAST = 150.0, 3.0  # pixels of all launches, of the least bar
_SCALES = ((1e12, "trillion", "TB"), (1e9, "billion", "GB"), (1e6, "million", "MB"))


def amount(count: int) -> str:
    """Return a count: whole below a million, else with three digits.

    Example:
        >>> amount(131072), amount(4089184256)
        ('131,072', '4.09 billion')
    """
    for scale, word, _ in _SCALES:
        if count >= scale:
            return f"{count / scale:.3g} {word}"
    return number(count)


def span(low: int, high: int) -> str:
    """Return both ends of what moves, in the unit of the upper, once where equal.

    Example:
        >>> span(1184, 4256), span(64, 64), span(375_936, 3_710_000)
        ('1,184 … 4,256', '64', '0.376 … 3.71 MB')
    """
    for scale, _, word in _SCALES:
        if high >= scale:
            ends = dict.fromkeys(f"{each / scale:.3g}" for each in (low, high))
            return f"{' … '.join(ends)} {word}"
    return " … ".join(dict.fromkeys((number(low), number(high))))


def size(count: int) -> str:
    """Return bytes with their unit.

    Example:
        >>> size(4704), size(1), size(102228128)
        ('4,704 bytes', '1 byte', '102 MB')
    """
    words = span(count, count)
    return words if words.endswith("B") else counted(count, "byte")


def is_back(explanation: Explanation, kernel: Kernel) -> bool:
    """Return whether a launch belongs to the way back."""
    return kernel.op is not None and explanation.ops[kernel.op].backward


def origin(explanation: Explanation, kernel: Kernel) -> str:
    """Return a launch's module, and what of it runs."""
    same = kernel.layer_name.rpartition(".")[2] == kernel.op_name  # such as relu
    words = [kernel.layer_name, "" if same else kernel.op_name]
    back = ", back" if is_back(explanation, kernel) else ""
    return " ".join(filter(None, words)) + back


@dataclass(frozen=True)
class Row:
    """Launches in a line of the table: their sums, and whether they are alike."""

    name: str
    below: str
    sums: TableRow
    alike: bool


def rows_of(explanation: Explanation) -> list[Row]:
    """Return the rows: launches that are alike, or modules where those are many."""
    every = rows_by_kernel(explanation)
    if len(every) <= MOST_ROWS:
        rows = []
        for row in every:
            first, times = row.kernels[0], row.launches
            repeated = f" · {times} times" if times > 1 else ""
            name = f"{first.index + 1} {first.name}"
            below = origin(explanation, first) + repeated
            rows.append(Row(name, below, row, True))
        return rows
    kinds = {layer.name: layer.type for layer in explanation.layers}

    def module(depth: int) -> Callable[[TableRow], tuple[str, bool]]:
        def key(row: TableRow) -> tuple[str, bool]:
            first = row.kernels[0]
            path = first.layer_name.split(".")[:depth]
            return ".".join(path), is_back(explanation, first)

        return key

    deepest = max(kernel.layer_name.count(".") for kernel in explanation.kernels) + 1
    for depth in range(deepest, 0, -1):
        groups = [(key, tuple(own)) for key, own in groupby(every, module(depth))]
        if len(groups) <= MOST_ROWS:
            break
    rows = []
    for (name, back), own in groups:
        sums = TableRow((), [kernel for row in own for kernel in row.kernels])
        kind = f"{kinds[name]} · " if kinds.get(name) else ""
        title = (name or explanation.call) + " (back)" * back
        below = kind + counted(sums.launches, "kernel")
        rows.append(Row(title, below, sums, len(own) == 1))
    return rows


def span_bar(view: Drawing, ends: tuple[float, float], unit: float, words: str) -> None:
    """Draw one mark with two ends: dark to the lower, pale to the upper; and words."""
    low, up = (max(end * unit, 1.5) for end in ends)
    seen = ends[1] * unit >= _LEAST
    if seen:
        view.rect(0, 9, up, 10, rx=1.5, fill="var(--d16)", stroke="var(--d45)",
                  stroke_width=0.6)  # fmt: skip
        view.rect(0, 9, low, 10, rx=1.5, fill="var(--mut)")
        for end in {low, up}:
            view.rect(end - 1.5, 6, 1.5, 16, fill="var(--ink)")
    view.text(0, 36 if seen else 19, words, 11.5)


class TableDrawing:
    """Draws the table at a width, and the row in focus."""

    def __init__(self, explanation: Explanation, rows: list[Row]) -> None:
        self._explanation, self._rows = explanation, rows
        self._all = TableRow((), list(explanation.kernels))
        self._sms = explanation.gpu.sms
        self._drawn: dict[int, Drawing] = {}

    def draw(self, focus: int, width: int) -> Drawing:
        """Draw all rows, one of them in focus."""
        if width not in self._drawn:
            table, whole = self._table(width), Drawing(width)
            whole.element("g", str(table))  # one part of all drawings
            whole.height = table.height
            self._drawn[width] = whole
        high = _HIGH * 6 / _BESIDE[width]
        y = 2 * high + 4 + focus * high
        view = Drawing(width, self._drawn[width].height)
        view.rect(0, y, width, high - 1, fill="var(--panel)")
        view.rect(0, y, 3.5, high - 1, fill="var(--ink)")
        view.parts += self._drawn[width].parts
        return view

    def _table(self, width: int) -> Drawing:
        high, view = _HIGH * 6 / _BESIDE[width], Drawing(width)
        heads = (
            ("Layer and kernel", ""), ("Grid", "blocks · threads"),
            (f"Blocks on the {self._sms} SMs", "busy of all"),
            ("Multiply-adds", "useful of executed"),
            ("Bytes from memory", "touched … asked"),
            ("Takes at least", "a bound, not a time"),
        )  # fmt: skip
        for (x, line), words in zip(_places(width), heads, strict=True):
            _two(view, x, _HIGH * line, words, True)
        count = self._all.launches
        name = f"All {count} kernels" if count > 1 else "In all"
        below = "one after the other" if count > 1 else ""
        self._row(view, width, high, Row(name, below, self._all, False), True)
        view.rect(0, 2 * high - 1.4, width, 1.4, fill="var(--ink)")
        for at, row in enumerate(self._rows):
            y, own = 2 * high + 4 + at * high, Drawing()
            own.rect(0, 0, width, high - 1, fill_opacity=0)
            self._row(own, width, 0, row, False)
            own.rect(0, high - 1, width, 1, fill="var(--line)")
            view.put(own, 0, y, data_go=f"kernel={row.sums.kernels[0].index}")
        view.height = 2 * high + 4 + len(self._rows) * high
        return view

    def _row(self, view: Drawing, width: int, y: float, row: Row, bold: bool) -> None:
        sums, places = row.sums, _places(width)
        first, alike = sums.kernels[0], row.alike
        blocks = counted(sum(kernel.blocks for kernel in sums.kernels), "block")
        counts = [kernel.threads for kernel in sums.kernels]
        threads = f"{extent_words(first.block)} threads"
        if not alike:
            threads = f"× {span(min(counts), max(counts))}"
        least = "sum" if not alike or sums.launches > 1 else _bound(first)
        texts = {
            0: (shortened(row.name, 22), shortened(row.below, 27)),
            1: (blocks, threads),
            5: (f"≥ {duration(sums.at_least)}", least),
        }
        for cell, words in texts.items():
            x, line = places[cell]
            _two(view, x, y + _HIGH * line, words, bold or (cell == 0 and not alike))
        busy, every = min(sums.sms_used, self._sms), self._sms
        useful, executed = sums.macs_useful, sums.macs_executed
        macs = f"{amount(useful)} of {amount(executed)}"
        if not useful or useful == executed:
            macs = f"{amount(executed)}, {'all useful' if useful else 'in no product'}"
        bars = (
            ((busy, every), _BAR / every, f"{busy} of {every} SMs"),
            ((useful, executed), _BAR / max(self._all.macs_executed, 1),
             macs if executed else "none"),
            ((sums.touched, sums.asked), _BAR / max(self._all.asked, 1),
             span(sums.touched, sums.asked)),
        )  # fmt: skip
        for cell, bar in enumerate(bars, 2):
            part = Drawing()
            span_bar(part, *bar)
            view.put(part, places[cell][0], y + _HIGH * places[cell][1])


def _places(width: int) -> list[tuple[int, int]]:
    """Return where the cells of a row are: x, and the line."""
    beside = _BESIDE[width]
    return [(14 + at % beside * width // beside, at // beside) for at in range(6)]


def _two(view: Drawing, x: float, y: float, words: tuple[str, str], bold: bool) -> None:
    view.text(x, y + 19, words[0], 12.5, bold=bold)
    view.text(x, y + 35, words[1], 11, fill="var(--mut)")


def _bound(kernel: Kernel) -> str:
    if kernel.seconds is not None:
        return f"measured: {duration(kernel.seconds)}"
    words = {"compute": "arithmetic", "issue": "instructions"}.get(
        kernel.at_least.bound
    )
    if words:
        return f"{words}, {counted(kernel.sms_used, 'SM')}"
    return "for its bytes" if kernel.at_least.bound == "memory" else ""

"""The counters of two launches, in all and by line: what became fewer, and why."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .... import _core
from ....cuda import Launch
from ....cuda.inspecting.counters import CounterValues, LineCounters
from ....cuda.inspecting.roofline import roofline, speed_limit
from ...scene.code_view import lines_of
from ...scene.drawing import number, shortened
from ...scene.phrases import counted, joined
from ...traces.launches import require_launch
from ...traces.residency import short_card

CARDS = ("t4", "rtx3090", "a100", "h100", "h200")
_TIE = 1.05  # ratios nearer to 1 than this do not make the sentence
Count = Callable[[CounterValues], float]


def _sum(*names: str) -> Count:
    return lambda counters: sum(counters[name] for name in names)


def _of(memory: str, count: str) -> Count:
    kinds = ("{}_load_{}", "{}_store_{}", "atomic_{}_{}")
    return _sum(*(kind.format(memory, count) for kind in kinds))


_INSTRUCTIONS, _LANES = _sum("ptx_warp_instructions"), _sum("active_lanes")
_REQUESTS, _SECTORS = _of("global", "requests"), _of("global", "sectors")
_PASSES, _SHARED = _of("shared", "wavefronts"), _of("shared", "requests")


@dataclass(frozen=True)
class Metric:
    """What is counted, in the plural: a sum, or a ratio where there is `below`."""

    noun: str
    above: Count
    below: Count | None = None

    def of(self, *parts: CounterValues) -> float:
        """Return the metric of some counters; 0 for a ratio of nothing."""
        above = sum(map(self.above, parts))
        below = sum(map(self.below, parts)) if self.below else 1
        return above / below if below else 0.0

    def words(self, value: float) -> str:
        """Return a value as the picture writes it."""
        return number(round(value, 1) if self.below else int(value))


METRICS = {
    "instructions": Metric("instructions", _INSTRUCTIONS),
    "lanes": Metric("threads an instruction", _LANES, _INSTRUCTIONS),
    "sectors": Metric("sectors", _SECTORS),
    "sectors_per_request": Metric("sectors a request", _SECTORS, _REQUESTS),
    "bytes": Metric("bytes", lambda counters: counters.bytes),
    "passes": Metric("passes", _PASSES),
    "conflicts": Metric("bank conflicts", _sum("shared_bank_conflicts")),
    "flops": Metric("operations", lambda counters: sum(counters.flops.values())),
    "divergent": Metric("divergent branches", _sum("divergent_branches")),
    "barriers": Metric("barriers", _sum("barriers")),
}
_PASSES_PER_REQUEST = Metric("passes a request", _PASSES, _SHARED)

# Name, verb, noun and count of each row; how the price is named.
_ROWS: tuple[tuple[str, str, str, Count, str], ...] = (
    ("Bytes moved", "moves", "bytes", METRICS["bytes"].of, ""),
    ("Global sectors", "asks for", "sectors", _SECTORS, ""),
    ("Global requests of warps", "makes", "requests", _REQUESTS, ""),
    ("Shared passes", "makes", "shared passes", _PASSES,
     "passes through shared memory"),
    ("Bank conflicts", "makes", "bank conflicts", METRICS["conflicts"].of,
     "bank conflicts"),
    ("Barrier arrivals, by warps", "makes", "barrier arrivals", _sum("barriers"),
     "barrier arrivals"),
    ("Warp instructions", "runs", "instructions", _INSTRUCTIONS, "warp instructions"),
    ("Divergent branches", "makes", "divergent branches", METRICS["divergent"].of,
     "divergent branches"),
    ("Floating-point operations", "does", "operations", METRICS["flops"].of,
     "operations"),
    ("Operations a byte", "does", "operations a byte",
     lambda counters: counters.arithmetic_intensity, ""),
)  # fmt: skip

# Factors of a count: if the second launch has fewer of one, that is why; -1 where more
# of it makes the count less.
_FACTORS: dict[str, tuple[tuple[Count, str, int], ...]] = {
    "Bytes moved": (
        (_REQUESTS, "its warps make {times} requests to global memory", 1),
        (METRICS["sectors_per_request"].of,
         "a request of a warp asks for {other} instead of {one} sectors", 1),
    ),
    "Bank conflicts": (
        (_SHARED, "its warps make {times} requests to shared memory", 1),
        (_PASSES_PER_REQUEST.of,
         "a request of a warp takes {other} instead of {one} passes", 1),
    ),
    "Warp instructions": (
        (METRICS["lanes"].of,
         "an instruction is run by {other} instead of {one} threads of a warp", -1),
    ),
}  # fmt: skip
_FACTORS["Shared passes"] = _FACTORS["Bank conflicts"]


# Rows that the sentence is about, the first that differs; what lines show then.
TELLING = {
    "Bytes moved": "sectors",
    "Bank conflicts": "conflicts",
    "Shared passes": "passes",
    "Warp instructions": "instructions",
}


@dataclass(frozen=True)
class Row:
    """One counter of both launches; `price`: its name where the second has more."""

    name: str
    verb: str
    noun: str
    one: float
    other: float
    price: str = ""


@dataclass(frozen=True)
class Side:
    """One launch.

    Attributes:
        name: As the picture calls it.
        launch, total: It, and its counters.
        text: Lines of its code; empty where nobody has it.
        file, lines: For each line's number of the file its counters, one for each chain
            of callers, with what it calls in other files.
    """

    name: str
    launch: Launch
    total: CounterValues
    text: list[str]
    file: str
    lines: dict[int, tuple[CounterValues, ...]]

    @property
    def blocks(self) -> int:
        """Of its grid."""
        return math.prod(self.launch.grid)

    def value(self, metric: Metric, line: int) -> float:
        """Return the metric of one line."""
        return metric.of(*self.lines[line])


@dataclass(frozen=True)
class Compared:
    """Two launches: their counters by line, those in total, and the first card."""

    sides: tuple[Side, Side]
    rows: tuple[Row, ...]
    gpu: str

    def limits(self, gpu: str) -> list[tuple[float, float]]:
        """Return operations a byte, and a second at most on a card, of both."""
        found = []
        for side in self.sides:
            roof = roofline(side.total, gpu, blocks=side.blocks)
            found.append((roof.intensity, speed_limit(side.total, roof)))
        return found

    def cards(self) -> dict[str, str]:
        """Return cards by their names, the asked-for one first."""
        found: dict[str, str] = {}
        for gpu in (self.gpu, *CARDS):
            found.setdefault(short_card(_core.card(gpu)["name"]), gpu)
        return found


def times(one: float, other: float) -> str:
    """Return the second number against the first: "4.2 times fewer"."""
    ratio = max(one, other) / min(one, other)
    words = f"{ratio:.2f}" if ratio < 1.995 else number(round(ratio, 1))
    return f"{words} times {'fewer' if other < one else 'more'}"


def _main_file(rows: list[LineCounters], own: str) -> str:
    """The kernel's own file; else the one with the calls that most work came from.

    Builds for debuggers inline nothing, and their headers may do more work than the
    kernel that calls them.
    """
    work: dict[str, float] = {}
    for row in rows:
        file, line = [(row.file, row.line), *row.callers][-1]
        if line:
            work[file] = work.get(file, 0) + row["ptx_warp_instructions"]
    return own if own in work else max(work, key=lambda file: work[file], default="")


def side_of(launch: Any, name: str = "") -> Side:
    """Return the counters of a launch by line.

    Raises:
        TypeError: Not a launch.
        ValueError: Nothing was counted.
    """
    known = require_launch(launch, "compare")
    try:
        counters = known.counters
    except ValueError as error:
        raise ValueError(
            "[viz.compare] the launch has no counters. Run it within `with "
            "cuda.inspect() as run:`, without counters=False."
        ) from error
    rows = counters.by_line()
    file = _main_file(rows, known.source_file)
    lines: dict[int, tuple[CounterValues, ...]] = {}
    for row in rows:  # what a header did counts where this file calls it
        places = [(row.file, row.line), *row.callers]
        own = next((line for where, line in places if line and where == file), 0)
        if own:
            lines[own] = (*lines.get(own, ()), row.counters)
    text = lines_of(None, file, known.source)
    return Side(name, known, counters, text, file, dict(sorted(lines.items())))


def compared(one: Any, other: Any, gpu: Any = None) -> Compared:
    """Put the counters of two launches side by side.

    Raises:
        TypeError: No launches, or no name of a card.
        ValueError: A launch that was not counted, an unknown card, or one debug build.
    """
    if gpu is not None and not isinstance(gpu, str):
        raise TypeError(
            f"[viz.compare] got gpu {type(gpu).__name__}; need the name of a GPU, such "
            "as 't4'."
        )
    launches = [require_launch(launch, "compare") for launch in (one, other)]
    names = [shortened(launch.kernel, 26) for launch in launches]
    if names[0] == names[1]:
        names = ["first launch", "second launch"]
    first, second = map(side_of, launches, names)
    if first.launch.debug != second.launch.debug:
        debug, normal = (
            ("first", "second") if first.launch.debug else ("second", "first")
        )
        raise ValueError(
            f"[viz.compare] the {debug} launch is a debug build, the {normal} one is "
            "not. A debug build is not optimised, so they cannot be compared. Record "
            "both without debug=True."
        )
    rows = [
        Row(name, verb, noun, count(first.total), count(second.total), price)
        for name, verb, noun, count, price in _ROWS
    ]
    rows.append(Row("Shared bytes of a block", "takes", "bytes",
                    launches[0].shared_bytes, launches[1].shared_bytes))  # fmt: skip
    _core.card(gpu or "")  # refuses one that is not known
    return Compared(
        (first, second), tuple(row for row in rows if row.one or row.other), gpu or ""
    )


def _reason(data: Compared, row: Row) -> str:
    """Which factor of a count made it another one, and how."""
    one, other = (side.total for side in data.sides)
    local = _sum("local_load_sectors", "local_store_sectors")
    if row.name == "Bytes moved" and (local(one) or local(other)):
        return ""
    best, said = math.log(_TIE), ""
    for count, words, way in _FACTORS[row.name]:
        a, b = count(one), count(other)
        if not a or not b:
            continue
        effect = way * math.log(b / a) * (1 if row.other > row.one else -1)
        if effect > best:
            small = [number(float(f"{value:.3g}")) for value in (a, b)]
            best = effect
            said = words.format(times=times(a, b), one=small[0], other=small[1])
    return f" because {said}" if said else ""


def telling(data: Compared) -> Row | None:
    """Return what changed in what matters first: memory, then conflicts, then work."""
    by_name = {row.name: row for row in data.rows}
    for row in map(by_name.get, TELLING):
        if row and max(row.one, row.other) >= _TIE * min(row.one, row.other):
            return row
    return None


def answer(data: Compared) -> str:
    """Say what changed."""
    first, name = (side.name for side in data.sides)
    if name == "second launch":
        first, name = "the first", "The second launch"
    row = telling(data)
    if row is None:
        return "Both move the same bytes and run about as many instructions."
    if row.one and row.other:
        change, than = times(row.one, row.other), f"than {first}"
    else:
        change = number(row.other) if row.other else "no"
        than = f"({first}: {number(row.one) if row.one else 'none'})"
    return f"{name} {row.verb} {change} {row.noun} {than}{_reason(data, row)}."


def detail(data: Compared) -> str:
    """The price, and the shapes."""
    grown = [
        f"{number(int(row.other - row.one))} {'more ' if row.one else ''}{row.price}"
        for row in data.rows
        if row.price and row.other > _TIE * row.one
    ][:3]
    said = [f"The price: {joined(grown)}."] if grown else []
    shapes = [
        f"{counted(side.blocks, 'block')} of "
        f"{counted(math.prod(side.launch.block), 'thread')}"
        for side in data.sides
    ]
    same = shapes[0] == shapes[1]
    said.append(
        f"Both run {shapes[0]}." if same else f"They run {', and '.join(shapes)}."
    )
    if data.sides[0].launch.debug:
        said.append(
            "Both are debug builds, not optimised, and keep variables in local memory."
        )
    return " ".join(said)

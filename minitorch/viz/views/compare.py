"""The comparison: what a second kernel changed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

import numpy as np

from ...cuda import Launch
from ...cuda.inspecting.counters import CounterValues, LineCounters
from ...cuda.inspecting.roofline import roofline
from ..figure.figure import Figure
from ..figure.scenes import Interned, swatches
from ..scene.code_view import comment_of, lines_of, shown_lines, texts_of
from ..scene.drawing import number, shortened, width_of
from ..scene.phrases import counted, joined
from ..scene.scene import Axis, Bars, Code, Panel, Scene, Table
from ..traces.fault_view import with_alarm
from ..traces.faults import fault_of
from ..traces.launches import require_launch, short_card

_TIE = 1.05  # ratios nearer to 1 than this do not make the sentence
Count = Callable[[CounterValues], float]


def _sum(*names: str) -> Count:
    return lambda counters: sum(counters[name] for name in names)


def _of(memory: str, count: str) -> Count:
    kinds = ("{}_load_{}", "{}_store_{}", "atomic_{}_{}")
    return _sum(*(kind.format(memory, count) for kind in kinds))


def _ratio(above: Count, below: Count) -> Count:
    """Return a ratio; 0 for one of nothing."""
    return lambda counters: above(counters) / below(counters) if below(counters) else 0


_INSTRUCTIONS, _LANES = _sum("ptx_warp_instructions"), _sum("active_lanes")
_REQUESTS, _SECTORS = _of("global", "requests"), _of("global", "sectors")
_PASSES, _SHARED = _of("shared", "wavefronts"), _of("shared", "requests")


@dataclass(frozen=True)
class Metric:
    """What is counted: with its verb, its noun, and its name where the second has more.

    A price "" is none.
    """

    name: str
    verb: str
    noun: str
    count: Count
    price: str = ""

    def of(self, *parts: CounterValues) -> int:
        """Return the sum over some counters."""
        return int(sum(map(self.count, parts)))


METRICS = {metric.name: metric for metric in (
    Metric("Bytes moved", "moves", "bytes", lambda counters: counters.bytes),
    Metric("Global sectors", "asks for", "sectors", _SECTORS),
    Metric("Global requests of warps", "makes", "requests", _REQUESTS),
    Metric("Shared passes", "makes", "shared passes", _PASSES,
           "passes through shared memory"),
    Metric("Bank conflicts", "makes", "bank conflicts", _sum("shared_bank_conflicts"),
           "bank conflicts"),
    Metric("Barrier arrivals, by warps", "makes", "barrier arrivals", _sum("barriers"),
           "barrier arrivals"),
    Metric("Warp instructions", "runs", "instructions", _INSTRUCTIONS,
           "warp instructions"),
    Metric("Divergent branches", "makes", "divergent branches",
           _sum("divergent_branches"), "divergent branches"),
    Metric("Floating-point operations", "does", "operations",
           lambda counters: sum(counters.flops.values()), "operations"),
)}  # fmt: skip

# Factors of a count: if the second launch has fewer of one, that is why; -1 where more
# of it makes the count less.
_FACTORS: dict[str, tuple[tuple[Count, str, int], ...]] = {
    "Bytes moved": (
        (_REQUESTS, "its warps make {times} requests to global memory", 1),
        (_ratio(_SECTORS, _REQUESTS),
         "a request of a warp asks for {other} instead of {one} sectors", 1),
    ),
    "Bank conflicts": (
        (_SHARED, "its warps make {times} requests to shared memory", 1),
        (_ratio(_PASSES, _SHARED),
         "a request of a warp takes {other} instead of {one} passes", 1),
    ),
    "Warp instructions": (
        (_ratio(_LANES, _INSTRUCTIONS),
         "an instruction is run by {other} instead of {one} threads of a warp", -1),
    ),
}  # fmt: skip
_FACTORS["Shared passes"] = _FACTORS["Bank conflicts"]

# What the sentence is about: the first that differs.
_TELLING = ("Bytes moved", "Bank conflicts", "Shared passes", "Warp instructions")


@dataclass(frozen=True)
class Row:
    """A number of both launches."""

    name: str
    one: float
    other: float


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

    def value(self, metric: Metric, line: int) -> int:
        """Return the metric of one line."""
        return metric.of(*self.lines[line])


@dataclass(frozen=True)
class Compared:
    """Two launches: their counters by line, and those in total."""

    sides: tuple[Side, Side]
    rows: tuple[Row, ...]

    @property
    def telling(self) -> Row | None:
        """What changed in what matters first: memory, then conflicts, then work."""
        by_name = {row.name: row for row in self.rows}
        for row in map(by_name.get, _TELLING):
            if row and max(row.one, row.other) >= _TIE * min(row.one, row.other):
                return row
        return None


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
    roofs = [roofline(side.total, gpu, side.blocks) for side in (first, second)]
    least = [1e9 * max(roof.memory_seconds, roof.compute_seconds) for roof in roofs]
    rows = [Row(name, metric.of(first.total), metric.of(second.total))
            for name, metric in METRICS.items()]  # fmt: skip
    rows += [
        Row("Shared bytes of a block", *(launch.shared_bytes for launch in launches)),
        Row("Operations a byte", *(roof.intensity for roof in roofs)),
        Row(f"Least ns on a {short_card(roofs[0].gpu)}", *least),
    ]
    return Compared((first, second), tuple(row for row in rows if row.one or row.other))


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


def answer(data: Compared) -> str:
    """Say what changed."""
    first, name = (side.name for side in data.sides)
    if name == "second launch":
        first, name = "the first", "The second launch"
    row = data.telling
    if row is None:
        return "Both move the same bytes and run about as many instructions."
    if row.one and row.other:
        change, than = times(row.one, row.other), f"than {first}"
    else:
        change = number(row.other) if row.other else "no"
        than = f"({first}: {number(row.one) if row.one else 'none'})"
    metric = METRICS[row.name]
    return f"{name} {metric.verb} {change} {metric.noun} {than}{_reason(data, row)}."


def detail(data: Compared) -> str:
    """The price, and the shapes."""
    grown = [
        f"{number(row.other - row.one)} {'more ' if row.one else ''}{price}"
        for row in data.rows
        if row.name in METRICS and (price := METRICS[row.name].price)
        if row.other > _TIE * row.one
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
    return " ".join(said)


_HUES = (0, 3)  # of the first and the second kernel
_MOST_LINES = 26


def _shown_lines(side: Side) -> list[int]:
    """Return the lines of a kernel that are drawn: with those that run most."""
    work = METRICS["Warp instructions"]
    ranked = sorted(side.lines, key=lambda line: -side.value(work, line))
    while True:
        shown = shown_lines(side.text, sorted(ranked))
        if set(ranked) <= set(shown) and len(shown) <= _MOST_LINES:
            return shown
        ranked.pop()


def _changed(sides: list[list[str]]) -> list[list[bool]]:
    """Return for each line whether the other kernel lacks it, if most are alike."""
    match = SequenceMatcher(a=sides[0], b=sides[1], autojunk=False)
    found = [[match.ratio() > 0.5] * len(each) for each in sides]
    for first, second, count in match.get_matching_blocks():
        found[0][first : first + count] = [False] * count
        found[1][second : second + count] = [False] * count
    return found


def _codes(data: Compared, own: Interned, metrics: list[Metric]) -> list[Code]:
    """Both codes with a number and a bar behind each line, on one scale."""
    shown = [_shown_lines(side) or [0] for side in data.sides]
    texts = [texts_of(side.text, lines)
             for side, lines in zip(data.sides, shown, strict=True)]  # fmt: skip
    changed = _changed([[text.strip() for text in each] for each in texts])
    values = [np.array([[side.value(metric, line) if line in side.lines else 0
                         for line in lines] for metric in metrics])
              for side, lines in zip(data.sides, shown, strict=True)]  # fmt: skip
    most = np.maximum(*(each.max(axis=1, keepdims=True) for each in values))
    codes = []
    for at, side in enumerate(data.sides):
        totals = [metric.of(side.total) for metric in metrics]
        heads = [f"{number(total)} {metric.noun}"
                 for total, metric in zip(totals, metrics, strict=True)]  # fmt: skip
        notes = [
            [f"{number(each)} · {round(100 * each / total)} %" if each else ""
             for each in row]
            for row, total in zip(values[at].tolist(), totals, strict=True)
        ]  # fmt: skip
        lengths = 1000 * values[at] // np.maximum(most, 1)
        new = np.where(changed[at], own.number("new" if at else "old"), -1)
        codes.append(Code(
            side.name, own.table("metric", heads), tuple(shown[at]),
            tuple(texts[at]), comment_of(texts[at]),
            sign="-" * any(changed[at]), others=new,
            whose=np.full(len(new), _HUES[at]), counts=Table(("metric",), lengths),
            totals=np.full(len(new), 1000),
            notes=Table(("metric",), np.array(list(map(own.texts, notes)))),
            room=max(width_of(words, 11) for row in notes for words in row),
        ))  # fmt: skip
    return codes


def _value(value: float) -> str:
    return number(value if isinstance(value, int) else float(f"{value:.3g}"))


def _change(data: Compared, row: Row) -> str:
    """The second against the first, in words."""
    if row.one == row.other:
        return "the same"
    if row.one and row.other:
        return times(row.one, row.other).replace("times", "×")
    return f"only in {shortened(data.sides[bool(row.other)].name, 12)}"


def _counters(data: Compared, own: Interned) -> Bars:
    """All counters; the longer the bar, the larger the change."""
    rows = data.rows
    heads = (shortened(side.name.removesuffix(" launch"), 9) for side in data.sides)
    ratios = [max(row.one, row.other) / (min(row.one, row.other) or math.inf)
              for row in rows]  # fmt: skip
    columns = [(_value(row.one), _value(row.other), _change(data, row)) for row in rows]
    return Bars(
        "Counters, exact; times are not known", (*heads, "change"),
        tuple(row.name for row in rows),
        tuple(own.texts(column) for column in zip(*columns, strict=True)),
        np.array([round(100 * math.log(min(max(each, 1), 1e6))) for each in ratios]),
        165, np.array([rows.index(data.telling) if data.telling else -1]),
    )  # fmt: skip


def scene_of(data: Compared) -> Scene:
    """Return the scene of two launches side by side."""
    own, rows = Interned(), [row.name for row in data.rows if row.name in METRICS]
    metrics = [METRICS[name] for name in rows or ["Warp instructions"]]
    axis = Axis("metric", "Number behind each line", len(metrics), control="choice",
                words=tuple(metric.name for metric in metrics))  # fmt: skip
    return Scene(
        (axis,), own.all, own.looks,
        (*(Panel((each,), 526, gap=28) for each in _codes(data, own, metrics)),
         Panel((_counters(data, own),), 560)),
        answer=(answer(data),), detail=(detail(data),), key=swatches([
            ("moved", 0, "longer: more of it, one scale for both codes"),
        ]),
    )  # fmt: skip


def compare(one: Any, other: Any, gpu: str | None = None) -> Figure:
    """Draw two launches side by side: what the second one changed, at what price.

    Args:
        one, other: Recorded with `cuda.inspect()`; they need no trace.
        gpu: The card whose peaks bound the time, such as "t4"; None: the device's card.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        TypeError: No launches, or no name of a card.
        ValueError: An unknown card, a launch with counters=False, or a debug build
            beside a normal one.

    Example:
        >>> from minitorch import cuda, viz
        >>> text = "__global__ void {}(float* x) {{ x[{} * threadIdx.x] = 1; }}"
        >>> apart = cuda.RawKernel(text.format("apart", 8), "apart")
        >>> dense = cuda.RawKernel(text.format("dense", 1), "dense")
        >>> x = cuda.device_array(256, "float32")
        >>> with cuda.inspect() as run:
        ...     apart[1, 32](x)
        ...     dense[1, 32](x)
        >>> viz.compare(*run.launches).answer.partition(" because ")[0]
        'dense moves 8 times fewer bytes than apart'
    """
    data = compared(one, other, gpu)
    row = data.telling
    figure = Figure(
        "What did the second kernel change, and at what price?", scene_of(data),
        {"metric": data.rows.index(row) if row else 0}, data=data,
    )  # fmt: skip
    return with_alarm(figure, fault_of(one), fault_of(other))

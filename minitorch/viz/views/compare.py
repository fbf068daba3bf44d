"""The comparison: what a second kernel changed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

import numpy as np

from ... import _core
from ...cuda import Launch
from ...cuda.inspecting.counters import CounterValues, LineCounters
from ...cuda.inspecting.roofline import roofline, speed_limit
from ..figure.figure import Figure
from ..figure.scenes import Interned, moves_of, swatches
from ..scene.code_view import comment_of, lines_of, shown_lines, texts_of
from ..scene.drawing import Drawing, number, shortened
from ..scene.frames import frames_of
from ..scene.palette import strong
from ..scene.phrases import counted, joined
from ..scene.scene import Axis, Bars, Code, Panel, Scene, Table
from ..traces.fault_view import with_alarm
from ..traces.faults import fault_of
from ..traces.launches import require_launch, short_card

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


_HUES, _SHAPES = (0, 3), "●■"  # of the first and the second kernel
_WORDS = 76.0  # behind a line of code
_MOST_LINES = 26


def _mark(view: Drawing, at: int, x: float, y: float) -> None:
    view.text(x, y + 4, _SHAPES[at], 13, fill=strong(_HUES[at]), anchor="middle")


def metrics_of(data: Compared) -> dict[str, Metric]:
    """Return metrics of which at least one launch has something."""
    found = {
        name: metric for name, metric in METRICS.items()
        if any(metric.of(side.total) for side in data.sides)
    }  # fmt: skip
    return found or {"instructions": METRICS["instructions"]}


def _shown_lines(side: Side) -> list[int]:
    """Return the lines of a kernel that are drawn: with those that run most."""
    work = METRICS["instructions"]
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
    values = [np.array([[side.value(metric, line) if line in side.lines else 0.0
                         for line in lines] for metric in metrics])
              for side, lines in zip(data.sides, shown, strict=True)]  # fmt: skip
    most = np.maximum(*(each.max(axis=1, keepdims=True) for each in values))
    codes = []
    for at, side in enumerate(data.sides):
        words, heads = [], []
        for metric, row in zip(metrics, values[at].tolist(), strict=True):
            total = metric.of(side.total)
            heads.append(f"{metric.words(total)} {metric.noun}")
            shares = [f" · {round(100 * each / (total or 1))} %" * (not metric.below)
                      for each in row]  # fmt: skip
            words.append(own.texts([
                metric.words(each) + share if each else ""
                for each, share in zip(row, shares, strict=True)
            ]))  # fmt: skip
        lengths = np.round(1000 * values[at] / np.maximum(most, 1e-9)).astype(int)
        new = np.where(changed[at], own.number("new" if at else "old"), -1)
        codes.append(Code(
            f"{_SHAPES[at]} {side.name}", own.table("metric", heads), tuple(shown[at]),
            tuple(texts[at]), comment_of(texts[at]),
            sign="-" * any(changed[at]), others=new,
            whose=np.full(len(new), _HUES[at]), counts=Table(("metric",), lengths),
            totals=np.full(len(new), 1000), notes=Table(("metric",), np.array(words)),
            room=_WORDS,
        ))  # fmt: skip
    return codes


def _value(row: Row, value: float) -> str:
    if value == math.inf:
        return "∞"
    return number(float(f"{value:.2g}") if "a byte" in row.name else int(value))


def _change(data: Compared, row: Row) -> str:
    """The second against the first, in words."""
    if row.one == row.other:
        return "the same"
    if row.one and row.other:
        return times(row.one, row.other).replace("times", "×")
    return f"only in {shortened(data.sides[bool(row.other)].name, 12)}"


def _counters(data: Compared, own: Interned, heads: tuple[str, ...]) -> Bars:
    """All counters; the longer the bar, the larger the change."""
    rows = data.rows
    ratios = [max(row.one, row.other) / (min(row.one, row.other) or math.inf)
              for row in rows]  # fmt: skip
    columns = [(_value(row, row.one), _value(row, row.other), _change(data, row))
               for row in rows]  # fmt: skip
    return Bars(
        "Counters, exact; times are not known", (*heads, "change"),
        tuple(row.name for row in rows),
        tuple(own.texts(column) for column in zip(*columns, strict=True)),
        np.array([round(100 * math.log(min(max(each, 1), 1e6))) for each in ratios]),
        165, np.array([rows.index(row) if (row := telling(data)) else -1]),
    )  # fmt: skip


def _roof(data: Compared, card: str, gpu: str, width: int) -> Drawing:
    """How fast both launches can be at most on a card; axes are logarithmic."""
    facts, limits = _core.card(gpu), data.limits(gpu)
    bandwidth, peak = facts["bandwidth"], facts["single"]
    left, top, wide, high = 50.0, 100.0, width - 66.0, 170.0
    view = Drawing(width, top + high + 40)
    view.runs(0, 14, 13, ("Speed limit", "bold"), (f" · {card}, not a time", "mut"))
    note = f"slope: {bandwidth / 1e9:.4g} GB/s · top: {peak / 1e12:.3g} TFLOP/s"
    view.text(0, 32, note, 11.5, fill="var(--mut)")
    view.text(left - 6, top - 8, "TFLOP/s", 10.5, fill="var(--mut)", anchor="end")
    first, last, low, upper = -5, 9, 10, 14  # powers of 2 to the right, of 10 up

    def place(intensity: float, speed: float) -> tuple[float, float]:
        x = min(max(math.log2(intensity), first), last)
        y = max(math.log10(speed), low)
        return (round(left + wide * (x - first) / (last - first), 1),
                round(top + high * (upper - y) / (upper - low), 1))  # fmt: skip

    for exponent in range(first + 1, last + 1, 2):
        x, _ = place(2.0**exponent, peak)
        view.path(f"M{x:g} {top:g}v{high:g}", stroke="var(--line)")
        words = str(2**exponent) if exponent >= 0 else f"1/{2**-exponent}"
        view.text(x, top + high + 15, words, 10.5, fill="var(--mut)", anchor="middle")
    for exponent in range(low, upper + 1):
        _, y = place(1.0, 10.0**exponent)
        view.path(f"M{left:g} {y:g}h{wide:g}", stroke="var(--line)")
        words = f"{10.0 ** (exponent - 12):.6g}"
        view.text(left - 6, y + 4, words, 10.5, fill="var(--mut)", anchor="end")
    (a, b) = place(2.0**first, bandwidth * 2.0**first)
    (c, d) = place(peak / bandwidth, peak)
    view.path(f"M{a:g} {b:g}L{c:g} {d:g}H{left + wide:g}", stroke="var(--ink)",
              stroke_width=2)  # fmt: skip
    points = [place(*limit) if limit[1] and limit[0] < math.inf else None
              for limit in limits]  # fmt: skip
    drawn = [point for point in points if point]
    close = len(drawn) == 2 and math.dist(*drawn) < 14
    for at, side in enumerate(data.sides):
        _mark(view, at, 6, 48 + 18 * at)
        most = limits[at][1]
        speed = "no limit"
        if most:
            speed = f"at most {most / 1e12:.2g} TFLOP/s"
            if side.blocks < facts["sm_count"]:
                speed += f", {side.blocks} of {facts['sm_count']} SMs work"
        view.text(18, 52 + 18 * at, f"{shortened(side.name, 20)}: {speed}", 12)
        if point := points[at]:
            x, y = point
            view.path(f"M{x:g} {y:g}V{top + high:g}", stroke=strong(_HUES[at]),
                      stroke_width=1.4, stroke_dasharray="3 2.5")  # fmt: skip
            _mark(view, at, x + (14 * at - 7) * close, y)  # else one covers the other
    view.text(left + wide / 2, top + high + 34, "operations a byte (counted)", 11.5,
              fill="var(--mut)", anchor="middle")  # fmt: skip
    return view


def scene_of(data: Compared) -> Scene:
    """Return the scene of two launches side by side."""
    own, metrics, cards = Interned(), metrics_of(data), data.cards()
    nouns = tuple(each.noun[:1].upper() + each.noun[1:] for each in metrics.values())
    metric = Axis("metric", "Number behind each line", len(metrics), control="choice",
                  words=nouns, moves=moves_of("C", "number", len(metrics)))  # fmt: skip
    card = Axis("card", "Card of the speed limit", len(cards), control="choice",
                words=tuple(cards),
                moves=moves_of("G", "card", len(cards)))  # fmt: skip
    counted, gpus = [*metrics.values()], [*cards.items()]
    heads = tuple(
        shortened(side.name.removesuffix(" launch"), 9) for side in data.sides
    )
    roof = frames_of(
        (card,),
        lambda state, width: _roof(data, *gpus[state["card"]], width),
        (340, 410),
    )
    return Scene(
        (metric, card), own.all, own.looks,
        (*(Panel((each,), 526, gap=28) for each in _codes(data, own, counted)),
         Panel((_counters(data, own, heads),), 560), Panel((roof,), 410, gap=60)),
        answer=(answer(data),), detail=(detail(data),), key=swatches([
            ("moved", 0, "longer: more of it, one scale for both codes"),
        ]),
    )  # fmt: skip


def compare(one: Any, other: Any, gpu: str | None = None) -> Figure:
    """Draw two launches side by side: what the second one changed, at what price.

    Args:
        one, other: Recorded with `cuda.inspect()`; they need no trace.
        gpu: The card of the speed limit, such as "t4"; None: the device's card.

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
    names, row = [*metrics_of(data)], telling(data)
    state = {"metric": names.index(TELLING[row.name]) if row else 0, "card": 0}
    figure = Figure(
        "What did the second kernel change, and at what price?",
        scene_of(data), state, data=data,
    )  # fmt: skip
    return with_alarm(figure, fault_of(one), fault_of(other))

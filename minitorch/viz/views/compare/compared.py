"""The numbers of two launches side by side: what became fewer, at what price."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from .... import _core
from ....cuda.inspecting.counters import CounterValues
from ....cuda.inspecting.roofline import Roofline, roofline, speed_limit
from ...scene.drawing import number, shortened
from ...scene.phrases import counted, joined
from ...traces.launches import require_launch
from ...traces.line_metrics import METRICS, CountedLines, counted_lines
from ...traces.residency import short_card

CARDS = ("t4", "rtx3090", "a100", "h100", "h200")
_TIE = 1.05  # ratios nearer to 1 than this do not make the sentence


@dataclass(frozen=True)
class Row:
    """One counter of both launches.

    `price`: how sentences name it where the second launch has more.
    """

    name: str
    verb: str
    noun: str
    one: float
    other: float
    price: str = ""

    @property
    def ratio(self) -> str:
        """The second against the first, in words: "4.2 × fewer"."""
        if self.one == self.other:
            return "the same"
        if not self.one or not self.other:
            return "only in the second" if self.other else "only in the first"
        return f"{times(self)} × {'fewer' if self.other < self.one else 'more'}"


def times(row: Row) -> str:
    """How many times one is the other, the larger by the smaller."""
    large, small = max(row.one, row.other), min(row.one, row.other)
    ratio = large / small
    return f"{ratio:.2f}" if ratio < 1.995 else number(round(ratio, 1))


@dataclass(frozen=True)
class Compared:
    """Two launches.

    Attributes:
        names: As the picture calls them.
        sides: Their counters by line.
        rows: Their counters in total.
        shapes: Blocks and threads of a block of both.
        card: Name of the card of the roof, its bytes and operations a second.
        roofs: Where both stand.
    """

    names: tuple[str, str]
    sides: tuple[CountedLines, CountedLines]
    rows: tuple[Row, ...]
    shapes: tuple[tuple[int, int], tuple[int, int]]
    card: tuple[str, float, float]
    roofs: tuple[Roofline, Roofline]

    @property
    def speeds(self) -> tuple[float, float]:
        """Operations a second that the roof allows at most, of both."""
        (one, other), (first, second) = self.sides, self.roofs
        return speed_limit(one.total, first), speed_limit(other.total, second)


_Count = Callable[[CounterValues], float]


def _of(metric: str) -> _Count:
    return METRICS[metric].of


def _accesses(counters: CounterValues) -> float:
    names = ("global_load_requests", "global_store_requests", "atomic_global_requests")
    return sum(counters[name] for name in names)


_ROWS: tuple[tuple[str, str, str, _Count, str], ...] = (
    ("Bytes moved", "moves", "bytes", _of("bytes"), ""),
    ("Global sectors", "asks for", "sectors", _of("sectors"), ""),
    ("Global requests of warps", "makes", "requests", _accesses, ""),
    ("Shared passes", "makes", "shared passes", _of("passes"),
     "passes through shared memory"),
    ("Bank conflicts", "makes", "bank conflicts", _of("conflicts"), "bank conflicts"),
    ("Barrier arrivals, by warps", "makes", "barrier arrivals", _of("barriers"),
     "barrier arrivals"),
    ("Warp instructions", "runs", "instructions", _of("instructions"),
     "warp instructions"),
    ("Divergent branches", "makes", "divergent branches", _of("divergent"),
     "divergent branches"),
    ("Floating-point operations", "does", "operations", _of("flops"), "operations"),
    ("Operations a byte", "does", "operations a byte",
     lambda counters: counters.arithmetic_intensity, ""),
)  # fmt: skip


def _names(one: Any, other: Any) -> tuple[str, str]:
    if one.kernel != other.kernel:
        return shortened(one.kernel, 26), shortened(other.kernel, 26)
    return "first launch", "second launch"


def compared(one: Any, other: Any, gpu: Any = None) -> Compared:
    """Put the counters of two launches side by side.

    Raises:
        TypeError: No launches, or no name of a card.
        ValueError: A launch that was not counted, or an unknown card.
    """
    if gpu is not None and not isinstance(gpu, str):
        raise TypeError(
            f"[viz.compare] got gpu {type(gpu).__name__}; need a card's name, such as "
            "'t4'."
        )
    first, second = (require_launch(each, "compare") for each in (one, other))
    sides = counted_lines(first, "compare"), counted_lines(second, "compare")
    _refuse_two_builds(first, second)
    totals = sides[0].total, sides[1].total
    rows = [
        Row(name, verb, noun, count(totals[0]), count(totals[1]), price)
        for name, verb, noun, count, price in _ROWS
    ]
    rows.append(Row("Shared memory of a block, bytes", "takes", "bytes",
                    first.shared_bytes, second.shared_bytes))  # fmt: skip
    card = _core.card(gpu or "")
    shapes = _shape(first), _shape(second)
    return Compared(
        names=_names(first, second),
        sides=sides,
        rows=tuple(row for row in rows if row.one or row.other),
        shapes=shapes,
        card=(short_card(card["name"]), card["bandwidth"], card["single"]),
        roofs=(
            roofline(totals[0], gpu, blocks=shapes[0][0]),
            roofline(totals[1], gpu, blocks=shapes[1][0]),
        ),
    )


def _refuse_two_builds(first: Any, second: Any) -> None:
    """What a debug build costs more is not the kernel's doing."""
    if first.debug == second.debug:
        return
    debug, normal = ("first", "second") if first.debug else ("second", "first")
    raise ValueError(
        f"[viz.compare] got a debug build as the {debug} launch and a normal one as "
        f"the {normal}; need two of one kind: a debug build is not optimised, and runs "
        "and moves more. Record both without debug=True."
    )


def on_cards(data: Compared) -> dict[str, Compared]:
    """The same launches under the roofs of all cards, by their names; its own first."""
    found = {data.card[0]: data}
    for gpu in CARDS:
        card = _core.card(gpu)
        first, second = (
            roofline(side.total, gpu, blocks=blocks)
            for side, (blocks, _) in zip(data.sides, data.shapes, strict=True)
        )
        facts = (short_card(card["name"]), card["bandwidth"], card["single"])
        found.setdefault(facts[0], replace(data, card=facts, roofs=(first, second)))
    return found


def _shape(launch: Any) -> tuple[int, int]:
    (x, y, z), (i, j, k) = launch.grid, launch.block
    return x * y * z, i * j * k


def answer(data: Compared) -> str:
    """What changed most in what matters first: memory, then conflicts, then work."""
    name = data.names[1]
    name = f"The {name}" if name == "second launch" else name
    by_name = {row.name: row for row in data.rows}
    for wanted in ("Bytes moved", "Bank conflicts", "Shared passes",
                   "Warp instructions"):  # fmt: skip
        row = by_name.get(wanted)
        if row is None:
            continue
        if not row.other:
            return f"{name} {row.verb} no {row.noun}; {number(row.one)} before."
        if not row.one:
            return f"{name} {row.verb} {number(row.other)} {row.noun}; none before."
        if max(row.one, row.other) >= _TIE * min(row.one, row.other):
            change = "fewer" if row.other < row.one else "more"
            return f"{name} {row.verb} {times(row)} times {change} {row.noun}."
    return "Both move the same bytes and run about as many instructions."


def detail(data: Compared) -> str:
    """The price, and the shapes."""
    grown = [
        f"{number(row.other - row.one)} {'more ' if row.one else ''}{row.price}"
        for row in data.rows
        if row.price and row.other > _TIE * row.one
    ][:3]
    said = [f"The price: {joined(grown)}."] if grown else []
    (blocks, threads), second = data.shapes
    if data.shapes[0] == second:
        said.append(f"Both run {_shape_words(blocks, threads)}.")
    else:
        first, last = _shape_words(blocks, threads), _shape_words(*second)
        said.append(f"They run {first}, and {last}.")
    if data.sides[0].debug:
        said.append(
            "Both are debug builds, not optimised, and keep variables in local memory."
        )
    return " ".join(said)


def _shape_words(blocks: int, threads: int) -> str:
    return f"{counted(blocks, 'block')} of {counted(threads, 'thread')}"

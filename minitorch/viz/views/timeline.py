"""The view of time: what the host launches, what is queued, what the device runs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any

from ..figure.figure import WIDTH, Figure
from ..figure.scenes import Interned, swatches
from ..scene.drawing import Drawing, shortened, width_of, wrapped
from ..scene.frames import frames_of
from ..scene.marks import EMPTY, VALUE_IN
from ..scene.palette import HUES, strong, tint
from ..scene.phrases import counted, duration
from ..scene.scene import Axis, Panel, Scene

_SCHEMA = "minitorch.timeline/1"
OTHER = "other"  # group of work that was launched outside of every scope
_SOON = 1.0  # µs
_WHY = {
    "explicit": "the program asked to wait for the device",
    "value": "the program needs a number that the device computes",
    "copy": "a copy from ordinary memory must end first",
    "queue_full": "the queue is full, and a place must become free",
    "memory": "memory is given back",
    "exchange": "another library gets the array",
}


Times = tuple[float, float]


@dataclass(frozen=True)
class Span:
    """A stretch of time in µs from the profile's begin, its name and its line.

    Attributes:
        site: The line: of work, that of its launch where the profile kept it.
        group: Of work: the module or phase of the program; of a wait "".
        call: When the host is at it: launches, both `begin` where not known, or waits.
        stream: Of work: the row of its stream.
        work: Number of the work, or of that which a wait waits for; -1: none.
        waits: Whether the host waits.
    """

    name: str
    begin: float
    end: float
    site: str = ""
    group: str = ""
    call: Times = (0.0, 0.0)
    stream: int = 0
    work: int = -1
    waits: bool = False

    @property
    def long(self) -> float:
        """How long it takes."""
        return self.end - self.begin


@dataclass(frozen=True)
class Program:
    """One profile.

    Attributes:
        name: What the reader calls it.
        long: From its begin to its end, in µs.
        works: What the device did, by begin; waits: of the host.
        depth: Times, and how much was queued and not done from then on.
        streams: How many.
        emulated: Whether the device is this computer.
    """

    name: str
    long: float
    works: tuple[Span, ...]
    waits: tuple[Span, ...]
    depth: tuple[tuple[float, int], ...]
    streams: int
    emulated: bool

    @cached_property
    def burst(self) -> tuple[float, float]:
        """Begin and end of the stretch with most launches and no wait between them."""
        calls = sorted(
            {work.call for work in self.works if work.call[1] > work.call[0]}
        )
        stops = sorted(wait.begin for wait in self.waits)
        stretches: dict[int, list[tuple[float, float]]] = {}
        for call in calls:
            stretches.setdefault(bisect_right(stops, call[0]), []).append(call)
        most = max(stretches.values(), key=len, default=[(0.0, 0.0)])
        return most[0][0], most[-1][1]

    @property
    def totals(self) -> list[str]:
        """The program in a few words each."""
        launching = sum(
            end - begin for begin, end in {work.call for work in self.works}
        )
        most = max((depth for _, depth in self.depth), default=0)
        whose = ["emulated: this computer's times"] if self.emulated else []
        return [
            f"{micro(self.long)} in all",
            f"launching {micro(launching)}",
            f"waiting {micro(sum(wait.long for wait in self.waits))}",
            f"at most {counted(most, 'launch')} ahead",
            *whose,
        ]

    def launch_sentences(self, at: int) -> tuple[str, str]:
        """Say when work was launched and when it began."""
        work = self.works[at]
        name, launched = kernel_name(work.name), work.call[1]
        known = work.group == OTHER or work.group.startswith(name)
        subject = f"{name}{'' if known else f' of {work.group}'} is launched at"
        own = [each for each in self.works[:at] if each.stream == work.stream]
        rest = micro(max(work.begin - launched, 0.0))
        line = f"{work.site} launches it. " if work.site else ""
        if own and own[-1].end > launched + _SOON:
            return (
                f"{subject} {micro(launched)}, {micro(own[-1].end - launched)} before "
                "the work ahead of it ends.",
                f"{line}It waits {rest} in the stream's queue, and the program does "
                "not: launching only says what to do later. The stream keeps the "
                "order.",
            )
        return (
            f"{subject} {micro(launched)} and starts {rest} later: the queue was "
            "empty.",
            f"{line}It takes {micro(work.long)}; the program does not stay for it.",
        )


def wait_sentences(wait: Span) -> tuple[str, str]:
    """Say why the host waits, where, and how long."""
    where = f"{wait.site} waits" if wait.site else "The program waits"
    return (
        f"{where} {micro(wait.long)}: {_WHY.get(wait.name, wait.name)}.",
        "Nothing is launched meanwhile, so the queue runs empty."
        if wait.name != "queue_full"
        else "This is why launching seems to take longer while the device is busy.",
    )


def micro(time: float) -> str:
    """Return a time of µs in the unit that leaves three digits.

    Example:
        >>> micro(12.34), micro(203_062), micro(0.123)
        ('12.3 µs', '203 ms', '123 ns')
    """
    return duration(time / 1e6)


def kernel_name(name: str) -> str:
    """Return a kernel's name without its file.

    Example:
        >>> kernel_name("conv2d (conv2d.cu)"), kernel_name("Memset (Device)")
        ('conv2d', 'Memset (Device)')
    """
    return name.partition(" (")[0] if name.endswith(".cu)") else name


def _group(around: list[Mapping[str, Any]]) -> str:
    """The part of the program within these scopes: a module, a phase, the way back."""
    for scope in around:
        if scope["kind"] == "user":
            return str(scope["name"])
        if scope["kind"] == "module" and scope["name"]:
            return str(scope["name"]).partition(".")[0]
        if scope["kind"] == "backward":
            return "backward"
    return str(around[-1]["name"]) if around else OTHER


def _launches(thread: Mapping[str, Any]) -> dict[int, tuple[Any, str, str]]:
    """For each work its call, the part of the program and the line."""
    scopes = sorted(thread["scopes"], key=lambda each: (each["begin"], each["depth"]))
    around: list[Mapping[str, Any]] = []
    found, entered = {}, 0
    for call in sorted(thread["calls"], key=lambda each: each["begin"]):
        time = call["begin"]
        while entered < len(scopes) and scopes[entered]["begin"] <= time:
            around.append(scopes[entered])
            entered += 1
        around = [scope for scope in around if time < scope["end"]]
        site = next((str(each["site"]) for each in around[::-1] if each["site"]), "")
        found[call["work"]] = call, _group(around), site
    return found


def _depth(found: Mapping[str, Any]) -> list[tuple[float, int]]:
    """How much was queued in all streams together, from when on."""
    now: dict[Any, int] = {}
    steps = []
    for step in sorted(found["depth"], key=lambda each: each["time"]):
        now[step["stream"]] = int(step["depth"])
        steps.append(((step["time"] - found["begin"]) / 1e3, sum(now.values())))
    return steps


def program_of(profile: Any, name: str) -> Program:
    """Read a profile.

    Args:
        profile: A profile that has ended, or its timeline's dict.
        name: What the reader calls it.

    Raises:
        TypeError: Neither of these.
        ValueError: One in which nothing ran.
    """
    found = profile.timeline() if hasattr(profile, "timeline") else profile
    if not isinstance(found, Mapping) or found.get("schema") != _SCHEMA:
        raise TypeError(
            f"[viz.timeline] got {type(profile).__name__}; need a profile: with "
            "minitorch.profiler.profile() as prof: ...; then viz.timeline(prof)."
        )

    def times(each: Mapping[str, Any]) -> Times:
        begin, end = ((each[at] - found["begin"]) / 1e3 for at in ("begin", "end"))
        return begin, end

    threads = found["threads"]
    launches = {
        work: call for each in threads for work, call in _launches(each).items()
    }
    works = []
    for row, stream in enumerate(found["streams"]):
        for work in stream["works"]:
            begin, end = times(work)
            call, group, site = launches.get(work["id"], (None, OTHER, ""))
            called = times(call) if call else (begin, begin)
            works.append(Span(work["name"], begin, end, site, group, called, row))
    works.sort(key=lambda each: each.begin)
    works = [replace(each, work=at) for at, each in enumerate(works)]
    waits = []
    for wait in (wait for thread in threads for wait in thread["waits"]):
        begin, end = times(wait)
        done = ((each.end, each.work) for each in works if each.end <= end)
        last = max(done, default=(0.0, -1))[1]
        waits.append(Span(wait["reason"], begin, end, str(wait["site"]),
                          call=(begin, end), work=last, waits=True))  # fmt: skip
    waits.sort(key=lambda each: each.begin)
    if not works and not waits:
        raise ValueError(
            "[viz.timeline] the profile has no work on the device and no waits. Run "
            "something on cuda while profiling."
        )
    long = max(times(found)[1], *(each.end for each in works), 0.0)
    return Program(
        name, long, tuple(works), tuple(waits), tuple(_depth(found)),
        max(len(found["streams"]), 1), bool(found["emulated"]),
    )  # fmt: skip


_MOST, _MOST_ITEMS = 3, 400
_SHORT = 0.15  # of all: launching that takes less is drawn once more
_RING = {"rx": 3, "fill": "none", "stroke": "var(--ink)", "stroke_width": 2.4,
         "pointer_events": "none"}  # fmt: skip


def items_of(programs: list[Program]) -> list[tuple[int, Span]]:
    """Return what can be in focus with its program's number, in the order of time."""
    return [(number, span) for number, program in enumerate(programs)
            for span in sorted((*program.works, *program.waits),
                               key=lambda span: span.call[0],
                              )[: _MOST_ITEMS // len(programs)]]  # fmt: skip


def hues_of(programs: list[Program]) -> dict[str, int]:
    """Return the parts that have a hue: those that the device is longest at."""
    long: dict[str, float] = {}
    for work in (work for program in programs for work in program.works):
        long[work.group] = long.get(work.group, 0.0) + work.long
    long.pop(OTHER, None)
    kept = sorted(long, key=lambda name: -long[name])[:HUES]
    return {name: at for at, name in enumerate(name for name in long if name in kept)}


class _Rows:
    """Where the rows of a program are in a picture so wide, and a time in them."""

    def __init__(
        self, programs: list[Program], number: int, width: int, top: float
    ) -> None:
        self.program, self.top, self.right = programs[number], top, width - 8.0
        self.unit = self.right / max(*(each.long for each in programs), 1e-6)
        burst = max(end - begin for begin, end in (each.burst for each in programs))
        close = 0 < burst * self.unit < _SHORT * self.right
        self.near = self.right / burst if close else 0.0
        self.head = wrapped(" · ".join(self.program.totals), 12, width)
        self.axis = top + 34 + 16 * len(self.head)
        self.scopes = self.axis + 28
        self.calls = self.scopes + 24
        self.closer = self.calls + 60
        self.queue = self.closer + 72 if close else self.calls + 50
        self.device = self.queue + 94
        self.bottom = self.device + 52 * self.program.streams - 6

    def box(self, times: Times, near: bool = False) -> Times:
        """Return left and width of a time, at least wide enough to be seen."""
        unit = self.near if near else self.unit
        begin, end = (each - self.program.burst[0] * near for each in times)
        wide = max((end - begin) * unit, 0.6)
        return round(max(begin, 0) * unit, 1), round(wide - min(1.2, wide / 3), 1)

    def is_near(self, call: Times) -> bool:
        """Return whether a launch is drawn closer."""
        first, last = self.program.burst
        return self.near > 0 and first <= call[0] < last

    def stream(self, work: Span) -> float:
        """Return the top of the row of a work's stream."""
        return self.device + 52 * work.stream


class _Picture:
    """Programs, and what in them can be in focus."""

    def __init__(self, programs: list[Program]) -> None:
        self.programs, self.items = programs, items_of(programs)
        self.hues = hues_of(programs)
        self.rows: dict[int, list[_Rows]] = {}

    def layout(self, width: int) -> list[_Rows]:
        """Return where the rows of all programs are."""
        if width not in self.rows:
            rows = self.rows[width] = []
            for number in range(len(self.programs)):
                top = rows[-1].bottom + 14 if rows else 0.0
                rows.append(_Rows(self.programs, number, width, top))
        return self.rows[width]

    def solid(self, group: str) -> str:
        """Return the fill of launches of a part of the program."""
        return strong(self.hues[group]) if group in self.hues else "var(--mut)"

    def box(self, view: Drawing, box: Times, y: float, high: float, words: str,
            group: str = OTHER, **more: Any) -> None:  # fmt: skip
        """Add a box of a part of the program, with as many of the words as fit."""
        (x, wide), hue = box, self.hues.get(group)
        fill = "var(--d16)" if hue is None else tint(hue)
        view.rect(x, y, wide, high, rx=2, fill=fill, stroke=self.solid(group),
                  stroke_width=0.8, data_tip=words, **more)  # fmt: skip
        for text in (words, words.partition(": ")[0]):
            if width_of(text, 10.5) + 6 < wide:
                middle = round(x + wide / 2, 1)
                view.text(middle, y + high / 2 + 4, text, 10.5, anchor="middle",
                          pointer_events="none")  # fmt: skip
                break

    def draw(self, _state: Mapping[str, int], width: int) -> Drawing:
        """Draw all programs without the focus."""
        view = Drawing(width)
        for number, rows in enumerate(self.layout(width)):
            _frame(view, rows)
            self._host(view, rows)
            _queue(view, rows)
            self._spans(view, rows, number)
            view.height = rows.bottom
        return view

    def _host(self, view: Drawing, rows: _Rows) -> None:
        """The layers as boxes above their launches, and once more closer."""
        works = sorted(rows.program.works, key=lambda work: work.call[0])
        for near in (False, True) if rows.near else (False,):
            own = [work for work in works if rows.is_near(work.call) or not near]
            y = rows.closer if near else rows.scopes
            for group, every in groupby(own, lambda work: work.group):
                calls = [work.call for work in every]
                box = rows.box((calls[0][0], calls[-1][1]), near)
                words = f"{group}: {counted(len(calls), 'launch')}"
                if group != OTHER and (near or box[1] >= 2):
                    self.box(view, box, y, 18, words, group)
        if rows.near:
            (x, wide), (_, close) = (
                rows.box(rows.program.burst, near) for near in (False, True)
            )
            y, low = rows.closer - 22, rows.calls + 24
            view.path(f"M{x:g} {low:g}L0 {y:g}H{close:g}L{x + wide:g} {low:g}z",
                      fill="var(--d5)", stroke="var(--line)")  # fmt: skip

    def _spans(self, view: Drawing, rows: _Rows, number: int) -> None:
        """Launches, waits and what the device runs; those of items can be chosen."""
        go = {span: at for at, (program, span) in enumerate(self.items)
              if program == number}  # fmt: skip
        seen: set[tuple[str, int, float]] = set()  # of the others one a pixel
        for span in (*rows.program.waits, *rows.program.works):
            box, solid = rows.box((span.begin, span.end)), self.solid(span.group)
            more = {"data_go": f"item={go[span]}"} if span in go else {}
            if span.waits:
                words = f"‖ {micro(span.long)}: {span.name} {span.site}".strip()
                self.box(view, box, rows.calls, 24, words, **more)
                continue
            boxes = [(rows.box(span.call), rows.calls)]
            if rows.is_near(span.call):
                boxes.append((rows.box(span.call, True), rows.closer + 20))
            if not more:
                for (x, wide), y in (*boxes, (box, rows.stream(span))):
                    if (solid, int(x), y) not in seen:
                        view.rect(x, y, wide, 24, fill=solid)
                    seen.add((solid, int(x), y))
                continue
            words = f"{kernel_name(span.name)}: {micro(span.long)}"
            self.box(view, box, rows.stream(span), 28, words, span.group, **more)
            for (x, wide), y in boxes:
                view.rect(x, y, wide, 24, fill=solid, data_tip=words, **more)

    def focus(self, state: Mapping[str, int], width: int) -> Drawing:
        """Draw rings around a launch or a wait and its work, and an arrow between."""
        view, (program, span) = Drawing(width), self.items[state["item"]]
        self._mark(view, span, self.layout(width)[program])
        for rows in self.layout(width):
            _names(view, rows)
        return view

    def _mark(self, view: Drawing, item: Span, rows: _Rows) -> None:
        (x, wide), low = rows.box(item.call), rows.calls
        view.rect(x - 2, low - 2, wide + 4, 28, **_RING)
        if not item.waits and rows.is_near(item.call):
            (x, wide), low = rows.box(item.call, True), rows.closer + 20
            view.rect(x - 2, low - 2, wide + 4, 28, **_RING)
        if item.work < 0:
            return
        work = rows.program.works[item.work]
        (left, long), top = rows.box((work.begin, work.end)), rows.stream(work)
        view.rect(left - 2, top - 2, long + 4, 32, **_RING,
                  stroke_dasharray="4 2.5" if item.waits else None)  # fmt: skip
        ends = [(x + wide / 2, low + 27), (left + min(long / 2, 8), top - 4)]
        if item.waits:  # the value comes back to the host
            ends = [(left + long, top - 3), (x + wide, low + 29)]
        (x, y), (right, bottom) = ends
        path = f"M{x:.1f} {y:g}V{rows.device - 16:g}H{right:.1f}V{bottom:g}"
        view.path(path, stroke="var(--bg)", stroke_width=5)
        view.path(path, stroke="var(--ink)", stroke_width=1.8, marker_end=VALUE_IN)


def _frame(view: Drawing, rows: _Rows) -> None:
    """Names, totals, the axis of time, and the device where it is empty."""
    program = rows.program
    view.text(0, rows.top + 14, shortened(program.name, 40), 13, bold=True)
    for at, words in enumerate(rows.head):
        view.text(0, rows.top + 32 + 16 * at, words, 12, fill="var(--mut)")
    step = 1.0
    while step * rows.unit < 70:
        step *= 2.5 if str(step).startswith("2") else 2
    unit, name = (1e3, "ms") if step >= 1e3 else (1.0, "µs")
    for at in range(int((rows.right - 12) / rows.unit / step) + 1):
        x = round(at * step * rows.unit, 1)
        view.path(f"M{x:g} {rows.axis + 4:g}V{rows.bottom - 8:g}", stroke="var(--line)")
        words = f"{at * step / unit:,g}" if at else f"0 {name}"
        view.text(x, rows.axis, words, 10.5, anchor="middle" if at else "start",
                  fill="var(--mut)")  # fmt: skip
    for stream in range(program.streams):
        view.rect(0, rows.device + 52 * stream, round(program.long * rows.unit, 1), 28,
                  rx=3, fill=EMPTY, stroke="var(--line)")  # fmt: skip


def _names(view: Drawing, rows: _Rows) -> None:
    """Names of the rows, on ground of their own where an arrow passes behind them."""
    names = [(rows.scopes, "host", "layers, launches, waits"),
             (rows.queue, "queue", "launched and not yet done"),
             (rows.device - 17, "device", "runs")]  # fmt: skip
    if rows.near:
        closer = f"{rows.near / rows.unit:,.0f} × closer"
        names.append((rows.closer, "launching", closer))
    names += [(rows.device + 52 * stream, f"stream {stream}", "runs")
              for stream in range(1, rows.program.streams)]  # fmt: skip
    for y, name, does in names:
        wide = 0.9 * (width_of(name, 12, bold=True) + width_of(f" · {does}", 12))
        view.rect(0, y - 18, round(wide), 15, fill="var(--bg)", pointer_events="none")
        view.runs(0, y - 7, 12, (name, "bold"), (f" · {does}", "mut"))


def _queue(view: Drawing, rows: _Rows) -> None:
    depth, base = rows.program.depth, rows.queue + 44
    most = max((deep for _, deep in depth), default=1)
    d, last = f"M0 {base:g}", ("", "")
    for time, deep in depth:
        spot = f"{max(time, 0) * rows.unit:.1f}", f"{base - deep * 44 / most:.1f}"
        d += f"H{spot[0]}V{spot[1]}" if spot != last else ""
        last = spot
    if depth:
        view.path(f"{d}V{base:g}z", fill="var(--d16)", stroke="var(--d45)")
    view.path(f"M0 {base:g}H{rows.right:g}", stroke="var(--mut)")


def scene_of(programs: list[Program]) -> Scene:
    """Return the scene of programs below each other."""
    picture, own = _Picture(programs), Interned()
    items, hues = picture.items, picture.hues
    said = [
        wait_sentences(span) if span.waits else programs[at].launch_sentences(span.work)
        for at, span in items
    ]  # fmt: skip
    answers, details = zip(*said, strict=True)
    names = [
        f"‖ {micro(span.long)}" if span.waits else answer.partition(" is launched")[0]
        for (_, span), answer in zip(items, answers, strict=True)
    ]  # fmt: skip
    marks = tuple(at for at, (_, span) in enumerate(items) if span.waits)
    axis = Axis("item", "Item", len(items), marks=marks[:200],
                words=own.table("item", names))  # fmt: skip
    key = [("belongs", at, shortened(name, 24)) for name, at in hues.items()]
    if any(work.group not in hues for each in programs for work in each.works):
        key.append(("moved", 0, "all else"))
    key += [("stays", 0, "the host waits")] if marks else []
    key += [("empty", 0, "the device is empty"),
            ("focus", 0, "focus; dashed: what a wait waits for")]  # fmt: skip
    return Scene(
        (axis,), own.all, own.looks,
        (Panel((frames_of((), picture.draw),), WIDTH),),
        answer=(own.table("item", answers),),
        detail=(own.table("item", details),),
        over=(frames_of((axis,), picture.focus),), key=swatches(key),
    )  # fmt: skip


def timeline(*profiles: Any, names: Sequence[str] | None = None) -> Figure:
    """Draw how far a program runs ahead of the device, and where it waits.

    Of each profile: the host's modules, launches and waits; how much is queued; and
    what the device runs. Several are drawn below each other on one scale: a step as it
    is written, and the same as a graph.

    Args:
        *profiles: One to three: profiles that have ended, or what `timeline()` gave.
        names: What the reader calls them; None: "program 1" and so on.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        TypeError: Not a profile.
        ValueError: None, too many, nothing that ran on the device, or not a name for
            each.
    """
    if not 1 <= len(profiles) <= _MOST:
        raise ValueError(
            f"[viz.timeline] got {len(profiles)} profiles; need 1 to {_MOST}."
        )
    if names is None:
        names = [f"program {at + 1}" for at in range(len(profiles))]
    if len(names) != len(profiles):
        raise ValueError(
            f"[viz.timeline] got {len(names)} names for {len(profiles)} profiles; need "
            "one for each."
        )
    programs = list(map(program_of, profiles, map(str, names)))
    items = items_of(programs)
    # The launch of the first one whose work stays queued longest.
    queued = [-1.0 if program or span.waits else span.begin - span.call[1]
              for program, span in items]  # fmt: skip
    return Figure(
        "How far ahead of the device is my program, and where does it wait?",
        scene_of(programs), {"item": queued.index(max(queued))}, data=programs,
    )  # fmt: skip

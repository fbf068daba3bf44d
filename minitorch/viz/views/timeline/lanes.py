"""The numbers of the timeline view: host, queue and device of a profile.

It reads `minitorch.timeline/1`, which `timeline()` gives.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...traces.schemas import Form

_FORM = Form(
    view="timeline",
    schema="minitorch.timeline/1",
    what="a profile",
    method="timeline",
    made="with minitorch.profiler.profile() as prof: ...; then viz.timeline(prof).",
)
OTHER = "other"  # of work that no scope is around


@dataclass(frozen=True)
class Span:
    """A stretch of time in µs from the profile's begin, its name and its line.

    Attributes:
        group: Of work: the module or phase that launched it; of a wait "".
        call: Of work: when launching began and ended; both `begin` where not known.
        stream: Of work: the row of its stream.
    """

    name: str
    kind: str
    begin: float
    end: float
    site: str = ""
    group: str = ""
    call: tuple[float, float] = (0.0, 0.0)
    stream: int = 0

    @property
    def long(self) -> float:
        """How long it is."""
        return self.end - self.begin


@dataclass(frozen=True)
class Program:
    """One profile.

    Attributes:
        name: What the reader calls it.
        long: From its begin to its end, in µs.
        works: What the device did, by begin; waits: of the host; scopes: modules and
            phases of the host that are not within others.
        depth: Times, and how much was queued and not done from then on.
        streams: How many.
        emulated: Whether the device is this computer.
    """

    name: str
    long: float
    works: tuple[Span, ...]
    waits: tuple[Span, ...]
    scopes: tuple[Span, ...]
    depth: tuple[tuple[float, int], ...]
    streams: int
    emulated: bool

    @cached_property
    def ends(self) -> list[tuple[float, int]]:
        """When each work ended, and its number, in the order of these times."""
        return sorted((each.end, at) for at, each in enumerate(self.works))

    @property
    def launching(self) -> float:
        """How long the host launched."""
        return sum(end - begin for begin, end in {each.call for each in self.works})

    @property
    def waiting(self) -> float:
        """How long the host waited."""
        return sum(each.long for each in self.waits)


def _group_of(around: list[Mapping[str, Any]]) -> str:
    """The part of the program within these scopes: a module, a phase, the way back."""
    for each in around:
        if each["kind"] == "user":
            return str(each["name"])
        if each["kind"] == "module" and each["name"]:
            return str(each["name"]).partition(".")[0]
        if each["kind"] == "backward":
            return "backward"
    return str(around[-1]["name"]) if around else OTHER


def _groups(thread: Mapping[str, Any]) -> dict[int, str]:
    """The part of the program that each call belongs to, by the call's begin."""
    scopes = sorted(thread["scopes"], key=lambda each: (each["begin"], each["depth"]))
    around: list[Mapping[str, Any]] = []
    found, entered = {}, 0
    for call in sorted(thread["calls"], key=lambda each: each["begin"]):
        time = call["begin"]
        while entered < len(scopes) and scopes[entered]["begin"] <= time:
            around.append(scopes[entered])
            entered += 1
        around = [each for each in around if time < each["end"]]
        found[time] = _group_of(around)
    return found


def _micro(found: Mapping[str, Any], start: float) -> tuple[float, float]:
    return (found["begin"] - start) / 1e3, (found["end"] - start) / 1e3


def _works(found: Mapping[str, Any], start: float) -> list[Span]:
    calls: dict[int, tuple[Mapping[str, Any], str]] = {}
    for thread in found["threads"]:
        groups = _groups(thread)
        for call in thread["calls"]:
            calls[call["work"]] = (call, groups[call["begin"]])
    works = []
    for row, stream in enumerate(found["streams"]):
        for work in stream["works"]:
            begin, end = _micro(work, start)
            call, group = calls.get(work["id"], (None, OTHER))
            launched = (begin, begin) if call is None else _micro(call, start)
            works.append(Span(str(work["name"]), str(work["kind"]), begin, end, "",
                              group, launched, row))  # fmt: skip
    return sorted(works, key=lambda each: each.begin)


def _outer(found: Mapping[str, Any], start: float) -> list[Span]:
    """Named modules, phases and ops of the host that no other of these is around."""
    kept: list[Span] = []
    for thread in found["threads"]:
        last = float("-inf")
        for each in sorted(thread["scopes"], key=lambda scope: scope["begin"]):
            begin, end = _micro(each, start)
            if each["kind"] != "step" and each["name"] and begin >= last:
                kept.append(Span(str(each["name"]), str(each["kind"]), begin, end,
                                 str(each["site"])))  # fmt: skip
                last = end
    return kept


def _depth(found: Mapping[str, Any], start: float) -> list[tuple[float, int]]:
    """How much was queued in all streams together."""
    now: dict[Any, int] = {}
    steps = []
    for each in sorted(found["depth"], key=lambda step: step["time"]):
        now[each["stream"]] = int(each["depth"])
        steps.append(((each["time"] - start) / 1e3, sum(now.values())))
    return steps


def program_of(profile: Any, name: str) -> Program:
    """Read a profile.

    Args:
        profile: A profile that has ended, or its timeline's dict.
        name: What the reader calls it.

    Raises:
        TypeError: Neither of these.
        ValueError: A dict of another form, or one in which nothing ran.
    """
    found = _FORM.of(profile)
    try:
        start = float(found["begin"])
        works = _works(found, start)
        waits = [
            Span(str(each["reason"]), "wait", *_micro(each, start), str(each["site"]))
            for thread in found["threads"]
            for each in thread["waits"]
        ]
        ends = [(found["end"] - start) / 1e3, *(each.end for each in works)]
        program = Program(
            name, max(ends), tuple(works),
            tuple(sorted(waits, key=lambda each: each.begin)),
            tuple(_outer(found, start)), tuple(_depth(found, start)),
            max(len(found["streams"]), 1), bool(found["emulated"]),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(
            f"[viz.timeline] got a timeline that lacks something ({error}); need all "
            f"of {_FORM.schema!r}, as prof.timeline() gives it."
        ) from error
    if not works and not waits:
        raise ValueError(
            "[viz.timeline] got a profile without work of the device or a wait; need "
            "one in which something ran on cuda."
        )
    return program


def before(program: Program, at: int) -> Span | None:
    """The work of the same stream that ends last before one begins."""
    own = program.works[at]
    while at:
        at -= 1
        if program.works[at].stream == own.stream:
            return program.works[at]
    return None


def waited_for(program: Program, wait: Span) -> int:
    """The last work that has ended when a wait ends; -1 for none."""
    place = bisect_right(program.ends, (wait.end, len(program.works)))
    return program.ends[place - 1][1] if place else -1


def burst_of(program: Program) -> tuple[float, float]:
    """Begin and end of the stretch with most launches and no wait between them.

    Returns:
        Times in µs; (0, 0) where nothing was launched.
    """
    calls = sorted({each.call for each in program.works if each.call[1] > each.call[0]})
    stops = sorted(each.begin for each in program.waits)
    stretches: dict[int, list[tuple[float, float]]] = {}
    for call in calls:
        stretches.setdefault(bisect_right(stops, call[0]), []).append(call)
    most = max(stretches.values(), key=len, default=[])
    return (most[0][0], most[-1][1]) if most else (0.0, 0.0)

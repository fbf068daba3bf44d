"""The numbers and sentences of the timeline: host, queue and device of a profile.

They are read from `minitorch.timeline/1`, which a profile's `timeline()` gives.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ...scene.phrases import counted, duration

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


@dataclass(frozen=True)
class Span:
    """A stretch of time in µs from the profile's begin, its name and its line.

    Attributes:
        site: The line: of work, that of its launch where the profile kept it.
        group: Of work and scopes: the module or phase of the program; of a wait "".
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
        """How long it takes."""
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

    @cached_property
    def lines(self) -> list[tuple[str, int, float, float]]:
        """What lines cost the host: line, launches, launching, waiting; most first."""
        rows = []
        for site in {each.site for each in (*self.works, *self.waits)}:
            calls = {work.call for work in self.works if work.site == site}
            waits = (wait.long for wait in self.waits if wait.site == site)
            launching = sum(end - begin for begin, end in calls)
            rows.append((site or "line not known", len(calls), launching, sum(waits)))
        return sorted(rows, key=lambda row: (-row[2] - row[3], row))

    def waited_for(self, wait: Span) -> int:
        """Return the number of the last work that ended with a wait; -1: none."""
        place = bisect_right(self.ends, (wait.end, len(self.works)))
        return self.ends[place - 1][1] if place else -1

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


def _outer(thread: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Named modules, phases and ops of the host that no other of these is around."""
    kept: list[Mapping[str, Any]] = []
    for scope in sorted(thread["scopes"], key=lambda each: each["begin"]):
        known = scope["kind"] != "step" and scope["name"]
        if known and (not kept or scope["begin"] >= kept[-1]["end"]):
            kept.append(scope)
    return kept


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
        ValueError: A dict of another form, or one in which nothing ran.
    """
    found = profile.timeline() if hasattr(profile, "timeline") else profile
    if not isinstance(found, Mapping):
        raise TypeError(
            f"[viz.timeline] got {type(profile).__name__}; need a profile: with "
            "minitorch.profiler.profile() as prof: ...; then viz.timeline(prof)."
        )
    if found.get("schema") != _SCHEMA:
        raise ValueError(
            f"[viz.timeline] got schema {found.get('schema')!r}; need {_SCHEMA!r}, "
            "from prof.timeline()."
        )

    def span(each: Mapping[str, Any], name: Any, kind: Any, **more: Any) -> Span:
        times = [(each[end] - found["begin"]) / 1e3 for end in ("begin", "end")]
        return Span(str(name), str(kind), *times, **more)

    try:
        threads = found["threads"]
        launches = {
            work: call for each in threads for work, call in _launches(each).items()
        }
        works = []
        for row, stream in enumerate(found["streams"]):
            for work in stream["works"]:
                own = span(work, work["name"], work["kind"])
                call, group, site = launches.get(work["id"], (None, OTHER, ""))
                called = span(call, "", "") if call else own
                times = (called.begin, called.end if call else own.begin)
                works.append(
                    replace(own, site=site, group=group, call=times, stream=row)
                )
        works.sort(key=lambda each: each.begin)
        waits = [span(wait, wait["reason"], "wait", site=str(wait["site"]))
                 for thread in threads for wait in thread["waits"]]  # fmt: skip
        waits.sort(key=lambda each: each.begin)
        scopes = [span(scope, scope["name"], scope["kind"], group=_group([scope]))
                  for thread in threads for scope in _outer(thread)]  # fmt: skip
        ends = [(found["end"] - found["begin"]) / 1e3, *(each.end for each in works)]
        program = Program(
            name, max(ends), tuple(works), tuple(waits), tuple(scopes),
            tuple(_depth(found)), max(len(found["streams"]), 1),
            bool(found["emulated"]),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(
            f"[viz.timeline] the timeline is incomplete ({error}); need all of "
            f"{_SCHEMA!r}, from prof.timeline()."
        ) from error
    if not works and not waits:
        raise ValueError(
            "[viz.timeline] the profile has no work on the device and no waits. Run "
            "something on cuda while profiling."
        )
    return program

"""The picture of timelines: programs below each other, on one scale."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ...figure.figure import WIDTH, Figure, KeyEntry
from ...figure.live import Live
from ...figure.moving import Moving
from ...figure.player import Player
from ...scene.drawing import Drawing, shortened, width_of
from ...scene.marks import EMPTY, VALUE_IN
from ...scene.palette import HUES, strong, tint
from .lanes import OTHER, Program, Span, burst_of, waited_for
from .words import micro, says_wait, says_work, title_of, totals_of, waits_of

LEFT, ROOM = 92.0, WIDTH - 92.0 - 8
MOST_ITEMS = 600
_SCOPES, _CALLS, _QUEUE, _DEVICE, _ROW = 40.0, 66.0, 112.0, 190.0, 38.0
_CLOSER, _CLOSER_HIGH = 112.0, 82.0  # launching once more, where it is short
_SHORT = 0.15  # of all: launching that takes less is drawn once more
_QUEUE_HIGH, _MOST_SCOPES, _LEAST = 44.0, 120, 0.4
_BREAKS = [LEFT + ROOM * at / 8 for at in range(1, 8)]
_MOST_WAITS = 6


@dataclass(frozen=True)
class Item:
    """What can be in focus: a program's work, or its wait."""

    program: int
    wait: bool
    at: int


def items_of(programs: list[Program]) -> list[Item]:
    """All that can be in focus, in the order of time, program by program."""
    found: list[Item] = []
    for number, program in enumerate(programs):
        own = [(each.call[0], Item(number, False, at))
               for at, each in enumerate(program.works)]  # fmt: skip
        own += [(each.begin, Item(number, True, at))
                for at, each in enumerate(program.waits)]  # fmt: skip
        own.sort(key=lambda pair: pair[0])
        found += [item for _, item in own[: MOST_ITEMS // len(programs)]]
    return found


def hues_of(programs: list[Program]) -> dict[str, int]:
    """The parts that have a hue: those that the device is longest at."""
    long: dict[str, float] = {}
    for program in programs:
        for each in program.works:
            long[each.group] = long.get(each.group, 0.0) + each.long
    long.pop(OTHER, None)
    longest = sorted(long, key=lambda name: -long[name])[:HUES]
    kept = [name for name in long if name in longest]
    return {name: at for at, name in enumerate(kept)}


@dataclass(frozen=True)
class _Look:
    """How a part of the program looks: in its hue, or in none."""

    solid: str
    pale: str
    edge: str


_NO_HUE = _Look("var(--mut)", "var(--panel)", "var(--mut)")


def _looks(programs: list[Program]) -> dict[str, _Look]:
    """The look of each part that has a hue."""
    return {
        name: _Look(strong(at), tint(at), strong(at))
        for name, at in hues_of(programs).items()
    }


class _Closer:
    """The host's longest burst of launches, on a scale of its own."""

    def __init__(self, begin: float, unit: float) -> None:
        self.begin, self.unit = begin, unit

    def box(self, begin: float, end: float) -> tuple[float, float]:
        """Left and width, at least wide enough to be seen."""
        wide = max((end - begin) * self.unit, _LEAST)
        return LEFT + (begin - self.begin) * self.unit, wide - min(1.2, wide / 3)


class _Scale:
    """From µs to pixels: one for all programs, and one for what is drawn closer."""

    def __init__(self, programs: list[Program]) -> None:
        self.unit = ROOM / max(*(each.long for each in programs), 1e-6)
        bursts = [burst_of(each) for each in programs]
        longest = max(end - begin for begin, end in bursts)
        self.closer: list[_Closer] = []
        if 0 < longest * self.unit < _SHORT * ROOM:
            self.closer = [_Closer(begin, ROOM / longest) for begin, _ in bursts]
        below = _CLOSER_HIGH if self.closer else 0.0
        self.queue, self.device = _QUEUE + below, _DEVICE + below

    def x(self, time: float) -> float:
        return LEFT + max(time, 0.0) * self.unit

    def box(self, begin: float, end: float) -> tuple[float, float]:
        """Left and width, at least wide enough to be seen."""
        wide = max((end - begin) * self.unit, _LEAST)
        return self.x(begin), wide - min(1.2, wide / 3)


def _path(
    scale: _Scale | _Closer, spans: list[tuple[float, float]], y: float, high: float
) -> str:
    """Boxes as one path; those that cannot be told apart are one."""
    boxes: list[list[float]] = []
    for x, wide in sorted(scale.box(*each) for each in spans):
        if boxes and x - boxes[-1][1] < _LEAST:
            boxes[-1][1] = max(boxes[-1][1], x + wide)
        else:
            boxes.append([x, x + wide])
    return "".join(
        f"M{x:.1f} {y:g}h{end - x:.1f}v{high:g}h{x - end:.1f}z" for x, end in boxes
    )


def _draw_axis(view: Drawing, scale: _Scale, high: float) -> None:
    step = 1.0
    while step * scale.unit < 70:
        step *= 2.5 if str(step).startswith("2") else 2
    unit, name = (1e3, "ms") if step >= 1e3 else (1.0, "µs")
    for at in range(int(ROOM / scale.unit / step) + 1):
        x = scale.x(at * step)
        view.path(f"M{x:.1f} 30V{high - 8:g}", stroke="var(--line)", stroke_width=0.6)
        words = f"{at * step / unit:,g}" if at else f"0 {name}"
        view.text(x, 26, words, 10.5, anchor="middle" if at else "start",
                  fill="var(--mut)")  # fmt: skip


def _by_look(works: Iterable[Span], looks: dict[str, _Look]
             ) -> list[tuple[_Look, list[Span]]]:  # fmt: skip
    """Work by its look, the pieces without a hue first."""
    found: dict[_Look, list[Span]] = {_NO_HUE: []}
    for each in works:
        found.setdefault(looks.get(each.group, _NO_HUE), []).append(each)
    return [*found.items()]


def _draw_host(view: Drawing, scale: _Scale, program: Program, looks: dict[str, _Look]
               ) -> None:  # fmt: skip
    for scope in program.scopes[:_MOST_SCOPES]:
        x, wide = scale.box(scope.begin, scope.end)
        if wide < 2:
            continue
        view.rect(x, _SCOPES, wide, 20, rx=3, fill="var(--panel)", stroke="var(--line)")
        if width_of(scope.name, 10.5) + 6 < wide:
            view.text(x + wide / 2, _SCOPES + 14, scope.name, 10.5, anchor="middle")
    for look, own in _by_look(program.works, looks):
        view.path(_path(scale, [each.call for each in own], _CALLS, 24),
                  fill=look.solid)  # fmt: skip
    for wait in program.waits:
        _draw_wait(view, scale, wait)


def _draw_wait(view: Drawing, scale: _Scale, wait: Span) -> None:
    x, wide = scale.box(wait.begin, wait.end)
    view.rect(x, _CALLS, wide, 24, rx=2, fill="var(--d16)")
    if wide < 12:
        return
    for away in (4.0, 8.4):
        view.rect(x + away, _CALLS + 6, 2.4, 12, fill="var(--ink)")
    words = f"{micro(wait.long)} · {wait.name} {wait.site}".strip()
    if width_of(words, 11) + 20 > wide:
        words = micro(wait.long)
    if width_of(words, 11) + 20 < wide:
        view.text(x + 15, _CALLS + 16, words, 11)


def _parts(program: Program, burst: tuple[float, float]) -> list[Span]:
    """Stretches of launches of one part, within a burst."""
    found: list[Span] = []
    works = [each for each in program.works if burst[0] <= each.call[0] < burst[1]]
    for each in sorted(works, key=lambda work: work.call[0]):
        if found and found[-1].group == each.group:
            found[-1] = replace(found[-1], end=each.call[1])
        else:
            found.append(Span(each.group, "part", *each.call, group=each.group))
    return found


def _draw_closer(view: Drawing, scale: _Scale, closer: _Closer, program: Program,
                 looks: dict[str, _Look]) -> None:  # fmt: skip
    """Launching once more, so wide that each launch can be seen."""
    burst, y = burst_of(program), _CLOSER
    if burst[0] == burst[1]:
        return
    x, wide = scale.box(*burst)
    left, long = closer.box(*burst)
    view.path(
        f"M{x:.1f} {_CALLS + 24:g}L{left:g} {y - 4:g}H{left + long:.1f}"
        f"L{x + wide:.1f} {_CALLS + 24:g}z",
        fill="var(--d5)", stroke="var(--line)",
    )  # fmt: skip
    for part in _parts(program, burst):
        left, long = closer.box(part.begin, part.end)
        if width_of(part.name, 10.5) + 6 < long and part.name != OTHER:
            view.text(left + long / 2, y + 13, part.name, 10.5, anchor="middle")
    works = [each for each in program.works if burst[0] <= each.call[0] < burst[1]]
    for look, own in _by_look(works, looks):
        view.path(_path(closer, [each.call for each in own], y + 20, 24),
                  fill=look.solid)  # fmt: skip


def _draw_queue(view: Drawing, scale: _Scale, program: Program) -> None:
    most = max((depth for _, depth in program.depth), default=0)
    base, unit = scale.queue + _QUEUE_HIGH, _QUEUE_HIGH / max(most, 1)
    d, last = f"M{LEFT:g} {base:g}", (-1.0, -1.0)
    for time, depth in program.depth:
        x, y = round(scale.x(time), 1), round(base - depth * unit, 1)
        if x != last[0] or y != last[1]:
            d += f"H{x:g}V{y:g}"
        last = (x, y)
    if program.depth:
        view.path(f"{d}V{base:g}z", fill="var(--d16)", stroke="var(--d45)")
    view.path(f"M{LEFT:g} {base:g}H{WIDTH - 8:g}", stroke="var(--mut)")
    first = next((time for time, depth in program.depth if depth == most), 0.0)
    words, x = f"{most} ahead", scale.x(first) + 8
    view.text(
        min(x, WIDTH - 8 - width_of(words, 11)), scale.queue - 4, words, 11, bold=True
    )


def _draw_device(view: Drawing, scale: _Scale, program: Program,
                 looks: dict[str, _Look]) -> None:  # fmt: skip
    for stream in range(program.streams):
        y = scale.device + stream * _ROW
        own = [each for each in program.works if each.stream == stream]
        wide = program.long * scale.unit
        view.rect(LEFT, y, wide, 28, rx=3, fill=EMPTY, stroke="var(--line)")
        for look, every in _by_look(own, looks):
            spans = [(each.begin, each.end) for each in every]
            view.path(_path(scale, spans, y, 28), fill=look.pale, stroke=look.edge,
                      stroke_width=0.8)  # fmt: skip
        for each in own:
            x, wide = scale.box(each.begin, each.end)
            words = title_of(each.name)
            if width_of(words, 10.5) + 6 < wide:
                view.text(x + wide / 2, y + 18, words, 10.5, anchor="middle")


def _labels(view: Drawing, scale: _Scale, program: Program) -> None:
    rows = [
        ("host", "launches, waits", _SCOPES + 18),
        ("queue", "not yet done", scale.queue),
    ]
    if scale.closer:
        times = round(scale.closer[0].unit / scale.unit)
        rows.append(("launching", f"{times:,} × closer", _CLOSER + 12))
    rows += [(f"stream {at}" if program.streams > 1 else "device", "runs",
              scale.device + at * _ROW) for at in range(program.streams)]  # fmt: skip
    for name, below, y in rows:
        view.text(0, y + 12, name, 12.5, bold=True)
        view.text(0, y + 26, below, 10.5, fill="var(--mut)")


def _high(scale: _Scale, program: Program) -> float:
    return scale.device + program.streams * _ROW + 8


def _focus_boxes(
    scale: _Scale, programs: list[Program], item: Item
) -> tuple[tuple[float, float], tuple[float, float, float] | None]:
    """Of the host: left and width; of the device: left, top and width, or None."""
    program = programs[item.program]
    if item.wait:
        wait = program.waits[item.at]
        found, at = scale.box(wait.begin, wait.end), waited_for(program, wait)
    else:
        found, at = scale.box(*program.works[item.at].call), item.at
    if at < 0:
        return found, None
    work = program.works[at]
    x, wide = scale.box(work.begin, work.end)
    return found, (x, scale.device + work.stream * _ROW, wide)


def _closer_box(
    scale: _Scale, programs: list[Program], item: Item
) -> tuple[float, float] | None:
    """Left and width of a launch where launching is drawn closer; None: not there."""
    if item.wait or not scale.closer:
        return None
    program = programs[item.program]
    (first, last), call = burst_of(program), program.works[item.at].call
    if not first <= call[0] < last:
        return None
    return scale.closer[item.program].box(*call)


def _draw_focus(scale: _Scale, programs: list[Program], item: Item, number: int
                ) -> Drawing:  # fmt: skip
    """The ring of a launch or a wait, its work, and the arrow between them."""
    view = Drawing()
    if item.program != number:
        return view
    look = {"rx": 3, "fill": "none", "stroke": "var(--ink)", "stroke_width": 2.4}
    (x, wide), device = _focus_boxes(scale, programs, item)
    view.rect(x - 2, _CALLS - 2, wide + 4, 28, **look)
    low, nearer = _CALLS + 27, _closer_box(scale, programs, item)
    if nearer is not None:
        (x, wide), low = nearer, _CLOSER + 47
        view.rect(x - 2, _CLOSER + 18, wide + 4, 28, **look)
    if device is None:
        return view
    left, top, long = device
    dash = "4 2.5" if item.wait else None
    view.rect(left - 2, top - 2, long + 4, 32, stroke_dasharray=dash, **look)
    start, end = x + wide / 2, left + min(long / 2, 8)
    middle = scale.device - 14
    path = f"M{start:.1f} {low:g}V{middle:g}H{end:.1f}V{top - 4:g}"
    if item.wait:  # the value comes back to the host
        start, end = left + long, x + wide
        path = f"M{start:.1f} {top - 3:g}V{middle:g}H{end:.1f}V{_CALLS + 29:g}"
    view.path(path, stroke="var(--bg)", stroke_width=5)
    view.path(path, stroke="var(--ink)", stroke_width=1.8, marker_end=VALUE_IN)
    return view


def _put_title(body: Drawing, program: Program, y: float) -> None:
    """Name and totals: parts that narrow pages put below each other."""
    x = 0.0
    for at, words in enumerate([program.name, *totals_of(program)]):
        wide = width_of(words, 13, bold=not at) + 16
        view = Drawing(wide, 16)
        view.text(
            0, 10, words, 13, bold=not at, fill=f"var(--{'mut' if at else 'ink'})"
        )
        body.put_part(view, x, y)
        x += wide


def _draw_program(moving: Moving, scale: _Scale, programs: list[Program], number: int,
                  items: list[Item]) -> Drawing:  # fmt: skip
    program, looks = programs[number], _looks(programs)
    view = Drawing(WIDTH, _high(scale, program))
    _draw_axis(view, scale, view.height)
    _labels(view, scale, program)
    _draw_host(view, scale, program, looks)
    if scale.closer:
        _draw_closer(view, scale, scale.closer[number], program, looks)
    _draw_queue(view, scale, program)
    _draw_device(view, scale, program, looks)
    drawn = [_draw_focus(scale, programs, item, number) for item in items]
    moving.put(view, f"focus{number}", 0, 0, ["item"], drawn)
    return view


def _draw_waits(program: Program) -> Drawing:
    """Where a program waits, the longest first."""
    rows = waits_of(program)
    view = Drawing(340.0, 40 + 20 * max(min(len(rows), _MOST_WAITS + 1), 1))
    view.text(0, 14, f"{program.name}: where it waits", 13, bold=True)
    if not rows:
        view.text(0, 36, "nowhere", 12, fill="var(--mut)")
    for at, (site, reason, count, long) in enumerate(rows[:_MOST_WAITS]):
        where = shortened(site or "(no line)", 22)
        view.text(0, 36 + 20 * at, where, 12, mono=True)
        view.text(166, 36 + 20 * at, f"{reason} × {count}", 12, fill="var(--mut)")
        view.text(340, 36 + 20 * at, micro(long), 12, bold=True, anchor="end")
    if len(rows) > _MOST_WAITS:
        view.text(0, 36 + 20 * _MOST_WAITS, f"… and {len(rows) - _MOST_WAITS} more", 12)
    return view


def _says(programs: list[Program], item: Item) -> tuple[str, str]:
    program = programs[item.program]
    if item.wait:
        return says_wait(program.waits[item.at])
    return says_work(program, item.at)


def draw_timeline(programs: list[Program], focus: int) -> Figure:
    """Draw programs below each other.

    Args:
        programs: From `program_of`.
        focus: Number of the item in focus, of `items_of`.
    """
    items, scale = items_of(programs), _Scale(programs)
    moving = Moving({"item": focus}, {"item": len(items)})
    body, y = Drawing(WIDTH), 0.0
    for number in range(len(programs)):
        view = _draw_program(moving, scale, programs, number, items)
        _put_title(body, programs[number], y)
        body.put_part(view, 0, y, breaks=_BREAKS)
        y += view.height + 10
    panels = [_draw_waits(each) for each in programs]
    for at, panel in enumerate(panels):
        body.put_part(panel, at * 370.0, y)
    body.height = y + max(each.height for each in panels)
    answer, detail = _says(programs, items[focus])
    return Figure(
        question="How far ahead of the device is my program, and where does it wait?",
        answer=answer,
        detail=detail,
        body=body,
        key=_key(programs),
        data=programs,
        live=_live(programs, items, moving, scale, focus),
    )


def _key(programs: list[Program]) -> tuple[KeyEntry, ...]:
    hues = hues_of(programs)
    key = [KeyEntry("belongs", shortened(name, 24), at)
           for at, name in enumerate(hues)]  # fmt: skip
    if any(each.group not in hues for one in programs for each in one.works):
        key.append(KeyEntry("bare", "all else"))
    if any(each.waits for each in programs):
        key.append(KeyEntry("grey", "the host waits"))
    key.append(KeyEntry("empty", "the device is empty"))
    key.append(KeyEntry("focus", "focus; dashed: what a wait waits for"))
    return tuple(key)


def _live(programs: list[Program], items: list[Item], moving: Moving, scale: _Scale,
          focus: int) -> Live | None:  # fmt: skip
    if len(items) < 2:
        return None
    player = Player({"item": focus})
    player.axis("item", len(items))
    moving.follow(player)
    said = [_says(programs, each) for each in items]
    player.says(["item"], [each for each, _ in said], [each for _, each in said])
    names = [each.partition(" is launched")[0] for each, _ in said]
    marks = [at for at, each in enumerate(items) if each.wait]
    player.slider("item", "Item", names, marks[:200])
    for number in range(len(programs)):
        own = [at for at, each in enumerate(items) if each.program == number]
        found = [(at, _focus_boxes(scale, programs, items[at])) for at in own]
        host = [(x - 1, _CALLS, wide + 2, 24) for _, ((x, wide), _) in found]
        near = [(at, _closer_box(scale, programs, items[at])) for at in own]
        closer = [(at, box) for at, box in near if box]
        host += [(x - 1, _CLOSER + 20, wide + 2, 24) for _, (x, wide) in closer]
        works = [(at, box) for at, (_, box) in found if box and not items[at].wait]
        device = [(x - 1, y, wide + 2, 28) for _, (x, y, wide) in works]
        rows = own + [at for at, _ in closer] + [at for at, _ in works]
        player.areas(f"focus{number}", "item", [], [host + device], rows, pressed=True)
    return player.live(
        (("← →", "previous, next"), ("Shift ← →", "previous, next wait"))
    )

"""The divergence view: where threads of a warp go separate ways."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from typing import Any

import numpy as np

from ...cuda.inspecting.trace import LANES, lanes_of
from ..figure.figure import Figure
from ..figure.scenes import Interned, swatches
from ..scene.code_view import comment_of, lines_of, shown_lines, texts_of
from ..scene.drawing import Drawing, number, shortened, width_of, wrapped
from ..scene.frames import frames_of
from ..scene.marks import EMPTY, ring, swatch
from ..scene.palette import strong
from ..scene.phrases import counted, joined, lines_in_words, mean_in_words
from ..scene.scene import Axis, Code, Panel, Scene, State, Table
from ..traces.fault_view import of_trace
from ..traces.faults import block_of, fault_of
from ..traces.launches import number_of, require_trace, short_file
from ..traces.warp_paths import Paths, costly_loop, paths_of

_MOST_FINE, _MOST_SHOWN = 44, 120  # stretches
_APART, _TOGETHER = 4096, 64  # instructions before and after a join that are looked at


@dataclass(frozen=True)
class Stretch:
    """Instructions that a warp ran one after the other with the same threads.

    Attributes:
        row: The first one, counted in its warp.
        count: How many.
        lines: First and last source line.
        mask: The lanes that ran.
        leaves: Whether they only jumped or ended.
        begins: "split", "join" or "other side", as it began; "" for neither.
        border: The line where it split before, or joins; 0 for neither.
    """

    row: int
    count: int
    lines: tuple[int, int]
    mask: int
    leaves: bool = False
    begins: str = ""
    border: int = 0

    @property
    def active(self) -> int:
        """Lanes that ran."""
        return self.mask.bit_count()


def _stretches(paths: Paths, by_line: bool) -> list[Stretch]:
    """Runs of rows with equal lanes, and of one line if so wanted."""
    change = np.ones(len(paths), bool)
    change[1:] = paths.mask[1:] != paths.mask[:-1]
    if by_line:
        change[1:] |= paths.line[1:] != paths.line[:-1]
    starts = np.nonzero(change)[0].tolist()
    found = []
    for start, end in zip(starts, [*starts, len(paths)][1:], strict=True):
        lines = paths.line[start:end]
        lines = lines[lines > 0] if lines.any() else lines
        span = (int(lines.min()), int(lines.max()))
        begins = _beginning(paths, start)
        border = 0
        if begins == "split":
            border = int(paths.line[start - 1])
        elif begins == "join":
            border = int(paths.line[start])
        mask, leaves = int(paths.mask[start]), bool(paths.leaves[start:end].all())
        found.append(Stretch(start, end - start, span, mask, leaves, begins, border))
    return found


def _beginning(paths: Paths, row: int) -> str:
    if paths.joins[row]:
        return "join"
    if row and paths.splits[row - 1]:
        return "split"
    apart = row and paths.mask[row] & paths.mask[row - 1] == 0
    return "other side" if apart else ""


def _behind_joins(paths: Paths) -> Paths:
    """Move what a branch leaves behind, and all run, to the line where threads join.

    A compiler gives the first instructions after an `if` the last line of a side. Where
    more threads join only then, they belong to that side.
    """
    line = paths.line.copy()
    for row in np.nonzero(paths.joins)[0].tolist():
        mask, first = paths.mask[row], max(row - _APART, 0)
        together = np.nonzero(paths.mask[first:row] & mask == mask)[0]
        start = first + int(together[-1]) + 1 if len(together) else first
        last = paths.line[start:row].max()
        after = slice(row, row + _TOGETHER)
        ends = (paths.mask[after] & mask != mask) | (paths.line[after] > last)
        end = row + int(ends.argmax())
        if paths.mask[end] == mask and paths.line[end] > last:
            line[row:end] = paths.line[end]
    return replace(paths, line=line)


def _lines(lines: Any) -> tuple[int, ...]:
    return tuple(sorted(set(lines) - {0}))


class Divergence:
    """What the divergence view shows: one warp's way.

    Attributes:
        file: Of its code.
        block, warp: Which warp.
        present: Threads of the warp.
        steps: Instructions that it ran.
        active: The same, counted for each thread.
        divergent: Its branches whose threads went different ways.
        split_lines, join_lines: Where the warp split and joined.
        selects: Lines that compute both results of a branch, and select one.
        line_steps, line_active: For a line its instructions, and counted by thread.
        is_fine: Whether its way is short, so that each line of it is drawn.
        shown: The stretches that are drawn, of one line or of equal threads.
        more: How many follow.
        longest: The most instructions that one thread ran.
        loop: Where its threads are off most, or None.
        turns: How often each thread ran the loop's last instruction.
    """

    def __init__(self, launch: Any, block: Any = 0, warp: Any = None) -> None:
        """Follow one warp of a launch.

        Args:
            launch: With a trace.
            block: Its block's number, or (x, y, z).
            warp: Its number in the block; None: the one whose threads are off most.

        Raises:
            ValueError: No trace, or the warp has no step in it.
            IndexError: No such block or warp.
            TypeError: Not a launch, or no numbers.
        """
        trace = require_trace(launch, "divergence")
        number = number_of(block, launch.grid, "block", "divergence")
        threads = int(np.prod(launch.block))
        every = paths_of(trace, threads, number)
        if warp is None:
            chosen = int(np.bincount(every.warp, every.lost, minlength=1).argmax())
        else:
            warps = -(-threads // LANES), 1, 1
            chosen = number_of(warp, warps, "warp", "divergence")
        own = _behind_joins(every.where(every.warp == chosen))
        if not len(own):
            raise ValueError(
                f"[viz.divergence] the trace has no steps of warp {chosen} of block "
                f"{number} of {shortened(launch.kernel)}. To record more, increase "
                "trace_bytes."
            )
        loop = costly_loop(own)
        lanes = lanes_of(own.mask)
        turns = lanes[own.instruction == loop.high] if loop else lanes[:0]
        selects = np.char.startswith(trace.opcode[own.step], "selp")
        rows = {line: own.line == line for line in _lines(own.line.tolist())}
        self.file = str(trace.file[own.step[0]])
        self.block = number
        self.warp = chosen
        self.present = int(own.present[0])
        self.steps = len(own)
        self.active = int(own.active.sum())
        self.divergent = int(own.splits.sum())
        self.split_lines = _lines(own.line[own.splits].tolist())
        self.join_lines = _lines(own.line[own.joins].tolist())
        branched = own.line[own.branch].tolist()
        self.selects = _lines(set(own.line[selects].tolist()) - set(branched))
        self.line_steps = {line: int(mine.sum()) for line, mine in rows.items()}
        self.line_active = {
            line: int(own.active[mine].sum()) for line, mine in rows.items()
        }
        self.longest = int(lanes.sum(axis=0).max())
        found = _stretches(own, by_line=True)
        self.is_fine = len(found) <= _MOST_FINE
        if not self.is_fine:
            found = _stretches(own, by_line=False)
        self.shown = tuple(found[:_MOST_SHOWN])
        self.more = len(found) - len(self.shown)
        self.loop = loop
        self.turns = tuple(turns.sum(axis=0).tolist())

    @property
    def first(self) -> int:
        """The number of its first thread in the block."""
        return self.warp * LANES


_CODE, _CHART, _LEFT, _TOP, _LANE = 372, 682, 30, 78, 11.6
_NUMBER, _WIDEST = 13.0, 34.0  # a stretch with its number, an instruction
_SIGNS = {
    "split": "mark: the warp splits after this line",
    "join": "mark: threads join again at this line",
}


def answer_of(data: Divergence, at: int) -> str:
    """Return the sentence on top, at a stretch: who runs what, and who is off."""
    stretch, all_, warp = data.shown[at], data.present, f"warp {data.warp}"
    if not data.divergent:
        if all_ == 1:
            return f"W{warp[1:]} has one thread, which goes one way."
        return f"All {all_} threads of {warp} go the same way."
    lines, off = lines_in_words(stretch.lines), all_ - stretch.active
    if not off:
        return f"All {all_} threads of {warp} run {lines}."
    start = f"W{warp[1:]} runs {lines} with {stretch.active} of {all_} threads"
    others, are = (f"the other {off}", "are") if off > 1 else ("the other one", "is")
    after = [each for each in data.shown[at:] if each.mask != stretch.mask][:1]
    if after and after[0].begins == "other side" and not after[0].leaves:
        lines, many = lines_in_words(after[0].lines), after[0].active
        return f"{start}, then {lines} with {others if many == off else many}."
    return f"{start}; {others} {are} off."


def detail_of(data: Divergence) -> str:
    """Return the line below: what the warp ran, where it splits, joins and selects."""
    mean = mean_in_words(data.active, data.steps)
    said = (
        f"The warp runs {number(data.steps)} instructions with {mean} of "
        f"{data.present} threads on average"
    )
    if data.loop:
        mean = mean_in_words(data.loop.active, data.loop.steps)
        lines = lines_in_words((data.loop.first_line, data.loop.last_line))
        said = (
            f"In the loop on {lines}, {mean} of the {data.present} threads of warp "
            f"{data.warp} are active on average. {said}{_longest(data)}"
        )
    if data.divergent:
        times = "once" if data.divergent == 1 else f"{number(data.divergent)} times"
        back = f"threads join again on {_listed(data.join_lines)}"
        back = back if data.join_lines else "does not join again"
        said += (
            f". The longest path of one thread has {number(data.longest)} "
            f"instructions. The warp splits {times}, on {_listed(data.split_lines)}, "
            f"and {back}."
        )
    else:
        said += "; it never splits."
    if data.selects:
        where, one = _listed(data.selects), len(data.selects) == 1
        said += (
            f" {where.capitalize()} {'does' if one else 'do'} not branch: each thread "
            "computes both results and selects one."
        )
    return said


def _longest(data: Divergence) -> str:
    """Return for which thread of a loop the others wait, if it is one."""
    most = max(data.turns)
    if data.turns.count(most) > 1:
        return ""
    thread, turns = data.first + data.turns.index(most), counted(most, "turn")
    return (
        f", because the others wait for thread {thread}, which needs the most: "
        f"{turns} of the loop"
    )


def _listed(lines: tuple[int, ...]) -> str:
    if not lines:
        return "code without a line"
    if len(lines) > 4:
        return f"{len(lines)} lines"
    return f"line{'s' * (len(lines) > 1)} {joined([str(each) for each in lines])}"


def moment(stretch: Stretch) -> str:
    """Return which instructions a stretch is."""
    first, last = number(stretch.row + 1), number(stretch.row + stretch.count)
    one = stretch.count == 1
    return f"Instruction {last}." if one else f"Instructions {first} to {last}."


def focus_of(data: Divergence) -> int:
    """Return the stretch that costs most: the first frame is about it."""
    cost = [each.count * (data.present - each.active) for each in data.shown]
    return cost.index(max(cost))


def columns_of(data: Divergence, width: float) -> list[tuple[float, float]]:
    """Return where each stretch is: wider the more instructions it has."""
    shown, room = data.shown, width - _LEFT - 2
    count = sum(each.count for each in shown)
    room = min(room, _WIDEST * count)
    least = min(_NUMBER, room / len(shown) * (1 if data.is_fine else 0.7))
    part = (room - least * len(shown)) / count
    wide = [least + part * each.count for each in shown]
    lefts = accumulate(wide, initial=float(_LEFT))
    return [(round(x, 1), round(w, 1)) for x, w in zip(lefts, wide, strict=False)]


def _fitting(places: list[tuple[float, float, float]]) -> list[int]:
    """Return which of some labels are drawn: none touches one that matters more.

    Args:
        places: From left to right, for each its middle, half of its width, and how wide
            the stretch is. First and last matter most, then the widest.
    """
    last, fit = len(places) - 1, list[int]()
    for at in sorted(range(last + 1), key=lambda at: (0 < at < last, -places[at][2])):
        x, half, _ = places[at]
        if all(abs(x - places[by][0]) >= half + places[by][1] + 2 for by in fit):
            fit.append(at)
    return sorted(fit)


def _row(
    view: Drawing, y: float, texts: list[tuple[float, Any, float]], **look: Any
) -> None:
    """Draw words in the middle of x, those that fit, of stretches so wide."""
    places = []
    for x, words, wide in texts:
        half = width_of(str(words), 10, bold=True) / 2
        places.append((round(min(max(x, half), view.width - half), 1), half, wide))
    for at in _fitting(places):
        view.text(places[at][0], y, texts[at][1], 10, anchor="middle", **look)


def draw_chart(data: Divergence, width: int) -> Drawing:
    """Draw threads over time."""
    view, columns = Drawing(width), columns_of(data, width)
    high, who = data.present * _LANE, strong(data.warp)
    head = f" · {counted(data.present, 'thread')} · time runs to the right"
    view.runs(
        0, 14, 13, (f"Warp {data.warp} of block {data.block}", "bold"), (head, "mut")
    )
    for lane in range(0, data.present, 4):
        view.text(_LEFT - 6, round(_TOP + lane * _LANE + 9, 1), data.first + lane, 10,
                  mono=True, fill="var(--mut)", anchor="end")  # fmt: skip
    signs = []
    for at, (each, (x, w)) in enumerate(zip(data.shown, columns, strict=True)):
        part, wide = Drawing(), w - (w > 8)
        shape = f"h{wide:.1f}v{_LANE - 1.2:.1f}h{-wide:.1f}z"
        tops = (_TOP + lane * _LANE for lane in range(data.present))
        bars = [f"M{x:g} {top:.1f}{shape}" for top in tops]
        on = [bar for lane, bar in enumerate(bars) if each.mask >> lane & 1]
        if len(on) < len(bars):
            part.path("".join(bar for bar in bars if bar not in on), fill=EMPTY)
        part.path("".join(on), fill=who)
        view.put(part, 0, 0, data_go=f"stretch={at}", data_tip=moment(each))
        if each.begins in _SIGNS:
            signs.append((x, each))
    names: list[tuple[float, str, float]] = []
    for at in _fitting([(x, 6.5, 0) for x, _ in signs]):
        x, each = signs[at]
        view.put(swatch(each.begins), x - 8, _TOP - 38)
        if each.border and (not names or names[-1][1] != f"line {each.border}"):
            names.append((x, f"line {each.border}", 0))
    _row(view, _TOP - 41, names, fill="var(--mut)")
    counts, below = [], []
    for each, (x, w) in zip(data.shown, columns, strict=True):
        counts.append((x + w / 2, each.active, w))
        below.append(
            (x + w / 2, each.lines[0], w) if data.is_fine
            else (x, number(each.row + 1), w)
        )  # fmt: skip
    _row(view, _TOP - 6, counts, mono=True)
    _row(view, _TOP + high + 12, below, fill="var(--mut)", mono=True)
    what = "line of code" if data.is_fine else "first instruction of a stretch"
    what += "; a wider stretch has more instructions"
    rest = f" · … and {number(data.more)} more stretches" * bool(data.more)
    view.height = _TOP + high + 26
    for line in wrapped(f"Below the threads: {what}{rest}", 11.5, width):
        view.text(0, view.height + 6, line, 11.5, fill="var(--mut)")
        view.height += 16
    return view


def _notes(data: Divergence) -> dict[int, str]:
    """Return for lines that not all threads ran together how many did, on average."""
    notes, all_ = {}, str(data.present)
    for line, steps in data.line_steps.items():
        mean = mean_in_words(data.line_active[line], steps)
        if mean != all_:
            notes[line] = f"{mean} of {all_}"
    return notes or dict.fromkeys(data.line_steps or [1], f"all {all_}")


def code_of(data: Divergence, lines: list[str], own: Interned) -> Code:
    """Return the code with what runs in each stretch, and by how many threads."""
    notes = _notes(data)
    numbers = shown_lines(lines, sorted(notes))
    texts = texts_of(lines, numbers)
    runs = [[at for at, line in enumerate(numbers) if first <= line <= last] or [-1]
            for first, last in (each.lines for each in data.shown)]  # fmt: skip
    active, last = np.array([(each[0], each[-1]) for each in runs]).T
    return Code(
        short_file(data.file) or "The code", "threads that run a line, on average",
        tuple(numbers), tuple(texts), comment_of(texts),
        active=Table(("stretch",), active), last=Table(("stretch",), last),
        notes=own.texts([notes.get(line, "") for line in numbers]),
        room=max(width_of(words, 11) for words in notes.values()),
    )  # fmt: skip


def scene_of(data: Divergence, lines: list[str]) -> Scene:
    """Return the scene of one warp's way, with an axis of its stretches.

    Args:
        data: One warp's way.
        lines: The kernel's code; empty where nobody has it.
    """
    own, shown = Interned(), data.shown
    chart_of = cache(lambda width: draw_chart(data, width))

    def chart(state: State, width: int) -> Drawing:
        base = chart_of(width)
        view = Drawing(width, base.height)
        view.parts += base.parts
        x, w = columns_of(data, width)[state["stretch"]]
        ring(view, x, _TOP, max(w - 1, 3), data.present * _LANE - 1.2, inside=False)
        return view

    marks = tuple(at for at, each in enumerate(shown) if each.border)
    axis = Axis("stretch", "Stretch", len(shown), 1, marks=marks,
                words=f"{{stretch}} of {len(shown)}")  # fmt: skip
    answers = [answer_of(data, at) for at in range(len(shown))]
    return Scene(
        axes=(axis,),
        panels=(
            Panel((code_of(data, lines, own),), _CODE, grow=True),
            Panel((frames_of((axis,), chart, (340, _CHART)),), _CHART, gap=26),
        ),
        answer=(own.table("stretch", answers),),
        detail=(detail_of(data), own.table("stretch", list(map(moment, shown)))),
        key=swatches([
            ("runs", data.warp, f"thread of warp {data.warp} runs"),
            *[("empty", 0, "thread is off, the warp still runs")]
            * any(each.active < data.present for each in shown),
            *((sign, 0, words) for sign, words in _SIGNS.items()
              if any(each.begins == sign for each in shown)),
            ("focus", 0, "stretch in focus"),
        ]),
        words=own.all,
        looks=own.looks,
    )  # fmt: skip


def divergence(launch: Any, block: Any = None, warp: Any = None) -> Figure:
    """Draw where threads of one warp go separate ways, and where they meet again.

    Its threads over time beside the code. Short ways show each line that ran; longer
    ones the stretches that the same threads ran, wider the more instructions they have.

    Args:
        launch: Recorded with `cuda.inspect(trace=True)`.
        block: The warp's block: its number, or (x, y, z); None: where the launch
            failed, else the first.
        warp: Its number in the block; None: the one that failed in this block, else
            the one whose threads are off most.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        ValueError: No trace, or no step of this warp in it.
        IndexError: No such block or warp.
        TypeError: Not a launch, or no numbers.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda, viz
        >>> kernel = cuda.RawKernel('''__global__ void k(int* x) {
        ...   int i = threadIdx.x;
        ...   if (i < 8)
        ...     x[i] = atomicAdd(x + 32, 1);
        ... }''', "k")
        >>> with cuda.inspect(trace=True) as run:
        ...     kernel[1, 32](cuda.to_device(np.zeros(33, np.int32)))
        >>> viz.divergence(run.launches[0])
        Figure(Warp 0 runs line 4 with 8 of 32 threads; the other 24 are off.)
    """
    require_trace(launch, "divergence")
    fault, at = fault_of(launch), block_of(launch, block, "divergence")
    if warp is None and fault and at == fault.block:
        warp = fault.warp
    data = Divergence(launch, at, warp)
    lines = lines_of(None, data.file, launch.source)
    figure = Figure(
        "Where do threads of a warp go separate ways?", scene_of(data, lines),
        {"stretch": focus_of(data)}, data=data,
    )  # fmt: skip
    return of_trace(figure, launch)

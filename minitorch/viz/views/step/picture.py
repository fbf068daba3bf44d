"""The scene of the step view: time, code, threads, arrays, facts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ....cuda.inspecting.accesses import READ
from ....cuda.inspecting.trace import LANES
from ...figure.figure import WIDTH, Figure
from ...figure.scenes import Interned, missed_cells, swatches
from ...scene.code_view import comment_of, shown_lines, texts_of
from ...scene.drawing import shortened
from ...scene.scene import (
    Arrows,
    Axis,
    Cells,
    Chosen,
    Code,
    Index,
    Latest,
    Match,
    Panel,
    Rows,
    Scene,
    Table,
    Told,
    Track,
    Visits,
)
from ...traces.launches import extent_words, place_of, spelled
from .data import Numbers, StepData
from .words import answer, happened, idle

_MOST_LINES, _MOST_FACTS = 26, 15
_ROOM = 264.0  # for arrays beside threads
_SHARED, _GLOBAL = 3, 3  # arrays drawn
_WHOLE = 4096  # cells of an array whose values before the launch travel
CPP = (".cu", ".cuh", ".cpp", ".h")
RUN, READY, WAIT, OFF, DONE = range(5)


def _sorted(key: Numbers, index: Numbers, *others: Numbers) -> list[Numbers]:
    order = np.lexsort((index, key))
    return [each[order] for each in (key, index, *others)]


class _Builder(Interned):
    """What parts of the scene share: the window, words, looks, rows of uses."""

    def __init__(self, data: StepData) -> None:
        super().__init__()
        for words in data.words:  # whose numbers stay
            self.number(words)
        self.data, self.steps = data, data.steps
        self.part = slice(data.start, data.end)
        self.count = data.end - data.start
        self.shown = self._arrays()
        self.rows = self._rows()

    def latest(
        self, key: Numbers, step: Numbers, value: Numbers, before: Any = -1
    ) -> Latest:
        """What keys get in steps; what they got before the window is there first."""
        start, end = self.data.start, self.data.end
        early, now = step < start, (step >= start) & (step < end)
        if isinstance(before, np.ndarray):
            before[key[early]] = value[early]  # of several the last one stays
        key, index, value = _sorted(key[now], step[now] - start, value[now])
        return Latest("step", key, index, value, before)

    def wrong(self, found: list[tuple[Any, int]]) -> Latest:
        """The look of what findings are about, from their steps on."""
        data = self.data
        rows = [(key, max(mark.step - data.start, 0))
                for mark, key in found if mark.step < data.end]  # fmt: skip
        key, index = np.array(sorted(rows), np.int64).reshape(-1, 2).T
        return Latest("step", key, index, np.full(len(key), self.look("wrong")))

    def _arrays(self) -> list[int]:
        """The arrays to draw: of findings first, then shared, then as they are used."""
        data = self.data
        low, high = np.searchsorted(data.use_step, [data.start, data.end])
        used = list(dict.fromkeys(data.uses.array[low:high].tolist()))
        found = [at for mark in data.marks for at, _ in mark.cells]
        shared = [at for at, each in enumerate(data.arrays) if each.shared]
        first = [at for at in dict.fromkeys(found + shared) if data.arrays[at].shared]
        rest = [at for at in dict.fromkeys(found + used) if not data.arrays[at].shared]
        return first[:_SHARED] + rest[:_GLOBAL]

    def _rows(self) -> Rows:
        """What threads do to cells: a row for each thing, once in a step."""
        data, uses = self.data, self.data.uses
        low, high = np.searchsorted(data.use_step, [data.start, data.end])
        step = data.use_step[low:high]
        thread, array, cell, kind, value = (
            getattr(uses, each)[low:high]
            for each in ("thread", "array", "cell", "kind", "value")
        )
        verb = np.array([0, 0, 2, 1])[kind]  # reads, updates, writes
        missing = np.zeros(len(step), bool)
        for at, each in enumerate(data.arrays):
            if each.shared:
                own = (array == at) & (kind == READ)
                missing[own] = data.first_write(at)[cell[own]] > step[own]
        value = np.where(missing, -1, value)
        every = np.stack([step, thread, verb, array, cell, value])
        _, first = np.unique(every, axis=1, return_index=True)
        order = first[np.lexsort((first, verb[first], thread[first], step[first]))]
        step, thread, verb, array, cell, value = every[:, order]
        names = np.stack([array, cell])
        known, inverse = np.unique(names, axis=1, return_inverse=True)
        nouns = self.texts([data.arrays[a].spelled(c) for a, c in known.T.tolist()])
        verbs = self.texts(["reads", "updates", "writes"])
        target = np.full(len(data.arrays) + 1, -1)
        target[self.shown] = np.arange(len(self.shown))
        hues = self.steps.warp[step] % 4
        written = self.hues("written")
        self.never = self.number("never written")
        columns = {
            "thread": thread, "target": target[array], "cell": cell,
            "out": (verb > 0).astype(int), "look": written[hues],
            "read": np.full(len(step), self.look("read")), "verb": verbs[verb],
            "noun": nouns[inverse.reshape(-1)] if len(step) else step,
            "value": np.where(value < 0, self.never, value),
        }  # fmt: skip
        starts = np.searchsorted(step, np.arange(data.start, data.end + 1))
        self.use_index = step - data.start
        return Rows("step", starts, columns)

    def track(self) -> Track:
        steps, index = self.steps, np.arange(self.count)
        active = np.array([int(each).bit_count() for each in steps.mask[self.part]])
        bars = np.stack([steps.warp[self.part], index, index + 1, active], axis=1)
        lines = []
        for warp in range(len(steps.lanes)):
            before = np.zeros(len(steps) + 2, bool)
            before[2:-1] = (steps.waits[:-1, warp] != 0) & ~steps.opens[:-1]
            before[1:-1] &= steps.warp != warp
            edges = np.nonzero(np.diff(np.pad(before[1:-1][self.part], 1).astype(int)))
            lines += [[warp, *each] for each in edges[0].reshape(-1, 2).tolist()]
        opens = np.nonzero(steps.opens[self.part])[0].tolist()
        warps = range(len(steps.lanes))
        return Track(
            axis="step",
            names=tuple(f"warp {warp}" for warp in warps),
            hues=tuple(warps),
            bars=bars,
            full=LANES,
            lines=np.array(lines, np.int64).reshape(-1, 3),
            rules=tuple((at, "barrier") for at in opens),
            flags=tuple((at, mark.name) for at, mark in self.marks()),
            note="bar height: threads active · double line: waits at the barrier",
        )

    def marks(self) -> list[tuple[int, Any]]:
        return [(mark.step - self.data.start, mark) for mark in self.data.marks
                if self.data.start <= mark.step < self.data.end]  # fmt: skip

    def code(self) -> Code:
        data, steps = self.data, self.steps
        numbers = _code_lines(data)
        place = {line: at for at, line in enumerate(numbers)}
        line = np.array([place.get(each, -1) for each in steps.line.tolist()])
        own, at = steps.warp[self.part], steps.at[self.part]
        waits = steps.waits[self.part] != 0
        mine = waits[np.arange(self.count), own]
        signs = self.texts([f"w{warp}{wait}" for warp in range(len(steps.lanes))
                            for wait in ("", "‖")]).reshape(-1, 2)  # fmt: skip
        there = (steps.lanes & ~steps.done[self.part]) != 0
        there[np.arange(self.count), own] = False
        more = self.texts([f"+{count}" for count in range(len(steps.lanes) + 1)])
        others = np.full((self.count, len(numbers)), -1)
        whose = np.full_like(others, -1)
        for number, at_line in enumerate(numbers):
            here = there & (at == at_line)
            many, first = here.sum(axis=1), here.argmax(axis=1)
            sign = signs[first, waits[np.arange(self.count), first].astype(int)]
            others[:, number] = np.select([many > 1, many == 1], [more[many], sign], -1)
            whose[:, number] = np.where(many == 1, first, -1)
        ran = np.nonzero(line >= 0)[0]
        key, index = _sorted(line[ran], ran)
        often = np.arange(len(key)) - np.searchsorted(key, key) + 1
        counts = self.latest(key, index, often, np.zeros(len(numbers), np.int64))
        wrong = [(mark, place[each]) for mark in data.marks
                 for each in mark.lines if each in place]  # fmt: skip
        texts = texts_of(data.lines, numbers)
        return Code(
            title=self._heading(),
            note="grey bar: times run so far, of all",
            numbers=tuple(numbers),
            texts=tuple(texts),
            comment=comment_of(texts),
            active=Table(("step",), line[self.part]),
            who=Table(("step",), own),
            sign=Table(("step",), signs[own, mine.astype(int)]),
            others=Table(("step",), others),
            whose=Table(("step",), whose),
            counts=counts,
            totals=np.bincount(line[ran], minlength=len(numbers)),
            wrong=self.wrong(wrong),
            go=Visits("step", counts.key, counts.index,
                      {"thread": self._first(counts.index + data.start)}),
        )  # fmt: skip

    def _first(self, steps: Numbers) -> Numbers:
        """The first thread that runs in each of these steps."""
        mask = self.steps.mask[steps]
        lowest = np.log2((mask & -mask).astype(float)).astype(int)
        return np.asarray(self.steps.warp[steps] * LANES + lowest)

    def _heading(self) -> str:
        launch = self.data.launch
        # Cells of notebooks have names of their own; CUDA C++ has its endings.
        cpp = not self.data.file or self.data.file.endswith(CPP)
        block = spelled(self.data.block, launch.grid)
        return (
            f"{'CUDA C++' if cpp else 'Python'} · block {block} of "
            f"{extent_words(launch.grid)}, {extent_words(launch.block)} threads"
        )

    def states(self) -> Numbers:
        """(steps, threads): what each thread does: RUN, READY, WAIT, OFF or DONE."""
        steps, part = self.steps, self.part
        lane = np.arange(LANES)

        def bits(masks: Numbers) -> Numbers:
            every = (masks[..., None] >> lane & 1 != 0).reshape(self.count, -1)
            return np.asarray(every[:, : self.data.threads])

        own = steps.warp[part, None] == np.arange(len(steps.lanes))
        run = bits(np.where(own, steps.mask[part, None], 0))
        mine = np.repeat(own, LANES, axis=1)[:, : self.data.threads]
        return np.select(
            [run, bits(steps.done[part]), bits(steps.waits[part]), mine],
            [RUN, DONE, WAIT, OFF], READY,
        )  # fmt: skip

    def threads(self, states: Numbers, values: list[Latest]) -> Cells:
        data, count = self.data, self.data.threads
        columns, size = (
            (8, 28.0) if count <= 64 else (16, 14.0) if count <= 256 else (32, 11.6)
        )
        warps = len(self.steps.lanes)
        warp = np.arange(count) // LANES
        kinds = ("runs", "belongs", "waits", "empty", "bare")
        table = np.array([self.hues(kind) for kind in kinds])
        doing = np.full((self.count, warps), -1)
        for at in range(warps):
            own = states[:, at * LANES : (at + 1) * LANES]
            word = np.select(
                [(own == RUN).any(1), (own == WAIT).any(1), (own == DONE).all(1)],
                [1, 2, 3], 0,
            )  # fmt: skip
            names = [
                f"warp {at}{end}" for end in ("", " · runs", " · waits", " · done")
            ]
            doing[:, at] = self.texts(names)[word]
        numbered = columns == 8
        names = ["thread number", *data.changes.names]
        shown = self.texts([shortened(each, 24) for each in names])
        return Cells(
            name="threads",
            title="Threads of the block",
            note=Table(("watch",), shown) if numbered else "too many for numbers",
            count=count,
            columns=columns,
            size=(size, size),
            looks=(Table(("step",), table[states, warp % 4]), self.racing()),
            words=Chosen(
                "watch", (self.texts([str(at) for at in range(count)]), *values)
            )
            if numbered
            else None,
            ring=Index({"thread": 1}),
            group=LANES,
            names=Table(("step",), doing),
            hues=np.arange(warps),
            go=Index({"thread": 1}),
        )

    def racing(self) -> Table:
        """The other thread of a race, in the step of the finding."""
        rows = [(step, thread) for step, mark in self.marks() for thread in mark.pair
                if thread != mark.thread]  # fmt: skip
        step, thread = np.array(sorted(rows), int).reshape(-1, 2).T
        looks = np.full((self.count, self.data.threads), -1)
        looks[step, thread] = self.look("wrong")
        return Table(("step",), looks)

    def variables(self) -> list[Latest]:
        """The values of each variable in the threads, as channels."""
        data, changes, count = self.data, self.data.changes, self.data.threads
        row, lane = np.nonzero(changes.mask[:, None] >> np.arange(LANES) & 1)
        thread = changes.warp[row] * LANES + lane
        row, lane, thread = (each[thread < count] for each in (row, lane, thread))
        names = len(changes.names)
        values = self.latest(
            changes.name[row] * count + thread, data.change_step[row],
            changes.value[row, lane], np.full(names * count, -1),
        )  # fmt: skip
        return [replace(values, offset=at * count) for at in range(names)]

    def of_thread(self, values: list[Latest]) -> Latest:
        """The values of the variables of the focused thread."""
        return replace(values[0], stride=self.data.threads, by={"thread": 1})

    def facts(self, values: list[Latest]) -> Cells:
        data, names = self.data, self.data.changes.names
        left = len(names) - _MOST_FACTS
        more = [f"and {left} more"] if left > 0 else []
        more = more if names else ["normal build: no names of variables"]
        places = []
        for thread in range(data.threads):
            place = place_of(thread, data.launch.block)
            axes = [f"{axis} {place[number]}" for number, axis in enumerate("xyz")
                    if number == 0 or data.launch.block[number] > 1]  # fmt: skip
            lane = f"lane {thread % LANES} of warp {thread // LANES}"
            places.append(" · ".join([*axes, lane, *more]))
        note = self.table("thread", places)
        kind = "Variables of thread" if names else "Thread"
        longest = max((len(data.words[at]) for at in np.unique(data.changes.value)),
                      default=1)  # fmt: skip
        wide = min(max(7.53 * (2 * longest + 3) + 18, 60), 124)  # of `22 → 25`
        return Cells(
            "facts", f"{kind} {{thread}}", note,
            min(len(names), _MOST_FACTS), 0, (wide, 46),
            words=self.of_thread(values) if names else None,
            captions=(self.texts([shortened(each, 12) for each in names]),),
            changes="step",
        )  # fmt: skip

    def array(self, at: int) -> Cells:
        data, each, uses = self.data, self.data.arrays[at], self.data.uses
        own = uses.array == at
        step, cell, value = data.use_step[own], uses.cell[own], uses.value[own]
        warp = uses.thread[own] // LANES
        wrote = uses.kind[own] != READ
        seen = wrote if each.shared else np.ones(len(step), bool)
        whole = each.shared or each.count <= _WHOLE
        old: Any = np.full(each.count, -1) if whole else -1
        if whole and each.before is not None and not wrote.all():
            old = self.values(each.before)
        words = self.latest(cell[seen], step[seen], value[seen], old)
        hues = self.hues("belongs")
        blank = self.look("bare" if each.shared else "untouched")
        writer = self.latest(cell[wrote], step[wrote], hues[warp[wrote] % 4],
                             np.full(each.count, blank))  # fmt: skip
        wrong = [(mark, number) for mark in data.marks
                 for array, number in mark.cells if array == at]  # fmt: skip
        target = {"target": self.shown.index(at)}
        wide, size, rows, values = self._sizes(at)
        return Cells(
            name=f"array{at}",
            title=self._title(at),
            note="",
            count=each.count,
            columns=wide,
            size=size,
            looks=(
                writer,
                self.wrong(wrong),
                Match(self.rows, "cell", "look", {**target, "out": 1}),
                Match(self.rows, "cell", "read", {**target, "out": 0}),
            ),
            words=words if values else None,
            most=rows,
            center=self._center(at),
            labels="row" if len(each.shape) > 1 else "cell" if each.shape else "",
            go=Visits("step", *self._visits(at)),
            tip=(each.name, each.shape),
        )  # fmt: skip

    def _title(self, at: int) -> str:
        each = self.data.arrays[at]
        if each.shared:
            name = "" if each.name == "shared" else f" {shortened(each.name, 20)}"
            return f"Shared memory{name}"
        return f"Global {shortened(each.name, 20)}"

    def _visits(self, at: int) -> tuple[Numbers, Numbers, dict[str, Numbers]]:
        columns = self.rows.columns
        own = columns["target"] == self.shown.index(at)
        key, index, thread = _sorted(columns["cell"][own], self.use_index[own],
                                     columns["thread"][own])  # fmt: skip
        return key, index, {"thread": thread}

    def _center(self, at: int) -> Latest:
        """The cell that the focused thread used last, else the one that it will use."""
        columns = self.rows.columns
        own = columns["target"] == self.shown.index(at)
        key, index, cell = _sorted(columns["thread"][own], self.use_index[own],
                                   columns["cell"][own])  # fmt: skip
        found = [number for mark in self.data.marks for array, number in mark.cells
                 if array == at]  # fmt: skip
        before = np.full(self.data.threads, found[0] if found else
                         cell.min(initial=self.data.arrays[at].count - 1))  # fmt: skip
        known, first = np.unique(key, return_index=True)
        before[known] = cell[first]
        return Latest("step", key, index, cell, before, stride=0, by={"thread": 1})

    def _sizes(self, at: int) -> tuple[int, tuple[float, float], int, bool]:
        """Cells in a row, size of a cell, rows, and whether values are drawn."""
        data, each = self.data, self.data.arrays[at]
        own = np.unique(data.uses.value[data.uses.array == at]).tolist()
        longest = max((len(data.words[value]) for value in own), default=1)
        shared = [other for other in self.shown if data.arrays[other].shared]
        wide = each.shape[-1] if len(each.shape) > 1 else 0
        if each.shared and each.count > 128 and (wide or 16) * 25 > _ROOM - 30:
            wide = wide or (16 if each.count <= 512 else 32)
            size = max(min(13.0, (_ROOM - 30) / wide), 4)
            return wide, (size, size), 40 // len(shared), False
        wide = wide or (8 if longest <= 4 or each.count > 64 else 4)
        most = (_ROOM - 30) / min(wide, 8) if each.shared else 31.0
        room = max(25.0, min(7.0 * longest + 6, most))
        rows = max(16 // len(shared), 4) if each.shared else 1 if shared else 8
        return wide, (float(int(room)), 23.0), rows, True

    def told(self, states: Numbers, values: list[Latest]) -> Told:
        data = self.data
        names = self.texts(data.changes.names)
        sentences = np.zeros(states.shape, np.int64)
        warp = np.arange(data.threads) // LANES
        idle_warp = (
            "Thread {{thread}} belongs to warp {}, which does nothing in this step."
        )
        away = self.texts([idle_warp.format(each) for each in range(warp[-1] + 1)])
        sentences[:] = away[warp]
        own = self.steps.warp[self.part, None] == warp
        for state, words in (
            (OFF, "is off in this step: the condition sent it another way"),
            (DONE, "is done"),
            (WAIT, "waits at the barrier"),
        ):
            chosen = own & (states == state)
            sentences[chosen] = self.number(f"Thread {{thread}} {words}.")
        runs = self.texts([idle(data, step) for step in range(data.start, data.end)])
        sentences = np.where(states == RUN, runs[:, None], sentences)
        changes = self.of_thread(values) if values else None
        return Told("thread", "Thread {thread}", self.rows, self.never, names, changes,
                    "step", Table(("step", "thread"), sentences))  # fmt: skip


def _code_lines(data: StepData) -> list[int]:
    """The lines to draw: all of a short text, else those around what ran."""
    ran = {int(line) for line in data.steps.line if line > 0}
    wanted = sorted(ran.union(*(mark.lines for mark in data.marks)))
    known = wanted and wanted[-1] <= len(data.lines)
    return shown_lines(data.lines, wanted) if known else wanted[:_MOST_LINES]


def _key(data: StepData, arrays: tuple[Cells, ...]) -> Any:
    own = int(data.steps.warp[data.step])
    other = (own + 1) % len(data.steps.lanes)
    entries = [("runs", own, "runs in this step"), ("belongs", other, "ready")]
    if data.steps.arrives.any():
        double = ": a double line at its warp" if data.threads > 64 else ""
        entries.append(("waits", other, f"waits at the barrier{double}"))
    entries += [("empty", 0, "off in this step"), ("bare", 0, "done")]
    if arrays:
        entries += [("read", 0, "cell read in this step"),
                    ("written", own, "cell written in this step")]  # fmt: skip
        entries[1] = ("belongs", other, "ready, or last writer of a cell")
    entries.append(("focus", 0, "focused thread and its cells"))
    if any(each.words is not None for each in arrays):
        entries.append(("dot", 0, "no value known yet"))
    if data.marks:
        entries.append(("wrong", 0, "finding"))
    return swatches(entries)


def scene_of(data: StepData) -> Scene:
    """Return the scene of a block's steps.

    Args:
        data: From `step_data`.
    """
    own = _Builder(data)
    states, values = own.states(), own.variables()
    threads = own.threads(states, values)
    arrays = tuple(own.array(at) for at in own.shown)
    room = threads.size[0] * threads.columns + 48
    aside = own.code(), own.facts(values)
    many = sum(data.arrays[at].shared for at in own.shown)
    below, beside = (arrays[many:], arrays[:many]) if many else ((), arrays)
    panels = [Panel((own.track(),), WIDTH), Panel(aside, 360, grow=True, apart=8),
              Panel((threads, *below), room, apart=12)]  # fmt: skip
    if beside:
        wide = max(each.columns * each.size[0] + 24 for each in beside)
        panels.append(Panel(beside, min(max(wide, 224.0), _ROOM), gap=56, apart=12))
    steps = data.steps
    jumps = {at for at, _ in own.marks()}
    jumps |= set(np.nonzero(steps.opens[own.part])[0].tolist())
    every = range(data.start, data.end)
    spoken = own.texts([f"step {at + 1:,}, warp {steps.warp[at]}, line {steps.line[at]}"
                        for at in every])  # fmt: skip
    axes = [Axis("step", "Step", own.count, data.start + 1, marks=tuple(sorted(jumps)),
                 words=Table(("step",), spoken)),
            Axis("thread", "Thread", data.threads, control="")]  # fmt: skip
    names = ("thread number", *data.changes.names) if threads.words else ("",)
    axes.append(Axis("watch", "Number in each thread", len(names), control="choice",
                     words=names))  # fmt: skip
    answers = own.texts([answer(data, at) for at in every])
    happens = own.texts([happened(data, at) for at in every])
    told = own.told(states, values)
    failed = data.fault if any(mark.fault for mark in data.marks) else None
    targets = tuple(f"array{at}" for at in own.shown)
    return Scene(
        axes=tuple(axes),
        words=own.all,
        looks=own.looks,
        panels=(*panels, *missed_cells(failed, own)),
        answer=(Table(("step",), answers),),
        detail=(Table(("step",), happens), told, _notes(data)),
        over=(Arrows("threads", own.rows, "thread", targets),) if arrays else (),
        key=_key(data, arrays),
    )


def _notes(data: StepData) -> str:
    """What the picture leaves out."""
    said = []
    if (data.start, data.end) != (0, len(data.steps)):
        said.append(
            f"The picture has steps {data.start + 1:,} to {data.end:,} of "
            f"{len(data.steps):,}."
        )
    left = sum(each.shared for each in data.arrays) - _SHARED
    if left > 0:
        said.append(f"{left} more shared arrays are not drawn.")
    return " ".join(said)


def draw_step(data: StepData) -> Figure:
    """Draw what each thread of a block does in one step, and all other steps."""
    scene = scene_of(data)
    state = {"step": data.step - data.start, "thread": data.thread, "watch": 0}
    return Figure(
        "What is each thread of this block doing right now?", scene, state,
        findings=len(data.marks), data=data,
    )  # fmt: skip

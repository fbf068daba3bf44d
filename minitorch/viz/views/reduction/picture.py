"""The scene of a reduction: rounds by cells, threads by round, and who idles."""

from __future__ import annotations

import numpy as np

from ...figure.figure import Figure
from ...figure.scenes import swatches
from ...scene.phrases import counted, joined
from ...scene.scene import (
    Axis,
    Bars,
    Cells,
    Index,
    Match,
    Owners,
    Panel,
    Rows,
    Scene,
    Table,
)
from .data import Reduction, Turn

_FEW = 32  # columns whose values are drawn
_NUMBERED = 64  # threads, at most, whose numbers are drawn


def _spelled(turn: Turn, column: int) -> str:
    return turn.array.spelled(column) if turn.array else f"lane {column % 32}"


class _Builder:
    """What parts of the scene share."""

    def __init__(self, data: Reduction) -> None:
        self.data, self.own = data, data.words
        self.rounds, self.columns = len(data.rounds), data.columns
        self.values = np.full((self.rounds + 1, self.columns), -1)
        for at, (turns, filled) in enumerate(
            zip(data.rounds, data.before, strict=True)
        ):
            for column, value in filled.items():
                self.values[at:, column] = value
            for turn in turns.values():
                self.values[at + 1 :, turn.to] = turn.value

    def look(self, kind: str, thread: int) -> int:
        return self.own.look(kind, thread // 32)

    def value(self, row: int, column: int) -> str:
        at = int(self.values[row, column])
        return self.own.all[at] if at >= 0 else "(not known)"

    def tree(self) -> Cells:
        """A row for each round: what was combined, and what the next one uses."""
        data, columns = self.data, self.columns
        shape = (self.rounds + 1, columns)
        looks = np.full(shape, self.own.look("untouched"))
        owner = np.full(shape, -1)
        ring = np.full((self.rounds, data.threads), -1)
        start, rows = [0], []
        for at, (each, needed) in enumerate(zip(data.rounds, data.needed, strict=True)):
            for thread, turn in each.items():
                for column in (turn.to, *turn.sources):
                    rows.append(
                        (thread, at * columns + column, self.look("reads", thread))
                    )
                    if thread in needed and owner[at, column] < 0:
                        looks[at, column] = self.look("belongs", thread)
                looks[at + 1, turn.to] = self.work(at, thread)
                owner[at + 1, turn.to] = at * data.threads + thread
                ring[at, thread] = (at + 1) * columns + turn.to
            start.append(len(rows))
        found = dict(zip(("thread", "item", "look"), np.array(rows).T, strict=True))
        focus = Match(Rows("round", np.array(start), found), "item", "look",
                      by=("thread",))  # fmt: skip
        names = ["start", *map(str, range(1, self.rounds + 1))]
        longest = max(
            len(self.own.all[at]) for at in self.values.reshape(-1) if at >= 0
        )
        few = columns <= _FEW
        wide = max(min(296 / columns, 37), 6.7 * min(longest, 7) + 2, 21)
        array = next((each.array.name for turns in data.rounds
                      for each in turns.values() if each.array), "")  # fmt: skip
        return Cells(
            "tree", "Values after each round",
            f"{columns} {f'cells of {array}' if array else 'lanes'}",
            owner.size, columns,
            (wide, 22) if few else (16, 14),
            looks=(looks.reshape(-1), focus),
            words=self.values.reshape(-1) if few else None,
            ring=Table(("round", "thread"), ring), labels=self.own.texts(names),
            go=Owners(owner.reshape(-1), Index({"round": data.threads, "thread": 1})),
        )  # fmt: skip

    def work(self, at: int, thread: int) -> int:
        """The look of a thread that works."""
        used = thread in self.data.needed[at]
        return self.look("runs", thread) if used else self.own.look("bare")

    def threads(self) -> Cells:
        data = self.data
        looks = np.full((self.rounds, data.threads), self.own.look("empty"))
        for at, each in enumerate(data.rounds):
            for thread in each:
                looks[at, thread] = self.work(at, thread)
        wide = min(data.threads, 32)
        focus = Index({"thread": 1})
        labels = [str(first) for first in range(0, data.threads, wide)]
        few = data.threads <= _NUMBERED
        names = self.own.texts([*map(str, range(data.threads))]) if few else None
        return Cells(
            "threads", "The threads in round {round}", "hatched: idle",
            data.threads, wide,
            (15.1, 15.1), looks=(Table(("round",), looks),), ring=focus, go=focus,
            labels=self.own.texts(labels), words=names, fold=True,
        )  # fmt: skip

    def sums(self) -> Bars:
        data = self.data
        work = np.array([len(each) for each in data.rounds])
        useful = np.array([len(each) for each in data.needed])
        idle = data.threads - work
        columns = [(work, "at work"), (useful, "needed"), (idle, "idle")]
        columns = [each for each in columns if each[0] is not useful or (
            useful < work).any()]  # fmt: skip
        return Bars(
            "Threads at work and idle",
            tuple(head for _, head in columns),
            tuple(f"round {at + 1}" for at in range(self.rounds)),
            tuple(self.own.texts([*map(str, each.tolist())]) for each, _ in columns),
            idle,
            active=Index({"round": 1}),
        )

    def answer(self, at: int) -> str:
        data = self.data
        work, needed = len(data.rounds[at]), len(data.needed[at])
        combine = "combines two values" if work == 1 else "combine two values each"
        said = f"{work} of {data.threads} threads {combine}"
        if needed < work:
            said += f", and the results of {needed} are needed"
        else:
            said += f"; {data.threads - work} idle"
        return f"Round {at + 1} of {self.rounds}: {said}."

    def does(self, at: int, thread: int) -> str:
        turn = self.data.rounds[at].get(thread)
        if turn is None:
            return "Thread {thread} idles."
        sources = [f"{_spelled(turn, each)} = {self.value(at, each)}"
                   for each in (turn.to, *turn.sources)]  # fmt: skip
        vain = " Nobody uses it." * (thread not in self.data.needed[at])
        return (
            f"Thread {{thread}} combines {joined(sources)} into "
            f"{_spelled(turn, turn.to)} = {self.value(at + 1, turn.to)}.{vain}"
        )


def scene_of(data: Reduction) -> Scene:
    """Return the scene of a block's reduction.

    Args:
        data: From `reduction_data`.
    """
    own, rounds = _Builder(data), len(data.rounds)
    tree, threads, sums = own.tree(), own.threads(), own.sums()
    answers = [own.answer(at) for at in range(rounds)]
    details = data.words.texts([
        own.does(at, thread) for at in range(rounds) for thread in range(data.threads)
    ])  # fmt: skip
    work = sum(map(len, data.rounds)) / rounds
    mean = (
        f"In {counted(rounds, 'round')} by {data.way}, {work:.3g} of {data.threads} "
        "threads work on average."
    )
    return Scene(
        axes=(
            Axis("round", "Round", rounds, 1, words="round {round}"),
            Axis("thread", "Thread", data.threads, control=""),
        ),
        words=data.words.all,
        looks=data.words.looks,
        panels=(
            Panel((tree,), min(44 + tree.columns * tree.size[0], 760)),
            Panel((threads, sums), 284, True, gap=36),
        ),
        answer=(data.words.table("round", answers),),
        detail=(Table(("round", "thread"), details.reshape(rounds, -1)), mean),
        key=swatches([
            ("runs", 0, "combined in this row's round, or a thread at work"),
            ("bare", 0, "combined, but nobody uses it"),
            ("belongs", 0, "used by the next round"),
            ("untouched", 0, "not needed any more"),
            ("empty", 0, "idle thread"),
            ("reads", 0, "what the focused thread combines"),
            ("focus", 0, "its result"),
        ]),
    )  # fmt: skip


def draw_reduction(data: Reduction) -> Figure:
    """Draw the rounds of a reduction; the first round is shown first."""
    return Figure(
        "Who works in each round of a reduction, and who idles?",
        scene_of(data), {"round": 0, "thread": data.thread}, data=data,
    )  # fmt: skip

"""The view of a neuron: who computes one number, and from which numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...cuda.inspecting.trace import LANES
from ...network.neuron import Factor, Mac, Neuron, Part
from ..figure.figure import WIDTH, Figure
from ..figure.scenes import Interned, swatches
from ..scene.drawing import number, shortened
from ..scene.phrases import counted
from ..scene.scene import (
    Axis,
    Cells,
    Index,
    Key,
    Match,
    OneOf,
    Owners,
    Panel,
    Rows,
    Scene,
    Table,
    Track,
    Visits,
)
from ..traces.launches import number_at, spelled

_CHAIN = 8  # rows
_WINDOW = 16  # products with their numbers
_SCALE = 1000  # of the largest sum in the track
_HEADS = ("a", "b", "a × b", "sum")
_FROM = (2, 0, 1, 3)  # rows of a product's items: the product itself is the first
_TYPED = ("add", "sub", "mul", "div")
_LONG_NUMBER = re.compile(r"\d+\.\d{5,}(e[-+]?\d+)?")


def value_words(value: float) -> str:
    """Return a value as the view writes it.

    Example:
        >>> value_words(-1.5), value_words(0.1 + 0.2), value_words(-0.0)
        ('-1.5', '0.3', '0')
    """
    return number(float(value) + 0.0)  # of a negative zero, zero


def step_words(step: str) -> str:
    """Return an operation without its type, its numbers with four digits.

    Example:
        >>> step_words("add.f32: -1.5 (a[37, 3]) + 0.25 (b[3]) = -1.25")
        '-1.5 (a[37, 3]) + 0.25 (b[3]) = -1.25'
        >>> step_words("ex2.approx.f32: 1 = 2")
        'ex2: 1 = 2'
        >>> step_words("add.f32: 0.47218096256256104 (a[3]) + 2 (b[3]) = 2.4721808")
        '0.4722 (a[3]) + 2 (b[3]) = 2.472'
    """
    step = _LONG_NUMBER.sub(lambda found: f"{float(found[0]):.4g}", step)
    name, colon, rest = step.partition(": ")
    if not colon:
        return step
    plain = name.partition(".")[0]
    return rest if plain in _TYPED else f"{plain}: {rest}"


def _thread(part: Part) -> int:
    return number_at(part.thread, part.block_shape)


def _where(part: Part) -> str:
    """Return a part's thread and block in words."""
    thread = spelled(part.thread, part.block_shape)
    return f"thread {thread} of block {spelled(part.block, part.grid)}"


def _loader(part: Part, factor: Factor) -> int:
    """Return the number of the thread that loaded a factor; -1: none."""
    by = factor.loaded_by
    return -1 if by is None else number_at(by.thread, part.block_shape)


class NeuronScene(Interned):
    """What the marks share: a step for each product, or for a launch without one."""

    def __init__(self, neuron: Neuron) -> None:
        super().__init__()
        self.neuron, self.parts = neuron, neuron.chain
        self.steps: list[tuple[int, int, Mac | None]] = []
        self.first: list[int] = []
        for at, part in enumerate(self.parts):
            self.first.append(len(self.steps))
            self.steps += [(at, k, mac) for k, mac in enumerate(part.macs)]
            if not part.macs:
                self.steps.append((at, 0, None))
        self.part = np.array([at for at, _, _ in self.steps])
        self.products = [
            (step, self.parts[at], mac)
            for step, (at, _, mac) in enumerate(self.steps)
            if mac is not None
        ]

    def at_parts(self, numbers: Sequence[int]) -> Table:
        """Return a number for each part as a channel."""
        return Table(("step",), np.array(numbers)[self.part])

    def of_parts(self, texts: Sequence[str]) -> Table:
        """Return words for each part as a channel."""
        return self.at_parts(self.texts(texts).tolist())

    def sums(self) -> list[float]:
        """Return the sum after each step."""
        return [
            mac.partial if mac is not None else self.parts[at].value
            for at, _, mac in self.steps
        ]

    def track(self) -> Track:
        known = [value if math.isfinite(value) else 0.0 for value in self.sums()]
        low, high = min(0.0, *known), max(0.0, *known)
        unit = _SCALE / ((high - low) or 1.0)
        bars = [(0, at, at + 1, round(unit * value)) for at, value in enumerate(known)]
        main = max(self.parts, key=lambda part: len(part.macs))
        rules = [
            (first - 1, shortened(part.name, 20))
            for first, part in zip(self.first[1:], self.parts[1:], strict=True)
        ]
        return Track(
            axis="step", names=("running sum",), hues=(main.warp,),
            bars=np.array(bars), full=_SCALE, lines=np.zeros((0, 3), np.int64),
            rules=tuple(rules), zero=round(-unit * low), high=72.0,
        )  # fmt: skip

    def strip(self) -> Cells:
        count = len(self.steps)
        words = np.full((count, 4), -1)
        looks = np.full((count, 4), -1)
        windows = [0]
        for part in self.parts:
            windows.append(windows[-1] + max(-(-len(part.macs) // _WINDOW), 1))
        slots = [
            ((windows[at] + k // _WINDOW) * 4 + row) * _WINDOW + k % _WINDOW
            for at, k, _ in self.steps
            for row in _FROM
        ]
        notes = []
        for at, k, mac in self.steps:
            many, low = len(self.parts[at].macs), k // _WINDOW * _WINDOW
            note = f"{low + 1:,}–{min(low + _WINDOW, many):,} of {many:,}"
            if mac is None:
                note = f"{shortened(self.parts[at].name, 24)} multiplies nothing"
            notes.append(note)
        known = np.array([step for step, _, _ in self.products])
        last = np.searchsorted(known, np.arange(count), "right") - 1
        ring = 4 * known[np.maximum(last, 0)]  # a product, or the one before
        for step, part, mac in self.products:
            values = (
                mac.a.value * mac.b.value, mac.a.value, mac.b.value, mac.partial,
            )  # fmt: skip
            words[step] = self.texts(list(map(value_words, values)))
            looks[step, 0] = self.look("empty" if mac.padded else "untouched")
            for column, factor in enumerate((mac.a, mac.b), start=1):
                loader = _loader(part, factor)
                kind = "empty" if mac.padded else "bare" if loader < 0 else "reads"
                looks[step, column] = self.look(kind, max(loader, 0) // LANES)
        return Cells(
            "products", "Products", self.table("step", notes), 4 * count,
            _WINDOW, (60, 26), most=4, blank=True,
            labels=np.tile(self.texts(_HEADS), windows[-1]),
            looks=(looks.reshape(-1), self.runs()),
            words=words.reshape(-1),
            ring=Table(("step",), ring), slots=np.array(slots),
            go=Owners(np.arange(4 * count) // 4, Index({"step": 1})),
        )  # fmt: skip

    def runs(self) -> Match:
        """Return the look of the product in focus."""
        steps = np.array([step for step, _, _ in self.products], np.int64)
        looks = [self.look("runs", part.warp) for _, part, _ in self.products]
        start = np.searchsorted(steps, np.arange(len(self.steps) + 1))
        columns = {"item": 4 * steps, "look": np.array(looks, np.int64)}
        return Match(Rows("step", start, columns), "item", "look")

    def threads(self) -> OneOf:
        """Return the block of each part: the thread, and who loaded its factors."""
        rows = []
        for step, (at, _, mac) in enumerate(self.steps):
            part = self.parts[at]
            rows.append((step, _thread(part), 2, self.look("runs", part.warp), -1))
            factors = () if mac is None else (mac.a, mac.b)
            loaders = [_loader(part, factor) for factor in factors]
            both = len(set(loaders)) == 1
            rows += [
                (step, loader, factor, self.look("read"),
                 self.number("ab" if both else "ab"[factor]))
                for factor, loader in enumerate(loaders) if loader >= 0
            ]  # fmt: skip
        step, thread, factor, look, word = np.array(rows, np.int64).T
        start = np.searchsorted(step, np.arange(len(self.steps) + 1))
        columns = {"thread": thread, "factor": factor, "look": look, "word": word}
        used, order = Rows("step", start, columns), np.lexsort((step, thread))
        looks = [Match(used, "thread", "look", {"factor": at}) for at in (2, 0, 1)]
        titles = [f"Threads of block {spelled(part.block, part.grid)}"
                  for part in self.parts]  # fmt: skip
        notes = [f"{shortened(part.name, 20)}, SM {part.sm} · dashed: loaded a factor"
                 for part in self.parts]  # fmt: skip
        title, note = self.of_parts(titles), self.of_parts(notes)
        focus = self.at_parts(list(map(_thread, self.parts)))
        words = Match(used, "thread", "word")
        go = Visits("step", thread[order], step[order])
        sizes = [math.prod(part.block_shape) for part in self.parts]
        distinct = list(dict.fromkeys(sizes))
        marks = []
        for count in distinct:
            wide = 8 if count <= 64 else 16 if count <= 256 else 32
            side = {8: 36.0, 16: 18.0, 32: 11.6}[wide]
            warps = range(-(-count // LANES))
            tints = np.array([self.look("belongs", warp) for warp in warps])
            marks.append(Cells(
                "threads", title, note, count, wide, (side, side), group=LANES,
                looks=(np.repeat(tints, LANES)[:count], *looks), ring=focus, go=go,
                names=self.texts([f"warp {warp}" for warp in warps]), blank=True,
                hues=np.arange(len(warps)), words=words if wide < 32 else None,
            ))  # fmt: skip
        return OneOf(self.at_parts(list(map(distinct.index, sizes))), tuple(marks))

    def facts(self) -> Cells:
        """Where the factors come from, or what a part without products computes."""
        captions, values = [], []
        for at, _, mac in self.steps:
            part = self.parts[at]
            if mac is None:
                pairs = [("computes", step_words(step)) for step in part.steps[:4]]
            else:
                factors = (mac.a, mac.b)
                pairs = [
                    *(("factor", _value(factor, mac)) for factor in factors),
                    *(("loaded by", _loaded(part, factor)) for factor in factors),
                ]
            pairs += [("", "")] * (4 - len(pairs))
            captions.append(self.texts([caption for caption, _ in pairs]))
            values.append(self.texts([words for _, words in pairs]))
        heading = [
            "What the thread computes" if mac is None
            else f"Product {k + 1:,}: one multiply-add" for _, k, mac in self.steps
        ]  # fmt: skip
        keeper = [f"by {_where(part)}, line {part.source_line}" if part.source_line
                  else f"by {_where(part)}" for part in self.parts]  # fmt: skip
        return Cells(
            "facts", self.table("step", heading), self.of_parts(keeper), 4, 0,
            (310, 46), words=Table(("step",), np.array(values)),
            captions=(Table(("step",), np.array(captions)),),
        )  # fmt: skip

    def chain(self) -> Cells:
        """The parts, from the sum to the layer's output."""
        launches = counted(len({part.kernel for part in self.parts}), "launch")
        note = f"{counted(len(self.parts), 'part')} of {launches}"
        names = [f"{at}. {shortened(part.name, 24)}, {_where(part)} on SM {part.sm}"
                 for at, part in enumerate(self.parts, 1)]  # fmt: skip
        return Cells(
            "chain", "The chain", note, len(names), 0, (620, 46), most=_CHAIN,
            words=self.texts(list(map(_does, self.parts))),
            captions=(self.texts(names),), ring=self.at_parts(range(len(names))),
            go=Owners(np.array(self.first), Index({"step": 1})),
        )  # fmt: skip

    def scene(self) -> Scene:
        """Return the scene of all steps."""
        panels = [
            Panel((self.track(), self.strip()) if self.products else (), WIDTH),
            Panel((self.threads(),), 420),
            Panel((self.chain(), self.facts()), 320, grow=True, gap=40),
        ]
        sums = map(value_words, self.sums())
        spoken = [
            f"{self.parts[at].name}: {words}"
            if mac is None
            else f"product {k + 1:,} of {len(self.parts[at].macs):,}: sum {words}"
            for (at, k, mac), words in zip(self.steps, sums, strict=True)
        ]
        marks = {step for step, (_, k, _) in enumerate(self.steps) if k % _WINDOW == 0}
        every = range(len(self.parts))
        neuron = self.neuron
        return Scene(
            axes=(Axis("step", "Step", len(self.steps), 1, marks=tuple(sorted(marks)),
                       words=self.table("step", spoken)),),
            panels=tuple(panel for panel in panels if panel.marks),
            answer=(self.of_parts([_answer(neuron, at) for at in every]),),
            detail=(self.of_parts([_detail(neuron, at) for at in every]),),
            key=_key(self), words=self.all, looks=self.looks,
        )  # fmt: skip


def _does(part: Part) -> str:
    """Return what a part computes, and its value."""
    if len(part.steps) == 1 and not part.macs:
        return step_words(part.steps[0])
    does = counted(len(part.steps), "step")
    if part.macs:
        more = f" and {does}" * bool(part.steps)
        does = f"sum of {counted(len(part.macs), 'product')}{more}"
    return f"{does} = {value_words(part.value)}"


def _value(factor: Factor, mac: Mac) -> str:
    """Return which number a factor is, and the number."""
    words = value_words(factor.value)
    if not factor.array:
        return f"{words}, padding" if mac.padded else f"{words}, computed before"
    return f"{factor.array}[{', '.join(map(str, factor.element))}] = {words}"


def _loaded(part: Part, factor: Factor) -> str:
    """Return who loaded a factor, in words."""
    by = factor.loaded_by
    if by is None:
        return "nobody"
    loader = _loader(part, factor)
    if loader == _thread(part):
        return f"the thread itself, line {by.line}"
    thread = spelled(by.thread, part.block_shape)
    return f"thread {thread}, warp {loader // LANES}, line {by.line}"


def _answer(neuron: Neuron, at: int) -> str:
    """Return who computes the neuron, or a value that it is made of."""
    part, name = neuron.chain[at], ", ".join(map(str, neuron.index))
    name = f"{neuron.layer or 'output'}[{name}]"
    if len({each.kernel for each in neuron.chain}) < len(neuron.chain):
        # Parts of one launch do not pass one value on from each to the next.
        name += f" has {len(neuron.chain)} parts; part {at + 1}"
    verb = "is summed by" if part.macs else "goes through"
    return (
        f"{name} {verb} {_where(part)}: lane {part.lane} of warp {part.warp}, on SM "
        f"{part.sm}."
    )


def _detail(neuron: Neuron, at: int) -> str:
    """Return what a part computes, and what becomes of it."""
    part, later = neuron.chain[at], len(neuron.chain) - at - 1
    said = f"Computed there: {_does(part)}"
    padded = sum(mac.padded for mac in part.macs)
    said += f", {padded} of them with padding zeros" * bool(padded)
    if later:
        value = value_words(neuron.value)
        said += f"; after {counted(later, 'part')} more the neuron is {value}"
    left = neuron.left_out
    return f"{said}." + f" {counted(left, 'part')} more are left out." * bool(left)


def _key(own: NeuronScene) -> Key:
    warp = max(own.parts, key=lambda part: len(part.macs)).warp
    key = [("runs", warp, "runs this product (colour: warp)")]
    if own.products:
        key.append(("belongs", warp, "another thread of the warp"))
        key.append(("reads", warp, "factor (colour: warp that loaded it)"))
        key.append(("read", 0, "loaded a factor of this product"))
    if any(mac.padded for _, _, mac in own.products):
        key.append(("empty", 0, "padding: past the edge, zeros"))
    return swatches([*key, ("focus", 0, "focus: product, thread, launch")])


def neuron(neuron: Any) -> Figure:
    """Draw which thread computes a neuron, and from which numbers.

    From top to bottom: the running sum over all multiply-adds, sixteen of them with
    their factors; the block's threads with those that loaded the factors of the one in
    focus; and the chain of launches from the sum to the layer's output.

    Args:
        neuron: From `Explanation.neuron`.

    Returns:
        A figure; its `data` is the neuron.

    Raises:
        TypeError: Not a neuron.
        ValueError: A neuron without a part.
    """
    if not isinstance(neuron, Neuron):
        raise TypeError(
            f"[viz.neuron] got {type(neuron).__name__}; need a neuron: "
            'minitorch.explain(model, x).neuron("layer1", (0, 3)).'
        )
    if not neuron.chain:
        raise ValueError(
            "[viz.neuron] the neuron has no parts, because no kernel computed it."
        )
    own = NeuronScene(neuron)
    counts = [len(part.macs) for part in neuron.chain]
    middle = own.first[counts.index(max(counts))] + max(counts) // 2
    return Figure(
        "Which thread computes this neuron, and from which numbers?", own.scene(),
        {"step": middle}, data=neuron,
    )  # fmt: skip

"""Scenes: marks whose channels are arrays over the axes of a state.

A scene holds numbers and says which mark shows them; it draws nothing. `render` draws
one state of it, as a still picture or in a page. A new view is a function that fills a
`Scene`.

State: an index from 0 for each axis, such as {"step": 61, "thread": 42}. People and
URLs count from `Axis.start`.

Channel: what gives each item of a mark (a cell, a line of code) a number in a state:
an array of a number for each item, or one of the classes from `Table` to `Masked`. The
number is an index into `Scene.words` where words are wanted, into `Scene.looks` where a
look is; -1 means none.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .phrases import joined

Numbers = NDArray[Any]
State = Mapping[str, int]


@dataclass(frozen=True, eq=False)
class Table:
    """Values for each index of some axes, and for each item if there is one more."""

    at: tuple[str, ...]
    values: Numbers


@dataclass(frozen=True, eq=False)
class Latest:
    """The value that a key got last, at the state's index of an axis or before.

    The key of an item is offset + item * stride, and for each axis in `by` its index
    times what stands there. Columns are sorted by key, then by index.
    """

    axis: str
    key: Numbers
    index: Numbers
    value: Numbers
    before: Numbers | int = -1  # of keys that got none yet: one for each, or for all
    stride: int = 1
    offset: int = 0
    by: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Rows:
    """What happens at each index of an axis: rows start[i] to start[i + 1]."""

    axis: str
    start: Numbers
    columns: Mapping[str, Numbers]


@dataclass(frozen=True, eq=False)
class Match:
    """Of the rows of a state: those whose columns equal `only` and the axes in `by`.

    Each gives the item in one column the number in another; the last one counts.
    """

    rows: Rows
    item: str
    value: str
    only: Mapping[str, int] = field(default_factory=dict)
    by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chosen:
    """One of several channels, by the index of an axis."""

    axis: str
    channels: tuple[Any, ...]


@dataclass(frozen=True)
class Index:
    """One number for all items: the sum of axes' indices times what stands here."""

    by: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class Pattern:
    """The items of a pattern, shifted to a first item, get the number of `value`.

    Pattern p has offsets[start[p]] to offsets[start[p + 1]]; `at` gives the place in
    `pattern` and `first`.
    """

    at: Index
    pattern: Numbers
    first: Numbers
    start: Numbers
    offsets: Numbers
    value: Any


@dataclass(frozen=True)
class Masked:
    """A channel's numbers where one of others has a number."""

    channel: Any
    by: tuple[Any, ...]


@dataclass(frozen=True)
class Below:
    """The items below the number of `limit` get the number of `value`."""

    limit: Any
    value: Any


Channel = Numbers | Table | Latest | Match | Chosen | Index | Pattern | Masked | Below
Words = str | Channel  # in a string {step} stands for that axis, as people count


@dataclass(frozen=True)
class Visits:
    """Where a click on an item leads: to the next index at which something used it.

    Columns are sorted by key (the item), then by index. `also` moves other axes.
    """

    axis: str
    key: Numbers
    index: Numbers
    also: Mapping[str, Numbers] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Owners:
    """Where a click on an item leads: to the index of axes that is the item's owner."""

    owner: Channel
    at: Index


@dataclass(frozen=True)
class Cells:
    """Boxes in rows and columns: an array, the threads of a block, a table of facts.

    Attributes:
        name: For arrows.
        title, note: Above it.
        count, columns: Of the items.
        size: Width and height of a box.
        most: Rows drawn; others are where `center` leads. 0: all.
        high: Of all rows, at least.
        looks: Layers, each a channel of looks.
        words, captions: In each box, and in small letters above them.
        shares: Lengths of bars below the words of boxes with captions, in percent.
        changes: Mark words that differ from those one index before on this axis.
        blank: Draw nothing where there are no words; else a dot.
        ring: Of item 0: the item in focus.
        tag: More words behind the note.
        center: Of item 0: the item that must be seen.
        labels: Numbers: of rows ("row"), of columns too ("both"), of the first cell of
            each row ("cell"), "" for none; or words for each row.
        fold: Break rows in half, and again, while there is no room for one.
        shrink: Width of a box where there is no room; only that in focus has words.
        heads, sides, feet: Names above columns (without a note), beside rows, below
            each item. With feet and without columns, boxes keep their width.
        group, names, hues: Items of a group, its name and hue, as beside threads.
        slots: Where each item is, counted row by row; None: in their order.
        outlines: (outlines, 5) row, column, rows, columns, hue of boxes around items.
        outlined, labelled: Of item 0: the thick outline; what stands beside each.
        go: Where a click on an item leads: the axes that give the item, or others.
        tip: Names of items for the pointer: a name, and a shape to spell indices of.
        said: Words for each item behind its name.
        stretch: What a drag across items changes: an axis, and for each of its indices
            how many items wide the drag is.
    """

    name: str
    title: Words
    note: Words
    count: int
    columns: int
    size: tuple[float, float]
    looks: tuple[Channel, ...] = ()
    words: Channel | None = None
    captions: tuple[Channel, ...] = ()
    shares: Channel | None = None
    changes: str = ""
    blank: bool = False
    ring: Channel | None = None
    tag: Words = ""
    most: int = 0
    high: float = 0
    center: Channel | None = None
    labels: str | Channel = ""
    heads: tuple[str, ...] = ()
    fold: bool = False
    shrink: float = 0
    sides: tuple[str, ...] = ()
    feet: tuple[str, ...] = ()
    group: int = 0
    names: Channel | None = None
    hues: Channel | None = None
    slots: Numbers | None = None
    outlines: Numbers | None = None
    outlined: Channel | None = None
    labelled: tuple[str, ...] = ()
    go: Index | Visits | Owners | None = None
    tip: tuple[str, tuple[int, ...]] | None = None
    said: Channel | None = None
    stretch: tuple[str, tuple[int, ...]] | None = None


@dataclass(frozen=True)
class Bars:
    """A table of words with a bar at the end of each row.

    Attributes:
        title, heads: Above it, and above its columns.
        names: Of the rows.
        columns: Channels of words, whose items are the rows.
        lengths: Of the bars, on one scale.
        names_room: Width of the column of names.
        active: Of item 0: the row in bold; else the first.
    """

    title: Words
    heads: tuple[str, ...]
    names: tuple[str, ...]
    columns: tuple[Channel, ...]
    lengths: Channel
    names_room: float = 90
    active: Channel = Index({})


@dataclass(frozen=True)
class Code:
    """Lines of code, wrapped, with who is where and how often each ran.

    Attributes:
        title, note: Above it.
        numbers, texts: Of the lines; a channel's item is a line's place here.
        comment: What begins one.
        active, last, who, sign: Of item 0: the line that runs, the last of them where
            there are more, its hue, and who runs it; a sign "" leaves no room for who
            is where.
        others, whose: For each line who else is there, and the hue.
        counts, totals: How often each ran, so far and in all.
        notes, room: Words at the end of each line in place of these; their width.
        noted: Lines whose notes are on the tint of `whose`, below if there is no room.
        gap: The line behind which a barrier is missing; -1: none.
        wrong: Lines that have a number here belong to a finding.
        go: Where a click on a line leads.
    """

    title: Words
    note: Words
    numbers: tuple[int, ...]
    texts: tuple[str, ...]
    comment: str
    active: Channel | None = None
    last: Channel | None = None
    who: Channel | None = None
    sign: Words = ""
    others: Channel | None = None
    whose: Channel | None = None
    counts: Channel | None = None
    totals: Numbers | None = None
    notes: Channel | None = None
    room: float = 0
    noted: tuple[int, ...] = ()
    gap: int = -1
    wrong: Channel | None = None
    go: Visits | None = None


@dataclass(frozen=True)
class Track:
    """An axis of the state from left to right, with rows of bars; a drag moves along.

    Attributes:
        axis: Its name.
        names, hues: Of the rows.
        bars: (bars, 4) row, first index, end, and height of `full`.
        zero: How much of `full` is below zero, where heights may be negative.
        high: Of a row, at most.
        lines: (lines, 3) row, first index, end of what waits.
        rules: Index and words of bars of ink across all rows, after that index.
        flags: Index and words of findings.
        note: Below it.
    """

    axis: str
    names: tuple[str, ...]
    hues: tuple[int, ...]
    bars: Numbers
    full: int
    lines: Numbers
    rules: tuple[tuple[int, str], ...] = ()
    flags: tuple[tuple[int, str], ...] = ()
    note: str = ""
    zero: int = 0
    high: float = 27.0


@dataclass(frozen=True)
class Waves:
    """Blocks on the multiprocessors of a card, wave after wave.

    Attributes:
        axis: Name of that whose index is the block in focus.
        sms: Multiprocessors.
        fit, blocks: Of item 0: blocks that one holds, and blocks of the launch.
        most: Waves drawn at most in any state, of 3.
    """

    axis: str
    sms: int
    fit: Channel
    blocks: Channel
    most: int


@dataclass(frozen=True)
class Arrows:
    """Arrows between a mark's item and cells: one for each row of a state, at most 3.

    Attributes:
        start: Name of the mark where they begin, at the index of the axis `by`.
        rows: Columns "target" (which of `targets`), "cell", "out" (1: to the cell).
        by: The axis whose index equals the column of that name.
        targets: Names of marks.
    """

    start: str
    rows: Rows
    by: str
    targets: tuple[str, ...]


@dataclass(frozen=True)
class Guide:
    """An arrow from a mark along its row or column to one beside or below it.

    Attributes:
        start, end: Names of marks on one scale; elsewhere there is no arrow.
        cell: Of item 0: the cell in `end`.
        down: Along a column, from above.
        item, out: Of item 0: the item of `start` that uses the cell, from which a line
            goes round to the row of the cell; and whether the value goes there.
    """

    start: str
    end: str
    cell: Channel
    down: bool
    item: Channel | None = None
    out: Channel | None = None


@dataclass(frozen=True, eq=False)
class Frames:
    """Drawings made in advance, one for each index of some axes, at several widths.

    For pictures with few states and a layout of their own. An element of a drawing
    with `data_go="step=3 thread=0"` leads there by a click; one with `data_tip` says
    that under the pointer. `frames.frames_of` makes them.

    Attributes:
        at: Number of the drawing; an `Index`, or another channel of item 0.
        widths: In pixels, from narrow to wide; the widest that fits is shown.
        heights: Of the highest drawing, for each width.
        elements: Parts of SVG, each kept once.
        start: Where the parts of a drawing begin in `order`: drawing d at width w is
            number w * drawings + d.
        order: Numbers of elements.
    """

    at: Any
    widths: tuple[int, ...]
    heights: tuple[float, ...]
    elements: tuple[str, ...]
    start: Numbers
    order: Numbers


@dataclass(frozen=True)
class OneOf:
    """One of several marks, by the number of a channel of item 0."""

    at: Channel
    marks: tuple[Any, ...]


@dataclass(frozen=True)
class Key:
    """What marks mean: the swatch as SVG, its meaning, and how wide the words are."""

    entries: tuple[tuple[str, str, float], ...]


@dataclass(frozen=True)
class Told:
    """The part of a sentence about what one item does: rows, then changed values.

    Attributes:
        by: The axis whose index is the item.
        subject: Begins the sentence.
        rows: Columns "verb", "noun", "value" of words, and one of the axis `by`.
        missing: Number of the words for a value that is none.
        names, changes: Numbers of names, and the channel of their values, or None.
        axis: Along which values change.
        otherwise: The whole sentence where there is nothing to tell.
        most: Of each.
    """

    by: str
    subject: str
    rows: Rows
    missing: int
    names: Numbers
    changes: Channel | None
    axis: str
    otherwise: Channel
    most: int = 3


@dataclass(frozen=True)
class Axis:
    """What a reader can change.

    Attributes:
        name, label: In URLs and programs, and beside its control.
        count, start: Its values are start, start + 1, ...
        control: "slider" (one for each scene), "range" (a short slider), "choice", or
            "" for what only a mark moves.
        marks: Indices that Shift with an arrow jumps to.
        words: Of each value: an option's name, or what a slider's value is.
        limit: How many values there are beside the axes before, where that differs.
        panel: Number of the panel below which a page has the control; -1: on top.
        moves: Keys such as "A D", what they do, and for each of them and each index
            the index it leads to.
    """

    name: str
    label: str
    count: int
    start: int = 0
    control: str = "slider"
    marks: tuple[int, ...] = ()
    words: Words | tuple[str, ...] = ""
    limit: Channel | None = None
    panel: int = -1
    moves: tuple[tuple[str, str, Numbers], ...] = ()


@dataclass(frozen=True)
class Panel:
    """Marks below each other, in a column as wide as `width`, or wider if it grows.

    Panels stand beside each other while they fit; `gap` is the room before one, `apart`
    between marks. Where all stand below each other, one that is `last` follows others.
    """

    marks: tuple[Any, ...]
    width: float
    grow: bool = False
    gap: float = 16
    apart: float = 18
    last: bool = False


@dataclass(frozen=True)
class Scene:
    """All that a picture shows in every state.

    Attributes:
        axes: Of the state.
        words, looks: That channels count; a look is a kind and a hue.
        panels: In order.
        answer, detail: The sentences: parts that are words or `Told`.
        over: Marks over all panels: arrows, or drawings at the first panel's corner.
        key: Below them.
    """

    axes: tuple[Axis, ...]
    words: Sequence[str]
    looks: Sequence[tuple[str, int]]
    panels: tuple[Panel, ...]
    answer: tuple[Any, ...]
    detail: tuple[Any, ...]
    over: tuple[Any, ...] = ()
    key: Key | None = None

    def packed(self) -> str:
        """The scene for a page: JSON and the arrays it names, deflated, in base64."""
        found: dict[int, list[Any]] = {}
        kept: list[Numbers] = []
        blob = bytearray()

        def plain(value: Any) -> Any:
            if isinstance(value, np.ndarray):
                if id(value) not in found:
                    small = _small(value)
                    blob.extend(b"\0" * (-len(blob) % 4))
                    place = [small.dtype.str[1:], len(blob), small.size]
                    found[id(value)] = [*place, list(small.shape)]
                    kept.append(value)  # or its id could come again
                    blob.extend(small.tobytes())
                return {"$": found[id(value)]}
            if is_dataclass(value):
                named = {"is": type(value).__name__}
                own = {each.name: getattr(value, each.name) for each in fields(value)}
                return named | {name: plain(part) for name, part in own.items()}
            if isinstance(value, Mapping):
                return {name: plain(part) for name, part in value.items()}
            if isinstance(value, list | tuple):
                return [plain(part) for part in value]
            return value.item() if isinstance(value, np.generic) else value

        text = json.dumps(plain(self), separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        head = len(text).to_bytes(4, "little")
        return base64.b64encode(zlib.compress(head + text + blob, 6)).decode()


def _small(values: Numbers) -> Numbers:
    """The same whole numbers in the fewest bytes."""
    low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    for name in ("i1", "<i2", "<i4"):
        if np.iinfo(name).min <= low and high <= np.iinfo(name).max:
            return np.ascontiguousarray(values.astype(name)).reshape(values.shape)
    raise ValueError(
        f"[scene] got numbers from {low} to {high}; they must fit in 32 bits."
    )


def numbers(channel: Any, state: State, items: list[int]) -> list[int]:
    """Return the number that each item has in a state; -1 for no channel.

    Example:
        >>> run = Table(("step",), np.array([[0, 1], [2, 3]]))
        >>> numbers(run, {"step": 1}, [1, 0])
        [3, 2]
    """
    kind = kind_of(channel)
    if kind == "Chosen":
        return numbers(channel.channels[state[channel.axis]], state, items)
    if kind == "Table":
        return taken(channel.values, [state[axis] for axis in channel.at], items)
    if kind == "Latest":
        base = channel.offset + index_of(channel, state)
        return [_latest(channel, base + item * channel.stride, state) for item in items]
    if kind == "Match":
        wanted = {**channel.only}
        for axis in channel.by:
            wanted[axis] = state[axis]
        found: dict[int, int] = {}
        columns = channel.rows.columns
        for at in matches(channel.rows, wanted, state):
            found[columns[channel.item][at]] = columns[channel.value][at]
        return [found.get(item, -1) for item in items]
    if kind == "Below":
        limit, values = (
            first(channel.limit, state),
            numbers(channel.value, state, items),
        )
        return [value if item < limit else -1
                for item, value in zip(items, values, strict=True)]  # fmt: skip
    if kind == "Pattern":
        place, inside = index_of(channel.at, state), {}
        start, base = channel.pattern[place], channel.first[place]
        for offset in channel.offsets[channel.start[start] : channel.start[start + 1]]:
            inside[base + offset] = 1
        value = first(channel.value, state)
        return [value if inside.get(item, 0) > 0 else -1 for item in items]
    if kind == "Masked":
        masks = [numbers(each, state, items) for each in channel.by]
        values = numbers(channel.channel, state, items)
        return [value if any(mask[at] >= 0 for mask in masks) else -1
                for at, value in enumerate(values)]  # fmt: skip
    if channel is None or kind == "Index":
        return [first(channel, state)] * len(items)
    return [channel[item] for item in items]


def taken(values: Numbers, place: list[int], items: list[int]) -> list[int]:
    """Return the values of items at a place of a table."""
    row = values[tuple(place)]
    return list(row[items].tolist()) if row.ndim else [int(row)] * len(items)


def first(channel: Any, state: State) -> int:
    """Return the number of item 0; -1 for no channel."""
    if channel is None:
        return -1
    if kind_of(channel) == "Index":
        return index_of(channel, state)
    return int(numbers(channel, state, [0])[0])


def index_of(channel: Any, state: State) -> int:
    """Return the sum of axes' indices times what stands in `by`."""
    return sum(state[axis] * stride for axis, stride in channel.by.items())


def _latest(channel: Latest, key: int, state: State) -> int:
    at, before = last_at(channel, key, state[channel.axis]), channel.before
    if at >= 0:
        return int(channel.value[at])
    return before if isinstance(before, int) else int(before[key])


def last_at(columns: Latest | Visits, key: int, now: int) -> int:
    """Return the last place with this key and an index of at most `now`; -1: none."""
    low, high = 0, len(columns.key)
    while low < high:
        middle = (low + high) // 2
        here = columns.key[middle]
        if here < key or (here == key and columns.index[middle] <= now):
            low = middle + 1
        else:
            high = middle
    return low - 1 if low and columns.key[low - 1] == key else -1


def kind_of(mark: Any) -> str:
    """Return the name of a mark's class."""
    return type(mark).__name__


def mark_of(mark: Any, state: State) -> Any:
    """Return a mark, or that of a `OneOf` in a state."""
    if isinstance(mark, OneOf):
        return mark.marks[first(mark.at, state)]
    return mark


def matches(rows: Rows, wanted: Mapping[str, int], state: State) -> list[int]:
    """Return the numbers of a state's rows with these numbers in columns."""
    tests = [(rows.columns[name], number) for name, number in wanted.items()]
    now = state[rows.axis]
    return [at for at in range(rows.start[now], rows.start[now + 1])
            if all(column[at] == number for column, number in tests)]  # fmt: skip


def spoken(scene: Scene, part: Any, state: State) -> str:
    """Return words for item 0 in a state, with {axis} replaced."""
    if isinstance(part, Told):
        return _told(scene, part, state)
    words: str = part
    if not isinstance(part, str):
        at = first(part, state)
        words = scene.words[at] if at >= 0 else ""
    if "{" in words:
        for axis in scene.axes:
            words = words.replace(
                f"{{{axis.name}}}", f"{state[axis.name] + axis.start:,}"
            )
    return words


def sentences(scene: Scene, state: State) -> tuple[str, str]:
    """Return the answer and the detail of a state."""

    def said(parts: tuple[Any, ...]) -> str:
        words = [spoken(scene, part, state) for part in parts]
        return " ".join([each for each in words if each])

    return said(scene.answer), said(scene.detail)


def _told(scene: Scene, told: Told, state: State) -> str:
    words, columns = scene.words, told.rows.columns
    groups: dict[str, list[str]] = {}
    for at in matches(told.rows, {told.by: state[told.by]}, state):
        noun, value = words[columns["noun"][at]], columns["value"][at]
        said = "(never written)" if value == told.missing else f"= {words[value]}"
        groups.setdefault(words[columns["verb"][at]], []).append(f"{noun} {said}")
    parts: list[str] = []
    for verb, cells in groups.items():
        left = len(cells) - told.most
        if left > 0:
            cells = [*cells[: told.most], f"{left} more cell{'s' if left > 1 else ''}"]
        parts.append(f"{verb} {joined(cells)}")
    changed = _changed(scene, told, state)
    left = len(changed) - told.most
    more = [f"sets {left} more"] if left > 0 else []
    parts = [*parts, *changed[: told.most], *more]
    if not parts:
        return spoken(scene, told.otherwise, state)
    return f"{spoken(scene, told.subject, state)} {', '.join(parts)}."


def _changed(scene: Scene, told: Told, state: State) -> list[str]:
    if told.changes is None:
        return []
    items = list(range(len(told.names)))
    now = numbers(told.changes, state, items)
    before = {**state, told.axis: state[told.axis] - 1}
    found: list[str] = []
    for at, old in enumerate(numbers(told.changes, before, items)):
        name, value = scene.words[told.names[at]], scene.words[now[at]]
        if now[at] != old and old < 0:
            found.append(f"sets {name} = {value}")
        elif now[at] != old:
            found.append(f"changes {name} from {scene.words[old]} to {value}")
    return found

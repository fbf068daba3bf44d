"""The left half of the overview: a bar for each warp, or for each block."""

from __future__ import annotations

from dataclasses import dataclass

from ...scene.drawing import Drawing, number
from ...scene.marks import EMPTY
from ...scene.palette import depth, strong
from .overviews import Overview, shares_of
from .words import warp_name

WIDTH = 640.0
_GAP, _COLUMNS = 18.0, 4
_TOP, _HEAD, _BAR, _BELOW = 30.0, 14.0, 10.5, 8.0


@dataclass(frozen=True)
class Bar:
    """One bar: a warp, or a block where these are too many.

    Attributes:
        name: As sentences name it.
        warp: The warp that it opens.
        first, last: The warps that it is about, numbered over all blocks.
        steps: Instructions of the warp, or of all warps of the block.
        share: The part of them that a mean thread ran.
        hue: Its colour.
    """

    name: str
    warp: int
    first: int
    last: int
    steps: int
    share: float
    hue: str


@dataclass(frozen=True)
class Layout:
    """Where bars lie: groups of `size`, in rows of `columns`."""

    size: int
    columns: int
    wide: float

    def place(self, slot: int) -> tuple[float, float]:
        """Left and upper end of a bar."""
        group, at = divmod(slot, self.size)
        x, y = self.head(group)
        return x, y + _HEAD + at * _BAR + 1

    def head(self, group: int) -> tuple[float, float]:
        """Left and upper end of a group."""
        row, column = divmod(group, self.columns)
        high = _HEAD + self.size * _BAR + _BELOW
        return column * (self.wide + _GAP), _TOP + row * high


def bars_of(data: Overview) -> list[Bar]:
    """All bars, in order of blocks."""
    shares = data.shares.tolist()
    if not data.by_block:
        return [
            Bar(warp_name(data, at), at, at, at, int(steps), shares[at],
                strong(at % data.warps))
            for at, steps in enumerate(data.steps.tolist())
        ]  # fmt: skip
    shape = (-1, data.warps)
    steps = data.steps.reshape(shape).sum(axis=1)
    possible = (data.steps * data.present).reshape(shape).sum(axis=1)
    active = data.active.reshape(shape).sum(axis=1)
    whole = shares_of(active, possible).tolist()
    found = []
    for at, block in enumerate(data.blocks.tolist()):
        first, last = at * data.warps, (at + 1) * data.warps - 1
        worst = min(range(first, last + 1), key=shares.__getitem__)
        found.append(
            Bar(f"block {number(block)}", worst, first, last, int(steps[at]),
                whole[at], depth(45))
        )  # fmt: skip
    return found


def layout_of(data: Overview, bars: int) -> Layout:
    """Groups of whole blocks, at least eight bars each, in up to four columns."""
    size = 8 if data.by_block else data.warps * -(-8 // data.warps)
    columns = min(_COLUMNS, -(-bars // size))
    return Layout(size, columns, (WIDTH - _GAP * columns) / columns)


def order_of(bars: list[Bar], order: str) -> list[int]:
    """Which bar stands where."""
    slots = range(len(bars))
    return list(slots) if order == "block" else sorted(
        slots, key=lambda at: bars[at].share
    )  # fmt: skip


def group_words(data: Overview, layout: Layout, bars: int, order: str) -> list[str]:
    """The words above each group of bars."""
    words = []
    for start in range(0, bars, layout.size):
        end = min(start + layout.size, bars) - 1
        if order != "block":
            words.append(f"worst {number(start + 1)}–{number(end + 1)}")
            continue
        ratio = 1 if data.by_block else data.warps
        first, last = (number(data.blocks[at // ratio]) for at in (start, end))
        words.append(f"block {first}" if first == last else f"blocks {first}–{last}")
    return words


def breaks_of(data: Overview) -> list[float]:
    """Where columns of bars end, so that the next may stand below."""
    layout = layout_of(data, len(bars_of(data)))
    return [layout.head(at)[0] - _GAP / 2 for at in range(1, layout.columns)]


def long_of(bar: Bar, layout: Layout, most: int) -> float:
    """How long a bar is; the longest has as many instructions as `most`."""
    return layout.wide * bar.steps / most if most else 0


def ring_place(
    bar: Bar, layout: Layout, most: int, slot: int
) -> tuple[float, float, float]:
    """Left and upper end and width of the ring around a bar."""
    x, y = layout.place(slot)
    return x - 2.5, y - 2, long_of(bar, layout, most) + 5


def draw_bars(view: Drawing, data: Overview, order: str, warp: int) -> None:
    bars = bars_of(data)
    layout, most = layout_of(data, len(bars)), max(each.steps for each in bars)
    for group, words in enumerate(group_words(data, layout, len(bars), order)):
        x, y = layout.head(group)
        view.text(x, y + 10, words, 11, fill="var(--mut)", data_at=f"h{group}")
    for slot, at in enumerate(order_of(bars, order)):
        bar, (x, y) = bars[at], layout.place(slot)
        long = long_of(bar, layout, most)
        view.rect(x, y, long, _BAR - 2, rx=1.5, fill=EMPTY, stroke="var(--line)",
                  stroke_width=0.7, data_at=f"b{slot}")  # fmt: skip
        view.rect(x, y, long * bar.share, _BAR - 2, rx=1.5, fill=bar.hue,
                  data_at=f"s{slot}")  # fmt: skip
        if bar.first <= warp <= bar.last:
            focus = ring_place(bar, layout, most, slot)
    view.rect(
        *focus, _BAR + 2, rx=3, fill="none", stroke="var(--ink)", stroke_width=2.2,
        data_at="bar",
    )  # fmt: skip
    groups = -(-len(bars) // layout.size)
    _, y = layout.head(-(-groups // layout.columns) * layout.columns)
    view.height = y
    if data.more:
        words = f"… and {number(data.more)} more blocks whose threads are off less"
        view.text(0, y + 10, words, 12, fill="var(--mut)")
        view.height += 20

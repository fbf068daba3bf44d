"""The picture of source code with a number and a bar behind each line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ....cuda.inspecting.trace import LANES
from ...figure.player import Player
from ...scene.code_view import LETTER, SIZE, STEP, comment_of, draw_text, texts_of
from ...scene.drawing import Drawing, width_of
from ...scene.palette import depth
from ...traces.line_metrics import CountedLines, Metric, worst_line

_LEFT = 44.0
_GAP = 10.0
_MOST_LINES = 40
_WORDS, _USUAL = 11.5, "1,000,000 · 10 %"


@dataclass(frozen=True)
class Count:
    """The number of one line: in words, and how long its bar is, from 0 to 1."""

    words: str
    part: float
    main: bool = False

    def wide(self, room: float) -> float:
        """Width of the bar in pixels; what is not zero can be seen."""
        return round(max(room * self.part, 2.0), 1) if self.part > 0 else 0.0

    @property
    def ground(self) -> str:
        """Fill of the line's row."""
        return "var(--panel)" if self.main else "none"

    @property
    def grey(self) -> str:
        """Depth repeats the length."""
        return depth(45 if self.part > 0.5 else 30 if self.part > 0.1 else 16)


def lines_to_draw(lines: list[str], counted: list[int]) -> tuple[list[int], int]:
    """Numbers of the lines to draw, and how many counted ones there is no room for.

    Args:
        lines: Of the whole text; empty where nobody has it.
        counted: Those with counts; where there are too many, the first are drawn.
    """
    first, last = min(counted, default=1), max(counted, default=len(lines))
    known = bool(lines) and last <= len(lines)
    if known and last - first < _MOST_LINES:
        # With the line that says what is counted, where it stands just before.
        head = first > 1 and lines[first - 2].rstrip().endswith(("{", ":"))
        return list(range(first - head, last + 1)), 0
    shown = set(counted[:_MOST_LINES])
    for at in counted if known else ():  # with their neighbours, while there is room
        more = {at - 1, at + 1} & set(range(1, len(lines) + 1))
        if len(shown | more) <= _MOST_LINES:
            shown |= more
    return sorted(shown), len(set(counted) - shown)


def boxes_of(
    lines: list[str], counts: Mapping[int, Count], width: float
) -> dict[int, tuple[float, float, float, float]]:
    """Left, top, width and height of each row that `draw_counted` draws."""
    found, y = {}, 14.0
    shown, _ = lines_to_draw(lines, list(counts))
    previous = shown[0] - 1 if shown else 0
    for at in shown:
        y += STEP * (at > previous + 1 and bool(lines))
        previous = at
        found[at] = (0.0, y - 15, width, float(STEP))
        y += STEP
    return found


def follow_counts(
    player: Player,
    tag: str,
    drawn: list[int],
    choices: Sequence[Mapping[int, Count]],
    bar: float,
) -> None:
    """Let what stands behind lines follow the axis "metric".

    Args:
        player: Of the figure.
        tag: As in `draw_counted`.
        drawn: Lines with counts.
        choices: The counts of each metric.
        bar: Length of the longest bar.
    """
    by = ["metric"]
    for line in drawn:
        own = [counts[line] for counts in choices]
        name = f"{tag}bar{line}"
        player.set(name, "width", by, [each.wide(bar) for each in own])
        player.set(name, "fill", by, [each.grey for each in own])
        player.text(f"{tag}num{line}", by, [each.words for each in own])
        player.set(f"{tag}row{line}", "fill", by, [each.ground for each in own])


def room_for(choices: Iterable[Mapping[int, Count]]) -> float:
    """Width of the longest words behind a line, whichever counts are chosen."""
    every = (each.words for counts in choices for each in counts.values())
    return max(width_of(words, _WORDS) for words in {*every, _USUAL})


def _draw_count(
    view: Drawing, x: float, y: float, count: Count, bar: float, name: str
) -> None:
    view.rect(x, y - 10, count.wide(bar), 11, rx=2, fill=count.grey,
              data_at=name.format("bar"))  # fmt: skip
    view.text(x + bar + _GAP, y, count.words, _WORDS, data_at=name.format("num"))


def width_for(
    lines: list[str], counts: Mapping[int, Count], bar: float, room: float
) -> float:
    """Room that `draw_counted` needs to draw every line whole."""
    texts = texts_of(lines, lines_to_draw(lines, list(counts))[0])
    longest = max(map(len, texts), default=0)
    return _LEFT + (longest + 1) * LETTER + 8 + bar + room + _GAP


def draw_counted(
    lines: list[str],
    counts: Mapping[int, Count],
    width: float,
    bar: float,
    room: float,
    tag: str = "",
    focus: int | None = None,
) -> Drawing:
    """Draw lines of code with their counts.

    Args:
        lines: Of the whole text; empty where nobody has it.
        counts: For a line's number what stands behind it, the heaviest first.
        width: Room in pixels.
        bar: Length of the longest bar.
        room: For the words behind bars, from `room_for`.
        tag: Before the names of the parts that a script may change: `TAGrow7`,
            `TAGbar7` and `TAGnum7` for line 7, and `TAGfocus`.
        focus: The number of a line with a ring around; None for none.
    """
    shown, left_out = lines_to_draw(lines, list(counts))
    boxes = boxes_of(lines, counts, width)
    texts = texts_of(lines, shown)
    comment = comment_of(texts)
    bars = width - room - bar - _GAP
    most = max(int((bars - _LEFT - 8) / LETTER), 8)
    view, ring, y = Drawing(width), Drawing(width), 14.0
    previous = shown[0] - 1 if shown else 0
    for at, text in zip(shown, texts, strict=True):
        y = boxes[at][1] + 15
        if at > previous + 1 and lines:
            view.text(20, y - STEP, "…", SIZE, fill="var(--faint)", mono=True)
        previous = at
        count = counts.get(at)
        ground = count.ground if count else "none"
        view.rect(*boxes[at], fill=ground, data_at=f"{tag}row{at}")
        view.text(28, y, at, SIZE, fill="var(--faint)", anchor="end", mono=True)
        draw_text(view, _LEFT, y, text, most, comment)
        if count:
            _draw_count(view, bars, y, count, bar, f"{tag}{{}}{at}")
        if at == focus:
            ring.rect(*boxes[at], rx=4, fill="none", stroke="var(--ink)",
                      stroke_width=2.2, data_at=f"{tag}focus")  # fmt: skip
        y += STEP
    view.put(ring, 0, 0)  # above the grounds of its neighbours
    if left_out:
        more = f"… and {left_out} more line{'s' * (left_out != 1)}"
        view.text(_LEFT, y, more, 11.5, fill="var(--mut)")
        y += STEP
    view.height = y
    return view


def percent(share: float) -> str:
    """A share as sentences say it: "all", "94 %", "less than 1 %".

    Example:
        >>> [percent(share) for share in (1.0, 0.999, 0.94, 0.001, 0.0)]
        ['all', '99 %', '94 %', 'less than 1 %', 'none']
    """
    if share in (0.0, 1.0):
        return "all" if share else "none"
    whole = min(round(100 * share), 99)
    return f"{whole} %" if whole else "less than 1 %"


def counts_of(
    data: CountedLines, metric: Metric, most: float | None = None
) -> dict[int, Count]:
    """What stands behind each line, the lines in order of their weight.

    Args:
        data: The launch.
        metric: What is shown.
        most: The value of the longest bar; None: the largest of these lines, of threads
            an instruction 32.
    """
    values = {line: data.value(metric, line) for line in data.lines}
    if most is None:
        most = LANES if metric.name == "lanes" else max(values.values(), default=0)
    worst = worst_line(data, metric)
    counts = {}
    for line in data.ranked:
        value = values[line]
        words = metric.words(value) if value else ""
        if value and metric.below is None:
            words += f" · {percent(data.share(metric, value)).replace('all', '100 %')}"
        counts[line] = Count(words, value / most if most else 0.0, line == worst)
    return counts


def offer_metrics(player: Player, offered: Sequence[Metric]) -> None:
    """Let the reader choose the number behind each line."""
    player.axis("metric", [each.name for each in offered])
    labels = [(each.name, each.noun[:1].upper() + each.noun[1:]) for each in offered]
    player.choice("metric", "Number behind each line", labels)
    count = len(offered)
    player.key("c", "metric", to=[(at + 1) % count for at in range(count)])

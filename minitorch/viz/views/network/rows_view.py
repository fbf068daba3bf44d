"""The table of the network view: a row for each launch, or for each module.

Each row is a part of its own, which narrow pages break between its columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...figure.figure import WIDTH
from ...figure.moving import Moving
from ...figure.player import Player
from ...scene.drawing import Drawing, number, shortened, width_of
from ...scene.marks import EMPTY
from ...scene.phrases import counted
from .groups import Group
from .nets import Kernel, Net
from .words import amount, duration, extent, layer_words, span

HIGH = 46.0
HEAD = 36.0
_LEFT = (14.0, 200.0, 330.0, 598.0, 770.0, 948.0)
_BREAKS = _LEFT[1:]
_MACS, _BYTES = 150.0, 156.0  # pixels of all launches together
_LEAST = 3.0  # pixels: a shorter bar gives way to its number
_ACROSS, _PITCH = 41, 6.0


@dataclass(frozen=True)
class _Sums:
    """What a row shows: of one launch, or of several."""

    kernels: Sequence[Kernel]

    def of(self, what: Callable[[Kernel], float]) -> float:
        return sum(what(each) for each in self.kernels)

    @property
    def useful(self) -> int:
        return int(self.of(lambda each: each.useful))

    @property
    def executed(self) -> int:
        """Of kernels whose formula has multiply-adds."""
        return int(self.of(lambda each: each.executed if each.useful else 0))

    @property
    def other(self) -> int:
        """Of other kernels: those that a compiler makes of exp, for example."""
        return int(self.of(lambda each: 0 if each.useful else each.executed))

    @property
    def touched(self) -> int:
        return int(self.of(lambda each: each.touched))

    @property
    def asked(self) -> int:
        return int(self.of(lambda each: each.asked))

    @property
    def seconds(self) -> float:
        return self.of(lambda each: each.seconds)

    @property
    def blocks(self) -> int:
        return int(self.of(lambda each: each.blocks))

    @property
    def sms(self) -> int:
        return max(each.sms for each in self.kernels)


def span_bar(
    view: Drawing, x: float, y: float, high: float, unit: float, ends: tuple[int, int]
) -> None:
    """One mark with two ends: dark as far as the lower, pale as far as the upper."""
    low, up = (max(each * unit, 1.5) for each in ends)
    view.rect(x, y, up, high, rx=1.5, fill="var(--d16)", stroke="var(--d45)",
              stroke_width=0.6)  # fmt: skip
    view.rect(x, y, low, high, rx=1.5, fill="var(--mut)")
    for end in {low, up}:
        view.rect(x + end - 1.5, y - 3, 1.5, high + 6, fill="var(--ink)")


def _squares(first: int, last: int) -> str:
    return "".join(
        f"M{at % _ACROSS * _PITCH:g} {at // _ACROSS * 12}h5v10h-5z"
        for at in range(first, last)
    )


def _two(view: Drawing, at: int, words: str, below: str, bold: bool = False) -> None:
    view.text(_LEFT[at], 19, words, 12.5, bold=bold)
    view.text(_LEFT[at], 35, below, 11, fill="var(--mut)")


def _draw_sms(view: Drawing, sums: _Sums, net: Net) -> None:
    cells, sms = Drawing(), net.card.sms
    rows = -(-sms // _ACROSS)
    if rows > 2:
        words = f"{min(sums.sms, sms)} of {sms} SMs"
        view.rect(_LEFT[2], 11, 5.0 * _ACROSS, 12, rx=2, fill="var(--off)",
                  stroke="var(--line)")  # fmt: skip
        wide = max(5.0 * _ACROSS * sums.sms / sms, 1.5)
        view.rect(_LEFT[2], 11, wide, 12, rx=2, fill="var(--mut)")
        view.text(_LEFT[2], 36, words, 11, fill="var(--mut)")
        return
    if sums.sms < sms:
        cells.path(_squares(sums.sms, sms), fill="var(--off)", stroke="var(--line)",
                   stroke_width=0.6)  # fmt: skip
    cells.path(_squares(0, min(sums.sms, sms)), fill="var(--mut)")
    view.put(cells, _LEFT[2], 11)


def _draw_macs(view: Drawing, sums: _Sums, unit: float, bold: bool) -> None:
    x = _LEFT[3]
    if not sums.executed and sums.other:
        view.text(x, 19, amount(sums.other), 12, bold=bold)
        view.text(x, 35, "in no product's formula", 11, fill="var(--mut)")
        return
    if not sums.executed:
        only = sums.kernels[0]
        below = ""
        if len(sums.kernels) == 1 and only.writers:
            every = number(only.blocks * only.threads)
            below = f"{number(only.writers)} of {every} threads work"
        view.text(x, 19, "none", 12, fill="var(--mut)")
        view.text(x, 35, below, 11, fill="var(--mut)")
        return
    words = f"{amount(sums.useful)} of {amount(sums.executed)}"
    if sums.useful == sums.executed:
        words = f"{amount(sums.useful)}, all useful"
    elif amount(sums.useful) == amount(sums.executed):
        words = f"{amount(sums.useful)}, nearly all useful"
    if sums.executed * unit < _LEAST:
        view.text(x, 19, words, 11.5, bold=bold)
        return
    view.rect(x, 8, sums.executed * unit, 12, rx=2, fill=EMPTY, stroke="var(--line)")
    if sums.useful:
        wide = max(sums.useful * unit, 1.5)
        view.rect(x, 8, wide, 12, rx=1, fill="var(--ink)")
    view.text(x, 36, words, 11.5, bold=bold)


def _draw_bytes(view: Drawing, sums: _Sums, unit: float, bold: bool) -> None:
    words, x = span(sums.touched, sums.asked), _LEFT[4]
    if sums.asked * unit < _LEAST:
        view.text(x, 19, words, 11.5, bold=bold)
        return
    span_bar(view, x, 9, 10, unit, (sums.touched, sums.asked))
    view.text(x, 36, words, 11.5, bold=bold)


def _bound(kernel: Kernel) -> str:
    if kernel.measured is not None:
        return f"measured: {duration(kernel.measured)}"
    if kernel.bound == "compute":
        return f"arithmetic, {counted(kernel.sms, 'SM')}"
    if kernel.bound == "issue":
        return f"instructions, {counted(kernel.sms, 'SM')}"
    return "for its bytes" if kernel.bound == "memory" else ""


def _draw_name(view: Drawing, group: Group, own: Sequence[Kernel]) -> None:
    x, room = _LEFT[0], 26
    if group.count == 1:
        view.text(x, 19, group.first + 1, 12, mono=True, fill="var(--mut)")
        name, below = group.name, layer_words(own[0])
        view.text(x + 22, 19, shortened(name, 20), 12.5, mono=True)
        while width_of(shortened(below, room), 11) > 160 and room > 8:
            room -= 1
        view.text(x + 22, 35, shortened(below, room), 11, fill="var(--mut)")
        return
    view.text(x, 19, shortened(group.name, 22), 12.5, bold=True)
    kind = f"{group.kind} · " if group.kind else ""
    below = shortened(f"{kind}{counted(group.count, 'kernel')}", 29)
    view.text(x, 35, below, 11, fill="var(--mut)")


def _threads(own: Sequence[Kernel]) -> str:
    if len(own) == 1:
        return f"{extent(own[0].block)} threads"
    shapes = {each.threads for each in own}
    if len(shapes) == 1:
        return f"× {number(shapes.pop())} threads"
    return f"× {number(min(shapes))} … {number(max(shapes))} threads"


def _blocks(own: Sequence[Kernel]) -> str:
    words = counted(sum(each.blocks for each in own), "block")
    if len(own) == 1 and own[0].grid[1:] != (1, 1):
        shape = f"{words} ({extent(own[0].grid)})"
        return shape if width_of(shape, 12.5) < 126 else words
    return words


def _draw_row(net: Net, own: Sequence[Kernel], units: tuple[float, float], bold: bool
              ) -> Drawing:  # fmt: skip
    """All columns but the first."""
    view, sums = Drawing(WIDTH, HIGH), _Sums(own)
    _two(view, 1, _blocks(own), _threads(own), bold)
    _draw_sms(view, sums, net)
    _draw_macs(view, sums, units[0], bold)
    _draw_bytes(view, sums, units[1], bold)
    below = _bound(own[0]) if len(own) == 1 else "sum"
    _two(view, 5, f"≥ {duration(sums.seconds)}", below, bold)
    return view


def _draw_head(net: Net) -> Drawing:
    view = Drawing(WIDTH, HEAD)
    titles = (
        ("Layer and kernel", ""),
        ("Grid", "blocks · threads"),
        (f"Blocks on the {net.card.sms} SMs", "dark: gets a block · pale: idle"),
        ("Multiply-adds", "useful of executed"),
        ("Bytes from memory", "touched … asked"),
        ("Takes at least", "a bound, not a time"),
    )
    for x, (title, below) in zip(_LEFT, titles, strict=True):
        view.text(x, 12, title, 12.5, bold=True)
        view.text(x, 27, below, 11, fill="var(--mut)")
    return view


def _draw_all(net: Net, units: tuple[float, float]) -> Drawing:
    view = _draw_row(net, net.kernels, units, bold=True)
    words = "one after the other" if len(net.kernels) > 1 else ""
    count = len(net.kernels)
    view.text(_LEFT[0], 19, f"All {count} kernels" if count > 1 else "In all", 12.5,
              bold=True)  # fmt: skip
    view.text(_LEFT[0], 35, words, 11, fill="var(--mut)")
    view.rect(0, HIGH - 1.4, WIDTH, 1.4, fill="var(--ink)")
    return view


def _units(net: Net) -> tuple[float, float]:
    """Pixels of a multiply-add and of a byte: one scale for all rows."""
    sums = _Sums(net.kernels)
    return _MACS / max(sums.executed, 1), _BYTES / max(sums.asked, 1)


def draw_rows(body: Drawing, moving: Moving, net: Net, groups: list[Group]) -> float:
    """Draw the table; the row in focus follows the axis "group".

    Args:
        body: Where, from its top.
        moving: Gets what changes.
        net: From `net_of`.
        groups: From `groups_of`.

    Returns:
        The height.
    """
    units = _units(net)
    body.put_part(_draw_head(net), 0, 0, breaks=_BREAKS)
    body.put_part(_draw_all(net, units), 0, HEAD, breaks=_BREAKS)
    y = HEAD + HIGH + 4
    for at, group in enumerate(groups):
        own, view = net.kernels[group.first : group.last + 1], Drawing(WIDTH, HIGH)
        shown = ["visible" if at == each else "hidden" for each in range(len(groups))]
        wide = {"x": 0, "y": 0, "height": HIGH - 1, "cursor": "pointer"}
        view.rect(0, 0, WIDTH, HIGH - 1, fill="var(--bg)", data_at=f"row{at}")
        moving.element(view, "rect", f"on{at}", ["group"], {"visibility": shown},
                       width=WIDTH, fill="var(--panel)", **wide)  # fmt: skip
        moving.element(view, "rect", f"mark{at}", ["group"], {"visibility": shown},
                       width=3.5, fill="var(--ink)", **wide)  # fmt: skip
        _draw_name(view, group, own)
        view.put(_draw_row(net, own, units, bold=False), 0, 0)
        view.rect(0, HIGH - 1, WIDTH, 1, fill="var(--line)")
        body.put_part(view, 0, y, breaks=_BREAKS)
        y += HIGH
    return y


def follow_rows(player: Player, groups: list[Group]) -> None:
    """A press on a row leads to its first launch."""
    for at, group in enumerate(groups):
        box = [[(0, 0, WIDTH, HIGH)]]
        player.areas(f"row{at}", "kernel", [], box, [group.first], pressed=True)

"""The launches of one folded row, as chips in lines."""

from __future__ import annotations

from ...figure.figure import WIDTH
from ...figure.moving import Moving
from ...figure.player import Player
from ...scene.drawing import Drawing, shortened
from .groups import Group
from .nets import Net

_HIGH, _STEP, _TOP = 24.0, 30.0, 24.0
_COLUMNS = 6
_WIDE = WIDTH / _COLUMNS
_CHIP = _WIDE - 8
_MOST_LETTERS = 20


def _is_folded(net: Net, groups: list[Group]) -> bool:
    return len(groups) < len(net.kernels)


def _places(group: Group) -> list[tuple[float, float]]:
    """Left and top of each chip of a row."""
    return [
        (at % _COLUMNS * _WIDE, _TOP + at // _COLUMNS * _STEP)
        for at in range(group.count)
    ]


def _draw_group(net: Net, group: Group) -> Drawing:
    view = Drawing()
    if group.count == 1:
        return view
    kind = f" ({group.kind})" if group.kind else ""
    view.runs(0, 12, 12.5, (f"Kernels of {group.name}{kind}", "bold"),
              ("  in the order of their launches", "mut"))  # fmt: skip
    for at, (x, y) in enumerate(_places(group), group.first):
        view.rect(x, y, _CHIP, _HIGH, rx=5, fill="var(--panel)", stroke="var(--line)")
        name = shortened(net.kernels[at].name, _MOST_LETTERS)
        view.runs(x + 8, y + 16, 11, (f"{at + 1} ", "mut"), (name, ""), mono=True)
    return view


def draw_chips(
    body: Drawing, moving: Moving, net: Net, groups: list[Group], y: float
) -> float:
    """Draw the launches of the row in focus, where rows fold several.

    Returns:
        The height; 0 where no row does.
    """
    if not _is_folded(net, groups):
        return 0.0
    places = {each.first: _places(each) for each in groups}
    bottom = max(top for own in places.values() for _, top in own) + _HIGH
    view = Drawing(WIDTH, bottom + 12)
    drawn = [_draw_group(net, each) for each in groups]
    moving.put(view, "chips", 0, 0, ["group"], drawn)
    of = [
        (group, at - group.first)
        for group in groups
        for at in range(group.first, group.last + 1)
    ]
    boxes = [places[group.first][at] for group, at in of]
    shown = ["visible" if group.count > 1 else "hidden" for group, _ in of]
    moving.ring(
        view, "chip", ["kernel"],
        {"x": [x for x, _ in boxes], "y": [top for _, top in boxes],
         "visibility": shown},
        width=_CHIP, height=_HIGH, rx=6,
    )  # fmt: skip
    body.put_part(view, 0, y, breaks=[_WIDE * at for at in range(1, _COLUMNS)])
    return view.height


def follow_chips(player: Player, net: Net, groups: list[Group]) -> None:
    """A press on a chip leads to its launch."""
    if not _is_folded(net, groups):
        return
    nowhere = (0.0, 0.0, 0.0, 0.0)
    for at, group in enumerate(groups):
        if group.count == 1:
            continue
        own = [(x, y, _CHIP, _HIGH) for x, y in _places(group)]
        boxes = [own if at == each else [nowhere] * len(own)
                 for each in range(len(groups))]  # fmt: skip
        rows = list(range(group.first, group.last + 1))
        player.areas("chips", "kernel", ["group"], boxes, rows, pressed=True)

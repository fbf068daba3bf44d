"""The thread that sums, and who brought the numbers that it multiplies.

Colour says which warp.
"""

from __future__ import annotations

from typing import Any

from ...figure.moving import Moving
from ...scene.drawing import Drawing, number
from ...scene.formulas import Formula, chosen, largest, same, text
from ...scene.marks import VALUE_OUT
from ...scene.palette import HUES, strong, tint
from ...scene.phrases import counted
from .chains import LANES, Chain, Part
from .columns import (
    BOTH,
    HAS,
    PRODUCT,
    across_of,
    of_product,
    own,
    thread_name,
)
from .words import sectors_of

WIDE, HIGH = 250.0, 270.0
_TOP, _ROOM = 44.0, 204.0
_CELLS = 26.0  # left of the first cell: room for the names of warps


def _pitch(part: Part) -> float:
    across = across_of(part)
    rows = -(-part.threads // across)
    return round(min(13.0, (WIDE - _CELLS - 4) / across, _ROOM / rows), 1)


def place_columns(chain: Chain) -> dict[str, Any]:
    """Room of a thread in each part's block."""
    pitches = [_pitch(part) for part in chain.parts]
    return {"cell": pitches, "cellSide": [round(each - 1.4, 1) for each in pitches]}


def _corner(thread: Formula) -> tuple[Formula, Formula]:
    cell, across = own("cell"), own("across")
    return thread % across * cell + _CELLS, thread // across * cell + _TOP


def _draw_block(part: Part) -> Drawing:
    """All threads of a block in the pale hue of their warp."""
    view, across, pitch = Drawing(), across_of(part), _pitch(part)
    side, rows = pitch - 1.4, LANES // across_of(part)
    paths = [""] * HUES
    for thread in range(part.threads):
        x, y = _CELLS + thread % across * pitch, _TOP + thread // across * pitch
        shape = f"M{x:.1f} {y:.1f}h{side:.1f}v{side:.1f}h-{side:.1f}z"
        paths[thread // LANES % HUES] += shape
    for hue, path in enumerate(paths):
        if path:
            view.path(path, fill=tint(hue))
    warps = -(-part.threads // LANES)
    high = rows * pitch
    for warp in range(warps) if high >= 9 else [part.warp]:
        y = _TOP + (warp + 0.5) * high + 3
        view.text(_CELLS - 5, y, f"w{warp}", 10, anchor="end", mono=True,
                  bold=warp == part.warp,
                  fill="var(--ink)" if warp == part.warp else strong(warp))  # fmt: skip
    return view


def _ring_of(view: Drawing, moving: Moving, tag: str, thread: Formula) -> None:
    """A dashed outline: this thread loaded a factor, and its letter."""
    x, y = _corner(thread)
    shown = chosen(HAS, chosen(thread < 0, "hidden", "visible"), "hidden")
    side = own("cellSide")
    moving.element(
        view, "rect", f"{tag}-by", BOTH,
        {"x": x, "y": y, "width": side, "height": side, "visibility": shown},
        rx=2, fill="var(--bg)", stroke="var(--ink)", stroke_width=1.3,
        stroke_dasharray="2.6 1.8",
    )  # fmt: skip
    place = {name: moving.also(f"{tag}-letter", name, BOTH, value) for name, value in
             (("x", x + side / 2), ("y", y + side / 2 + 3.5))}  # fmt: skip
    moving.text(view, f"{tag}-letter", place["x"], place["y"], BOTH,
                chosen(own("cell") < 10, "", chosen(same(shown, "visible"), tag, "")),
                10, anchor="middle", mono=True)  # fmt: skip


def _arrow(moving: Moving, view: Drawing, tag: str, thread: Formula) -> None:
    """From who loaded a factor to who multiplies it, where they are two."""
    cell, across, half = own("cell"), own("across"), own("cellSide") / 2
    left, top = _corner(own("own"))
    over = own("own") % across - thread % across
    down = own("own") // across - thread // across
    far = largest(over, Formula(0) - over, down, Formula(0) - down)
    end = cell * 0.6 / largest(far, 1)  # at the edges of both cells
    x, y, start = left + half, top + half, cell - end
    path = text(
        "M", x - over * start, " ", y - down * start,
        "L", x - over * end, " ", y - down * end,
    )  # fmt: skip
    alone = chosen(thread < 0, "", chosen(far < 2, "", path))
    moving.element(
        view, "path", f"{tag}-arrow", BOTH, {"d": chosen(HAS, alone, "")},
        fill="none", stroke="var(--ink)", stroke_width=1.4, marker_end=VALUE_OUT,
    )  # fmt: skip


def _loader(name: str) -> Formula:
    return chosen(HAS, of_product(f"{name}Loader"), -1)


def draw_threads(moving: Moving, chain: Chain) -> Drawing:
    """The block: the thread that sums, and those that loaded its factors."""
    view = Drawing(WIDE, HIGH)
    titles = [f"Threads of block {part.block_name}" for part in chain.parts]
    moving.text(view, "block-name", 0, 12, ["part"], titles, 13, bold=True)
    below = [f"of {part.name}, on SM {part.sm} · colour: warp" for part in chain.parts]
    moving.text(view, "block-how", 0, 28, ["part"], below, 11, fill="var(--mut)")
    drawn = [_draw_block(part) for part in chain.parts]
    moving.put(view, "threads", 0, 0, ["part"], drawn)
    x, y = _corner(own("own"))
    side = own("cellSide")
    box = {"x": x, "y": y, "width": side, "height": side}
    hue = [strong(part.warp) for part in chain.parts]
    moving.element(view, "rect", "thread-own", ["part"], {**box, "fill": hue}, rx=2)
    for tag in "ab":
        _arrow(moving, view, tag, _loader(tag))
        _ring_of(view, moving, tag, _loader(tag))
    around = {"x": x - 1.5, "y": y - 1.5, "width": side + 3, "height": side + 3}
    moving.ring(view, "thread", ["part"], around, stroke_width=2)
    return view


def _facts(name: str) -> list[tuple[Formula, str]]:
    """What a factor is, who loaded it, and how it came to the thread."""
    loader, value = _loader(name), of_product(f"{name}Values")
    known = text(of_product(f"{name}Names"), " = ", value)
    plain = chosen(same(of_product("padded"), 1), text(value, ", padding"),
                   text(value, ", computed before"))  # fmt: skip
    named = chosen(same(of_product(f"{name}Names"), ""), plain, known)
    by = text("loaded by thread ", thread_name(loader))
    lane = text("lane ", loader % LANES, " of warp ", loader // LANES, ", line ",
                of_product(f"{name}Line"))  # fmt: skip
    itself = same(loader, own("own"))
    way = chosen(itself, "by itself, into a register", "it came through shared memory")
    nobody = chosen(loader < 0, "", way)
    return [
        (chosen(HAS, named, ""), "name"),
        (chosen(loader < 0, chosen(HAS, "nobody loaded it", ""), by), "mut"),
        (chosen(loader < 0, "", lane), "mut"),
        (nobody, "mut"),
    ]


def draw_factor(moving: Moving, chain: Chain, name: str, title: str) -> Drawing:
    """One factor of the product in focus, and what memory gave for all of them."""
    view = Drawing(WIDE, HIGH)
    view.text(0, 12, title, 13, bold=True)
    words = text("of product ", PRODUCT + 1)
    moving.text(view, f"{name}-which", 0, 28, BOTH, chosen(HAS, words, ""), 11,
                fill="var(--mut)")  # fmt: skip
    for at, (fact, look) in enumerate(_facts(name)):
        y = _TOP + 14 + 20 * at
        size, ink = (12.5, "ink") if look == "name" else (12, "mut")
        moving.text(view, f"{name}-fact{at}", 0, y, BOTH, fact, size,
                    mono=look == "name", bold=look == "name",
                    fill=f"var(--{ink})")  # fmt: skip
    view.text(0, 152, "In memory", 12.5, bold=True)
    moving.text(view, f"{name}-sectors-words", 0, 172, ["part"],
                [_in_memory(part, name) for part in chain.parts], 12,
                fill="var(--mut)")  # fmt: skip
    return view


def _in_memory(part: Part, name: str) -> str:
    numbers, sectors = sectors_of(part, name)
    if not numbers:
        return "nothing is read for it"
    words = counted(numbers, "number").replace("numbers", "numbers")
    return f"{words} in {counted(sectors, 'sector')}: {number(32 * sectors)} bytes"


def draw_sum(moving: Moving, chain: Chain) -> Drawing:
    """The multiply-add itself: the sum before and after it, and who keeps it."""
    view = Drawing(WIDE, HIGH)
    view.text(0, 12, "One multiply-add", 13, bold=True)
    view.text(0, 28, "one instruction, one rounding", 11, fill="var(--mut)")
    before = chosen(PRODUCT < 1, "0", of_product("partials", PRODUCT - 1))
    lines = [
        (text("  ", before), "the sum before"),
        (
            text("+ ", of_product("aValues"), " × ", of_product("bValues")),
            "the product",
        ),
        (text("= ", of_product("partials")), "the sum after it"),
    ]
    for at, (words, below) in enumerate(lines):
        y = _TOP + 14 + 38 * at
        moving.text(view, f"sum{at}", 0, y, BOTH, chosen(HAS, words, "–"), 14,
                    mono=True, bold=at == 2)  # fmt: skip
        view.text(0, y + 16, below, 11, fill="var(--mut)")
    own_words = [
        f"kept by thread {part.thread_name(part.number)}: lane {part.lane}, warp "
        f"{part.warp}"
        for part in chain.parts
    ]
    moving.text(view, "keeper", 0, 182, ["part"], own_words, 12, bold=True)
    lines_ = [f"stored by line {part.line} of {part.name}.cu" if part.line else ""
              for part in chain.parts]  # fmt: skip
    moving.text(view, "store", 0, 200, ["part"], lines_, 11, fill="var(--mut)")
    return view

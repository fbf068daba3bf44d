"""The panels of one launch: multiprocessors, a block, a warp, a thread.

Colour says which block.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...figure.moving import Moving
from ...figure.player import Player
from ...scene.drawing import Drawing, number
from ...scene.formulas import (
    POINTER_X,
    POINTER_Y,
    Formula,
    chosen,
    cut,
    in_words,
    path_of,
    same,
    text,
)
from ...scene.marks import EMPTY
from ...scene.palette import HUES, strong, tint
from ...scene.phrases import counted
from .columns import (
    AXES,
    BLOCK,
    BLOCK_NAME,
    CELL,
    COUNT,
    KIND,
    KINDS,
    LANE,
    NONE,
    OWNS,
    THREAD,
    THREAD_NAME,
    UNKNOWN,
    WARP,
    across_of,
    named,
    own,
    sm_of,
)
from .nets import LANES, Card, Kernel, Net
from .reads import BY_PRODUCTS, BY_WINDOWS, PRODUCT, factors, reading, weight

TOP = 42.0
SMS_WIDE, BLOCK_WIDE, WARP_WIDE, THREAD_WIDE = 252.0, 232.0, 216.0, 280.0
_BLOCK_ROOM = 200.0
_LANE, _LANES_ACROSS = 26.0, 8
_STRIP = 118.0  # top of the products
HIGH = 262.0

WITH_BLOCK = ["kernel", "block"]
WITH_WARP = ["kernel", "block", "warp"]
WITH_PRODUCT = [*AXES, "product"]
HUE = text("var(--c", BLOCK % HUES, ")")
TINT = text("var(--c", BLOCK % HUES, "t)")


def _sheet(card: Card) -> tuple[int, float]:
    """Multiprocessors in a row, and the room of each."""
    across = 14 if card.sms <= 84 else 18
    return across, SMS_WIDE / across


def _counts(kernel: Kernel, card: Card) -> list[int]:
    """Blocks of each multiprocessor."""
    if kernel.places is None:
        whole, more = divmod(kernel.blocks, card.sms)
        return [whole + (at < more) for at in range(card.sms)]
    found = [0] * card.sms
    for place in kernel.places:
        found[place % card.sms] += 1
    return found


def _cells(card: Card, chosen_: Sequence[int]) -> str:
    across, pitch = _sheet(card)
    side = pitch - 2.4
    return "".join(
        f"M{at % across * pitch + 1.2:.1f} {at // across * pitch + 1.2:.1f}"
        f"h{side:.1f}v{side:.1f}h-{side:.1f}z"
        for at in chosen_
    )


def _draw_card(kernel: Kernel, card: Card) -> Drawing:
    """All multiprocessors: idle, with a block each in its hue, or with many in grey."""
    view, counts = Drawing(), _counts(kernel, card)
    idle = [at for at, count in enumerate(counts) if not count]
    if idle:
        look = {"fill": "var(--off)", "stroke": "var(--line)", "stroke_width": 0.7}
        view.path(_cells(card, idle), **look)
    if max(counts) == 1 and kernel.places is None:
        for hue in range(min(HUES, kernel.blocks)):
            own_ = range(hue, kernel.blocks, HUES)
            view.path(_cells(card, own_), fill=tint(hue), stroke=strong(hue),
                      stroke_width=0.8)  # fmt: skip
        return view
    most = max(counts)
    for level, name in ((most, "d45"), (0, "d16")):
        found = [at for at, count in enumerate(counts)
                 if count and (count == most) == (level == most)]  # fmt: skip
        if found:
            view.path(_cells(card, found), fill=f"var(--{name})")
    return view


def _loads(kernel: Kernel, card: Card) -> str:
    """How blocks spread."""
    counts = _counts(kernel, card)
    most, least, sms = max(counts), min(counts), card.sms
    busy = sum(each > 0 for each in counts)
    if most == 1:
        idle = f", {sms - busy} of {sms} SMs stay idle" if busy < sms else ""
        return f"{counted(busy, 'block')}, one an SM{idle}"
    if least == most:
        return f"{number(most)} blocks on each SM"
    many = counts.count(most)
    return f"{number(most)} blocks on {many} SMs, at most {number(most - 1)} on others"


def _limit(kernel: Kernel) -> str:
    return f"limit: {kernel.occupancy[3]}" if kernel.occupancy[3] else ""


def _room(kernel: Kernel) -> str:
    fit, warps, most, _ = kernel.occupancy
    if not fit:
        return ""
    waves = f" · {counted(kernel.waves, 'wave')}" if kernel.waves > 1 else ""
    return f"an SM holds {fit} at once: {warps} of {most} warps{waves}"


def _standing(kernel: Kernel, card: Card) -> str:
    """How it is known on which multiprocessor a block runs."""
    if kernel.places is None:
        return f"block mod {card.sms}, modelled"
    return "measured" if kernel.measured is not None else "the emulator's place"


def draw_sms(moving: Moving, net: Net) -> Drawing:
    """The card, and where the block in focus runs."""
    view, card = Drawing(SMS_WIDE, HIGH), net.card
    across, pitch = _sheet(card)
    titles = [f"{counted(each.blocks, 'block')} on {card.sms} SMs"
              for each in net.kernels]  # fmt: skip
    moving.text(view, "sms-name", 0, 12, ["kernel"], titles, 13, bold=True)
    view.text(0, 28, f"one cell: one SM of the {card.name}", 11, fill="var(--mut)")
    drawn = [_draw_card(each, card) for each in net.kernels]
    moving.put(view, "sms", 0, TOP, ["kernel"], drawn)
    place = sm_of(net)
    moving.element(
        view, "rect", "sm-own", WITH_BLOCK,
        {"x": place % across * pitch + 1.2, "y": place // across * pitch + (TOP + 1.2),
         "fill": HUE},
        width=pitch - 2.4, height=pitch - 2.4,
    )  # fmt: skip
    moving.ring(
        view, "sm", WITH_BLOCK,
        {"x": place % across * pitch, "y": place // across * pitch + TOP},
        width=pitch, height=pitch,
    )  # fmt: skip
    y = TOP + -(-card.sms // across) * pitch + 20
    words = text("block ", BLOCK_NAME, " runs on SM ", place)
    moving.text(view, "sm-words", 0, y, WITH_BLOCK, words, 12.5, bold=True)
    how = [_standing(each, card) for each in net.kernels]
    moving.text(view, "sm-how", 0, y + 17, ["kernel"], how, 11, fill="var(--mut)")
    loads = [_loads(each, card) for each in net.kernels]
    moving.text(view, "sm-loads", 0, y + 38, ["kernel"], loads, 11, fill="var(--mut)")
    rooms = [_room(each) for each in net.kernels]
    moving.text(view, "sm-room", 0, y + 54, ["kernel"], rooms, 11, fill="var(--mut)")
    limits = [_limit(each) for each in net.kernels]
    moving.text(view, "sm-limit", 0, y + 70, ["kernel"], limits, 11, fill="var(--mut)")
    return view


def pitch_of(kernel: Kernel) -> float:
    """Room of a thread in the picture of its block."""
    across = across_of(kernel)
    rows = -(-kernel.threads // across)
    wide = BLOCK_WIDE - 26
    return round(min(12.4, wide / across, _BLOCK_ROOM / rows), 1)


def block_columns(net: Net) -> dict[str, Any]:
    """The lists that place threads in their block."""
    pitches = [pitch_of(each) for each in net.kernels]
    return {
        "pitch": pitches,
        "side": [round(each - (1.6 if each > 7 else 1.0), 1) for each in pitches],
        "warpRows": [LANES // across_of(each) for each in net.kernels],
    }


def _threads_of(kinds: Any, letter: str, top: Formula | float) -> Formula:
    return path_of("tiles", kinds, letter, own("across"), 0.8, top, own("pitch"),
                   own("side"))  # fmt: skip


def draw_block(moving: Moving, net: Net) -> Drawing:
    """All threads of the block in focus, its warp marked."""
    view = Drawing(BLOCK_WIDE, HIGH)
    words = text("Block ", BLOCK_NAME, ": ", in_words(own("threads")), " threads")
    moving.text(view, "block-name", 0, 12, WITH_BLOCK, words, 13, bold=True)
    owned = text("one cell: one thread", chosen(own("known"), ", filled: writes", ""))
    moving.text(view, "block-how", 0, 28, ["kernel"], owned, 11, fill="var(--mut)")
    sheet, warp = Drawing(), WARP * own("warpRows") * own("pitch")
    for letter in (OWNS, NONE, UNKNOWN):
        look: dict[str, Any] = {"stroke_width": 0.7}
        changes: dict[str, Any] = {"d": _threads_of(KINDS, letter, 0.8)}
        if letter == NONE:
            look |= {"fill": EMPTY, "stroke": "var(--line)"}
        else:
            changes |= {"fill": TINT, "stroke": HUE}
        moving.element(sheet, "path", f"threads-{letter}", WITH_BLOCK, changes, **look)
    mine = cut(KINDS, WARP * LANES, LANES)
    for letter in (OWNS, UNKNOWN):
        changes = {"d": _threads_of(mine, letter, warp + 0.8), "fill": HUE}
        moving.element(sheet, "path", f"warp-{letter}", WITH_WARP, changes)
    wide = own("across") * own("pitch")
    box = {"x": -1, "y": warp - 1, "width": wide + 2,
           "height": own("warpRows") * own("pitch") + 2}  # fmt: skip
    changes = {name: value for name, value in box.items() if name != "x"}
    moving.ring(sheet, "warp", WITH_WARP, changes, x=-1, rx=3, stroke_width=2)
    view.put(sheet, 1, TOP)
    moving.text(view, "warp-tag", 0, 0, WITH_WARP, text("w", WARP), 11, bold=True,
                **_moved_text(moving, wide, warp))  # fmt: skip
    return view


def _moved_text(moving: Moving, wide: Formula, warp: Formula) -> dict[str, Any]:
    """Where the words beside the warp stand: they move by their transform."""
    place = text("translate(", wide + 7, " ", warp + (TOP + 10), ")")
    return {"transform": moving.also("warp-tag", "transform", WITH_WARP, place)}


def _lanes(letter: str, inset: float) -> Formula:
    mine = cut(KINDS, WARP * LANES, LANES)
    return path_of("tiles", mine, letter, _LANES_ACROSS, inset, TOP + inset, _LANE,
                   _LANE - 2 * inset)  # fmt: skip


def _draw_lanes(view: Drawing, moving: Moving) -> None:
    look = {"fill": EMPTY, "stroke": "var(--line)"}
    moving.element(
        view, "path", "lanes-none", WITH_WARP, {"d": _lanes(NONE, 1)}, **look
    )
    moving.element(view, "path", "lanes-clear", WITH_WARP, {"d": _lanes(NONE, 6)},
                   fill="var(--bg)")  # fmt: skip
    for letter in (OWNS, UNKNOWN):
        changes = {"d": _lanes(letter, 1), "fill": HUE}
        moving.element(view, "path", f"lanes-{letter}", WITH_WARP, changes)
    for lane in range(LANES):
        kind = cut(KINDS, WARP * LANES + lane, 1)
        filled = chosen(same(kind, OWNS), True, same(kind, UNKNOWN))
        ink = chosen(filled, "var(--bg)", "var(--mut)")
        fill = moving.also(f"lane{lane}", "fill", WITH_WARP, ink)
        x, y = lane % _LANES_ACROSS + 0.5, lane // _LANES_ACROSS + 0.5
        view.text(x * _LANE, TOP + y * _LANE + 4, lane, 10.5, fill=fill,
                  anchor="middle", mono=True, data_at=f"lane{lane}")  # fmt: skip
    moving.ring(
        view, "lane", ["lane"],
        {"x": LANE % _LANES_ACROSS * _LANE + 1,
         "y": LANE // _LANES_ACROSS * _LANE + (TOP + 1)},
        width=_LANE - 2, height=_LANE - 2,
    )  # fmt: skip


def _warp_words() -> Formula:
    """How many of a warp's threads have something to write."""
    some = text(COUNT, " of its 32 threads write a cell")
    told = chosen(same(COUNT, LANES), "each of its 32 threads writes a cell", some)
    told = chosen(same(COUNT, 0), "none of its threads writes a cell", told)
    return chosen(own("known"), told, "32 threads run together")


def _thread_words() -> list[Formula]:
    """What the thread in focus writes, where that lies, and what it reads for it."""
    nothing = chosen(same(KIND, NONE), "it writes no cell: it is past the end", "")
    nothing = chosen(same(KIND, " "), text("it does not exist: a block has ",
                     in_words(own("threads")), " threads"), nothing)  # fmt: skip
    byte = text("it writes byte ", in_words(CELL * own("outItem")), " of ",
                own("outName"))  # fmt: skip
    unknown = chosen(own("known"), "", own("readWords"))
    return [
        chosen(CELL < 0, nothing, byte),
        chosen(CELL < 0, "", text("writes ", named("out", CELL))),
        chosen(CELL < 0, unknown, reading()),
    ]


def _product_words() -> list[Formula]:
    """The one multiply-add in focus, and its two factors."""
    one, other = factors()
    products = same(own("rule"), BY_PRODUCTS)
    windows = same(own("rule"), BY_WINDOWS)
    idle = text("multiply-add ", PRODUCT + 1, ": padding, no sum is kept")
    which = text("multiply-add ", PRODUCT + 1, " of ", own("products"))
    padded = text(which, ": 0 × 0, padding")
    useful = own("inner") > PRODUCT
    first = chosen(CELL < 0, idle, chosen(useful, which, padded))
    of_window = chosen(CELL < 0, "", chosen(own("products"), which, ""))

    def both(product: Formula, window: Formula) -> Formula:
        shown = chosen(CELL < 0, "", chosen(useful, product, ""))
        tap = chosen(CELL < 0, "", chosen(own("products"), window, ""))
        told = chosen(products, shown, chosen(windows, tap, ""))
        return chosen(own("known"), told, "")

    cell = text("  a cell of ", own("aName"), ", or a 0 beside it")
    ruled = chosen(products, first, chosen(windows, of_window, ""))
    return [
        chosen(own("known"), ruled, ""),
        both(text("  ", one), cell),
        both(text("× ", other), text("× ", weight())),
    ]


def useful_of(kernel: Kernel) -> int:
    """Useful multiply-adds of a thread that writes a cell; 0 where they differ."""
    writers = kernel.writers
    return kernel.useful // writers if writers and kernel.useful % writers == 0 else 0


def _strip(kernel: Kernel, writes: bool, most: int) -> Drawing:
    """The products of one thread: useful ones filled."""
    view, count = Drawing(), kernel.products
    past_the_end = kernel.along and not writes and useful_of(kernel) == count
    if not count or past_the_end:
        return view
    useful = useful_of(kernel) if writes else 0
    if count > most:
        view.rect(0, 0, THREAD_WIDE, 17, rx=2, fill=EMPTY, stroke="var(--line)")
        if useful:
            view.rect(0, 0, THREAD_WIDE * min(useful / count, 1), 17, rx=2,
                      fill="var(--mut)")  # fmt: skip
        return view
    pitch = product_pitch(kernel)

    def marks(first: int, last: int) -> str:
        side = pitch - 1.6
        return "".join(f"M{at * pitch:.1f} 0h{side:.1f}v17h-{side:.1f}z"
                       for at in range(first, last))  # fmt: skip

    useful = min(useful, count)
    if useful < count:
        view.path(marks(useful, count), fill=EMPTY, stroke="var(--line)")
    if useful:
        view.path(marks(0, useful), fill="var(--mut)")
    return view


def product_pitch(kernel: Kernel) -> float:
    """Room of a product."""
    return round(min(13.6, THREAD_WIDE / max(kernel.products, 1)), 2)


def _strip_words(kernel: Kernel) -> str:
    if not kernel.executed:
        return "no multiply-add: it reads, computes, writes"
    if not kernel.products:
        return "its threads do not all multiply as often"
    words = counted(kernel.products, "multiply-add")
    useful = useful_of(kernel)
    if not useful:
        return f"each thread executes {words}"
    if useful == kernel.products and kernel.along:
        return f"{words} for a cell, each useful"
    return f"{words} a thread; with a cell, {number(useful)} useful"


def draw_warp(moving: Moving) -> Drawing:
    """The warp in focus, and its lane."""
    view = Drawing(WARP_WIDE, HIGH)
    words = text("Warp ", WARP, " of block ", BLOCK_NAME)
    moving.text(view, "warp-name", 0, 12, WITH_WARP, words, 13, bold=True)
    moving.text(view, "warp-count", 0, 28, WITH_WARP, _warp_words(), 11,
                fill="var(--mut)")  # fmt: skip
    _draw_lanes(view, moving)
    y = TOP + LANES // _LANES_ACROSS * _LANE + 20
    words = text("lane ", LANE, " is thread ", THREAD_NAME)
    moving.text(view, "lane-name", 0, y, AXES, words, 12.5, bold=True)
    words = text("number ", WARP, " × 32 + ", LANE, " = ", THREAD)
    moving.text(view, "lane-how", 0, y + 17, AXES, words, 11, fill="var(--mut)")
    return view


def _draw_strips(view: Drawing, moving: Moving, net: Net, most: int) -> None:
    """The products of a thread that writes a cell, or of one that writes none."""
    for tag, writes in (("strip-own", True), ("strip-none", False)):
        group = Drawing()
        drawn = [_strip(each, writes, most) for each in net.kernels]
        moving.put(group, tag, 0, 0, ["kernel"], drawn)
        with_cell = chosen(CELL < 0, chosen(own("known"), False, True), True)
        ends = ("visible", "hidden") if writes else ("hidden", "visible")
        shown = moving.also(f"{tag}-shown", "visibility", AXES,
                            chosen(with_cell, *ends))  # fmt: skip
        view.put(group, 0, _STRIP, data_at=f"{tag}-shown", visibility=shown)
    pitch = own("productPitch")
    moving.ring(
        view, "product", WITH_PRODUCT,
        {"x": PRODUCT * pitch - 0.8, "width": pitch,
         "visibility": chosen(own("marked"), "visible", "hidden")},
        y=_STRIP - 1, height=19, rx=3,
    )  # fmt: skip


def draw_thread(moving: Moving, net: Net, most: int) -> Drawing:
    """The thread in focus: what it writes, and its multiply-adds."""
    view = Drawing(THREAD_WIDE, HIGH)
    words = text("Thread ", THREAD_NAME, " of block ", BLOCK_NAME)
    moving.text(view, "thread-name", 0, 12, AXES, words, 13, bold=True)
    lines = [*_thread_words(), *_product_words()]
    places = [(28, 11), (TOP + 14, 12), (TOP + 32, 12), (_STRIP + 42, 12.5),
              (_STRIP + 62, 12), (_STRIP + 82, 12)]  # fmt: skip
    for at, (words, (y, letters)) in enumerate(zip(lines, places, strict=True)):
        look: dict[str, Any] = {"mono": letters == 12, "bold": letters == 12.5}
        look |= {"fill": "var(--mut)"} if letters == 11 else {}
        moving.text(view, f"thread{at}", 0, y, WITH_PRODUCT, words, letters, **look)
    strips = [_strip_words(each) for each in net.kernels]
    moving.text(view, "strip-words", 0, _STRIP - 9, ["kernel"], strips, 11,
                fill="var(--mut)")  # fmt: skip
    _draw_strips(view, moving, net, most)
    return view


def follow_panels(player: Player, net: Net) -> None:
    """The pointer finds a multiprocessor's first block, a thread, a lane, a product."""
    across, pitch = _sheet(net.card)
    sm = (POINTER_Y // pitch) * across + POINTER_X // pitch
    inside = chosen(POINTER_X < 0, -1, chosen(POINTER_X < SMS_WIDE, sm, -1))
    inside = chosen(POINTER_Y < 0, -1, inside)
    player.areas("sms", "block", [], chosen(inside < own("blocks"), inside, -1))
    down = POINTER_Y // own("pitch")
    over = POINTER_X // own("pitch")
    thread = down * own("across") + over
    beside = chosen(over < own("across"), thread < own("threads"), False)
    beside = chosen(over < 0, False, chosen(POINTER_Y < 0, False, beside))
    lane = {"lane": thread % LANES}
    player.areas(
        "threads-o", "warp", [], chosen(beside, thread // LANES, -1), also=lane
    )
    places = [divmod(at, _LANES_ACROSS) for at in range(LANES)]
    boxes = [(x * _LANE, TOP + y * _LANE, _LANE, _LANE) for y, x in places]
    player.areas("lane", "lane", [], [boxes])
    found = chosen(POINTER_X < 0, -1, POINTER_X // own("productPitch"))
    found = chosen(found < own("marked"), found, -1)
    high = chosen(POINTER_Y < _STRIP, -1, chosen(POINTER_Y < _STRIP + 18, found, -1))
    player.areas("product", "product", [], high)

"""The products of a neuron: all as a running sum, some with their numbers."""

from __future__ import annotations

from typing import Any

from ...figure.figure import WIDTH
from ...figure.moving import Moving
from ...figure.player import Player
from ...scene.drawing import Drawing, number
from ...scene.formulas import (
    POINTER_X,
    POINTER_Y,
    Formula,
    chosen,
    column,
    item,
    same,
    text,
)
from ...scene.marks import EMPTY
from ...scene.palette import HUES
from .chains import SECTOR, Chain, Part, value_words
from .columns import BOTH, HAS, PART, PRODUCT, WINDOW, of_product, own

_LEFT = 124.0
_ROOM = WIDTH - _LEFT
SUM_HIGH, STRIP_HIGH = 96.0, 166.0
_TOP, _TALL = 14.0, 66.0
_CELL = _ROOM / WINDOW
_INSET = 2.0
_ROWS = {"a": 30.0, "b": 66.0, "products": 104.0, "partials": 138.0}
_TALLEST = 24.0
_MOST_BARS = 240


def _scale(part: Part) -> tuple[float, float]:
    """The smallest and the largest sum; zero is among them."""
    sums = [each.partial for each in part.products if abs(each.partial) < 1e300]
    return min(0.0, *sums, 0.0), max(0.0, *sums, 0.0)


def _height(part: Part, value: float) -> float:
    low, high = _scale(part)
    if not abs(value) < 1e300:  # an infinity or NaN has no place
        value = 0.0
    return round(_TOP + _TALL * (high - value) / ((high - low) or 1.0), 1)


def sum_columns(chain: Chain) -> dict[str, Any]:
    """Where each sum stands, and how wide a product is."""
    return {
        "sumY": [[_height(part, each.partial) for each in part.products]
                 for part in chain.parts],
        "pitch": [round(_ROOM / max(len(part.products), 1), 3) for part in chain.parts],
        "warpHue": [part.warp % HUES for part in chain.parts],
    }  # fmt: skip


def _draw_sums(part: Part) -> Drawing:
    """All sums of a part: bars from zero, or a line where they are many."""
    view, count = Drawing(), len(part.products)
    if not count:
        view.text(_LEFT, 40, "no multiply-add in this launch", 12, fill="var(--mut)")
        return view
    pitch, zero = _ROOM / count, _height(part, 0.0)
    bars, line = "", ""
    for at, each in enumerate(part.products):
        x, y = _LEFT + at * pitch, _height(part, each.partial)
        wide = pitch - min(1.6, pitch / 4)
        if count <= _MOST_BARS:
            bars += f"M{x:.1f} {zero:g}h{wide:.1f}V{y:g}h-{wide:.1f}z"
        line += f"M{x:.1f} {y:g}h{wide:.1f}" if count <= _MOST_BARS else (
            f"{'L' if at else 'M'}{x:.1f} {y:g}")  # fmt: skip
    if bars:
        view.path(bars, fill="var(--d16)")
    view.path(f"M{_LEFT} {zero:g}H{WIDTH}", stroke="var(--line)")
    view.path(line, stroke="var(--ink)", stroke_width=1.6)
    view.text(_LEFT - 6, zero + 3.5, 0, 10, anchor="end", mono=True, fill="var(--mut)")
    return view


def draw_sums(moving: Moving, chain: Chain) -> Drawing:
    """The running sum over all products, with the one in focus."""
    view = Drawing(WIDTH, SUM_HIGH)
    view.text(0, 26, "running sum", 12.5, bold=True)
    words = [f"all {number(len(part.products))} products"
             + (f" of {number(part.count)}" if part.more else "") if part.products
             else "" for part in chain.parts]  # fmt: skip
    moving.text(view, "sum-how", 0, 41, ["part"], words, 10.5, fill="var(--mut)")
    moving.put(view, "sums", 0, 0, ["part"], [_draw_sums(part) for part in chain.parts])
    pitch = own("pitch")
    shown = chosen(HAS, "visible", "hidden")
    after = (PRODUCT + 1) * pitch + _LEFT
    moving.element(
        view, "rect", "later", BOTH,
        {"x": after, "width": chosen(HAS, Formula(WIDTH + 0.0) - after, 0)},
        y=_TOP - 4, height=_TALL + 8, fill="var(--bg)", fill_opacity=0.72,
    )  # fmt: skip
    first = PRODUCT // WINDOW * WINDOW
    moving.element(
        view, "rect", "window", BOTH,
        {"x": first * pitch + (_LEFT - 2),
         "width": _minimum(own("count") - first) * pitch + 2, "visibility": shown},
        y=_TOP - 8, height=_TALL + 16, rx=4, fill="none", stroke="var(--mut)",
        stroke_dasharray="3 3",
    )  # fmt: skip
    y = chosen(HAS, of_product("sumY"), 0)
    x = PRODUCT * pitch + pitch / 2 + (_LEFT - 0.5)
    moving.element(view, "circle", "sum", BOTH, {"cx": x, "cy": y, "visibility": shown},
                   r=4.5, fill="var(--bg)", stroke="var(--ink)",
                   stroke_width=2.4)  # fmt: skip
    return view


def _minimum(left: Formula) -> Formula:
    """Products in the window: all of it, or what is left."""
    return chosen(left < WINDOW, left, WINDOW)


def _brackets(part: Part, name: str, first: int, up: bool) -> str:
    """Brackets around neighbours in memory that share a sector."""
    factors = [getattr(each, name) for each in part.products[first : first + WINDOW]]
    path, start, tip = "", 0, 4 if up else -4
    y = _ROWS[name] - 8 if up else _ROWS[name] + _TALLEST + 8
    for at in range(1, len(factors) + 1):
        one = factors[start]
        same_ = at < len(factors) and factors[at].name and (
            factors[at].address // SECTOR == one.address // SECTOR)  # fmt: skip
        if same_ and one.name:
            continue
        if one.name:
            x, end = _LEFT + start * _CELL + 2, _LEFT + at * _CELL - 4
            path += f"M{x:.1f} {y + tip:g}v{-tip}H{end:.1f}v{tip}"
        start = at
    return path


def bracket_columns(chain: Chain) -> dict[str, Any]:
    """The brackets of each window of each part."""
    return {
        f"{name}Brackets": [
            [_brackets(part, name, at, name == "a")
             for at in range(0, len(part.products), WINDOW)]
            for part in chain.parts
        ]
        for name in "ab"
    }  # fmt: skip


def _slot(at: int) -> tuple[Formula, Formula]:
    """The product of a slot, and whether there is one."""
    product = PRODUCT // WINDOW * WINDOW + at
    return product, product < own("count")


def _draw_slot(view: Drawing, moving: Moving, at: int) -> None:
    product, there = _slot(at)
    now = PRODUCT % WINDOW
    padded = chosen(there, of_product("padded", product), 0)
    x, wide = _LEFT + at * _CELL, _CELL - 2 * _INSET
    for name, y in _ROWS.items():
        values = {"a": "aValues", "b": "bValues"}.get(name, name)
        words = chosen(there, of_product(values, product), "")
        ink: Any = "var(--ink)"
        if name == "partials":
            ink = chosen(same(now, at), "var(--ink)", "var(--mut)")
        else:
            fill, stroke = _look(name, at, now, padded)
            moving.element(
                view, "rect", f"{name}{at}-cell", BOTH,
                {"fill": fill, "stroke": stroke,
                 "visibility": chosen(there, "visible", "hidden")},
                x=x, y=y, width=wide, height=_TALLEST, rx=3,
            )  # fmt: skip
        if name == "products":
            later = chosen(now < at, "var(--mut)", "var(--ink)")
            ink = chosen(same(now, at), "var(--bg)", later)
        tag = f"{name}{at}"
        if isinstance(ink, Formula):
            ink = moving.also(tag, "fill", BOTH, ink)
        moving.text(view, tag, x + wide / 2, y + 16, BOTH, words, 11, fill=ink,
                    anchor="middle", mono=True)  # fmt: skip


def _look(name: str, at: int, now: Formula, padded: Formula) -> tuple[Formula, Formula]:
    """Fill and edge of a cell: a factor, or a product that is done, now, or later."""
    if name != "products":
        return chosen(padded, EMPTY, "var(--bg)"), chosen(padded, "var(--line)", _HUE)
    later = chosen(now < at, "var(--off)", _TINT)
    fill = chosen(same(now, at), _HUE, chosen(padded, EMPTY, later))
    return fill, chosen(padded, "var(--line)", "none")


_HUE = text("var(--c", item(column("warpHue"), PART), ")")
_TINT = text("var(--c", item(column("warpHue"), PART), "t)")


def draw_strip(moving: Moving, chain: Chain) -> Drawing:
    """The products around the one in focus, with their numbers and their sectors."""
    view = Drawing(WIDTH, STRIP_HIGH)
    titles = (("a", "first factor", "bracket: one sector"),
              ("b", "second factor", "of 32 bytes in memory"),
              ("products", "product", "hatched: padding"),
              ("partials", "sum so far", "in one register"))  # fmt: skip
    for name, title, below in titles:
        view.text(0, _ROWS[name] + 11, title, 12.5, bold=True)
        view.text(0, _ROWS[name] + 25, below, 10.5, fill="var(--mut)")
    for at in range(WINDOW):
        _draw_slot(view, moving, at)
    shown = chosen(HAS, "visible", "hidden")
    for name in "ab":
        path = chosen(HAS, item(own(f"{name}Brackets"), PRODUCT // WINDOW), "")
        moving.element(view, "path", f"{name}-sectors", BOTH, {"d": path}, fill="none",
                       stroke="var(--mut)")  # fmt: skip
    x = PRODUCT % WINDOW * _CELL + _LEFT
    for name in ("a", "b", "products"):
        moving.ring(view, f"{name}-ring", BOTH, {"x": x - 1, "visibility": shown},
                    y=_ROWS[name] - 1, width=_CELL - 2 * _INSET + 2,
                    height=_TALLEST + 2)  # fmt: skip
    for sign, y in (("×", 63.5), ("=", 101.0)):
        at = moving.also(f"sign{y:g}", "x", BOTH, x + (_CELL / 2 - _INSET))
        view.text(at, y, sign, 12, anchor="middle", bold=True, data_at=f"sign{y:g}")
    return view


def follow_strips(player: Player) -> None:
    """The pointer finds a product among all, and among those with numbers."""
    over = (POINTER_X - _LEFT) // own("pitch")
    high = chosen(POINTER_Y < 0, -1, chosen(POINTER_Y < SUM_HIGH, over, -1))
    inside = chosen(over < 0, -1, chosen(over < own("count"), high, -1))
    player.areas("later", "product", [], inside)
    slot = (POINTER_X - _LEFT) // _CELL
    product = PRODUCT // WINDOW * WINDOW + slot
    there = chosen(product < own("count"), product, -1)
    there = chosen(slot < 0, -1, chosen(slot < WINDOW, there, -1))
    high = chosen(POINTER_Y < 0, -1, chosen(POINTER_Y < STRIP_HIGH, there, -1))
    player.areas("a-ring", "product", [], high)


def breaks_of_sums() -> list[float]:
    """Where narrow pages go on in a new line."""
    return [_LEFT + _CELL * at for at in range(2, WINDOW, 2)]


def sums_in_words(part: Part, at: int) -> str:
    """What the slider says of a product."""
    each = part.products[at]
    sum_ = value_words(each.partial)
    return f"product {at + 1} of {len(part.products)}: sum {sum_}"

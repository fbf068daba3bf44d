"""SVG as it is put together: elements, escaping, the width of words."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

UI = "Inter,'Segoe UI',Roboto,'Helvetica Neue',Arial,'DejaVu Sans',sans-serif"
MONO = "Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"

# Stands for the picture's own prefix, so that ids of two pictures on a page differ.
PREFIX = "@id-"

# Hundredths of the font size, from space to tilde, of DejaVu Sans: the widest of the
# faces above, so that what fits by these numbers fits.
_WIDTHS = (
    "32 40 46 84 64 95 78 27 39 39 50 84 32 36 32 34 64 64 64 64 64 64 64 64 64 64 34 "
    "34 84 84 84 53 100 68 69 70 77 63 58 77 75 29 29 66 56 86 75 79 60 79 69 63 61 73 "
    "68 99 69 61 69 39 34 39 84 50 50 61 63 55 63 62 35 63 63 28 28 58 28 97 63 61 63 "
    "63 41 52 39 63 59 82 59 59 52 64 34 64 84"
)
LETTER_WIDTHS = [int(each) / 100 for each in _WIDTHS.split()]
_WIDER = 1.12

# What XML 1.0 has no place for, and what would be taken for a part of the picture.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]"
)
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "@": "&#64;",
            "\n": " "}  # fmt: skip


def escaped(words: str) -> str:
    """Any text as the content or an attribute's value of an XML element.

    Example:
        >>> escaped("scale<float> & co")
        'scale&lt;float&gt; &amp; co'
    """
    clean = _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", words)
    clean = "".join(_ESCAPES.get(letter, letter) for letter in clean)
    return clean.replace("--", "-&#45;")


@lru_cache(maxsize=1 << 14)
def width_of(
    words: str, size: float, *, bold: bool = False, mono: bool = False
) -> float:
    """Room that words take at most, in pixels."""
    if mono:
        return 0.602 * size * len(words)
    total = sum(
        LETTER_WIDTHS[ord(each) - 32] if 32 <= ord(each) < 127 else 0.9
        for each in words
    )
    return total * size * (_WIDER if bold else 1)


def shortened(words: str, most: int = 40) -> str:
    """A long name with its middle left out.

    Example:
        >>> shortened("a_kernel_with_a_long_name", 13)
        'a_kern…g_name'
    """
    if len(words) <= most:
        return words
    head = most // 2
    return f"{words[:head]}…{words[len(words) - (most - 1 - head) :]}"


def wrapped(words: str, size: float, room: float, *, bold: bool = False) -> list[str]:
    """Lines of words that fit into a width; a word that is too long is cut."""
    lines: list[str] = []
    used = 0.0
    for word in words.split():
        while width_of(word, size, bold=bold) > room:
            word = shortened(word, max(len(word) * 3 // 4, 2))
        used += width_of(f" {word}", size, bold=bold)
        if lines and used <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
            used = width_of(word, size, bold=bold)
    return lines or [""]


def number(value: Any) -> str:
    """A number as views write it: 1,024; 12.5; NaN and ∞ as such.

    Example:
        >>> [number(each) for each in (1024, 12.50, 0.1 + 0.2, float("-inf"))]
        ['1,024', '12.5', '0.3', '-∞']
    """
    if isinstance(value, float) or not hasattr(value, "__index__"):
        value = float(value)
        if value != value:
            return "NaN"
        if value in (float("inf"), float("-inf")):
            return "∞" if value > 0 else "-∞"
        return f"{value:,.4g}" if abs(value) < 1e6 else f"{value:.3g}"
    return f"{int(value):,}"


def _spelled(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return str(value)


def _attributes(values: dict[str, Any]) -> str:
    return "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_spelled(value)}"'
        for name, value in values.items()
        if value is not None
    )


def tenth(value: float) -> float:
    """Return a length in tenths of pixels, as the script rounds."""
    return math.floor(value * 10 + 0.5) / 10


def box(x: float, y: float, w: float, h: float, r: float = 0) -> str:
    """Return a rectangle as a part of a path, with round corners."""
    return f"M{tenth(tenth(x) + r):g} {tenth(y):g}{outline(w, h, r)}"


def outline(w: float, h: float, r: float = 0) -> str:
    """Return a rectangle's path behind its first point."""
    w, h = tenth(w), tenth(h)
    if not r:
        return f"h{w:g}v{h:g}h{-w:g}z"
    across, down = f"{tenth(w - 2 * r):g}", f"{tenth(h - 2 * r):g}"
    turn = f"a{r:g} {r:g} 0 0 1 "
    return (
        f"h{across}{turn}{r:g} {r:g}v{down}{turn}{-r:g} {r:g}"
        f"h-{across}{turn}{-r:g} {-r:g}v-{down}{turn}{r:g} {-r:g}z"
    )


def fitted(words: str, most: int) -> str:
    """Return a value in so many letters: with fewer decimals, else cut off.

    Example:
        >>> [fitted(each, 5) for each in ("0.04762", "1.235e+05", "1,234.5", "0.00012")]
        ['0.047', '1e+05', '1,234', '≈0']
    """
    if len(words) <= most:
        return words
    whole, point, rest = words.partition(".")
    digits, sign, power = rest.partition("e")
    if point and all(each in "-,0123456789" for each in whole + digits):
        room = max(most - len(whole + sign + power) - 1, 0)
        decimals = f".{digits[:room]}" if room else ""
        short = whole + decimals + sign + power
        if len(short) <= most:
            return short if any(each in "123456789" for each in short) else "≈0"
    return f"{words[: most - 1]}…"


def kept(_mark: Any, _key: str, make: Callable[[], Any]) -> Any:
    """Return what is the same for a mark in all states; pages keep it."""
    return make()


class Drawing:
    """Elements of a picture in the order they are drawn."""

    def __init__(self, width: float = 0, height: float = 0) -> None:
        self.width, self.height = width, height
        self.parts: list[str] = []

    def element(self, tag: str, content: str = "", /, **attributes: Any) -> None:
        """Add an element; `stroke_width=2` is stroke-width="2", None is left out."""
        end = f">{content}</{tag}>" if content else "/>"
        self.parts.append(f"<{tag}{_attributes(attributes)}{end}")

    def rect(self, x: float, y: float, w: float, h: float, **attributes: Any) -> None:
        """Add a rectangle."""
        self.element("rect", x=x, y=y, width=w, height=h, **attributes)

    def path(self, d: str, **attributes: Any) -> None:
        """Add a path, without fill unless one is given."""
        self.element("path", d=d, **{"fill": "none", **attributes})

    def text(
        self,
        x: float,
        y: float,
        words: Any,
        size: float = 12,
        *,
        fill: str = "var(--ink)",
        anchor: str | None = None,
        bold: bool = False,
        mono: bool = False,
        **attributes: Any,
    ) -> None:
        """Add words, escaped."""
        self.element(
            "text",
            escaped(str(words)),
            x=x,
            y=y,
            font_size=size,
            fill=fill,
            text_anchor=anchor,
            font_weight=600 if bold else None,
            font_family=MONO if mono else None,
            **attributes,
        )

    def runs(
        self,
        x: float,
        y: float,
        size: float,
        *runs: tuple[str, str],
        mono: bool = False,
        **attributes: Any,
    ) -> None:
        """Add one line of words in several styles: "", "bold", "mut" or "note"."""
        spans = ""
        for words, style in runs:
            weight = 600 if "bold" in style else 400
            ink = "mut" if style in ("mut", "note") else "ink"
            look = f'font-weight="{weight}" fill="var(--{ink})"'
            look += ' font-size="11.5"' if style == "note" else ""
            spans += f"<tspan {look}>{escaped(words)}</tspan>"
        face = MONO if mono else None
        self.element(
            "text", spans, x=x, y=y, font_size=size, font_family=face, **attributes
        )

    def put(self, other: Drawing, x: float, y: float, **attributes: Any) -> None:
        """Add another drawing at a place, as a group with these attributes."""
        place = f"translate({_spelled(x)} {_spelled(y)})"
        names = _attributes({"transform": place, **attributes})
        self.parts += [f"<g{names}>", *other.parts, "</g>"]

    def __str__(self) -> str:
        return "".join(self.parts)

"""The colours of every view, in light and dark.

Hue says who, ink says focus, grey says how much, red says wrong. Drawings name a colour
as `var(--c0)`; the sheet gives the names their values where the picture is shown.
"""

from __future__ import annotations

import re
from typing import Literal

Theme = Literal["auto", "light", "dark"]

_NAMES = "bg panel line ink mut faint off c0 c0t c1 c1t c2 c2t c3 c3t bad badt"
_LIGHT = (
    "#ffffff #f5f6f8 #d5dae1 #16191d #5b6470 #6c7683 #eef0f3 #1f4db8 #d0e0fc "
    "#a66700 #ffd69c #02837d #c6f7e8 #4a1466 #dcc6f0 #a8182b #fbdcda"
)
_DARK = (
    "#111417 #1a1e23 #323942 #eceff3 #a3adb9 #7b8693 #20252b #6fa8f0 #243b60 "
    "#f5b04e #60430c #62dcae #2c5850 #ecc2fb #381a54 #f0706c #521c22"
)
# Percentages of ink in the background, for what is shown by depth.
DEPTHS = (5, 16, 30, 45)


def _mixed(colors: dict[str, str]) -> dict[str, str]:
    """Add the depths: d16 is 16 % ink on the background, in sRGB."""
    ink, ground = (bytes.fromhex(colors[name][1:]) for name in ("ink", "bg"))
    for percent in DEPTHS:
        parts = [
            round((percent * above + (100 - percent) * below) / 100)
            for above, below in zip(ink, ground, strict=True)
        ]
        colors[f"d{percent}"] = "#" + bytes(parts).hex()
    return colors


PALETTES: dict[str, dict[str, str]] = {
    "light": _mixed(dict(zip(_NAMES.split(), _LIGHT.split(), strict=True))),
    "dark": _mixed(dict(zip(_NAMES.split(), _DARK.split(), strict=True))),
}

HUES = 4


def strong(who: int) -> str:
    """The colour of the warp, block or kernel with this number; grey below 0."""
    return f"var(--c{who % HUES})" if who >= 0 else "var(--mut)"


def tint(who: int) -> str:
    """The pale colour of a number: belongs to it."""
    return f"var(--c{who % HUES}t)"


def depth(percent: int) -> str:
    """A grey that says how much; one of `DEPTHS`."""
    assert percent in DEPTHS
    return f"var(--d{percent})"


_VARIABLE = re.compile(r"var\(--(\w+)\)")


def inlined(drawing: str, theme: str) -> str:
    """Replace the colours' names by their values, for programs that know no variables.

    Example:
        >>> inlined('<rect fill="var(--c0)"/>', "light")
        '<rect fill="#1f4db8"/>'
    """
    colors = PALETTES[theme]
    return _VARIABLE.sub(lambda found: colors[found[1]], drawing)


# How notebooks and pages say which theme they show; the last matching rule decides.
_SAYS_DARK = (
    '[data-theme="dark"]',
    'html[theme="dark"]',
    '[data-jp-theme-light="false"]',
    ".vscode-dark",
)
_SAYS_LIGHT = (
    '[data-theme="light"]',
    'html[theme="light"]',
    '[data-jp-theme-light="true"]',
    ".vscode-light",
)


def style_sheet(root: str) -> str:
    """Values of the colours for the element with the id `root` and what it holds.

    A page that says whether it is light or dark is followed; else the browser.
    """

    def values(theme: str) -> str:
        colors = PALETTES[theme]
        return "".join(f"--{name}:{value};" for name, value in colors.items())

    def under(places: tuple[str, ...]) -> str:
        return ",".join(f"{place} #{root}" for place in places)

    return (
        f"#{root}{{{values('light')}color-scheme:light dark}}"
        f"@media(prefers-color-scheme:dark){{#{root}{{{values('dark')}}}}}"
        f"{under(_SAYS_DARK)}{{{values('dark')}}}"
        f"{under(_SAYS_LIGHT)}{{{values('light')}}}"
    )

"""What makes a still picture live: its data, its scripts, the HTML of both."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from ..scene.drawing import escaped
from ..scene.palette import style_sheet
from ..scene.scene import Axis
from .javascript import Translation

_VIZ = __package__.rpartition(".")[0]
_FROM_RENDER = re.compile(r'^import \{ (.*) \} from "./render.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?:async )?(?:function|const|class) (\w+)", re.MULTILINE)
_MODULE_WORD = re.compile(r"^(?:import .*|export )", re.MULTILINE)

_KEYS = {
    "slider": (("← →", "{}"), ("Shift+← Shift+→", "previous, next mark"),
               ("Home End", "first, last"), ("Space", "play")),
    "": (("W A S D", "move the focus to another {}"),),
    "range": (),
    "choice": (("V", "next {}"),),  # the second has B, the third N
}  # fmt: skip


def keys_of(axes: tuple[Axis, ...]) -> tuple[tuple[str, str], ...]:
    """Return the keys of a scene and what they do, for the line below it."""
    free = iter("VBN")
    found = [
        (next(free) if keys == "V" else keys, does.format(axis.label.lower()))
        for axis in axes
        if axis.count > 1 and axis.label
        for keys, does in _KEYS[axis.control]
        if not (axis.control == "choice" and axis.moves)
        if axis.marks or "mark" not in does
    ]
    moves = (move for axis in axes if axis.count > 1 for move in axis.moves)
    return (*found, *((keys, does) for keys, does, _ in moves))


def _asset(name: str) -> str:
    place = resources.files(_VIZ).joinpath("assets", name)
    return place.read_text("utf-8")


def _render() -> str:
    """The script that draws: what `scene.js` asks of it, translated from Python."""
    folder = resources.files(_VIZ).joinpath("scene")
    parts = [part for part in folder.iterdir() if part.name.endswith(".py")]
    parts.sort(key=lambda part: part.name)
    code = Translation(part.read_text("utf-8") for part in parts)
    asked = ", ".join(_FROM_RENDER.findall(_asset("scene.js")))
    return code.script(asked.split(", "), _EXPORT.findall(_asset("drawing.js")))


@cache
def bundle(*names: str) -> str:
    """Scripts as one, in whose scope each finds what it imports from those before.

    Args:
        *names: Of them; none: all.
    """
    scripts = names or ("drawing", "render", "controls", "frame", "scene")
    texts = (
        _render() if script == "render" else _asset(f"{script}.js")
        for script in scripts
    )
    return _MODULE_WORD.sub("", "".join(texts))


def as_image(svg: str, alt: str) -> str:
    """A picture as an image, which pages that take SVG apart show as well.

    JupyterLab does so with outputs that it does not trust, and GitHub with all.
    """
    coded = base64.b64encode(svg.encode()).decode()
    source = f"data:image/svg+xml;base64,{coded}"
    return f'<img alt="{escaped(alt)}" style="max-width:100%" src="{source}">'


def live_markup(picture: str, name: str, data: Mapping[str, Any]) -> str:
    """The still picture with its data, as a part of a page; a script can open it.

    Args:
        picture: The SVG, or an image of it.
        name: Of the part; the same for the same picture.
        data: What `assets/frame.js` reads: the scene, its state, words and keys.
    """
    # "</script" and "<!--" would mean something to the page.
    payload = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return (
        f'<div class="mt-live" id="{name}-live" data-live="{name}" role="group" '
        f'aria-label="{escaped(data["question"])}">'
        f"<style>{style_sheet(f'{name}-live')}{_asset('frame.css')}</style>{picture}"
        f'<script type="application/json">{payload}</script></div>'
    )


def starter(name: str) -> str:
    """The script element that opens what `live_markup` gave."""
    code = f'{bundle()}start("{name}");'
    return f"<script>(() => {{\n{code}\n}})();</script>"


def page_of(content: str, title: str, theme: str = "auto") -> str:
    """Return a page of its own around a part of a page; it needs no network."""
    ground = "" if theme == "auto" else f' data-theme="{theme}"'
    return (
        f'<!doctype html><html lang="en"{ground}><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escaped(title)}</title><style>"
        f"{style_sheet('page')}body{{margin:0;background:var(--bg)}}"
        "svg{display:block;margin:0 auto}</style></head>"
        f'<body id="page" data-page><main>{content}</main></body></html>\n'
    )

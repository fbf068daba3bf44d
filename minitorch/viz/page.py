"""Owns the self-contained HTML page around views; must not know what they show."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from importlib import resources

_SHARED_SCRIPT = "draw.js"


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath("assets", name).read_text("utf-8")


def _as_json(data: object) -> str:
    # "</" would end the script element early.
    return json.dumps(data, separators=(",", ":")).replace("</", "<\\/")


class Page:
    """Collects views and plain sections and writes them as one HTML file.

    The file needs no network: style, scripts and data are inside it.

    Args:
        title: The page's title, plain text.

    Example:
        >>> page = Page("Two views")
        >>> page.add_html("<p>Hello</p>")
        >>> "<p>Hello</p>" in page.to_html()
        True
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self._scripts: list[str] = []
        self._body: list[str] = []

    def add_view(self, script: str, function: str, data: Mapping[str, object]) -> None:
        """Adds a view drawn by ``function(id, data)`` of the asset ``script``.

        Args:
            script: File name in ``minitorch/viz/assets``.
            function: Name of the drawing function in it.
            data: What the function draws; numbers, strings, lists, dicts.
        """
        identifier = f"view{len(self._body)}"
        if script not in self._scripts:
            self._scripts.append(script)
        self._body.append(
            f'<section class="view" id="{identifier}"></section>\n'
            f"<script>addEventListener('DOMContentLoaded', () => "
            f"{function}({json.dumps(identifier)}, {_as_json(data)}));</script>"
        )

    def add_html(self, fragment: str) -> None:
        """Adds a section of ready HTML; escape user text with ``html.escape``."""
        self._body.append(f'<section class="view">{fragment}</section>')

    def _repr_html_(self) -> str:
        # A frame keeps the page's style and scripts out of the notebook.
        return (
            f'<iframe srcdoc="{html.escape(self.to_html())}" width="100%" '
            'height="720" style="border:0"></iframe>'
        )

    def to_html(self) -> str:
        """The whole document as text."""
        scripts = "\n".join(
            f"<script>\n{_asset(name)}</script>"
            for name in [_SHARED_SCRIPT, *self._scripts]
        )
        return (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width,initial-scale=1">'
            f"<title>{html.escape(self._title)}</title>"
            f"<style>\n{_asset('theme.css')}</style>\n{scripts}</head><body>"
            '<button class="theme" onclick="flip()" title="light or dark">◐</button>'
            "<main>\n" + "\n".join(self._body) + "\n</main></body></html>\n"
        )

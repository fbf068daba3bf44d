"""A finished picture: its frame of words, its forms, its files."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..scene.drawing import PREFIX, UI, Drawing, escaped, shortened, width_of, wrapped
from ..scene.marks import definitions, swatch, triangle
from ..scene.palette import Theme, inlined, style_sheet
from .live import Live, as_image, live_markup, page_of, starter, still_markup
from .widget import are_wanted, make_widget

WIDTH = 1080
_MARGIN = 20
_HEAD_GAP = 12  # of the room between words and picture what a live figure does without
_ALT_LENGTH = 300
_THEMES = ("auto", "light", "dark")


@dataclass(frozen=True)
class KeyEntry:
    """One line of the key: a mark, what it means, and whose hue it has."""

    mark: str
    meaning: str
    who: int = 0


@dataclass(frozen=True)
class Figure:
    """A picture that answers one question; notebooks show it by themselves.

    Attributes:
        question: what it answers.
        answer: the answer in one sentence, computed; also its text form.
        detail: a line that adds to the answer.
        body: the picture below these words, `WIDTH` pixels wide.
        key: what its marks mean.
        findings: how many findings the picture is about.
        data: the numbers that were drawn.
        live: what lets the picture answer to pointer and keys, or None.
        alarm: what went wrong in the launch, as the headline above an answer that is
            about something else; "" where nothing did, or where the answer says it.
    """

    question: str
    answer: str
    detail: str
    body: Drawing
    key: tuple[KeyEntry, ...] = ()
    findings: int = 0
    data: Any = None
    live: Live | None = None
    alarm: str = ""

    @property
    def text(self) -> str:
        """The answer, after what went wrong."""
        return f"{self.alarm} {self.answer}".strip()

    @property
    def alt(self) -> str:
        """What a screen reader says: answer, detail, findings; at most 300 letters."""
        count = self.findings
        found = f" {count} finding{'s' * (count != 1)}." if count else ""
        words = f"{self.text} {self.detail}".strip()
        room = _ALT_LENGTH - len(found)
        return (words if len(words) <= room else f"{words[: room - 1]}…") + found

    @property
    def nodes(self) -> int:
        """How many elements the picture has."""
        return self._named[0].nodes

    def svg(self, theme: Theme = "auto") -> str:
        """The whole picture, words and key included, as SVG that needs nothing else.

        Args:
            theme: "light", "dark", or "auto": as the page or the browser says. With
                the first two the colours are plain values, which every program reads.

        Raises:
            ValueError: another theme.
        """
        if theme not in _THEMES:
            raise ValueError(
                f"[figure] got theme {theme!r}; need one of {', '.join(_THEMES)}."
            )
        page, content, root = self._named
        content = content.replace(PREFIX, f"{root}-")
        style = f"<style>{style_sheet(root)}</style>" if theme == "auto" else ""
        if theme != "auto":
            content = inlined(content, theme)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" id="{root}" role="img" '
            f'aria-label="{escaped(self.alt)}" width="{page.width:g}" '
            f'height="{page.height:g}" viewBox="0 0 {page.width:g} {page.height:g}" '
            f'font-family="{UI}" style="max-width:100%;height:auto">'
            f"<title>{escaped(self.question)}</title>{style}{content}</svg>"
        )

    def fragment(self) -> str:
        """The picture as a part of a page: live where a script may run, else still.

        It holds the still picture, its data and its script, and needs no network.
        """
        if self.live is None:
            return self.svg()
        name = self._named[2]
        return self._live_part(self.live, self.svg()) + starter(self.live, name)

    def _output(self) -> str:
        """The fragment as notebooks keep it: without a script, an image remains."""
        image, name = as_image(self.svg(), self.alt), self._named[2]
        if self.live is None:
            return still_markup(image, name)
        return self._live_part(self.live, image) + starter(self.live, name)

    def _live_part(self, live: Live, picture: str) -> str:
        words = {"question": self.question, "answer": self.answer}
        words["detail"] = self.detail
        if self.alarm:
            words["alarm"] = self.alarm
        head = self._head().height - _HEAD_GAP
        return live_markup(picture, live, self._named[2], head, words)

    def widget(self) -> Any:
        """The figure as a Jupyter widget, always the same one.

        Its `state` is what the picture shows, such as `{"block": 2, "thread": 19}`:
        read it to see what the reader chose, set it, or a part of it, to move the
        picture. It is `{}` before a front end shows the widget. Once it was asked for,
        notebooks show the figure as this widget; with `MINITORCH_WIDGETS=1`, always.

        Raises:
            ValueError: The figure is not live.
            ImportError: The package anywidget is missing.
        """
        return self._widget

    @cached_property
    def _widget(self) -> Any:
        if self.live is None:
            raise ValueError(
                f"[figure] got {shortened(self.answer)!r}, a still picture; need one "
                "that is live, such as viz.grid draws."
            )
        return make_widget(self.live.script, self._live_part(self.live, self.svg()))

    def html(self, theme: Theme = "auto") -> str:
        """A page that needs no network; without scripts it shows the still picture."""
        return page_of(self.fragment(), self.answer, theme)

    def png(self, theme: Theme = "light", zoom: int = 2) -> bytes:
        """The picture in pixels.

        Raises:
            ImportError: the package resvg-py is missing.
        """
        try:
            import resvg_py
        except ImportError as error:
            raise ImportError(
                "[figure] resvg-py is not installed; PNG needs it. Run: "
                "pip install resvg-py, or save as .svg or .html."
            ) from error
        shown: Theme = "light" if theme == "auto" else theme
        return bytes(resvg_py.svg_to_bytes(svg_string=self.svg(shown), zoom=zoom))

    def save(self, path: str | Path, theme: Theme | None = None) -> None:
        """Write the picture to a file.

        Args:
            path: ends in ".svg", ".html" or ".png".
            theme: "light", "dark" or "auto"; None: "auto", "light" for .png.

        Raises:
            ValueError: another ending or theme.
            ImportError: for .png, where the package resvg-py is missing.
        """
        target = Path(path)
        if target.suffix == ".png":
            target.write_bytes(self.png(theme or "light"))
        elif target.suffix in (".svg", ".html"):
            write = self.svg if target.suffix == ".svg" else self.html
            target.write_text(write(theme or "auto"), encoding="utf-8")
        else:
            raise ValueError(
                f"[figure] got {target.name!r}; need a name that ends in .svg, .html "
                "or .png."
            )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        bundle: dict[str, Any] = {
            "text/plain": self.text,
            "image/svg+xml": self.svg(),
            "text/html": f'<div style="max-width:1120px">{self._output()}</div>',
        }
        # Without a widget a figure is live too, and stays so in a saved notebook.
        asked = "_widget" in vars(self)
        if asked or (self.live is not None and are_wanted()):
            own, metadata = self.widget()._repr_mimebundle_()  # Colab needs both
            return own | bundle, metadata
        return bundle

    def __repr__(self) -> str:
        return f"Figure({self.text})"

    @cached_property
    def _named(self) -> tuple[Drawing, str, str]:
        """The page, its text, and a name for its ids: of one picture the same."""
        page = self._page()
        content = f"{definitions()}{page}"
        name = "mt" + hashlib.sha256(content.encode()).hexdigest()[:10]
        return page, content, name

    def _page(self) -> Drawing:
        """Question, answer, detail, picture and key, from top to bottom."""
        head, key = self._head(), self._key()
        below = head.height + self.body.height
        height = below + key.height + _MARGIN
        page = Drawing(WIDTH + 2 * _MARGIN, round(height))
        page.rect(0, 0, page.width, page.height, fill="var(--bg)")
        part = None if self.live is None else "head"
        page.put(head, _MARGIN, 0, data_part=part)
        page.put(self.body, _MARGIN, head.height)
        page.put(key, _MARGIN, below)
        return page

    def _head(self) -> Drawing:
        view = Drawing(WIDTH)
        view.text(0, 32, self.question, 13, fill="var(--mut)")
        left = 34 if self.findings else 0
        y = 43
        if self.findings:
            triangle(view, 12, y + 6, 11)
        said = [(self.alarm, 19, 25), (self.answer, 15, 22)]
        for words, size, high in said if self.alarm else [(self.answer, 19, 25)]:
            for line in wrapped(words, size, WIDTH - left, bold=True):
                y += high
                view.text(left, y, line, size, bold=True)
        for line in wrapped(self.detail, 14, WIDTH - left) if self.detail else ():
            y += 21
            view.text(left, y + 3, line, 14, fill="var(--mut)")
        view.height = y + 26
        return view

    def _key(self) -> Drawing:
        view = Drawing(WIDTH)
        if not self.key:
            return view
        view.path(f"M0 14H{WIDTH}", stroke="var(--line)")
        view.text(0, 38, "Key", 12, bold=True)
        x, y = 40.0, 38
        for entry in self.key:
            room = 22 + width_of(entry.meaning, 12)
            if x + room > WIDTH:
                x, y = 40.0, y + 23
            view.put(swatch(entry.mark, entry.who), x, y - 12)
            view.text(x + 22, y, entry.meaning, 12, fill="var(--mut)")
            x += room + 18
        view.height = y
        return view

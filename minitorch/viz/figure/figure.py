"""A finished picture: its frame of words, its forms, its files."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..scene.drawing import PREFIX, UI, Drawing, escaped, wrapped
from ..scene.marks import definitions, triangle
from ..scene.palette import Theme, inlined, style_sheet
from ..scene.render import draw
from ..scene.scene import Scene, State, sentences
from .live import as_image, keys_of, live_markup, page_of, starter

WIDTH = 1080
_MARGIN = 20
_HEAD_GAP = 12  # of the room between words and picture what a live figure does without
_ALT_LENGTH = 300
_THEMES = ("auto", "light", "dark")


@dataclass(frozen=True)
class Figure:
    """A picture that answers one question; notebooks show it by themselves.

    Attributes:
        question: what it answers.
        scene: the numbers of every state, and the marks that show them.
        state: the one that is drawn; pages show every other one as well.
        findings: how many findings the picture is about.
        data: the numbers that the scene was made from.
        alarm: what went wrong in the launch, as the headline above an answer that is
            about something else; "" where nothing did, or where the answer says it.
    """

    question: str
    scene: Scene
    state: State
    findings: int = 0
    data: Any = None
    alarm: str = ""

    @cached_property
    def _sentences(self) -> tuple[str, str]:
        return sentences(self.scene, self.state)

    @property
    def answer(self) -> str:
        """The answer in one sentence, computed; also its text form."""
        return self._sentences[0]

    @property
    def detail(self) -> str:
        """A line that adds to the answer."""
        return self._sentences[1]

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
        return self._live(self.svg())

    def _live(self, picture: str) -> str:
        data = {
            "packed": self.scene.packed(),
            "state": dict(self.state),
            "question": self.question,
            "alarm": self.alarm,
            "findings": self.findings,
            "keys": keys_of(self.scene.axes),
            "head": self._head().height - _HEAD_GAP,
        }
        return live_markup(picture, self._named[2], data) + starter(self._named[2])

    def html(self, theme: Theme = "auto") -> str:
        """A page that needs no network; without scripts it shows the still picture."""
        return page_of(self.fragment(), self.answer, theme)

    def save(self, path: str | Path, theme: Theme = "auto") -> None:
        """Write the picture to a file.

        Args:
            path: ends in ".svg" or ".html".
            theme: "light", "dark" or "auto": as the page or the browser says.

        Raises:
            ValueError: another ending or theme.
        """
        target = Path(path)
        forms = {".svg": self.svg, ".html": self.html}
        if target.suffix not in forms:
            raise ValueError(
                f"[figure] got {target.name!r}; the name must end in .svg or .html."
            )
        target.write_text(forms[target.suffix](theme), encoding="utf-8")

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        svg = self.svg()  # where no script may run, an image of it remains
        live = self._live(as_image(svg, self.alt))
        return {
            "text/plain": self.text,
            "image/svg+xml": svg,
            "text/html": f'<div style="max-width:1120px">{live}</div>',
        }

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
        """Question, answer, detail and picture, from top to bottom."""
        head, body = self._head(), draw(self.scene, self.state, WIDTH)
        height = head.height + body.height + _MARGIN
        page = Drawing(WIDTH + 2 * _MARGIN, round(height))
        page.rect(0, 0, page.width, page.height, fill="var(--bg)")
        page.put(head, _MARGIN, 0, data_part="head")
        page.put(body, _MARGIN, head.height)
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

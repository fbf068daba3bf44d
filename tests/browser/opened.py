"""A figure as a browser shows it: opened from disk, without network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from minitorch import viz


class Opened:
    """One live figure on a page of its own.

    Attributes:
        page: Playwright's.
        errors: What the page wrote to the console, and what it asked the network for.
    """

    def __init__(self, page: Any) -> None:
        self.page = page
        self.errors: list[str] = []
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("requestfailed", lambda each: self.errors.append(each.url))

    def _note(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def settle(self) -> None:
        """Wait until the browser has laid out and told all that it was given."""
        self.page.wait_for_function(
            "[...document.querySelectorAll('.mt-live')].every((each) => each.view)"
        )
        self.page.evaluate(
            "() => new Promise((done) =>"
            " requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def show(self, state: dict[str, Any]) -> None:
        """Move the picture as a program does."""
        self.page.evaluate(
            "(state) => document.querySelector('.mt-live').view.show(state)", state
        )

    @property
    def state(self) -> dict[str, Any]:
        """What is shown now."""
        return self.page.evaluate("document.querySelector('.mt-live').view.state()")

    @property
    def answer(self) -> str:
        """The sentence on top."""
        return self.page.inner_text(".mt-answer")

    @property
    def detail(self) -> str:
        """The line below it."""
        return self.page.inner_text(".mt-detail")

    def press(self, *keys: str) -> None:
        """Press keys while the view has the focus."""
        self.page.focus(".mt-live")
        for key in keys:
            self.page.keyboard.press(key)

    def agrees_with(self, still: viz.Figure) -> None:
        """Assert that the page says what Python does; `check_scene` has drawings."""
        self.settle()
        assert self.answer == still.answer
        assert self.detail == still.detail

    def unread(self) -> list[str]:
        """Return words of the picture that are smaller than 10 pixels or cut off."""
        self.settle()
        return self.page.evaluate(
            """() => {
            const edge = document.querySelector("svg").getBoundingClientRect();
            const words = [...document.querySelectorAll(".mt-live svg text")];
            return words.filter((each) => {
              const { a, b } = each.getScreenCTM();
              const box = each.getBoundingClientRect();
              const size = parseFloat(getComputedStyle(each).fontSize);
              return size * Math.hypot(a, b) < 9.9
                || box.left < edge.left - 1 || box.right > edge.right + 1;
            }).map((each) => each.textContent);
            }"""
        )

    def serious_findings(self) -> list[str]:
        """What axe-core calls serious or critical on this page."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page).response["violations"]
        return [
            f"{each['id']}: {each['help']}: {each['nodes'][0]['html'][:200]}"
            for each in found
            if each["impact"] in ("serious", "critical")
        ]

    def screenshot(self, folder: Path | None, name: str) -> None:
        """Keep what is on the screen, where somebody wants it."""
        if folder is not None:
            self.page.screenshot(path=folder / f"{name}.png", full_page=True)

"""Tests of lessons in JupyterLab: they run, and the slider shows what the trace has."""

from __future__ import annotations

import json
import re
from functools import reduce
from itertools import groupby
from operator import or_
from typing import Any

import pytest

from .jupyter import ROOT, Notebook, outputs

pytestmark = [pytest.mark.slow, pytest.mark.cuda]

LESSONS = sorted(
    path
    for lesson in ("04_*", "06_*", "first_light")
    for path in (ROOT / "notebooks").glob(f"{lesson}.ipynb")
)

# Remember what each step figure shows.
RECORD = """from minitorch import viz
stepped, plain = [], viz.step
def recorded(*given, **options):
    figure = plain(*given, **options)
    stepped.append(figure.data)
    return figure
viz.step = recorded"""

# For each warp of the block the lines that it runs one after the other, and the threads
# that run an instruction of each, from the trace itself.
LINES = """import json
shown = stepped[0]
trace, lines, masks = shown.launch.trace, {}, {}
for row in range(len(trace)):
    warp, line = int(trace.warp[row]), int(trace.line[row])
    if trace.block[row] == shown.block and line:
        own = lines.setdefault(warp, [])
        own += [line] * (own[-1:] != [line])
        masks.setdefault(f"{warp} {line}", []).append(int(trace.mask[row]))
print(json.dumps([lines, masks]))"""


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_runs_and_its_slider_shows_the_trace(
    open_notebook, screenshots, lesson
):
    notebook = open_notebook(lesson)
    notebook.execute(RECORD)
    cells = notebook.run_all()
    assert [each for each in outputs(cells) if each["output_type"] == "error"] == []
    forms = [each.get("data", {}) for each in outputs(cells)]
    figures = sum("image/svg+xml" in each for each in forms)
    shown = notebook.page.locator(".jp-OutputArea-output svg[role=img]")
    assert shown.count() == figures >= 2
    for number in range(figures):
        assert shown.nth(number).bounding_box()["width"] > 300
    drive_the_slider(notebook)
    if screenshots is not None:
        notebook.page.screenshot(path=screenshots / f"{lesson.stem}.png")


class Shown:
    """The first figure with a slider, as it is on the screen."""

    def __init__(self, notebook: Notebook) -> None:
        sliders = notebook.page.locator("input[type=range]")
        view = notebook.page.locator(".mt-live", has=sliders)
        self.view: Any = view.first
        self.slider: Any = self.view.locator("input[type=range]")

    def read(self) -> tuple[int, int, int]:
        """Step, warp and line, as the slider and the sentence say it."""
        words = self.slider.get_attribute("aria-valuetext")
        step, warp, line = map(int, re.findall(r"\d+", words))
        sentence = self.view.locator(".mt-answer").inner_text()
        assert re.match(rf"Step {step} of \d+: warp {warp} .*\bline {line}\b", sentence)
        return step, warp, line

    def threads(self) -> int:
        """How many threads run, as the sentence says it."""
        sentence = self.view.locator(".mt-answer").inner_text()
        return int(re.search(r"with (?:all )?(\d+)", sentence)[1])


def drive_the_slider(notebook: Notebook) -> None:
    """With keys from the first step to the last, with the mouse to some of them."""
    shown = Shown(notebook)
    count = int(shown.slider.get_attribute("max")) + 1
    lines, masks = json.loads(notebook.execute(LINES))
    shown.slider.focus()
    notebook.page.keyboard.press("Home")
    seen = []
    for number in range(count):
        step, warp, line = shown.read()
        assert step == number + 1
        ran = masks[f"{warp} {line}"]
        every = reduce(or_, ran).bit_count()
        assert min(map(int.bit_count, ran)) <= shown.threads() <= every
        seen.append((warp, line))
        notebook.page.keyboard.press("ArrowRight")
    for warp, expected in lines.items():
        own = [line for each, line in seen if each == int(warp)]
        assert [line for line, _ in groupby(own)] == expected
    box = shown.slider.bounding_box()
    for part in (0.25, 0.8):
        x, y = box["x"] + part * box["width"], box["y"] + box["height"] / 2
        notebook.page.mouse.click(x, y)
        step, warp, line = shown.read()
        assert abs(step - part * count) <= 0.05 * count + 1
        assert seen[step - 1] == (warp, line)

"""Tests of the live step view in a browser: keys, pointer, address, narrow pages.

That the script draws what Python draws is tested without a browser.
"""

from __future__ import annotations

from pathlib import Path
from runpy import run_path

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.scene.scene import sentences
from minitorch.viz.views.step.data import step_data
from minitorch.viz.views.step.picture import draw_step, scene_of

KERNELS = run_path(str(Path(__file__).parents[1] / "python" / "step_kernels.py"))
SUM, traced, tiled = (KERNELS[each] for each in ("SUM", "traced", "tiled"))


@pytest.fixture(scope="module")
def summed():
    x = cuda.to_device(np.arange(1, 65, dtype=np.float32))
    return step_data(traced(SUM, 1, 64, x, cuda.device_array(1, "float32")))


def test_a_step_shown_is_what_python_says_of_it(open_figure, summed):
    opened = open_figure(draw_step(summed))
    scene = scene_of(summed)
    for step in range(0, len(summed.steps), 5):
        opened.show({"step": step + 1, "thread": step * 7 % 64})
        state = {"step": step, "thread": step * 7 % 64, "watch": 0}
        assert (opened.answer, opened.detail) == sentences(scene, state)


def test_the_exported_page_has_no_serious_finding(open_figure, summed, screenshots):
    pytest.importorskip("axe_playwright_python")
    for theme in ("light", "dark"):
        opened = open_figure(draw_step(summed), theme=theme)
        assert opened.serious_findings() == []
        opened.screenshot(screenshots, f"step-{theme}")


def test_keys_go_through_time_and_threads(open_figure, summed):
    opened = open_figure(draw_step(summed))
    first = opened.state["step"]
    assert (first, opened.state["thread"]) == (9, 32)
    opened.press("ArrowRight", "ArrowRight", "ArrowLeft")
    assert opened.state["step"] == first + 1
    marks = (np.nonzero(summed.steps.opens)[0] + 1).tolist()
    opened.press("Shift+ArrowRight")
    assert opened.state["step"] == min(at for at in marks if at > first + 1)
    opened.press("Shift+ArrowLeft")
    assert opened.state["step"] == first  # the race
    opened.press("End")
    assert opened.answer.startswith(f"Step {len(summed.steps)} of")
    opened.press("Home", "d", "s", "w", "w", "a", "a")
    assert opened.state == {"step": 1, "thread": 23, "watch": 0}
    slider = opened.page.locator("input[type=range]")
    assert slider.get_attribute("aria-valuetext") == "step 1, warp 0, line 1"
    knob, now = slider.bounding_box()["x"] + 8, middle_of(opened, "step 1")[0]
    assert now - 9 - 21 <= knob <= now  # it stands above the line through its step


def test_the_address_has_the_state_and_brings_it_back(open_figure, summed):
    opened = open_figure(draw_step(summed))
    opened.press("ArrowRight", "d")
    assert opened.page.url.endswith("#step=10&thread=33&watch=0")
    for hash_, state in (
        ("#step=20&thread=5", {"step": 20, "thread": 5, "watch": 0}),
        ("#step=999", {"step": 66, "thread": 32, "watch": 0}),
        ("#step=x&other=1", {"step": 9, "thread": 32, "watch": 0}),
    ):
        opened.page.goto(opened.page.url.partition("#")[0] + hash_)
        opened.page.reload()
        opened.settle()
        assert opened.state == state


def test_variables_are_numbers_of_threads_by_key(open_figure):
    pytest.importorskip("elftools")
    opened = open_figure(draw_step(step_data(tiled(8, debug=True))))
    opened.press("v")
    assert opened.state["watch"] == 1


def test_play_goes_on_and_stops(open_figure, summed):
    opened = open_figure(draw_step(summed))
    first = opened.state["step"]
    opened.press(" ")
    opened.page.wait_for_function(
        f"document.querySelector('.mt-live').view.state().step >= {first + 2}"
    )
    opened.press(" ")
    stopped = opened.state["step"]
    opened.page.wait_for_timeout(600)
    assert opened.state["step"] == stopped


def middle_of(opened, words):
    """Where words of the picture are on the screen."""
    box = (
        opened.page.locator("svg text")
        .get_by_text(words, exact=True)
        .first.bounding_box()
    )
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_pointer_chooses_threads_steps_lines_and_cells(open_figure, summed):
    opened = open_figure(draw_step(summed))
    mouse = opened.page.mouse
    mouse.click(*middle_of(opened, "45"))
    assert opened.state["thread"] == 45
    x, y = middle_of(opened, f"step {opened.state['step']}")
    mouse.click(x + 240, y - 30)
    assert opened.state["step"] > 20
    x, y = middle_of(opened, "s[t] += s[t + h];")
    mouse.click(x, y)
    step = opened.state["step"] - 1
    assert summed.steps.line[step] == 8
    x, y = middle_of(opened, "Shared memory s")
    mouse.move(x, y + 20)
    cell = opened.page.locator("svg > title").last.text_content()
    assert cell in ("s[1]", "s[2]")
    mouse.click(x, y + 20)
    assert cell in opened.detail


@pytest.mark.parametrize("width", [420, 820, 1280])
@pytest.mark.parametrize("side", [8, 32])
def test_words_are_read_and_whole_at_every_width(open_figure, width, side):
    opened = open_figure(viz.step(tiled(side)), width=width)
    opened.settle()
    assert opened.unread() == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_block_of_a_thousand_threads_is_shown_fast(open_figure):
    """State to DOM: the median of 100 states stays below the 8 ms of a frame's half."""
    opened = open_figure(viz.step(tiled(32)))
    times = opened.page.evaluate(
        """() => {
        const view = document.querySelector(".mt-live").view, times = [];
        const start = view.state().step - 120;
        for (let at = 0; at < 100; at++) {
          const from = performance.now();
          view.show({ step: start + at * 5, thread: at });
          times.push(performance.now() - from);
        }
        return times.sort((a, b) => a - b);
        }"""
    )
    print(f"median {times[50]:.2f} ms, slowest {times[-1]:.2f} ms")
    assert times[50] < 100  # a busy machine; benchmarks/viz.py prints what is reached


def test_the_headline_of_a_failed_launch_stays_while_the_focus_moves(open_figure):
    code = """__global__ void k(float* x) {
      x[blockIdx.x * 64 + threadIdx.x + 1] = 1;
    }"""
    with cuda.inspect(trace=True) as run:
        kernel = cuda.RawKernel(code, "k")
        kernel[3, 64](cuda.device_array(192, "float32"))
    figure = viz.step(run.launches[0], block=0)
    said = "Thread 63 of block 2 fails as it writes x[192]: x has only 192 cells"
    assert figure.alarm == f"{said} (line 2)."
    for width in (1160, 600):
        opened = open_figure(figure, width=width)
        assert opened.page.inner_text(".mt-alarm").endswith(figure.alarm)
        opened.press("w")
        opened.settle()
        assert opened.page.inner_text(".mt-alarm").endswith(figure.alarm)
        assert opened.answer != ""
        label = opened.page.get_attribute(".mt-live svg", "aria-label")
        assert label.startswith(figure.alarm)
        # The words stand above the picture, over nothing of it.
        alarm, answer, picture = (
            opened.page.locator(each).bounding_box()
            for each in (".mt-alarm", ".mt-answer", ".mt-live svg")
        )
        assert alarm["y"] + alarm["height"] <= answer["y"] + 1
        assert answer["y"] + answer["height"] <= picture["y"]
        assert opened.serious_findings() == []

"""Tests of what every live view has: words, controls, keys, themes, the still picture.

The view is a bar as long as the slider's value says.
"""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import viz
from minitorch.viz.figure.scenes import Interned, swatches
from minitorch.viz.scene.scene import Axis, Bars, Panel, Scene, Table

NAMES = ["zero", "one", "a < b & </script>", "three", "four", "five", "six"]


def probe(step: int = 1, unit: int = 0) -> viz.Figure:
    own, every = Interned(), range(7)
    names = Table(("step",), own.texts(NAMES)[:, None])
    answers = own.texts([f"Step {at} is {NAMES[at]}." for at in every])
    values = own.texts([f"step {at} of 6, {NAMES[at]}" for at in every])
    bar = Bars("Bar", ("name",), ("bar",), (names,), Table(("step",), np.arange(7)))
    scene = Scene(
        (Axis("step", "Step", 7, marks=(2, 5), words=Table(("step",), values)),
         Axis("unit", "Unit", 2, control="choice", words=("lines", "all"))),
        own.all, own.looks, (Panel((bar,), 1080),), (Table(("step",), answers),),
        (Table(("unit",), own.texts(["line", "all"])),), key=swatches([]),
    )  # fmt: skip
    return viz.Figure("How long is the bar?", scene, {"step": step, "unit": unit})


def test_the_picture_that_moves_is_the_still_one(open_figure):
    opened = open_figure(probe())
    opened.agrees_with(probe())
    for step in (0, 6, 2):
        opened.show({"step": step})
        opened.agrees_with(probe(step))
    with pytest.raises(AssertionError):
        opened.agrees_with(probe(3))


def test_elements_stay_where_nothing_changes(open_figure):
    page = open_figure(probe()).page
    kept = page.evaluate("""() => {
      const root = document.querySelector(".mt-live");
      const before = [...root.querySelectorAll("svg text")];
      root.view.show({ step: 3 });
      const now = [...root.querySelectorAll("svg text")];
      const fresh = now.filter((each) => !before.includes(each));
      return fresh.map((each) => each.textContent);
    }""")
    assert kept == ["three"]


def test_a_state_that_is_not_there_changes_nothing(open_figure):
    opened = open_figure(probe(2))
    with pytest.raises(Exception, match=r'got {"steps":9}, which is not here'):
        opened.show({"steps": 9})
    opened.agrees_with(probe(2))


def test_arrows_move_the_slider_and_shift_jumps_to_marks(open_figure):
    opened = open_figure(probe())
    steps = {"ArrowRight": 2, "Shift+ArrowRight": 5, "ArrowLeft": 4, "End": 6}
    steps |= {"Shift+ArrowLeft": 5, "Home": 0}
    for key, step in steps.items():
        opened.press(key)
        assert opened.state["step"] == step, key
        opened.agrees_with(probe(step))
    opened.press("ArrowLeft")
    assert opened.state["step"] == 0
    opened.press("Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight")
    assert opened.state["step"] == 6
    opened.press("Shift+ArrowLeft", "Shift+ArrowLeft")
    assert opened.state["step"] == 2
    opened.press("Control+ArrowRight")
    assert opened.state["step"] == 2


def test_the_slider_itself_answers_to_keys_and_mouse(open_figure):
    page = open_figure(probe()).page
    slider = page.locator("input[type=range]")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert slider.input_value() == "2"
    assert slider.get_attribute("aria-valuetext") == f"step 2 of 6, {NAMES[2]}"
    box = slider.bounding_box()
    page.mouse.click(box["x"] + box["width"] - 4, box["y"] + box["height"] / 2)
    assert page.inner_text(".mt-answer") == "Step 6 is six."
    assert page.locator(".mt-marks i").count() == 2


def test_buttons_choices_and_keys_act_once(open_figure):
    opened = open_figure(probe())
    page = opened.page
    page.get_by_role("button", name="▶", exact=True).click()
    assert opened.state["step"] == 2
    # Space on a button presses the button, and nothing else.
    page.get_by_role("button", name="◀", exact=True).focus()
    page.keyboard.press(" ")
    assert opened.state["step"] == 1
    assert page.get_by_role("button", name="Play").count() == 1
    opened.press("v", "V", "v")
    assert opened.state["unit"] == 1
    page.get_by_role("button", name="lines").click()
    page.get_by_role("button", name="all").click()
    assert opened.detail == "all"
    pressed = page.locator(".mt-choice button").evaluate_all(
        "(all) => all.map((each) => each.getAttribute('aria-pressed'))"
    )
    assert pressed == ["false", "true"]


def test_the_words_replace_those_in_the_picture(open_figure):
    page = open_figure(probe()).page
    assert page.inner_text(".mt-question") == "How long is the bar?"
    assert page.locator('[data-part="head"]').count() == 0
    assert page.locator("svg").get_by_text("one").is_visible()
    label = page.get_attribute(".mt-live svg", "aria-label")
    assert label == "Step 1 is one. line"
    keys = page.inner_text(".mt-keys").split()
    assert " ".join(keys).startswith("← → step Shift+← Shift+→ previous, next mark")
    assert " ".join(keys).endswith("V next unit")


def test_targets_are_large_enough(open_figure):
    page = open_figure(probe()).page
    for each in page.locator("button, select, input").all():
        box = each.bounding_box()
        assert min(box["width"], box["height"]) >= 24


def test_a_page_follows_the_browser_s_light_and_dark(open_figure):
    page = open_figure(probe(), theme="auto").page
    ground = "getComputedStyle(document.querySelector('.mt-live')).backgroundColor"
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(ground) == "rgb(17, 20, 23)"
    page.emulate_media(color_scheme="light")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"


def test_within_another_page_keys_wait_for_the_focus(open_figure):
    opened = open_figure(probe())
    page = opened.page
    body = (
        f"<body><input id=other><div>{probe(2).fragment()}</div>"
        f"<div>{probe(2).fragment()}</div></body>"
    )
    page.set_content(body)
    views = page.locator(".mt-live")
    assert views.count() == 2
    page.focus("#other")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("v")
    assert (
        page.locator(".mt-answer").all_inner_texts() == [f"Step 2 is {NAMES[2]}."] * 2
    )
    assert page.input_value("#other") == "v"
    views.nth(1).locator("svg").click()
    page.keyboard.press("ArrowRight")
    assert page.locator(".mt-answer").all_inner_texts() == [
        f"Step 2 is {NAMES[2]}.",
        "Step 3 is three.",
    ]


def test_without_scripts_the_still_picture_stands(browser, tmp_path):
    target = tmp_path / "still.html"
    probe(3).save(target)
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(target.as_uri())
    assert page.locator('[data-part="head"]').is_visible()
    assert "Step 3 is three." in page.locator("svg").text_content()
    assert page.locator(".mt-keys").is_hidden()
    context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_page_is_usable_without_eyes_and_mouse(open_figure, screenshots, theme):
    opened = open_figure(probe(), theme=theme)
    opened.screenshot(screenshots, f"frame-{theme}")
    assert opened.serious_findings() == []
    opened.page.locator(".mt-answer").evaluate("(each) => each.style.color = '#777'")
    assert [each for each in opened.serious_findings() if "color-contrast" in each]


def test_outputs_of_notebooks_are_pictures_with_and_without_scripts(
    browser, open_figure
):
    figure = probe(3)
    output = figure._repr_mimebundle_()["text/html"]
    body = f'<html data-theme="dark"><body>{output}{output}</body></html>'
    page = open_figure(probe()).page
    page.set_content(body)
    assert page.locator("img").count() == 0
    assert page.locator(".mt-live svg").count() == 2
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.set_content(body)
    for image in page.locator("img").all():
        assert image.get_attribute("alt") == figure.alt
        assert image.bounding_box()["width"] > 1000
    assert page.inner_text("body").strip() == ""
    context.close()

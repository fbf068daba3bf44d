"""Tests of figures in an output of Colab: an iframe of another origin, in a sandbox.

Colab's outputs may use the storage of their own origin; this sandbox forbids even that.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from .opened import Opened
from .pictures import VIEWS, figure_of

pytestmark = pytest.mark.cuda

NOTEBOOK = "https://colab.research.google.com/drive/notebook"
OUTPUT = "https://output-colab.googleusercontent.com/outputframe.html"
PAGES = {
    NOTEBOOK: f"""<!doctype html><title>notebook</title>
<iframe sandbox="allow-scripts" src="{OUTPUT}" width="1100"></iframe><script>
onmessage = (event) => {{
  document.querySelector("iframe").height = event.data;
}};
</script>""",
    OUTPUT: """<!doctype html><title>output</title><body><script>
onmessage = (event) => {
  const output = document.createRange().createContextualFragment(event.data);
  document.body.append(output);
};
const root = document.documentElement;
const resize = () => parent.postMessage(root.offsetHeight, "*");
new ResizeObserver(resize).observe(root);
</script>""",
}
SHOW = 'html => document.querySelector("iframe").contentWindow.postMessage(html, "*")'
STATE = "document.querySelector('.mt-live').view.state()"
LIVE = [name for name in VIEWS if name != "changed"]  # as "compare"


@pytest.fixture(scope="module")
def notebook(browser: Any) -> Iterator[Opened]:
    """A page of Colab with an output, and nothing else to load."""
    context = browser.new_context(viewport={"width": 1200, "height": 1000})

    def answer(route: Any) -> None:
        text = PAGES.get(route.request.url)
        route.fulfill(body=text, content_type="text/html") if text else route.abort()

    context.route("**", answer)
    yield Opened(context.new_page())
    context.close()


def use_mouse(frame: Any) -> Iterator[None]:
    """Use a slider or a choice, else one place of the picture after the other."""
    for slider in frame.locator("input[type=range]").all():
        box = slider.bounding_box()
        slider.click(position={"x": 0.7 * box["width"], "y": box["height"] / 2})
        yield
    for button in frame.locator(".mt-choice button[aria-pressed=false]").all():
        button.click()
        yield
    for choices in frame.locator("select").all():
        choices.select_option(index=0)
        choices.select_option(index=1)
        yield
    picture = frame.locator(".mt-live svg").first
    box = picture.bounding_box()
    for x, y in product(range(5, 100, 10), repeat=2):
        picture.click(
            position={"x": x * box["width"] / 100, "y": y * box["height"] / 100}
        )
        yield


@pytest.mark.parametrize("name", LIVE)
def test_the_mouse_moves_a_figure_in_an_output(notebook, name):
    notebook.page.goto(NOTEBOOK)
    notebook.page.evaluate(SHOW, figure_of(name)._repr_mimebundle_()["text/html"])
    frame = notebook.page.frames[1]
    frame.wait_for_selector(".mt-live[data-attached]")
    assert frame.evaluate("self.origin") == "null"
    state, picture = frame.evaluate(STATE), frame.inner_html(".mt-live svg")
    assert any(frame.evaluate(STATE) != state for _ in use_mouse(frame))
    assert frame.inner_html(".mt-live svg") != picture
    assert notebook.errors == []

"""Tests in JupyterLab: figures are live."""

from __future__ import annotations

import json

import pytest

from tests.python.scenes import picture

from .jupyter import Notebook

pytestmark = [pytest.mark.slow, pytest.mark.cuda]


FIGURE = """import numpy as np
from minitorch import cuda, viz
kernel = cuda.RawKernel('''__global__ void shift(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[(i + 5) % 128];
}''', "shift")
x = cuda.to_device(np.arange(128, dtype=np.float32))
with cuda.inspect(trace=True) as run:
    kernel[4, 32](x, cuda.device_array(128, "float32"))
figure = viz.grid(run.launches[0], 3, 1)
figure"""

# Which cell a thread reads and writes, from the trace itself.
FACTS = """import json
trace = run.launches[0].trace
found = []
for step in range(len(trace)):
    kind = str(trace.opcode[step])
    if kind.startswith(("ld.global", "st.global")) and trace.block[step] == {block}:
        found.append(int(trace.addresses[step][{thread}]) // 4)
start = [each.pointer // 4 for each in run.launches[0].arguments[:2]]
print(json.dumps([at - base for at, base in zip(found, start)]))"""


def said(notebook: Notebook) -> str:
    return notebook.page.inner_text(".mt-answer")


def cells_in_trace(notebook: Notebook, block: int, thread: int) -> list[int]:
    return json.loads(notebook.execute(FACTS.format(block=block, thread=thread)))


def test_keys_and_mouse_move_a_figure_as_the_trace_says(open_notebook):
    notebook = open_notebook([FIGURE], "keys.ipynb")
    notebook.run_all()
    page = notebook.page
    assert said(notebook) == "Thread 3 of block 1 reads x[40], and writes y[35]."
    page.locator(".mt-live svg").click(position={"x": 900, "y": 400})
    for key, block, thread in (("d", 1, 4), ("d", 1, 5), ("a", 1, 4)):
        page.keyboard.press(key)
        read, written = cells_in_trace(notebook, block, thread)
        assert said(notebook) == (
            f"Thread {thread} of block {block} reads x[{read}], "
            f"and writes y[{written}]."
        )
    # JupyterLab's own keys had no part in it: A and D would have changed the cells.
    count = "window.jupyterapp.shell.currentWidget.content.model.cells.length"
    assert page.evaluate(count) == 1
    page.locator(".mt-live svg text").get_by_text("6", exact=True).nth(1).click()
    read, written = cells_in_trace(notebook, 1, 6)
    assert f"reads x[{read}], and writes y[{written}]." in said(notebook)


def test_two_figures_live_beside_each_other(open_notebook):
    notebook = open_notebook([FIGURE, FIGURE], "plain.ipynb")
    notebook.run_all()
    page = notebook.page
    views = page.locator(".mt-live[data-attached]")
    assert views.count() == 2
    views.nth(1).focus()
    page.keyboard.press("d")
    answers = page.locator(".mt-answer").all_inner_texts()
    assert [each.split(" of ")[0] for each in answers] == ["Thread 3", "Thread 4"]


def test_a_notebook_that_is_not_trusted_shows_the_still_picture(open_notebook):
    """JupyterLab takes SVG apart there, and leaves a salad of its words."""
    data = picture("A picture.", title="salad")._repr_mimebundle_()
    output = {"output_type": "display_data", "metadata": {}, "data": data}
    notebook = open_notebook(["0"], "untrusted.ipynb", outputs=[output])
    image = notebook.page.locator(".jp-OutputArea-output img")
    image.wait_for()
    assert image.get_attribute("alt") == "A picture."
    assert image.evaluate("(each) => each.complete && each.naturalWidth") == 1120
    assert notebook.page.locator(".jp-OutputArea-output").inner_text().strip() == ""

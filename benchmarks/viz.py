"""Measures pictures: the first one, and from a state to the page.

They are of a launch of 4,096 threads, a tiled product of matrices, and of a training
step of LeNet. The page is Chromium's, driven by Playwright; without them only Python
is measured.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from .report import Row, child

STATES = 100

_LAUNCH = """
import json, sys, time
import numpy as np
from minitorch import cuda
kernel = cuda.RawKernel('''
__global__ void tiled(const float* a, const float* b, float* c) {
  __shared__ float s[16][16], t[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float acc = 0;
  for (int k = 0; k < 64; k += 16) {
    s[y][x] = a[row * 64 + k + x];
    t[y][x] = b[(k + y) * 64 + col];
    __syncthreads();
    for (int i = 0; i < 16; i++) acc += s[y][i] * t[i][x];
    __syncthreads();
  }
  c[row * 64 + col] = acc;
}''', "tiled")
a, b = (cuda.to_device(np.ones((64, 64), np.float32)) for _ in "ab")
with cuda.inspect(trace=True) as run:
    kernel[(4, 4), (16, 16)](a, b, cuda.device_array((64, 64), "float32"))
launch = run.launches[0]
"""

_STEP = """
import json, time
import minitorch
from minitorch import models, nn, optim
from minitorch.profiler import profile
minitorch.manual_seed(0)
net = models.lenet5(dtype="float32", device="cuda")
x = minitorch.rand(4, 1, 32, 32, dtype="float32", device="cuda")
y = minitorch.randint(0, 10, (4,), device="cuda")
def loss_of(net, x, y):
    return nn.functional.cross_entropy(net(x), y)
"""

_EXPLAINED = """
explained = minitorch.explain(loss_of, net, x, y, backward=True, gpu="rtx3090")
"""

_NEURON = """
neuron = minitorch.explain(net, x, gpu="rtx3090").neuron("fc1", (0, 3))
"""

_PROFILED = """
optimizer = optim.SGD(net.parameters(), lr=0.01)
def step():
    optimizer.zero_grad()
    loss = loss_of(net, x, y)
    loss.backward()
    optimizer.step()
    return loss
step().item()
with profile() as profiled:
    for _ in range(4):
        step()
    step().item()
"""

_SHOW = """
start = time.perf_counter()
figure = {what}.show()
figure.fragment()
print(time.perf_counter() - start)
"""

PRODUCT, LENET = "a tiled product, 4,096 threads", "a step of LeNet"

# First pictures: of what, the program that makes it, and its name there.
FIRST = (
    (PRODUCT, _LAUNCH, "launch"),
    (f"{LENET}, explained", _STEP + _EXPLAINED, "explained"),
    ("a neuron of LeNet", _STEP + _NEURON, "neuron"),
    ("5 steps of LeNet, profiled", _STEP + _PROFILED, "profiled"),
)


@dataclass(frozen=True)
class View:
    """A live view: its program, its call, and the states shown one after the other."""

    what: str
    program: str
    call: str
    state: Callable[[int], dict[str, Any]]


VIEWS = {
    "grid": View(
        PRODUCT, _LAUNCH, "viz.grid(launch)",
        lambda at: {"block": at * 7 % 16, "thread": at * 37 % 256},
    ),
    "step": View(
        PRODUCT, _LAUNCH, "viz.step(launch)", lambda at: {"step": at * 17 % 296 + 1}
    ),
    "network": View(
        LENET, _STEP + _EXPLAINED, "viz.network(explained)",
        lambda at: {"kernel": at * 7 % 45, "lane": at * 5 % 32},
    ),
    "neuron": View(
        "a neuron of LeNet", _STEP + _NEURON, "viz.neuron(neuron)",
        lambda at: {"step": at * 7 % 400 + 1},
    ),
    "timeline": View(
        "5 steps of LeNet", _STEP + _PROFILED, "viz.timeline(profiled)",
        lambda at: {"item": at * 7 % 390},
    ),
}  # fmt: skip

_SAVE = """
from minitorch import viz
figure = {call}
figure.save({path!r})
print(len(figure.scene.packed()))
"""

_TIME = """(states) => {
  const view = document.querySelector(".mt-live").view;
  return states.map((state) => {
    const start = performance.now();
    view.show(state);
    return performance.now() - start;
  });
}"""


def _first_picture(what: str, program: str, name: str) -> Row:
    show = _SHOW.format(what=name)
    times = [float(child(program + show, MINITORCH_CUDA="emulator")) for _ in range(5)]
    found = median(times)
    words = f"viz: show() of {what}, first time"
    return Row(words, f"{found:.2f} s", "<= 1 s", found <= 1)


def _milliseconds(path: Path, states: list[dict[str, Any]]) -> float | None:
    """The median from a state to the page; None without a browser."""
    chromium = os.environ.get("MINITORCH_CHROMIUM") or shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    if chromium is None:
        return None
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=chromium, args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1160, "height": 1000})
        page.goto(path.as_uri())
        found = median(page.evaluate(_TIME, states))
        browser.close()
    return float(found)


def _view(name: str, folder: Path) -> list[Row]:
    view = VIEWS[name]
    path = folder / f"{name}.html"
    save = _SAVE.format(call=view.call, path=str(path))
    size = json.loads(child(view.program + save, MINITORCH_CUDA="emulator"))
    words = f"viz.{name}: data of {view.what}"
    row = Row(words, f"{size / 1e3:,.0f} kB", "<= 1,000 kB", size <= 1_000_000)
    spent = _milliseconds(path, [view.state(at) for at in range(STATES)])
    if spent is None:
        return [row]
    words = f"viz.{name}: from state to page, median of {STATES}"
    return [row, Row(words, f"{spent:.2f} ms", "<= 8 ms", spent <= 8)]


def rows() -> list[Row]:
    """The first picture, then each live view."""
    with TemporaryDirectory() as folder:
        found = [row for name in VIEWS for row in _view(name, Path(folder))]
    return [*(_first_picture(*each) for each in FIRST), *found]

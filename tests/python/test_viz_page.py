"""Pictures of README and docs are those of today, and what launches show by default."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest

from minitorch import cuda, viz

from .picture import check, words
from .source_tree import ROOT

pytestmark = pytest.mark.cuda

PAGES = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
NAMED = set(re.findall(r"pictures/(\w+\.svg)\)", "".join(p.read_text() for p in PAGES)))


def test_pictures_are_those_of_today(tmp_path):
    script = ROOT / "docs" / "make_viz_pictures.py"
    subprocess.run([sys.executable, str(script), str(tmp_path)], check=True)
    made = {path.name: path.read_text() for path in tmp_path.iterdir()}
    kept = {
        path.name: path.read_text()
        for path in (ROOT / "docs" / "pictures").glob("*.svg")
    }
    assert set(made) == set(kept) == NAMED
    for name, svg in made.items():
        assert kept[name] == svg, f"{name}: run docs/make_viz_pictures.py"


def test_the_words_under_the_pictures_are_their_own():
    text = (ROOT / "docs" / "viz.md").read_text()
    described = dict(re.findall(r"!\[(.*)\]\(pictures/(\w+)\.svg\)", text))
    for said, name in described.items():
        svg = (ROOT / "docs" / "pictures" / f"{name}.svg").read_text()
        assert said.rstrip(".") in svg


@cuda.jit
def python_sum(x, out):
    s = cuda.shared.array(64, np.float32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    h = 32
    while h > 0:
        if t < h:
            s[t] += s[t + h]
        cuda.syncthreads()
        h //= 2
    if t == 0:
        out[0] = s[0]


@pytest.mark.filterwarnings("ignore:.*leaves most of a GPU idle")
def test_a_kernel_in_python_shows_its_own_lines():
    x = cuda.to_device(np.arange(64, dtype=np.float32))
    with cuda.inspect(trace=True) as run:
        python_sum[1, 64](x, cuda.device_array(1, np.float32))
    figure = viz.race(run.launches[0])
    check(figure)
    assert figure.answer == "Thread 0 may read s[32] before thread 32 has written it."
    assert {"s[t] = x[t]", "s[t] += s[t + h]", "h //= 2"} <= set(words(figure))
    assert ">h //= 2<" in figure.svg()  # one run: not taken for a comment of C
    check(viz.memory(run.launches[0]))
    check(viz.grid(run.launches[0], arrays={"x": x}))


def test_a_launch_shows_its_first_finding():
    code = """__global__ void k(float* x) {
      __shared__ float s[64];
      s[threadIdx.x] = x[threadIdx.x];
      x[threadIdx.x] = s[63 - threadIdx.x];
    }"""
    with cuda.inspect(trace=True) as run:
        cuda.RawKernel(code, "k")[1, 64](cuda.to_device(np.ones(64, np.float32)))
    figure = run.launches[0].show()
    check(figure)
    assert figure.question == viz.step(run.launches[0]).question
    assert "thread 31 may read s[32] before thread 32 has written it." in figure.answer
    with cuda.inspect() as run:
        cuda.RawKernel("__global__ void k() {}", "k")[1, 1]()
    with pytest.raises(ValueError, match=r"\[viz.step\] .* has no trace"):
        run.launches[0].show()

"""Tests of the live counters view: every number to show, by program and by key."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.line_metrics import METRICS

pytestmark = pytest.mark.cuda

KERNEL = """__global__ void k(float* x, float* y) {
  __shared__ float tile[1024];
  int i = threadIdx.x;
  tile[32 * i] = x[8 * i];
  __syncthreads();
  if (i < 8)
    y[i] = tile[i] * 2;
}"""


@pytest.fixture(scope="module")
def launch() -> cuda.Launch:
    x = cuda.to_device(np.ones(256, np.float32))
    with cuda.inspect() as run:
        cuda.RawKernel(KERNEL, "k")[1, 32](x, cuda.device_array(64, "float32"))
    return run.launches[0]


def test_every_number_agrees(open_figure, launch):
    opened = open_figure(viz.counters(launch))
    for name in reversed(METRICS):
        opened.show({"metric": name})
        opened.agrees_with(viz.counters(launch, name))


def test_a_key_shows_the_next_number(open_figure, launch):
    opened = open_figure(viz.counters(launch, "barriers"))
    names = list(METRICS)
    opened.press("c")
    opened.agrees_with(viz.counters(launch, names[0]))
    opened.press("c")
    opened.agrees_with(viz.counters(launch, names[1]))

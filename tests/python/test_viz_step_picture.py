"""Tests of the step view's picture: blocks of every size, odd names, what is cut."""

from __future__ import annotations

import re

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.views.step.data import step_data
from minitorch.viz.views.step.layout import fitted
from minitorch.viz.views.step.picture import draw_step

from .picture import check, elements, words
from .step_kernels import (
    DIVERGE,
    SUM,
    tiled,
    traced,
)

pytestmark = pytest.mark.cuda


def block_sum() -> cuda.Launch:
    x = cuda.to_device(np.arange(1, 65, dtype=np.float32))
    return traced(SUM, 1, 64, x, cuda.device_array(1, "float32"))


@pytest.fixture(scope="module")
def summed():
    return block_sum()


def test_a_normal_build_says_that_it_has_no_names(summed):
    figure = viz.step(summed)
    assert "normal build: no names of variables" in " ".join(words(figure))
    with pytest.raises(ValueError, match="got number 'h'; need one of none: inspect"):
        viz.step(summed, number="h")


def test_long_launches_are_cut_at_marks_and_say_so():
    data = step_data(tiled(32))
    assert (data.start, data.end) != (0, len(data.steps))
    opens = np.nonzero(data.steps.opens)[0].tolist()
    for edge in (data.start, data.end):
        assert edge in (0, len(data.steps)) or edge - 1 in opens or edge > data.step
    assert data.start <= data.step < data.end
    figure = draw_step(data)
    said = f"The picture has steps {data.start + 1:,} to {data.end:,} of "
    assert said in figure.detail
    assert figure.live is not None
    assert len(figure.live.payload.encode()) <= 1_000_000
    check(figure)


@pytest.mark.parametrize("threads", [1, 31, 33, 64, 65, 256, 257, 1024])
def test_blocks_of_every_size_are_drawn_whole(threads):
    launch = traced(DIVERGE, 1, threads, cuda.device_array(1024, "int32"))
    figure = viz.step(launch, 1, thread=threads - 1)
    check(figure)
    warps = -(-threads // 32)
    tagged = {each.get("data-at") or "": each for each in elements(figure, "path")}
    state = re.compile(r"(run|ready|off|done)\d+")
    runs = [each.get("d") or "" for name, each in tagged.items() if state.match(name)]
    assert len(runs) == 4 * warps
    assert sum(each.count("M") for each in runs) == threads


def test_names_with_angles_not_numbers_and_endless_names_are_drawn():
    name = "very_" * 20 + "long"
    code = f"""template <typename T> __global__ void part(T* {name}) {{
  __shared__ T {name}_too[40];
  int t = threadIdx.x;
  {name}_too[t] = t == 3 ? T(0) / T(t - 3) : T(1) / T(t - 4);
  {name}[t] = {name}_too[t];
}}"""
    module = cuda.RawModule(code=code, name_expressions=["part<float>"])
    with cuda.inspect(trace=True) as run:
        module.get_function("part<float>")[1, 40](cuda.device_array(40, "float32"))
    figure = viz.step(run.launches[0], thread=3)
    held = figure.data.shared(0, len(figure.data.steps) - 1)
    told = [figure.data.words[at] for at in held.value]
    assert (told[3], told[4], told[8]) == ("NaN", "∞", "0.25")
    check(figure)


@pytest.mark.parametrize(
    ("value", "most", "short"),
    [("0.5", 4, "0.5"), ("0.7607", 4, "0.76"), ("1.235e+05", 7, "1.2e+05"),
     ("-1,234.5", 6, "-1,234"), ("12,345,678", 5, "12,3…"), ("∞", 3, "∞"),
     ("0.0047", 4, "≈0")],
)  # fmt: skip
def test_values_lose_digits_behind_the_point_first(value, most, short):
    assert fitted(value, most) == short


def test_a_launch_without_a_trace_and_a_cut_one():
    x = cuda.to_device(np.ones(64, np.float32))
    kernel = cuda.RawKernel(SUM, "block_sum")
    with cuda.inspect() as run:
        kernel[1, 64](x, cuda.device_array(1, "float32"))
    with pytest.raises(ValueError, match="without a trace"):
        viz.step(run.launches[0])
    with cuda.inspect(trace=True, trace_bytes=30_000) as run:
        kernel[2, 64](x, cuda.device_array(1, "float32"))
    launch = run.launches[0]
    assert launch.trace.truncated
    assert "cut at its limit" in viz.step(launch).detail


def test_the_fault_of_a_kernel_is_where_it_stops():
    code = """__global__ void k(int* x) {
  int i = threadIdx.x;
  if (i == 37) i = 64;
  x[i] = 1;
}"""
    with cuda.inspect(trace=True) as run:
        cuda.RawKernel(code, "k")[1, 64](cuda.device_array(64, "int32"))
    figure = viz.step(run.launches[0])
    data = figure.data
    assert data.marks[0].name == "out of bounds"
    assert data.steps.line[data.step] == 4
    assert data.thread == 37
    assert "thread 37 fails as it writes x[64]: x has only 64" in figure.answer
    check(figure)

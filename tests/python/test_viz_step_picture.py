"""Tests of the step view's picture: blocks of every size, odd names, what is cut."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.scene.cells import grid_of
from minitorch.viz.scene.scene import numbers
from minitorch.viz.views.step.data import step_data
from minitorch.viz.views.step.picture import draw_step, scene_of

from .picture import check, words
from .step_kernels import (
    DIVERGE,
    SUM,
    block_sum,
    tiled,
    traced,
)
from .step_states import shared_after

pytestmark = pytest.mark.cuda


@pytest.fixture(scope="module")
def summed():
    return block_sum()


def test_a_normal_build_says_that_it_has_no_names(summed):
    figure = viz.step(summed)
    assert "normal build: no names of variables" in " ".join(words(figure))


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
    assert len(figure.scene.packed()) <= 1_000_000
    check(figure)


@pytest.mark.parametrize("threads", [1, 31, 33, 64, 65, 256, 257, 1024])
def test_blocks_of_every_size_are_drawn_whole(threads):
    launch = traced(DIVERGE, 1, threads, cuda.device_array(1024, "int32"))
    figure = viz.step(launch, 1, thread=threads - 1)
    check(figure)
    scene = scene_of(figure.data)
    threads_mark = scene.panels[2].marks[0]
    state = {"step": 0, "thread": 0, "watch": 0}
    states = numbers(threads_mark.looks[0], state, range(threads))
    kinds = {scene.looks[at][0] for at in states}
    assert kinds <= {"runs", "belongs", "waits", "empty", "bare"}
    grid = grid_of(scene, threads_mark, state, 500)
    corners = {grid.place(thread) for thread in range(threads)}
    assert len(corners) == threads
    assert None not in corners


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
    told, _ = shared_after(figure.data, 0, len(figure.data.steps) - 1)
    assert (told[3], told[4], told[8]) == ("NaN", "∞", "0.25")
    check(figure)


def test_a_launch_without_a_trace_and_a_cut_one():
    x = cuda.to_device(np.ones(64, np.float32))
    kernel = cuda.RawKernel(SUM, "block_sum")
    with cuda.inspect() as run:
        kernel[1, 64](x, cuda.device_array(1, "float32"))
    with pytest.raises(ValueError, match="has no trace"):
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

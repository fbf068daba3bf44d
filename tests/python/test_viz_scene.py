"""Tests of scenes: what channels give, and that both renderers draw the same."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.scene.code import wrap
from minitorch.viz.scene.drawing import fitted
from minitorch.viz.scene.render import draw
from minitorch.viz.scene.scene import Chosen, Latest, Match, Rows, Table, numbers
from minitorch.viz.views.step.data import step_data
from minitorch.viz.views.step.picture import scene_of

from .scenes import check_scene, random_states
from .step_kernels import (
    DIVERGE,
    GROUPS,
    HISTOGRAM,
    SUM,
    THREE_WARPS,
    TWO_BARRIERS,
    tiled,
    traced,
)


def test_a_table_has_a_value_for_each_state_and_item():
    table = Table(("a", "b"), np.arange(24).reshape(2, 3, 4))
    assert numbers(table, {"a": 1, "b": 2, "c": 9}, [0, 3]) == [20, 23]
    one = Table(("b",), np.array([7, 8, 9]))
    assert numbers(one, {"b": 1}, [0, 5]) == [8, 8]


def test_the_latest_value_of_a_key_counts():
    changes = Latest(
        "step", np.array([1, 1, 4]), np.array([2, 5, 0]), np.array([10, 11, 12]),
        stride=3, offset=-2, by={"thread": 1},
    )  # fmt: skip
    at = [
        numbers(changes, {"step": step, "thread": thread}, [1, 2])
        for step, thread in ((-1, 0), (0, 0), (2, 0), (9, 0), (9, 1))
    ]
    assert at == [[-1, -1], [-1, 12], [10, 12], [11, 12], [-1, -1]]
    before = Latest("step", *np.zeros((3, 0), int), before=np.array([5, 6]))
    assert numbers(before, {"step": 3}, [1]) == [6]


def test_rows_are_matched_by_columns_and_axes():
    columns = {
        "thread": np.array([0, 1, 1, 0]),
        "cell": np.array([2, 2, 3, 0]),
        "look": np.array([5, 6, 7, 8]),
    }
    rows = Rows("step", np.array([0, 3, 4]), columns)
    every, own = (
        Match(rows, "cell", "look"),
        Match(rows, "cell", "look", by=("thread",)),
    )
    state = {"step": 0, "thread": 0}
    assert numbers(every, state, [0, 2, 3, 9]) == [-1, 6, 7, -1]
    assert numbers(own, state, [2, 3]) == [5, -1]
    both = Chosen("step", (every, own))
    assert numbers(both, {"step": 1, "thread": 0}, [0]) == [8]


@pytest.mark.parametrize(
    ("value", "most", "short"),
    [("0.5", 4, "0.5"), ("0.7607", 4, "0.76"), ("1.235e+05", 7, "1.2e+05"),
     ("-1,234.5", 6, "-1,234"), ("12,345,678", 5, "12,3…"), ("∞", 3, "∞"),
     ("0.0047", 4, "≈0")],
)  # fmt: skip
def test_values_lose_digits_behind_the_point_first(value, most, short):
    assert fitted(value, most) == short


def test_a_long_line_of_code_is_wrapped_and_loses_nothing():
    text = (
        "    total += weights[row * columns + column] * inputs[column]; // " + "x" * 90
    )
    lines = wrap(text, 40)
    assert max(map(len, lines)) <= 40
    assert "".join("".join(lines).split()) == "".join(text.split())


LAUNCHES = {
    "sum": lambda: traced(
        SUM, 1, 64, cuda.to_device(np.arange(1, 65, dtype=np.float32)),
        cuda.device_array(1, "float32"),
    ),
    "diverge": lambda: traced(DIVERGE, 1, 40, cuda.device_array(40, "int32")),
    "one thread": lambda: traced(DIVERGE, 1, 1, cuda.device_array(40, "int32")),
    "three warps": lambda: traced(THREE_WARPS, 1, 96, cuda.device_array(96, "int32")),
    "histogram": lambda: traced(HISTOGRAM, 1, 96, cuda.device_array(96, "int32")),
    "two barriers": lambda: traced(TWO_BARRIERS, 1, 64, cuda.device_array(64, "int32")),
    "groups": lambda: traced(GROUPS, 1, 64, cuda.device_array(64, "int32")),
    "tiles of 8": lambda: tiled(8),
    "tiles of 16": lambda: tiled(16),
    "tiles of 32": lambda: tiled(32),
}  # fmt: skip


@pytest.mark.cuda
@pytest.mark.parametrize("name", LAUNCHES)
def test_both_renderers_draw_a_step_alike(name):
    data = step_data(LAUNCHES[name]())
    check_scene(viz.step(data.launch), scene_of(data))


@pytest.mark.cuda
def test_both_renderers_draw_variables_alike():
    pytest.importorskip("elftools")
    launch = tiled(8, debug=True)
    check_scene(viz.step(launch), scene_of(step_data(launch)))


@pytest.mark.cuda
@pytest.mark.parametrize("width", [380, 780, 1080])
def test_the_focus_and_its_cells_are_seen_in_every_state(width):
    """Each cell that the focused thread touches has its ring, also of a large array."""
    data = step_data(tiled(16))
    scene = scene_of(data)
    rows = next(each for each in scene.over).rows
    for state in random_states(scene, 12):
        low, high = rows.start[state["step"] : state["step"] + 2]
        own = rows.columns["thread"][low:high] == state["thread"]
        cells = {
            (rows.columns["target"][low + at], rows.columns["cell"][low + at])
            for at in np.nonzero(own)[0]
        }
        drawn = str(draw(scene, state, width))
        rings = len(re.findall(r'stroke="var\(--ink\)" stroke-width="2.4"/>', drawn))
        assert rings >= 1 + min(len(cells), 3)


@pytest.mark.parametrize("width", [380, 780, 1080])
def test_verbs_of_arrows_do_not_cover_each_other(width):
    code = """__global__ void pairs(const float* x, float* y) {
      int i = threadIdx.x;
      y[i] = x[i] + x[i + 1];
    }"""
    x = cuda.to_device(np.ones(40, np.float32))
    data = step_data(traced(code, 1, 32, x, cuda.device_array(32, "float32")))
    scene = scene_of(data)
    picture = str(draw(scene, viz.step(data.launch).state, width))
    at = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>(?:reads|writes)<', picture)
    places = [(float(x), float(y)) for x, y in at]
    assert len(places) > 1
    for (x, y), (a, b) in itertools.combinations(places, 2):
        assert abs(x - a) >= 42 or abs(y - b) >= 18

"""Tests of the view of time: against times by hand."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from minitorch import viz
from minitorch.viz.views.timeline import program_of, scene_of

from .picture import check, words
from .scenes import check_scene
from .source_tree import ROOT

SAMPLE = json.loads((ROOT / "tests/python/data/timeline_sample.json").read_text())


def scope(name: str, kind: str, begin: int, end: int, depth: int = 1) -> dict[str, Any]:
    times = {"begin": 1000 * begin, "end": 1000 * end}
    return {"name": name, "kind": kind, **times, "depth": depth, "site": ""}


def run_ahead(count: int = 4, graph: bool = False) -> dict[str, Any]:
    """Launches of 2 µs each, kernels of 10 µs; then a wait for the last one's value."""
    begins = [0] * count if graph else [2 * at for at in range(count)]
    works, calls, depth = [], [], []
    for at, begin in enumerate(begins):
        start = 2 + 10 * at
        times = {"begin": 1000 * start, "end": 1000 * (start + 10)}
        works.append({"id": at, "name": "map (map.cu)", "kind": "kernel", **times,
                      "bytes": 0})  # fmt: skip
        own = {"begin": 1000 * begin, "end": 1000 * (begin + 2), "work": at}
        calls.append({"name": "cuLaunchKernel", **own})
        depth += [(1000 * begin, 1), (times["end"], -1)]
    now, steps = 0, []
    for time, change in sorted(depth):
        now += change
        steps.append({"stream": 0, "time": time, "depth": now})
    last, half = begins[-1] + 2, begins[count // 2]
    end = 2 + 10 * count
    wait = {"reason": "value", "begin": 1000 * last, "end": 1000 * end,
            "site": "train.py:12"}  # fmt: skip
    scopes = [scope("layer1", "module", 0, half), scope("layer2", "module", half, last)]
    thread = {"id": 1, "name": "MainThread", "scopes": scopes, "calls": calls,
              "waits": [wait]}  # fmt: skip
    return {
        "schema": "minitorch.timeline/1", "begin": 0, "end": 1000 * end,
        "threads": [thread], "streams": [{"id": 0, "works": works}], "depth": steps,
        "emulated": True,
    }  # fmt: skip


def test_a_launch_runs_ahead_of_the_work_before_it():
    """The last of 4 is launched from 6 to 8 µs; the third ends at 32."""
    figure = viz.timeline(run_ahead())
    check(figure)
    assert figure.answer == (
        "map of layer2 is launched at 8 µs, 24 µs before the work ahead of it ends."
    )
    assert figure.detail.startswith("It waits 24 µs in the stream's queue")
    shown = words(figure)
    assert any(
        "launching 8 µs · waiting 34 µs · at most 4 launches ahead" in each
        for each in shown
    )
    svg = figure.svg()
    assert 'data-tip="layer1: 2 launches"' in svg
    assert 'data-tip="‖ 34 µs: value train.py:12"' in svg


def test_a_launch_has_its_line():
    _, detail = program_of(SAMPLE, "a").launch_sentences(0)
    assert detail.startswith("train.py:12 launches it. It takes 30 µs")


def test_both_renderers_agree():
    figure = viz.timeline(slow(), run_ahead(graph=True))
    check_scene(figure, scene_of(figure.data))


def test_a_graph_stands_below_on_the_same_scale():
    figure = viz.timeline(
        run_ahead(20), run_ahead(20, graph=True), names=("as written", "as a graph")
    )
    check(figure)
    shown = words(figure)
    assert {"as written", "as a graph"} <= set(shown)
    assert any("launching 2 µs" in each for each in shown)


def test_the_sample_has_a_picture():
    figure = viz.timeline(SAMPLE)
    check(figure)
    assert 'data-tip="‖ 15 µs:' in figure.svg()  # the wait from 75 to 90


def test_many_launches_stay_small():
    figure = viz.timeline(run_ahead(5000))
    check(figure)
    assert len(figure.scene.packed()) <= 1_000_000


def test_bad_input():
    with pytest.raises(TypeError, match=r"\[viz.timeline\] got int; need a profile"):
        viz.timeline(3)
    with pytest.raises(ValueError, match="got 0 profiles; need 1 to 3"):
        viz.timeline()
    with pytest.raises(TypeError, match="got dict; need a profile"):
        viz.timeline({})
    with pytest.raises(ValueError, match="got 2 names for 1 profiles"):
        viz.timeline(SAMPLE, names=("a", "b"))
    empty = copy.deepcopy(SAMPLE) | {"streams": [], "threads": []}
    with pytest.raises(ValueError, match="no work on the device and no waits"):
        viz.timeline(empty)


def slow() -> dict[str, Any]:
    """The same, with kernels of 100 µs."""
    found = run_ahead()
    for each in found["streams"][0]["works"]:
        each["begin"], each["end"] = 10 * each["begin"], 10 * each["end"]
    found["threads"][0]["waits"][0]["end"] = found["end"] = 420_000
    return found


def test_short_launching_is_drawn_closer():
    """8 µs of launching in 420: less than 15 %, so it has a scale of its own."""
    figure = viz.timeline(slow())
    check(figure)
    assert "launching · 53 × closer" in words(figure)
    assert {"layer1: 2 launches", "layer2: 2 launches"} <= set(words(figure))
    assert "closer" not in " ".join(words(viz.timeline(run_ahead())))


def test_the_longest_stretch_without_a_wait_is_drawn_closer():
    """Launches at 0 and 2 µs, a wait from 3 to 200, launches at 200, 202, 204."""
    found = run_ahead(5)
    begins = [0, 2, 200, 202, 204]
    for call, begin in zip(found["threads"][0]["calls"], begins, strict=True):
        call["begin"], call["end"] = 1000 * begin, 1000 * (begin + 1)
    found["threads"][0]["waits"][0] |= {"begin": 3000, "end": 200_000}
    assert program_of(found, "a").burst == (200.0, 205.0)
    found["threads"][0]["calls"] = []
    assert program_of(found, "a").burst == (0.0, 0.0)


def test_parts_of_the_program_have_hues_by_the_time_of_the_device():
    """Six parts, of which the four longest have a hue, in the order of launching."""
    found = run_ahead(6)
    found["threads"][0]["scopes"] = [
        scope(f"layer{at}", "module", 2 * at, 2 * at + 2) for at in range(6)
    ]
    for at, work in enumerate(found["streams"][0]["works"]):
        work["end"] = work["begin"] + (100 if at in (0, 3) else 10_000)
    figure = viz.timeline(found)
    key = words(figure)[words(figure).index("Key") + 1 :]
    assert key[:5] == ["layer1", "layer2", "layer4", "layer5", "all else"]


def test_work_belongs_to_the_scope_around_its_launch():
    """Nested scopes, and one that ended before the launch."""
    found = run_ahead(3)
    found["threads"][0]["scopes"] = [
        scope("", "module", 0, 6, 0),
        scope("done", "user", 0, 1, 1),
        scope("conv.inner", "module", 2, 4, 1),
        scope("relu", "op", 2, 4, 2),
        scope("loss", "op", 4, 6, 1),
    ]
    works = program_of(found, "a").works
    assert [each.group for each in works] == ["done", "conv", "loss"]

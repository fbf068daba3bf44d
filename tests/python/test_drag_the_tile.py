"""The page "Drag the tile": its numbers by arithmetic, its size, and what it needs."""

from __future__ import annotations

import re
import sys

import pytest

from minitorch import cuda
from minitorch.viz.scene.render import draw

from .scenes import check_scene
from .source_tree import ROOT

sys.path.insert(0, str(ROOT / "docs"))
import drag_the_tile

pytestmark = pytest.mark.cuda
N = drag_the_tile.N


@pytest.fixture(scope="module")
def launches():
    if not cuda.is_emulated():
        pytest.skip("the page shows what the emulator records")
    return drag_the_tile.record_all()


def test_counters_are_those_of_arithmetic(launches):
    for (size, lanes, padding, barrier), launch in launches.items():
        tile, counters = drag_the_tile.TILES[size], launch.counters
        assert counters["global_load_bytes"] == 2 * 4 * N**3 // tile
        assert counters["fma_f32"] == N**3
        if not lanes and tile >= 8:  # a row of a tile fills whole sectors of 32 bytes
            assert counters["global_load_sectors"] * 32 == 2 * 4 * N**3 // tile
        if lanes and tile == 32:  # each lane another row; one bank without padding
            assert counters["global_load_sectors"] == 2 * N * N
            reads = counters["shared_load_requests"]
            passes = reads if padding else reads // 2 * (32 + 1)
            assert counters["shared_load_wavefronts"] == passes
        races = bool(barrier) and tile > 1
        assert bool(launch.finding) == races
        assert launch.wrong.any() <= races


def test_the_page_is_small_and_needs_no_network(launches, monkeypatch):
    monkeypatch.setattr(drag_the_tile, "record_all", lambda: launches)
    page = drag_the_tile.page()
    assert len(page) < 400_000
    assert not re.findall(r'(?:src|href)="(?!#|data:)', page)
    # The guess is about the number that the headline then names.
    assert "it is 2.`" in page
    assert "asked for 2 times instead of 32" in drag_the_tile._answer(
        (4, 0, 0, 0), launches[4, 0, 0, 0]
    )
    assert "viz.tiles(run.launches[0])" in page


def test_a_race_is_said_in_the_words_of_the_page(launches):
    assert launches[4, 0, 0, 1].finding == (
        "Thread (0, 0) copies As[0][0] on line 7, thread (1, 0) reads it on line 10, "
        "and no barrier says who is first."
    )
    # The write comes second; row 1 of rows of 33 words begins at word 33.
    assert launches[5, 0, 1, 1].finding.startswith(
        "Thread (0, 1) copies Bs[1][0] on line 8, thread (0, 0) reads it on line 10"
    )


def test_the_code_is_that_of_the_choice(launches):
    figure, _ = drag_the_tile.figure(launches)
    for lanes, line in enumerate(
        (drag_the_tile.ALONG_ROWS, drag_the_tile.DOWN_COLUMNS)
    ):
        state = dict.fromkeys((*drag_the_tile.AXES, "cell"), 0) | {"lanes": lanes}
        drawn = str(draw(figure.scene, state, 1080))
        assert f" {line};" in re.sub("<[^>]*>", "", drawn)


def test_both_renderers_draw_its_states(launches):
    figure, scene = drag_the_tile.figure(launches)
    check_scene(figure, scene, 8)

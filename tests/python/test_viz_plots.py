"""Tests of the plots that matplotlib draws: points and curves by their numbers."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from minitorch import cuda, viz

pytestmark = pytest.mark.cuda
matplotlib = pytest.importorskip("matplotlib", reason="pip install matplotlib")

SCALE = "__global__ void scale(float* x) { x[threadIdx.x] *= 2; }"


@pytest.fixture(scope="module")
def launch() -> cuda.Launch:
    with cuda.inspect() as run:
        cuda.RawKernel(SCALE, "scale")[1, 32](cuda.device_array(32, "float32"))
    return run.launches[0]


def test_a_launch_stands_under_the_roof(launch):
    axes = viz.roofline(launch, gpu="t4")
    points = [line for line in axes.lines if line.get_label().startswith("scale")]
    (x,), (y,) = points[0].get_data()
    assert x == pytest.approx(32 / (8 * 32))  # 32 operations, 4 + 4 sectors
    assert y == pytest.approx(x * 320e9)
    assert axes.get_xscale() == axes.get_yscale() == "log"


def test_the_roof_has_its_knee(launch):
    axes = viz.roofline(launch, gpu="t4")
    (roof,) = [line for line in axes.lines if line.get_label() == "_roof"]
    x, y = roof.get_data()
    assert y[1] == y[2] == max(y)
    assert y[0] / x[0] == pytest.approx(320e9)
    assert y[1] / x[1] == pytest.approx(320e9)


def test_axes_of_the_user_are_taken(launch):
    from matplotlib.figure import Figure

    axes = Figure().subplots(2)
    assert viz.roofline(launch, launch, ax=axes[0]) is axes[0]
    assert viz.loss_curve([1.0], ax=axes[1]) is axes[1]


def test_nothing_global_changes(launch):
    before = dict(matplotlib.rcParams)
    viz.roofline(launch)
    viz.loss_curve([2, 1])
    assert dict(matplotlib.rcParams) == before


def test_losses():
    axes = viz.loss_curve([3.0, np.nan, 1.0, np.inf])
    x, y = axes.lines[0].get_data()
    assert x.tolist() == [1, 2, 3, 4]
    np.testing.assert_array_equal(y, [3.0, np.nan, 1.0, np.nan])
    assert axes.get_title() == "2 values are NaN or infinite"


def test_several_curves_have_names():
    axes = viz.loss_curve({"train": [2, 1], "test": np.array([2.5, 2.0])})
    assert [line.get_label() for line in axes.lines] == ["train", "test"]
    assert len({line.get_color() for line in axes.lines}) == 2


def test_without_matplotlib(launch, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.axes", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        viz.roofline(launch)


def test_bad_input(launch):
    with pytest.raises(ValueError, match=r"\[viz.roofline\] got no launch"):
        viz.roofline()
    with pytest.raises(TypeError, match="need one launch"):
        viz.roofline("x")
    with pytest.raises(TypeError, match="got ax int; need matplotlib's Axes"):
        viz.roofline(launch, ax=3)
    with pytest.raises(TypeError, match="got losses str; need numbers"):
        viz.loss_curve("abc")
    with pytest.raises(TypeError, match="got losses int"):
        viz.loss_curve(3)
    kernel = cuda.RawKernel("__global__ void k() {}", "k")  # kernel[0] is a launch
    with pytest.raises(TypeError, match="got losses RawKernel; need numbers"):
        viz.loss_curve(kernel)
    for nothing in ([], {}, {"train": []}):
        with pytest.raises(ValueError, match="need at least one"):
            viz.loss_curve(nothing)

"""The tests of the layers' kernels as user kernels, under all checks.

Each is launched as its header says; plain sums in NumPy are the reference, over
integers so that they are exact. Broken twins show that the checks would have spoken.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from minitorch import cuda

from .test_conv import cases, reference, slopes
from .test_kernel_templates import grid_of, spec_of, template

pytestmark = pytest.mark.cuda

TILE = 32
OPTIONS = ("stride", "padding", "dilation", "groups")


def integers(shape: tuple[int, ...], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float64)


def struct(*numbers: int) -> np.void:
    """A struct of 64-bit integers, as the kernels of windows take it."""
    raw = np.array(numbers, np.int64)
    return np.frombuffer(raw.tobytes(), [("at", np.int64, len(numbers))])[0]


def axis(size: int, count: int, kernel: int, options: dict, dim: int) -> list[int]:
    stride, before = options["stride"][dim], options["padding"][dim]
    return [size, count, kernel, stride, before, options["dilation"][dim]]


def conv_shape(x: tuple, w: tuple, out: tuple, options: dict) -> np.void:
    axes = [axis(x[2 + d], out[2 + d], w[2 + d], options, d) for d in (0, 1)]
    return struct(x[0], x[1], w[0], options["groups"], *axes[0], *axes[1])


def result(shape: tuple[int, ...]) -> cuda.DeviceArray:
    return cuda.device_array(shape, np.float64)


def convolved(x: np.ndarray, w: np.ndarray, options: dict, broken=("", "")):
    """One launch of conv2d.cu with the bias 0, 1, 2, …"""
    expected = reference(x, w, **options)
    spec = spec_of(np.float64, 1) + "\nconstexpr bool BIAS = true;"
    kernel = template("conv2d", spec, broken)
    out = result(expected.shape)
    arrays = [cuda.to_device(a) for a in (x, w, np.arange(w.shape[0]) * 1.0)]
    shape = conv_shape(x.shape, w.shape, expected.shape, options)
    kernel(grid_of(out.size, 64), 64, (out, *arrays, shape, out.size))
    return out.copy_to_host(), expected + np.arange(w.shape[0]).reshape(1, -1, 1, 1)


@given(case=cases())
@settings(max_examples=15, deadline=None)
def test_convolution_and_its_gradients(case: dict) -> None:
    options = {name: case[name] for name in OPTIONS}
    x, w = integers((min(case["x"][0], 2), *case["x"][1:]), 1), integers(case["w"], 2)
    got, expected = convolved(x, w, options)
    np.testing.assert_array_equal(got, expected)
    g = integers(expected.shape, 3)
    shape = conv_shape(x.shape, w.shape, g.shape, options)
    dx, dw = result(x.shape), result(w.shape)
    on_card = [cuda.to_device(a) for a in (g, w, x)]
    spec = spec_of(np.float64, 1)
    template("conv2d_grad_input", spec)(
        grid_of(x.size, 64), 64, (dx, *on_card[:2], shape, x.size)
    )
    wanted = slopes([x, w], g, options)
    np.testing.assert_array_equal(dx.copy_to_host(), wanted[0])
    for group in (1, 4, TILE):
        slots = TILE // group
        template("conv2d_grad_weight", spec_of(np.float64, 1, TILE=TILE, GROUP=group))(
            grid_of(w.size, slots),
            (group, slots),
            (dw, on_card[0], on_card[2], shape, w.size),
        )
        np.testing.assert_array_equal(dw.copy_to_host(), wanted[1])


PLAIN = {"stride": (1, 1), "padding": (1, 1), "dilation": (1, 1), "groups": 1}


@pytest.mark.parametrize(
    "broken",
    [
        ("if (i >= cells) return;", ""),
        ("row_inside && inside(columns, at);", "true;"),
    ],
)
def test_convolution_without_a_guard_is_out_of_bounds(broken: tuple[str, str]) -> None:
    x, w = integers((1, 1, 5, 7), 1), integers((1, 1, 3, 3), 2)
    with pytest.raises(cuda.KernelError) as caught:
        convolved(x, w, PLAIN, broken)
    assert caught.value.kind == "oob_global"


def added_up(broken: tuple[str, str] = ("", "")) -> tuple[np.ndarray, np.ndarray]:
    """One launch of embedding_grad.cu, whose indices repeat; row 2 is left out."""
    g, at = integers((9, 5), 1), np.array([0, 1, 1, 2, 0, 3, 3, 3, 2])
    kernel = template("embedding_grad", spec_of(np.float64, 1), broken)
    table = cuda.to_device(np.zeros((4, 5)))
    kernel(1, 64, (table, cuda.to_device(g), cuda.to_device(at), 2, 5, g.size))
    expected = np.zeros((4, 5))
    np.add.at(expected, at[at != 2], g[at != 2])
    return table.copy_to_host(), expected


def test_embedding_adds_where_indices_repeat() -> None:
    np.testing.assert_array_equal(*added_up())


def test_embedding_without_atomics_is_a_race() -> None:
    plain = (
        "atomicAdd(&dtable[static_cast<Index>(row) * width + i % width], g[i]);",
        "dtable[static_cast<Index>(row) * width + i % width] += g[i];",
    )
    with pytest.raises(cuda.KernelError) as caught:
        added_up(plain)
    assert "race" in caught.value.kind


@pytest.mark.parametrize("wide", [False, True])
def test_pooling_of_odd_sizes(wide: bool) -> None:
    x = integers((3, 7, 5), 1)
    shape = struct(3, 7, 4, 3, 2, 1, 1, 5, 5, 2, 1, 0, 1)  # windows 3x2, stride 2x1
    padded = np.pad(x, ((0, 0), (1, 1), (0, 1)), constant_values=-np.inf)
    views = np.lib.stride_tricks.sliding_window_view(padded, (3, 2), (1, 2))[:, ::2]
    out, at = result((3, 4, 5)), cuda.device_array((3, 4, 5), np.int32)
    spec = spec_of(np.float64, 1, wide)
    on_card = cuda.to_device(x)
    template("max_pool2d", spec)(2, 33, (out, at, on_card, shape, out.size))
    np.testing.assert_array_equal(out.copy_to_host(), views.max((3, 4)))
    again = result((3, 4, 5))
    template("pick", spec)(2, 33, (again, on_card, at, 20, 35, out.size))
    np.testing.assert_array_equal(again.copy_to_host(), out.copy_to_host())
    dx = result(x.shape)
    ones = cuda.to_device(np.ones(out.shape))
    template("max_pool2d_grad", spec)(4, 32, (dx, ones, at, shape, x.size))
    expected = np.zeros((3, 35))
    for plane, places in enumerate(at.copy_to_host().reshape(3, -1)):
        np.add.at(expected[plane], places, 1)
    np.testing.assert_array_equal(dx.copy_to_host().reshape(3, -1), expected)
    assert dx.copy_to_host().sum() == out.size

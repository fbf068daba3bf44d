"""The tests of the kernels of normalisation, descent, random numbers and checked
indices as user kernels, under all checks.

Each is launched as its header says, over odd sizes. NumPy is the reference. Broken
twins show that the checks would have spoken.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from minitorch import cuda

from .test_kernel_templates import (
    FOLDER,
    grid_of,
    packed,
    shape_of,
    spec_of,
    strides_of,
    template,
    uploaded,
)

pytestmark = pytest.mark.cuda

TILE = 32
SHAPES = [(1, 3, 1), (2, 3, 31), (40, 2, 3), (1, 1, 64), (3, 5, 33)]
NULL = None  # an array that the spec leaves out


def drawn(shape: Any, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def spec(ndim: int = 1, dtype: Any = np.float64, **flags: bool) -> str:
    lines = [
        f"constexpr bool {name} = {str(on).lower()};" for name, on in flags.items()
    ]
    plain = spec_of(dtype, ndim, TILE=TILE)
    return "\n".join(["using Source = double;", *lines, plain])


def room(*shape: int) -> cuda.DeviceArray:
    return cuda.device_array(shape, np.float64)


def one_by_one(x: np.ndarray, epsilon: float) -> tuple[np.ndarray, ...]:
    """y, mean, variance and scale of x (outer, groups, inner)."""
    mean, variance = x.mean((0, 2)), x.var((0, 2))
    scale = (variance + epsilon) ** -0.5
    return (x - mean[:, None]) * scale[:, None], mean, variance, scale


@pytest.mark.parametrize("running", [False, True])
@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_standardise(shape: tuple[int, int, int], affine: bool, running: bool) -> None:
    outer, groups, inner = shape
    x, w, b = drawn(shape, 1), drawn(groups, 2), drawn(groups, 3)
    moving = [cuda.to_device(drawn(groups, 4)), cuda.to_device(drawn(groups, 5))]
    kernel = template(
        "standardise",
        spec(WEIGHT=affine, BIAS=affine, AFFINE_OF_CELLS=False, RUNNING=running),
    )
    out = [room(*shape), room(groups), room(groups), room(groups)]
    parts = [cuda.to_device(w), cuda.to_device(b)] if affine else [NULL, NULL]
    parts += moving if running else [NULL, NULL]
    cells = outer * inner
    unbiased = cells / max(cells - 1, 1)
    numbers = (0.5, 0.1, 0.9, unbiased)
    sizes = (outer, groups, inner)
    kernel(groups, TILE, (*out, cuda.to_device(x), *parts, *sizes, *numbers))
    y, mean, variance, scale = one_by_one(x, 0.5)
    y = y * w[:, None] + b[:, None] if affine else y
    for got, want in zip(out, (y, mean, variance, scale), strict=True):
        np.testing.assert_allclose(got.copy_to_host(), want, rtol=1e-12, atol=1e-14)
    if running:
        means = 0.9 * drawn(groups, 4) + 0.1 * mean
        spreads = 0.9 * drawn(groups, 5) + 0.1 * variance * unbiased
        np.testing.assert_allclose(moving[0].copy_to_host(), means, rtol=1e-12)
        np.testing.assert_allclose(moving[1].copy_to_host(), spreads, rtol=1e-12)


def test_standardise_with_a_weight_for_each_cell() -> None:
    rows, cells = 5, 33
    x, w, b = drawn((1, rows, cells), 1), drawn(cells, 2), drawn(cells, 3)
    flags = {"WEIGHT": True, "BIAS": True, "AFFINE_OF_CELLS": True, "RUNNING": False}
    kernel = template("standardise", spec(**flags))
    out = [room(*x.shape), room(rows), room(rows), room(rows)]
    parts = (cuda.to_device(w), cuda.to_device(b), NULL, NULL)
    kernel(
        rows,
        TILE,
        (*out, cuda.to_device(x), *parts, 1, rows, cells, 0.1, 0.0, 1.0, 1.0),
    )
    want = one_by_one(x, 0.1)[0] * w + b
    np.testing.assert_allclose(out[0].copy_to_host(), want, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_normalise(shape: tuple[int, int, int], affine: bool) -> None:
    outer, groups, inner = shape
    x, mean, w, b = (drawn(s, i) for i, s in enumerate((shape, groups, groups, groups)))
    variance = drawn(groups, 5) ** 2
    kernel = template("normalise", spec(WEIGHT=affine, BIAS=affine))
    y = room(*shape)
    known = (cuda.to_device(mean), cuda.to_device(variance))
    parts = (cuda.to_device(w), cuda.to_device(b)) if affine else (NULL, NULL)
    arrays = (y, cuda.to_device(x), *known, *parts)
    kernel((groups, 2), TILE, (*arrays, outer, groups, inner, 0.5))
    want = (x - mean[:, None]) / np.sqrt(variance + 0.5)[:, None]
    want = want * w[:, None] + b[:, None] if affine else want
    np.testing.assert_allclose(y.copy_to_host(), want, rtol=1e-12, atol=1e-14)


def slopes(
    g: np.ndarray, x: np.ndarray, h: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """dx, sums of g * z and of g, with h = g * weight."""
    z, _, _, scale = one_by_one(x, 0.5)
    mean = h.mean((0, 2), keepdims=True)
    along = (h * z).mean((0, 2), keepdims=True)
    return scale[:, None] * (h - mean - z * along), g * z, g


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_standardise_grad(shape: tuple[int, int, int], weighted: bool) -> None:
    outer, groups, inner = shape
    x, g, w = drawn(shape, 1), drawn(shape, 2), drawn(groups, 3)
    flags = {"WEIGHT": weighted, "AFFINE_OF_CELLS": False, "SUMS": True}
    _, mean, _, scale = one_by_one(x, 0.5)
    out = [room(*shape), room(groups), room(groups)]
    inputs = [cuda.to_device(a) for a in (g, x, mean, scale)]
    weight = cuda.to_device(w) if weighted else NULL
    kernel = template("standardise_grad", spec(**flags))
    kernel(groups, TILE, (*out, *inputs, weight, outer, groups, inner))
    dx, dw, db = slopes(g, x, g * w[:, None] if weighted else g)
    want = (dx, dw.sum((0, 2)), db.sum((0, 2)))
    for got, each in zip(out, want, strict=True):
        np.testing.assert_allclose(got.copy_to_host(), each, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize(("rows", "cells"), [(1, 31), (7, 1), (5, 33)])
def test_gradients_of_a_weight_for_each_cell(rows: int, cells: int) -> None:
    x, g = drawn((1, rows, cells), 1), drawn((1, rows, cells), 2)
    w = drawn(cells, 3)
    _, mean, _, scale = one_by_one(x, 0.5)
    inputs = [cuda.to_device(a) for a in (g, x, mean, scale)]
    dx, of_weight, of_bias = room(*x.shape), room(cells), room(cells)
    flags = {"WEIGHT": True, "AFFINE_OF_CELLS": True, "SUMS": False}
    template("standardise_grad", spec(**flags))(
        rows, TILE, (dx, NULL, NULL, *inputs, cuda.to_device(w), 1, rows, cells)
    )
    template("standardise_grad_weight", spec())(
        grid_of(cells, TILE), TILE, (of_weight, of_bias, *inputs, rows, cells)
    )
    want, dw, db = slopes(g, x, g * w)
    np.testing.assert_allclose(dx.copy_to_host(), want, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(of_weight.copy_to_host(), dw.sum((0, 1)), rtol=1e-11)
    np.testing.assert_allclose(of_bias.copy_to_host(), db.sum((0, 1)), rtol=1e-11)


@pytest.mark.parametrize("size", [1, 31, 33, 97])
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("nesterov", [False, True])
def test_sgd(size: int, first: bool, nesterov: bool) -> None:
    p, g, v = drawn(size, 1), drawn(size, 2), drawn(size, 3)
    flags = {"DECAY": True, "MOMENTUM": True, "FIRST": first, "NESTEROV": nesterov}
    value, moving = cuda.to_device(p), cuda.to_device(v)
    numbers = (0.1, 0.9, 0.75, 0.01)
    kernel = template("sgd", spec(**flags))
    arrays = (value, cuda.to_device(g), moving)
    kernel(grid_of(size, TILE), TILE, (*arrays, *numbers, size))
    pulled = g + 0.01 * p
    v = pulled if first else 0.9 * v + 0.75 * pulled
    move = pulled + 0.9 * v if nesterov else v
    np.testing.assert_allclose(moving.copy_to_host(), v, rtol=1e-14)
    np.testing.assert_allclose(value.copy_to_host(), p - 0.1 * move, rtol=1e-13)


@pytest.mark.parametrize("decoupled", [False, True])
@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("size", [1, 31, 33])
def test_adam(size: int, counted: bool, decoupled: bool) -> None:
    p, g, m, v = (drawn(size, i) for i in range(4))
    v, t, rate, b1, b2, epsilon, decay = v**2, 5, 0.1, 0.9, 0.99, 1e-3, 0.01
    flags = {"DECAY": True, "DECOUPLED": decoupled, "COUNTED": counted}
    arrays = [cuda.to_device(a) for a in (p, g, m, v)]
    count = cuda.to_device(np.float32([t])) if counted else NULL
    numbers = (np.int64(0 if counted else t), rate, b1, b2, epsilon, decay, size)
    kernel = template("adam", spec(**flags))
    kernel(grid_of(size, TILE), TILE, (*arrays, count, *numbers))
    p, g = (p * (1 - rate * decay), g) if decoupled else (p, g + decay * p)
    m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g**2
    spread = np.sqrt(v / (1 - b2**t)) + epsilon
    want = (p - rate / (1 - b1**t) * m / spread, m, v)
    for got, each in zip((arrays[0], arrays[2], arrays[3]), want, strict=True):
        np.testing.assert_allclose(got.copy_to_host(), each, rtol=1e-12)


def philox(seed: int, counter: int) -> list[int]:
    """Philox 4x32-10, from the paper: Salmon et al. (2011)."""
    c, key = (
        [counter & 0xFFFFFFFF, counter >> 32, 0, 0],
        [seed & 0xFFFFFFFF, seed >> 32],
    )
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [
            (p1 >> 32) ^ c[1] ^ key[0],
            p1 & 0xFFFFFFFF,
            (p0 >> 32) ^ c[3] ^ key[1],
            p0 & 0xFFFFFFFF,
        ]
        key = [(key[0] + 0x9E3779B9) % 2**32, (key[1] + 0xBB67AE85) % 2**32]
    return c


def uniform(seed: int, first: int, count: int) -> np.ndarray:
    found = []
    for block in range(-(-count // 2)):
        a, b, c, d = philox(seed, first + block)
        found += [((a << 32 | b) >> 11) * 2.0**-53, ((c << 32 | d) >> 11) * 2.0**-53]
    return np.array(found)


@pytest.mark.parametrize("size", [1, 2, 33, 65])
@pytest.mark.parametrize("placed", [False, True])
def test_random(size: int, placed: bool) -> None:
    seed, first = 2**40 + 7, 2**33 + 5
    place = cuda.to_device(np.array([seed, first - 1], np.uint64)) if placed else NULL
    start = (
        (np.uint64(0), np.uint64(1)) if placed else (np.uint64(seed), np.uint64(first))
    )
    numbers = uniform(seed, first, size)
    for normal in (False, True):
        out = room(size)
        kernel = template("random", spec(NORMAL=normal))
        blocks = grid_of(grid_of(size, 2), TILE)
        kernel(blocks, TILE, (out, *start, place, size))
        if normal:
            radius = np.sqrt(-2 * np.log(1 - numbers[::2]))
            angle = 2 * np.pi * numbers[1::2]
            pairs = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)
            np.testing.assert_allclose(
                out.copy_to_host(), pairs.ravel()[:size], rtol=1e-13, atol=1e-14
            )
        else:
            np.testing.assert_array_equal(out.copy_to_host(), numbers[:size])


@pytest.mark.parametrize("count", [1, 31, 33])
def test_arange(count: int) -> None:
    kernel = template("arange", "using Working = double;\n" + spec())
    out = room(count)
    kernel(grid_of(count, TILE), TILE, (out, 0.5, -0.25, count))
    np.testing.assert_array_equal(out.copy_to_host(), 0.5 - 0.25 * np.arange(count))


NOTE = np.dtype(
    [
        ("state", np.uint32),
        ("rule", np.uint32),
        ("value", np.int64),
        ("real", np.float64),
        ("position", np.int64),
        ("size", np.int64),
    ]
)


def checked(
    index: np.ndarray, low: int, ignored: int | None, broken: tuple[str, str] = ("", "")
) -> tuple[np.ndarray, np.ndarray]:
    """One launch of check_index.cu for a size of 5: indices, and the note."""
    note = cuda.to_device(np.zeros(1, NOTE).view(np.uint64))
    out = cuda.device_array(index.size, np.int64)
    source = f"using Source = {'double' if index.dtype.kind == 'f' else 'long long'};"
    flag = f"constexpr bool IGNORED = {str(ignored is not None).lower()};"
    whole = "\n".join([source, flag, spec_of(np.int64, index.ndim)])
    walk = (shape_of(index), strides_of(index), index.size)
    limits = (np.int64(low), np.int64(5), np.int64(ignored or 0))
    kernel = template("check_index", whole, broken)
    arguments = (out, uploaded(index), *walk, *limits, note, np.uint32(3))
    kernel(grid_of(index.size, TILE), TILE, arguments)
    return out.copy_to_host(), note.copy_to_host().view(NOTE)[0]


def test_fit_indices_go_through_without_a_note() -> None:
    index = np.arange(-5, 5).reshape(2, 5).T
    out, note = checked(index, -5, None)
    np.testing.assert_array_equal(out, index.ravel())
    assert note["state"] == 0


@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_the_first_unfit_index_is_noted_and_all_read_at_0(kind: Any) -> None:
    index = np.full(70, 2, kind)
    index[40] = 5
    out, note = checked(index, 0, None)
    assert list(note) == [2, 3, 5, 5.0, 40, 5]
    index[40] = 0
    np.testing.assert_array_equal(out, index)
    index[:] = -1
    out, note = checked(index, 0, None)
    assert (note["state"], note["value"]) == (2, -1)
    np.testing.assert_array_equal(out, np.zeros(70))


def test_labels_that_are_not_whole_do_not_fit() -> None:
    for unfit in (0.5, np.nan, np.inf):
        out, note = checked(np.array([1.0, unfit]), 0, None)
        np.testing.assert_array_equal(out, [1, 0])
        np.testing.assert_array_equal(note["real"], unfit)


def test_an_ignored_index_is_0_without_a_note() -> None:
    out, note = checked(np.array([4, -100, 1]), 0, -100)
    np.testing.assert_array_equal(out, [4, 0, 1])
    assert note["state"] == 0


def test_elements_outside_a_range_are_noted() -> None:
    note = cuda.to_device(np.zeros(1, NOTE).view(np.uint64))
    kernel = template("check_range", spec())
    a = np.array([0.0, 1.0, np.nan, 0.5])
    for array, state in ((a, 0), (np.append(a, 1.25), 2)):
        walk = (shape_of(array), packed([1], 0), array.size)
        limits = (0.0, 1.0, note, np.uint32(3))
        kernel(1, TILE, (cuda.to_device(array), *walk, *limits))
        found = note.copy_to_host().view(NOTE)[0]
        assert found["state"] == state
    assert (found["real"], found["position"]) == (1.25, 4)


BROKEN = {
    "sgd": ("  if (i >= size) return;\n", ""),
    "adam": ("  if (i >= size) return;\n", ""),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_step_without_its_guard_is_out_of_bounds(name: str) -> None:
    size = 40
    arrays = [cuda.to_device(np.ones(size)) for _ in range(4)]
    if name == "sgd":
        flags = {"DECAY": False, "MOMENTUM": True, "FIRST": False, "NESTEROV": False}
        arguments = (*arrays[:3], 0.1, 0.9, 1.0, 0.0, size)
    else:
        flags = {"DECAY": False, "DECOUPLED": False, "COUNTED": False}
        arguments = (*arrays, NULL, np.int64(1), 0.1, 0.9, 0.99, 1e-8, 0.0, size)
    kernel = template(name, spec(**flags), BROKEN[name])
    kernel(2, TILE, arguments)
    with pytest.raises(cuda.KernelError) as caught:
        cuda.synchronize()
    assert caught.value.kind == "oob_global"


def test_a_note_that_all_may_write_is_a_race() -> None:
    broken = (
        "  if (atomicCAS(&note->state, 0u, 1u) != 0u) return;",
        "",
    )
    headers = {path.name: path.read_text() for path in FOLDER.glob("*.cuh")}
    assert broken[0] in headers["refusal.cuh"]
    headers["refusal.cuh"] = headers["refusal.cuh"].replace(*broken)
    flags = "using Source = long long;\nconstexpr bool IGNORED = false;\n"
    headers["spec.cuh"] = "#pragma once\n" + flags + spec_of(np.int64, 1)
    code = (FOLDER / "check_index.cu").read_text()
    kernel = cuda.RawModule(code=code, headers=headers).get_function("check_index")
    index = np.full(64, 9)
    note = cuda.to_device(np.zeros(1, NOTE).view(np.uint64))
    walk = (shape_of(index), strides_of(index), 64)
    limits = (np.int64(0), np.int64(5), np.int64(0), note, np.uint32(3))
    kernel(
        2, 32, (cuda.device_array(64, np.int64), cuda.to_device(index), *walk, *limits)
    )
    with pytest.raises(cuda.KernelError) as caught:
        cuda.synchronize()
    assert "race" in caught.value.kind


def test_a_sum_without_its_last_barrier_is_a_race() -> None:
    headers = {path.name: path.read_text() for path in FOLDER.glob("*.cuh")}
    after = "  const Scalar sum = partial[0];\n  __syncthreads();"
    good = headers["block_join.cuh"]
    assert after in good
    headers["block_join.cuh"] = good.replace(after, "  const Scalar sum = partial[0];")
    flags = ("WEIGHT", "BIAS", "AFFINE_OF_CELLS", "RUNNING")
    headers["spec.cuh"] = "#pragma once\n" + spec(**dict.fromkeys(flags, False))
    code = (FOLDER / "standardise.cu").read_text()
    kernel = cuda.RawModule(code=code, headers=headers).get_function("standardise")
    out = [room(8, 1, 33), room(1), room(1), room(1)]
    x = cuda.to_device(drawn((8, 1, 33), 1))
    kernel(1, TILE, (*out, x, *[NULL] * 4, 8, 1, 33, 0.5, 0.0, 1.0, 1.0))
    with pytest.raises(cuda.KernelError) as caught:
        cuda.synchronize()
    assert "race" in caught.value.kind

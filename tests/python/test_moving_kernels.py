"""The tests of the kernels that pick, place and scan, as user kernels under all checks,
with NumPy as the reference and broken twins that the checks must find.
"""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda

from .test_kernel_templates import (
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
BETTER = """
struct Better {
  __device__ bool operator()(Scalar a, Scalar b) const { return a > b; }
};"""
SIZES = [1, TILE - 1, TILE, TILE + 1, 3 * TILE + 5]


def integers(shape: tuple[int, ...], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float64)


def lines_of(a: np.ndarray) -> tuple[np.void, np.void]:
    """Shape and strides of the rows of a matrix."""
    return packed(a.shape[:1], 1), packed([a.strides[0] // a.itemsize], 0)


def summed(a: np.ndarray, broken: tuple[str, str] = ("", "")) -> np.ndarray:
    """One launch of cumsum.cu along the rows of a matrix."""
    kernel = template("cumsum", spec_of(np.float64, 1, TILE=TILE), broken)
    out = cuda.device_array(a.shape, np.float64)
    shape, steps = lines_of(a)
    rows = packed([a.shape[1]], 0)
    step = a.strides[1] // a.itemsize
    kernel(
        a.shape[0], TILE, (out, uploaded(a), shape, rows, steps, a.shape[1], 1, step)
    )
    return out.copy_to_host()


@pytest.mark.parametrize("length", SIZES)
def test_cumsum(length: int) -> None:
    a = integers((3, length), 1)
    np.testing.assert_array_equal(summed(a), a.cumsum(1))
    turned = integers((length, 3), 2).T
    np.testing.assert_array_equal(summed(turned), turned.cumsum(1))


def test_cumsum_without_a_barrier_is_a_race() -> None:
    after = "sum += partial[t - before];\n      __syncthreads();"
    with pytest.raises(cuda.KernelError) as caught:
        summed(integers((1, 2 * TILE), 1), (after, "sum += partial[t - before];"))
    assert "race" in caught.value.kind


def places(a: np.ndarray, broken: tuple[str, str] = ("", "")) -> np.ndarray:
    """One launch of arg_reduce.cu along the rows of a matrix."""
    spec = spec_of(np.float64, 1, TILE=TILE) + BETTER
    kernel = template("arg_reduce", spec, broken)
    out = cuda.device_array(a.shape[:1], np.int64)
    step = a.strides[1] // a.itemsize
    kernel(a.shape[0], TILE, (out, uploaded(a), *lines_of(a), a.shape[1], step))
    return out.copy_to_host()


@pytest.mark.parametrize("length", SIZES)
def test_arg_reduce(length: int) -> None:
    a = integers((4, length), 3)
    a[1, length // 2] = np.nan
    np.testing.assert_array_equal(places(a), a.argmax(1))
    turned = integers((length, 3), 4).T
    np.testing.assert_array_equal(places(turned), turned.argmax(1))


@pytest.mark.parametrize(
    ("broken", "kind"),
    [
        (("  __syncthreads();\n    const int other", "  const int other"), "race"),
        (("t < half && other < length", "t < half"), "uninit"),
    ],
)
def test_arg_reduce_broken(broken: tuple[str, str], kind: str) -> None:
    with pytest.raises(cuda.KernelError) as caught:
        places(integers((2, TILE - 5), 3), broken)
    assert kind in caught.value.kind


def moved(
    a: np.ndarray, index: np.ndarray, broken: tuple[str, str] = ("", "")
) -> np.ndarray:
    """One launch of gather.cu: index (n, m) into the rows of a (rows, m)."""
    kernel = template("gather", spec_of(np.float64, 2), broken)
    out = cuda.device_array(index.shape, np.float64)
    flat = packed([0, a.strides[1] // a.itemsize], 0)
    walk = (shape_of(index), flat, strides_of(index))
    sizes = (a.shape[0], a.strides[0] // a.itemsize, index.size)
    kernel(
        grid_of(index.size, 64), 64, (out, uploaded(a), uploaded(index), *walk, *sizes)
    )
    return out.copy_to_host()


def test_gather_and_scatter() -> None:
    generator = np.random.default_rng(5)
    for rows, n, m in [(1, 1, 1), (7, 13, 5), (64, 9, 33)]:
        a = integers((rows, m), 6)
        index = generator.integers(-rows, rows, (n, m))
        np.testing.assert_array_equal(moved(a, index), np.take_along_axis(a, index, 0))
        column = np.broadcast_to(index[:, :1], (n, m))  # one index for a row
        expected = np.take_along_axis(a, column, 0)
        np.testing.assert_array_equal(moved(a, column), expected)
        source, added = integers((n, m), 7), a.copy()
        np.add.at(added, (index, np.arange(m)), source)
        spec = spec_of(np.float64, 2) + "\nconstexpr bool ADD = true;"
        out = cuda.to_device(a)
        walk = (
            shape_of(index),
            packed([0, 1], 0),
            strides_of(source),
            strides_of(index),
        )
        arrays = (out, uploaded(source), uploaded(index))
        template("scatter", spec)(
            grid_of(index.size, 64), 64, (*arrays, *walk, rows, m, index.size)
        )
        np.testing.assert_array_equal(out.copy_to_host(), added)


def test_an_index_that_is_not_wrapped_is_out_of_bounds() -> None:
    wrap = "if (at < 0) at += length;"
    with pytest.raises(cuda.KernelError) as caught:
        moved(integers((4, 3), 1), np.full((2, 3), -1), (wrap, ""))
    assert caught.value.kind == "oob_global"


def test_additions_that_are_not_atomic_are_a_race() -> None:
    spec = spec_of(np.float64, 1) + "\nconstexpr bool ADD = true;"
    kernel = template(
        "scatter", spec, ("  atomicAdd(cell, value);", "  *cell += value;")
    )
    out, ones = cuda.to_device(np.zeros(1)), cuda.to_device(np.ones(64))
    index = cuda.to_device(np.zeros(64, np.int64))
    walk = (packed([64], 1), packed([0], 0), packed([1], 0), packed([1], 0))
    kernel(2, 32, (out, ones, index, *walk, 1, 1, 64))
    with pytest.raises(cuda.KernelError) as caught:
        cuda.synchronize()
    assert "race" in caught.value.kind


def test_where() -> None:
    a, b = integers((13, 9), 8), np.broadcast_to(integers((9,), 9), (13, 9))
    chosen = a > 0
    spec = "using Condition = bool;\n" + spec_of(np.float64, 2)
    kernel = template("where", spec)
    out = cuda.device_array(a.shape, np.float64)
    arrays = (out, cuda.to_device(chosen), uploaded(a), uploaded(b))
    steps = (packed([9, 1], 0), strides_of(a), strides_of(b))
    kernel(grid_of(a.size, 64), 64, (*arrays, shape_of(a), *steps, a.size))
    np.testing.assert_array_equal(out.copy_to_host(), np.where(chosen, a, b))


@pytest.mark.parametrize("first", [True, False])
def test_where_with_a_number(first: bool) -> None:
    a = np.broadcast_to(integers((9,), 9), (13, 9))
    condition = integers((9, 13), 8).T  # numbers of which those that are not 0 hold
    spec = "using Condition = double;\n" + spec_of(np.float64, 2)
    flag = f"constexpr bool NUMBER_FIRST = {str(first).lower()};\n"
    out = cuda.device_array(a.shape, np.float64)
    arrays = (out, uploaded(condition), uploaded(a))
    walk = (shape_of(a), strides_of(condition), strides_of(a), a.size)
    kernel = template("where_number", flag + spec)
    kernel(grid_of(a.size, 64), 64, (*arrays, 0.5, *walk))
    want = np.where((condition != 0) == first, 0.5, a)
    np.testing.assert_array_equal(out.copy_to_host(), want)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("shape", [(1, 1), (31, 3), (7, 64)])
def test_zip_with_a_number(shape: tuple[int, int], first: bool) -> None:
    a = integers(shape, 3).T
    flag = f"constexpr bool NUMBER_FIRST = {str(first).lower()};\n"
    types = "using Source = double;\nusing Working = float;\n"
    less = "__device__ bool operator()(Working a, Working b) const { return a < b; }"
    spec = spec_of(np.int64, 2).split("struct Fn")[0] + f"struct Fn {{ {less} }};"
    out = cuda.device_array(a.shape, np.int64)
    walk = (shape_of(a), strides_of(a), a.size)
    kernel = template("zip_number", flag + types + spec)
    number = np.float32(0.5)
    kernel(grid_of(a.size, 32), 32, (out, uploaded(a), number, *walk))
    want = (a > 0.5) if first else (a < 0.5)
    np.testing.assert_array_equal(out.copy_to_host(), want)


def test_clamp_lets_a_nan_through() -> None:
    a = integers((5, 7), 4)
    a[0, :2] = np.nan, np.inf
    spec = "using Source = double;\nusing Working = double;\n" + spec_of(np.float64, 2)
    out = cuda.device_array(a.T.shape, np.float64)
    walk = (shape_of(a.T), strides_of(a.T), a.size)
    template("clamp", spec)(2, 32, (out, uploaded(a), -1.0, 1.5, *walk))
    np.testing.assert_array_equal(out.copy_to_host(), a.T.clip(-1.0, 1.5))


def test_a_number_kernel_without_its_guard_is_out_of_bounds() -> None:
    spec = "using Source = double;\nusing Working = double;\n" + spec_of(np.float64, 1)
    kernel = template("clamp", spec, ("  if (i >= size) return;\n", ""))
    a, out = cuda.to_device(np.ones(40)), cuda.device_array(40, np.float64)
    kernel(2, 32, (out, a, 0.0, 1.0, packed([40], 1), packed([1], 0), 40))
    with pytest.raises(cuda.KernelError) as caught:
        cuda.synchronize()
    assert caught.value.kind == "oob_global"

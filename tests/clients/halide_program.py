"""A program of Halide: pipelines with the schedules that its users give GPUs.

Every result is compared with NumPy. Knows nothing of minitorch.
"""

import halide as hl
import numpy as np
from client_cases import case, main

RNG = np.random.default_rng(1)
TARGET = hl.get_host_target().with_feature(hl.TargetFeature.CUDA)
X, Y, C, XI, YI = (hl.Var(name) for name in ("x", "y", "c", "xi", "yi"))


def on_blocks(function, size=16):
    return function.gpu_tile(X, Y, XI, YI, size, size)


def result_of(function, *shape):
    buffer = function.realize(list(shape), TARGET)
    buffer.copy_to_host()
    return np.array(buffer).T  # Halide's first axis is NumPy's last


def image(*shape, dtype=np.float32):
    """Numbers with Halide's order of axes (x first), and the buffer of them."""
    array = RNG.integers(0, 100, shape).astype(dtype)
    return array, hl.Buffer(np.ascontiguousarray(array.T))


@case
def brighter():
    array, source = image(60, 40, dtype=np.uint8)
    f = hl.Func("brighter")
    f[X, Y] = hl.u8(hl.min(hl.u16(source[X, Y]) * 3, 255))
    on_blocks(f)
    np.testing.assert_array_equal(
        result_of(f, 60, 40), np.minimum(array.astype(int) * 3, 255)
    )


def blurred(array):
    across = (array[:-2] + array[1:-1] + array[2:]) / 3
    return (across[:, :-2] + across[:, 1:-1] + across[:, 2:]) / 3


def blur(source):
    across, f = hl.Func("across"), hl.Func("blur")
    across[X, Y] = (source[X, Y] + source[X + 1, Y] + source[X + 2, Y]) / 3
    f[X, Y] = (across[X, Y] + across[X, Y + 1] + across[X, Y + 2]) / 3
    return across, f


@case
def blur_in_two_kernels():
    array, source = image(66, 50)
    across, f = blur(source)
    on_blocks(across.compute_root())
    on_blocks(f)
    np.testing.assert_allclose(result_of(f, 64, 48), blurred(array), rtol=1e-5)


@case
def blur_through_shared_memory():
    array, source = image(66, 50)
    across, f = blur(source)
    on_blocks(f)
    across.compute_at(f, X).gpu_threads(X, Y)
    np.testing.assert_allclose(result_of(f, 64, 48), blurred(array), rtol=1e-5)


@case
def staged_input():
    array, source = image(66, 50)
    _, f = blur(source)
    on_blocks(f)
    staged = hl.BoundaryConditions.repeat_edge(source)
    g = hl.Func("staged_sum")
    g[X, Y] = staged[X - 1, Y] + staged[X + 1, Y]
    on_blocks(g, 8)
    staged.compute_at(g, X).gpu_threads(staged.args()[0], staged.args()[1])
    padded = np.pad(array, ((1, 1), (0, 0)), "edge")
    np.testing.assert_array_equal(result_of(g, 66, 50), padded[:-2] + padded[2:])


@case
def sum_by_parts():
    array, source = image(1024)
    total, inner = hl.Func("total"), hl.RDom([(0, 1024)])
    outer, part, lane = hl.RVar("outer"), hl.RVar("part"), hl.Var("lane")
    total[()] = 0.0
    total[()] += source[inner.x]
    parts = total.update().split(inner.x, outer, part, 32).rfactor(part, lane)
    parts.compute_root().gpu_tile(lane, XI, 32)
    parts.update().gpu_tile(lane, XI, 32)
    np.testing.assert_allclose(result_of(total), array.sum(), rtol=1e-5)


@case
def histogram_by_atomics():
    array, source = image(70, 40, dtype=np.uint8)
    f, at = hl.Func("histogram"), hl.RDom([(0, 70), (0, 40)])
    f[X] = 0
    f[hl.i32(source[at.x, at.y])] += 1
    f.gpu_tile(X, XI, 16)
    outer, inner = hl.RVar("outer"), hl.RVar("inner")
    f.update().atomic().split(at.x, outer, inner, 16).gpu_blocks(at.y).gpu_threads(
        inner
    )
    expected = np.bincount(array.ravel(), minlength=100)
    np.testing.assert_array_equal(result_of(f, 100), expected)


@case
def matrix_product_with_staged_tiles():
    a, left = image(32, 64)
    b, right = image(64, 32)
    f, k = hl.Func("tiled"), hl.RDom([(0, 64)])
    f[X, Y] = 0.0
    f[X, Y] += left[X, k.x] * right[k.x, Y]
    outer, inner = hl.RVar("outer"), hl.RVar("inner")
    out = hl.Func("out")
    out[X, Y] = f[X, Y]
    on_blocks(out)
    f.compute_at(out, X).store_in(hl.MemoryType.GPUShared).gpu_threads(X, Y)
    f.update().split(k.x, outer, inner, 16).reorder(inner, X, Y, outer).gpu_threads(
        X, Y
    )
    np.testing.assert_allclose(result_of(out, 32, 32), a @ b, rtol=1e-5)


@case
def lookup_table():
    array, source = image(64, 48, dtype=np.uint8)
    table, f, i = hl.Func("table"), hl.Func("looked_up"), hl.Var("i")
    table[i] = hl.f32(i) * hl.f32(i)
    f[X, Y] = table[hl.clamp(hl.i32(source[X, Y]), 0, 99)]
    table.compute_root().bound(i, 0, 100).gpu_tile(i, XI, 32)
    on_blocks(f)
    expected = array.astype(np.float32) ** 2
    np.testing.assert_array_equal(result_of(f, 64, 48), expected)


@case
def three_channels_vectorised():
    array, source = image(64, 32, 3)
    f = hl.Func("channels")
    f[X, Y, C] = source[X, Y, C] * 2 + hl.f32(C)
    f.bound(C, 0, 3).vectorize(X, 4)
    f.gpu_tile(X, Y, XI, YI, 4, 8)
    expected = array * 2 + np.arange(3, dtype=np.float32)
    np.testing.assert_array_equal(result_of(f, 64, 32, 3), expected)


@case
def scan():
    array, source = image(80, 24)
    f, at = hl.Func("scan"), hl.RDom([(1, 79)])
    f[X, Y] = source[X, Y]
    f[at.x, Y] += f[at.x - 1, Y]
    on_blocks(f)
    f.update().gpu_tile(Y, YI, 8)
    np.testing.assert_allclose(result_of(f, 80, 24), np.cumsum(array, 0), rtol=1e-5)


@case
def mathematics():
    array, source = image(50, 30)
    f = hl.Func("mathematics")
    f[X, Y] = hl.sqrt(source[X, Y]) + hl.sin(source[X, Y]) * hl.exp(-source[X, Y])
    on_blocks(f)
    expected = np.sqrt(array) + np.sin(array) * np.exp(-array)
    np.testing.assert_allclose(result_of(f, 50, 30), expected, rtol=1e-5, atol=1e-6)


if __name__ == "__main__":
    main()

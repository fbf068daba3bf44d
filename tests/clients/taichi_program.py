"""A program of Taichi: fields, loops, atomics, sparse fields, autodiff, matrices.

Every result is compared with NumPy. Knows nothing of minitorch. Taichi reads the
annotations.
"""

import numpy as np
import taichi as ti
from client_cases import case, main

RNG = np.random.default_rng(1)
ti.init(arch=ti.cuda, log_level=ti.WARN, device_memory_GB=0.3, offline_cache=False)
# Taichi goes on with the CPU, silently, when it finds no CUDA.
assert ti.cfg.arch == ti.cuda, f"Taichi runs on {ti.cfg.arch}"


@case
def field_of_numbers():
    x = ti.field(ti.f32, shape=1000)

    @ti.kernel
    def fill():
        for i in x:
            x[i] = ti.sin(i * 0.5) + i

    fill()
    at = np.arange(1000, dtype=np.float32)
    np.testing.assert_allclose(x.to_numpy(), np.sin(at / 2) + at, rtol=1e-5, atol=1e-5)


@case
def ndarray_on_the_device():
    x = ti.ndarray(ti.i32, shape=(30, 40))

    @ti.kernel
    def fill(x: ti.types.ndarray(ndim=2)):
        for i, j in x:
            x[i, j] = i * 100 + j

    fill(x)
    i, j = np.indices((30, 40))
    np.testing.assert_array_equal(x.to_numpy(), i * 100 + j)


@case
def reduction_returned():
    x = RNG.random(5000, np.float32)

    @ti.kernel
    def total(x: ti.types.ndarray()) -> ti.f32:
        result = 0.0
        for i in range(x.shape[0]):
            result += x[i]
        return result

    np.testing.assert_allclose(total(x), x.sum(), rtol=1e-4)


@case
def histogram():
    x = RNG.integers(0, 16, 4000, np.int32)
    bins = ti.field(ti.i32, shape=16)

    @ti.kernel
    def count(x: ti.types.ndarray()):
        for i in range(x.shape[0]):
            bins[x[i]] += 1

    count(x)
    np.testing.assert_array_equal(bins.to_numpy(), np.bincount(x, minlength=16))


@case
def struct_field():
    particle = ti.types.struct(place=ti.math.vec2, mass=ti.f32)
    particles = particle.field(shape=64)

    @ti.kernel
    def fill():
        for i in particles:
            particles[i].place = ti.math.vec2(i, -i)
            particles[i].mass = 0.5 * i

    fill()
    at = np.arange(64, dtype=np.float32)
    told = particles.to_numpy()
    np.testing.assert_array_equal(told["place"], np.stack([at, -at], 1))
    np.testing.assert_array_equal(told["mass"], at / 2)


@case
def sparse_field():
    x = ti.field(ti.i32)
    ti.root.pointer(ti.i, 16).dense(ti.i, 16).place(x)
    touched = ti.field(ti.i32, shape=())

    @ti.kernel
    def write():
        x[3] = 7
        x[200] = 9

    @ti.kernel
    def visit():
        for _ in x:
            touched[None] += 1

    write()
    visit()
    assert touched[None] == 32  # two blocks of 16
    assert (x[3], x[200], x[50]) == (7, 9, 0)


@case
def gradient():
    x = ti.field(ti.f32, shape=30, needs_grad=True)
    loss = ti.field(ti.f32, shape=(), needs_grad=True)
    x.from_numpy(RNG.random(30, np.float32))

    @ti.kernel
    def energy():
        for i in x:
            loss[None] += ti.sin(x[i]) * x[i]

    with ti.ad.Tape(loss):
        energy()
    values = x.to_numpy()
    expected = np.sin(values) + values * np.cos(values)
    np.testing.assert_allclose(x.grad.to_numpy(), expected, rtol=1e-4)


@case
def shared_memory_by_block_local():
    n = 128
    x, y = ti.field(ti.f32), ti.field(ti.f32)
    ti.root.dense(ti.i, n).place(x, y)
    numbers = RNG.random(n, np.float32)
    x.from_numpy(numbers)

    @ti.kernel
    def smooth():
        ti.loop_config(block_dim=32)
        for i in range(1, n - 1):
            y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3

    smooth()
    expected = (numbers[:-2] + numbers[1:-1] + numbers[2:]) / 3
    np.testing.assert_allclose(y.to_numpy()[1:-1], expected, rtol=1e-5)


@case
def doubles_and_long_integers():
    x, y = ti.field(ti.f64, shape=60), ti.field(ti.i64, shape=60)

    @ti.kernel
    def fill():
        for i in x:
            x[i] = ti.sqrt(ti.cast(i, ti.f64))
            y[i] = ti.cast(i, ti.i64) * 100_000 * 100_000

    fill()
    at = np.arange(60)
    np.testing.assert_allclose(x.to_numpy(), np.sqrt(at), rtol=1e-14)
    np.testing.assert_array_equal(y.to_numpy(), at * 10_000_000_000)


@case
def prefix_sum():
    x = ti.field(ti.i32, shape=256)
    numbers = RNG.integers(0, 100, 256, np.int32)
    x.from_numpy(numbers)
    ti.algorithms.PrefixSumExecutor(256).run(x)
    np.testing.assert_array_equal(x.to_numpy(), np.cumsum(numbers))


if __name__ == "__main__":
    main()

"""A program of Taichi: fields, loops, atomics, sparse fields, autodiff, matrices.

Every result is compared with NumPy. Knows nothing of minitorch.
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
def array_arguments():
    x, y = RNG.random(777, np.float32), RNG.random(777, np.float32)

    @ti.kernel
    def saxpy(a: ti.f32, x: ti.types.ndarray(), y: ti.types.ndarray()):
        for i in range(x.shape[0]):
            y[i] += a * x[i]

    expected = y + np.float32(3) * x
    saxpy(3.0, x, y)
    np.testing.assert_allclose(y, expected, rtol=1e-6)


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
def atomics_min_max():
    x = RNG.integers(-1000, 1000, 3000, np.int32)
    ends = ti.field(ti.i32, shape=2)

    @ti.kernel
    def find(x: ti.types.ndarray()):
        for i in range(x.shape[0]):
            ti.atomic_min(ends[0], x[i])
            ti.atomic_max(ends[1], x[i])

    find(x)
    assert ends.to_numpy().tolist() == [x.min(), x.max()]


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
def matrix_product():
    a, b = RNG.random((30, 20), np.float32), RNG.random((20, 25), np.float32)
    out = np.zeros((30, 25), np.float32)

    @ti.kernel
    def multiply(a: ti.types.ndarray(), b: ti.types.ndarray(), out: ti.types.ndarray()):
        for i, j in ti.ndrange(30, 25):
            total = 0.0
            for k in range(20):
                total += a[i, k] * b[k, j]
            out[i, j] = total

    multiply(a, b, out)
    np.testing.assert_allclose(out, a @ b, rtol=1e-5)


@case
def small_vectors_and_matrices():
    x = ti.Vector.field(3, ti.f32, shape=50)
    turned = ti.Vector.field(3, ti.f32, shape=50)
    numbers = RNG.random((50, 3), np.float32)
    x.from_numpy(numbers)

    @ti.kernel
    def turn():
        by = ti.Matrix([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 2.0]])
        for i in x:
            turned[i] = by @ x[i]

    turn()
    by = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 2]], np.float32)
    np.testing.assert_allclose(turned.to_numpy(), numbers @ by.T, rtol=1e-6)


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
def functions_and_branches():
    out = ti.field(ti.i32, shape=40)

    @ti.func
    def collatz(n):
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    @ti.kernel
    def fill():
        for i in out:
            out[i] = collatz(i + 1)

    def steps(n):
        return 0 if n == 1 else 1 + steps(n // 2 if n % 2 == 0 else 3 * n + 1)

    fill()
    assert out.to_numpy().tolist() == [steps(i + 1) for i in range(40)]


@case
def julia_set():
    n, pixels = 40, ti.field(ti.f32, shape=(80, 40))

    @ti.kernel
    def paint():
        for i, j in pixels:
            z = ti.Vector([i / n - 1, j / n - 0.5]) * 2
            steps = 0
            while z.norm() < 20 and steps < 50:
                z = ti.Vector([z[0] ** 2 - z[1] ** 2 - 0.8, z[1] * z[0] * 2 + 0.2])
                steps += 1
            pixels[i, j] = 1 - steps * 0.02

    paint()
    i, j = np.indices((80, 40))
    z = ((i / n - 1) + 1j * (j / n - 0.5)) * 2
    steps = np.zeros(z.shape, int)
    for _ in range(50):
        inside = (np.abs(z) < 20) & (steps < 50)
        z = np.where(inside, z * z - 0.8 + 0.2j, z)
        steps += inside
    # A few pixels lie so near the edge that rounding decides.
    assert (np.abs(pixels.to_numpy() - (1 - steps * 0.02)) > 1e-3).mean() < 0.02


@case
def random_numbers():
    x = ti.field(ti.f32, shape=20_000)

    @ti.kernel
    def fill():
        for i in x:
            x[i] = ti.random()

    fill()
    values = x.to_numpy()
    assert values.min() >= 0
    assert values.max() < 1
    assert abs(values.mean() - 0.5) < 0.02
    assert len(np.unique(values)) > 19_000


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
def dynamic_list():
    x, count = ti.field(ti.i32), ti.field(ti.i32, shape=())
    ti.root.dynamic(ti.i, 256, chunk_size=32).place(x)

    @ti.kernel
    def append():
        for i in range(100):
            x.append(i)

    @ti.kernel
    def total():
        for i in x:
            count[None] += x[i]

    append()
    total()
    assert count[None] == sum(range(100))


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

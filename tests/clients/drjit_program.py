"""A program of Dr.Jit: arithmetic, memory, control flow, calls, derivatives.

Every result is compared with NumPy. Knows nothing of minitorch.
"""

import math

import drjit as dr
import numpy as np
from client_cases import case, main
from drjit.cuda import PCG32, Float, Int, UInt
from drjit.cuda.ad import Float as Differentiable

RNG = np.random.default_rng(1)


def same(result, expected, tolerance=1e-5):
    np.testing.assert_allclose(np.array(result), expected, tolerance, tolerance)


@case
def functions():
    x = RNG.random(500, np.float32)
    for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "cbrt", "tanh"):
        same(getattr(dr, name)(Float(x)), getattr(np, name)(x), 1e-4)
    same(dr.erf(Float(x)), [math.erf(each) for each in x], 1e-4)


@case
def integers():
    x = RNG.integers(-1000, 1000, 300, np.int32)
    same((Int(x) * 7 + (Int(x) << 2)) ^ Int(5), (x * 7 + (x << 2)) ^ 5)
    same(Int(x) // 7, np.trunc(x / 7))  # Dr.Jit's division is C's
    same(dr.popcnt(Int(x)), [bin(int(i) & 0xFFFFFFFF).count("1") for i in x])


@case
def reductions():
    x = RNG.random(3001, np.float32)
    same(dr.sum(Float(x)), [x.sum()], 1e-4)
    same(dr.max(Float(x)), [x.max()])
    same(dr.min(Float(x)), [x.min()])
    same(dr.prod(Float(x[:20])), [x[:20].prod()], 1e-4)
    assert dr.all(Float(x) >= 0)


@case
def prefix_sums():
    x = RNG.integers(0, 50, 5000, np.uint32)
    same(dr.cumsum(UInt(x)), np.cumsum(x))


@case
def compression():
    x = RNG.random(2000, np.float32)
    same(dr.compress(Float(x) > 0.5), np.flatnonzero(x > 0.5))


@case
def gather_and_scatter():
    x = RNG.random(800, np.float32)
    order = RNG.permutation(800).astype(np.uint32)
    same(dr.gather(Float, Float(x), UInt(order)), x[order])
    out = dr.zeros(Float, 800)
    dr.scatter(out, Float(x), UInt(order))
    expected = np.zeros(800, np.float32)
    expected[order] = x
    same(out, expected)


@case
def histogram_by_atomics():
    x = RNG.integers(0, 16, 4000, np.uint32)
    bins = dr.zeros(UInt, 16)
    dr.scatter_reduce(dr.ReduceOp.Add, bins, UInt(1), UInt(x))
    same(bins, np.bincount(x, minlength=16))


@case
def loop():
    @dr.syntax
    def collatz(n):
        steps = UInt(0)
        while n != 1:
            n = dr.select(n % 2 == 0, n // 2, 3 * n + 1)
            steps += 1
        return steps

    def steps(n):
        return 0 if n == 1 else 1 + steps(n // 2 if n % 2 == 0 else 3 * n + 1)

    same(collatz(dr.arange(UInt, 200) + 1), [steps(i + 1) for i in range(200)])


@case
def nested_switch():
    inner = [lambda x: x - 1, lambda x: x * x]
    outer = [lambda x, i: dr.switch(i, inner, x) + 10, lambda x, i: x]
    x = RNG.random(300, np.float32)
    at = np.arange(300, dtype=np.uint32)
    result = dr.switch(UInt(at % 2), outer, Float(x), UInt(at // 2 % 2))
    chosen = np.where(at // 2 % 2 == 0, x - 1, x * x) + 10
    same(result, np.where(at % 2 == 0, chosen, x))


@case
def local_memory():
    @dr.syntax
    def reversed_sum(n):
        kept = dr.alloc_local(UInt, 8)
        i = UInt(0)
        while i < 8:
            kept[i] = n * i
            i += 1
        total = UInt(0)
        i = UInt(0)
        while i < 8:
            total = total * 3 + kept[7 - i]
            i += 1
        return total

    n = np.arange(100, dtype=np.uint32)
    expected = np.zeros(100, np.uint32)
    for i in range(8):
        expected = expected * 3 + n * (7 - i)
    same(reversed_sum(UInt(n)), expected)


@case
def random_numbers():
    generator = PCG32(size=10_000)
    values = np.array(generator.next_float32())
    assert values.min() >= 0
    assert values.max() < 1
    assert abs(values.mean() - 0.5) < 0.02


@case
def gradient():
    x = RNG.random(300, np.float32)
    traced = Differentiable(x)
    dr.enable_grad(traced)
    dr.backward(dr.sum(dr.sin(traced) * traced))
    same(dr.grad(traced), np.sin(x) + x * np.cos(x), 1e-4)


@case
def frozen_function():
    @dr.freeze
    def run(x):
        return dr.sqrt(x) + 1

    for size in (100, 200, 200):
        x = RNG.random(size, np.float32)
        same(run(Float(x)), np.sqrt(x) + 1)


if __name__ == "__main__":
    main()

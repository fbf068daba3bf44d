"""A program of tinygrad: its operations, a small network, and its JIT.

Every result is compared with NumPy. DEV chooses how tinygrad writes kernels: CUDA (C++
for NVRTC) or CUDA:PTX. Knows nothing of minitorch.
"""

import numpy as np
from client_cases import CASES, case, main
from tinygrad import Context, Device, Tensor, TinyJit, dtypes, nn

RNG = np.random.default_rng(1)
assert Device.DEFAULT == "CUDA", f"tinygrad runs on {Device.DEFAULT}"


def same(result, expected, tolerance=1e-4):
    np.testing.assert_allclose(result.numpy(), expected, tolerance, tolerance)


def softmax(x):
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def convolved(x, w):
    """(n, c, h, w) by (o, c, k, l), no padding -> (n, o, h-k+1, w-l+1)"""
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))
    return np.einsum("nchwkl,ockl->nohw", windows, w)


def pooled(x, how):
    n, c, h, w = x.shape
    return how(x.reshape(n, c, h // 2, 2, w // 2, 2), axis=(3, 5))


# What tinygrad does, what NumPy does, and the shapes of positive random arguments.
OPERATIONS = {
    "add_rows": (lambda x, y: x + y, np.add, (45, 65), (65,)),
    "div": (lambda x, y: x / y, np.divide, (64, 63), (64, 63)),
    "pow": (lambda x, y: x**y, np.power, (45, 65), (45, 65)),
    "maximum": (lambda x, y: x.maximum(y), np.maximum, (45, 65), (45, 65)),
    "exp": (lambda x: x.exp(), np.exp, (45, 65)),
    "log": (lambda x: x.log(), np.log, (45, 65)),
    "rsqrt": (lambda x: x.rsqrt(), lambda x: 1 / np.sqrt(x), (45, 65)),
    "sin": (lambda x: x.sin(), np.sin, (45, 65)),
    "sin_of_large": (
        lambda x: (x * 1e6).sin(),
        lambda x: np.sin(x * np.float32(1e6)),
        (99,),
    ),
    "tanh": (lambda x: x.tanh(), np.tanh, (45, 65)),
    "round": (lambda x: (x * 9).round(), lambda x: np.round(x * 9), (64, 64)),
    "where": (
        lambda x, y: (x > 0.5).where(x, y),
        lambda x, y: np.where(x > 0.5, x, y),
        (50, 30),
        (50, 30),
    ),
    "compare": (lambda x, y: x < y, np.less, (45, 65), (45, 65)),
    "sum_of_rows": (lambda x: x.sum(1), lambda x: x.sum(1), (45, 300)),
    "sum_of_many": (lambda x: x.sum(), np.sum, (256, 257)),
    "prod": (lambda x: x.prod(1), lambda x: x.prod(1), (40, 8)),
    "max": (lambda x: x.max(1), lambda x: x.max(1), (45, 65)),
    "std": (lambda x: x.std(1), lambda x: x.std(1, ddof=1), (45, 65)),
    "argmax": (lambda x: x.argmax(1), lambda x: x.argmax(1), (45, 65)),
    "cumsum": (lambda x: x.cumsum(1), lambda x: x.cumsum(1), (20, 300)),
    "softmax": (lambda x: x.softmax(), softmax, (45, 65)),
    "dot": (lambda x, y: x.dot(y), np.matmul, (45, 65), (65, 100)),
    "matmul_batched": (lambda x, y: x @ y, np.matmul, (3, 20, 30), (3, 30, 10)),
    "conv2d": (lambda x, w: x.conv2d(w), convolved, (2, 4, 9, 9), (4, 4, 3, 3)),
    "max_pool": (lambda x: x.max_pool2d(), lambda x: pooled(x, np.max), (2, 3, 8, 8)),
    "permute": (
        lambda x: x.permute(2, 0, 1) * 1.5,
        lambda x: x.transpose(2, 0, 1) * np.float32(1.5),
        (5, 6, 7),
    ),
    "flip": (lambda x: x.flip(0) + 1, lambda x: x[::-1] + 1, (45, 5)),
    "pad": (
        lambda x: x.pad(((1, 2), (3, 4))),
        lambda x: np.pad(x, ((1, 2), (3, 4))),
        (9, 9),
    ),
    "slice": (lambda x: x[3:40:2, 1:] * 2, lambda x: x[3:40:2, 1:] * 2, (45, 9)),
    "gather": (
        lambda x: x[Tensor([3, 1, 3, 0])],
        lambda x: x[[3, 1, 3, 0]],
        (5, 30),
    ),
    "sort": (lambda x: x.sort()[0], np.sort, (7, 33)),
}


def register(name, ours, numpys, shapes):
    def run():
        arrays = [RNG.random(shape, np.float32) + np.float32(1e-3) for shape in shapes]
        same(ours(*map(Tensor, arrays)), numpys(*arrays))

    CASES[name] = run


for name, (ours, numpys, *shapes) in OPERATIONS.items():
    register(name, ours, numpys, shapes)


@case
def types():
    x = RNG.integers(-100, 100, 300, np.int32)
    for ours, numpys in [
        (dtypes.int8, np.int8),
        (dtypes.uint8, np.uint8),
        (dtypes.int64, np.int64),
        (dtypes.float16, np.float16),
        (dtypes.float64, np.float64),
    ]:
        same(Tensor(x).cast(ours) * 2 + 1, x.astype(numpys) * 2 + 1)
    same(Tensor(x).bitwise_and(12) | (Tensor(x) << 2), (x & 12) | (x << 2))
    same(Tensor(x) // 7, x // 7)
    same(Tensor(x) % 7, x % 7)


@case
def matmul_of_halves():
    a, b = RNG.random((48, 64)), RNG.random((64, 32))
    result = Tensor(a.astype(np.float16)).matmul(Tensor(b.astype(np.float16)))
    same(result, a @ b, 5e-3)


@case
def gradient():
    x, w = RNG.random((20, 30), np.float32), RNG.random((30, 5), np.float32)
    a, b = Tensor(x), Tensor(w)
    da, db = ((a @ b).tanh() ** 2).sum().gradient(a, b)
    y = np.tanh(x @ w)
    outer = 2 * y * (1 - y * y)
    same(da, outer @ w.T)
    same(db, x.T @ outer)


@case
def random_numbers():
    Tensor.manual_seed(3)
    values = Tensor.rand(20_000).numpy()
    assert values.min() >= 0
    assert values.max() < 1
    assert abs(values.mean() - 0.5) < 0.02
    assert abs(Tensor.randn(20_000).numpy().std() - 1) < 0.03


@case
def jit_as_a_graph():
    @TinyJit
    def step(x, y):
        return ((x @ y).relu().sum(0) + 1).realize()

    for _ in range(5):
        x, y = RNG.random((20, 30), np.float32), RNG.random((30, 8), np.float32)
        same(step(Tensor(x).realize(), Tensor(y).realize()), (x @ y).sum(0) + 1)


@case
def training():
    Tensor.manual_seed(1)
    x = RNG.standard_normal((64, 8)).astype(np.float32)
    wanted = (x[:, 0] * x[:, 1] > 0).astype(np.int32)
    layers = [nn.Linear(8, 32), nn.Linear(32, 2)]
    optimizer = nn.optim.Adam(nn.state.get_parameters(layers), lr=0.03)
    losses = []
    with Context(TRAINING=1):
        for _ in range(30):
            optimizer.zero_grad()
            out = layers[1](layers[0](Tensor(x)).relu())
            loss = out.sparse_categorical_crossentropy(Tensor(wanted)).backward()
            optimizer.step()
            losses.append(loss.item())
    assert losses[-1] < losses[0] / 2, losses


if __name__ == "__main__":
    main()

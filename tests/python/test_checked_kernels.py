"""The library's kernels under all checks: at sizes around a tile they are silent and
give what the CPU gives; broken ones are named.
"""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
from minitorch import _core, cuda, optim
from minitorch import functional as F

from .source_tree import ROOT

pytestmark = pytest.mark.cuda

KERNELS = ROOT / "cpp" / "kernels"
#: Compared with NumPy in test_kernel_templates, or no op of the library.
ELSEWHERE = {"matmul_naive", "timer_step"}


@pytest.fixture(autouse=True)
def _all_checks():
    if not cuda.is_emulated():
        pytest.skip("needs the emulator's checks")
    _core.set_checks(_core.CheckLevel.full, library_too=True)
    yield
    _core.set_checks(_core.CheckLevel.full)


class Made:
    """Tensors with the same numbers on each device; `learned` ones have gradients."""

    def __init__(self, device):
        self.device, self.random = device, np.random.default_rng(1)
        self.learned = []

    def __call__(self, *shape):
        numbers = self.random.normal(size=shape)
        self.learned.append(minitorch.tensor(numbers, device=self.device))
        return self.learned[-1].requires_grad_()

    def whole(self, below, *shape):
        numbers = self.random.integers(0, below, shape)
        return minitorch.tensor(numbers, dtype="int64", device=self.device)


def step(make, x, **named):
    x.grad = x.detach() * 0.5
    optimizer = make([x], lr=0.1, **named)
    for _ in range(2):
        optimizer.step()
    return x.detach()


def batch_norm(m, training, *shape):
    mean, var = m(shape[1]).detach(), m(shape[1]).detach() ** 2
    weight, bias = m(shape[1]), m(shape[1])
    out = F.batch_norm(m(*shape), mean, var, weight, bias, training=training)
    return F.cat([F.flatten(out), mean, var])


def slope_of_pool(m):
    x = m(1, 1, 7, 5)
    cubes = F.max_pool2d(x, (3, 2)) ** 3
    return minitorch.autograd.grad(cubes.sum(), [x], create_graph=True)[0]


def drawn(m, size):
    minitorch.manual_seed(5)
    numbers = [
        draw(size, device=m.device) for draw in (minitorch.rand, minitorch.randn)
    ]
    return F.cat([*numbers, F.dropout(minitorch.ones(size, device=m.device), 0.5)])


CALLS = {
    "elementwise": lambda m: F.where(m(33, 7) > 0.5, m(7).exp(), m(7, 33).T * 2 + 1),
    "numbers": lambda m: F.where(m(9, 31) < m(31, 9).T, 0.5, m(9, 31).clamp(-1, 0.5)),
    "copies": lambda m: F.cat([m(13, 5).T.contiguous(), m(5, 40)[:, ::2]], 1).to(
        "float32"
    ),
    "filled": lambda m: minitorch.zeros(3, 66, device=m.device)[:, ::2].fill_(7),
    "sums": lambda m: F.cat([F.flatten(m(33, 65, 3).sum(d)) for d in range(3)]),
    "a long sum": lambda m: m(5000).sum(),
    "deviations": lambda m: F.std(m(31, 33), 1) + F.logsumexp(m(31, 33), 1),
    "products": lambda m: m(2, 17, 9) @ m(2, 33, 9).permute(0, 2, 1),
    "scans": lambda m: F.cumsum(m(3, 101), 1) + F.cumsum(m(101, 3), 0).T,
    "places": lambda m: F.cat([F.argmax(m(4, 101), 1), F.argmin(m(65, 3), 0)]),
    "largest": lambda m: F.max(m(31, 33), 1).values + F.amax(m(33, 31), 0),
    "picked": lambda m: F.gather(m(7, 5), 0, m.whole(7, 40, 5)),
    "placed": lambda m: F.scatter_add(m(7, 5), 0, m.whole(7, 40, 5), m(40, 5)),
    "embedding": lambda m: F.embedding(m.whole(4, 9, 3), m(4, 33)),
    "convolution": lambda m: F.conv2d(
        m(2, 4, 9, 7), m(6, 2, 3, 2), m(6), (2, 1), (1, 2), (1, 2), groups=2
    ),
    "convolution in tiles": lambda m: F.conv2d(
        m(2, 66, 5, 4), m(70, 33, 3, 2), m(70), (2, 1), (1, 2), (1, 2), groups=2
    ),
    "pools": lambda m: F.cat(
        [
            F.flatten(F.max_pool2d(m(3, 1, 7, 5), (3, 2), (2, 1), 1)),
            F.flatten(F.avg_pool2d(m(1, 2, 9, 11), 3, 2, 1)),
        ]
    ),
    "slopes of slopes": slope_of_pool,
    "batch norm": lambda m: batch_norm(m, True, 40, 2, 3),
    "one cell a group": lambda m: batch_norm(m, True, 3, 5, 33),
    "known numbers": lambda m: batch_norm(m, False, 2, 3, 31),
    "layer norm": lambda m: F.layer_norm(m(5, 33), 33, m(33), m(33)),
    "softmax": lambda m: F.softmax(m(3, 65)) + F.log_softmax(m(65, 3), 0).T,
    "attention": lambda m: F.scaled_dot_product_attention(
        m(1, 33, 8), m(1, 33, 8), m(1, 33, 8), is_causal=True
    ),
    "labels": lambda m: F.cross_entropy(
        m(65, 7), m.whole(7, 65), m(7).detach() ** 2, ignore_index=3
    ),
    "labels of images": lambda m: F.cross_entropy(
        m(2, 33, 3), m.whole(33, 2, 3), m(33).detach() ** 2, label_smoothing=0.3
    ),
    "one label": lambda m: F.nll_loss(m(33, 5), m.whole(5, 33)),
    "probabilities": lambda m: F.binary_cross_entropy(
        m(33).sigmoid(), m(33).detach().sigmoid()
    ),
    "SGD": lambda m: step(optim.SGD, m(33), momentum=0.9, nesterov=True),
    "Adam": lambda m: step(optim.Adam, m(33), weight_decay=0.1),
    "AdamW": lambda m: step(optim.AdamW, m(31), weight_decay=0.1),
    "random": lambda m: drawn(m, 65),
    "ranges": lambda m: minitorch.arange(0.5, -8, -0.25, device=m.device),
}

ran = set()


@pytest.mark.parametrize("name", CALLS)
def test_a_right_kernel_is_silent_and_gives_what_the_cpu_gives(name):
    results = []
    for device in ("cpu", "cuda"):
        made = Made(device)
        with cuda.inspect(library=True) as run:
            out = CALLS[name](made)
            if out.requires_grad:
                slope = np.cos(np.arange(out.size)).reshape(out.shape)
                out.backward(minitorch.tensor(slope, device=device).to(out.dtype))
        cuda.synchronize()
        assert not any(launch.findings for launch in run.launches)
        ran.update(launch.kernel for launch in run.launches)
        grads = [each.grad for each in made.learned if each.grad is not None]
        results.append([each.detach().cpu().numpy() for each in (out, *grads)])
    for want, got in zip(*results, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-12)


def test_each_kernel_of_the_library_ran_under_all_checks():
    if len(ran) < 20:
        pytest.skip("the tests before were not run")
    assert {path.stem for path in KERNELS.glob("*.cu")} - ran == ELSEWHERE


GUARD = ("if (i >= size) return;", "")
SIGNAL = (1, 1, 5, 7)

BROKEN = [
    ("relu", "map.cu", GUARD, "oob", lambda m: m(33).relu()),
    ("add", "zip.cu", GUARD, "oob", lambda m: m(33) + m(33)),
    ("clamp", "clamp.cu", GUARD, "oob", lambda m: m(40).clamp(0, 1)),
    (
        "matmul",
        "matmul_tiled.cu",
        ("row < m && first + tx < k ?", "true ?"),
        "oob",
        lambda m: m(17, 16) @ m(16, 17),
    ),
    (
        "conv2d",
        "conv2d.cu",
        ("row_inside && inside(columns, at);", "true;"),
        "oob",
        lambda m: F.conv2d(m(*SIGNAL), m(1, 1, 3, 3), padding=1),
    ),
    (
        "conv2d",
        "conv2d.cu",
        ("if (i >= cells) return;", ""),
        "oob",
        lambda m: F.conv2d(m(*SIGNAL), m(1, 1, 3, 3), padding=1),
    ),
    (
        "conv2d",
        "conv2d_tiled.cu",
        ("output < outputs && weight < taps ?", "true ?"),
        "oob",
        lambda m: F.conv2d(m(1, 4, 5, 7), m(33, 4, 3, 3), padding=1),
    ),
    (
        "conv2d",
        "conv2d_tiled.cu",
        ("__syncthreads();  // nobody", "// nobody"),
        "race_shared",
        lambda m: F.conv2d(m(1, 4, 5, 7), m(33, 4, 3, 3), padding=1),
    ),
    (
        "cross_entropy",
        "cross_entropy.cu",
        ("i < length", "i <= length"),
        "oob",
        lambda m: F.cross_entropy(m(1, 33), m.whole(33, 1)),
    ),
    (
        "gather",
        "gather.cu",
        ("if (at < 0) at += length;", ""),
        "oob",
        lambda m: F.gather(m(4, 3), 0, m.whole(1, 2, 3) - 1),
    ),
    (
        "sum",
        "reduce.cu",
        (
            "__syncthreads();\n    if (member < half && member + half < givers) {",
            "if (member < half && member + half < givers) {\n      __syncthreads();",
        ),
        "barrier_divergence",
        lambda m: m(64).sum(),
    ),
    (
        "cumsum",
        "cumsum.cu",
        (
            "sum += partial[t - before];\n      __syncthreads();",
            "sum += partial[t - before];",
        ),
        "race",
        lambda m: F.cumsum(m(1, 600), 1),
    ),
    (
        "argmax",
        "arg_reduce.cu",
        ("  __syncthreads();\n    const int other", "  const int other"),
        "race",
        lambda m: F.argmax(m(2, 300), 1),
    ),
    (
        "argmax",
        "arg_reduce.cu",
        ("t < half && other < length", "t < half"),
        "uninit",
        lambda m: F.argmax(m(2, 27), 1),
    ),
    (
        "scatter_add",
        "scatter.cu",
        ("  atomicAdd(cell, value);", "  *cell += value;"),
        "race",
        lambda m: F.scatter_add(m(1, 64), 1, m.whole(1, 1, 64), m(1, 64)),
    ),
]


@pytest.mark.parametrize(
    ("op", "file", "change", "kind", "call"), BROKEN, ids=lambda each: str(each)[:20]
)
def test_a_broken_kernel_is_named(
    op,
    file,
    change,
    kind,
    call,
):
    text = (KERNELS / file).read_text()
    assert change[0] in text
    with minitorch.override(op, kernels={file: text.replace(*change, 1)}):
        call(Made("cuda"))
        with pytest.raises(cuda.KernelError, match=file) as caught:
            cuda.synchronize()
    assert kind in caught.value.kind

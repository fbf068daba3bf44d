"""Owns the tests of what stands around tensors in PyTorch's programs: distributions,
the GPU's questions, scaling, switches, comparisons.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import minitorch.torch as torch
from minitorch.torch import distributions as dist
from minitorch.torch.testing import assert_close


def test_normal():
    loc = torch.tensor([0.0, 1.0], requires_grad=True)
    normal = dist.Normal(loc, torch.tensor([1.0, 2.0]))
    wanted = [
        -0.5 * ((0.5 - m) / s) ** 2 - math.log(s * math.sqrt(2 * math.pi))
        for m, s in ((0.0, 1.0), (1.0, 2.0))
    ]
    x = torch.tensor([0.5, 0.5])
    assert normal.log_prob(x).tolist() == pytest.approx(wanted, rel=1e-5)
    entropy = [0.5 * math.log(2 * math.pi * math.e * s * s) for s in (1.0, 2.0)]
    assert normal.entropy().tolist() == pytest.approx(entropy, rel=1e-5)
    assert normal.cdf(loc.detach()).tolist() == [0.5, 0.5]
    torch.manual_seed(0)
    drawn = normal.rsample((1000,))
    assert drawn.shape == (1000, 2)
    drawn.sum().backward()
    assert loc.grad.tolist() == [1000, 1000]
    numbers = normal.sample((4000,)).numpy()
    np.testing.assert_allclose(numbers.mean(0), [0, 1], atol=0.15)
    np.testing.assert_allclose(numbers.std(0), [1, 2], atol=0.15)
    other = dist.Normal(torch.zeros(2), torch.ones(2))
    away = dist.kl_divergence(normal, other).tolist()
    assert away == pytest.approx([0.0, (4 + 1 - 1 - math.log(4)) / 2], abs=1e-6)


def test_categorical():
    logits = torch.tensor([[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]], requires_grad=True)
    one = dist.Categorical(logits=logits)
    raw = np.exp(logits.detach().numpy())
    p = raw / raw.sum(1, keepdims=True)
    np.testing.assert_allclose(one.probs.detach().numpy(), p, rtol=1e-5)
    wanted = -(p * np.log(p)).sum(1)
    np.testing.assert_allclose(one.entropy().detach().numpy(), wanted, rtol=1e-5)
    chosen = torch.tensor([2, 0])
    kept = one.log_prob(chosen)
    np.testing.assert_allclose(
        kept.detach().numpy(), np.log([p[0, 2], p[1, 0]]), rtol=1e-5
    )
    kept.sum().backward()
    wanted = np.eye(3)[[2, 0]] - p
    np.testing.assert_allclose(logits.grad.numpy(), wanted, atol=1e-6)
    torch.manual_seed(0)
    drawn = one.sample((2000,))
    assert drawn.shape == (2000, 2)
    assert drawn.dtype is torch.int64
    share = (drawn.numpy()[:, 0] == 2).mean()
    assert share == pytest.approx(p[0, 2], abs=0.05)
    assert one.mode.tolist() == [2, 0]
    assert one.sample().shape == (2,)
    single = dist.Categorical(torch.tensor([0.0, 0.5, 0.5]))
    assert single.sample().shape == ()
    assert single.log_prob(torch.tensor([1, 2])).tolist() == pytest.approx(
        [math.log(0.5)] * 2
    )
    assert single.entropy().item() == pytest.approx(math.log(2), rel=1e-5)
    again = dist.Categorical(torch.tensor([0.2, 0.3, 0.5]))
    away = dist.kl_divergence(again, again)
    assert away.item() == 0


def test_bernoulli_and_uniform():
    coin = dist.Bernoulli(torch.tensor([0.25, 1.0, 0.0]))
    ones = coin.log_prob(torch.ones(3)).tolist()
    assert ones[:2] == pytest.approx([math.log(0.25), 0.0], abs=1e-5)
    assert coin.sample((5,)).tolist()[0][1:] == [1.0, 0.0]
    same = dist.Bernoulli(logits=torch.tensor([0.0]))
    assert same.probs.tolist() == [0.5]
    assert same.entropy().item() == pytest.approx(math.log(2), rel=1e-6)
    flat = dist.Uniform(torch.tensor(1.0), 3.0)
    assert flat.log_prob(torch.tensor(2.0)).item() == pytest.approx(-math.log(2))
    assert flat.log_prob(torch.tensor(5.0)).item() == -math.inf
    drawn = flat.sample((100,))
    assert 1 <= drawn.min().item() <= drawn.max().item() < 3


def test_exponential():
    waits = dist.Exponential(torch.tensor([2.0, 0.5]))
    x = torch.tensor([1.0, 3.0])
    wanted = [math.log(2) - 2, math.log(0.5) - 1.5]
    assert waits.log_prob(x).tolist() == pytest.approx(wanted, rel=1e-6)
    assert waits.entropy().tolist() == pytest.approx([1 - math.log(2), 1 + math.log(2)])
    assert waits.cdf(x).tolist() == pytest.approx(
        [1 - math.exp(-2), 1 - math.exp(-1.5)]
    )
    torch.manual_seed(1)
    drawn = waits.sample((4000,)).numpy()
    np.testing.assert_allclose(drawn.mean(0), [0.5, 2.0], rtol=0.1)


def test_the_gpu_is_asked_about():
    there = torch.cuda.is_available()
    assert torch.cuda.device_count() == int(there)
    assert torch.cuda.current_device() == 0
    torch.cuda.set_device(0)
    assert isinstance(torch.cuda.memory_allocated(), int)
    assert torch.cuda.max_memory_allocated() >= torch.cuda.memory_allocated()
    torch.cuda.manual_seed_all(3)
    assert torch.initial_seed() == 3
    torch.backends.cudnn.benchmark = True
    assert torch.backends.cudnn.benchmark is True
    torch.backends.cudnn.benchmark = False
    assert not torch.backends.mps.is_available()
    with pytest.raises(RuntimeError, match="need number 0"):
        torch.cuda.set_device(1)


@pytest.mark.cuda
def test_the_gpu_is_known():
    major, minor = torch.cuda.get_device_capability()
    facts = torch.cuda.get_device_properties(0)
    assert (facts.major, facts.minor) == (major, minor)
    assert facts.name == torch.cuda.get_device_name()
    assert facts.total_memory > 0
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()), torch.cuda.device(0):
        torch.ones(2, device="cuda")
    torch.cuda.empty_cache()
    assert "allocated" in torch.cuda.memory_summary()


def test_gradients_are_scaled():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    o = torch.optim.SGD([x], lr=0.25)
    scaler = torch.amp.GradScaler(init_scale=8.0, growth_interval=2)

    def step(factor: float) -> None:
        o.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):
            loss = (x * x * factor).sum()
        scaler.scale(loss).backward()
        scaler.step(o)
        scaler.update()

    step(1.0)
    assert x.tolist() == [0.5, 1.0]
    step(math.inf)
    assert x.tolist() == [0.5, 1.0]
    assert scaler.get_scale() == 4.0
    step(1.0)
    step(1.0)
    assert scaler.get_scale() == 8.0
    other = torch.cuda.amp.GradScaler()
    other.load_state_dict(scaler.state_dict())
    assert other.get_scale() == 8.0
    scaler.unscale_(o)
    with pytest.raises(RuntimeError, match="twice for one step"):
        scaler.unscale_(o)
    off = torch.amp.GradScaler(enabled=False)
    assert off.scale(x) is x
    with pytest.raises(RuntimeError, match=r"got dtype torch\.float64"):
        torch.autocast("cpu", dtype=torch.float64)
    with pytest.raises(RuntimeError, match="got device 'tpu'"):
        torch.autocast("tpu")


def test_switches():
    assert torch.__version__.startswith("2.15")
    torch.set_float32_matmul_precision("high")
    assert torch.get_float32_matmul_precision() == "high"
    torch.set_float32_matmul_precision("highest")
    before = torch.get_num_threads()
    torch.set_num_threads(before)
    assert torch.get_num_threads() == before
    torch.use_deterministic_algorithms(True)
    assert torch.are_deterministic_algorithms_enabled()
    with pytest.raises(RuntimeError, match="need an integer above 0"):
        torch.set_num_threads(0)
    with pytest.raises(RuntimeError, match="'highest', 'high'"):
        torch.set_float32_matmul_precision("low")


def test_programs_are_profiled():
    with torch.profiler.profile() as found, torch.profiler.record_function("mine"):
        (torch.ones(4) * 2).sum()
    names = {row.key for row in found.key_averages()}
    assert "mine" in names


def test_calls_that_pytorch_makes_twice():
    x = torch.ones(2, requires_grad=True)
    made = torch.utils.checkpoint.checkpoint(lambda t: t * 3, x, use_reentrant=False)
    made.sum().backward()
    assert x.grad.tolist() == [3, 3]


CLOSE: list[tuple[Any, Any, dict[str, Any]]] = [
    (1.0, 1.0 + 1e-9, {}),
    ([1, {"a": 2.0}], [1, {"a": 2.0}], {}),
    (torch.ones(2), torch.ones(2) + 1e-7, {}),
    (torch.ones(2), torch.ones(2) + 0.05, {"rtol": 0.1, "atol": 0.0}),
    (torch.tensor(math.nan), torch.tensor(math.nan), {"equal_nan": True}),
    (torch.ones(2), torch.ones(2).double(), {"check_dtype": False}),
]
APART: list[tuple[Any, Any, str]] = [
    (torch.ones(2), torch.ones(2) + 1e-3, r"2 of 2 elements .* at \(0,\)"),
    (torch.ones(2), torch.ones(3), "shape"),
    (torch.ones(2), torch.ones(2).double(), "dtype torch.float32; need torch.float64"),
    (torch.ones(2), 1.0, "Tensor; need float"),
    ([1, 2], [1, 3], r"\[1\]: 1 of 1"),
    ({"a": 1}, {"b": 1}, "keys"),
    (torch.tensor(math.nan), torch.tensor(math.nan), "not close"),
    (torch.tensor([1, 2]), torch.tensor([1, 3]), "worst is 2"),
]


@pytest.mark.parametrize(("actual", "expected", "options"), CLOSE)
def test_close(actual: Any, expected: Any, options: dict[str, Any]):
    assert_close(actual, expected, **options)


@pytest.mark.parametrize(("actual", "expected", "message"), APART)
def test_not_close(actual: Any, expected: Any, message: str):
    with pytest.raises(AssertionError, match=message):
        assert_close(actual, expected)


BAD: list[tuple[Any, type[Exception], str]] = [
    (lambda: dist.Normal(0.0, -1.0), ValueError, "not above 0"),
    (lambda: dist.Exponential(0.0), ValueError, "not above 0"),
    (lambda: dist.Uniform(2.0, 1.0), ValueError, "not below high"),
    (lambda: dist.Categorical(), ValueError, "need one of probs and logits"),
    (lambda: dist.Categorical(torch.tensor([-1.0])), ValueError, "below 0"),
    (
        lambda: dist.kl_divergence(dist.Normal(0, 1), dist.Uniform(0.0, 1.0)),
        NotImplementedError,
        "two of one class",
    ),
    (lambda: dist.Distribution().log_prob(1), NotImplementedError, "log_prob"),
    (lambda: assert_close(1, 1, rtol=0.1), ValueError, "both rtol and atol"),
    (lambda: torch.amp.GradScaler(growth_factor=0.5), ValueError, "above 1"),
]


@pytest.mark.parametrize(("call", "kind", "message"), BAD)
def test_bad_input(call: Any, kind: type[Exception], message: str):
    with pytest.raises(kind, match=message):
        call()

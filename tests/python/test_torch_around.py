"""Owns the tests of what stands around tensors in PyTorch's programs:
the GPU's questions, scaling, switches, comparisons.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import pytest

import minitorch.torch as torch
from minitorch.torch import nn
from minitorch.torch.testing import assert_close


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
    checkpoint = torch.utils.checkpoint.checkpoint
    with pytest.warns(UserWarning, match="no memory is saved"):
        made = checkpoint(lambda t: t * 3, x, use_reentrant=False)
    made.sum().backward()
    assert x.grad.tolist() == [3, 3]
    with pytest.raises(NotImplementedError, match="context_fn"):
        checkpoint(lambda t: t, x, context_fn=lambda: None)


def test_what_is_compiled_runs_as_it_is():
    layer = nn.Linear(2, 2)
    x = torch.ones(1, 2)
    with pytest.warns(UserWarning, match="nothing is compiled"):
        assert torch.compile(layer, mode="max-autotune") is layer

    with pytest.warns(UserWarning, match="nothing is compiled"):

        @torch.compile(dynamic=True)
        def double(t: Any) -> Any:
            return t * 2

    with pytest.warns(UserWarning, match="nothing is compiled"):
        layer.compile()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing is said of calls
        assert double(x).tolist() == [[2, 2]]
        layer(x)
    with pytest.raises(NotImplementedError, match="would change the program"):
        torch.compile(double, backend=lambda graph, inputs: graph)


def test_batches_are_not_split():
    layer = nn.Linear(2, 2)
    with pytest.warns(UserWarning, match="batches are not split"):
        model = nn.DataParallel(layer, device_ids=[0])
    x = torch.ones(3, 2)
    assert torch.equal(model(x), layer(x))
    assert list(model.state_dict()) == ["module.weight", "module.bias"]
    assert model.module is layer


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
    (lambda: assert_close(1, 1, rtol=0.1), ValueError, "both rtol and atol"),
    (lambda: torch.amp.GradScaler(growth_factor=0.5), ValueError, "above 1"),
]


@pytest.mark.parametrize(("call", "kind", "message"), BAD)
def test_bad_input(call: Any, kind: type[Exception], message: str):
    with pytest.raises(kind, match=message):
        call()

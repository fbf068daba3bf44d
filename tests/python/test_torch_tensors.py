"""The tests of making, reducing and indexing tensors of PyTorch's dialect.

Most are sentences with what PyTorch gave for them (data/torch_cases.json); below them
stand what a sentence cannot say: sharing, gradients, words of errors, seeds.
"""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import minitorch
import minitorch.torch as torch

from .one_liners import disagreement

CASES = json.loads(
    (Path(__file__).parent / "data" / "torch_cases.json").read_text(encoding="utf-8")
)["cases"]


@pytest.mark.parametrize("topic", sorted({case["topic"] for case in CASES}))
def test_sentences_give_what_pytorch_gives(topic):
    wrong = {}
    for case in CASES:
        if case["topic"] == topic and (problem := disagreement(torch, case)):
            wrong[case["code"].rpartition("; ")[2]] = problem
    assert not wrong


def test_the_default_dtype_is_the_faces_own():
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.tensor(0.5).dtype is torch.zeros(1).dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    assert minitorch.tensor(0.5).dtype == "float64"
    with pytest.raises(TypeError, match="floating"):
        torch.set_default_dtype(torch.int64)
    with pytest.raises(TypeError, match="float32"):
        torch.zeros(2, dtype="float32")


def test_devices_compare_with_devices_and_with_text():
    cpu = torch.device("cpu")
    assert cpu == torch.zeros(1).device == "cpu"
    assert torch.device("cuda", 0) == torch.device("cuda:0") == torch.device(0)
    assert torch.device("cuda") != torch.device("cuda:0")
    assert {cpu: 1}[torch.device("cpu")] == 1
    assert pickle.loads(pickle.dumps(torch.device("cuda:0"))).index == 0
    with pytest.raises(RuntimeError, match="'gpu'"):
        torch.device("gpu")
    with pytest.raises(RuntimeError, match="no device 'cuda:3'"):
        torch.zeros(1, device="cuda:3")


@pytest.mark.cuda
def test_tensors_move():
    x = torch.arange(3, device="cuda")
    assert x.is_cuda
    assert str(x.device) == "cuda:0"
    assert x.cpu().tolist() == x.tolist() == [0, 1, 2]
    assert "device='cuda:0'" in repr(x)
    assert x.to("cuda") is x
    assert (x[1:] + torch.ones(2).cuda()).max().item() == 3.0
    with pytest.raises(TypeError, match="cpu"):
        x.numpy()


def test_memory_is_shared_where_pytorch_shares():
    array = np.zeros(3, dtype="float32")
    x = torch.from_numpy(array)
    assert torch.as_tensor(array).data_ptr() == x.data_ptr()
    assert torch.tensor(array).data_ptr() != x.data_ptr()
    x[1] = 5
    assert array.tolist() == [0, 5, 0]
    assert x.numpy()[1] == 5
    x[1:].numpy()[0] = 7
    assert x[1].item() == 7
    assert torch.as_tensor(x) is x
    assert x.data.data_ptr() == x.detach().data_ptr() == x.data_ptr()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: torch.sum([1, 2]), TypeError, "list"),
        (lambda: torch.sum(minitorch.ones(2)), TypeError, "as_torch"),
        (lambda: torch.ones(2).sum(2), IndexError, "-1 to 0"),
        (lambda: torch.ones(2).sum(0, 1), TypeError, "keepdim 1"),
        (lambda: torch.ones(2, 2).sum((0, -2)), RuntimeError, "only once"),
        (lambda: torch.tensor([1]).mean(), NotImplementedError, "int64"),
        (lambda: torch.zeros(0).max(), RuntimeError, "element"),
        (lambda: torch.zeros(0, 2).argmax(0), IndexError, "size 0"),
        (lambda: torch.ones(3)[3], IndexError, "-3 to 2"),
        (lambda: torch.tensor(1)[0], IndexError, "item"),
        (lambda: torch.ones(3)[::-1], ValueError, "flip"),
        (lambda: torch.ones(3)[1.0], IndexError, "1.0"),
        (lambda: torch.ones(2).__setitem__(0, "a"), TypeError, "str"),
        (lambda: torch.ones(2).item(), RuntimeError, "tolist"),
        (lambda: bool(torch.ones(2)), RuntimeError, "any"),
        (lambda: torch.ones(1, requires_grad=True).numpy(), RuntimeError, "detach"),
        (
            lambda: torch.ones(2, dtype=torch.int64, requires_grad=True),
            RuntimeError,
            "flo",
        ),
        (lambda: torch.tensor([[1], [2, 3]]), ValueError, "equal lengths"),
        (lambda: torch.tensor([None]), RuntimeError, "NoneType"),
        (lambda: torch.tensor(2**70), ValueError, "64 bits"),
        (lambda: torch.zeros(2, -1), RuntimeError, "at least 0"),
        (lambda: torch.zeros(2, color=1), TypeError, "color"),
        (lambda: torch.arange(3, 0), RuntimeError, "does not lead from 3 to 0"),
        (lambda: torch.full(2, 1), TypeError, "tuple"),
        (lambda: torch.randint(3, 3, (1,)), RuntimeError, "need low < high"),
        (lambda: torch.multinomial(torch.zeros(2), 1), RuntimeError, "sum to 0"),
        (lambda: torch.rand(1, generator=3), TypeError, "Generator"),
        (lambda: torch.ones(2).gather(0, torch.tensor([2])), RuntimeError, "0 to 1"),
        (lambda: torch.ones(2).masked_fill(torch.ones(2), 0), RuntimeError, "bool"),
        (lambda: torch.ones(2).to("float32x"), RuntimeError, "float32x"),
        (lambda: torch.ones(2).type("float"), TypeError, "torch.float32"),
        (lambda: torch.sum(torch.ones(2), out=torch.tensor(0)), RuntimeError, "out="),
        (lambda: torch.finfo(torch.int64), TypeError, "iinfo"),
    ],
)
def test_what_is_wrong_is_said(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_seeds_begin_a_sequence_again():
    for draw in (
        lambda g: torch.rand(3, generator=g),
        lambda g: torch.randn(3, generator=g),
        lambda g: torch.randint(0, 100, (3,), generator=g),
        lambda g: torch.randperm(9, generator=g),
        lambda g: torch.normal(0.0, 1.0, (3,), generator=g),
        lambda g: torch.multinomial(torch.ones(9), 5, generator=g),
    ):
        first = draw(torch.Generator().manual_seed(3)).tolist()
        torch.manual_seed(3)
        assert draw(torch.Generator().manual_seed(3)).tolist() == first
        assert draw(None).tolist() == first  # the other generator was one of its own
        assert draw(None).tolist() != first


def test_what_is_drawn_has_the_moments_asked_for():
    torch.manual_seed(1)
    drawn = torch.normal(torch.full((20000,), 2.0), 3.0)
    assert abs(drawn.mean().item() - 2) < 0.1
    assert abs(drawn.std().item() - 3) < 0.1
    places = torch.multinomial(torch.tensor([1.0, 0.0, 3.0]), 8000, True)
    assert (places == 1).sum().item() == 0
    assert abs((places == 2).sum().item() / 8000 - 0.75) < 0.03
    assert sorted(torch.randperm(50).tolist()) == list(range(50))
    assert set(torch.randint(2, 5, (500,)).tolist()) == {2, 3, 4}


def test_a_device_may_be_a_block_and_the_default():
    assert torch.zeros(1).device.type == torch.get_default_device().type == "cpu"
    with torch.device("cpu") as place, torch.device("cpu"):
        assert torch.zeros(1).device == place
    torch.set_default_device("cpu")
    with pytest.raises(RuntimeError, match="'tpu'"):
        torch.set_default_device("tpu")


@pytest.mark.cuda
def test_new_tensors_lie_where_a_block_says():
    with torch.device("cuda"):
        x = torch.arange(3)
        made = [torch.tensor([1.0]), torch.zeros(2), torch.full((2,), 3)]
        made += [torch.randn(2), torch.linspace(0, 1, 3), torch.eye(2)]
        made += [torch.randint(0, 4, (3,)), torch.empty(2)]
        assert all(each.is_cuda for each in made)
        with torch.device("cpu"):
            assert torch.ones(1).device.type == "cpu"
        assert torch.rand(2).is_cuda
    assert x.is_cuda
    assert not torch.ones(1).is_cuda


def test_other_functions_of_numpy_give_tensors():
    x = torch.tensor([0.0, 1.0])
    assert type(np.arctan(x)) is torch.Tensor
    np.testing.assert_allclose(np.arctan(x).tolist(), np.arctan([0.0, 1.0]), rtol=1e-6)
    with pytest.raises(RuntimeError, match="detach"):
        np.arctan(x.requires_grad_())


def test_gradients_of_what_is_written():
    x = torch.zeros(3, requires_grad=True)
    y = x * 1
    v = torch.tensor([5.0, 6.0], requires_grad=True)
    y[[0, 2]] = v * 2
    y[1] += 1
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 1.0, 0.0]
    assert v.grad.tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError):
        x[0] = 1


def numbers(*shape):
    """Different ones, so that each extreme is alone."""
    count = int(np.prod(shape))
    row = [((7 * i) % 23 - 11) / 4 + i / 64 for i in range(count)]
    return torch.tensor(row, dtype=torch.float64).view(shape)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.std(0),
        lambda x: x.var(correction=0),
        lambda x: x.prod(1),
        lambda x: x.logsumexp(0),
        lambda x: x.gather(1, torch.tensor([[0, 1], [2, 2], [3, 0]])),
        lambda x: x.scatter(1, torch.tensor([[1]]), x[2:, :1]),
        lambda x: x.scatter_add(0, torch.tensor([[1, 0]]), x[:1, :2]),
    ],
)
def test_gradients_agree_with_differences(function):
    assert torch.autograd.gradcheck(function, (numbers(3, 4).requires_grad_(),))

"""Owns the tests of what those who know only PyTorch write first: sentences of
courses with PyTorch's results, lazy layers, bags of rows, sequences that are packed.
"""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest

import minitorch
import minitorch.torch as torch
from minitorch.torch import nn
from minitorch.torch.nn.utils import rnn

from .one_liners import disagreement
from .source_tree import ROOT

DATA = ROOT / "tests/python/data"
NAME = "torch_newcomer_liners"
RECORDED = json.loads((DATA / f"{NAME}.json").read_text())
TOPICS = RECORDED["topics"]


@pytest.mark.parametrize("topic", TOPICS)
def test_sentences_give_what_pytorch_gives(topic: str):
    told = []
    for row in TOPICS[topic]:
        if problem := disagreement(torch, row, RECORDED["inputs"]):
            told.append(f"{row['code']}\n    {problem}")
    assert not told, "\n".join(told)


def test_no_sentence_stands_twice():
    codes = [row["code"] for rows in TOPICS.values() for row in rows]
    assert len(codes) == len(set(codes))


def batch(*shape: int) -> Any:
    count = torch.Size(shape).numel()
    return (torch.arange(count, dtype=torch.float32) % 7 - 3).reshape(*shape)


def test_optimizers_made_before_the_first_input_train_the_lazy_layer():
    net = nn.Sequential(nn.LazyLinear(4), nn.Tanh(), nn.LazyLinear(1))
    kept = list(net.parameters())
    optimizer = torch.optim.SGD(kept, lr=0.1, momentum=0.9)
    x, losses = batch(6, 3), []
    for _ in range(4):
        loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses == sorted(losses, reverse=True)
    assert all(a is b for a, b in zip(kept, net.parameters(), strict=True))
    assert type(net[0]) is nn.Linear
    assert type(kept[0]) is nn.Parameter


@pytest.mark.parametrize(
    "again", [copy.deepcopy, lambda n: pickle.loads(pickle.dumps(n))]
)
def test_lazy_layers_are_copied_before_their_first_input(again: Any):
    net = again(nn.LazyConv2d(2, 3))
    assert repr(net) == "LazyConv2d(0, 2, kernel_size=(3, 3), stride=(1, 1))"
    assert net(batch(1, 3, 4, 4)).shape == (1, 2, 2, 2)


def test_lazy_layers_keep_dtype_and_whether_they_learn():
    net = nn.LazyLinear(2).to(torch.float64)
    net.weight.requires_grad_(False)
    assert net(batch(1, 3).double()).dtype is torch.float64
    assert not net.weight.requires_grad
    assert net.bias.requires_grad


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (
            lambda: torch.ones(3, requires_grad=True).mul(2).backward(),
            RuntimeError,
            "need one element",
        ),
        (lambda: nn.LazyLinear(), TypeError, "[LazyLinear] missing"),
        (lambda: nn.LazyLinear(2).weight.shape, RuntimeError, "call the network"),
        (lambda: nn.LazyLinear(2).weight.size(), RuntimeError, "call the network"),
        (lambda: nn.LazyLinear(2).weight.numel(), ValueError, "call the network"),
        (lambda: nn.LazyConv2d(2, 3)(batch(4, 3)), ValueError, "3 or 4 dimensions"),
        (lambda: nn.EmbeddingBag(4, 2, mode="min"), ValueError, "got mode 'min'"),
        (
            lambda: nn.EmbeddingBag(4, 2, scale_grad_by_freq=True),
            ValueError,
            "need False",
        ),
        (
            lambda: nn.EmbeddingBag(4, 2)(minitorch.tensor([0])),
            TypeError,
            "need a torch.Tensor",
        ),
        (
            lambda: rnn.pack_padded_sequence(batch(4, 2), [2, 4]),
            RuntimeError,
            "Try enforce_sorted=False",
        ),
        (
            lambda: rnn.pack_padded_sequence(batch(4, 2), [4, 0]),
            RuntimeError,
            "lengths from 1 to 4",
        ),
        (
            lambda: rnn.pack_padded_sequence(batch(4, 2), [4]),
            RuntimeError,
            "need 2 lengths",
        ),
        (
            lambda: rnn.pad_packed_sequence(
                rnn.pack_sequence([batch(3)]), total_length=2
            ),
            ValueError,
            "need at least 3",
        ),
        (
            lambda: nn.GRU(2, 3)(rnn.pack_sequence([batch(3, 4)])),
            RuntimeError,
            "GRU(2, 3)",
        ),
    ],
)
def test_bad_input_is_said(wrong: Any, error: type[Exception], words: str):
    with pytest.raises(error) as caught:
        wrong()
    assert words in str(caught.value)

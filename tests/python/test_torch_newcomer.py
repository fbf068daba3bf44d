"""The tests of what those who know only PyTorch write first: sentences of courses with
PyTorch's results, lazy layers, bags of rows, sequences that are packed.
"""

from __future__ import annotations

import pytest

import minitorch.torch as torch
from minitorch.torch import nn
from minitorch.torch.nn.utils import rnn

from .one_liners import disagreement, recorded
from .source_tree import ROOT

TOPICS = recorded(ROOT / "tests/python/data/torch_newcomer_liners.json")


@pytest.mark.parametrize("topic", TOPICS)
def test_sentences_give_what_pytorch_gives(topic):
    told = []
    for row in TOPICS[topic]:
        if problem := disagreement(torch, row):
            told.append(f"{row['code']}\n    {problem}")
    assert not told, "\n".join(told)


def batch(*shape):
    count = torch.Size(shape).numel()
    return (torch.arange(count, dtype=torch.float32) % 7 - 3).reshape(*shape)


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (
            lambda: torch.ones(3, requires_grad=True).mul(2).backward(),
            RuntimeError,
            "a gradient of that shape",
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
            "has length 3",
        ),
        (
            lambda: nn.GRU(2, 3)(rnn.pack_sequence([batch(3, 4)])),
            RuntimeError,
            "GRU(2, 3)",
        ),
    ],
)
def test_bad_input_is_said(wrong, error, words):
    with pytest.raises(error) as caught:
        wrong()
    assert words in str(caught.value)

"""The tests of `torch.distributions`: what is drawn, and gradients.

Their formulas are compared with PyTorch's in data/torch_cases.json.
"""

from __future__ import annotations

import pytest

import minitorch.torch as torch
from minitorch.torch import distributions as kinds

MANY = 20000


def test_classes_are_drawn_as_often_as_they_are_likely():
    torch.manual_seed(2)
    of = kinds.Categorical(torch.tensor([[0.1, 0.9], [0.5, 0.5]]))
    drawn = of.sample((MANY,)).float().mean(0)
    assert (drawn - torch.tensor([0.9, 0.5])).abs().max().item() < 0.02


def test_a_policy_learns_from_log_prob():
    logits = torch.zeros(3, requires_grad=True)
    of = kinds.Categorical(logits=logits)
    (-of.log_prob(torch.tensor(1))).backward()
    wanted = torch.tensor([1 / 3, -2 / 3, 1 / 3])
    assert torch.allclose(logits.grad, wanted)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: kinds.Categorical(), ValueError, "neither of probs and logits"),
        (lambda: kinds.Categorical(torch.tensor([-1.0, 2.0])), ValueError, "0 or more"),
        (
            lambda: kinds.Categorical(torch.ones(2)).log_prob(torch.tensor(2)),
            ValueError,
            "classes 0 to 1",
        ),
    ],
)
def test_what_is_wrong_is_said(call, error, words):
    with pytest.raises(error, match=words):
        call()

"""The tests of printing in PyTorch's dialect, against what PyTorch printed."""

from __future__ import annotations

import pytest

import minitorch.torch as torch

from . import torch_prints


@pytest.mark.parametrize("dtype", sorted({c["dtype"] for c in torch_prints.recorded()}))
def test_tensors_are_printed_as_pytorch_does(dtype):
    cases = [case for case in torch_prints.recorded() if case["dtype"] == dtype]
    for case in cases:
        got = torch_prints.printed(torch, case)
        assert got == case["text"], {**case, "text": ""}


def ones():
    return torch.ones(2, 3, requires_grad=True)


@pytest.mark.parametrize(
    ("make", "name"),
    [  # of PyTorch 2.15
        (lambda x: x + 1, "AddBackward0"),
        (lambda x: x - 1, "SubBackward0"),
        (lambda x: x * x, "MulBackward0"),
        (lambda x: x / 2, "DivBackward0"),
        (lambda x: -x, "NegBackward0"),
        (lambda x: x**3, "PowBackward0"),
        (lambda x: x**x, "PowBackward1"),
        (lambda x: x.sum(), "SumBackward0"),
        (lambda x: x.sum(1), "SumBackward1"),
        (lambda x: x.mean(), "MeanBackward0"),
        (lambda x: x.mean(0), "MeanBackward1"),
        (lambda x: x.max(), "MaxBackward1"),
        (lambda x: x.max(1).values, "MaxBackward0"),
        (lambda x: x.std(), "StdBackward0"),
        (lambda x: x.var(0), "VarBackward0"),
        (lambda x: x.exp(), "ExpBackward0"),
        (lambda x: x @ x.detach().T, "MmBackward0"),
        (lambda x: x[0], "SelectBackward0"),
        (lambda x: x[0, 0], "SelectBackward0"),
        (lambda x: x[1:], "SliceBackward0"),
        (lambda x: x[[0, 1]], "IndexBackward0"),
        (lambda x: x[None], "UnsqueezeBackward0"),
        (lambda x: x.clone(), "CloneBackward0"),
        (lambda x: x.double(), "ToCopyBackward0"),
        (lambda x: x.cumsum(0), "CumsumBackward0"),
        (lambda x: x.masked_fill(x.detach().gt(0), 1), "MaskedFillBackward0"),
        (lambda x: x.gather(1, torch.tensor([[0], [1]])), "GatherBackward0"),
    ],
)
def test_the_step_that_made_a_tensor_has_pytorchs_name(make, name):
    made = make(ones())
    assert type(made.grad_fn).__name__ == made.grad_fn.name() == name
    assert f"grad_fn=<{name}>" in repr(made)


def test_steps_lead_to_the_leaves():
    x = ones()
    step = (x * 2).sum().grad_fn
    while step.next_functions:
        step = step.next_functions[0][0]
    assert type(step).__name__ == "AccumulateGrad"
    assert step.variable is x
    assert x.grad_fn is None
    assert torch.ones(2).grad_fn is None


def test_options_are_checked():
    with pytest.raises(ValueError, match="profile 'wide'"):
        torch.set_printoptions(profile="wide")
    with pytest.raises(ValueError, match="precision -1"):
        torch.set_printoptions(precision=-1)
    with pytest.raises(TypeError, match="linewidth 'a'"):
        torch.set_printoptions(linewidth="a")
    assert repr(torch.tensor([0.5])) == "tensor([0.5000])"

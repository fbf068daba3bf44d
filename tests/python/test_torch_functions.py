"""The comparison of functions of tensors with PyTorch's: arguments and edges, as
data/torch_function_liners.json has them; and bad input.
"""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
import minitorch.torch as torch
from minitorch.torch.tensor import METHODS as ALL

from .one_liners import disagreement, recorded, run
from .source_tree import ROOT

TOPICS = recorded(ROOT / "tests/python/data/torch_function_liners.json")
ROWS = [row for rows in TOPICS.values() for row in rows]


@pytest.mark.parametrize("row", ROWS, ids=[row["code"] for row in ROWS])
def test_functions_give_what_pytorch_gives(row):
    assert disagreement(torch, row) is None
    if row in TOPICS["edges"] and "error" in row["gives"]:
        kind = run(torch, row["code"])["error"]
        assert kind == row["gives"]["error"]


# Those whose methods are functions of elements, shapes, products or order.
FAMILIES = """
arithmetic comparison in_place joining linalg pointwise products shapes slicing sorting
"""
METHODS = {
    name: method
    for name, method in ALL.items()
    if callable(method)
    and not name.startswith("__")
    and method.__module__.rpartition(".")[2] in FAMILIES.split()
}


@pytest.mark.parametrize("name", sorted(METHODS))
def test_methods_refuse_what_is_no_tensor_of_this_dialect(name):
    ours = minitorch.ones(2, 2)
    with pytest.raises(TypeError) as caught:
        METHODS[name](ours)
    text = str(caught.value)
    # A function that needs more says that first.
    assert ".as_torch()" in text or "missing" in text


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda x: torch.exp([1.0]),
            TypeError,
            "[exp] got a list; need",
        ),
        (lambda x: torch.add(x, "1"), TypeError, "[add] got a str"),
        (lambda x: torch.cat(x), TypeError, "need a list of tensors"),
        (lambda x: torch.cat([]), RuntimeError, "got no tensors"),
        (lambda x: x.view(4), RuntimeError, "(6 elements)"),
        (lambda x: x.t().view(6), RuntimeError, "Try .reshape(...)"),
        (lambda x: x @ x, RuntimeError, "inner sizes differ (3 vs 2). Try b.mT."),
        (lambda x: x @ x.t().double(), RuntimeError, "must have the same dtype"),
        (lambda x: x.expand(3, 3), RuntimeError, "cannot be expanded to (3, 3)"),
        (lambda x: x.long() << 1.5, TypeError, "unsupported operand"),
        (lambda x: ~x, TypeError, "need integers or bools"),
        (lambda x: x.long().exp_(), RuntimeError, "without the underscore"),
        (lambda x: x.sum(0).unsqueeze(0).add_(x), RuntimeError, "(2, 3)"),
        (lambda x: torch.linalg.inv(x), RuntimeError, "need square matrices"),
        (lambda x: torch.linalg.inv(x @ x.t() * 0), RuntimeError, "Is it singular?"),
        (lambda x: torch.einsum("ij,jk", x), RuntimeError, "need 1 operands"),
        (lambda x: torch.topk(x, 4), RuntimeError, "need 0 to 3"),
        (lambda x: torch.split(x, [1, 3]), RuntimeError, "must sum to 2"),
        (lambda x: x.softmax(2), IndexError, "need -2 to 1"),
        (lambda x: torch.where(x, x, x), RuntimeError, "need torch.bool"),
    ],
)
def test_bad_input_is_told_in_words(call, error, words):
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    with pytest.raises(error) as caught:
        call(x)
    assert words in str(caught.value)
    assert str(caught.value).startswith("[") or "unsupported" in str(caught.value)


def test_the_gradient_of_an_inverse_is_that_of_small_steps():
    start = np.random.default_rng(0).uniform(0.2, 0.6, (3, 3)) + 0.3 * np.eye(3)
    m = torch.tensor(start, requires_grad=True)
    assert torch.autograd.gradcheck(torch.linalg.inv, (m,))


def test_a_tensor_can_become_a_view_of_itself_only():
    x = torch.tensor([[1.0, 2.0, 3.0]])
    y = x.view(-1)
    assert x.t_() is x
    assert tuple(x.shape) == (3, 1)
    x[0, 0] = 9
    assert y[0].item() == 9
    with pytest.raises(RuntimeError, match="other memory"):
        x._look_as(torch.ones(3))
    with pytest.raises(RuntimeError, match="requires a gradient"):
        torch.ones(2, 2).requires_grad_().t_()

"""The comparison of functions of tensors with PyTorch's: arguments and edges, as
data/torch_function_liners.json has them; and bad input.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minitorch
import minitorch.torch as torch
from minitorch.torch import tensor_methods

from .one_liners import disagreement, run
from .source_tree import ROOT

RECORDED = json.loads(
    (ROOT / "tests/python/data/torch_function_liners.json").read_text()
)
ROWS = [row for rows in RECORDED["topics"].values() for row in rows]
# Those whose methods are functions of elements, shapes, products or order.
NAMES = """
arithmetic comparison in_place joining linalg pointwise products shapes slicing sorting
"""
FAMILIES = [
    family
    for family in tensor_methods.FAMILIES
    if family.__name__.rpartition(".")[2] in NAMES.split()
]


@pytest.mark.parametrize("row", ROWS, ids=[row["code"] for row in ROWS])
def test_functions_give_what_pytorch_gives(row: dict[str, Any]):
    assert disagreement(torch, row, RECORDED["inputs"]) is None
    if row in RECORDED["topics"]["edges"] and "error" in row["gives"]:
        kind = run(torch, row["code"], RECORDED["inputs"])["error"]
        assert kind == row["gives"]["error"]


METHODS = {
    name: method
    for family in FAMILIES
    for name, method in family.METHODS.items()
    if callable(method) and not name.startswith("__")
}


@pytest.mark.parametrize("name", sorted(METHODS))
def test_methods_refuse_what_is_no_tensor_of_this_dialect(name: str):
    ours = minitorch.ones(2, 2)
    with pytest.raises(TypeError) as caught:
        METHODS[name](ours)
    text = str(caught.value)
    # A function that needs more says that first.
    assert ".as_torch()" in text or "missing" in text


@pytest.mark.parametrize("name", sorted(METHODS))
def test_methods_are_functions_of_the_first_tensor(name: str):
    assert getattr(torch.Tensor, name) is METHODS[name]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda x: torch.exp([1.0]),
            TypeError,
            "[exp] got a list; need",
        ),
        (lambda x: torch.add(x, "1"), TypeError, "[add] got a str"),
        (lambda x: x.add(minitorch.ones(2)), TypeError, ".as_torch()"),
        (lambda x: x + minitorch.ones(2, 3), TypeError, "minitorch"),
        (lambda x: x @ minitorch.ones(3, 2), TypeError, ".as_torch()"),
        (lambda x: torch.cat(x), TypeError, "need a list of tensors"),
        (lambda x: torch.cat([]), RuntimeError, "got no tensor"),
        (lambda x: x.view(4), RuntimeError, "need one of 6 elements"),
        (lambda x: x.t().view(6), RuntimeError, "Try .reshape(...)"),
        (lambda x: x @ x, RuntimeError, "not 3 and 2"),
        (lambda x: x @ x.t().double(), RuntimeError, "need one dtype"),
        (lambda x: x.expand(3, 3), RuntimeError, "need those of the tensor"),
        (lambda x: x.long() << 1.5, TypeError, "unsupported operand"),
        (lambda x: ~x, TypeError, "need integers or truth values"),
        (lambda x: x.long().exp_(), RuntimeError, "without the underscore"),
        (lambda x: x.sum(0).unsqueeze(0).add_(x), RuntimeError, "(2, 3)"),
        (lambda x: torch.linalg.inv(x), RuntimeError, "need square matrices"),
        (lambda x: torch.linalg.inv(x @ x.t() * 0), RuntimeError, "Is it singular?"),
        (lambda x: torch.einsum("ij,jk", x), RuntimeError, "need 1 operands"),
        (lambda x: torch.topk(x, 4), RuntimeError, "need 0 to 3"),
        (lambda x: torch.split(x, [1, 3]), RuntimeError, "add up"),
        (lambda x: x.softmax(2), IndexError, "need -2 to 1"),
        (lambda x: torch.where(x, x, x), RuntimeError, "need torch.bool"),
    ],
)
def test_bad_input_is_told_in_words(
    call: Callable[[Any], Any], error: type[Exception], words: str
):
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    with pytest.raises(error) as caught:
        call(x)
    assert words in str(caught.value)
    assert str(caught.value).startswith("[") or "unsupported" in str(caught.value)


@pytest.mark.parametrize(
    "make",
    [
        torch.linalg.inv,
        torch.linalg.det,
        lambda m: torch.linalg.solve(m, m[0]),
    ],
)
def test_gradients_of_gradients_are_those_of_small_steps(make: Callable[[Any], Any]):
    rng = np.random.default_rng(0)
    start = rng.uniform(0.2, 0.6, (3, 3)) + 0.3 * np.eye(3)
    way = torch.tensor(rng.standard_normal((3, 3)))

    def slope(numbers: Any, create_graph: bool = True) -> Any:
        m = torch.tensor(numbers).requires_grad_()
        made = make(m)
        (made * torch.cos(made)).sum().backward(create_graph=create_graph)
        return m, m.grad

    m, first = slope(start)
    direct = np.array(first.detach().numpy())
    m.grad = None
    (first * way).sum().backward()
    second = m.grad.numpy()
    step = 1e-6
    for at in ((0, 0), (1, 2)):
        moved = np.zeros((3, 3))
        moved[at] = step
        ends = [slope(start + sign * moved, False)[1].numpy() for sign in (1, -1)]
        expected = ((ends[0] - ends[1]) / (2 * step) * way.numpy()).sum()
        np.testing.assert_allclose(second[at], expected, rtol=2e-5, atol=1e-6)
        values = [
            (lambda made: float((made * torch.cos(made)).sum()))(
                make(torch.tensor(start + sign * moved))
            )
            for sign in (1, -1)
        ]
        slope_there = (values[0] - values[1]) / (2 * step)
        np.testing.assert_allclose(direct[at], slope_there, rtol=2e-5, atol=1e-6)


def test_other_norms_of_matrices_are_numpys():
    with pytest.raises(NotImplementedError, match=r"numpy\.linalg\.norm"):
        torch.linalg.norm(torch.eye(2), "nuc")


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

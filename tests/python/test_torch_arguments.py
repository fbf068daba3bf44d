"""Arguments of PyTorch's face: every keyword of PyTorch, and NumPy's integers."""

from __future__ import annotations

import ast
import importlib
import inspect
import re

import numpy as np
import pytest

import minitorch
import minitorch.torch as torch
from minitorch.torch import nn

from .one_liners import disagreement, recorded
from .source_tree import ROOT

KEYWORDS = ROOT / "tests/python/data/torch_keywords.txt"
# Keywords that are refused here with a TypeError, by the function's name.
REFUSED = {
    "torch": """addmm.out_dtype bmm.out_dtype mm.out_dtype enable_grad.orig_func
        scatter.reduce""",
    "torch.nn": "",
    "torch.nn.functional": """avg_pool1d.ceil_mode max_pool1d.ceil_mode
        max_pool2d.ceil_mode""",
    "torch.Tensor": "requires_grad_.mode scatter.reduce scatter_.reduce view.dtype",
}
# What is said of a keyword that a function does not have.
_UNKNOWN = r"unexpected keyword argument '{0}'|got {0}=;|option '{0}'|{{'{0}': "


def recorded_keywords():
    """Return PyTorch's name, our function and the keywords, for all that is here."""
    place, owner = "", {}
    for line in KEYWORDS.read_text().splitlines():
        name, _, listed = line.partition(": ")
        if line.startswith("## "):
            place = line[3:]
            owner = (
                dict(vars(importlib.import_module(f"minitorch.{place}")))
                if (place != "torch.Tensor")
                else {name: getattr(torch.Tensor, name) for name in dir(torch.Tensor)}
            )
        elif callable(owner.get(name)):
            yield f"{place}.{name}", owner[name], listed.split()


def names_of(function):
    """Return the names of its arguments that stand in its signature."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return set()
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {each.name for each in parameters if each.kind not in variable}


@pytest.mark.filterwarnings("ignore")
def test_functions_take_every_keyword_of_pytorch():
    refused = []
    for name, function, keywords in recorded_keywords():
        start = (torch.ones(2),) if name.startswith("torch.Tensor.") else ()
        known = names_of(function)
        for keyword in set(keywords) - known:
            try:
                function(*start, **{keyword: object()})
            except Exception as error:
                if re.search(_UNKNOWN.format(keyword), str(error)):
                    refused.append(f"{name}.{keyword}")
    listed = {f"{at}.{row}" for at, rows in REFUSED.items() for row in rows.split()}
    assert set(refused) == listed


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda x: torch.flip(dims=[1], input=x), [[3, 2, 1], [6, 5, 4]]),
        (lambda x: x.view(size=(6,)), [1, 2, 3, 4, 5, 6]),
        (lambda x: torch.mm(x1=x, mat2=x.t())[0], [14, 32]),
        (lambda x: x.split(split_size=2, axis=1)[1], [[3], [6]]),
    ],
)  # fmt: skip
def test_what_a_keyword_means(call, expected):
    x = torch.tensor([[1, 2, 3], [4, 5, 6]])
    assert call(x).tolist() == expected


def test_a_keyword_that_is_none_is_refused():
    with pytest.raises(TypeError, match="'dim'"):
        torch.flip(torch.ones(2), dim=0)
    with pytest.raises(TypeError, match=r"multiple values|'A'"):
        torch.exp(torch.ones(2), A=torch.ones(2))


class _NumpyIntegers(ast.NodeTransformer):
    """Writes NumPy's integers in the calls of a sentence."""

    inside = False

    def visit_Call(self, node):
        is_ours = not ast.unparse(node.func).startswith("data.")
        outer = self.inside
        self.inside = is_ours and isinstance(node.func, ast.Attribute)
        self.generic_visit(node)
        self.inside = outer
        return node

    def visit_Constant(self, node):
        if not self.inside or type(node.value) is not int:
            return node
        return ast.parse(f"np.int64({node.value})", mode="eval").body


# NumPy's integers are printed or saved as such, in PyTorch as well.
_OF_PYTHON = re.compile(r"repr\(|str\(|print|save|dumps|type\(|==|item|round|\bset_")


def test_numpys_integers_are_integers_everywhere():
    wrong = []
    for row in (row for rows in recorded().values() for row in rows):
        code = ast.unparse(_NumpyIntegers().visit(ast.parse(row["code"])))
        if "np.int64" not in code or _OF_PYTHON.search(code):
            continue
        if disagreement(torch, row) is None:
            problem = disagreement(torch, {**row, "code": code})
            wrong += [f"{code}: {problem}"] if problem else []
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("layers", [nn, minitorch.nn])
def test_layers_keep_sizes_as_integers(layers):
    four = np.int64(4)
    assert str(layers.Linear(four, np.uint8(2))) == str(layers.Linear(4, 2))
    kept = [
        layers.GRU(four, four).hidden_size,
        layers.Conv2d(four, four, 1).in_channels,
        layers.BatchNorm1d(four).num_features,
        layers.MultiheadAttention(four, four).head_dim,
    ]
    assert [type(size) for size in kept] == [int] * 4
    for wrong in (4.0, np.float32(4), "4", None, True):
        with pytest.raises(TypeError, match=r"^\[Linear\] got in_features"):
            layers.Linear(wrong, 2)
    with pytest.raises(RuntimeError, match="got in_channels 0; need at least 1"):
        layers.Conv2d(np.int64(0), 2, 1)

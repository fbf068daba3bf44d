"""Names of PyTorch that are not here: errors say so, and what to do instead."""

from __future__ import annotations

import importlib
import pickle
import re

import pytest

import minitorch.torch as torch
from minitorch.torch import absent

ABSENT = " is in PyTorch but not in minitorch; "


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("fft", f"torch.fft{ABSENT}numpy.fft works on x.numpy()"),
        ("sofmax", "torch.sofmax is not in minitorch; did you mean 'softmax'"),
        ("qr", f"torch.qr{ABSENT}use numpy.linalg"),
        ("exp_", f"torch.exp_{ABSENT}use x.exp_"),
        ("nothing_at_all", "torch.nothing_at_all is not in minitorch."),
    ],
)
def test_the_package_says_what_to_do_instead(name, words):
    with pytest.raises(AttributeError) as caught:
        getattr(torch, name)
    assert str(caught.value).startswith(words)
    assert not hasattr(torch, name)


@pytest.mark.parametrize(
    ("place", "name", "words"),
    [
        (lambda: torch.ones(2), "to_sparse", f"torch.Tensor.to_sparse{ABSENT}"),
        (lambda: torch.ones(2), "sofmax", "did you mean 'softmax'"),
        (lambda: torch.ones(2), "nothing_at_all", "torch.Tensor.nothing_at_all is"),
        (
            lambda: torch.linalg,
            "eigvals",
            f"torch.linalg.eigvals{ABSENT}use numpy.linalg",
        ),
        (
            lambda: torch.nn,
            "Linaer",
            "torch.nn.Linaer is not in minitorch; did you mean",
        ),
        (lambda: torch.optim, "Adma", "did you mean 'Adam'"),
    ],
)
def test_its_parts_do_so_too(place, name, words):
    with pytest.raises(AttributeError) as caught:
        getattr(place(), name)
    assert words in str(caught.value)


def test_imports_say_it_as_well():
    with pytest.raises(ModuleNotFoundError, match=r"numpy\.fft works"):
        importlib.import_module("minitorch.torch.fft")
    with pytest.raises(ImportError, match="uses one process"):
        exec("from minitorch.torch import distributed")
    with pytest.raises(ModuleNotFoundError, match="No module named"):
        importlib.import_module("minitorch.torch.nothing_at_all")


def test_names_that_python_asks_for_are_left_alone():
    x = torch.ones(2)
    assert not hasattr(x, "__cuda_array_interface_of_mine__")
    assert not hasattr(torch, "__wrapped__")
    assert pickle.loads(pickle.dumps(x)).tolist() == [1.0, 1.0]


def owner_of(place):
    if place == "torch.Tensor":
        return torch.Tensor
    return importlib.import_module(f"minitorch.{place}")


def resolves(name):
    """Is there such a name, as PyTorch's programs write it?"""
    value = torch
    for part in name.split(".")[1:]:
        value = getattr(value, part, None)
    return value is not None


@pytest.mark.parametrize("place", absent.names_of_pytorch())
def test_every_name_of_pytorch_is_here_or_says_that_it_is_absent(place):
    owner, wrong = owner_of(place), []
    for name in absent.names_of_pytorch()[place]:
        if name in dir(owner):
            continue
        said = absent.message(place, name, dir(owner))
        advised = re.findall(r"\btorch(?:\.[a-z_]\w*)+", said.partition("; ")[2])
        fits = said.startswith(f"{place}.{name}{ABSENT}")
        if not fits or not all(map(resolves, advised)) or said.count("internal"):
            wrong.append(said)
    assert not wrong
    if place != "torch.Tensor":
        with pytest.raises(ImportError, match="nothing_at_all"):
            exec(f"from minitorch.{place} import nothing_at_all")

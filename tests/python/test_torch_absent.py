"""Owns the tests of what is said of names of PyTorch that are not here."""

from __future__ import annotations

import importlib
import json
import pickle
from typing import Any

import pytest

import minitorch.torch as torch
from minitorch.torch import absent

from .source_tree import ROOT

NAMES = json.loads((ROOT / "tests/python/data/torch_names.json").read_text())["names"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("fft", "torch.fft is not here; numpy.fft works on x.numpy()"),
        ("sparse", "torch.sparse is not here; there are no sparse tensors"),
        ("vmap", "torch.vmap is not here; give functions a batch dimension"),
        ("compile", "torch.compile is not here; run the program as it is"),
        ("jit", "torch.jit is not here; run the program as it is"),
        ("distributed", "torch.distributed is not here; there is one process"),
        ("complex64", "torch.complex64 is not here; there are no complex numbers"),
        ("sofmax", "torch.sofmax is not here; did you mean 'softmax'"),
        ("qr", "torch.qr is not here; use torch.linalg.qr"),
        ("nothing_at_all", "torch.nothing_at_all is not here."),
    ],
)
def test_the_package_says_what_to_do_instead(name: str, words: str):
    with pytest.raises(AttributeError) as caught:
        getattr(torch, name)
    assert str(caught.value).startswith(words)
    assert not hasattr(torch, name)


@pytest.mark.parametrize(
    ("place", "name", "words"),
    [
        (lambda: torch.ones(2), "to_sparse", "torch.Tensor.to_sparse is not here"),
        (lambda: torch.ones(2), "sofmax", "did you mean 'softmax'"),
        (lambda: torch.ones(2), "nothing_at_all", "torch.Tensor.nothing_at_all is"),
        (lambda: torch.linalg, "eigvals", "torch.linalg.eigvals is not here; NumPy"),
        (lambda: torch.nn, "Linaer", "torch.nn.Linaer is not here; did you mean"),
        (lambda: torch.optim, "adam", "did you mean 'Adam'"),
    ],
)
def test_its_parts_do_so_too(place: Any, name: str, words: str):
    with pytest.raises(AttributeError) as caught:
        getattr(place(), name)
    assert words in str(caught.value)


def test_imports_say_it_as_well():
    with pytest.raises(ModuleNotFoundError, match=r"numpy\.fft works"):
        importlib.import_module("minitorch.torch.fft")
    with pytest.raises(ImportError, match="there is one process"):
        exec("from minitorch.torch import distributed")
    with pytest.raises(ModuleNotFoundError, match="No module named"):
        importlib.import_module("minitorch.torch.nothing_at_all")


def test_names_that_python_asks_for_are_left_alone():
    x = torch.ones(2)
    assert not hasattr(x, "__cuda_array_interface_of_mine__")
    assert not hasattr(torch, "__wrapped__")
    assert pickle.loads(pickle.dumps(x)).tolist() == [1.0, 1.0]


def test_every_row_is_of_a_name_of_pytorch():
    known = {name for names in NAMES.values() for name in names}
    elsewhere = {"Variable", "tensorboard", "data_parallel", "volatile"}
    assert set(absent.INSTEAD) - known <= elsewhere

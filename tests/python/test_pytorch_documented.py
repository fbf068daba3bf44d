"""Owns the test that docs/pytorch.md lists PyTorch's names as they are here."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from .source_tree import ROOT

NAMES = json.loads((ROOT / "tests/python/data/torch_names.json").read_text())["names"]


@pytest.fixture(scope="module")
def maker() -> Iterator[ModuleType]:
    path = ROOT / "docs/make_pytorch.py"
    spec = importlib.util.spec_from_file_location("make_pytorch", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_pytorch"] = module  # where its dataclass looks for itself
    spec.loader.exec_module(module)
    yield module
    del sys.modules["make_pytorch"]


def test_the_page_is_up_to_date(maker: ModuleType):
    assert (ROOT / "docs/pytorch.md").read_text() == maker.page(), (
        "run: python docs/make_pytorch.py"
    )


def test_names_are_sorted_by_what_is_here(maker: ModuleType):
    names = {name: NAMES["torch.Tensor"][name] for name in ("sum", "sort", "to_sparse")}
    names["shape"] = ["method", ""]  # which is called nowhere
    place = maker.look("torch.Tensor", names)
    assert place.here == ["sum"]
    assert list(place.remarked) == ["sort"]
    assert place.differing == ["shape (property)"]
    assert list(place.absent.values()) == [["to_sparse"]]
    (advice,) = place.absent
    assert "dense" in advice


def test_a_place_that_is_not_here_has_only_absent_names(maker: ModuleType):
    place = maker.look("torch.nowhere", {"f": ["function", ""]})
    assert place.absent == {"": ["f"]}


def test_what_is_said_to_differ_is_here(maker: ModuleType):
    for name, remarks in maker.REMARKS.items():
        known = {each: NAMES[name][each] for each in remarks}
        assert list(maker.look(name, known).remarked) == list(remarks)


@pytest.mark.parametrize(
    ("place", "name", "signature"),
    [
        ("torch", "clamp", "input"),
        ("torch.Tensor", "add", "(other, *, alpha=1)"),
        ("torch.nn", "Linear", "(in_features, out_features, bias=True"),
        ("torch.nn.functional", "conv2d", "(input, weight, bias=None"),
        ("torch.optim", "SGD", "lr=0.001"),
        ("torch.utils.data", "DataLoader", "batch_size=1"),
    ],
)
def test_signatures_were_recorded(place: str, name: str, signature: str):
    assert signature in NAMES[place][name][1]

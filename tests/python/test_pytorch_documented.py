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


def test_names_that_are_looked_at_elsewhere_are_sorted_rightly(maker: ModuleType):
    names = {name: NAMES["torch.Tensor"][name] for name in ("sum", "size", "xlogy")}
    place = maker.look("torch.Tensor", names)
    assert place.here == ["sum"]
    assert place.differing == ["size (property)"]
    assert place.absent == ["xlogy"]


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

"""Tests of what a public module lists: its own names, and none of what it imports."""

from __future__ import annotations

import builtins
import importlib
import os
import tomllib
from unittest import mock

import pytest

import minitorch

from .processes import printed_by
from .source_tree import ROOT

# Public modules, and which of their names `import *` leaves out: they would hide
# Python's own.
MODULES = {
    "minitorch": {"bool", "max"},
    "minitorch.autograd": set(),
    "minitorch.backends": set(),
    "minitorch.compat": set(),
    "minitorch.cuda": {"bool", "compile"},
    "minitorch.cuda.random": set(),
    "minitorch.cuda_ops": set(),
    "minitorch.data": set(),
    "minitorch.datasets": set(),
    "minitorch.fast_ops": set(),
    "minitorch.functional": {"abs", "all", "any", "max", "min", "round", "sum"},
    "minitorch.learn": set(),
    "minitorch.models": set(),
    "minitorch.nn": {"max"},
    "minitorch.nn.init": set(),
    "minitorch.operators": {"id", "map", "max", "sum"},
    "minitorch.optim": set(),
    "minitorch.profiler": set(),
    "minitorch.scalar_functions": set(),
    "minitorch.tensor_functions": set(),
    "minitorch.tensor_ops": {"map", "zip"},
    "minitorch.testing": set(),
    "minitorch.viz": set(),
}


def test_every_module_that_the_package_lists_is_looked_at():
    modules = {
        name
        for name in minitorch.__all__
        if type(getattr(minitorch, name)) is type(minitorch)
    }
    assert {f"minitorch.{name}" for name in modules} <= set(MODULES)


@pytest.mark.parametrize("name", MODULES)
@mock.patch.dict(os.environ)  # minitorch.learn sets MINITORCH_CUDA
def test_dir_lists_public_names_and_all_are_there(name):
    module = importlib.import_module(name)
    assert dir(module) == sorted({*module.__all__, *MODULES[name]})
    assert len(set(module.__all__)) == len(module.__all__)
    assert all(hasattr(module, each) for each in dir(module))


@pytest.mark.parametrize("name", MODULES)
def test_a_star_hides_nothing_of_python(name):
    brought = {}
    exec(f"from {name} import *", brought)
    brought.pop("__builtins__")
    assert not set(brought) & set(dir(builtins))
    assert set(brought) == set(dir(importlib.import_module(name))) - MODULES[name]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("isnan", "minitorch.functional.isnan and .isnan() of a tensor."),
        ("device", None),
        ("mse_loss", "minitorch.functional.mse_loss."),
        ("Adam", "minitorch.optim.Adam."),
        ("DataLoader", "minitorch.data.DataLoader."),
        ("frobnicate", None),
        ("__wrapped__", None),
    ],
)
def test_a_name_that_pytorch_has_at_its_top_is_told_where_it_is(name, hint):
    words = f"module 'minitorch' has no attribute '{name}'"
    with pytest.raises(AttributeError) as caught:
        getattr(minitorch, name)
    assert str(caught.value) == words + (f". There is {hint}" if hint else "")


@pytest.mark.cuda
def test_names_of_other_libraries_are_told_where_they_are():
    told = minitorch.cuda.kernel_namespace._INSTEAD
    for name, there in told.items():
        with pytest.raises(AttributeError) as caught:
            getattr(minitorch.cuda, name)
        assert str(caught.value).endswith(f"no attribute {name!r}. There is {there}.")
        if there.endswith(")") and name != "set_device":
            assert eval(there) is not None
    assert callable(minitorch.manual_seed)
    assert callable(minitorch.cuda.select_device)


def test_listing_names_loads_nothing():
    code = (
        "import sys, minitorch\n"
        "before = set(sys.modules)\n"
        "dir(minitorch), dir(minitorch.cuda), dir(minitorch.viz)\n"
        "assert set(sys.modules) == before\n"
        "assert 'minitorch.models' not in before\n"
        "minitorch.models.lenet5"
    )
    printed_by(code)


def test_the_two_versions_are_ours_and_upstreams():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert minitorch.__version__ == project["version"]
    assert minitorch.version == "0.4"  # what upstream's own programs compare with

"""The public tests of task 0.4: a tree of modules."""

from __future__ import annotations

import pytest
from hypothesis import given

import minitorch

from .strategies import med_ints, small_floats


class Leaf(minitorch.Module):
    """One parameter."""

    def __init__(self, value: float) -> None:
        super().__init__()
        self.weight = minitorch.Parameter(value)


class Branch(minitorch.Module):
    """A parameter between two modules, one of which has extra parameters."""

    def __init__(self, extra: int = 0) -> None:
        super().__init__()
        self.left = Leaf(1.0)
        self.scale = minitorch.Parameter(2.0)
        self.right = Leaf(3.0)
        self.not_a_parameter = 10
        for i in range(extra):
            self.right.add_parameter(f"extra_{i}", 0.0)


class Root(minitorch.Module):
    """Two branches."""

    def __init__(self, extra: int, value: float) -> None:
        super().__init__()
        self.first = Branch()
        self.second = Branch(extra)
        self.bias = minitorch.Parameter(value)


@pytest.mark.task0_4
def test_stacked_demo() -> None:
    """A name is the road to a parameter, with dots between attributes."""
    branch = Branch()
    found = {name: p.value for name, p in branch.named_parameters()}
    assert found == {"scale": 2.0, "left.weight": 1.0, "right.weight": 3.0}
    assert branch.not_a_parameter == 10


@pytest.mark.task0_4
def test_order_of_parameters() -> None:
    """A module's own come first, then those inside, in the order of assignment."""
    names = [name for name, _ in Branch(1).named_parameters()]
    assert names == ["scale", "left.weight", "right.weight", "right.extra_0"]


@pytest.mark.task0_4
@given(med_ints)
def test_module(extra: int) -> None:
    """Every parameter once, and the same objects in both lists."""
    module = Branch(extra)
    assert len(module.parameters()) == 3 + extra
    named = [parameter for _, parameter in module.named_parameters()]
    for one, other in zip(module.parameters(), named, strict=True):
        assert one is other


@pytest.mark.task0_4
@given(med_ints, small_floats)
def test_stacked_module(extra: int, value: float) -> None:
    """`eval` and `train` reach the leaves of the tree."""
    module = Root(extra, value)
    everywhere = [module, module.first, module.second, module.second.right]
    module.eval()
    assert [each.training for each in everywhere] == [False] * 4
    module.train()
    assert [each.training for each in everywhere] == [True] * 4

    assert len(module.parameters()) == 1 + 3 + (3 + extra)
    named = dict(module.named_parameters())
    assert named["bias"].value == value
    assert named["second.right.weight"].value == 3.0


@pytest.mark.task0_4
def test_a_part_alone() -> None:
    """Setting a part's mode leaves the rest as it was."""
    module = Root(0, 0.0)
    module.first.eval()
    assert not module.first.left.training
    assert module.training
    assert module.second.training


class Ten(minitorch.Module):
    """A module without parameters."""

    def forward(self) -> int:
        """10"""
        return 10


@pytest.mark.task0_4
def test_module_forward() -> None:
    """A call of a module is a call of its `forward`."""
    assert Ten()() == 10
    assert list(Ten().parameters()) == []


class Collects:
    """A value that wants to be told that it is a parameter."""

    def __init__(self) -> None:
        self.told = False

    def requires_grad_(self, x: bool) -> None:
        """Keeps what it was told."""
        self.told = x


def test_parameter() -> None:
    """A Parameter asks its value, also a new one, to collect a gradient."""
    first, second = Collects(), Collects()
    parameter = minitorch.Parameter(first)
    assert first.told
    parameter.update(second)
    assert second.told

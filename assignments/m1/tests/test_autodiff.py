"""The public tests of tasks 1.3 and 1.4: the chain rule and the way back."""

from __future__ import annotations

import pytest

import minitorch
from minitorch import Context, Scalar, ScalarFunction, ScalarHistory, topological_sort


class Plus10(ScalarFunction):
    """x + y + 10: both derivatives are 1."""

    @staticmethod
    def forward(ctx: Context, x: float, y: float) -> float:
        """x + y + 10"""
        return float(x + y + 10)

    @staticmethod
    def backward(ctx: Context, d_output: float) -> tuple[float, float]:
        """d, d"""
        return d_output, d_output


class TimesPlus(ScalarFunction):
    """x * y + x: the derivatives are y + 1 and x."""

    @staticmethod
    def forward(ctx: Context, x: float, y: float) -> float:
        """x * y + x"""
        ctx.save_for_backward(x, y)
        return float(x * y + x)

    @staticmethod
    def backward(ctx: Context, d_output: float) -> tuple[float, float]:
        """d (y + 1), d x"""
        x, y = ctx.saved_values
        return d_output * (y + 1), d_output * x


# Task 1.3: one step back.


@pytest.mark.task1_3
def test_chain_rule1() -> None:
    """A derivative for each argument, even if it is the same one twice."""
    x = Scalar(0.0)
    result = Scalar(0.0, ScalarHistory(Plus10, ctx=Context(), inputs=[x, x]))
    assert len(list(result.chain_rule(d_output=5))) == 2


@pytest.mark.task1_3
def test_chain_rule2() -> None:
    """Pairs of a variable and its derivative."""
    x = Scalar(0.0, ScalarHistory())
    result = Scalar(0.0, ScalarHistory(Plus10, ctx=Context(), inputs=[x, x]))
    (variable, derivative), _ = result.chain_rule(d_output=5)
    assert variable is x
    assert derivative == 5


@pytest.mark.task1_3
def test_chain_rule3() -> None:
    """A plain number is an argument, too, and has its place."""
    x = Scalar(5)
    result = TimesPlus.apply(10, x)
    back = list(result.chain_rule(d_output=5))
    assert len(back) == 2
    assert back[1][0] is x
    assert back[1][1] == 5 * 10


@pytest.mark.task1_3
def test_chain_rule4() -> None:
    """Derivatives stand beside their own variables."""
    x, y = Scalar(5), Scalar(10)
    first, second = TimesPlus.apply(x, y).chain_rule(d_output=5)
    assert first[0] is x
    assert first[1] == 5 * (10 + 1)
    assert second[0] is y
    assert second[1] == 5 * 5


# Task 1.4: all the way back.


@pytest.mark.task1_4
def test_topological_sort() -> None:
    """Children before parents: a diamond whose one side is longer."""
    x = Scalar(2.0)
    short, long = x * 3, (x + 1).exp().log()
    result = short + long
    order = [each.unique_id for each in topological_sort(result)]
    assert order[0] == result.unique_id
    assert len(order) == len(set(order))
    for child in (result, short, long):
        for parent in child.parents:
            assert order.index(child.unique_id) < order.index(parent.unique_id)


@pytest.mark.task1_4
def test_topological_sort_skips_constants() -> None:
    """What is outside of the graph has no place in it, and no parents to ask for."""
    x, constant = Scalar(2.0), Scalar(3.0, None)
    order = list(topological_sort(x * constant))
    assert [each.is_constant() for each in order] == [False, False]


@pytest.mark.task1_4
def test_backprop1() -> None:
    """One step."""
    x = Scalar(0)
    Plus10.apply(0, x).backward(d_output=5)
    assert x.derivative == 5


@pytest.mark.task1_4
def test_backprop2() -> None:
    """Two steps."""
    x = Scalar(0)
    Plus10.apply(0, Plus10.apply(0, x)).backward(d_output=5)
    assert x.derivative == 5


@pytest.mark.task1_4
def test_backprop3() -> None:
    """Two roads to one leaf."""
    x = Scalar(0)
    Plus10.apply(Plus10.apply(0, x), Plus10.apply(0, x)).backward(d_output=5)
    assert x.derivative == 10


@pytest.mark.task1_4
def test_backprop4() -> None:
    """Two roads that meet before the leaf."""
    x = Scalar(0)
    meet = Plus10.apply(0, x)
    Plus10.apply(Plus10.apply(0, meet), Plus10.apply(0, meet)).backward(d_output=5)
    assert x.derivative == 10


@pytest.mark.task1_4
def test_backward_twice() -> None:
    """A second call adds the same again: nothing of the first is left in the graph."""
    x = Scalar(3.0)
    result = x * x + x
    result.backward()
    assert x.derivative == 7.0
    result.backward()
    assert x.derivative == 14.0


@pytest.mark.task1_4
def test_deep_graph() -> None:
    """Five thousand steps, and two to the power of sixty roads."""
    x = Scalar(1.0)
    deep = x
    for _ in range(5000):
        deep = deep + 0.5
    deep.backward()
    assert x.derivative == 1.0

    y = Scalar(1.0)
    bushy = y
    for _ in range(60):
        bushy = bushy + bushy
    bushy.backward()
    assert y.derivative == 2.0**60


def test_optimizer() -> None:
    """SGD moves a parameter against its derivative, and forgets that when asked."""
    weight = minitorch.Parameter(Scalar(3.0))
    optim = minitorch.SGD([weight], lr=0.25)
    (weight.value * weight.value).backward()
    optim.step()
    assert weight.value.data == 1.5
    optim.zero_grad()
    assert weight.value.derivative is None

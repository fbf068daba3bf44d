"""Automatic differentiation for anything that is a Variable (module 1).

Scalars are taken through their graph here. Tensors have the same engine in C++, and
join this one by the same protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

variable_count = 1


def central_difference(
    f: Callable[..., Any], *vals: Any, arg: int = 0, epsilon: float = 1e-6
) -> Any:
    """Return the central difference (f(x + ε/2) - f(x - ε/2)) / ε for one argument.

    Args:
        f: A function of numbers, Scalars or tensors.
        vals: Where to take the derivative.
        arg: Which argument to vary.
        epsilon: ε, how far apart the two calls are.

    Example:
        >>> round(central_difference(lambda x, y: x * y, 3.0, 5.0, arg=1), 6)
        3.0
    """
    before, after = list(vals), list(vals)
    after[arg] = vals[arg] + epsilon / 2
    before[arg] = vals[arg] - epsilon / 2
    return (f(*after) - f(*before)) / epsilon


class Variable(Protocol):
    """Interface of a value in a graph, as `backpropagate` uses it."""

    def accumulate_derivative(self, x: Any) -> None:
        """Add `x` to the derivative of a leaf."""

    @property
    def unique_id(self) -> int:
        """Number that no other variable has."""

    def is_leaf(self) -> bool:
        """Return whether the user created it and it collects a derivative."""

    def is_constant(self) -> bool:
        """Return whether it is outside of all graphs."""

    @property
    def parents(self) -> Iterable[Variable]:
        """Variables that it was computed from."""

    def chain_rule(self, d_output: Any) -> Iterable[tuple[Variable, Any]]:
        """Return each parent with its derivative, given that of this variable."""


def topological_sort(variable: Variable) -> list[Variable]:
    """Return the non-constant variables behind `variable`, parents after children.

    Works without recursion, so graphs may be of any depth.

    Example:
        >>> from minitorch import Scalar
        >>> x = Scalar(2.0)
        >>> [v is x for v in topological_sort(x * x)]
        [False, True]
    """
    order: list[Variable] = []
    done: set[int] = set()
    open_: list[tuple[Variable, bool]] = [(variable, False)]
    while open_:
        one, finished = open_.pop()
        if finished:
            order.append(one)
        elif one.unique_id not in done and not one.is_constant():
            done.add(one.unique_id)
            open_.append((one, True))
            open_ += [(parent, False) for parent in one.parents]
    order.reverse()
    return order


def backpropagate(variable: Variable, deriv: Any) -> None:
    """Add the derivative of `variable` with respect to each leaf to that leaf.

    Args:
        variable: The result, at the right of the graph.
        deriv: The derivative to start with, usually 1.

    Example:
        >>> from minitorch import Scalar
        >>> x = Scalar(3.0)
        >>> backpropagate(x * x, 1.0)
        >>> x.derivative
        6.0
    """
    derivatives = {variable.unique_id: deriv}
    for one in topological_sort(variable):
        if one.unique_id not in derivatives:
            continue
        d = derivatives.pop(one.unique_id)
        if one.is_leaf():
            one.accumulate_derivative(d)
            continue
        for parent, part in one.chain_rule(d):
            if parent.is_constant():
                continue
            key = parent.unique_id
            derivatives[key] = derivatives[key] + part if key in derivatives else part


@dataclass
class Context:
    """What a forward step keeps for its backward step.

    Example:
        >>> ctx = Context()
        >>> ctx.save_for_backward(1.0, 2.0)
        >>> ctx.saved_values
        (1.0, 2.0)
    """

    no_grad: bool = False
    saved_values: tuple[Any, ...] = ()

    def save_for_backward(self, *values: Any) -> None:
        """Save `values` for the backward pass, unless no gradient will be needed."""
        if not self.no_grad:
            self.saved_values = values

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """Same as `saved_values`."""
        return self.saved_values

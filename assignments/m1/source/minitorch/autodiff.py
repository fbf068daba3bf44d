"""Automatic differentiation of anything that is a Variable.

Scalars use it in this module, tensors in the next. Must not know what a variable holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

# Task 1.1: a derivative without knowing the function.


def central_difference(
    f: Callable[..., Any], *vals: Any, arg: int = 0, epsilon: float = 1e-6
) -> Any:
    """The derivative of `f` by one argument, from two calls around the point.

    Moves `vals[arg]` half of `epsilon` to each side and leaves all other arguments as
    they are. The error then shrinks with the square of `epsilon`; a step to one side
    only would leave one that shrinks with `epsilon` itself.

    Args:
        f: A function of numbers, Scalars or tensors: whatever has + - and /.
        vals: Where to take the derivative.
        arg: Which argument is moved.
        epsilon: How far apart the two calls are.

    Example:
        >>> round(central_difference(lambda x, y: x * y, 3.0, 5.0, arg=1), 6)
        3.0
    """
    ### BEGIN SOLUTION
    before, after = list(vals), list(vals)
    after[arg] = vals[arg] + epsilon / 2
    before[arg] = vals[arg] - epsilon / 2
    return (f(*after) - f(*before)) / epsilon
    ### END SOLUTION


class Variable(Protocol):
    """What `topological_sort` and `backpropagate` may ask of a value in a graph."""

    def accumulate_derivative(self, x: Any) -> None:
        """Adds `x` to the derivative of a leaf."""

    @property
    def unique_id(self) -> int:
        """A number that no other variable has: == of variables compares values."""

    def is_leaf(self) -> bool:
        """Did a user make it, rather than a function?"""

    def is_constant(self) -> bool:
        """Is it outside of every graph? Then it has no parents and no derivative."""

    @property
    def parents(self) -> Iterable[Variable]:
        """The variables that it was computed from."""

    def chain_rule(self, d_output: Any) -> Iterable[tuple[Variable, Any]]:
        """Each parent with the derivative by it, given that by this variable."""


# Task 1.4: the way back through a graph.


def topological_sort(variable: Variable) -> Iterable[Variable]:
    """The non-constant variables behind `variable`, in an order for the way back.

    `variable` comes first; each variable comes once, and before all of its parents:
    when its turn has come, everything that used it has had its own.

    A network's graph may be ten thousand steps deep, and Python's stack is not.

    Args:
        variable: The result, at the right of the graph.

    Example:
        >>> from minitorch import Scalar
        >>> x = Scalar(2.0)
        >>> [v is x for v in topological_sort(x * x)]
        [False, True]
    """
    ### BEGIN SOLUTION
    finished: list[Variable] = []  # parents before children: turned round at the end
    seen: set[int] = set()
    open_: list[tuple[Variable, bool]] = [(variable, False)]
    while open_:
        one, parents_are_done = open_.pop()
        if parents_are_done:
            finished.append(one)
        elif one.unique_id not in seen and not one.is_constant():
            seen.add(one.unique_id)
            open_.append((one, True))
            open_ += [(parent, False) for parent in one.parents]
    return list(reversed(finished))
    ### END SOLUTION


def backpropagate(variable: Variable, deriv: Any) -> None:
    """Adds the derivative of `variable` by each leaf behind it to that leaf.

    Gives a result only through `accumulate_derivative` of leaves: what it needs on the
    way it must not leave behind in the graph, for it may be called again.

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
    ### BEGIN SOLUTION
    derivatives = {variable.unique_id: deriv}
    for one in topological_sort(variable):
        d = derivatives.pop(one.unique_id)
        if one.is_leaf():
            one.accumulate_derivative(d)
            continue
        for parent, part in one.chain_rule(d):
            if parent.is_constant():
                continue
            at = parent.unique_id
            derivatives[at] = derivatives[at] + part if at in derivatives else part
    ### END SOLUTION


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
        """Keeps `values`; does nothing where no derivative will be asked for."""
        if not self.no_grad:
            self.saved_values = values

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The same as `saved_values`."""
        return self.saved_values

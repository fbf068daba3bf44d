"""Scalar: a number that remembers how it was computed.

Its operators are ScalarFunctions. Must not know how a graph is walked.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .autodiff import Context, Variable, backpropagate, central_difference
from .scalar_functions import (
    EQ,
    LT,
    Add,
    Exp,
    Inv,
    Log,
    Mul,
    Neg,
    ReLU,
    ScalarFunction,
    Sigmoid,
)


@dataclass
class ScalarHistory:
    """The step that made a Scalar.

    Attributes:
        last_fn: The function; None for a Scalar that a user made, a leaf.
        ctx: What the function kept for its backward step.
        inputs: The Scalars that it was given.
    """

    last_fn: type[ScalarFunction] | None = None
    ctx: Context | None = None
    inputs: Sequence[Scalar] = ()


_ids = itertools.count(1)


class Scalar:
    """A number whose computation is recorded, so that it has derivatives.

    Args:
        data: The number.
        history: How it was computed; by default it is a leaf, with None a constant.
        name: How drawings show it; by default its `unique_id`.

    Example:
        >>> x, y = Scalar(2.0), Scalar(3.0)
        >>> z = x * y + x.exp()
        >>> z.backward()
        >>> y.derivative
        2.0
    """

    history: ScalarHistory | None
    derivative: float | None
    data: float
    unique_id: int
    name: str

    def __init__(
        self,
        data: float,
        history: ScalarHistory | None = ScalarHistory(),  # noqa: B008  never changed
        name: str | None = None,
    ) -> None:
        self.unique_id = next(_ids)
        self.data = float(data)
        self.history = history
        self.derivative = None
        self.name = name or str(self.unique_id)

    def __repr__(self) -> str:
        return f"Scalar({self.data})"

    def __hash__(self) -> int:
        return self.unique_id

    def __bool__(self) -> bool:
        return bool(self.data)

    def __mul__(self, b: ScalarLike) -> Scalar:
        return Mul.apply(self, b)

    def __rmul__(self, b: ScalarLike) -> Scalar:
        return self * b

    def __truediv__(self, b: ScalarLike) -> Scalar:
        return Mul.apply(self, Inv.apply(b))

    def __rtruediv__(self, b: ScalarLike) -> Scalar:
        return Mul.apply(b, Inv.apply(self))

    # Task 1.2: each of these is one or two `apply`; the number is on either side.

    def __add__(self, b: ScalarLike) -> Scalar:
        ### BEGIN SOLUTION
        return Add.apply(self, b)
        ### END SOLUTION

    def __radd__(self, b: ScalarLike) -> Scalar:
        return self + b

    def __sub__(self, b: ScalarLike) -> Scalar:
        ### BEGIN SOLUTION
        return Add.apply(self, Neg.apply(b))
        ### END SOLUTION

    def __rsub__(self, b: ScalarLike) -> Scalar:
        return -self + b

    def __neg__(self) -> Scalar:
        ### BEGIN SOLUTION
        return Neg.apply(self)
        ### END SOLUTION

    def __lt__(self, b: ScalarLike) -> Scalar:
        ### BEGIN SOLUTION
        return LT.apply(self, b)
        ### END SOLUTION

    def __gt__(self, b: ScalarLike) -> Scalar:
        ### BEGIN SOLUTION
        return LT.apply(b, self)
        ### END SOLUTION

    def __eq__(self, b: ScalarLike) -> Scalar:  # type: ignore[override]
        ### BEGIN SOLUTION
        return EQ.apply(self, b)
        ### END SOLUTION

    def log(self) -> Scalar:
        """log(x + 1e-6)"""
        ### BEGIN SOLUTION
        return Log.apply(self)
        ### END SOLUTION

    def exp(self) -> Scalar:
        """e to the power of x"""
        ### BEGIN SOLUTION
        return Exp.apply(self)
        ### END SOLUTION

    def sigmoid(self) -> Scalar:
        """1 / (1 + e^-x)"""
        ### BEGIN SOLUTION
        return Sigmoid.apply(self)
        ### END SOLUTION

    def relu(self) -> Scalar:
        """x where it is positive, else 0"""
        ### BEGIN SOLUTION
        return ReLU.apply(self)
        ### END SOLUTION

    # What `autodiff` asks of a Variable.

    def accumulate_derivative(self, x: Any) -> None:
        """Adds `x` to the derivative; only leaves have one."""
        assert self.is_leaf(), "[Scalar] only leaves collect a derivative."
        self.derivative = (self.derivative or 0.0) + x

    def is_leaf(self) -> bool:
        """Did a user make it, rather than a function?"""
        return self.history is not None and self.history.last_fn is None

    def is_constant(self) -> bool:
        """Is it outside of every graph?"""
        return self.history is None

    @property
    def parents(self) -> Iterable[Variable]:
        """What it was computed from; nothing for a leaf."""
        assert self.history is not None, "[Scalar] a constant has no parents."
        return self.history.inputs

    def chain_rule(self, d_output: Any) -> Iterable[tuple[Variable, Any]]:
        """Each input with the derivative by it, given that by this Scalar (task 1.3).

        `last_fn._backward(ctx, d_output)` gives a tuple with a derivative for each
        argument; `inputs` has the arguments in the same order.

        Args:
            d_output: The derivative of the result by this Scalar.
        """
        h = self.history
        assert h is not None, "[Scalar] has no chain rule: it is a constant."
        assert h.last_fn is not None, "[Scalar] has no chain rule: it is a leaf."
        assert h.ctx is not None
        ### BEGIN SOLUTION
        parts = h.last_fn._backward(h.ctx, d_output)
        return list(zip(h.inputs, parts, strict=True))
        ### END SOLUTION

    def backward(self, d_output: float | None = None) -> None:
        """Adds the derivatives of this Scalar to `derivative` of its leaves.

        Args:
            d_output: The derivative to start with, by default 1.
        """
        backpropagate(self, 1.0 if d_output is None else d_output)


ScalarLike = float | int | Scalar


def derivative_check(f: Callable[..., Scalar], *scalars: Scalar) -> None:
    """Compares the derivatives of `f` with central differences, to one percent.

    Raises:
        AssertionError: They differ; the message says where.

    Example:
        >>> derivative_check(lambda x, y: x * y, Scalar(2.0), Scalar(3.0))
    """
    f(*scalars).backward()
    for i, x in enumerate(scalars):
        expected = central_difference(f, *scalars, arg=i)
        at = [s.data for s in scalars]
        assert x.derivative is not None, f"argument {i} got no derivative"
        np.testing.assert_allclose(
            x.derivative,
            expected.data,
            rtol=1e-2,
            atol=1e-2,
            err_msg=f"derivative by argument {i} at {at}",
        )

"""Scalar: a number that remembers how it was computed (module 1)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
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
    """How a Scalar was computed: the function, its context and its inputs."""

    last_fn: type[ScalarFunction] | None = None
    ctx: Context | None = None
    inputs: Sequence[Scalar] = ()


_LEAF = ScalarHistory()  # of Scalars that the user made
_ids = itertools.count(1)


class Scalar:
    """A number whose computation is recorded, so that it has derivatives.

    Args:
        data: The number.
        history: How it was computed; by default it is a leaf, and with None a constant
            that takes no part in a graph.
        name: How drawings show it; by default its `unique_id`.

    Example:
        >>> x, y = Scalar(2.0), Scalar(3.0)
        >>> z = x * y + x.exp()
        >>> z.backward()
        >>> y.derivative
        2.0
    """

    def __init__(
        self,
        data: float,
        history: ScalarHistory | None = _LEAF,
        name: str | None = None,
        *,
        derivative: float | None = None,
    ) -> None:
        self.unique_id = next(_ids)
        self.data = float(data)
        self.history = history
        self.derivative = derivative
        self.name = name or str(self.unique_id)

    @classmethod
    def computed(
        cls,
        data: float,
        function: type[ScalarFunction],
        ctx: Context,
        inputs: Sequence[Scalar],
    ) -> Scalar:
        """Return the result of `function`, with its history."""
        return cls(data, ScalarHistory(function, ctx, inputs))

    def __repr__(self) -> str:
        return f"Scalar({self.data})"

    def __hash__(self) -> int:
        return self.unique_id

    def __bool__(self) -> bool:
        return bool(self.data)

    def __float__(self) -> float:
        return self.data

    def __add__(self, b: ScalarLike) -> Scalar:
        return Add.apply(self, b)

    def __radd__(self, b: ScalarLike) -> Scalar:
        return self + b

    def __sub__(self, b: ScalarLike) -> Scalar:
        return Add.apply(self, -b)

    def __rsub__(self, b: ScalarLike) -> Scalar:
        return -self + b

    def __mul__(self, b: ScalarLike) -> Scalar:
        return Mul.apply(self, b)

    def __rmul__(self, b: ScalarLike) -> Scalar:
        return self * b

    def __truediv__(self, b: ScalarLike) -> Scalar:
        return Mul.apply(self, Inv.apply(b))

    def __rtruediv__(self, b: ScalarLike) -> Scalar:
        return Mul.apply(b, Inv.apply(self))

    def __neg__(self) -> Scalar:
        return Neg.apply(self)

    def __lt__(self, b: ScalarLike) -> Scalar:
        return LT.apply(self, b)

    def __gt__(self, b: ScalarLike) -> Scalar:
        return LT.apply(b, self)

    def __eq__(self, b: ScalarLike) -> Scalar:  # type: ignore[override]
        return EQ.apply(self, b)

    def log(self) -> Scalar:
        """Return log(x + 1e-6)."""
        return Log.apply(self)

    def exp(self) -> Scalar:
        """Return e to the power of x."""
        return Exp.apply(self)

    def sigmoid(self) -> Scalar:
        """Return 1 / (1 + exp(-x))."""
        return Sigmoid.apply(self)

    def relu(self) -> Scalar:
        """Return x if it is positive, else 0."""
        return ReLU.apply(self)

    def accumulate_derivative(self, x: Any) -> None:
        """Add `x` to the derivative; only leaves have one."""
        assert self.is_leaf(), "[Scalar] only leaves collect a derivative."
        self.derivative = (self.derivative or 0.0) + x

    def is_leaf(self) -> bool:
        """Return whether the user created it, not a function."""
        return self.history is not None and self.history.last_fn is None

    def is_constant(self) -> bool:
        """Return whether it is outside of all graphs."""
        return self.history is None

    @property
    def parents(self) -> Sequence[Variable]:
        """Scalars that it was computed from; empty for a leaf."""
        assert self.history is not None, "[Scalar] a constant has no parents."
        return self.history.inputs

    def chain_rule(self, d_output: Any) -> list[tuple[Variable, Any]]:
        """Return each input with its derivative, given that of this Scalar."""
        history = self.history
        if history is None or history.last_fn is None or history.ctx is None:
            raise ValueError(
                "[Scalar] has no chain rule: it is not the result of an operation."
            )
        parts = history.last_fn._backward(history.ctx, d_output)
        if len(parts) != len(history.inputs):
            raise ValueError(
                f"[{history.last_fn.__name__}] backward must return one derivative per "
                f"argument ({len(history.inputs)}), but returned {len(parts)}."
            )
        return list(zip(history.inputs, parts, strict=True))

    def backward(self, d_output: float | None = None) -> None:
        """Add the derivatives of this Scalar to `derivative` of its leaves.

        Args:
            d_output: The derivative to start with, by default 1.
        """
        backpropagate(self, 1.0 if d_output is None else d_output)


ScalarLike = float | int | Scalar
ScalarFunction.variable = Scalar


def derivative_check(f: Callable[..., Scalar], *scalars: Scalar) -> None:
    """Compare the derivatives of `f` with central differences, to one percent.

    Raises:
        AssertionError: They differ; the message says where.

    Example:
        >>> derivative_check(lambda x, y: x * y, Scalar(2.0), Scalar(3.0))
    """
    f(*scalars).backward()
    for i, x in enumerate(scalars):
        expected = central_difference(f, *scalars, arg=i)
        assert x.derivative is not None, f"argument {i} got no derivative"
        np.testing.assert_allclose(
            x.derivative,
            expected.data,
            rtol=1e-2,
            atol=1e-2,
            err_msg=f"derivative by argument {i} at {[s.data for s in scalars]}",
        )

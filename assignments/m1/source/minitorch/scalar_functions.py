"""The functions of Scalars, each with its derivative.

Must not know how a graph is walked, only how one step of it is written down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import operators
from .autodiff import Context

if TYPE_CHECKING:
    from .scalar import Scalar, ScalarLike


def wrap_tuple(x: Any) -> tuple[Any, ...]:
    """`x` itself if it is a tuple, else a tuple that holds it."""
    return x if isinstance(x, tuple) else (x,)


def unwrap_tuple(x: tuple[Any, ...]) -> Any:
    """The only element of a tuple, or the tuple if it has more."""
    return x[0] if len(x) == 1 else x


class ScalarFunction:
    """A function of numbers with its derivative; no object of it is ever made.

    `forward(ctx, *numbers)` gives a float. `backward(ctx, d)` gives, for each argument,
    d times the derivative of the function by it: one number, or a tuple of them.

    Example:
        >>> import minitorch
        >>> class Cube(ScalarFunction):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x * x * x
        ...     @staticmethod
        ...     def backward(ctx, d):
        ...         (x,) = ctx.saved_values
        ...         return 3 * x * x * d
        >>> x = minitorch.Scalar(2.0)
        >>> Cube.apply(x).backward()
        >>> x.derivative
        12.0
    """

    @classmethod
    def _backward(cls, ctx: Context, d_out: float) -> tuple[float, ...]:
        return wrap_tuple(cls.backward(ctx, d_out))  # type: ignore[attr-defined]

    @classmethod
    def _forward(cls, ctx: Context, *inps: float) -> float:
        return cls.forward(ctx, *inps)  # type: ignore[attr-defined, no-any-return]

    @classmethod
    def apply(cls, *vals: ScalarLike) -> Scalar:
        """Calls `forward` with plain numbers and writes the step down.

        Raises:
            AssertionError: `forward` gave something else than a float.
        """
        from .scalar import Scalar, ScalarHistory  # its operators need this file

        scalars = [v if isinstance(v, Scalar) else Scalar(v) for v in vals]
        numbers = [v.data if isinstance(v, Scalar) else v for v in vals]
        ctx = Context()
        result = cls._forward(ctx, *numbers)
        assert isinstance(result, float), (
            f"[{cls.__name__}] got {type(result).__name__} from forward; need a float."
        )
        return Scalar(result, ScalarHistory(cls, ctx, scalars))


# Two examples.


class Add(ScalarFunction):
    """x + y"""

    @staticmethod
    def forward(ctx: Context, a: float, b: float) -> float:
        """a + b"""
        return float(a + b)

    @staticmethod
    def backward(ctx: Context, d_output: float) -> tuple[float, float]:
        """The derivative is 1 by both, so that both get d."""
        return d_output, d_output


class Log(ScalarFunction):
    """log(x + EPS)"""

    @staticmethod
    def forward(ctx: Context, x: float) -> float:
        """The argument is needed again on the way back."""
        ctx.save_for_backward(x)
        return operators.log(x)

    @staticmethod
    def backward(ctx: Context, d_output: float) -> float:
        """d / (x + EPS)"""
        (x,) = ctx.saved_values
        return operators.log_back(x, d_output)


# Yours: `forward` in task 1.2, `backward` in task 1.4.


class Mul(ScalarFunction):
    """x * y"""

    @staticmethod
    def forward(ctx: Context, a: float, b: float) -> float:
        """a * b, a float for integers, too (task 1.2)"""
        ### BEGIN SOLUTION
        ctx.save_for_backward(a, b)
        return float(operators.mul(a, b))
        ### END SOLUTION

    @staticmethod
    def backward(ctx: Context, d_output: float) -> tuple[float, float]:
        """d times the derivatives by a and by b (task 1.4)"""
        ### BEGIN SOLUTION
        a, b = ctx.saved_values
        return d_output * b, d_output * a
        ### END SOLUTION


class Inv(ScalarFunction):
    """1 / x"""

    @staticmethod
    def forward(ctx: Context, a: float) -> float:
        """1 / a (task 1.2)"""
        ### BEGIN SOLUTION
        ctx.save_for_backward(a)
        return operators.inv(a)
        ### END SOLUTION

    @staticmethod
    def backward(ctx: Context, d_output: float) -> float:
        """d times the derivative at a (task 1.4)"""
        ### BEGIN SOLUTION
        (a,) = ctx.saved_values
        return operators.inv_back(a, d_output)
        ### END SOLUTION


class Neg(ScalarFunction):
    """-x"""

    @staticmethod
    def forward(ctx: Context, a: float) -> float:
        """-a (task 1.2)"""
        ### BEGIN SOLUTION
        return operators.neg(a)
        ### END SOLUTION

    @staticmethod
    def backward(ctx: Context, d_output: float) -> float:
        """d times the derivative at a (task 1.4)"""
        ### BEGIN SOLUTION
        return operators.neg(d_output)
        ### END SOLUTION


class Sigmoid(ScalarFunction):
    """1 / (1 + e^-x)"""

    @staticmethod
    def forward(ctx: Context, a: float) -> float:
        """σ(a); what is worth keeping? (task 1.2)"""
        ### BEGIN SOLUTION
        result = operators.sigmoid(a)
        ctx.save_for_backward(result)
        return result
        ### END SOLUTION

    @staticmethod
    def backward(ctx: Context, d_output: float) -> float:
        """d times the derivative, which σ itself gives (task 1.4)"""
        ### BEGIN SOLUTION
        (result,) = ctx.saved_values
        return float(d_output * result * (1.0 - result))
        ### END SOLUTION


class ReLU(ScalarFunction):
    """x where it is positive, else 0"""

    @staticmethod
    def forward(ctx: Context, a: float) -> float:
        """a or 0 (task 1.2)"""
        ### BEGIN SOLUTION
        ctx.save_for_backward(a)
        return operators.relu(a)
        ### END SOLUTION

    @staticmethod
    def backward(ctx: Context, d_output: float) -> float:
        """d or 0 (task 1.4)"""
        ### BEGIN SOLUTION
        (a,) = ctx.saved_values
        return operators.relu_back(a, d_output)
        ### END SOLUTION


class Exp(ScalarFunction):
    """e to the power of x"""

    @staticmethod
    def forward(ctx: Context, a: float) -> float:
        """e^a (task 1.2)"""
        ### BEGIN SOLUTION
        result = operators.exp(a)
        ctx.save_for_backward(result)
        return result
        ### END SOLUTION

    @staticmethod
    def backward(ctx: Context, d_output: float) -> float:
        """d times the derivative at a (task 1.4)"""
        ### BEGIN SOLUTION
        (result,) = ctx.saved_values
        return float(d_output * result)
        ### END SOLUTION


class LT(ScalarFunction):
    """1.0 if x < y, else 0.0"""

    @staticmethod
    def forward(ctx: Context, a: float, b: float) -> float:
        """A step (task 1.2)"""
        ### BEGIN SOLUTION
        return operators.lt(a, b)
        ### END SOLUTION

    @staticmethod
    def backward(ctx: Context, d_output: float) -> tuple[float, float]:
        """How steep is a step beside its edge? (task 1.4)"""
        ### BEGIN SOLUTION
        return 0.0, 0.0
        ### END SOLUTION


class EQ(ScalarFunction):
    """1.0 if x == y, else 0.0"""

    @staticmethod
    def forward(ctx: Context, a: float, b: float) -> float:
        """A needle (task 1.2)"""
        ### BEGIN SOLUTION
        return operators.eq(a, b)
        ### END SOLUTION

    @staticmethod
    def backward(ctx: Context, d_output: float) -> tuple[float, float]:
        """How steep is it everywhere else? (task 1.4)"""
        ### BEGIN SOLUTION
        return 0.0, 0.0
        ### END SOLUTION

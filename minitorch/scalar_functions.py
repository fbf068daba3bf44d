"""Functions of Scalars with their derivatives (module 1).

`minitorch.scalar` makes its operators of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from . import operators
from .autodiff import Context

if TYPE_CHECKING:
    from .scalar import Scalar

__all__ = [
    "EQ",
    "LT",
    "Add",
    "Exp",
    "Inv",
    "Log",
    "Mul",
    "Neg",
    "ReLU",
    "ScalarFunction",
    "Sigmoid",
    "unwrap_tuple",
    "wrap_tuple",
]


def __dir__() -> list[str]:
    return sorted(__all__)


def wrap_tuple(x: Any) -> tuple[Any, ...]:
    """Return `x` if it is a tuple, else a tuple that holds it."""
    return x if isinstance(x, tuple) else (x,)


def unwrap_tuple(x: tuple[Any, ...]) -> Any:
    """Return the only element of a tuple, or the tuple if it has more."""
    return x[0] if len(x) == 1 else x


class ScalarFunction:
    """A function of numbers with a derivative; subclass it and call `apply`.

    `forward(ctx, *numbers)` returns a float; `backward(ctx, d)` returns the derivative
    by each argument, times `d`.

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

    variable: ClassVar[Any] = None  # the class Scalar, set where it is defined

    @classmethod
    def _backward(cls, ctx: Context, d_out: float) -> tuple[float, ...]:
        return wrap_tuple(cls.backward(ctx, d_out))  # type: ignore[attr-defined]

    @classmethod
    def _forward(cls, ctx: Context, *inps: float) -> float:
        return cls.forward(ctx, *inps)  # type: ignore[attr-defined, no-any-return]

    @classmethod
    def apply(cls, *vals: Any) -> Scalar:
        """Run `forward` on Scalars or numbers and record the call.

        Raises:
            AssertionError: `forward` returned something else than a float.
        """
        # A Parameter stands for its value.
        vals = tuple(getattr(v, "__minitorch_value__", v) for v in vals)
        scalars = [v if isinstance(v, cls.variable) else cls.variable(v) for v in vals]
        ctx = Context()
        # Numbers reach `forward` as they were given, as an int stays one.
        numbers = [v.data if isinstance(v, cls.variable) else v for v in vals]
        result = cls._forward(ctx, *numbers)
        assert isinstance(result, float), (
            f"[{cls.__name__}] got {type(result).__name__} from forward; need a float."
        )
        computed: Scalar = cls.variable.computed(result, cls, ctx, scalars)
        return computed


class Add(ScalarFunction):
    """x + y"""

    @staticmethod
    def forward(ctx: Context, a: float, b: float) -> float:
        """Return a + b."""
        return float(a + b)

    @staticmethod
    def backward(ctx: Context, d_output: float) -> tuple[float, float]:
        """Return the derivatives: 1 for both inputs."""
        return d_output, d_output


class Log(ScalarFunction):
    """log(x + EPS)"""

    @staticmethod
    def forward(ctx: Context, a: float) -> float:
        """Return operators.log(a)."""
        ctx.save_for_backward(a)
        return operators.log(a)

    @staticmethod
    def backward(ctx: Context, d_output: float) -> float:
        """Return d / (a + EPS)."""
        (a,) = ctx.saved_values
        return operators.log_back(a, d_output)


class Mul(ScalarFunction):
    """x * y"""

    @staticmethod
    def forward(ctx: Context, a: float, b: float) -> float:
        """Return a * b."""
        ctx.save_for_backward(a, b)
        return float(a * b)

    @staticmethod
    def backward(ctx: Context, d_output: float) -> tuple[float, float]:
        """Return the derivatives: for each input the other one."""
        a, b = ctx.saved_values
        return d_output * b, d_output * a


class Inv(ScalarFunction):
    """1 / x"""

    @staticmethod
    def forward(ctx: Context, a: float) -> float:
        """Return operators.inv(a)."""
        ctx.save_for_backward(a)
        return operators.inv(a)

    @staticmethod
    def backward(ctx: Context, d_output: float) -> float:
        """Return -d / a**2."""
        (a,) = ctx.saved_values
        return operators.inv_back(a, d_output)


class Neg(ScalarFunction):
    """-x"""

    @staticmethod
    def forward(ctx: Context, a: float) -> float:
        """Return -a."""
        return float(operators.neg(a))

    @staticmethod
    def backward(ctx: Context, d_output: float) -> float:
        """Return -d."""
        return operators.neg(d_output)


class Sigmoid(ScalarFunction):
    """1 / (1 + exp(-x))"""

    @staticmethod
    def forward(ctx: Context, a: float) -> float:
        """Return operators.sigmoid(a)."""
        result = operators.sigmoid(a)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx: Context, d_output: float) -> float:
        """Return d σ (1 - σ)."""
        (result,) = ctx.saved_values
        return float(d_output * result * (1.0 - result))


class ReLU(ScalarFunction):
    """x if it is positive, else 0"""

    @staticmethod
    def forward(ctx: Context, a: float) -> float:
        """Return operators.relu(a)."""
        ctx.save_for_backward(a)
        return float(operators.relu(a))

    @staticmethod
    def backward(ctx: Context, d_output: float) -> float:
        """Return d where a is positive, else 0."""
        (a,) = ctx.saved_values
        return operators.relu_back(a, d_output)


class Exp(ScalarFunction):
    """e to the power of x"""

    @staticmethod
    def forward(ctx: Context, a: float) -> float:
        """Return operators.exp(a)."""
        result = operators.exp(a)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx: Context, d_output: float) -> float:
        """Return d exp(a)."""
        (result,) = ctx.saved_values
        return float(d_output * result)


class LT(ScalarFunction):
    """1.0 if x < y, else 0.0"""

    @staticmethod
    def forward(ctx: Context, a: float, b: float) -> float:
        """Return operators.lt(a, b)."""
        return operators.lt(a, b)

    @staticmethod
    def backward(ctx: Context, d_output: float) -> tuple[float, float]:
        """Return 0 for both inputs: a step is constant almost everywhere."""
        return 0.0, 0.0


class EQ(ScalarFunction):
    """1.0 if x == y, else 0.0"""

    @staticmethod
    def forward(ctx: Context, a: float, b: float) -> float:
        """Return operators.eq(a, b)."""
        return operators.eq(a, b)

    @staticmethod
    def backward(ctx: Context, d_output: float) -> tuple[float, float]:
        """Return 0 for both inputs: equality is constant almost everywhere."""
        return 0.0, 0.0

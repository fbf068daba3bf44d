"""Owns what all distributions share: shapes, and the distance between two."""

from __future__ import annotations

from typing import Any

from ..create import tensor
from ..modes import no_grad
from ..size import Size
from ..tensor import Tensor


def as_tensors(*given: Any) -> list[Any]:
    """Numbers and tensors as tensors of one shape."""
    made: list[Any] = [
        each if isinstance(each, Tensor) else tensor(each) for each in given
    ]
    made = [m if m.dtype.is_floating_point else m.to(tensor(0.0).dtype) for m in made]
    total: Any = made[0]
    for each in made[1:]:
        total = total + each
    return [m.expand(total.shape) for m in made]


class Distribution:
    """Draws numbers, and says how likely they are; subclasses say which."""

    batch_shape = Size()
    event_shape = Size()

    def sample(self, sample_shape: Any = ()) -> Any:
        """Numbers of shape sample_shape + batch_shape, without history."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """The same, with gradients of the parameters where there are."""
        raise NotImplementedError(
            f"[{type(self).__name__}] need sample(): its numbers have no gradient."
        )

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the probability, or of its density, of numbers."""
        raise NotImplementedError(f"[{type(self).__name__}] need a method log_prob.")

    def entropy(self) -> Any:
        """How uncertain a draw is, in nats."""
        raise NotImplementedError(f"[{type(self).__name__}] need a method entropy.")

    def cdf(self, value: Any) -> Any:
        """The probability of at most `value`."""
        raise NotImplementedError(f"[{type(self).__name__}] has no cdf here.")

    def _shape(self, sample_shape: Any) -> tuple[int, ...]:
        return (*sample_shape, *self.batch_shape)

    def kl_to(self, other: Any) -> Any:
        """The divergence from another distribution of the same class."""
        raise NotImplementedError(
            f"[kl_divergence] got two of {type(self).__name__}; need a class with it: "
            "Normal, Categorical, Bernoulli."
        )


def kl_divergence(p: Distribution, q: Distribution) -> Any:
    """How far `q` is from `p`, in nats.

    Raises:
        NotImplementedError: They are of two classes, or of one without a formula.

    Example:
        >>> import minitorch.torch as torch
        >>> one, two = (torch.distributions.Normal(m, 1.0) for m in (0.0, 2.0))
        >>> torch.distributions.kl_divergence(one, two).item()
        2.0
    """
    if type(p) is not type(q):
        raise NotImplementedError(
            f"[kl_divergence] got {type(p).__name__} and {type(q).__name__}; need two "
            "of one class."
        )
    return p.kl_to(q)


def require_one_of(where: str, **given: Any) -> None:
    """ValueError unless one of two is given."""
    if sum(value is not None for value in given.values()) != 1:
        raise ValueError(f"[{where}] need one of {' and '.join(given)}, not both.")

"""Owns the distributions of PyTorch's programs: what is drawn, how likely it is, and
how far two of them are apart.

Their arithmetic is that of tensors, so that gradients go through `log_prob` and
`rsample`. Must not know who learns from them.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _core
from .arithmetic import where
from .create import full, ones, rand, randn, tensor, zeros
from .draws import bernoulli, multinomial
from .modes import no_grad
from .pointwise import erf, erfinv, softmax
from .size import Size
from .tensor import Tensor

_base: Any = _core.Tensor
_LOG_2PI = math.log(2 * math.pi)


def _tensors(*given: Any) -> tuple[Any, ...]:
    """The parameters as tensors of one shape."""
    kinds = [each for each in given if isinstance(each, Tensor)]
    like = kinds[0] if kinds else zeros(())
    made = [
        each
        if isinstance(each, Tensor)
        else full((), float(each), dtype=like.dtype, device=like.device)
        for each in given
    ]
    shape = np.broadcast_shapes(*(tuple(each.shape) for each in made))
    return tuple(each.expand(shape) for each in made)


def _require(kind: Any, name: str, value: Any, holds: Any, need: str) -> None:
    if not bool(_base._all(holds, None, False).item()):
        raise ValueError(
            f"[{type(kind).__name__}] got {name} of shape {tuple(value.shape)} with "
            f"other elements; need {need}."
        )


class Distribution:
    """What all distributions have: shapes, draws, and checks of what they are asked.

    Args:
        batch_shape: Of the distributions that one object holds.
        event_shape: Of one draw.
        validate_args: Check parameters and values, the default.
    """

    _shown: tuple[str, ...] = ()
    has_rsample = False

    def __init__(
        self,
        batch_shape: Any = (),
        event_shape: Any = (),
        validate_args: bool | None = None,
    ) -> None:
        self.batch_shape, self.event_shape = Size(batch_shape), Size(event_shape)
        self._validates = validate_args is not False

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """A draw, or several in the shape given, without history."""
        with no_grad():
            return self.rsample(sample_shape).detach()

    def rsample(self, sample_shape: Any = ()) -> Any:
        """A draw through which gradients go back to the parameters."""
        raise NotImplementedError(
            f"[{type(self).__name__}] got rsample(), but no gradient goes through its "
            "draws; need sample()."
        )

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the probability, or density, of a value."""
        raise NotImplementedError(f"[{type(self).__name__}] has no log_prob.")

    def entropy(self) -> Any:
        """How uncertain a draw is."""
        raise NotImplementedError(f"[{type(self).__name__}] has no entropy.")

    @property
    def mean(self) -> Any:
        """The mean of the draws."""
        raise NotImplementedError(f"[{type(self).__name__}] has no mean.")

    @property
    def variance(self) -> Any:
        """The variance of the draws."""
        raise NotImplementedError(f"[{type(self).__name__}] has no variance.")

    @property
    def stddev(self) -> Any:
        """The root of the variance."""
        return _base.sqrt(self.variance)

    def perplexity(self) -> Any:
        """e to the entropy."""
        return _base.exp(self.entropy())

    def _draws(self, sample_shape: Any) -> tuple[int, ...]:
        return (*Size(sample_shape), *self.batch_shape, *self.event_shape)

    def _checked(self, value: Any, holds: Callable[[Any], Any], need: str) -> Any:
        if not isinstance(value, Tensor):
            raise ValueError(
                f"[{type(self).__name__}] got a value of {type(value).__name__}; need "
                "a torch.Tensor."
            )
        if self._validates:
            _require(self, "value", value, holds(value.detach()), need)
        return value

    def __repr__(self) -> str:
        rows = []
        for name in self._shown:
            value = getattr(self, name)
            text = value.item() if value.numel() == 1 else value.shape
            rows.append(f"{name}: {text}")
        return f"{type(self).__name__}({', '.join(rows)})"


def _one_of(kind: Any, probs: Any, logits: Any) -> None:
    if (probs is None) == (logits is None):
        raise ValueError(
            f"[{type(kind).__name__}] got probs {probs is not None} and logits "
            f"{logits is not None}; need one of them."
        )


class Categorical(Distribution):
    """One of n classes, as int64.

    Args:
        probs: (…, n), 0 or more; divided by their sum.
        logits: Their logarithms, up to a constant, instead.

    Raises:
        ValueError: Both or none are given, or a probability is negative.

    Example:
        >>> import minitorch.torch as torch
        >>> from minitorch.torch.distributions import Categorical
        >>> Categorical(torch.tensor([0.25, 0.75])).log_prob(torch.tensor(1))
        tensor(-0.2877)
    """

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        _one_of(self, probs, logits)
        given = probs if logits is None else logits
        if given.ndim < 1:
            raise ValueError("[Categorical] got no dimension; need (…, n).")
        super().__init__(given.shape[:-1], (), validate_args)
        if logits is not None:
            self.logits = logits - _base.logsumexp(logits, -1, True)
            self.probs = softmax(self.logits, -1)
        else:
            if self._validates:
                chances = probs.detach()
                holds = _base.ge(chances, 0)
                _require(self, "probs", probs, holds, "probabilities of 0 or more")
            self.probs = probs / _base.sum(probs, (probs.ndim - 1,), True)
            limits = _eps(self.probs)
            self.logits = _base.log(_base.clamp(self.probs, limits, 1 - limits))
        self._shown = ("probs",) if logits is None else ("logits",)

    @property
    def param_shape(self) -> Size:
        """The shape of the probabilities."""
        return Size(self.probs.shape)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """The numbers of classes."""
        shape = Size(sample_shape)
        n = self.probs.shape[-1]
        rows: Any = self.probs.detach().reshape((-1, n))
        drawn = multinomial(rows, max(shape.numel(), 1), replacement=True)
        made: Any = drawn.t()._slice(0, 0, shape.numel(), 1)
        return made.reshape((*shape, *self.batch_shape))

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the probability of classes."""
        n = self.probs.shape[-1]
        self._checked(
            value,
            lambda v: _base.logical_and(_base.ge(v, 0), _base.lt(v, n)),
            f"classes 0 to {n - 1}",
        )
        places = value._cast(_core.int64).unsqueeze(-1)
        shape = np.broadcast_shapes(tuple(places.shape), (*self.batch_shape, 1))
        logits = self.logits.expand((*shape[:-1], n))
        return logits.gather(-1, places.expand(shape)).squeeze(-1)

    def entropy(self) -> Any:
        """-sum(p log p) over the classes."""
        return -(self.logits * self.probs).sum(-1)

    @property
    def mode(self) -> Any:
        """The most likely class."""
        return self.probs.argmax(-1)

    @property
    def mean(self) -> Any:
        """NaN: classes have no mean."""
        return full(self.batch_shape, math.nan, dtype=self.probs.dtype)

    @property
    def variance(self) -> Any:
        """NaN: classes have no variance."""
        return self.mean

    def enumerate_support(self, expand: bool = True) -> Any:
        """All classes, (n, …)."""
        n = self.probs.shape[-1]
        row = tensor(list(range(n))).reshape((n, *[1] * len(self.batch_shape)))
        return row.expand((n, *self.batch_shape)) if expand else row


def _eps(t: Any) -> float:
    return {"float64": 2.0**-52, "float16": 2.0**-10, "bfloat16": 2.0**-7}.get(
        t.dtype.name, 2.0**-23
    )


class OneHotCategorical(Categorical):
    """`Categorical` whose draws are rows with a single 1."""

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(probs, logits, validate_args)
        self.event_shape = Size(self.probs.shape[-1:])

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Rows of 0 with one 1."""
        places: Any = super().sample(sample_shape).unsqueeze(-1)
        made: Any = zeros((*places.shape[:-1], self.probs.shape[-1]))
        return made.scatter(-1, places, 1.0)

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the probability of such rows."""
        return super().log_prob(value.argmax(-1))

    @property
    def mean(self) -> Any:
        """The probabilities."""
        return self.probs

    @property
    def variance(self) -> Any:
        """p (1 - p)."""
        return self.probs * (1 - self.probs)


class Bernoulli(Distribution):
    """1 or 0, as floats.

    Args:
        probs: Of 1, from 0 to 1.
        logits: log(p / (1 - p)) instead.

    Raises:
        ValueError: Both or none are given, or a probability lies outside of 0 to 1.

    Example:
        >>> import minitorch.torch as torch
        >>> coin = torch.distributions.Bernoulli(torch.tensor(0.25))
        >>> coin.log_prob(torch.tensor(1.0))
        tensor(-1.3863)
    """

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        _one_of(self, probs, logits)
        (given,) = _tensors(probs if logits is None else logits)
        super().__init__(given.shape, (), validate_args)
        if logits is not None:
            self.logits, self.probs = given, _base.sigmoid(given)
        else:
            if self._validates:
                chances = given.detach()
                holds = _base.logical_and(_base.ge(chances, 0), _base.le(chances, 1))
                _require(self, "probs", given, holds, "probabilities from 0 to 1")
            self.probs = given
            kept = _base.clamp(given, _eps(given), 1 - _eps(given))
            self.logits = _base.log(kept) - _base.log(1 - kept)
        self._shown = ("probs",) if logits is None else ("logits",)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Ones and zeros."""
        return bernoulli(self.probs.detach().expand(self._draws(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the probability of ones and zeros."""
        self._checked(
            value, lambda v: _base.logical_or(_base.eq(v, 0), _base.eq(v, 1)), "0 or 1"
        )
        return value * self.logits - _softplus(self.logits)

    def entropy(self) -> Any:
        """-p log p - (1 - p) log(1 - p)."""
        return _softplus(self.logits) - self.probs * self.logits

    @property
    def mean(self) -> Any:
        """The probability of 1."""
        return self.probs

    @property
    def variance(self) -> Any:
        """p (1 - p)."""
        return self.probs * (1 - self.probs)


def _softplus(x: Any) -> Any:
    """log(1 + exp(x)) without overflow."""
    return _base.relu(x) + _base.log1p(_base.exp(-_base.abs(x)))


class Normal(Distribution):
    """Normal numbers.

    Args:
        loc: The mean.
        scale: The standard deviation, above 0.

    Raises:
        ValueError: A scale is not above 0.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.distributions.Normal(0.0, 1.0).log_prob(torch.tensor(0.0))
        tensor(-0.9189)
    """

    _shown = ("loc", "scale")
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = _tensors(loc, scale)
        super().__init__(self.loc.shape, (), validate_args)
        if self._validates:
            holds = _base.gt(self.scale.detach(), 0)
            _require(self, "scale", self.scale, holds, "numbers above 0")

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Draws: loc + scale times standard normal numbers."""
        shape = self._draws(sample_shape)
        return self.loc + self.scale * randn(
            shape, dtype=self.loc.dtype, device=self.loc.device
        )

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        far = (value - self.loc) / self.scale
        return -0.5 * far * far - _base.log(self.scale) - 0.5 * _LOG_2PI

    def entropy(self) -> Any:
        """log(scale) + (1 + log(2 pi)) / 2."""
        return _base.log(self.scale) + 0.5 * (1 + _LOG_2PI)

    def cdf(self, value: Any) -> Any:
        """The probability of less."""
        return 0.5 * (1 + erf((value - self.loc) / (self.scale * math.sqrt(2))))

    def icdf(self, value: Any) -> Any:
        """What the share `value` of all draws lies below."""
        return self.loc + self.scale * erfinv(2 * value - 1) * math.sqrt(2)

    @property
    def mean(self) -> Any:
        """`loc`."""
        return self.loc

    @property
    def mode(self) -> Any:
        """`loc`."""
        return self.loc

    @property
    def stddev(self) -> Any:
        """`scale`."""
        return self.scale

    @property
    def variance(self) -> Any:
        """scale²."""
        return self.scale * self.scale


class Laplace(Normal):
    """Numbers whose density falls by the distance from `loc`: exp(-|x - loc| / scale).

    Raises:
        ValueError: A scale is not above 0.
    """

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Draws, of uniform numbers."""
        shape = self._draws(sample_shape)
        u = rand(shape, dtype=self.loc.dtype, device=self.loc.device) - 0.5
        away = _base.clamp(1 - 2 * _base.abs(u), _eps(u), 1.0)
        return self.loc - self.scale * _base.sign(u) * _base.log(away)

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        return -_base.abs(value - self.loc) / self.scale - _base.log(2 * self.scale)

    def entropy(self) -> Any:
        """1 + log(2 scale)."""
        return 1 + _base.log(2 * self.scale)

    def cdf(self, value: Any) -> Any:
        """The probability of less."""
        far = (value - self.loc) / self.scale
        return 0.5 - 0.5 * _base.sign(far) * (_base.exp(-_base.abs(far)) - 1)

    def icdf(self, value: Any) -> Any:
        """What the share `value` of all draws lies below."""
        u = value - 0.5
        return self.loc - self.scale * _base.sign(u) * _base.log(1 - 2 * _base.abs(u))

    @property
    def stddev(self) -> Any:
        """scale times the root of 2."""
        return self.scale * math.sqrt(2)

    @property
    def variance(self) -> Any:
        """2 scale²."""
        return 2 * self.scale * self.scale


class Uniform(Distribution):
    """Numbers from low to high, all equally likely.

    Raises:
        ValueError: `low` is not below `high`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.distributions.Uniform(0.0, 4.0).mean
        tensor(2.)
    """

    _shown = ("low", "high")
    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = _tensors(low, high)
        super().__init__(self.low.shape, (), validate_args)
        if self._validates:
            holds = _base.lt(self.low.detach(), self.high.detach())
            _require(self, "low", self.low, holds, "numbers below high")

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Draws: low + (high - low) times uniform numbers."""
        shape = self._draws(sample_shape)
        drawn = rand(shape, dtype=self.low.dtype, device=self.low.device)
        return self.low + drawn * (self.high - self.low)

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density; -inf at `high`."""

        def inside(v: Any) -> Any:
            return _base.logical_and(_base.ge(v, self.low), _base.le(v, self.high))

        self._checked(value, inside, "numbers from low to high")
        below = _base.logical_and(_base.ge(value, self.low), _base.lt(value, self.high))
        return _base.log(below._cast(self.low.dtype)) - _base.log(self.high - self.low)

    def entropy(self) -> Any:
        """log(high - low)."""
        return _base.log(self.high - self.low)

    def cdf(self, value: Any) -> Any:
        """The probability of less."""
        return _base.clamp((value - self.low) / (self.high - self.low), 0, 1)

    def icdf(self, value: Any) -> Any:
        """What the share `value` of all draws lies below."""
        return value * (self.high - self.low) + self.low

    @property
    def mean(self) -> Any:
        """The middle."""
        return (self.high + self.low) / 2

    @property
    def variance(self) -> Any:
        """(high - low)² / 12."""
        return (self.high - self.low) ** 2 / 12


class Exponential(Distribution):
    """Waiting times at a rate.

    Raises:
        ValueError: A rate is not above 0.
    """

    _shown = ("rate",)
    has_rsample = True

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = _tensors(rate)
        super().__init__(self.rate.shape, (), validate_args)
        if self._validates:
            holds = _base.gt(self.rate.detach(), 0)
            _require(self, "rate", self.rate, holds, "numbers above 0")

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Draws: -log(1 - u) / rate of uniform numbers."""
        shape = self._draws(sample_shape)
        drawn = rand(shape, dtype=self.rate.dtype, device=self.rate.device)
        return -_base.log1p(-drawn) / self.rate

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        self._checked(value, lambda v: _base.ge(v, 0), "numbers of 0 or more")
        return _base.log(self.rate) - self.rate * value

    def entropy(self) -> Any:
        """1 - log(rate)."""
        return 1 - _base.log(self.rate)

    @property
    def mean(self) -> Any:
        """1 / rate."""
        return 1 / self.rate

    @property
    def variance(self) -> Any:
        """1 / rate²."""
        return 1 / (self.rate * self.rate)


class Independent(Distribution):
    """A distribution whose last batch dimensions are parts of one draw.

    Args:
        base_distribution: The distribution.
        reinterpreted_batch_ndims: How many of its batch dimensions.

    Raises:
        ValueError: It has fewer.
    """

    def __init__(
        self,
        base_distribution: Any,
        reinterpreted_batch_ndims: int,
        validate_args: bool | None = None,
    ) -> None:
        shape = base_distribution.batch_shape
        count = reinterpreted_batch_ndims
        if not 0 <= count <= len(shape):
            raise ValueError(
                f"[Independent] got {count} dimensions of {tuple(shape)}; need 0 to "
                f"{len(shape)}."
            )
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, count
        cut = len(shape) - count
        event = (*shape[cut:], *base_distribution.event_shape)
        super().__init__(shape[:cut], event, validate_args)
        self.has_rsample = base_distribution.has_rsample

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draws of the distribution."""
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Draws through which gradients go back."""
        return self.base_dist.rsample(sample_shape)

    def _summed(self, value: Any) -> Any:
        count = self.reinterpreted_batch_ndims
        return value.sum(tuple(range(-count, 0))) if count else value

    def log_prob(self, value: Any) -> Any:
        """The sum over the parts of a draw."""
        return self._summed(self.base_dist.log_prob(value))

    def entropy(self) -> Any:
        """The sum over the parts of a draw."""
        return self._summed(self.base_dist.entropy())

    @property
    def mean(self) -> Any:
        """That of the distribution."""
        return self.base_dist.mean

    @property
    def variance(self) -> Any:
        """That of the distribution."""
        return self.base_dist.variance

    def __repr__(self) -> str:
        return f"Independent({self.base_dist}, {self.reinterpreted_batch_ndims})"


def _of_normals(p: Any, q: Any) -> Any:
    ratio = (p.scale / q.scale) ** 2
    far = ((p.loc - q.loc) / q.scale) ** 2
    return 0.5 * (ratio + far - 1 - _base.log(ratio))


def _of_categoricals(p: Any, q: Any) -> Any:
    terms = p.probs * (p.logits - q.logits)
    zero = _base.eq(p.probs, 0)
    terms = where(_base.eq(q.probs, 0).expand(terms.shape), ones(()) * math.inf, terms)
    return where(zero.expand(terms.shape), zeros(()), terms).sum(-1)


def _of_bernoullis(p: Any, q: Any) -> Any:
    one = p.probs * (_softplus(-q.logits) - _softplus(-p.logits))
    return one + (1 - p.probs) * (_softplus(q.logits) - _softplus(p.logits))


def _of_exponentials(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    return ratio - 1 - _base.log(ratio)


def _of_independents(p: Any, q: Any) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError(
            "[kl_divergence] got Independent of several dimensions; need as many."
        )
    return p._summed(kl_divergence(p.base_dist, q.base_dist))


_APART: dict[type, Callable[[Any, Any], Any]] = {
    Normal: _of_normals,
    Categorical: _of_categoricals,
    OneHotCategorical: _of_categoricals,
    Bernoulli: _of_bernoullis,
    Exponential: _of_exponentials,
    Independent: _of_independents,
}


def kl_divergence(p: Distribution, q: Distribution) -> Any:
    """How far `p` is from `q`: the mean over p of log p - log q.

    Raises:
        NotImplementedError: They are of two kinds, or of one without a formula.

    Example:
        >>> import minitorch.torch as torch
        >>> from minitorch.torch.distributions import Normal, kl_divergence
        >>> kl_divergence(Normal(1.0, 1.0), Normal(0.0, 1.0))
        tensor(0.5000)
    """
    if type(p) is not type(q) or type(p) not in _APART:
        raise NotImplementedError(
            f"[kl_divergence] got {type(p).__name__} and {type(q).__name__}; need two "
            f"of one kind: {', '.join(kind.__name__ for kind in _APART)}."
        )
    return _APART[type(p)](p, q)


__all__ = [
    "Bernoulli",
    "Categorical",
    "Distribution",
    "Exponential",
    "Independent",
    "Laplace",
    "Normal",
    "OneHotCategorical",
    "Uniform",
    "kl_divergence",
]

# `from torch.distributions.categorical import Categorical` finds it here as well.
_PARTS = (
    "bernoulli",
    "categorical",
    "distribution",
    "exponential",
    "independent",
    "kl",
    "laplace",
    "normal",
    "one_hot_categorical",
    "uniform",
)
for _part in _PARTS:
    sys.modules[f"{__name__}.{_part}"] = sys.modules[__name__]


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return sys.modules[__name__]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

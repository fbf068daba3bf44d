"""Exact floating-point arithmetic on bit patterns; knows no instruction.

Values are exact rationals; every result is rounded once, by integer arithmetic, so that
nothing here depends on the floats of the machine it runs on.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt


@dataclass(frozen=True)
class Format:
    """An IEEE-like binary format; `nan` is the NaN that results carry."""

    name: str
    width: int
    fraction: int
    nan: int

    @property
    def exponent_bits(self):
        return self.width - 1 - self.fraction

    @property
    def bias(self):
        return (1 << (self.exponent_bits - 1)) - 1

    @property
    def infinity(self):
        return ((1 << self.exponent_bits) - 1) << self.fraction

    @property
    def sign_bit(self):
        return 1 << (self.width - 1)

    @property
    def least_exponent(self):
        """Exponent of the last bit of a subnormal."""
        return 1 - self.bias - self.fraction


F16 = Format("f16", 16, 10, 0x7FFF)
BF16 = Format("bf16", 16, 7, 0x7FFF)
F32 = Format("f32", 32, 23, 0x7FFFFFFF)
F64 = Format("f64", 64, 52, 0xFFF8 << 48)


@dataclass(frozen=True)
class Value:
    """A float: NaN, an infinity, or an exact rational; zeros keep their sign."""

    kind: str  # "nan", "inf", "finite"
    negative: bool = False
    exact: Fraction = Fraction(0)

    @property
    def is_zero(self):
        return self.kind == "finite" and self.exact == 0


NAN = Value("nan")


def finite(exact, negative_zero=False):
    return Value("finite", exact < 0 or (exact == 0 and negative_zero), exact)


def infinity(negative):
    return Value("inf", negative)


def decode(form, bits):
    negative = bool(bits & form.sign_bit)
    magnitude = bits & (form.sign_bit - 1)
    exponent, fraction = (
        magnitude >> form.fraction,
        magnitude & ((1 << form.fraction) - 1),
    )
    if magnitude > form.infinity:
        return NAN
    if magnitude == form.infinity:
        return infinity(negative)
    if exponent:
        fraction |= 1 << form.fraction
    else:
        exponent = 1
    scale = Fraction(2) ** (exponent - form.bias - form.fraction)
    exact = fraction * scale
    return Value("finite", negative, -exact if negative else exact)


def round_integer(exact, mode):
    """Rounds to an integer: rn (ties to even), rz, rm (down), rp (up)."""
    floor = exact.numerator // exact.denominator
    rest = exact - floor
    if rest == 0 or mode == "rm":
        return floor
    if mode == "rp":
        return floor + 1
    if mode == "rz":
        return floor + (1 if exact < 0 else 0)
    if rest == Fraction(1, 2):
        return floor + (floor & 1)
    return floor + (1 if rest > Fraction(1, 2) else 0)


def encode(form, value, mode="rn"):
    """The bit pattern of `value` rounded once to `form`."""
    sign = form.sign_bit if value.negative else 0
    if value.kind == "nan":
        return form.nan
    if value.kind == "inf":
        return sign | form.infinity
    if value.exact == 0:
        return sign
    magnitude = abs(value.exact)
    outward = {
        "rm": "rp" if value.negative else "rm",
        "rp": "rm" if value.negative else "rp",
    }
    towards = outward.get(mode, mode)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** exponent:
        exponent -= 1
    last = max(exponent - form.fraction, form.least_exponent)
    steps = round_integer(magnitude / Fraction(2) ** last, towards)
    # `steps` counts from the binade's start: carries into the exponent come out right.
    bits = steps + ((last - form.least_exponent) << form.fraction)
    if bits >= form.infinity:
        bits = form.infinity if towards in ("rn", "rp") else form.infinity - 1
    return sign | bits


def flush(form, bits):
    """A subnormal becomes a zero of its sign."""
    if bits & form.infinity == 0:
        return bits & form.sign_bit
    return bits


def saturate(form, bits):
    """Into [0, 1]; NaN and negative values become +0."""
    value = decode(form, bits)
    if value.kind == "nan" or value.negative:
        return 0
    if value.kind == "inf" or value.exact > 1:
        return form.bias << form.fraction
    return bits


def add(a, b, mode="rn"):
    if "nan" in (a.kind, b.kind):
        return NAN
    if a.kind == "inf" or b.kind == "inf":
        if a.kind == b.kind and a.negative != b.negative:
            return NAN
        return a if a.kind == "inf" else b
    exact = a.exact + b.exact
    if exact != 0:
        return finite(exact)
    if a.is_zero and b.is_zero and a.negative == b.negative:
        return a
    return finite(exact, negative_zero=mode == "rm")


def negate(a):
    return Value(a.kind, not a.negative, -a.exact)


def multiply(a, b):
    negative = a.negative != b.negative
    if "nan" in (a.kind, b.kind):
        return NAN
    if "inf" in (a.kind, b.kind):
        return NAN if a.is_zero or b.is_zero else infinity(negative)
    return Value("finite", negative, a.exact * b.exact)


def divide(a, b):
    negative = a.negative != b.negative
    if (
        "nan" in (a.kind, b.kind)
        or (a.kind == b.kind == "inf")
        or (a.is_zero and b.is_zero)
    ):
        return NAN
    if a.kind == "inf" or b.is_zero:
        return infinity(negative)
    if b.kind == "inf":
        return Value("finite", negative, Fraction(0))
    return Value("finite", negative, a.exact / b.exact)


def square_root(a):
    """A rational near the root that rounds as the root does, in any mode and format."""
    if a.kind == "nan" or a.is_zero:
        return a
    if a.negative:
        return NAN
    if a.kind == "inf":
        return a
    # floor(sqrt(x * 4^k)) with a sticky half: 256 bits decide every rounding.
    shift = 2400
    scaled = a.exact * Fraction(4) ** shift
    whole = scaled.numerator // scaled.denominator
    root = isqrt(whole)
    exact = root * root == whole and scaled.denominator == 1
    return finite(
        (Fraction(root) + (0 if exact else Fraction(1, 2))) / Fraction(2) ** shift
    )


def integral(a, mode):
    """To an integral value; a zero keeps the sign of what it came from."""
    if a.kind != "finite":
        return a
    return finite(Fraction(round_integer(a.exact, mode)), negative_zero=a.negative)


def to_integer(a, source, width, signed, mode):
    """Saturated; NaN is 0, or the top bit where 64 bits are involved."""
    low = -(1 << (width - 1)) if signed else 0
    high = (1 << (width - signed)) - 1
    if a.kind == "nan":
        wide = source.width == 64 or width == 64
        return 1 << (width - 1) if wide else 0
    if a.kind == "inf":
        return low if a.negative else high
    return min(max(round_integer(a.exact, mode), low), high)

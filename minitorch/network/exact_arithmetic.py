"""IEEE 754 arithmetic of PTX instructions, one rounding each, in plain Python.

It is a second opinion on what the emulator computed: no code is shared. What PTX leaves
to the hardware (approximate functions) has no answer here.

Sources: PTX ISA, "Floating Point Instructions"; S. Figueroa, "When is double rounding
innocuous?", SIGNUM Newsletter 30(3), 1995: sums, products, quotients and roots of
numbers of p bits are right after a first rounding to 2 p + 2 bits.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

_NUMPY: dict[str, Any] = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
_UNSIGNED: dict[str, Any] = {"f16": np.uint16, "f32": np.uint32, "f64": np.uint64}
# Bits of the significand, and the exponent of the smallest normal number.
_FORMATS = {"f16": (11, -14), "f32": (24, -126), "f64": (53, -1022)}
_INTEGERS = {
    f"{sign}{bits}": (sign, bits) for sign in "sub" for bits in (8, 16, 32, 64)
}


def number_of(bits: int, type_: str) -> float:
    """Return the number with these bits: f16, f32, f64, bf16 or an integer type."""
    if type_ == "bf16":
        return number_of((bits & 0xFFFF) << 16, "f32")
    if type_ in _NUMPY:
        width = _UNSIGNED[type_]
        return float(width(bits & int(np.iinfo(width).max)).view(_NUMPY[type_]))
    sign, width_bits = _INTEGERS.get(type_, ("u", 64))
    value = bits & ((1 << width_bits) - 1)
    return (
        value - (1 << width_bits) if sign == "s" and value >> width_bits - 1 else value
    )


def bits_of(value: float, type_: str) -> int:
    """Return the bits of a number, rounded to the nearest of its type."""
    with np.errstate(over="ignore", under="ignore"):
        return int(_NUMPY[type_](value).view(_UNSIGNED[type_]))


def rounded(exact: Fraction, type_: str) -> float:
    """Return the nearest number of a type, ties to even."""
    if exact == 0:
        return 0.0
    digits, smallest = _FORMATS[type_]
    # 2**exponent <= |exact| < 2**(exponent + 2), so that `kept` is right or one short.
    exponent = abs(exact.numerator).bit_length() - exact.denominator.bit_length() - 1
    if abs(exact) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    unit = max(exponent, smallest) - digits + 1
    kept = round(exact / Fraction(2) ** unit)
    try:
        value = math.ldexp(kept, unit)
    except OverflowError:
        return math.copysign(math.inf, kept)
    return number_of(bits_of(value, type_), type_)


def fused(a: float, b: float, c: float, type_: str) -> float:
    """Return a * b + c with one rounding."""
    if not (math.isfinite(a) and math.isfinite(b)) or a == 0 or b == 0:
        return number_of(bits_of(a * b + c, type_), type_)
    if not math.isfinite(c):
        return c
    return rounded(Fraction(a) * Fraction(b) + Fraction(c), type_)


def _divide(a: float, b: float) -> float:
    if b == 0:
        if a == 0 or math.isnan(a):
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


def _pick(better: Callable[[float, float], bool]) -> Callable[[float, float], float]:
    def chosen(a: float, b: float) -> float:
        if math.isnan(a) or math.isnan(b):
            return b if math.isnan(a) else a
        if a == b:  # of two zeros -0 is the smaller one
            first = math.copysign(1.0, a) >= math.copysign(1.0, b)
            return a if first == better(1.0, 0.0) else b
        return a if better(a, b) else b

    return chosen


_ONE: dict[str, Callable[[float], float]] = {
    "neg": operator.neg,
    "abs": abs,
    "rcp": lambda a: _divide(1.0, a),
    "sqrt": lambda a: math.sqrt(a) if a >= 0 else math.nan,
}
_TWO: dict[str, Callable[[float, float], float]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": _divide,
    "max": _pick(operator.gt),
    "min": _pick(operator.lt),
}
_UNDEFINED = {
    "approx",
    "full",
    "ftz",
    "sat",
    "rz",
    "rm",
    "rp",
    "NaN",
    "xorsign",
    "relu",
}


_OF_INTEGERS: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "shl": lambda a, b: a << min(b, 64),
    "shr": lambda a, b: a >> min(b, 64),
}


def result_of(opcode: str, sources: Sequence[int]) -> int | None:
    """Return the bits of an instruction's result, given those of its sources.

    Returns:
        None where the instruction is not one of those that IEEE 754 defines, rounded
        to the nearest, or a sum or shift of integers or their bits.
    """
    name, *modifiers = opcode.split(".")
    if name == "cvt":
        return _converted(modifiers, sources[0])
    type_ = modifiers[-1] if modifiers else ""
    if type_ in _INTEGERS:
        return _of_integers(name, modifiers, sources)
    if type_ not in _NUMPY or _UNDEFINED & set(modifiers):
        return None
    values = [number_of(source, type_) for source in sources]
    if name in ("fma", "mad") and len(values) == 3:
        return bits_of(fused(values[0], values[1], values[2], type_), type_)
    if name in _ONE and len(values) == 1:
        return bits_of(_ONE[name](values[0]), type_)
    if name in _TWO and len(values) == 2:
        return bits_of(_TWO[name](values[0], values[1]), type_)
    return None


def _of_integers(name: str, modifiers: list[str], sources: Sequence[int]) -> int | None:
    if name not in _OF_INTEGERS or len(modifiers) != 1 or len(sources) != 2:
        return None
    type_ = modifiers[0]
    a = int(number_of(sources[0], type_))
    # A shift is by an unsigned number of 32 bits, whatever it shifts.
    b = int(number_of(sources[1], "u32" if name in ("shl", "shr") else type_))
    return _OF_INTEGERS[name](a, b) & ((1 << _INTEGERS[type_][1]) - 1)


def _converted(modifiers: list[str], source: int) -> int | None:
    if len(modifiers) < 2 or _UNDEFINED & set(modifiers):
        return None
    to, from_ = modifiers[-2:]
    if len(modifiers) == 2 and to in _INTEGERS and from_ in _INTEGERS:
        return int(number_of(source, from_)) & ((1 << _INTEGERS[to][1]) - 1)
    if to not in _NUMPY or from_ not in {*_NUMPY, *_INTEGERS, "bf16"}:
        return None
    if any(modifier.endswith("i") for modifier in modifiers[:-2]):
        return None
    value = number_of(source, from_)
    if isinstance(value, int):
        return bits_of(rounded(Fraction(value), to), to)
    return bits_of(value, to)

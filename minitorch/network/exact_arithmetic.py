"""IEEE 754 arithmetic of PTX instructions, one rounding each, by NumPy and libm.

It is a second opinion on what the emulator computed: no code is shared. What PTX leaves
to the hardware (approximate functions) has no answer here.

Sources: PTX ISA, "Floating Point Instructions"; S. Figueroa, "When is double rounding
innocuous?", SIGNUM Newsletter 30(3), 1995: NumPy's float16, computed as float32, is
right; so is a fused float16 computed as float64, which holds all of its bits that can
matter.
"""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

_FLOATS = {"f16": "f2", "f32": "f4", "f64": "f8"}
_INTEGERS = {
    f"{sign}{8 * size}": f"{'i' if sign == 's' else 'u'}{size}"
    for sign in "sub"
    for size in (1, 2, 4, 8)
}
_DTYPES = {name: np.dtype(code) for name, code in (_FLOATS | _INTEGERS).items()}

_LIBM = ctypes.CDLL("libm.so.6")
for _function, _type in ((_LIBM.fmaf, ctypes.c_float), (_LIBM.fma, ctypes.c_double)):
    _function.restype, _function.argtypes = _type, (_type,) * 3


def number_of(bits: int, type_: str) -> float:
    """Return the number with these bits: f16, f32, f64, bf16 or an integer type."""
    number: float = _value(bits, type_).item()
    return number


def bits_of(value: float, type_: str) -> int:
    """Return the bits of a number, rounded to the nearest of its type."""
    with np.errstate(over="ignore", under="ignore"):
        return _bits(_DTYPES[type_].type(value))


def _value(bits: int, type_: str) -> Any:
    """Return the NumPy number in the low bytes of a register."""
    if type_ == "bf16":
        return _value((bits & 0xFFFF) << 16, "f32")
    dtype = _DTYPES.get(type_, _DTYPES["u64"])
    return np.frombuffer(bits.to_bytes(8, "little"), dtype, 1)[0]


def _bits(value: Any) -> int:
    return int.from_bytes(value.tobytes(), "little")


def fused(a: Any, b: Any, c: Any) -> Any:
    """Return a * b + c of NumPy numbers with one rounding."""
    compute = _LIBM.fmaf if a.dtype == np.float32 else _LIBM.fma
    return a.dtype.type(compute(a, b, c))


# By name and number of operands. Of two zeros -0 is the smaller one.
_OF_FLOATS: dict[tuple[str, int], Callable[..., Any]] = {
    ("neg", 1): operator.neg,
    ("abs", 1): abs,
    ("rcp", 1): np.reciprocal,
    ("sqrt", 1): np.sqrt,
    ("add", 2): operator.add,
    ("sub", 2): operator.sub,
    ("mul", 2): operator.mul,
    ("div", 2): operator.truediv,
    ("max", 2): lambda a, b: np.fmax(a, b) if a or b else a + b,
    ("min", 2): lambda a, b: np.fmin(a, b) if a or b else -(-a - b),
    ("fma", 3): fused,
    ("mad", 3): fused,
}
_OF_INTEGERS: dict[tuple[str, int], Callable[..., Any]] = {
    ("add", 2): operator.add,
    ("sub", 2): operator.sub,
    ("and", 2): operator.and_,
    ("or", 2): operator.or_,
    ("xor", 2): operator.xor,
    ("shl", 2): operator.lshift,
    ("shr", 2): operator.rshift,
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


def result_of(opcode: str, sources: Sequence[int]) -> int | None:
    """Return the bits of an instruction's result, given those of its sources.

    Returns:
        None where the instruction is not one of those that IEEE 754 defines, rounded
        to the nearest, or a sum or shift of integers or their bits.
    """
    name, *modifiers = opcode.split(".")
    if not modifiers or _UNDEFINED & set(modifiers):
        return None
    with np.errstate(all="ignore"):
        compute = _converted if name == "cvt" else _computed
        result = compute((name, len(sources)), modifiers, sources)
    return None if result is None else _bits(result)


def _computed(key: tuple[str, int], modifiers: list[str], sources: Any) -> Any:
    type_ = modifiers[-1]
    if type_ in _FLOATS:
        operation = _OF_FLOATS.get(key)
    else:
        is_plain = type_ in _INTEGERS and len(modifiers) == 1
        operation = _OF_INTEGERS.get(key) if is_plain else None
    if operation is None:
        return None
    types = [type_] * len(sources)
    if key[0] in ("shl", "shr"):
        types[1] = "u32"  # whatever it shifts
    return operation(*map(_value, sources, types)).astype(_DTYPES[type_])


def _converted(key: tuple[str, int], modifiers: list[str], sources: Any) -> Any:
    *rounding, to, from_ = ["", *modifiers]
    of_integers = to in _INTEGERS and from_ in _INTEGERS and rounding == [""]
    to_float = to in _FLOATS and from_ in {*_DTYPES, "bf16"}
    to_whole = any(modifier.endswith("i") for modifier in rounding)
    if not (of_integers or to_float) or to_whole:
        return None
    return _value(sources[0], from_).astype(_DTYPES[to])

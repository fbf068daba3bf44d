"""Table of the math functions that every target has."""

from __future__ import annotations

import math

_UNARY = (
    "acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 fabs "
    "floor gamma lgamma log log10 log1p log2 sin sinh sqrt tan tanh trunc"
)
_BINARY = "atan2 copysign fmod hypot pow remainder"

#: Functions that give bool.
PREDICATES = frozenset({"isfinite", "isinf", "isnan"})

#: Number of arguments by name.
ARITY = (
    dict.fromkeys(_UNARY.split(), 1)
    | dict.fromkeys(_BINARY.split(), 2)
    | dict.fromkeys(PREDICATES, 1)
)

_FROM_MATH = {getattr(math, name): name for name in ARITY if hasattr(math, name)}

# NumPy's scalar functions under their names in `math`.
_FROM_NUMPY = {
    **{name: name for name in ARITY},
    "absolute": "fabs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "power": "pow",
}


def intrinsic_name(function: object) -> str | None:
    """Return the name of the math function that a Python object is.

    Args:
        function: A function of `math`, or a ufunc of NumPy.

    Returns:
        Its name in `math`, or None.

    Example:
        >>> intrinsic_name(math.exp)
        'exp'
    """
    try:
        name = _FROM_MATH.get(function)
    except TypeError:  # unhashable
        return None
    if name is None and type(function).__name__ == "ufunc":
        name = _FROM_NUMPY.get(getattr(function, "__name__", ""))
    return name

"""The conformance rows of f32 and f64 arithmetic and of the half types."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

from reference import floats
from reference.floats import Value
from reference.forms import FLOATS, usual

Exact = Callable[..., Value]


def exact_fma(a, b, c, mode):
    return floats.add(floats.multiply(a, b), c, mode)


# mnemonic -> (operands, exact result; the mode decides the sign of an exact zero only)
EXACT = {
    "add": (2, floats.add),
    "sub": (2, lambda a, b, mode: floats.add(a, floats.negate(b), mode)),
    "mul": (2, lambda a, b, mode: floats.multiply(a, b)),
    "fma": (3, exact_fma),
    "div": (2, lambda a, b, mode: floats.divide(a, b)),
    "rcp": (1, lambda a, mode: floats.divide(floats.finite(Fraction(1)), a)),
    "sqrt": (1, lambda a, mode: floats.square_root(a)),
}


def limit(form, bits, modifier):
    if modifier == ".sat":
        return floats.saturate(form, bits)
    value = floats.decode(form, bits)
    if modifier == ".relu" and value.kind != "nan" and value.negative:
        return 0
    return bits


def rounded(op, kind, mode, flushes, modifier):
    form, exact = FLOATS[kind], EXACT[op][1]

    def compute(*bits):
        if flushes:
            bits = tuple(floats.flush(form, b) for b in bits)
        value = exact(*(floats.decode(form, b) for b in bits), mode)
        result = floats.encode(form, value, mode)
        return limit(form, floats.flush(form, result) if flushes else result, modifier)

    return compute


def spread(name, kind, count, compute):
    return usual(name, (kind,), (kind,) * count, compute)


def ieee():
    for op, (count, _) in EXACT.items():
        for mode in ["rn", "rz", "rm", "rp"]:
            yield spread(
                f"{op}.{mode}.f64", "f64", count, rounded(op, "f64", mode, False, "")
            )
            for ftz in ["", ".ftz"]:
                name = f"{op}.{mode}{ftz}.f32"
                yield spread(
                    name, "f32", count, rounded(op, "f32", mode, ftz != "", "")
                )
        if op in ("add", "sub", "mul"):
            yield spread(f"{op}.f32", "f32", count, rounded(op, "f32", "rn", False, ""))
            yield spread(f"{op}.f64", "f64", count, rounded(op, "f64", "rn", False, ""))
        if op in ("add", "sub", "mul", "fma"):
            for mode, ftz in [("rn", ".ftz"), ("rn", ""), ("rz", "")]:
                name = f"{op}.{mode}{ftz}.sat.f32"
                yield spread(
                    name, "f32", count, rounded(op, "f32", mode, ftz != "", ".sat")
                )
    yield spread("mad.rn.f32", "f32", 3, rounded("fma", "f32", "rn", False, ""))


def pairwise(compute):
    """The same on both 16-bit halves."""

    def both(*bits):
        low = compute(*(b & 0xFFFF for b in bits))
        return low | compute(*(b >> 16 for b in bits)) << 16

    return both


def with_pairs(name, kind, count, compute):
    """A half form and its packed twin; `name` has {} for the type."""
    yield spread(name.format(kind), kind, count, compute)
    yield spread(name.format(f"{kind}x2"), f"{kind}x2", count, pairwise(compute))


def halves():
    for op in ["add", "sub", "mul", "fma"]:
        count = EXACT[op][0]
        rn = ".rn" if op == "fma" else ""
        limits = ["", ".sat", ".relu"] if op == "fma" else ["", ".sat"]
        for ftz, modifier in product(["", ".ftz"], limits):
            compute = rounded(op, "f16", "rn", ftz != "", modifier)
            yield from with_pairs(
                f"{op}{rn}{ftz}{modifier}.{{}}", "f16", count, compute
            )
        for modifier in ["", ".relu"] if op == "fma" else [""]:
            compute = rounded(op, "bf16", "rn", False, modifier)
            yield from with_pairs(f"{op}{rn}{modifier}.{{}}", "bf16", count, compute)


def extreme(form, largest, keeps_nan):
    def compute(a, b):
        x, y = floats.decode(form, a), floats.decode(form, b)
        if "nan" in (x.kind, y.kind):
            if keeps_nan or x.kind == y.kind:
                return form.nan
            return b if x.kind == "nan" else a
        # Order by value, then -0 before +0.
        return (max if largest else min)((order(x), a), (order(y), b))[1]

    return compute


def order(value):
    if value.kind == "inf":
        return (-1 if value.negative else 1, Fraction(0), 0)
    return (0, value.exact, 0 if value.negative else 1)


def flushing(form, flushes, compute):
    if not flushes:
        return compute
    return lambda *bits: compute(*(floats.flush(form, b) for b in bits))


def signs():
    for kind, form in FLOATS.items():
        top = form.sign_bit
        single = kind in ("f32", "f64")
        for ftz in [""] if kind in ("f64", "bf16") else ["", ".ftz"]:
            for op, largest in [("min", False), ("max", True)]:
                for nan in [""] if kind == "f64" else ["", ".NaN"]:
                    compute = flushing(
                        form, ftz != "", extreme(form, largest, nan != "")
                    )
                    name = f"{op}{ftz}{nan}.{{}}"
                    if single:
                        yield spread(name.format(kind), kind, 2, compute)
                    else:
                        yield from with_pairs(name, kind, 2, compute)
            for op, change in [
                ("neg", lambda a, t=top: a ^ t),
                ("abs", lambda a, t=top: a & ~t),
            ]:
                compute = flushing(form, ftz != "", change)
                if single:
                    yield spread(f"{op}{ftz}.{kind}", kind, 1, compute)
                else:
                    yield from with_pairs(f"{op}{ftz}.{{}}", kind, 1, compute)
        if single:
            yield spread(
                f"copysign.{kind}",
                kind,
                2,
                lambda a, b, t=top: (a & t) | (b & ~t),
            )
            yield from classes(kind, form)


def classes(kind, form):
    def subnormal(bits):
        magnitude = bits & ~form.sign_bit
        return 0 < magnitude < 1 << form.fraction

    tests = {
        "finite": lambda a: floats.decode(form, a).kind == "finite",
        "infinite": lambda a: floats.decode(form, a).kind == "inf",
        "number": lambda a: floats.decode(form, a).kind != "nan",
        "notanumber": lambda a: floats.decode(form, a).kind == "nan",
        "normal": lambda a: (
            floats.decode(form, a).kind == "finite"
            and not subnormal(a)
            and not floats.decode(form, a).is_zero
        ),
        "subnormal": subnormal,
    }
    for name, test in tests.items():
        text = f"testp.{name}.{kind}"
        yield usual(text, ("pred",), (kind,), lambda a, t=test: int(t(a)))


# Approximate functions: the reference is the double function, the bound is in ULPs of
# the result, far below what the ISA promises.


def approximate(form, function, flushes):
    def compute(*bits):
        if flushes:
            bits = tuple(floats.flush(form, b) for b in bits)
        numbers = [to_python(floats.decode(form, b)) for b in bits]
        result = floats.encode(form, from_python(function(*numbers)))
        return floats.flush(form, result) if flushes else result

    return compute


def to_python(value):
    if value.kind == "nan":
        return math.nan
    size = math.inf if value.kind == "inf" else float(abs(value.exact))
    return -size if value.negative else size


def from_python(number):
    if math.isnan(number):
        return floats.NAN
    negative = math.copysign(1.0, number) < 0
    if math.isinf(number):
        return floats.infinity(negative)
    return Value("finite", negative, Fraction(number))


def reciprocal(a):
    return math.copysign(math.inf, a) if a == 0 else 1 / a


def root(a):
    return math.nan if a < 0 else math.copysign(math.sqrt(abs(a)), a)


def logarithm(a):
    return math.nan if a < 0 else -math.inf if a == 0 else math.log2(a)


def exponential(a):
    if math.isnan(a):
        return a
    return math.inf if a > 1000 else 0.0 if a < -1000 else 2.0**a


def trigonometric(function):
    return lambda a: math.nan if math.isinf(a) else function(a)


def quotient(a, b):
    if math.isnan(a) or math.isnan(b) or (a == 0 and b == 0):
        return math.nan
    sign = math.copysign(1.0, a) * math.copysign(1.0, b)
    return (
        math.copysign(math.inf, sign)
        if b == 0
        else math.nan
        if (math.isinf(a) and math.isinf(b))
        else a / b
    )


def approximate_quotient(a, b):
    if 2.0**126 < abs(b) < 2.0**128:
        return (
            math.nan if math.isinf(a) or math.isnan(a) else math.copysign(1, b) * a * 0
        )
    return quotient(a, b)


UNARY = {
    "rcp": reciprocal,
    "sqrt": root,
    "rsqrt": lambda a: reciprocal(root(a)),
    "sin": trigonometric(math.sin),
    "cos": trigonometric(math.cos),
    "lg2": logarithm,
    "ex2": exponential,
    "tanh": math.tanh,
}


def approximations():
    for ftz in ["", ".ftz"]:
        for op, function in UNARY.items():
            if op == "tanh" and ftz:
                continue
            name = f"{op}.approx{ftz}.f32"
            compute = approximate(floats.F32, function, ftz != "")
            yield usual(name, ("f32",), ("f32",), compute, ulp=1)
        for mode, function2 in [("approx", approximate_quotient), ("full", quotient)]:
            name = f"div.{mode}{ftz}.f32"
            compute = approximate(floats.F32, function2, ftz != "")
            yield usual(name, ("f32",), ("f32",) * 2, compute, ulp=1)
    yield from half_approximations()
    yield from double_approximations()


def half_approximations():
    for name, kind, function in [
        ("ex2.approx.{}", "f16", exponential),
        ("tanh.approx.{}", "f16", math.tanh),
        ("tanh.approx.{}", "bf16", math.tanh),
    ]:
        compute = approximate(FLOATS[kind], function, False)
        code = name.format(kind)
        yield usual(code, (kind,), (kind,), compute, ulp=1)
        code = name.format(f"{kind}x2")
        pair = f"{kind}x2"
        yield usual(code, (pair,), (pair,), pairwise(compute), ulp=1)


def double_approximations():
    form = floats.F64

    def gross(function):
        full = approximate(form, function, False)
        return lambda a: full(floats.flush(form, a)) & ~0xFFFFFFFF

    for op in ["rcp", "rsqrt"]:
        name = f"{op}.approx.ftz.f64"
        # One unit of the upper half.
        yield usual(name, ("f64",), ("f64",), gross(UNARY[op]), ulp=1 << 32)
    compute = approximate(form, UNARY["rsqrt"], False)
    name = "rsqrt.approx.f64"
    yield usual(name, ("f64",), ("f64",), compute, ulp=2)


def forms():
    yield from ieee()
    yield from halves()
    yield from signs()
    yield from approximations()

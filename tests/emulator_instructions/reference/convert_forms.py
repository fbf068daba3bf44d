"""The conformance rows of cvt between all types."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from reference import floats
from reference.float_forms import limit
from reference.forms import FLOATS, usual
from reference.integers import clamp, signed, wrap

INTEGERS = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]
BYTES = INTEGERS[:2]  # not converted from and to bf16
TO_INTEGER = {"rni": "rn", "rzi": "rz", "rmi": "rm", "rpi": "rp"}


def number(kind, bits):
    return signed(bits, int(kind[1:])) if kind[0] == "s" else bits


def in_register(kind, value):
    """8-bit results extend to their 32-bit register, by sign where they have one."""
    width = int(kind[1:])
    value = wrap(value, width)
    return wrap(signed(value, width), 32) if kind == "s8" else value


def convert(name, to, source, compute):
    return usual(name, (to,), (source,), compute)


def can_saturate(to, source):
    """Whether the source has values the destination lacks; else .sat is illegal."""
    narrows = int(source[1:]) > int(to[1:])
    if to[0] == source[0]:
        return narrows
    return source[0] == "s" or int(source[1:]) >= int(to[1:])


def between_integers():
    for to, source in product(INTEGERS, INTEGERS):
        width = int(to[1:])
        yield convert(
            f"cvt.{to}.{source}",
            to,
            source,
            lambda a, t=to, s=source: in_register(t, number(s, a)),
        )
        if can_saturate(to, source):
            yield convert(
                f"cvt.sat.{to}.{source}",
                to,
                source,
                lambda a, t=to, s=source, w=width: in_register(
                    t, clamp(number(s, a), w, t[0] == "s")
                ),
            )


def from_integers():
    for source, kind in product(INTEGERS, FLOATS):
        form = FLOATS[kind]
        if kind == "bf16" and source in BYTES:
            continue
        for mode in ["rn", "rz", "rm", "rp"]:

            def compute(a, s=source, m=mode, f=form):
                return floats.encode(f, floats.finite(Fraction(number(s, a))), m)

            yield convert(f"cvt.{mode}.{kind}.{source}", kind, source, compute)


def to_integers():
    for kind, to, (text, mode) in product(FLOATS, INTEGERS, TO_INTEGER.items()):
        form = FLOATS[kind]
        if kind == "bf16" and to in BYTES:
            continue
        for ftz in ["", ".ftz"] if kind == "f32" else [""]:

            def compute(
                a,
                t=to,
                m=mode,
                f=form,
                z=ftz,
            ):
                value = floats.decode(f, floats.flush(f, a) if z else a)
                result = floats.to_integer(value, f, int(t[1:]), t[0] == "s", m)
                return in_register(t, result)

            yield convert(f"cvt.{text}{ftz}.{to}.{kind}", to, kind, compute)


def between_floats():
    cases = [
        ("f64", "f32", [""], ["", ".ftz"], ["", ".sat"]),
        ("f32", "f64", ["rn", "rz", "rm", "rp"], ["", ".ftz"], ["", ".sat"]),
        ("f32", "f32", ["", "rni", "rzi", "rmi", "rpi"], ["", ".ftz"], ["", ".sat"]),
        ("f64", "f64", ["rni", "rzi", "rmi", "rpi"], [""], ["", ".sat"]),
        ("f16", "f32", ["rn", "rz", "rm", "rp"], ["", ".ftz"], ["", ".sat", ".relu"]),
        ("f16", "f64", ["rn", "rz", "rm", "rp"], [""], ["", ".sat"]),
        ("bf16", "f32", ["rn", "rz"], [""], ["", ".relu"]),
        ("f32", "f16", [""], ["", ".ftz"], ["", ".sat"]),
        ("f64", "f16", [""], [""], ["", ".sat"]),
        ("f32", "bf16", [""], [""], [""]),
        ("f16", "f16", ["rni", "rzi", "rmi", "rpi"], [""], ["", ".sat"]),
    ]
    for to, source, modes, flushes, modifiers in cases:
        for mode, ftz, modifier in product(modes, flushes, modifiers):
            if modifier == ".relu" and (ftz or mode not in ("rn", "rz")):
                continue
            dotted = f".{mode}" if mode else ""
            name = f"cvt{dotted}{ftz}{modifier}.{to}.{source}"
            compute = float_to_float(to, source, mode, ftz != "", modifier)
            yield convert(name, to, source, compute)


def float_to_float(to, source, mode, flushes, modifier):
    form, origin = FLOATS[to], FLOATS[source]

    def compute(a):
        if flushes and source == "f32":
            a = floats.flush(origin, a)
        value = floats.decode(origin, a)
        if mode in TO_INTEGER:
            value = floats.integral(value, TO_INTEGER[mode])
            result = floats.encode(form, value)
        else:
            result = floats.encode(form, value, mode or "rn")
        if flushes and to == "f32":
            result = floats.flush(form, result)
        return limit(form, result, modifier)

    return compute


def two_to_one():
    for kind, mode, modifier in product(["f16", "bf16"], ["rn", "rz"], ["", ".relu"]):
        one = float_to_float(kind, "f32", mode, False, modifier)
        name = f"cvt.{mode}{modifier}.{kind}x2.f32"
        yield usual(
            name,
            (f"{kind}x2",),
            ("f32", "f32"),
            lambda a, b, f=one: f(a) << 16 | f(b),
        )


def forms():
    yield from between_integers()
    yield from from_integers()
    yield from to_integers()
    yield from between_floats()
    yield from two_to_one()

"""The conformance rows of comparisons, selections, moves and packing."""

from __future__ import annotations

from itertools import product

from reference import floats
from reference.float_forms import order
from reference.forms import FLOATS, Form, usual
from reference.integers import signed

ORDERED = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
COMBINE = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}


def compare_integers(name, kind):
    width = int(kind[1:])
    test = ORDERED[UNSIGNED.get(name, name)]
    if kind[0] == "s":
        return lambda a, b: test(signed(a, width), signed(b, width))
    return lambda a, b: test(a, b)


def compare_floats(name, form, flushes):
    def compute(a, b):
        if flushes:
            a, b = floats.flush(form, a), floats.flush(form, b)
        x, y = floats.decode(form, a), floats.decode(form, b)
        unordered = "nan" in (x.kind, y.kind)
        if name in ("num", "nan"):
            return unordered == (name == "nan")
        if unordered:
            return name.endswith("u") and len(name) == 3
        # -0 equals +0: compare without the sign of zeros.
        return ORDERED[name[:2]](order(x)[:2], order(y)[:2])

    return compute


def comparisons(kind, flushes=False):
    """Every comparison that setp has for a type."""
    if kind in FLOATS:
        names = [*ORDERED, *(f"{name}u" for name in ORDERED), "num", "nan"]
        return {name: compare_floats(name, FLOATS[kind], flushes) for name in names}
    names = ["eq", "ne"] if kind[0] == "b" else list(ORDERED)
    if kind[0] == "u":
        names += UNSIGNED
    return {name: compare_integers(name, kind) for name in names}


KINDS = ["b16", "b32", "b64", "u16", "s16", "u32", "s32", "u64", "s64", *FLOATS]


def setp_form(text, kind, test, join):
    """Half types have no second destination; `join` is the .BOOL, or empty."""
    two = kind not in ("f16", "bf16")

    def compute(a, b, c=0):
        results = (int(test(a, b)), int(not test(a, b)))
        if join:
            results = (COMBINE[join](results[0], c), COMBINE[join](results[1], c))
        return results if two else results[:1]

    code = f"{text} {'%d|%q' if two else '%d'}, %a, %b{', %c' if join else ''}"
    sources = (kind, kind, "pred") if join else (kind, kind)
    return Form(text, code, ("pred",) * (1 + two), sources, compute)


def setp():
    cases = [(kind, "") for kind in KINDS] + [("f32", ".ftz"), ("f16", ".ftz")]
    for kind, ftz in cases:
        for name, test in comparisons(kind, ftz != "").items():
            yield setp_form(f"setp.{name}{ftz}.{kind}", kind, test, "")
    for join, kind in product(COMBINE, ["s32", "u64", "f32", "f16"]):
        test = comparisons(kind)["lt"]
        yield setp_form(f"setp.lt.{join}.{kind}", kind, test, join)
    yield from setp_pairs()


def setp_pairs():
    for kind, name in product(["f16", "bf16"], ["eq", "lt", "neu", "gtu", "num"]):
        test = comparisons(kind)[name]
        text = f"setp.{name}.{kind}x2"
        yield Form(
            text,
            f"{text} %d|%q, %a, %b",
            ("pred", "pred"),
            (f"{kind}x2",) * 2,
            lambda a, b, t=test: (
                int(t(a & 0xFFFF, b & 0xFFFF)),
                int(t(a >> 16, b >> 16)),
            ),
        )


TRUE = {
    "u32": 0xFFFFFFFF,
    "s32": 0xFFFFFFFF,
    "f32": 0x3F800000,
    "f16": 0x3C00,
    "bf16": 0x3F80,
    "u16": 0xFFFF,
}


def set_forms():
    cases = list(
        product(["u32", "f32"], ["s32", "u64", "f32", "f64"], ["eq", "lt", "ge"])
    )
    cases += [("f16", "f16", name) for name in ["eq", "ne", "lt", "gtu", "nan"]]
    cases += [("bf16", "bf16", name) for name in ["eq", "gt", "ltu"]]
    cases += [("u16", "f16", "eq"), ("u32", "f16", "le")]
    for to, kind, name in cases:
        test, true = comparisons(kind)[name], TRUE[to]
        text = f"set.{name}.{to}.{kind}"
        yield usual(
            text,
            (to,),
            (kind, kind),
            lambda a, b, t=test, v=true: v if t(a, b) else 0,
        )
        if to in ("u32", "f32") and name == "lt":
            text = f"set.{name}.xor.{to}.{kind}"
            yield usual(
                text,
                (to,),
                (kind, kind, "pred"),
                lambda a, b, c, t=test, v=true: v if int(t(a, b)) ^ c else 0,
            )
    for name, kind in product(["eq", "lt", "neu"], ["f16", "bf16"]):
        test, true = comparisons(kind)[name], TRUE[kind]
        text = f"set.{name}.{kind}x2.{kind}x2"
        yield usual(
            text,
            (f"{kind}x2",),
            (f"{kind}x2",) * 2,
            lambda a, b, t=test, v=true: (
                (v if t(a & 0xFFFF, b & 0xFFFF) else 0)
                | (v if t(a >> 16, b >> 16) else 0) << 16
            ),
        )


PLAIN = ["b16", "b32", "b64", "u16", "s16", "u32", "s32", "u64", "s64", "f32", "f64"]


def three(text, kind, last, result):
    return usual(text, (kind,), (kind, kind, last), result)


def by_float(a, b, c):
    """slct with a float: a for c >= 0 (-0 too), b for c < 0 or NaN."""
    value = floats.decode(floats.F32, c)
    negative = value.negative and not value.is_zero
    return b if value.kind == "nan" or negative else a


def selections():
    for kind in PLAIN:
        yield three(f"selp.{kind}", kind, "pred", lambda a, b, c: a if c else b)
        yield three(
            f"slct.{kind}.s32", kind, "s32", lambda a, b, c: b if c >> 31 else a
        )
        yield three(f"slct.{kind}.f32", kind, "f32", by_float)
    yield three(
        "slct.ftz.b32.f32",
        "b32",
        "f32",
        lambda a, b, c: by_float(a, b, floats.flush(floats.F32, c)),
    )


def moves():
    for kind in ["pred", *PLAIN]:
        yield usual(f"mov.{kind}", (kind,), (kind,), lambda a: a)
    for width, count in [(32, 2), (64, 2), (64, 4)]:
        yield from packing(width, count)


def packing(width, count):
    """mov between one register and the parts of it, lowest first."""
    part = width // count
    whole, piece = f"b{width}", f"b{part}"
    sources = ", ".join(["%a", "%b", "%c", "%e"][:count])
    targets = ", ".join(["%d", "%q", "%r", "%s"][:count])

    def pack(*bits):
        return sum(value << part * index for index, value in enumerate(bits))

    def unpack(a):
        return tuple(a >> part * index & ((1 << part) - 1) for index in range(count))

    pieces = (piece,) * count
    code = f"mov.{whole} %d, {{{sources}}}"
    yield Form(f"pack.{whole}.{count}", code, (whole,), pieces, pack)
    code = f"mov.{whole} {{{targets}}}, %a"
    yield Form(f"unpack.{whole}.{count}", code, pieces, (whole,), unpack)


def forms():
    yield from setp()
    yield from set_forms()
    yield from selections()
    yield from moves()

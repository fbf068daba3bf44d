"""The conformance rows of forms beyond the first architectures: pairs of 16-bit
integers, .relu, .xorsign.abs, tf32, cvt.pack, lop3 and vabsdiff4 with a second result.
"""

from __future__ import annotations

from itertools import product

from reference import floats, integers
from reference.float_forms import extreme, flushing, pairwise
from reference.floats import Format
from reference.forms import FLOATS, Form, usual


def of_pairs(operation, is_signed, relu):
    def compute(a, b):
        left, right = integers.parts(a, 16, is_signed), integers.parts(b, 16, is_signed)
        values = [operation(x, y) for x, y in zip(left, right, strict=True)]
        return sum(
            (max(v, 0) if relu else v) % (1 << 16) << 16 * i
            for i, v in enumerate(values)
        )

    return compute


def integer_pairs():
    operations = {
        "add": lambda x, y: x + y,
        "min": min,
        "max": max,
    }
    for op, kind in product(operations, ["u16x2", "s16x2"]):
        for relu in ["", ".relu"] if kind == "s16x2" and op != "add" else [""]:
            name = f"{op}{relu}.{kind}"
            compute = of_pairs(operations[op], kind == "s16x2", relu != "")
            yield usual(name, (kind,), (kind, kind), compute)
    for op, pick in [("min", min), ("max", max)]:
        name = f"{op}.relu.s32"

        def relu32(a, b, pick=pick):
            x, y = ((v ^ 1 << 31) - (1 << 31) for v in (a, b))
            return max(pick(x, y), 0)

        yield usual(name, ("s32",), ("s32", "s32"), relu32)


def magnitude(form, largest, keeps_nan):
    plain = extreme(form, largest, keeps_nan)

    def compute(a, b):
        top = form.sign_bit
        value = plain(a & ~top, b & ~top)
        if floats.decode(form, value).kind == "nan":
            return value
        return value | (a ^ b) & top

    return compute


def magnitudes():
    for op, kind, nan in product(["min", "max"], FLOATS, ["", ".NaN"]):
        if kind == "f64":
            continue
        form = FLOATS[kind]
        for ftz in [""] if kind == "bf16" else ["", ".ftz"]:
            compute = flushing(form, ftz != "", magnitude(form, op == "max", nan != ""))
            for pair in ["", "x2"] if kind != "f32" else [""]:
                name = f"{op}{ftz}{nan}.xorsign.abs.{kind}{pair}"
                result = pairwise(compute) if pair else compute
                operands = (kind + pair,) * 2
                yield usual(name, operands[:1], operands, result)


TF32 = Format("tf32", 19, 10, 0)


def to_tf32(mode, relu):
    def compute(a):
        value = floats.decode(floats.F32, a)
        if value.kind == "nan":
            return floats.F32.nan
        if relu and value.negative:
            return 0
        if mode != "rna":
            return floats.encode(TF32, value, mode) << 13
        # Ties go away from zero: both neighbours, and the distance to the lower one.
        below = floats.encode(TF32, value, "rz")
        if value.kind == "inf":
            return below << 13
        middle = floats.decode(floats.F32, (below << 13) + 0x1000)
        return (below + (abs(value.exact) >= abs(middle.exact))) << 13

    return compute


def conversions():
    for mode, relu in [
        ("rna", ""),
        ("rn", ""),
        ("rz", ""),
        ("rn", ".relu"),
        ("rz", ".relu"),
    ]:
        name = f"cvt.{mode}{relu}.tf32.f32"
        yield usual(name, ("b32",), ("f32",), to_tf32(mode, relu != ""))
    for (kind, width), source in product(
        [("u16", 16), ("s16", 16), ("u8", 8), ("s8", 8), ("u4", 4), ("s4", 4)],
        ["s32"],
    ):
        name = f"cvt.pack.sat.{kind}.{source}" + ("" if width == 16 else ".b32")

        def packed(
            a,
            b,
            c=0,
            width=width,
            to=kind,
        ):
            high = (1 << (width - (to[0] == "s"))) - 1
            low = -high - 1 if to[0] == "s" else 0

            def kept(value):
                number = (value ^ 1 << 31) - (1 << 31)
                return min(max(number, low), high) % (1 << width)

            return (c << 2 * width | kept(a) << width | kept(b)) % (1 << 32)

        operands = (source, source) if width == 16 else (source, source, "b32")
        code = f"{name} " + ", ".join(["%d", "%a", "%b", "%c"][: len(operands) + 1])
        yield Form(name, code, ("b32",), operands, packed)


def second_results():
    for kind in ("u32", "s32"):

        def differences(a, b, c, is_signed=kind == "s32"):
            pairs = zip(
                integers.parts(a, 8, is_signed),
                integers.parts(b, 8, is_signed),
                strict=True,
            )
            return (c + sum(abs(x - y) for x, y in pairs)) % (1 << 32)

        name = f"vabsdiff4.u32.{kind}.{kind}.add"
        yield usual(name, ("u32",), ("b32",) * 3, differences)
    for combine, table in product(["and", "or"], [0xE8, 0x01]):

        def test(a, b, c, p, table=table, combine=combine):
            bits = [
                (table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1) & 1) << i
                for i in range(32)
            ]
            value = sum(bits)
            some = int(value != 0)
            return value, {"and": some & p, "or": some | p}[combine]

        name = f"lop3.{combine}.b32"
        code = f"{name} %d|%q, %a, %b, %c, {table}, %e"
        operands = ("b32", "b32", "b32", "pred")
        yield Form(f"{name}.{table}", code, ("b32", "pred"), operands, test)


def forms():
    yield from integer_pairs()
    yield from magnitudes()
    yield from conversions()
    yield from second_results()

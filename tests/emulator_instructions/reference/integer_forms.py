"""The conformance rows of integers: arithmetic, carries, logic, bit fields."""

from __future__ import annotations

from itertools import product

from reference import integers
from reference.forms import Form, usual
from reference.integers import clamp, signed, wrap

TYPES = ["s16", "u16", "s32", "u32", "s64", "u64"]


def width_of(kind):
    return int(kind[1:])


def values(kind, bits):
    """The operands as numbers."""
    return [signed(b, width_of(kind)) if kind[0] == "s" else b for b in bits]


def plain(name, kind, count, result, to=None):
    """A form whose operands all have one type; the result wraps."""
    target = to or kind

    def compute(*bits):
        return wrap(result(*values(kind, bits)), width_of(target))

    return usual(name, (target,), (kind,) * count, compute)


def arithmetic():
    for kind in TYPES:
        width = width_of(kind)
        yield plain(f"add.{kind}", kind, 2, lambda a, b: a + b)
        yield plain(f"sub.{kind}", kind, 2, lambda a, b: a - b)
        yield plain(f"mul.lo.{kind}", kind, 2, lambda a, b: a * b)
        yield plain(f"mul.hi.{kind}", kind, 2, lambda a, b, w=width: a * b >> w)
        yield plain(f"mad.lo.{kind}", kind, 3, lambda a, b, c: a * b + c)
        yield plain(
            f"mad.hi.{kind}", kind, 3, lambda a, b, c, w=width: (a * b >> w) + c
        )
        yield plain(f"div.{kind}", kind, 2, integers.divide)
        yield plain(f"rem.{kind}", kind, 2, integers.remainder)
        yield plain(f"min.{kind}", kind, 2, min)
        yield plain(f"max.{kind}", kind, 2, max)
        yield plain(f"sad.{kind}", kind, 3, lambda a, b, c: c + abs(a - b))
        if kind[0] == "s":
            yield plain(f"neg.{kind}", kind, 1, lambda a: -a)
            yield plain(f"abs.{kind}", kind, 1, abs)
        if width < 64:
            yield from wide(kind)


def wide(kind):
    double = f"{kind[0]}{2 * width_of(kind)}"
    yield plain(f"mul.wide.{kind}", kind, 2, lambda a, b: a * b, double)

    def mad(a, b, c):
        x, y = values(kind, (a, b))
        return wrap(x * y + c, width_of(double))

    name = f"mad.wide.{kind}"
    yield usual(name, (double,), (kind, kind, double), mad)


def saturated(name, count, result):
    def compute(*bits):
        return clamp(result(*values("s32", bits)), 32, True)

    return usual(name, ("s32",), ("s32",) * count, compute)


def product24(a, b, is_signed):
    x, y = a & 0xFFFFFF, b & 0xFFFFFF
    return signed(x, 24) * signed(y, 24) if is_signed else x * y


def saturating_and_24():
    yield saturated("add.sat.s32", 2, lambda a, b: a + b)
    yield saturated("sub.sat.s32", 2, lambda a, b: a - b)
    yield saturated("mad.hi.sat.s32", 3, lambda a, b, c: (a * b >> 32) + c)
    yield saturated(
        "mad24.hi.sat.s32", 3, lambda a, b, c: (product24(a, b, True) >> 16) + c
    )
    for kind, (part, shift) in product(["s32", "u32"], [("lo", 0), ("hi", 16)]):

        def multiply(a, b, k=kind, s=shift):
            return wrap(product24(a, b, k == "s32") >> s, 32)

        def accumulate(a, b, c, k=kind, s=shift):
            return wrap((product24(a, b, k == "s32") >> s) + c, 32)

        name = f"mul24.{part}.{kind}"
        yield usual(name, (kind,), (kind,) * 2, multiply)
        name = f"mad24.{part}.{kind}"
        yield usual(name, (kind,), (kind,) * 3, accumulate)


def carry(name, kind, count, exact):
    """A link of a carry chain: a last source != 0 sets the flag, %q is the flag after.

    `exact` gives the unbounded result; the flag is set when it leaves [0, 2^width).
    """
    width = width_of(kind)
    takes, leaves = name.split(".")[0] in ("addc", "subc", "madc"), ".cc" in name
    names = ["%d", "%a", "%b", "%c", "%e"]
    code = f"{name} {', '.join(names[: count + 1])}"
    if takes:
        code = f"add.cc.u32 %unused, {names[count + 1]}, 0xffffffff;\n  {code}"
    if leaves:
        code += ";\n  addc.u32 %q, 0, 0"

    def compute(*bits):
        flag = int(bits[count] != 0) if takes else 0
        result = exact(*bits[:count], flag)
        out = (wrap(result, width),)
        return (*out, int(not 0 <= result < 1 << width)) if leaves else out

    sources = (kind,) * count + (("lane",) if takes else ())
    return Form(name, code, (kind, "u32") if leaves else (kind,), sources, compute)


def high_product(a, b, kind):
    x, y = values(kind, (a, b))
    return wrap(x * y >> width_of(kind), width_of(kind))


def carries():
    for kind in ["u32", "s32", "u64", "s64"]:
        width = width_of(kind)
        for name in [f"add.cc.{kind}", f"addc.{kind}", f"addc.cc.{kind}"]:
            yield carry(name, kind, 2, lambda a, b, f: a + b + f)
        for name in [f"sub.cc.{kind}", f"subc.{kind}", f"subc.cc.{kind}"]:
            yield carry(name, kind, 2, lambda a, b, f: a - b - f)
        for form in ["mad.{}.cc.{}", "madc.{}.{}", "madc.{}.cc.{}"]:
            yield carry(
                form.format("lo", kind),
                kind,
                3,
                lambda a, b, c, f, w=width: wrap(a * b, w) + c + f,
            )
            yield carry(
                form.format("hi", kind),
                kind,
                3,
                lambda a, b, c, f, k=kind: high_product(a, b, k) + c + f,
            )


def logic():
    for kind in ["b16", "b32", "b64", "pred"]:
        width = 1 if kind == "pred" else width_of(kind)
        ones = (1 << width) - 1
        for name, result in [
            ("and", lambda a, b: a & b),
            ("or", lambda a, b: a | b),
            ("xor", lambda a, b: a ^ b),
        ]:
            text = f"{name}.{kind}"
            yield usual(text, (kind,), (kind, kind), result)
        text = f"not.{kind}"
        yield usual(text, (kind,), (kind,), lambda a, o=ones: a ^ o)
        if kind != "pred":
            text = f"cnot.{kind}"
            yield usual(text, (kind,), (kind,), lambda a: int(a == 0))
    for table in [0x00, 0x1B, 0x96, 0xC0, 0xE8, 0xFE]:

        def lop3(a, b, c, t=table):
            picked = [
                integers.bit(
                    t,
                    4 * integers.bit(a, i)
                    + 2 * integers.bit(b, i)
                    + integers.bit(c, i),
                )
                for i in range(32)
            ]
            return sum(value << index for index, value in enumerate(picked))

        code = f"lop3.b32 %d, %a, %b, %c, {table:#x}"
        yield Form(f"lop3.b32.{table:02x}", code, ("b32",), ("b32",) * 3, lop3)


def shifts():
    for width in [16, 32, 64]:

        def left(a, n, w=width):
            return wrap(a << n, w) if n < w else 0

        kind = f"b{width}"
        name = f"shl.{kind}"
        yield usual(name, (kind,), (kind, "count"), left)
        for letter in "bus":

            def right(a, n, w=width, s=letter == "s"):
                return wrap((signed(a, w) if s else a) >> min(n, 200), w)

            kind = f"{letter}{width}"
            name = f"shr.{kind}"
            yield usual(name, (kind,), (kind, "count"), right)
    for side, mode in product("lr", ["wrap", "clamp"]):

        def funnel(a, b, c, s=side, m=mode):
            return integers.funnel_shift(a, b, c, s == "l", m == "wrap")

        name = f"shf.{side}.{mode}.b32"
        yield usual(name, ("b32",), ("b32", "b32", "count"), funnel)


def fields():
    for kind in ["u32", "s32", "u64", "s64"]:
        width, is_signed = width_of(kind), kind[0] == "s"

        def extract(a, b, c, w=width, s=is_signed):
            return integers.extract_field(a, b, c, w, s)

        name = f"bfe.{kind}"
        yield usual(name, (kind,), (kind, "count", "count"), extract)
        for suffix in ["", ".shiftamt"]:

            def find(a, w=width, s=is_signed, f=suffix):
                return integers.find_bit(a, w, s, f != "")

            name = f"bfind{suffix}.{kind}"
            yield usual(name, ("u32",), (kind,), find)


def whole_words():
    for width in [32, 64]:
        kind = f"b{width}"

        def insert(a, b, c, e, w=width):
            return integers.insert_field(a, b, c, e, w)

        name = f"bfi.{kind}"
        sources = (kind, kind, "count", "count")
        yield usual(name, (kind,), sources, insert)
        unary = [
            ("brev", kind, lambda a, w=width: int(f"{a:0{w}b}"[::-1], 2)),
            ("clz", "u32", lambda a, w=width: w - a.bit_length()),
            ("popc", "u32", lambda a: a.bit_count()),
        ]
        for op, to, count in unary:
            yield usual(f"{op}.{kind}", (to,), (kind,), count)


def bytes_and_masks():
    for mode in ["", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]:

        def permute(a, b, c, m=mode):
            return integers.permute(a, b, c, m)

        name = f"prmt.b32.{mode}".rstrip(".")
        yield usual(name, ("b32",), ("b32",) * 3, permute)

    def nth(mask, base, offset):
        return integers.find_nth_set(mask, base, signed(offset, 32))

    offsets = [
        (0xF0F0A5A5, base, wrap(n, 32)) for base in (0, 9, 31) for n in range(-5, 6)
    ]
    code = "fns.b32 %d, %a, %b, %c"
    sources = ("b32", "lane", "s32")
    yield Form("fns.b32", code, ("b32",), sources, nth, inputs=offsets)
    for mode in ["wrap", "clamp"]:
        wraps = mode == "wrap"
        for kind in ["s32", "u32"]:

            def extend(a, b, k=kind, w=wraps):
                return integers.extend(a, b, k == "s32", w)

            name = f"szext.{mode}.{kind}"
            yield usual(name, (kind,), (kind, "count"), extend)
        name = f"bmsk.{mode}.b32"
        yield usual(
            name,
            ("b32",),
            ("count", "count"),
            lambda a, b, w=wraps: integers.bit_mask(a, b, w),
        )


def dot_products():
    for first, second in product(["s32", "u32"], ["s32", "u32"]):

        def dot4(a, b, c, x=first, y=second):
            left, right = (
                integers.parts(a, 8, x == "s32"),
                integers.parts(b, 8, y == "s32"),
            )
            return wrap(c + sum(p * q for p, q in zip(left, right, strict=True)), 32)

        def dot2(a, b, c, x=first, y=second, low=0):
            left = integers.parts(a, 16, x == "s32")
            right = integers.parts(b, 8, y == "s32")[low : low + 2]
            return wrap(c + sum(p * q for p, q in zip(left, right, strict=True)), 32)

        to, sources = ("s32",), (first, second, "b32")
        name = f"dp4a.{first}.{second}"
        yield usual(name, to, sources, dot4)
        for part, low in [("lo", 0), ("hi", 2)]:
            name = f"dp2a.{part}.{first}.{second}"
            yield usual(
                name,
                to,
                sources,
                lambda a, b, c, f=dot2, n=low: f(a, b, c, low=n),
            )

    def difference(a, b, _merged):
        pairs = zip(
            integers.parts(a, 8, False), integers.parts(b, 8, False), strict=True
        )
        return sum(abs(p - q) << 8 * i for i, (p, q) in enumerate(pairs))

    name = "vabsdiff4.u32.u32.u32"
    yield usual(name, ("u32",), ("u32",) * 3, difference)


def forms():
    yield from arithmetic()
    yield from saturating_and_24()
    yield from carries()
    yield from logic()
    yield from shifts()
    yield from fields()
    yield from whole_words()
    yield from bytes_and_masks()
    yield from dot_products()

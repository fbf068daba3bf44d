"""The conformance forms of matrix instructions: a kernel of one warp, the words it
reads and the words it must write.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction

from reference import matrices
from reference.matrices import BITS, Shape

HEADER = """\
// {name}: one warp.
.version 8.3
.target sm_90
.address_size 64

.visible .entry row(.param .u64 in, .param .u64 out)
{{
  .reg .pred %p;
  .reg .b32 %lane, %t, %at, %a<8>, %b<8>, %c<8>, %d<8>;
  .reg .b64 %in, %out, %x, %y, %fa<2>, %fb<2>, %fc<2>, %fd<2>;
  .shared .align 128 .b8 tile[4096];
  mov.u32 %lane, %tid.x;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
{body}
  ret;
}}
"""


@dataclass(frozen=True)
class WarpForm:
    """`ulp` bounds the error of results of `kind` (f32, f16); 0: they are exact."""

    name: str
    body: str
    words: list[int]
    results: list[int]
    ulp: int = 0
    kind: str = "b32"

    def ptx(self):
        return HEADER.format(name=self.name, body=self.body)


def lines(*text):
    return "\n".join(f"  {line};" for line in text)


def registers(kind, shape, part):
    rows = shape.k if part == "b" else shape.m
    columns = shape.k if part == "a" else shape.n
    return max(1, rows * columns * BITS[kind] // (32 * max(32, BITS[kind])))


def bank(kind, part, count):
    prefix = f"%f{part}" if kind == "f64" else f"%{part}"
    return [f"{prefix}{i}" for i in range(count)]


def fragment_of(
    kind,
    count,
    place,
    matrix,
    lane,
):
    each = max(1, 32 // BITS[kind])
    elements = [place(lane, i) for i in range(count * each)]
    return matrices.pack(kind, [matrix[row][column] for row, column in elements])


Types = tuple[str, str, str, str]  # of d, a, b, c


def placed(shape, types, factors, exact):
    """The words of all lanes before and after: a, b and c; d."""
    d, a, b, c = types
    left, right, start = factors
    words = []
    results = []
    for lane in range(32):
        count = registers(a, shape, "a")
        words += fragment_of(a, count, matrices.a_place(shape, a), left, lane)
        count = registers(b, shape, "b")
        words += fragment_of(b, count, matrices.b_place(b), right, lane)
        count = registers(c, shape, "c")
        words += fragment_of(c, count, matrices.c_place, start, lane)
        results += fragment_of(d, count, matrices.c_place, exact, lane)
    return words, results


def mma_body(op, shape, types):
    width = 8 if types[1] == "f64" else 4
    banks = {
        part: bank(kind, part, registers(kind, shape, "c" if part == "d" else part))
        for part, kind in zip("dabc", types, strict=True)
    }
    inputs = [register for part in "abc" for register in banks[part]]
    braces = {part: "{" + ", ".join(names) + "}" for part, names in banks.items()}
    return lines(
        f"mad.wide.u32 %x, %lane, {width * len(inputs)}, %in",
        f"mad.wide.u32 %y, %lane, {width * len(banks['d'])}, %out",
        *(
            f"ld.global.b{8 * width} {r}, [%x+{width * i}]"
            for i, r in enumerate(inputs)
        ),
        f"{op} {braces['d']}, {braces['a']}, {braces['b']}, {braces['c']}",
        *(
            f"st.global.b{8 * width} [%y+{width * i}], {r}"
            for i, r in enumerate(banks["d"])
        ),
    )


def near_limits(rows, source):
    limits = [Fraction((1 << 31) - 5), Fraction(-(1 << 31) + 5)]
    return [[source.choice(limits) for _ in row] for row in rows]


def mma(shape, types, extra="", tail="", edges=False):
    d, a, b, c = types
    op = f"mma.sync.aligned.{shape}.row.col{extra}.{d}.{a}.{b}.{c}{tail}"
    source = random.Random(op)
    left = matrices.draw(a, shape.m, shape.k, source)
    right = matrices.draw(b, shape.k, shape.n, source)
    start = matrices.draw(c, shape.m, shape.n, source)
    if edges:
        start = near_limits(start, source)
    bits = "" if a != "b1" else "and" if "and" in tail else "xor"
    exact = matrices.product(left, right, start, bits)
    if "satfinite" in extra:
        exact = matrices.saturated(exact)
    words, results = placed(shape, types, (left, right, start), exact)
    suffix = ".edges" if edges else ""
    return WarpForm(op + suffix, mma_body(op, shape, types), words, results)


def rounding(shape, kind, to="f32"):
    """Sums that are not exact: all positive, so that an error bound in ulp holds."""
    types = (to, kind, kind, to)
    op = f"mma.sync.aligned.{shape}.row.col.{to}.{kind}.{kind}.{to}"
    source = random.Random(op + "rounds")

    def positive(rows, columns, bits=7):
        one = 1 << bits
        return [
            [
                Fraction(source.randint(one + 1, 2 * one - 1), one)
                for _ in range(columns)
            ]
            for _ in range(rows)
        ]

    left, right = positive(shape.m, shape.k), positive(shape.k, shape.n)
    start = positive(shape.m, shape.n, 7 if to == "f16" else 23)
    exact = matrices.product(left, right, start)
    words, results = placed(shape, types, (left, right, start), exact)
    bound = 1 if to == "f16" else 2 * shape.k
    body = mma_body(op, shape, types)
    return WarpForm(op + ".rounds", body, words, results, bound, to)


def copy_to_shared(count):
    """Each lane copies every 32nd word."""
    body = [
        "mov.u32 %at, tile",
        "mad.lo.u32 %t, %lane, 4, %at",
        "mad.wide.u32 %x, %lane, 4, %in",
    ]
    for i in range((count + 31) // 32):
        body += [
            f"ld.global.b32 %c0, [%x+{128 * i}]",
            f"st.shared.b32 [%t+{128 * i}], %c0",
        ]
    return [*body, "bar.sync 0"]


def ldmatrix(count, transposed):
    turn = ".trans" if transposed else ""
    name = f"ldmatrix.sync.aligned.m8n8.x{count}{turn}.shared.b16"
    source = random.Random(name)
    words = [source.getrandbits(32) for _ in range(32 * 4)]
    halves = [words[i // 2] >> (16 * (i % 2)) & 0xFFFF for i in range(256)]
    results = []
    for lane in range(32):
        for matrix in range(count):

            def element(row, column, matrix=matrix):
                owner = 8 * matrix + row  # whose address is that of the row
                return halves[(owner * 5 % 32) * 8 + column]

            first, second = lane // 4, lane % 4 * 2
            pair = [
                element(second + h, first) if transposed else element(first, second + h)
                for h in range(2)
            ]
            results.append(pair[0] | pair[1] << 16)
    body = copy_to_shared(len(words))
    body += [
        "mul.lo.u32 %t, %lane, 5",
        "and.b32 %t, %t, 31",
        "mad.lo.u32 %t, %t, 16, %at",
    ]
    names = "{" + ", ".join(f"%d{i}" for i in range(count)) + "}"
    body += [f"{name} {names}, [%t]", f"mad.wide.u32 %y, %lane, {4 * count}, %out"]
    body += [f"st.global.b32 [%y+{4 * i}], %d{i}" for i in range(count)]
    return WarpForm(name, lines(*body), words, results)


def movmatrix():
    name = "movmatrix.sync.aligned.m8n8.trans.b16"
    source = random.Random(name)
    words = [source.getrandbits(32) for _ in range(32)]
    matrix = [
        [words[4 * r + c // 2] >> (16 * (c % 2)) & 0xFFFF for c in range(8)]
        for r in range(8)
    ]
    results = [
        matrix[i % 4 * 2][i // 4] | matrix[i % 4 * 2 + 1][i // 4] << 16
        for i in range(32)
    ]
    body = [
        "mad.wide.u32 %x, %lane, 4, %in", "mad.wide.u32 %y, %lane, 4, %out",
        "ld.global.b32 %a0, [%x]", f"{name} %d0, %a0", "st.global.b32 [%y], %d0",
    ]  # fmt: skip
    return WarpForm(name, lines(*body), words, results)


def products():
    for k in (8, 16):
        shape = Shape(16, 8, k)
        for kind in ("f32", "f16"):
            yield mma(shape, (kind, "f16", "f16", kind))
        yield mma(shape, ("f32", "bf16", "bf16", "f32"))
        yield rounding(shape, "f16")
        yield rounding(shape, "bf16")
    yield rounding(Shape(16, 8, 16), "f16", "f16")
    for k in (4, 8):
        yield mma(Shape(16, 8, k), ("f32", "tf32", "tf32", "f32"))
        yield rounding(Shape(16, 8, k), "tf32")
    yield mma(Shape(8, 8, 4), ("f64", "f64", "f64", "f64"))
    for shape in (Shape(8, 8, 16), Shape(16, 8, 16), Shape(16, 8, 32)):
        for a, b in [("s8", "s8"), ("u8", "u8"), ("s8", "u8"), ("u8", "s8")]:
            yield mma(shape, ("s32", a, b, "s32"))
        for extra in ["", ".satfinite"]:
            yield mma(shape, ("s32", "s8", "s8", "s32"), extra, edges=True)
    for shape in (Shape(8, 8, 32), Shape(16, 8, 32), Shape(16, 8, 64)):
        for a, b in [("s4", "s4"), ("u4", "u4"), ("s4", "u4")]:
            yield mma(shape, ("s32", a, b, "s32"))
    for shape in (Shape(8, 8, 128), Shape(16, 8, 128), Shape(16, 8, 256)):
        for tail in (".xor.popc", ".and.popc"):
            yield mma(shape, ("s32", "b1", "b1", "s32"), "", tail)


def forms():
    yield from products()
    for count in (1, 2, 4):
        yield ldmatrix(count, False)
        yield ldmatrix(count, True)
    yield movmatrix()

"""Owns the conformance forms of matrix instructions: a kernel of one warp, the words it
reads and the words it must write.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from reference import matrices
from reference.matrices import BITS, Matrix, Shape

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

    def ptx(self) -> str:
        return HEADER.format(name=self.name, body=self.body)


def lines(*text: str) -> str:
    return "\n".join(f"  {line};" for line in text)


def registers(kind: str, shape: Shape, part: str) -> int:
    rows = shape.k if part == "b" else shape.m
    columns = shape.k if part == "a" else shape.n
    return max(1, rows * columns * BITS[kind] // (32 * max(32, BITS[kind])))


def bank(kind: str, part: str, count: int) -> list[str]:
    prefix = f"%f{part}" if kind == "f64" else f"%{part}"
    return [f"{prefix}{i}" for i in range(count)]


def fragment_of(
    kind: str,
    count: int,
    place: Callable[[int, int], tuple[int, int]],
    matrix: Matrix,
    lane: int,
) -> list[int]:
    each = max(1, 32 // BITS[kind])
    elements = [place(lane, i) for i in range(count * each)]
    return matrices.pack(kind, [matrix[row][column] for row, column in elements])


def mma(
    shape: Shape, types: tuple[str, str, str, str], extra: str = "", tail: str = "",
    least: int = -7, edges: bool = False,
) -> WarpForm:  # fmt: skip
    """types: d, a, b, c."""
    d, a, b, c = types
    name = f"mma.sync.aligned.{shape}.row.col{extra}.{d}.{a}.{b}.{c}{tail}"
    source = random.Random(name)
    counts = {"a": registers(a, shape, "a"), "b": registers(b, shape, "b"),
              "c": registers(c, shape, "c"), "d": registers(d, shape, "c")}  # fmt: skip
    left = matrices.draw(a, shape.m, shape.k, source, least)
    right = matrices.draw(b, shape.k, shape.n, source, least)
    start = matrices.draw(c, shape.m, shape.n, source, least)
    if edges:
        limits = [Fraction((1 << 31) - 5), Fraction(-(1 << 31) + 5)]
        start = [[source.choice(limits) for _ in row] for row in start]
    bits = "" if a != "b1" else "and" if "and" in tail else "xor"
    exact = matrices.product(left, right, start, bits)
    if "satfinite" in extra:
        exact = matrices.saturated(exact)
    words: list[int] = []
    results: list[int] = []
    for lane in range(32):
        words += fragment_of(a, counts["a"], matrices.a_place(shape, a), left, lane)
        words += fragment_of(b, counts["b"], matrices.b_place(b), right, lane)
        words += fragment_of(c, counts["c"], matrices.c_place, start, lane)
        results += fragment_of(d, counts["d"], matrices.c_place, exact, lane)
    size_in, size_out = 4 * len(words) // 32, 4 * len(results) // 32
    body = [
        f"mad.wide.u32 %x, %lane, {size_in}, %in",
        f"mad.wide.u32 %y, %lane, {size_out}, %out",
    ]
    at = 0
    width = BITS[a] if a == "f64" else 32
    banks = {
        part: bank(types[{"d": 0, "a": 1, "b": 2, "c": 3}[part]], part, n)
        for part, n in counts.items()
    }
    for part in "abc":
        for register in banks[part]:
            body.append(f"ld.global.b{width} {register}, [%x+{at}]")
            at += width // 8
    braces = {part: "{" + ", ".join(names) + "}" for part, names in banks.items()}
    body.append(f"{name} {braces['d']}, {braces['a']}, {braces['b']}, {braces['c']}")
    body += [
        f"st.global.b{width} [%y+{width // 8 * i}], {register}"
        for i, register in enumerate(banks["d"])
    ]
    suffix = ".edges" if edges else ""
    return WarpForm(name + suffix, lines(*body), words, results)


def rounding(shape: Shape, kind: str, to: str = "f32") -> WarpForm:
    """Sums that are not exact: all positive, so that an error bound in ulp holds."""
    form = mma(shape, (to, kind, kind, to))
    source = random.Random(form.name + "rounds")

    def positive(rows: int, columns: int) -> Matrix:
        return [
            [Fraction(source.randint(129, 255), 128) for _ in range(columns)]
            for _ in range(rows)
        ]

    left, right = positive(shape.m, shape.k), positive(shape.k, shape.n)
    start = [
        [
            Fraction(source.randint(1 << 23, (1 << 24) - 1), 1 << 23)
            for _ in range(shape.n)
        ]
        for _ in range(shape.m)
    ]
    if to == "f16":
        start = positive(shape.m, shape.n)
    exact = matrices.product(left, right, start)
    words: list[int] = []
    results: list[int] = []
    for lane in range(32):
        words += fragment_of(
            kind, registers(kind, shape, "a"), matrices.a_place(shape, kind), left, lane
        )
        words += fragment_of(
            kind, registers(kind, shape, "b"), matrices.b_place(kind), right, lane
        )
        words += fragment_of(
            to, registers(to, shape, "c"), matrices.c_place, start, lane
        )
        results += fragment_of(
            to, registers(to, shape, "c"), matrices.c_place, exact, lane
        )
    bound = 1 if to == "f16" else 2 * shape.k
    return WarpForm(form.name + ".rounds", form.body, words, results, bound, to)


def stored(kind: str, matrix: Matrix, column: bool, stride: int) -> list[int]:
    """Words of a matrix in memory: rows, or columns, `stride` elements apart."""
    vectors = [list(v) for v in zip(*matrix, strict=True)] if column else matrix
    flat: list[Fraction] = []
    for vector in vectors:
        flat += vector + [Fraction(0)] * (stride - len(vector))
    return matrices.pack(kind, flat)


def wmma(
    shape: Shape, types: tuple[str, str, str, str], layouts: str, extra: str = "",
    space: str = ".global", op: str = "",
) -> WarpForm:  # fmt: skip
    """types: d, a, b, c; layouts: r or c for a, b, c and d."""
    d, a, b, c = types
    order = ["col" if letter == "c" else "row" for letter in layouts]
    plain = a == "f16"
    spelt = f"{d}.{c}" if plain else f"{d}.{a}.{b}.{c}"
    name = f"wmma.mma{op}.sync.aligned.{order[0]}.{order[1]}.{shape}.{spelt}{extra}"
    source = random.Random(name + layouts + space)
    left = matrices.draw(a, shape.m, shape.k, source, -7)
    right = matrices.draw(b, shape.k, shape.n, source, -7)
    start = matrices.draw(c, shape.m, shape.n, source, -7)
    if "satfinite" in extra:
        start = [
            [
                source.choice([Fraction((1 << 31) - 5), Fraction(-(1 << 31))])
                for _ in row
            ]
            for row in start
        ]
    exact = matrices.product(left, right, start, op.split(".")[1] if op else "")
    if "satfinite" in extra:
        exact = matrices.saturated(exact)
    # Wider than the matrices where sub-byte types allow no other stride.
    pad = (
        {"a": 16, "b": 16, "c": 8, "d": 8}
        if BITS[a] >= 8
        else {"a": 0, "b": 0, "c": 8, "d": 8}
    )
    size = {
        "a": (shape.m, shape.k),
        "b": (shape.k, shape.n),
        "c": (shape.m, shape.n),
        "d": (shape.m, shape.n),
    }
    if BITS[a] < 8:
        pad["a"] = pad["b"] = 128 // BITS[a] * 2
    stride = {
        part: size[part][0 if order[i] == "col" else 1] + pad[part]
        for i, part in enumerate("abcd")
    }
    pieces = [
        stored(a, left, order[0] == "col", stride["a"]),
        stored(b, right, order[1] == "col", stride["b"]),
        stored(c, start, order[2] == "col", stride["c"]),
    ]
    offsets = [0, 4 * len(pieces[0]), 4 * (len(pieces[0]) + len(pieces[1]))]
    words = [word for piece in pieces for word in piece]
    results = stored(d, exact, order[3] == "col", stride["d"])
    base = "%in"
    body: list[str] = []
    if space == ".shared":
        body += copy_to_shared(len(words))
        base = "%at"
    eight = 8 if plain else None
    counts = {
        "a": eight or registers(a, shape, "a"),
        "b": eight or registers(b, shape, "b"),
        "c": registers(c, shape, "c"),
        "d": registers(d, shape, "c"),
    }
    names = {part: "{" + ", ".join(bank(kind, part, counts[part])) + "}"
             for part, kind in zip("abcd", (a, b, c, d), strict=True)}  # fmt: skip
    for part, kind, offset, layout in zip(
        "abc", (a, b, c), offsets, order, strict=False
    ):
        body.append(
            f"wmma.load.{part}.sync.aligned.{layout}.{shape}{space}.{kind} "
            f"{names[part]}, [{base}+{offset}], {stride[part]}"
        )
    body.append(f"{name} {names['d']}, {names['a']}, {names['b']}, {names['c']}")
    body.append(
        f"wmma.store.d.sync.aligned.{order[3]}.{shape}.global.{d} [%out], "
        f"{names['d']}, {stride['d']}"
    )
    suffix = f".{layouts}" + (space if space != ".global" else "")
    return WarpForm(name + suffix, lines(*body), words, results)


def copy_to_shared(count: int) -> list[str]:
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


def ldmatrix(count: int, transposed: bool) -> WarpForm:
    turn = ".trans" if transposed else ""
    name = f"ldmatrix.sync.aligned.m8n8.x{count}{turn}.shared.b16"
    source = random.Random(name)
    words = [source.getrandbits(32) for _ in range(32 * 4)]
    halves = [words[i // 2] >> (16 * (i % 2)) & 0xFFFF for i in range(256)]
    results: list[int] = []
    for lane in range(32):
        for matrix in range(count):

            def element(row: int, column: int, matrix: int = matrix) -> int:
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


def movmatrix() -> WarpForm:
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


def products() -> Iterator[WarpForm]:
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


def wmma_products() -> Iterator[WarpForm]:
    wide = [Shape(16, 16, 16), Shape(32, 8, 16), Shape(8, 32, 16)]
    for shape in wide:
        for layouts in ["rrrr", "rcrr", "crcc", "ccrc"]:
            yield wmma(shape, ("f32", "f16", "f16", "f32"), layouts)
        for layouts in ["rrrr", "rccc"]:
            yield wmma(shape, ("f16", "f16", "f16", "f16"), layouts)
        yield wmma(shape, ("f32", "f16", "f16", "f16"), "rcrr")
        yield wmma(shape, ("f16", "f16", "f16", "f32"), "rcrr")
        for layouts in ["rrrr", "ccrr"]:
            yield wmma(shape, ("f32", "bf16", "bf16", "f32"), layouts)
            yield wmma(shape, ("s32", "s8", "s8", "s32"), layouts)
        yield wmma(shape, ("s32", "u8", "u8", "s32"), "rcrr")
        yield wmma(shape, ("s32", "s8", "s8", "s32"), "rcrr", ".satfinite")
    yield wmma(Shape(16, 16, 16), ("f32", "f16", "f16", "f32"), "rcrr", space=".shared")
    yield wmma(Shape(16, 16, 16), ("f32", "f16", "f16", "f32"), "crrr", space="")
    for layouts in ["rrrr", "rcrr", "crcc"]:
        yield wmma(Shape(16, 16, 8), ("f32", "tf32", "tf32", "f32"), layouts)
        yield wmma(Shape(8, 8, 4), ("f64", "f64", "f64", "f64"), layouts)
    for kind in ("s4", "u4"):
        yield wmma(Shape(8, 8, 32), ("s32", kind, kind, "s32"), "rcrr")
    for op in (".xor.popc", ".and.popc"):
        yield wmma(Shape(8, 8, 128), ("s32", "b1", "b1", "s32"), "rcrr", op=op)


def forms() -> Iterator[WarpForm]:
    yield from products()
    yield from wmma_products()
    for count in (1, 2, 4):
        yield ldmatrix(count, False)
        yield ldmatrix(count, True)
    yield movmatrix()

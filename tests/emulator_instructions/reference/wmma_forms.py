"""The conformance forms of wmma: matrices go from memory to memory."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction

from reference import matrices
from reference.matrices import BITS, Shape
from reference.matrix_forms import (
    WarpForm,
    bank,
    copy_to_shared,
    lines,
    near_limits,
    registers,
)


def stored(kind, matrix, column, stride):
    """Words of a matrix in memory: rows, or columns, `stride` elements apart."""
    vectors = [list(v) for v in zip(*matrix, strict=True)] if column else matrix
    flat = []
    for vector in vectors:
        flat += vector + [Fraction(0)] * (stride - len(vector))
    return matrices.pack(kind, flat)


@dataclass(frozen=True)
class Part:
    """One of a, b, c, d: its type, its layout in memory, its registers."""

    letter: str
    kind: str
    layout: str
    stride: int
    count: int

    @property
    def names(self):
        return "{" + ", ".join(bank(self.kind, self.letter, self.count)) + "}"

    def words(self, matrix):
        return stored(self.kind, matrix, self.layout == "col", self.stride)


def parts_of(shape, types, layouts):
    d, a, b, c = types
    sizes = [
        (shape.m, shape.k),
        (shape.k, shape.n),
        (shape.m, shape.n),
        (shape.m, shape.n),
    ]
    made = []
    for letter, kind, layout, size in zip(
        "abcd", (a, b, c, d), layouts, sizes, strict=True
    ):
        column = layout == "c"
        # Wider than the matrix, by what its type allows.
        pad = 8 if letter in "cd" else 16 if BITS[a] >= 8 else 256 // BITS[a]
        eight = letter in "ab" and kind == "f16"
        count = 8 if eight else registers(kind, shape, letter.replace("d", "c"))
        stride = size[0 if column else 1] + pad
        made.append(Part(letter, kind, "col" if column else "row", stride, count))
    return made


def wmma_body(op, shape, parts, sizes, space):
    body = copy_to_shared(sum(sizes)) if space == ".shared" else []
    base = "%at" if space == ".shared" else "%in"
    for i, part in enumerate(parts[:3]):
        body.append(
            f"wmma.load.{part.letter}.sync.aligned.{part.layout}.{shape}{space}"
            f".{part.kind} {part.names}, [{base}+{4 * sum(sizes[:i])}], {part.stride}"
        )
    a, b, c, d = parts
    body.append(f"{op} {d.names}, {a.names}, {b.names}, {c.names}")
    body.append(
        f"wmma.store.d.sync.aligned.{d.layout}.{shape}.global.{d.kind} [%out], "
        f"{d.names}, {d.stride}"
    )
    return lines(*body)


def wmma(
    shape,
    types,
    layouts,
    extra="",
    space=".global",
    bits="",
):
    """layouts: r or c for a, b, c and d; bits: xor or and."""
    d, a, b, c = types
    parts = parts_of(shape, types, layouts)
    spelt = f"{d}.{c}" if a == "f16" else f"{d}.{a}.{b}.{c}"
    popc = f".{bits}.popc" if bits else ""
    order = f"{parts[0].layout}.{parts[1].layout}"
    op = f"wmma.mma{popc}.sync.aligned.{order}.{shape}.{spelt}{extra}"
    source = random.Random(op + layouts + space)
    left = matrices.draw(a, shape.m, shape.k, source)
    right = matrices.draw(b, shape.k, shape.n, source)
    start = matrices.draw(c, shape.m, shape.n, source)
    if extra:
        start = near_limits(start, source)
    exact = matrices.product(left, right, start, bits)
    if extra:
        exact = matrices.saturated(exact)
    pieces = [p.words(m) for p, m in zip(parts, (left, right, start), strict=False)]
    words = [word for piece in pieces for word in piece]
    body = wmma_body(op, shape, parts, [len(piece) for piece in pieces], space)
    suffix = f".{layouts}" + (space if space != ".global" else "")
    return WarpForm(op + suffix, body, words, parts[3].words(exact))


def forms():
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
    for bits in ("xor", "and"):
        yield wmma(Shape(8, 8, 128), ("s32", "b1", "b1", "s32"), "rcrr", bits=bits)

"""Exact matrix products and the ISA's tables of which lane holds which element; knows
no instruction text.

The layouts are written as the PTX ISA gives them: element i of a lane's fragment, for
groupID = lane / 4 and threadID_in_group = lane % 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from reference import floats
from reference.floats import Format, Value

# How numbers of each type are written: float format, or bits and sign of an integer.
TF32 = Format("tf32", 32, 23, 0x7FFFFFFF)
FORMATS = {
    "f16": floats.F16,
    "bf16": floats.BF16,
    "tf32": TF32,
    "f32": floats.F32,
    "f64": floats.F64,
}
BITS = {
    "f16": 16,
    "bf16": 16,
    "tf32": 32,
    "f32": 32,
    "f64": 64,
    "s32": 32,
    "s8": 8,
    "u8": 8,
    "s4": 4,
    "u4": 4,
    "b1": 1,
}

Matrix = list[list[Fraction]]
Place = tuple[int, int]


def encode(kind, value):
    """The bits of a number; integers wrap."""
    if kind in FORMATS:
        return floats.encode(FORMATS[kind], Value("finite", value < 0, value))
    return int(value) % (1 << BITS[kind])


def pack(kind, values):
    """32-bit words of neighbouring elements; f64 gives two words each."""
    bits, total = BITS[kind], 0
    for i, value in enumerate(values):
        total |= encode(kind, value) << (bits * i)
    return [
        total >> (32 * i) & 0xFFFFFFFF for i in range(max(1, len(values) * bits // 32))
    ]


@dataclass(frozen=True)
class Shape:
    """(m, k) by (k, n)."""

    m: int
    n: int
    k: int

    def __str__(self):
        return f"m{self.m}n{self.n}k{self.k}"


def a_place(shape, kind):
    """Row and column of element i of a lane's part of a."""
    each = max(1, 32 // BITS[kind])  # elements of a 32-bit register
    tall = shape.m == 16

    def place(lane, i):
        group, member = lane >> 2, lane & 3
        if kind == "f64" or (kind == "tf32" and shape.k == 4):
            return (group + 8 * i, member)
        if kind == "tf32":
            return (group + 8 * (i % 2), member + 4 * (i // 2))
        if not tall:
            return (group, member * each + i)
        if i < each:
            return (group, member * each + i)
        if i < 2 * each:
            return (group + 8, member * each + i - each)
        if i < 3 * each:
            return (group, member * each + i - 2 * each + 4 * each)
        return (group + 8, member * each + i - 3 * each + 4 * each)

    return place


def b_place(kind):
    each = max(1, 32 // BITS[kind])

    def place(lane, i):
        group, member = lane >> 2, lane & 3
        if i < each:
            return (member * each + i, group)
        return (member * each + i - each + 4 * each, group)

    return place


def c_place(lane, i):
    group, member = lane >> 2, lane & 3
    return (group + 8 * (i >= 2), member * 2 + (i & 1))


def draw(kind, rows, columns, source):
    """Numbers of which products and sums are exact in every accumulator."""
    low, high = -7, 7
    if kind in ("u8", "s8"):
        low, high = (0, 255) if kind == "u8" else (-128, 127)
    if kind in ("u4", "s4"):
        low, high = (0, 15) if kind == "u4" else (-8, 7)
    if kind == "b1":
        low, high = 0, 1
    if kind == "s32":
        low, high = -1000, 1000
    scale = 2 if kind in FORMATS else 1
    return [
        [Fraction(source.randint(low, high), scale) for _ in range(columns)]
        for _ in range(rows)
    ]


def product(a, b, c, bits=""):
    """a b + c; `bits` is xor or and for one-bit factors, whose ones are counted."""

    def term(x, y):
        if not bits:
            return x * y
        both = (x + y) % 2 if bits == "xor" else x * y
        return Fraction(both)

    columns = list(zip(*b, strict=True))
    return [
        [sum((term(x, y) for x, y in zip(row, column, strict=True)), c[i][j])
         for j, column in enumerate(columns)]
        for i, row in enumerate(a)
    ]  # fmt: skip


def saturated(matrix):
    low, high = Fraction(-(1 << 31)), Fraction((1 << 31) - 1)
    return [[min(max(value, low), high) for value in row] for row in matrix]

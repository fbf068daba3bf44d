"""What a row of the conformance tables is: one instruction form, its operands, the
function that says its exact result, and the inputs it is tried on.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from reference import floats

ROWS = 32  # one warp

FLOATS = {
    "f16": floats.F16,
    "bf16": floats.BF16,
    "f32": floats.F32,
    "f64": floats.F64,
}

# Operand kinds: PTX types, and uses of integers whose small values matter.
WIDTH = {
    "pred": 1,
    "u8": 8,
    "s8": 8,
    "u16": 16,
    "s16": 16,
    "b16": 16,
    "f16": 16,
    "bf16": 16,
    "u32": 32,
    "s32": 32,
    "b32": 32,
    "f32": 32,
    "f16x2": 32,
    "bf16x2": 32,
    "u16x2": 32,
    "s16x2": 32,
    "u64": 64,
    "s64": 64,
    "b64": 64,
    "f64": 64,
    "count": 32,
    "lane": 32,
}


def register(kind):
    """The class of register that holds an operand: 8-bit values live in 32 bits."""
    width = WIDTH[kind]
    return "pred" if width == 1 else f"b{32 if width == 8 else width}"


@dataclass(frozen=True)
class Form:
    """One instruction form.

    `code` is PTX over %a %b %c %e (sources) and %d %q %r %s (destinations); `name` is
    that of its file. `result` maps source bits to destination bits; `ulp` is 0 where
    they are exact.
    """

    name: str
    code: str
    to: tuple[str, ...]
    sources: tuple[str, ...]
    result: Callable[..., tuple[int, ...] | int]
    ulp: int = 0
    inputs: Sequence[Sequence[int]] = field(default=())


def usual(
    name,
    to,
    sources,
    result,
    ulp=0,
):
    """Return the form that is written as its name, %d and the sources in order."""
    operands = ", ".join(["%d", "%a", "%b", "%c", "%e"][: len(sources) + 1])
    return Form(name, f"{name} {operands}", to, sources, result, ulp)


def integer_edges(width):
    top = 1 << (width - 1)
    return [0, 1, 2, top - 1, top, top + 1, 2 * top - 1, 2 * top - 2, 7, 0xA5 % top]


def float_edges(form):
    one = form.bias << form.fraction
    positive = [
        0,
        1,  # least subnormal
        (1 << form.fraction) - 1,  # greatest subnormal
        1 << form.fraction,  # least normal
        one - 1,
        one,
        one + 1,
        one + (1 << (form.fraction - 1)),  # 1.5
        (form.bias + 1) << form.fraction,  # 2
        ((form.bias + 1) << form.fraction) | 1 << (form.fraction - 2),  # 2.5
        form.infinity - 1,  # greatest
        form.infinity,
    ]
    return [*positive, *(bits | form.sign_bit for bits in positive), form.infinity + 1]


def draw(kind, source):
    """One operand: an edge, a small number, or any bits."""
    if kind == "pred":
        return source.getrandbits(1)
    if kind == "lane":
        return source.randrange(32)
    if kind == "count":
        choices = [
            0,
            1,
            4,
            8,
            15,
            16,
            31,
            32,
            33,
            63,
            64,
            255,
            256,
            1 << 31,
            (1 << 32) - 1,
        ]
        return source.choice([*choices, source.randrange(70)])
    if kind.endswith("x2"):
        half = kind[:-2]
        return draw(half, source) << 16 | draw(half, source)
    width = WIDTH[kind]
    if kind in FLOATS:
        return draw_float(FLOATS[kind], source)
    choice = source.random()
    if choice < 0.45:
        return source.choice(integer_edges(width))
    if choice < 0.65:
        return source.randrange(-100, 100) % (1 << width)
    return source.getrandbits(width)


def draw_float(form, source):
    choice = source.random()
    if choice < 0.4:
        return source.choice(float_edges(form))
    if choice < 0.75:  # near 1, so that sums and products round
        spread = min(form.bias - 1, form.fraction + 3)
        exponent = form.bias + source.randint(-spread, spread) // 2
        sign = source.getrandbits(1) << (form.width - 1)
        return sign | exponent << form.fraction | source.getrandbits(form.fraction)
    return source.getrandbits(form.width)


def inputs_of(form):
    """The rows a form is tried on: its own, then drawn ones (the same on every run)."""
    source = random.Random(form.name)
    rows = [list(row) for row in form.inputs][:ROWS]
    while len(rows) < ROWS:
        row = [draw(kind, source) for kind in form.sources]
        if (
            len(row) > 1
            and source.random() < 0.15
            and form.sources[0] == form.sources[1]
        ):
            row[1] = row[0]
        rows.append(row)
    return rows

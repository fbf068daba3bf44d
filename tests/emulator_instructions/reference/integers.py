"""Integer and bit operations on unbounded integers; knows no instruction.

Operands arrive as bit patterns; `signed` reads one as two's complement. Loops over
single bits follow the text of the ISA rather than any fast method.
"""

from __future__ import annotations


def signed(bits, width):
    return bits - (1 << width) if bits >> (width - 1) & 1 else bits


def wrap(value, width):
    return value & ((1 << width) - 1)


def clamp(value, width, is_signed):
    low = -(1 << (width - 1)) if is_signed else 0
    high = (1 << (width - is_signed)) - 1
    return wrap(min(max(value, low), high), width)


def divide(a, b):
    """Truncated quotient; a zero divisor gives all ones."""
    if b == 0:
        return -1
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def remainder(a, b):
    return a if b == 0 else a - divide(a, b) * b


def bit(value, index):
    return value >> index & 1


def extract_field(a, position, length, width, is_signed):
    position, length = position & 0xFF, length & 0xFF
    fill = 0
    if is_signed and length:
        fill = bit(a, min(position + length - 1, width - 1))
    result = 0
    for index in range(width):
        inside = index < length and position + index < width
        result |= (bit(a, position + index) if inside else fill) << index
    return result


def insert_field(a, b, position, length, width):
    position, length = position & 0xFF, length & 0xFF
    for index in range(length):
        if position + index < width:
            b &= ~(1 << (position + index))
            b |= bit(a, index) << (position + index)
    return b


def find_bit(a, width, is_signed, shift_amount):
    if is_signed and bit(a, width - 1):
        a = wrap(~a, width)
    for index in reversed(range(width)):
        if bit(a, index):
            return width - 1 - index if shift_amount else index
    return 0xFFFFFFFF


def permute(a, b, c, mode):
    source = a.to_bytes(4, "little") + b.to_bytes(4, "little")
    n = c & 3
    chosen = {
        "": [c >> 4 * i & 15 for i in range(4)],
        "f4e": [n + i for i in range(4)],
        "b4e": [(n - i) % 8 for i in range(4)],
        "rc8": [n] * 4,
        "ecl": [max(i, n) for i in range(4)],
        "ecr": [min(i, n) for i in range(4)],
        "rc16": [2 * (n & 1) + (i & 1) for i in range(4)],
    }[mode]
    result = 0
    for place, selector in enumerate(chosen):
        byte = source[selector & 7]
        if selector & 8:
            byte = 0xFF if byte & 0x80 else 0
        result |= byte << 8 * place
    return result


def find_nth_set(mask, base, offset):
    if offset == 0:
        return base if bit(mask, base) else 0xFFFFFFFF
    places = range(base, 32) if offset > 0 else range(base, -1, -1)
    hits = [place for place in places if bit(mask, place)]
    return hits[abs(offset) - 1] if len(hits) >= abs(offset) else 0xFFFFFFFF


def shift_count(value, wraps):
    return value % 32 if wraps else min(value, 32)


def funnel_shift(a, b, c, left, wraps):
    count, both = shift_count(c, wraps), b << 32 | a
    return wrap(both << count >> 32 if left else both >> count, 32)


def extend(a, width, is_signed, wraps):
    kept = shift_count(width, wraps)
    if kept == 0:
        return 0
    value = a & ((1 << kept) - 1)
    return wrap(signed(value, kept), 32) if is_signed else value


def bit_mask(start, width, wraps):
    ones = (1 << shift_count(width, wraps)) - 1
    return wrap(ones << shift_count(start, wraps), 32)


def parts(word, width, is_signed):
    """The `width`-bit parts of a 32-bit word, lowest first."""
    pieces = [word >> at & ((1 << width) - 1) for at in range(0, 32, width)]
    return [signed(piece, width) if is_signed else piece for piece in pieces]

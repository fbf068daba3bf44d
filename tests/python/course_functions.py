"""Functions that solve the lessons' exercises in plain Python, and wrong ones."""

from __future__ import annotations


def product_back(a, b, d):
    return d * b, d * a


def distance_back(a, b, d):
    return 2 * (a - b) * d, 2 * (b - a) * d


def cell_of(index, strides, start):
    for dim, at in enumerate(index):
        start += at * strides[dim]
    return start


def strides_of(shape):
    found, step = [], 1
    for size in reversed(shape):
        found.insert(0, step)
        step *= size
    return tuple(found)


def shape_of_sum(one, other):
    most = max(len(one), len(other))
    pairs = zip(
        (1,) * (most - len(one)) + one, (1,) * (most - len(other)) + other, strict=True
    )
    return tuple(b if a == 1 else a for a, b in pairs)


def who(row, column):
    block_y, y = divmod(row, 16)
    block_x, x = divmod(column, 16)
    warp, lane = divmod(y * 16 + x, 32)
    return block_x, block_y, x, y, warp, lane


def executed(rows, inner, columns):
    tiles = 1
    for size in (rows, inner, columns):
        tiles *= (size + 15) // 16
    return tiles * 16 * 16 * 16


FUNCTIONS = {
    "12.3": product_back,
    "12.4": distance_back,
    "13.3": cell_of,
    "13.4": strides_of,
    "13.5": shape_of_sum,
    "16.3": who,
    "16.4": executed,
}

# Exercise, function, what is said of it.
WRONG_FUNCTIONS = [
    ("12.3", lambda a, b, d: (d * a, d * b), "gave (2.0, 3.0); need (3.0, 2.0)"),
    ("12.3", lambda a, b, d: (b, a), "(2.0, 3.0, 10.0) gave (3.0, 2.0)"),
    ("12.3", lambda a, b, d: d * b, "gave 3.0; need (3.0, 2.0)"),
    ("12.3", lambda a, b: (b, a), "raised TypeError"),
    ("12.4", lambda a, b, d: (2 * (a - b) * d,) * 2, "need (4.0, -4.0)"),
    ("12.4", lambda a, b, d: ("x", "y"), "gave ('x', 'y')"),
    ("13.3", lambda i, s, start: sum(a * b for a, b in zip(i, s, strict=True)),
     "((2, 1), (8, 2), 8) gave 18; need 26"),
    ("13.4", lambda shape: (*shape[1:], 1), "((2, 3, 4)) gave (3, 4, 1)"),
    ("13.4", lambda shape: list(shape), "gave [2, 3]; need (3, 1)"),
    ("13.5", lambda one, other: max(one, other), "need (3, 4)"),
    ("13.5", lambda one, other: one[9], "raised IndexError"),
    ("16.3", lambda row, column: (row // 16, column // 16, row % 16, column % 16, 0, 0),
     "(37, 3) gave (2, 0, 5, 3, 0, 0); need (0, 2, 3, 5, 2, 19)"),
    ("16.3", lambda row, column: divmod(row, 16), "need (0, 0, 0, 0, 0, 0)"),
    ("16.4", lambda rows, inner, columns: rows * inner * columns, "need 32768"),
    ("16.4", lambda rows, inner, columns: 256 * inner * -(-rows // 16),
     "(1, 8, 1) gave 2048; need 4096"),
]  # fmt: skip

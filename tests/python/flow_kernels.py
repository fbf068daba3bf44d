"""Kernels for one thread that mean the same in plain Python: loops and branches.

Python is the judge of each, in test_kernel_programs.py.
"""

# ruff: noqa: F842

from __future__ import annotations

from .program_cases import case, floats, integers


@case(floats(8), integers(8))
def retype(o, a):
    acc = 0
    for i in range(a.shape[0]):
        acc += a[i]
    o[0] = acc
    acc = acc * 0.5
    for v in a:
        acc = acc + v
        if v < 0:
            acc = 1
    o[1] = acc
    x = 3
    if a[0] > 100:
        x = 2.5
    o[2] = x / 2


@case(integers(6), integers(6))
def maybe(o, a):
    for i in range(len(a)):
        if a[i] > 2:
            found = i
            w = a[i] * 2
    o[0] = found + w
    n = 0
    while n < 3:
        t = n * 2
        n += 1
    o[1] = t


@case(integers(3), integers(3))
def unreachable(o, a):
    o[0] = 1
    return
    o[1] = 2


@case(floats(3), floats(3))
def chain(o, a):
    i = 0
    o[0] = 1 if 0 <= i < 3 <= len(a) else 0
    x = y = a[1]
    o[1] = x + y
    (p, q), r = (1, 2), 3
    o[2] = p + q * r


@case(integers(4), integers(4))
def annotated(o, a):
    """doc"""
    n = 3
    m: int
    for i in range(n):
        "string"
        o[i] = n
    pass


@case(floats(8), floats(4))
def logic(o, a):
    x = a[0]
    y = a[1]
    o[0] = x and y
    o[1] = x or y
    o[2] = 1 if not x else 2
    o[3] = 1 if -3 < x <= y < 10 else 0
    o[4] = (x > 0) + (y > 0)
    o[5] = min(x, y, 0.5) + max(1, 2)
    z = x if x > y else y
    o[6] = z
    o[7] = int(x) + float(3) + bool(y)

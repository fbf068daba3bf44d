"""Kernels for one thread that mean the same in plain Python: loops and branches.

Python is the judge of each, in test_kernel_programs.py.
"""

# ruff: noqa: B007, F821, F842, SIM113, UP037

from __future__ import annotations

import numpy as np

from .program_cases import case, floats, integers


@case(integers(8), integers(8))
def swap(o, a):
    for i in range(len(a) // 2):
        a[i], a[-1 - i] = a[-1 - i], a[i]
    x, y = 1, 2
    for i in range(5):
        x, y = y, x + y
        o[i] = x
    o[7] = i


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


@case(integers(10), integers(10))
def breaks(o, a):
    n = 0
    for i in range(10):
        if i % 2 == 0:
            continue
        for j in range(i, -1, -2):
            if j == 3:
                break
            n += j
        else:
            n += 100
        if n > 250:
            break
    else:
        n = -1
    o[0] = n
    o[1] = i
    o[2] = j
    k = 10
    while True:
        k -= 3
        if k < 0:
            break
    o[3] = k
    while k < 5:
        k += 1
        if k == 3:
            continue
        o[4] += k
    else:
        o[5] = 77


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


@case(integers(6), integers(5))
def nested(o, a):
    for i in range(len(a)):
        for j in range(len(a) - 1 - i):
            if a[j] > a[j + 1]:
                tmp = a[j]
                a[j] = a[j + 1]
                a[j + 1] = tmp
    lo, hi = 0, len(a)
    while lo < hi:
        mid = (lo + hi) // 2
        if a[mid] < 1:
            lo = mid + 1
        else:
            hi = mid
    o[0] = lo
    i = 5
    for i in range(0):
        pass
    o[1] = i
    for i in range(3):
        i += 10
        o[2] += i
    o[3] = i
    for i in range(2):
        for i in range(4):
            pass
    o[4] = i
    o[5] = sum3(a[0], a[1])


def sum3(x, y, z=100):
    def_ = x + y
    if def_ > 0:
        return def_ * z
    return z


@case(floats(8), floats(8))
def deep(o, a):
    i = 0
    while i < 8:
        if a[i] < 0:
            if i % 2:
                v = 1
            else:
                v = 2.5
                i += 1
                continue
        elif a[i] > 2:
            v = a[i]
        else:
            if i > 6:
                break
            v = 0
        o[i] = v
        i += 1


@case(integers(8), integers(8))
def whileand(o, a):
    i = 0
    while i < len(a) and a[i] != 4:
        o[i] = i
        i += 1
    j = len(a) - 1
    while j >= 0 and (a[j] > 0 or j % 2 == 0):
        o[j] += j
        j -= 1


@case(integers(8), integers(8))
def negstep(o, a):
    k = 0
    for i in range(7, -1, -1):
        o[k] = a[i]
        k += 1
    s = -2
    for i in range(6, 0, s):
        o[i] += 100
    for i in range(3):
        if i == 1:
            s = 1
    o[0] = s


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


def first_neg(a, k):
    for i in range(k, len(a)):
        if a[i] < 0:
            return i
    return -1


@case(floats(8), floats(8))
def earlyret(o, a):
    for i in range(8):
        if i == 5:
            return
        o[i] = first_neg(a, i)


@case(floats(6), integers(4))
def ternary(o, a):
    for i in range(4):
        o[i] = 1 if a[i] < 0 else 2.5 if a[i] == 0 else a[i]
    o[4] = (a[0] if a[1] else a[2]) + (not a[3])
    x = a[0]
    y = x if x else 3
    o[5] = y


@case(integers(4), integers(4))
def annotated(o: "array", a: np.ndarray) -> None:
    """doc"""
    n: int = 3
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

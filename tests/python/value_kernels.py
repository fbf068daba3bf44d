"""Kernels for one thread that mean the same in plain Python: values and arrays.

Python is the judge of each, in test_kernel_programs.py.
"""

# ruff: noqa: B905, RUF005

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from .program_cases import case, floats, integers

Point = namedtuple("Point", "x y")
SIZE, PAIR = 3, (4, 5)
TABLE = np.array([[1.5, 2], [3, 4]])


class Config:
    N = 3
    M = 2.5


def sum3(x, y, z=100):
    total = x + y
    if total > 0:
        return total * z
    return z


@case(floats(6), floats(3, 4))
def views(o, a):
    row = a[1]
    o[0] = row[2] + a[0][1] + a[:, 1][2] + a[1:3, 1:][0, 0] + a[-1, -1]
    b = a[::-1]
    o[1] = b[0, 0]
    c = a.T
    o[2] = c[3, 2] + c.shape[0]
    d = row[1:][::2]
    o[3] = len(d) + d[-1]
    s = 0.0
    for r in a:
        for v in r:
            s += v
    o[4] = s
    a[0, 1:3] = 9.0
    a[2] = a[1]
    a[:, 0] = 5
    p = (1, 2)
    o[5] = a[p] + a[p[0], p[-1]]


@case(integers(12), integers(4))
def tuples(o, a):
    t = (1, 2, 3)
    for i, v in enumerate(t):
        o[i] = v * i
    for x, y in zip(a, t):
        o[3] += x * y
    n, m = t[1:]
    o[4] = n * m + len(t)
    for i, (x, y) in enumerate(zip(a, a)):
        o[5] += i * x * y
    u = t + (4,)
    o[6] = u[3]
    k = 2
    o[7] = t[k]
    for k in range(3):
        o[8] += t[k]
    t = (t[1], t[0], t[2])
    o[9] = t[0] * 10 + t[1]
    o[10] = 1 if t == (2, 1, 3) else 0
    for q in range(2, 10, 3):
        o[11] += q


def fill(arr, v):
    for i in range(arr.shape[0]):
        arr[i] = v + i
    return


def both(x):
    return x + 1, x * 0.5


@case(floats(8), integers(3))
def functions(o, a):
    fill(o, a[0])
    fill(o[5:], 100)
    p, q = both(a[1])
    o[0] = p + q
    r = both(3)
    o[1] = r[0] * r[1]
    f = sum3
    o[2] = f(1, z=2, y=3)
    o[3] = sum3(*a[0:0].shape, 5) if len(a) == 0 else sum3(*(1, 2))


@case(floats(6), integers(3))
def captured(o, a):
    o[0] = SIZE * PAIR[1] + len(PAIR)
    for i in range(2):
        for j in range(2):
            o[1] += TABLE[i, j]
    o[2] = TABLE.shape[0] + TABLE[-1, -1]
    o[3] = math.pi + math.sqrt(2)
    del_ = 0
    del del_
    if SIZE == 3:
        o[4] = 1
    else:
        o[4] = "x"
    z = None
    if z is None:
        o[5] = 2


WAYS = ((0, 1), (1, 0), (0, -1), (-1, 0))
CUBE = (((0, 1), (2, 3)), ((4, 5), (6, 7)))
STEPS = (Point(1, 2.5), Point(3, 4.5))
MANY = tuple((k, k * 0.5) for k in range(40))


def turned(ways, k):
    return ways[k], ways[-1 - k]


@case(floats(12), integers(6), WAYS)
def pairs(o, a, ways):
    for di, dj in ((0, 1), (1, 0), (0, -1)):
        o[0] += a[1 + di] * 10 + a[3 + dj]
    for k, (di, dj) in enumerate(WAYS):
        o[1] += k * (di * 10 + dj)
    for k in range(len(WAYS)):
        o[2] += WAYS[k][0] * (k + 1) + WAYS[-k][1]
    for (a0, b0), (a1, b1) in zip(WAYS[1:], ways):
        o[3] += a0 * a1 * 2 + b0 * b1 * 3
    for way in ways:
        o[4] = o[4] * 2 + way[0] - way[1]
    for rows in CUBE:
        for x, y in rows:
            o[5] = o[5] * 3 + x * y
    o[6] = CUBE[a[0] % 2][a[1] % 2][a[2] % 2]
    for step in STEPS:
        o[7] += step.x * step.y
    for k, half in MANY:
        o[8] += k * half + MANY[k // 2][1]
    if (a[0], a[1]) in ((-2, 1), (5, 5)) and (1, (2, a[0] + 5)) == (1, (2, 3)):
        o[9] = 1
    (p, q), (r, s) = turned(WAYS, a[4] % 4)
    o[10] = p * 1000 + q * 100 + r * 10 + s
    for part in (o[:2], o[2:4]):
        part[1] += part[0]


@case(floats(6), integers(3))
def outside_arrays(o, a):
    for row in TABLE:
        for v in row:
            o[0] += v
    for k, row in enumerate(TABLE):
        o[1] += k * row[1]
    for x, row in zip(a, TABLE):
        o[2] += x * row[0]
    o[3] = len(TABLE) + len(TABLE[0]) + TABLE.shape[1]


@case(floats(8), floats(8))
def attrs(o, a):
    for i in range(Config.N):
        o[i] = Config.M * i
    p = Point(1, 2.5)
    o[4] = p.x + p.y
    q = p
    if a[0] > 0:
        q = Point(3, 4.5)
    o[5] = q.y
    o[6] = len(q)


def set3(dst, src):
    for i in range(len(dst)):
        dst[i] = src[-1 - i]


@case(floats(6), floats(2, 3))
def reshaped(o, a):
    for i in range(2):
        set3(o[3 * i : 3 * i + 3], a[i])


@case(integers(6), integers(6))
def aug(o, a):
    o[0] += 1
    o[1] -= 2
    o[2] *= 3
    o[3] //= 2
    o[4] %= 3
    o[5] **= 2
    x = 5
    x //= 2
    x -= 1
    x *= 7
    x %= 4
    x <<= 2
    x |= 1
    o[0] += x
    a[o[0] % 6] += 1


@case(integers(10), integers(10))
def shadow(o, a):
    int_ = 3
    float = 2
    max = float + int_
    o[0] = max
    double = 1
    auto = 2
    this = 3
    out = 4
    template = 5
    o[1] = double + auto + this + out + template
    threadIdx = 5
    blockDim = 6
    o[2] = threadIdx * blockDim
    N = 4
    T = 3
    wrap = 2
    pick = 1
    o[3] = a[-wrap] + a[N - T - pick - 1]


case(floats(3), integers(3))(lambda o, a: fill(o, a[0]))

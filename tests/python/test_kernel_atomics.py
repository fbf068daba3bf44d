"""The tests of cuda.atomic in Python kernels: values, indices and errors."""

from __future__ import annotations

import operator

import numpy as np
import pytest

from minitorch import cuda

from .launching import launched, refusal

pytestmark = pytest.mark.cuda

NUMBERS = ["int32", "uint32", "int64", "uint64", "float32", "float64"]
INTEGERS = NUMBERS[:4]


@pytest.mark.parametrize("dtype", NUMBERS)
def test_sums_and_extremes(dtype):
    def kernel(a, old):
        i = cuda.grid(1)
        old[i] = cuda.atomic.add(a, 0, i)
        cuda.atomic.sub(a, 1, i)
        cuda.atomic.max(a, 2, i)
        cuda.atomic.min(a, 3, i)
        cuda.atomic.nanmax(a, 4, i)
        cuda.atomic.nanmin(a, 5, i)

    start = np.array([0, 10000, 5, 5, 5, 5], dtype)
    a, old = launched(kernel, start, np.zeros(128, dtype), grid=4)
    total = sum(range(128))
    assert a.tolist() == [total, 10000 - total, 127, 0, 127, 0]
    # Each old value is a sum of some of the others, and all of them differ but one.
    assert old.min() == 0
    assert len(set(old.tolist())) >= 127


@pytest.mark.parametrize("dtype", INTEGERS)
def test_bits_exchange_and_swap(dtype):
    def kernel(a, old):
        i = cuda.grid(1)
        cuda.atomic.or_(a, 0, 1 << i)
        cuda.atomic.and_(a, 1, ~(1 << i))
        cuda.atomic.xor(a, 2, 1 << i)
        old[i] = cuda.atomic.exch(a, 3, i)
        cuda.atomic.cas(a, 4, 7, 9)
        if i == 0:
            old[20] = cuda.atomic.compare_and_swap(a, 0, 3)

    start = np.array([0, 0xFFFF, 0xFF, 99, 7], dtype)
    a, old = launched(kernel, start, np.zeros(32, dtype), block=16)
    assert a[:3].tolist() == [0xFFFF, 0, 0xFF00]
    assert sorted([*old[:16].tolist(), a[3]]) == [*range(16), 99]
    assert (a[4], old[20]) == (9, 0xFFFF)


@pytest.mark.parametrize("dtype", ["uint32", "uint64"])
def test_counting_round(dtype):
    def kernel(a):
        cuda.atomic.inc(a, 0, 9)
        cuda.atomic.dec(a, 1, 9)

    (a,) = launched(kernel, np.array([0, 5], dtype), block=25)
    assert a.tolist() == [25 % 10, (5 - 25) % 10]


def test_tuple_indices_views_and_negative_ones():
    def kernel(a, b, where):
        i = cuda.grid(1)
        cuda.atomic.add(a, (i // 4, i % 4), i)
        cuda.atomic.add(a, (-1, -1), 100)
        cuda.atomic.add(a[1], 0, 1000)
        cuda.atomic.add(b[::2], where[i], 1)

    a, b, _ = launched(
        kernel,
        np.zeros((3, 4)),
        np.zeros(7, np.int32),
        np.arange(12, dtype=np.int8) % 4,
        block=12,
    )
    expected = np.arange(12.0).reshape(3, 4)
    expected[2, 3] += 1200
    expected[1, 0] += 12000
    np.testing.assert_array_equal(a, expected)
    assert b.tolist() == [3, 0, 3, 0, 3, 0, 3]


def test_shared_and_local_arrays():
    def kernel(out):
        s = cuda.shared.array((2, 2), np.float32)
        mine = cuda.local.array(2, np.int64)
        i = cuda.threadIdx.x
        mine[0] = 5
        mine[1] = 0
        if i < 4:
            s[i // 2, i % 2] = 0
        cuda.syncthreads()
        cuda.atomic.add(s, (1, i % 2), mine[0])
        cuda.atomic.max(mine, 1, i)
        cuda.syncthreads()
        if i < 4:
            out[i] = s[i // 2, i % 2] + mine[1]

    (out,) = launched(kernel, np.zeros(4), block=10)
    assert out.tolist() == [0, 1, 27, 28]


def test_local_arrays_in_device_functions():
    def count(histogram, value):
        cuda.atomic.add(histogram, value, 1)
        return cuda.atomic.exch(histogram, 3, value)

    def kernel(shared_out, out):
        mine = cuda.local.array(4, np.int32)
        ours = cuda.shared.array(4, np.int32)
        i = cuda.threadIdx.x
        for j in range(4):
            mine[j] = 0
        if i < 4:
            ours[i] = 0
        cuda.syncthreads()
        for j in range(6):
            count(mine, (i + j) % 3)
        count(ours, i % 3)
        cuda.syncthreads()
        for j in range(4):
            out[i, j] = mine[j]
            if i == 0:
                shared_out[j] = ours[j]

    out = np.zeros((5, 4), np.int32)
    ours, out = launched(kernel, np.zeros(4, np.int32), out, block=5)
    np.testing.assert_array_equal(out[:, :3], np.full((5, 3), 2))
    assert out[:, 3].tolist() == [(i + 5) % 3 for i in range(5)]
    assert ours[:3].tolist() == [2, 2, 1]


def test_a_transposed_array():
    def kernel(a):
        i = cuda.threadIdx.x
        cuda.atomic.add(a.T, (i, 0), i)

    (a,) = launched(kernel, np.zeros((2, 5)), block=5)
    np.testing.assert_array_equal(a, [np.arange(5), np.zeros(5)])


def test_the_value_takes_the_type_of_the_element():
    def kernel(a):
        cuda.atomic.add(a, 0, 2.75)
        cuda.atomic.add(a, 1, True)

    (a,) = launched(kernel, np.array([1, 1], np.int32), block=1)
    assert a.tolist() == [3, 2]


def test_two_in_one_expression_run_from_left_to_right():
    def kernel(a, out):
        out[0] = cuda.atomic.add(a, 0, 1) * 10 + cuda.atomic.add(a, 0, 1)
        out[1] = max(cuda.atomic.exch(a, 0, 7), cuda.atomic.exch(a, 0, 8))

    a, out = launched(kernel, np.zeros(1, np.int64), np.zeros(2), block=1)
    assert out.tolist() == [1, 7]
    assert a.tolist() == [8]


def test_an_element_is_read_before_it_changes():
    def kernel(a, out):
        out[0] = a[0] * 10 + cuda.atomic.add(a, 0, 1) + 100 * a[0]
        out[1] = a[0] < cuda.atomic.exch(a, 0, 9)

    _, out = launched(kernel, np.array([3]), np.zeros(2), block=1)
    assert out.tolist() == [433, 0]


def test_device_functions_keep_their_order():
    def draw(a):
        return cuda.atomic.add(a, 0, 1)

    def kernel(a, out):
        out[0] = draw(a) - 10 * draw(a) + 100 * draw(a)

    _, out = launched(kernel, np.zeros(1, np.int32), np.zeros(1), block=1)
    assert out.tolist() == [190]


OPERATIONS = {
    "add": operator.add,
    "sub": operator.sub,
    "and_": operator.and_,
    "or_": operator.or_,
    "xor": operator.xor,
    "exch": lambda old, value: value,
    "max": max,
    "min": min,
    "nanmax": np.fmax,
    "nanmin": np.fmin,
    "inc": lambda old, limit: 0 if old >= limit else old + 1,
    "dec": lambda old, limit: limit if old == 0 or old > limit else old - 1,
}
OF_INTEGERS = {"and_", "or_", "xor", "exch", "inc", "dec"}
SPECIAL = [0.0, -0.0, 1.5, -2.5, 1e30, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        (name, dtype)
        for name in OPERATIONS
        for dtype in ("int32", "uint64", "float32")
        if dtype == "uint64" or name not in OF_INTEGERS
    ],
)
def test_special_values_in_global_and_local_arrays(name, dtype):
    change, kind = getattr(cuda.atomic, name), getattr(np, dtype)

    def kernel(cells, values, before, own):
        i = cuda.grid(1)
        mine = cuda.local.array(1, kind)
        mine[0] = cells[i]
        change(mine, 0, values[i])
        own[i] = mine[0]
        before[i] = change(cells, i, values[i])

    top = 0 if dtype == "float32" else np.iinfo(dtype).max
    low = 0 if dtype == "float32" else np.iinfo(dtype).min
    some = SPECIAL if dtype == "float32" else [0, 1, 5, 6, top, low, top - 1]
    table = np.array(some, dtype)
    old, value = np.repeat(table, len(some)), np.tile(table, len(some))
    arrays = (old.copy(), value, np.zeros_like(old), np.zeros_like(old))
    cells, _, before, own = launched(kernel, *arrays, block=old.size)
    with np.errstate(all="ignore"):
        # Lists of NumPy scalars: their arithmetic wraps, their max is Python's.
        expected = [OPERATIONS[name](a, b) for a, b in zip(old, value, strict=True)]
    np.testing.assert_array_equal(cells, np.array(expected, dtype))
    np.testing.assert_array_equal(own, cells)
    np.testing.assert_array_equal(before, old)


FLOATS = np.zeros(4, np.float32)


NEED = "the dtype must be one of"


@pytest.mark.parametrize(
    ("statement", "array", "words"),
    [
        *(
            ("cuda.atomic.add(a, 0, 1)", np.zeros(4, dtype), words)
            for dtype in ("float16", "bool", "complex64")
            for words in (
                f"atomic.add does not support array({dtype}, 1d, C)",
                f"{NEED} int32",
            )
        ),
        ("cuda.atomic.or_(a, 0, 1)", FLOATS, f"{NEED} int32, int64, uint32, uint64"),
        ("cuda.atomic.inc(a, 0, 1)", FLOATS.view("i4"), f"{NEED} uint32, uint64"),
        (
            "cuda.atomic.add(a, (0, 1), 1)",
            FLOATS,
            "got 2 indices for array(float32, 1d, C)",
        ),
        ("cuda.atomic.add(a, 0.5, 1)", FLOATS, "float64"),
        (
            "cuda.atomic.add(a, 0, 1j)",
            FLOATS,
            "got complex128 for an element of float32",
        ),
        ("cuda.atomic.add(a, 0, a)", FLOATS, "a whole array"),
    ],
)
def test_what_is_refused(statement, array, words):
    assert words in refusal(statement, array)

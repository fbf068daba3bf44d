"""The tests of what a Python kernel takes as arguments, and how it types them."""

from __future__ import annotations

import linecache
from collections import namedtuple

import numpy as np
import pytest

import minitorch
from minitorch import cuda
from minitorch.cuda.language.types import TupleType, Type
from minitorch.cuda.launching.arguments import type_of

pytestmark = pytest.mark.cuda

Point = namedtuple("Point", "x y")
RECORDS = np.zeros(2, [("a", "i4"), ("b", "f8")])


@cuda.jit
def number_the_cells(x):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        x[i, j] = 10 * i + j


# Types, as Numba's typeof gives them.
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, "bool"),
        (1, "int64"),
        (-(2**63), "int64"),
        (2**63 - 1, "int64"),
        (2**63, "uint64"),
        (2**64 - 1, "uint64"),
        (1.5, "float64"),
        (1j, "complex128"),
        ((), "()"),
        ((1,), "(int64,)"),
        ((1, np.float32(2), (True,)), "(int64, float32, (bool,))"),
    ],
)
def test_types_of_values(value, expected):
    assert str(type_of(value)) == expected


def test_named_tuples_keep_their_names():
    assert type_of(Point(1, 2.0)) == TupleType((Type.INT64, Type.FLOAT64), ("x", "y"))


# What each kind of value is worth in a kernel.
@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("bool", True), ("int8", -128), ("int16", -3), ("int32", 2**31 - 1),
        ("int64", -(2**63)), ("uint8", 255), ("uint16", 65535), ("uint32", 2**32 - 1),
        ("uint64", 2**64 - 1), ("float16", 0.5), ("float32", 1e-45),
        ("float64", 1e-320), ("complex64", 1 - 2j), ("complex128", 1e300 + 1j),
    ],
)  # fmt: skip
def test_a_scalar_of_each_dtype_arrives(dtype, value):
    @cuda.jit
    def store(x, scalar):
        x[0] = scalar

    scalar = np.dtype(dtype).type(value)
    x = cuda.to_device(np.zeros(1, dtype))
    store[1, 1](x, scalar)
    store[1, 1](x, scalar)  # the short way
    assert x.copy_to_host()[0] == scalar
    assert str(store.signatures[0][1]) == dtype


def test_an_integer_beyond_int64_takes_the_long_way():
    @cuda.jit
    def store(x, number):
        x[0] = number

    x = cuda.to_device(np.zeros(1, np.uint64))
    for number in (5, 2**63 + 1, 6, 2**64 - 1):
        store[1, 1](x, number)
        assert x.copy_to_host()[0] == number
    assert len(store.signatures) == 2


def test_tuples_and_named_tuples_arrive():
    @cuda.jit
    def unpack(out, sizes, point, nested):
        out[0] = sizes[0]
        out[1] = sizes[1]
        out[2] = point.y
        out[3] = nested[1][0]
        out[4] = len(sizes)

    out = cuda.to_device(np.zeros(5))
    unpack[1, 1](out, (3, np.int8(4)), Point(True, 2.5), (1j, (np.float32(7),)))
    assert np.array_equal(out.copy_to_host(), [3, 4, 2.5, 7, 2])


def test_arrays_within_tuples_arrive():
    @cuda.jit
    def add(pair):
        i = cuda.threadIdx.x
        pair[0][i] += pair[1][i]

    out, x = np.ones(4), cuda.to_device(np.arange(4.0))
    add[1, 4]((out, x))
    assert np.array_equal(out, [1, 2, 3, 4])


# Declared types.
def declared(signature):
    @cuda.jit(signature)
    def store(x, value):
        x[0] = value

    return store


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("int8", 5, 5), ("int8", np.int64(-128), -128), ("uint8", True, 1),
        ("float32", 3, 3), ("float32", 0.1, np.float32(0.1)), ("float64", 2, 2),
        ("float16", 0.5, 0.5), ("uint64", 2**64 - 1, float(2**64 - 1)),
        ("bool", True, 1),
    ],
)  # fmt: skip
def test_numbers_become_the_declared_type(kind, value, expected):
    x = cuda.to_device(np.zeros(1))
    declared(f"void(float64[:], {kind})")[1, 1](x, value)
    assert x.copy_to_host()[0] == expected


@pytest.mark.parametrize(
    ("kind", "value", "error", "told"),
    [
        ("int8", 128, ValueError, "got 128 for argument 2 'value'; int8 holds"),
        ("uint8", -1, ValueError, "0 to 255"),
        ("int32", 1.5, TypeError, "got float64 .*needs int32.* int(value)"),
        ("float64", 1j, TypeError, "got complex128 .*needs float64"),
        ("int32", (1, 2), TypeError, r"got (int64, int64) .*needs int32"),
    ],
)
def test_numbers_that_do_not_fit(kind, value, error, told):
    pattern = told.replace("(", r"\(").replace(")", r"\)")
    with pytest.raises(error, match=rf"^\[launch\] .*{pattern}"):
        declared(f"void(float64[:], {kind})")[1, 1](cuda.device_array(1), value)


@pytest.mark.parametrize(
    ("declaration", "array", "told"),
    [
        ("float32[:]", np.zeros(3), "Try array.astype('float32')"),
        ("float64[:, :]", np.zeros(3), "needs array(float64, 2d, A)"),
        ("float64[::1]", np.zeros(6)[::2], None),  # its copy has no gaps
        ("float64[::1, :]", np.zeros((2, 3)), "np.asfortranarray(array)"),
        ("float64[:, ::1]", np.zeros((3, 2)).T, "np.ascontiguousarray(array)"),
    ],
)
def test_declared_arrays(declaration, array, told):
    @cuda.jit(f"void({declaration})")
    def nothing(x):
        pass

    if told is None:
        nothing[1, 1](array)
        return
    with pytest.raises(TypeError, match=r"^\[launch\] got array\(") as error:
        nothing[1, 1](array)
    assert told in str(error.value)


# Refusals.
@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([1.0, 2.0], r"a list for argument 1 'x'; .* np\.array"),
        (None, "None for argument 1 'x'; .*function without a return"),
        ("abc", "the string 'abc' for argument 1 'x'"),
        ({1: 2}, "a dict for argument 1"),
        (range(3), r"np\.arange"),
        (len, "define the kernel inside"),
        (object(), "an object for argument 1"),
        ((1, [2]), r"a list for argument 1 'x'\[1\]"),
        (np.array(["a"]), r"an array of dtype <U1 for argument 1 'x'"),
        (np.array([object()]), "an array of dtype object"),
        (np.zeros(2, "M8[s]"), r"array\.view\(np\.int64\)"),
        (np.zeros(2, ">f8"), r"Try array\.astype\('<f8'\)"),
        (
            RECORDS,
            r"for argument 1 'x'; .* each field as an argument, such as array\['a'\]",
        ),
        (RECORDS[0], r"scalar .* for argument 1 'x'; .* such as array\['a'\]"),
        (np.ma.array([1.0, 2.0]), r"argument 1 'x' is a masked array.*filled"),
        (np.datetime64("2020-01-01"), "a NumPy scalar of dtype datetime64"),
        (minitorch.ones(3), r"argument 1 'x' is a tensor on cpu.*\.to\(\"cuda\"\)"),
    ],
)
def test_what_a_kernel_cannot_take(value, told):
    @cuda.jit
    def nothing(x):
        pass

    with pytest.raises(TypeError, match=rf"^\[launch\] .*{told}"):
        nothing[1, 1](value)


def test_records_on_the_device():
    @cuda.jit
    def nothing(x, y):
        pass

    records = cuda.to_device(RECORDS)
    for args, place in (((1, records), "2 'y'"), (((1, records), 2), r"1 'x'\[1\]")):
        told = rf"^\[launch\] .* for argument {place}; .* such as array\['a'\]"
        with pytest.raises(TypeError, match=told):
            nothing[1, 1](*args)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("x[0].a = 1.0", r"cannot assign .* such as array\['a'\]"),
        ("x[0]['a'] = 1.0", r"cannot index with 'a'; .* such as array\['a'\]"),
        ("x[0][0] = x[1].mass", r"attribute \.mass .* such as array\['mass'\]"),
        ("x[0][0] = RECORDS[0]['b']", r"as a constant; .* such as array\['a'\]"),
        ("cuda.local.array(3, RECORDS.dtype)", "declare one array for each"),
    ],
)
def test_fields_in_a_kernel(body, told):
    alike = cuda.to_device(np.zeros(2, [("a", "f4"), ("mass", "f4")]))  # as (2, 2)
    scope = {"cuda": cuda, "RECORDS": RECORDS}
    source = f"def fields(x):\n    {body}\n"
    linecache.cache[body] = (len(source), None, source.splitlines(True), body)
    exec(compile(source, body, "exec"), scope)
    with pytest.raises(cuda.CompileError, match=told):
        cuda.jit(scope["fields"])[1, 1](alike)


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1])
def test_integers_beyond_64_bits(value):
    with pytest.raises(ValueError, match="for argument 1 'x'; the integer must fit"):
        number_the_cells[1, 1](value)


def test_a_wrong_number_of_arguments():
    x = np.zeros((1, 1))
    for args in ((), (x, x)):
        with pytest.raises(TypeError, match=r"cannot call number_the_cells\(x\): "):
            number_the_cells[1, 1](*args)
    with pytest.raises(TypeError, match="unexpected keyword argument 'y'"):
        number_the_cells[1, 1](x, y=x)


def test_arguments_by_name_and_by_default():
    @cuda.jit
    def store(x, value=7):
        x[0] = value

    x = cuda.to_device(np.zeros(1))
    store[1, 1](x)
    assert x.copy_to_host() == 7
    store[1, 1](value=8, x=x)
    assert x.copy_to_host() == 8

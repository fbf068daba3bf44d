"""The tests of signatures: each way to write the types of arguments."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda
from minitorch.cuda.compiling.signatures import (
    signature_from,
    signatures_from,
    type_from,
)
from minitorch.cuda.language.types import ArrayType, FunctionType, TupleType, Type

F32, F64, I32, I64 = Type.FLOAT32, Type.FLOAT64, Type.INT32, Type.INT64


@pytest.mark.parametrize(
    ("text", "result", "arguments"),
    [
        ("void()", None, ()),
        ("void(float64[:], int32)", None, (ArrayType(F64, 1, "A"), I32)),
        ("void(float64[::1])", None, (ArrayType(F64, 1, "C"),)),
        ("void(f4[:, ::1], i8)", None, (ArrayType(F32, 2, "C"), I64)),
        ("void(f4[::1, :])", None, (ArrayType(F32, 2, "F"),)),
        ("void(float32[:,:,:],)", None, (ArrayType(F32, 3, "A"),)),
        ("float64[:], int32", None, (ArrayType(F64, 1, "A"), I32)),
        ("(float64[:], int32)", None, (ArrayType(F64, 1, "A"), I32)),
        ("int32(int64, double)", I32, (I64, F64)),
        ("  void ( int32 )  ", None, (I32,)),
        ("void(UniTuple(int64, 3))", None, (TupleType((I64, I64, I64)),)),
        ("void(Tuple((int64, f8)))", None, (TupleType((I64, F64)),)),
        ("void((int32, float32))", None, (TupleType((I32, F32)),)),
        ("numba.void(types.float32[:])", None, (ArrayType(F32, 1, "A"),)),
        ("(array(float64, 1d, A), int32) -> none", None, (ArrayType(F64, 1), I32)),
        ("boolean(uint8)", Type.BOOL, (Type.UINT8,)),
    ],
)
def test_text(text, result, arguments):
    assert signature_from(text) == FunctionType(result, arguments)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "expected the name of a type, found the end"),
        ("void(", "'(' was never closed"),
        ("void(float33)", "expected a type such as float32 or int64, found 'float33'"),
        ("void(float32[:)", "')' does not match opening parenthesis '['"),
        (
            "void(float32[2])",
            "expected dimensions such as [:, ::1], found 'float32[2]'",
        ),
        ("void(float32[::2])", "expected dimensions"),
        ("void(int32) int32", "int32': invalid syntax"),
        ("float32[:](int32)", "a number as the result, or void"),
        ("void(UniTuple(int64, x))", "expected a type and a count"),
        ("__import__('os')", "expected a type"),
    ],
)
def test_text_that_is_no_signature(text, told):
    with pytest.raises(ValueError, match=r"^\[signature\] cannot read ") as error:
        signature_from(text)
    assert told in str(error.value)


@pytest.mark.parametrize("value", [5, None, 2.5, {}, np.zeros(3)])
def test_other_values_are_no_signature(value):
    with pytest.raises(
        TypeError, match=r"^\[signature\] cannot read .* as a signature"
    ):
        signature_from(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (cuda.float32, F32),
        (np.float32, F32),
        (np.dtype("int64"), I64),
        ("int32[:]", ArrayType(I32, 1, "A")),
        ((cuda.int64, cuda.float32), TupleType((I64, F32))),
        (float, F64),
        (bool, Type.BOOL),
    ],
)
def test_one_type(value, expected):
    assert type_from(value) == expected


@pytest.mark.parametrize("value", [3, object, np.str_, "datetime64", None])
def test_no_type(value):
    with pytest.raises((TypeError, ValueError), match=r"^\[signature\] cannot read"):
        type_from(value)


def test_types_as_numba_prints_them():
    class Array:
        def __str__(self):
            return "array(float32, 2d, C)"

    Array.__module__ = "numba.core.types.npytypes"
    assert type_from(Array()) == ArrayType(F32, 2, "C")


def test_a_signature_object_of_numba():
    class Signature:
        args = (cuda.float32[:], "int32")
        return_type = "none"

    expected = FunctionType(None, (ArrayType(F32, 1, "A"), I32))
    assert signatures_from(Signature()) == [expected]

"""The tests of exact arithmetic: against NumPy, and cases worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from minitorch.network.exact_arithmetic import bits_of, number_of, result_of

FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


def single(value):
    return bits_of(value, "f32")


def product_and_sum(*values):
    return number_of(result_of("fma.rn.f32", list(map(single, values))), "f32")


@pytest.mark.parametrize(("name", "function"), [
    ("add", np.add), ("sub", np.subtract), ("mul", np.multiply),
    ("div.rn", np.divide), ("max", np.fmax), ("min", np.fmin),
])  # fmt: skip
@pytest.mark.parametrize("type_", ["f16", "f32", "f64"])
def test_operations_are_those_of_numpy(name, function, type_):
    random = np.random.default_rng(3)
    few = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 6e-8]
    many = random.normal(size=40) * 10.0 ** random.integers(-4, 4, 40)
    numbers = np.array([*few, *many]).astype(FLOATS[type_])
    for a in numbers:
        for b in numbers:
            with np.errstate(all="ignore"):
                expected = float(FLOATS[type_](function(a, b)))
            bits = result_of(
                f"{name}.{type_}", [bits_of(float(a), type_), bits_of(float(b), type_)]
            )
            found = number_of(bits, type_)
            if math.isnan(expected):
                assert math.isnan(found)
            elif name in ("max", "min") and expected == 0:
                assert found == 0  # NumPy leaves open which zero
            else:
                assert bits == bits_of(expected, type_), (name, a, b)


def test_a_fused_product_is_rounded_once():
    # (1 + 2**-12)**2 = 1 + 2**-11 + 2**-24; the last term is half of a unit, which a
    # product alone rounds away (ties to even).
    a = 1 + 2.0**-12
    assert np.float32(a) * np.float32(a) == np.float32(1 + 2.0**-11)
    assert product_and_sum(a, a, -(1 + 2.0**-11)) == 2.0**-24
    # 1 + 3 * 2**-24, less a little: float64 would drop the little, and round to even.
    factors = 1 + 2.0**-23, (1 - 2.0**-23) * 2.0**-24
    assert np.float32(factors[0] * factors[1] + factors[0]) == 1 + 2.0**-22
    assert product_and_sum(*factors, factors[0]) == 1 + 2.0**-23
    assert product_and_sum(2.0**-12, 2.0**-12, 1.0) == 1


def test_conversions():
    assert result_of("cvt.rn.f32.f64", [bits_of(0.1, "f64")]) == single(0.1)
    assert result_of("cvt.f64.f32", [single(0.5)]) == bits_of(0.5, "f64")
    assert result_of("cvt.rn.f32.s32", [0xFFFFFFFE]) == single(-2.0)
    assert result_of("cvt.rn.f32.u32", [16777217]) == single(16777216.0)
    assert result_of("cvt.rn.f16.f32", [single(1.0)]) == 0x3C00
    assert number_of(0x3F80, "bf16") == 1.0


@pytest.mark.parametrize("opcode", [
    "ex2.approx.f32", "add.ftz.f32", "fma.rz.f32", "mul.hi.s32", "mul.sat.f32",
    "cvt.rzi.s32.f32", "cvt.rni.f32.f32", "max.NaN.f32", "add.f16x2", "mma.sync",
])  # fmt: skip
def test_what_has_no_exact_definition_has_no_answer(opcode):
    assert result_of(opcode, [1, 2, 3]) is None


@pytest.mark.parametrize(
    ("opcode", "sources", "bits"),
    [
        ("add.s32", [7, 0xFFFFFFFF], 6),
        ("add.s32", [0xFFFFFFFF, 2], 1),
        ("sub.s64", [1, 2], 2**64 - 1),
        ("and.b16", [0xABCD1234, 0x7FFF], 0x1234),
        ("or.b32", [0xF0, 0x0F], 0xFF),
        ("xor.b32", [0xFF, 0x0F], 0xF0),
        ("shl.b32", [0x80000001, 1], 2),
        ("shl.b32", [1, 32], 0),
        ("shl.b32", [1, 0xFFFFFFFF], 0),
        ("shr.u32", [0x80000000, 31], 1),
        ("shr.s32", [0x80000000, 31], 0xFFFFFFFF),
        ("shr.s32", [0x80000000, 40], 0xFFFFFFFF),
        ("cvt.u32.u16", [0xABCD1234], 0x1234),
        ("cvt.s64.s16", [0x8000], 0xFFFFFFFFFFFF8000),
        ("add.s32", [7], None),
        ("mul.lo.s32", [2, 3], None),
        ("and.pred", [1, 1], None),
        ("add.cc.s32", [1, 1], None),
    ],
)
def test_integers_and_bits(opcode, sources, bits):
    assert result_of(opcode, sources) == bits

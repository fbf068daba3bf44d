"""The tests of compiling Python functions to PTX without a launch."""

from __future__ import annotations

import pytest

from minitorch import cuda
from minitorch.cuda.language.types import Type


def add(x, y):
    return x + y


def fill(x):
    x[cuda.threadIdx.x] = 1


@pytest.mark.parametrize(
    ("signature", "result"),
    [
        ("(int32, int32)", Type.INT64),
        ("(float32, float32)", Type.FLOAT32),
        ("float64(float32, int64)", Type.FLOAT64),
        ((Type.BOOL, Type.BOOL), Type.INT64),
    ],
)
def test_a_device_function_gives_its_type(signature, result):
    ptx, found = cuda.compile_ptx(add, signature, device=True)
    assert found is result
    assert ".func" in ptx
    assert "add_param_1" in ptx
    assert cuda.compile(add, signature) == (ptx, found)


def test_a_kernel_gives_nothing():
    ptx, found = cuda.compile_ptx(fill, "void(float32[:])")
    assert found is None
    assert ".visible .entry fill(" in ptx
    again, _ = cuda.compile_ptx(cuda.jit(fill), "(float32[:],)")
    assert again == ptx


@pytest.mark.parametrize(("cc", "target"), [((8, 0), "sm_80"), ((9, 0), "sm_90")])
def test_the_compute_capability(cc, target):
    ptx, _ = cuda.compile_ptx(fill, "void(float32[:])", cc=cc)
    assert f".target {target}" in ptx


def test_fastmath_changes_the_code():
    def divide(x, y):
        return x / y

    plain, _ = cuda.compile_ptx(divide, "(float32, float32)", device=True)
    fast, _ = cuda.compile_ptx(divide, "(float32, float32)", device=True, fastmath=True)
    assert "div.approx" in fast
    assert "div.approx" not in plain


@pytest.mark.parametrize(
    ("arguments", "keywords", "error", "told"),
    [
        (
            (add, "int32(int32, int32)"),
            {"device": True},
            TypeError,
            "add returns int64",
        ),
        ((5, "void()"), {}, TypeError, "need a function"),
        ((fill, 5), {}, TypeError, r"^\[signature\] cannot read 5"),
        ((fill, "void(float32[:])"), {"cc": 80}, TypeError, "got cc=80; need a tuple"),
        ((fill, "void(float32[:])"), {"cc": (1, 0)}, ValueError, "1.0; NVRTC"),
        ((add, "(int32,)"), {"device": True}, cuda.CompileError, "add"),
        ((add, "(int32, int32)"), {}, cuda.CompileError, "return"),
    ],
)
def test_mistakes(arguments, keywords, error, told):
    with pytest.raises(error, match=told):
        cuda.compile_ptx(*arguments, **keywords)


def test_another_output():
    with pytest.raises(ValueError, match="output='ltoir'; need 'ptx'"):
        cuda.compile(add, "(int32, int32)", output="ltoir")

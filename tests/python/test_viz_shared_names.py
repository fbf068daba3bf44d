"""Tests of the names of shared arrays: what texts declare, and where they must lie."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch.viz.traces.shared_names import as_type, dtype_of, shared_arrays


def found(text: str, size: int, used=None):
    arrays = shared_arrays(text.splitlines(), size, used or {})
    return [(each.name, each.shape, each.offset, str(each.dtype)) for each in arrays]


@pytest.mark.parametrize(
    ("text", "size", "expected"),
    [
        ("__shared__ float s[64];", 256, ("s", (64,), 0, "float32")),
        ("__shared__ int s;", 4, ("s", (), 0, "int32")),
        ("extern __shared__ int q[];", 96, ("q", (24,), 0, "int32")),
        ("#define T 8\n__shared__ double a[T][T + 1];", 576,
         ("a", (8, 9), 0, "float64")),
        ("const int n = 4;\n__shared__ unsigned char b[2 * n];", 8,
         ("b", (8,), 0, "uint8")),
        ("    b = cuda.shared.array((2, 16), np.float32)", 128,
         ("b", (2, 16), 0, "float32")),
        ("b = cuda.shared.array(shape=8, dtype='int64')", 64,
         ("b", (8,), 0, "int64")),
    ],
)  # fmt: skip
def test_one_array_is_found_with_its_sizes(text, size, expected):
    assert found(text, size) == [expected]


TWO = """__shared__ float As[8][8], Bs[8][8];
As[y][x] = A[i];
Bs[y][x] = B[i];"""


def test_two_arrays_lie_where_their_lines_touch_them():
    above = {2: {0, 4}, 3: {256, 508}}
    below = {2: {256, 508}, 3: {0, 4}}
    assert [each[:3] for each in found(TWO, 512, above)] == [
        ("As", (8, 8), 0),
        ("Bs", (8, 8), 256),
    ]
    assert [each[:3] for each in found(TWO, 512, below)] == [
        ("Bs", (8, 8), 0),
        ("As", (8, 8), 256),
    ]


def test_numbers_and_arrays_may_be_declared_together():
    text = "__shared__ float total, part[3];\ntotal = 1;\npart[0] = 1;"
    assert [each[:3] for each in found(text, 16, {2: {12}, 3: {0, 8}})] == [
        ("part", (3,), 0),
        ("total", (), 12),
    ]


def test_a_smaller_type_is_laid_out_on_its_own_boundary():
    text = "__shared__ char c[3];\n__shared__ float f[2];\nc[0] = 1;\nf[0] = 1;"
    assert [each[:3] for each in found(text, 12, {3: {0}, 4: {4}})] == [
        ("c", (3,), 0),
        ("f", (2,), 4),
    ]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("", 64),
        ("__shared__ float s[64];", 512),  # not all of it
        ("__shared__ float s[N];", 64),  # a size that nobody knows
        ("__shared__ Node s[4];", 64),  # a type of the kernel's own
        ("__shared__ float s[-4];", 16),
        ("__shared__ float s[__import__('os')];", 16),
    ],
)
def test_what_the_text_does_not_tell_is_left(text, size):
    assert found(text, size) == []


def test_lines_that_contradict_every_order_are_believed_more_than_the_text():
    assert found(TWO, 512, {2: {0, 256}}) == []


@pytest.mark.parametrize(
    ("bits", "size", "opcode", "value"),
    [
        (0xFFFFFFFF, 4, "st.global.s32", -1),
        (0xFFFFFFFF, 4, "st.global.u32", 4_294_967_295),
        (0x42040000, 4, "st.shared.f32", 33),
        (0xFFF0000000000000, 8, "st.f64", -np.inf),
        (0x3C00, 2, "st.f16", 1),
    ],
)
def test_values_have_the_type_that_instructions_name(bits, size, opcode, value):
    words = np.array([bits], np.uint64)
    assert as_type(words, dtype_of([opcode], size)).tolist() == [value]

"""What is known of the library's own kernels: source, PTX, needs on a card."""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
from minitorch import _core, cuda

pytestmark = pytest.mark.cuda


def tiled(tile, scalar="float"):
    """The spec of matmul_tiled.cu with square tiles, as a launch makes it."""
    return (
        f"#pragma once\nusing Scalar = {scalar};\nconstexpr int TILE = {tile};\n"
        "using Index = int;\nconstexpr int NDIM = 1;\n"
    )


@pytest.mark.parametrize(
    ("tile", "scalar", "size"), [(16, "float", 4), (32, "float", 4), (16, "double", 8)]
)
def test_two_tiles_lie_in_shared_memory(tile, scalar, size):
    found = _core.library_resources(
        "matmul_tiled.cu", "matmul_tiled", tiled(tile, scalar), [], "rtx3090"
    )
    assert found.shared_bytes == 2 * tile * tile * size
    assert 1 <= found.registers <= 255
    assert (found.kernel, found.gpu) == ("matmul_tiled", "rtx3090")


def test_the_ptx_has_the_entry_and_says_its_lines():
    ptx = _core.library_ptx("matmul_tiled.cu", "matmul_tiled", tiled(16), [])
    assert ".visible .entry matmul_tiled(" in ptx
    assert "/minitorch/kernels/matmul_tiled.cu" in ptx


def test_options_reach_the_compiler():
    plain = _core.library_ptx("matmul_tiled.cu", "matmul_tiled", tiled(16), [])
    apart = _core.library_ptx(
        "matmul_tiled.cu", "matmul_tiled", tiled(16), ["--fmad=false"]
    )
    assert "fma.rn.f32" in plain
    assert "fma.rn.f32" not in apart


def test_what_there_is_not_is_said():
    with pytest.raises(ValueError, match=r"matmul_tiled\.cu"):
        _core.library_source("none.cu")
    with pytest.raises(ValueError, match="rtx3090"):
        _core.library_resources(
            "matmul_tiled.cu", "matmul_tiled", tiled(16), [], "none"
        )
    with pytest.raises(cuda.CudaError, match="Scalar"):
        _core.library_ptx("matmul_tiled.cu", "matmul_tiled", "", [])


def test_cards_have_their_cache_and_their_clock():
    card = _core.card("rtx3090")
    # NVIDIA's whitepaper of GA102: 6 MB of L2, 1.695 GHz boost, 82 multiprocessors of
    # 128 lanes.
    assert (card["key"], card["l2_bytes"]) == ("rtx3090", 6 << 20)
    assert card["clock_hz"] == 1.695e9
    assert card["single"] == 2 * 128 * 82 * 1.695e9


def test_a_launch_of_the_library_has_its_source_and_its_arrays():
    a = minitorch.tensor(np.ones((3, 4), np.float32)).to("cuda")
    b = minitorch.tensor(np.ones((5, 4), np.float32)).to("cuda").permute(1, 0)
    with cuda.inspect(counters=False, trace=True, library=True) as run:
        a @ b
    (launch,) = run.launches
    assert launch.source == _core.library_source("matmul_tiled.cu")
    assert launch.source_file == "/minitorch/kernels/matmul_tiled.cu"
    assert launch.source_file in launch.trace.file
    assert [each.name for each in launch.arguments] == ["out", "a", "b"]
    assert [each.shape for each in launch.arguments] == [(3, 5), (3, 4), (4, 5)]
    assert [each.strides for each in launch.arguments] == [(20, 4), (16, 4), (4, 16)]
    assert all(each.dtype == np.float32 for each in launch.arguments)
    assert all(each.is_array and each.before is None for each in launch.arguments)
    out, left, right = (each.pointer for each in launch.arguments)
    touched = np.unique(launch.trace.addresses[launch.trace.mask != 0])
    for start in (out, left, right):
        assert start in touched


def test_bits_stand_for_bfloat16():
    a = minitorch.tensor(np.ones(4, np.float32)).to("bfloat16").to("cuda")
    with cuda.inspect(library=True) as run:
        a + a
    assert {each.dtype for each in run.launches[0].arguments} == {np.dtype("uint16")}


def test_a_launch_after_a_refused_one_has_its_own_arrays():
    a = minitorch.tensor(np.ones(4, np.float32)).to("cuda")
    with cuda.inspect(library=True) as outer, cuda.inspect(library=True) as inner:
        with pytest.raises(ValueError, match="matmul"):
            a.view(2, 2) @ a.view(4, 1)
        a - a
    for run in (outer, inner):
        found = [each.name for each in run.launches[-1].arguments]
        assert found == ["out", "a", "b"]

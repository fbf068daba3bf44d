"""Owns what is known of the library's own kernels: source, PTX, needs on a card."""

from __future__ import annotations

import pytest

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


def test_they_are_those_of_the_same_text_as_a_kernel_of_the_user():
    text = _core.library_source("matmul_tiled.cu")
    for name in ("layout.cuh", "spec.cuh"):
        assert f'#include "{name}"' in text
    parts = [tiled(16), _core.library_source("layout.cuh"), text]
    own = "\n".join(parts).replace("#pragma once", "")
    for name in ("layout.cuh", "spec.cuh"):
        own = own.replace(f'#include "{name}"', "")
    kernel = cuda.RawKernel(own, "matmul_tiled").resources("t4")
    found = _core.library_resources(
        "matmul_tiled.cu", "matmul_tiled", tiled(16), [], "t4"
    )
    assert found.registers == kernel.registers
    assert found.shared_bytes == kernel.shared_bytes
    assert found.occupancy(256, 0)["blocks"] == kernel.occupancy(256).blocks


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

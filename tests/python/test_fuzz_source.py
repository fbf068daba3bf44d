"""Tests of `tests/fuzz/fuzz_source.py`, which compares two NVRTC builds with g++."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from minitorch import cuda

FUZZ = Path(__file__).parents[1] / "fuzz"


@pytest.fixture(scope="module")
def fuzz():
    spec = importlib.util.spec_from_file_location(
        "fuzz_source", FUZZ / "fuzz_source.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["fuzz_source"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["fuzz_source"]


@pytest.mark.cuda
def test_the_emulator_runs_what_a_faulty_optimiser_wrote():
    """NVRTC 12.4 to 13.5 drop a sign extension: docs/checks.md, on compilers."""
    code = (FUZZ / "compiler_drops_sign_extension.cu").read_text()
    products = np.arange(7) * 0x26B3817F
    wrapped = products.astype(np.int32).astype(np.int64)
    results = {}
    for options in ((), ("-G",)):
        kernel = cuda.RawKernel(code, "k", options=options)
        out = cuda.to_device(np.full(7, -1, np.int64))
        kernel((1,), (1,), (cuda.to_device(np.array([7], np.int32)), out))
        results[options] = out.copy_to_host()
        drops = "add.s64" in kernel.ptx and ", 649298303;" in kernel.ptx
        expected = products if drops and not options else wrapped
        np.testing.assert_array_equal(results[options], expected)


@pytest.mark.cuda
def test_random_kernels_agree_with_gcc(fuzz, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["fuzz_source", "--seed", "1", "--count", "8"])
    assert fuzz.main() == 0
    assert "sorted: {'right': 8}" in capsys.readouterr().out


@pytest.mark.cuda
@pytest.mark.parametrize(
    ("line", "optimised", "debug", "kind"),
    [
        ("a = 0x7fffffff; a = a + t + 1; out[t] = a;", 1, 0, "undefined source"),
        ("out[t] = t;", "race on 's'", 0, "ours"),
        ("out[t] = t;", 1, 1, "ours"),
        ("out[t] = t;", 1, 0, "ours"),  # no instruction set gives these results
    ],
)
def test_a_difference_is_sorted(fuzz, tmp_path, line, optimised, debug, kind):
    program = fuzz.Program(seed=1, phases=[line])
    expected = np.zeros(32 * fuzz.CELLS, np.int64)
    optimised = optimised if isinstance(optimised, str) else expected + optimised
    sorted_as = fuzz.sort_difference(
        program, expected, optimised, expected + debug, tmp_path
    )
    assert sorted_as == kind

"""Compares a real GPU with the tables and with the emulator: `pytest -m gpu`.

The same rows run on the emulator in every test run, so that the comparison itself is
known to work before there is a card.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys

import numpy as np
import pytest

from minitorch import cuda

from .conformance_tables import DATA, THREADS, WARPS, Form, read_forms
from .source_tree import ROOT

FAMILIES = THREADS + WARPS

# The kernels whose memory is compared; they get the arguments of `run_corpus_kernel`.
CORPUS = sorted((ROOT / "tests" / "ptx" / "data").glob("*.ptx"))
NOT_COMPARED = {
    "grid_stride.ptx": "needs a count of 64 bits",
    "int64.ptx": "divides by zero, whose result is undefined",
    "named_barrier.ptx": "needs a block of another shape",
    "noinline_call.ptx": "recursion as deep as its argument's value",
    "printf_k.ptx": "prints",
    "sregs.ptx": "stores clocks and numbers of the machine",
    "struct_arg.ptx": "needs a structure",
    "texture_k.ptx": "textures are not emulated",
    "transpose_pad.ptx": "needs a block of another shape",
}
COMPARED = [path.name for path in CORPUS if path.name not in NOT_COMPARED]
NEWEST = "h100"  # an emulated card that runs every form

gpu = pytest.mark.gpu
CUFUNC = {"max_threads": 0, "shared_bytes": 1, "local_bytes": 3, "registers": 4}


@pytest.fixture
def real_gpu():
    if not cuda.is_available() or cuda.is_emulated():
        pytest.skip("needs a real GPU")


def needs(ptx: str) -> int:
    """Compute capability that `ptx` is for."""
    found = re.search(r"\.target\s+sm_(\d+)", ptx)
    assert found
    return int(found[1])


def distance(got: np.uint64, expected: np.uint64, width: int) -> int:
    """Representable values between two floats, given as their bits."""
    top = 1 << (width - 1)

    def key(bits: int) -> int:
        return bits if bits < top else top - bits

    return abs(key(int(got)) - key(int(expected)))


def run_form(form: Form) -> np.ndarray:
    rows = form.sources.ndim == 2
    source = cuda.to_device(form.sources)
    blank = np.zeros((32, 4), np.uint64) if rows else np.zeros_like(form.results)
    result = cuda.to_device(blank)
    module = cuda.RawModule(ptx=form.ptx)
    # Rows that divide by zero are reported by the emulator, and have results.
    emulated = cuda.is_emulated()
    with cuda.inspect(counters=False) if emulated else contextlib.nullcontext():
        module.get_function(module.kernel_names[0])(1, 32, (source, result))
    got = result.copy_to_host()
    return got[:, : form.results.shape[1]] if rows else got


def wrong_words(form: Form) -> list[str]:
    got, expected = run_form(form), form.results
    width = {"f64": 64, "f16": 16, "bf16": 16}.get(form.kind, 32)
    if width == 16 and expected.dtype == np.uint32:  # two in a word
        got, expected = got.view(np.uint16), expected.view(np.uint16)
    wrong = []
    for place in zip(*np.nonzero(got != expected), strict=True):
        ours, table = got[place], expected[place]
        if form.ulp and distance(ours, table, width) <= form.ulp:
            continue
        at = tuple(map(int, place))
        wrong.append(f"{form.name} {at}: got {ours:x}, the table has {table:x}")
    return wrong


def check_family(family: str) -> None:
    wrong = [line for form in read_forms(family) for line in wrong_words(form)]
    assert not wrong, "\n".join(wrong)


@gpu
@pytest.mark.parametrize("family", FAMILIES)
def test_rows_on_the_card(real_gpu, family):
    check_family(family)


def on_the_emulator(code: str) -> str:
    """Run `code` in a fresh process with the emulator as device cuda."""
    environment = {
        **os.environ,
        "MINITORCH_CUDA": "emulator",
        "MINITORCH_EMULATED_GPU": NEWEST,
        "MINITORCH_CHECKS": "memory",
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=environment,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.cuda
@pytest.mark.parametrize("family", FAMILIES)
def test_rows_on_the_emulator(family):
    on_the_emulator(
        "from tests.python.test_gpu_validation import check_family\n"
        f"check_family({family!r})"
    )


def run_corpus_kernel(ptx: str) -> list[np.ndarray]:
    """Run the first kernel of `ptx` on generated arguments; its arrays afterwards.

    Pointers get 4 MiB of small numbers, integers 64, floats 0.5; one block of 64
    threads (of `.reqntid` or `.maxntid` if there is one).
    """
    module = cuda.RawModule(ptx=ptx)
    kernel = module.get_function(module.kernel_names[0])
    random = np.random.default_rng(4)
    arrays, arguments = [], []
    entry = ptx[ptx.index(".entry") :]
    for type_ in re.findall(r"\.param \.(\w+)", entry[: entry.index(")")]):
        if type_ == "u64":
            values = random.integers(0, 8, 1 << 20).astype(np.int32)
            arrays.append(cuda.to_device(values))
            arguments.append(arrays[-1])
        else:
            arguments.append(0.5 if type_.startswith("f") else 64)
    limits = re.search(r"\.(?:req|max)ntid\s+(\d+)", entry)
    kernel(1, int(limits[1]) if limits else 64, tuple(arguments), 4096)
    cuda.synchronize()
    return [each.copy_to_host() for each in arrays]


def corpus_ptx(name: str) -> str:
    return next(path for path in CORPUS if path.name == name).read_text()


def save_corpus_results(name: str, file: str) -> None:
    np.savez(file, *run_corpus_kernel(corpus_ptx(name)))


def corpus_on_the_emulator(name: str, file: str) -> list[np.ndarray]:
    on_the_emulator(
        "from tests.python.test_gpu_validation import save_corpus_results\n"
        f"save_corpus_results({name!r}, {file!r})"
    )
    with np.load(file) as saved:
        return list(saved.values())


@gpu
@pytest.mark.parametrize("name", COMPARED)
def test_corpus_on_both(real_gpu, name, tmp_path):
    ours = corpus_on_the_emulator(name, str(tmp_path / "ours.npz"))
    theirs = run_corpus_kernel(corpus_ptx(name))
    for mine, its in zip(ours, theirs, strict=True):
        if ".approx" in corpus_ptx(name):  # the ISA bounds these, in ULP of float32
            np.testing.assert_array_max_ulp(
                mine.view(np.float32), its.view(np.float32), 16
            )
        else:
            np.testing.assert_array_equal(mine, its)


@pytest.mark.cuda
@pytest.mark.parametrize("name", ["map_simple.ptx", "scan_block.ptx", "wmma.ptx"])
def test_corpus_on_the_emulator_writes_something(name, tmp_path):
    arrays = corpus_on_the_emulator(name, str(tmp_path / "ours.npz"))
    random = np.random.default_rng(4)
    given = [random.integers(0, 8, 1 << 20).astype(np.int32) for _ in arrays]
    assert any((a != b).any() for a, b in zip(arrays, given, strict=True))


@gpu
def test_resources_are_the_drivers(real_gpu):
    code = (ROOT / "tests" / "nvrtc" / "data" / "resources.cu").read_text()
    module = cuda.RawModule(code=code)
    for name in module.kernel_names:
        kernel = module.get_function(name)
        found = kernel.resources()
        for field, number in CUFUNC.items():
            if field == "max_threads" and found.max_threads == 1024:
                continue  # the driver's figure also counts registers
            assert getattr(found, field) == kernel._core.attribute(number), (
                name,
                field,
            )


def test_the_tables_are_whole():
    forms = [form for family in FAMILIES for form in read_forms(family)]
    assert len(forms) > 500
    assert {form.name for form in forms} == {
        path.stem for family in FAMILIES for path in (DATA / family).glob("*.ptx")
    }
    assert all(needs(form.ptx) <= 90 for form in forms)

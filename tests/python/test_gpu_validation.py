"""Compares a real GPU with the tables and with the emulator: `pytest -m gpu`.

The same rows run on the emulator in every test run, so that the comparison itself is
known to work before there is a card.
"""

from __future__ import annotations

import contextlib
import os
import re

import numpy as np
import pytest

from minitorch import cuda

from .conformance_tables import THREADS, WARPS, read_forms
from .corpus_launches import LAUNCHES, NOT_LAUNCHED
from .processes import printed_by
from .source_tree import ROOT

FAMILIES = THREADS + WARPS

CORPUS = {path.stem: path for path in (ROOT / "tests/ptx/data").glob("*.cu")}
NEWEST = "h100"  # an emulated card that runs every form

gpu = pytest.mark.gpu
CUFUNC = {"max_threads": 0, "shared_bytes": 1, "local_bytes": 3, "registers": 4}


@pytest.fixture
def real_gpu():
    if not cuda.is_available() or cuda.is_emulated():
        pytest.skip("needs a real GPU")


def needs(ptx):
    """Compute capability that `ptx` is for."""
    found = re.search(r"\.target\s+sm_(\d+)", ptx)
    assert found
    return int(found[1])


def distance(got, expected, width):
    """Representable values between two floats, given as their bits."""
    top = 1 << (width - 1)

    def key(bits):
        return bits if bits < top else top - bits

    return abs(key(int(got)) - key(int(expected)))


def run_form(form):
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


def wrong_words(form):
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


def check_family(family):
    wrong = [line for form in read_forms(family) for line in wrong_words(form)]
    assert not wrong, "\n".join(wrong)


@gpu
@pytest.mark.parametrize("family", FAMILIES)
def test_rows_on_the_card(real_gpu, family):
    check_family(family)


def on_the_emulator(code):
    """Run `code` in a fresh process with the emulator as device cuda."""
    return printed_by(
        code,
        MINITORCH_CUDA="emulator",
        MINITORCH_EMULATED_GPU=NEWEST,
        MINITORCH_CHECKS="memory",
    )


@pytest.mark.cuda
@pytest.mark.parametrize("family", ["extended", "copy"])  # one of each kind
def test_rows_on_the_emulator(family):
    on_the_emulator(
        "from tests.python.test_gpu_validation import check_family\n"
        f"check_family({family!r})"
    )


def corpus_ptx(name):
    """PTX of a corpus file, whose pointers take arrays of any type."""
    return cuda.RawModule(path=CORPUS[name]).ptx


def run_corpus_kernel(name):
    """Run the kernel of a corpus file on what it is given; its arrays afterwards."""
    module = cuda.RawModule(ptx=corpus_ptx(name))
    given = LAUNCHES[name]()
    for variable, values in given.variables.items():
        module.get_global(variable).copy_to_device(values.view(np.uint8))
    arguments = [
        cuda.to_device(each) if isinstance(each, np.ndarray) else each
        for each in given.arguments
    ]
    kernel = module.get_function(module.kernel_names[0])
    kernel(given.grid, given.block, tuple(arguments), given.shared)
    cuda.synchronize()
    return [each.copy_to_host() for each in arguments if hasattr(each, "copy_to_host")]


def save_corpus_results(folder):
    for name in LAUNCHES:
        np.savez(f"{folder}/{name}.npz", *run_corpus_kernel(name))


@pytest.fixture(scope="session")
def emulated_corpus(tmp_path_factory):
    """Folder with what every kernel of the corpus leaves on the emulator."""
    folder = tmp_path_factory.mktemp("corpus")
    on_the_emulator(
        "from tests.python.test_gpu_validation import save_corpus_results\n"
        f"save_corpus_results({str(folder)!r})"
    )
    return folder


@gpu
@pytest.mark.parametrize("name", LAUNCHES)
def test_corpus_on_both(real_gpu, name, emulated_corpus):
    with np.load(emulated_corpus / f"{name}.npz") as saved:
        ours = list(saved.values())
    theirs = run_corpus_kernel(name)
    approximate = ".approx" in corpus_ptx(name)
    for mine, its in zip(ours, theirs, strict=True):
        # The ISA bounds these, in ULP of float32.
        if approximate and mine.dtype == np.float32:
            np.testing.assert_array_max_ulp(mine, its, 16)
        else:
            np.testing.assert_array_equal(mine, its)


@pytest.mark.cuda
def test_every_kernel_of_the_corpus_runs_and_writes(monkeypatch):
    """What the comparison with a card needs: no finding, and something written."""
    monkeypatch.setenv("MINITORCH_EMULATED_GPU", NEWEST)
    wrong = on_the_emulator(
        "from tests.python.test_gpu_validation import kernels_that_do_nothing\n"
        "print(*kernels_that_do_nothing())"
    )
    assert wrong.split() == ["assert_k"]  # it only looks at its input


def kernels_that_do_nothing():
    """Names of the kernels that leave their arrays as they were."""
    idle = []
    for name in LAUNCHES:
        given = [x for x in LAUNCHES[name]().arguments if isinstance(x, np.ndarray)]
        left = run_corpus_kernel(name)
        if all((a == b).all() for a, b in zip(given, left, strict=True)):
            idle.append(name)
    return idle


def test_the_corpus_is_whole():
    assert CORPUS.keys() == LAUNCHES.keys() | NOT_LAUNCHED.keys()
    assert not LAUNCHES.keys() & NOT_LAUNCHED.keys()


@gpu
def test_resources_are_the_drivers(real_gpu):
    if "MINITORCH_STAND_IN" in os.environ:
        pytest.skip("a stand-in for a card has PTX in place of cubins")
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
    assert all(needs(form.ptx) <= 90 for form in forms)

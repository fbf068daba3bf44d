"""Tests of benchmarks/gpu: what it packs and plans, and rehearsals of the hour."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

from benchmarks.gpu import packing, report_page
from benchmarks.gpu.plan import NAMES, PARTS, part
from benchmarks.gpu.rows import RowFile, row
from benchmarks.gpu.supervise import CONTEXT_BROKEN, Limits, run_to_the_end
from minitorch.cuda.device import nvrtc

from .source_tree import ROOT

RUN = ROOT / "benchmarks" / "gpu" / "run"


# Rows, and processes that do not reach their end.


def test_a_row_has_one_of_the_outcomes() -> None:
    assert row("a", "ok", figure=3) == {
        "name": "a",
        "outcome": "ok",
        "why": "",
        "figure": 3,
    }
    with pytest.raises(ValueError, match="got outcome 'fine'; need one of ok, differs"):
        row("a", "fine")


def test_rows_of_a_process_that_was_cut_off(tmp_path: Path) -> None:
    rows = RowFile(tmp_path / "rows.jsonl")
    assert rows.running() is None
    rows.start("a")
    rows.add(row("a", "ok"))
    assert rows.running() is None
    rows.start("b")
    with rows.path.open("a") as file:
        file.write('{"row": {"na')  # half a line
    assert rows.running() == "b"
    assert rows.started() == {"a", "b"}
    assert [made["name"] for made in rows.rows()] == ["a"]


_CHILD = """
import json, os, signal, sys, time
path = sys.argv[1]
def say(**line):
    with open(path, "a") as file:
        file.write(json.dumps(line) + "\\n")
def done():
    return {json.loads(line).get("start") for line in open(path)}
open(path, "a").close()
for name in ("good", "killed", "hangs", "exits", "breaks", "last"):
    if name in done():
        continue
    say(start=name)
    if name == "killed":
        os.kill(os.getpid(), signal.SIGSEGV)
    if name == "hangs":
        time.sleep(60)
    if name == "exits":
        print("no such thing")
        sys.exit(3)
    say(row={"name": name, "outcome": "ok", "why": ""})
    if name == "breaks":
        os._exit(BROKEN)
"""


def test_every_item_gets_a_row_whatever_the_process_does(tmp_path: Path) -> None:
    script = tmp_path / "child.py"
    script.write_text(_CHILD.replace("BROKEN", str(CONTEXT_BROKEN)))
    rows = RowFile(tmp_path / "rows.jsonl")
    limits = Limits(item=1.5, end=time.monotonic() + 60)
    run_to_the_end([sys.executable, str(script), str(rows.path)], rows, limits, {})
    told = {made["name"]: (made["outcome"], made["why"]) for made in rows.rows()}
    assert told["good"] == told["breaks"] == told["last"] == ("ok", "")
    assert told["killed"][0] == "crashed"
    assert "SIGSEGV" in told["killed"][1]
    assert told["hangs"] == ("timed out", "no end after 2 s")
    assert told["exits"][0] == "crashed"
    assert "ended with status 3: no such thing" in told["exits"][1]
    assert len(told) == 6


def test_a_process_that_cannot_start_is_a_row(tmp_path: Path) -> None:
    rows = RowFile(tmp_path / "rows.jsonl")
    limits = Limits(item=5, end=time.monotonic() + 60)
    run_to_the_end([sys.executable, "-c", "1 / 0"], rows, limits, {})
    (made,) = rows.rows()
    assert made["outcome"] == "failed"
    assert "ZeroDivisionError" in made["why"]


# NVRTC of PyTorch's wheels, beside a toolkit.


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """NVRTC 12 as PyTorch brings it, and CUDA_HOME with a toolkit of 12.4."""
    library = tmp_path / "nvidia" / "cuda_nvrtc" / "lib" / "libnvrtc.so.12"
    for folder in (library.parent, tmp_path / "nvidia" / "cuda_runtime" / "include"):
        folder.mkdir(parents=True)
    library.touch()
    toolkit = tmp_path / "toolkit" / "include"
    (toolkit / "crt").mkdir(parents=True)
    (toolkit / "cuda.h").write_text("#define CUDA_VERSION 12040\n")
    monkeypatch.setenv("CUDA_HOME", str(toolkit.parent))
    return library


def _toolkit_is_used(library: Path) -> bool:
    root = library.parents[3]
    own = str(root / "nvidia" / "cuda_runtime" / "include")
    folders = nvrtc._header_folders(library)
    assert folders.index(own) == 0
    return str(root / "toolkit" / "include") in folders


def test_a_toolkit_has_the_headers_that_pytorchs_wheels_lack(wheel: Path) -> None:
    assert _toolkit_is_used(wheel)


def test_a_toolkit_of_another_major_version_is_not_mixed_in(wheel: Path) -> None:
    toolkit = wheel.parents[3] / "toolkit" / "include" / "cuda.h"
    toolkit.write_text("#define CUDA_VERSION 13000\n")
    assert not _toolkit_is_used(wheel)


def test_whole_wheels_need_no_toolkit(wheel: Path) -> None:
    (wheel.parents[2] / "cuda_runtime" / "include" / "crt").mkdir()
    assert not _toolkit_is_used(wheel)


# The plan.


def test_the_parts_are_there() -> None:
    for each in PARTS:
        module = importlib.import_module(f"benchmarks.gpu.parts.{each.name}")
        quick, whole = module.items(True), module.items(False)
        assert 0 < len(quick) <= len(whole)
        assert set(quick) <= set(whole) | {"add"}
        assert callable(module.measure)
        assert each.compares == hasattr(module, "reference")
        assert each.lists in ("all", "not ok")
    with pytest.raises(ValueError, match="got part 'opcode'; need one of faults, "):
        part("opcode")


def test_what_has_to_be_compared_is_among_the_items() -> None:
    def count(name: str) -> int:
        module = importlib.import_module(f"benchmarks.gpu.parts.{name}")
        return len(module.items(False))

    assert count("counters") == 12
    assert count("sanitizer") == 63
    assert count("opcodes") > 1000
    assert count("corpus") == len(list((ROOT / "tests/ptx/data").glob("*.ptx")))
    assert count("lessons") == len(list((ROOT / "notebooks").glob("*.ipynb")))
    assert count("suite") > 100


def test_the_list_and_the_page_name_every_part() -> None:
    shown = subprocess.run([RUN, "--list"], capture_output=True, text=True, check=True)
    assert [line.split()[0] for line in shown.stdout.splitlines()] == list(NAMES)
    page = report_page.PAGE.read_text()
    assert all(f"| {name} |" in page for name in NAMES)


# The archive.


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("packs what git tracks")
    folder = tmp_path / "wheels"
    folder.mkdir()
    (folder / "pytest-9.2.0-py3-none-any.whl").write_bytes(b"w" * 1000)
    return folder


def test_the_archive_has_sources_wheels_and_the_commit(wheels, tmp_path) -> None:
    archive = tmp_path / "made" / "gpu.tar.gz"
    size = packing.pack(archive, wheels)
    assert 0 < size < 6_000_000  # the sources alone
    with tarfile.open(archive) as tar:
        names = {name.removeprefix(f"{packing.NAME}/") for name in tar.getnames()}
        assert tar.getmember(f"{packing.NAME}/benchmarks/gpu/run").mode & 0o100
    assert {
        "COMMIT",
        "CMakeLists.txt",
        "wheels/pytest-9.2.0-py3-none-any.whl",
        "tests/emulator_instructions/make_expected.py",
        "tests/ptx/data/map_simple.ptx",
        "notebooks/15_gpu_puzzles.ipynb",
    } <= names
    assert not [name for name in names if name.startswith(("build", ".git/"))]


def test_a_wheel_of_one_python_is_refused(wheels, tmp_path) -> None:
    (wheels / "numpy-2.0-cp311-cp311-manylinux_2_17_x86_64.whl").touch()
    with pytest.raises(packing.PackError, match=r"got numpy-2.0-cp311.*any Python"):
        packing.pack(tmp_path / "gpu.tar.gz", wheels)


def test_an_archive_that_is_too_large_is_refused(wheels, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(packing, "LIMIT", 1000)
    with pytest.raises(packing.PackError, match="need at most 0 MB"):
        packing.pack(tmp_path / "gpu.tar.gz", wheels)


# The page.


def _result(device: str = "card", quick: bool = False) -> dict[str, object]:
    made = part("opcodes").as_json() | {"seconds": 2.0}
    made["rows"] = [
        row("integer/add.s32", "ok", wrong=0, words=32),
        row("float/ex2.f32", "differs", "at (1, 0): 3f | 40", wrong=2, words=32),
        row("wmma/m16", "skipped", "the card is sm_75, needs sm_90"),
    ]
    return {
        "device": device,
        "quick": quick,
        "machine": {"card's name": "NVIDIA H200", "driver": "580"},
        "build": row("build", "ok", seconds=70.0),
        "parts": {"opcodes": made},
    }


def test_tables_from_a_result() -> None:
    text = report_page.markdown(_result())
    assert text.startswith("Measured on a card.")
    assert "| card's name | NVIDIA H200 |" in text
    assert "**1 ok, 1 differs, 1 skipped.**" in text
    assert "- 1 skipped: the card is sm_75, needs sm_90" in text
    assert "| float/ex2.f32 | differs | 2 | 32 | at (1, 0): 3f \\| 40 |" in text
    assert "integer/add.s32" not in text  # only what is not ok is listed


@pytest.mark.parametrize(
    ("device", "quick"), [("emulator", False), ("stand-in", False), ("card", True)]
)
def test_only_a_whole_run_on_a_card_is_published(device, quick, tmp_path) -> None:
    page = tmp_path / "gpu.md"
    page.write_text(report_page.PAGE.read_text())
    before = page.read_text()
    with pytest.raises(ValueError, match="need a whole run on a card"):
        report_page.publish(_result(device, quick), page, tmp_path)
    assert page.read_text() == before


def test_a_published_result_takes_the_place_of_the_former(tmp_path) -> None:
    page = tmp_path / "gpu.md"
    page.write_text(report_page.PAGE.read_text())
    for _ in range(2):
        kept = report_page.publish(_result(), page, tmp_path)
    assert kept.name == "nvidia-h200.json"
    assert page.read_text().count("Measured on a card.") == 1
    assert "Nothing has been measured" not in page.read_text()
    assert "## How to run it" in page.read_text()


# Rehearsals.


def _rehearsed(out: Path, *words: str, **environment: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, RUN, "--python", sys.executable, "--out", out, *words],
        capture_output=True,
        text=True,
        env=_environment() | environment,
        cwd=out,
        check=False,
    )
    assert (out / "results.json").exists(), done.stdout + done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return json.loads((out / "results.json").read_text())


def _environment() -> dict[str, str]:
    return {
        name: value for name, value in os.environ.items() if "MINITORCH" not in name
    }


def _outcomes(result: dict[str, object]) -> dict[str, list[str]]:
    parts = result["parts"]
    assert isinstance(parts, dict)
    return {
        name: [made["outcome"] for made in each["rows"]] for name, each in parts.items()
    }


@pytest.mark.cuda
def test_the_hour_with_the_emulator_in_the_cards_place(tmp_path) -> None:
    words = (
        "--device",
        "emulator",
        "--quick",
        "--only",
        "faults",
        "corpus",
        "counters",
    )
    result = _rehearsed(tmp_path, *words)
    found = _outcomes(result)
    assert set(found["faults"]) == set(found["corpus"]) == {"ok"}
    assert set(found["counters"]) == {"skipped"}
    assert result["device"] == "emulator"
    assert "nothing of hardware" in str(result["claim"])
    assert (
        "**emulator** was in the card's place" in (tmp_path / "results.md").read_text()
    )


_COMPILER = shutil.which("c++")


@pytest.mark.cuda
@pytest.mark.skipif(_COMPILER is None, reason="compiles a library")
def test_the_hour_with_a_stand_in_takes_the_road_of_a_gpu(tmp_path) -> None:
    words = ("--device", "stand-in", "--quick", "--only", "faults", "overhead")
    result = _rehearsed(tmp_path, *words)
    machine = result["machine"]
    assert isinstance(machine, dict)
    assert machine["emulated"] is False
    assert machine["driver library"] == "libcuda.so.1"
    found = _outcomes(result)
    assert found["faults"] == ["ok", "ok"], result
    faults = result["parts"]["faults"]["rows"]  # type: ignore[index]
    assert {made["raises"] for made in faults} == {"KernelError device_fault"}
    assert found["overhead"].count("ok") == 3


_FAILING = """
#include "cuda_abi/work_types.h"
#define CU_FUNCTION(member, symbol, parameters) \\
  extern "C" CUresult symbol parameters { return CUDA_ERROR_UNKNOWN; }
#include "cuda_abi/driver_functions.inc"
"""


@pytest.mark.skipif(_COMPILER is None, reason="compiles a library")
def test_a_driver_that_fails_is_a_row_of_each_part(tmp_path) -> None:
    source, library = tmp_path / "failing.cpp", tmp_path / "libcuda.so.1"
    source.write_text(_FAILING)
    words = ["-std=c++20", "-shared", "-fPIC", "-w", f"-I{ROOT / 'cpp'}"]
    subprocess.run(
        [str(_COMPILER), *words, "-o", str(library), str(source)], check=True
    )
    result = _rehearsed(
        tmp_path, "--only", "faults", "suite", LD_LIBRARY_PATH=str(tmp_path)
    )
    assert _outcomes(result) == {"faults": ["failed"], "suite": ["failed"]}
    why = result["parts"]["faults"]["rows"][0]["why"]  # type: ignore[index]
    assert "CUDA_ERROR_UNKNOWN" in why
    assert "nvidia-smi" in why


def test_the_interpreter_is_told_when_it_is_too_old() -> None:
    text = RUN.read_text()
    assert text.index("sys.version_info < (3, 11)") < text.index("import main")

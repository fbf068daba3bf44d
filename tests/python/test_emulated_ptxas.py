"""The tests of what stands in the place of ptxas under `minitorch emulate`."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from minitorch.tools import emulate

from .source_tree import ROOT

PTX = ".version 6.4\n.target sm_75\n.address_size 64\n"


@pytest.fixture
def ptxas(tmp_path):
    (tmp_path / "run").mkdir()
    variables = emulate.environment(tmp_path / "run", None, os.environ)
    (path,) = {variables[name] for name in emulate.PTXAS}
    return path


def call(*words, folder):
    return subprocess.run(
        [str(word) for word in words],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=60,
    )


@pytest.mark.parametrize(
    "words",
    [
        ["in.ptx", "-o", "out.o"],
        # As Triton calls it.
        [
            "-lineinfo",
            "-v",
            "--opt-level",
            "0",
            "--gpu-name=sm_75",
            "in.ptx",
            "-o",
            "out.o",
        ],
        ["-arch", "sm_90a", "--output-file=out.o", "in.ptx"],
        ["--output-file", "out.o", "-maxrregcount", "32", "in.ptx"],
    ],
)
def test_the_ptx_is_handed_on(ptxas, tmp_path, words):
    (tmp_path / "in.ptx").write_text(PTX)
    process = call(ptxas, *words, folder=tmp_path)
    assert (process.returncode, process.stderr) == (0, "")
    assert (tmp_path / "out.o").read_text() == PTX


def test_names_may_have_spaces_and_the_output_has_ptxas_own_name(ptxas, tmp_path):
    (tmp_path / "a b.ptx").write_text(PTX)
    assert call(ptxas, "a b.ptx", folder=tmp_path).returncode == 0
    assert (tmp_path / "elf.o").read_text() == PTX


def test_the_version_is_one_that_triton_reads_and_no_real_one(ptxas, tmp_path):
    process = call(ptxas, "--version", folder=tmp_path)
    assert re.search(r".*release (\d+\.\d+).*", process.stdout)
    assert "minitorch" in process.stdout  # Triton's cache goes by this text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "got no input; need a file whose name ends in .ptx."),
        (
            ["none.ptx", "-o", "x"],
            "none.ptx, which cannot be read; need a file of PTX.",
        ),
        (["in.ptx", "in.ptx"], "got two inputs, in.ptx and in.ptx; need one."),
        (["in.ptx", "-o"], "got -o at the end; need a file behind it."),
        (["machine.ptx"], "machine.ptx, which has no .version line; need PTX."),
        (["in.ptx", "-o", "no/x"], "could not write the output no/x."),
    ],
)
def test_mistakes_are_told(ptxas, tmp_path, words, message):
    (tmp_path / "in.ptx").write_text(PTX)
    (tmp_path / "machine.ptx").write_bytes(b"\x7fELF\x02\x01\0\0")
    process = call(ptxas, *words, folder=tmp_path)
    assert process.returncode == 1
    assert process.stderr.splitlines()[-1].startswith("[emulate] ptxas: ")
    assert process.stderr.endswith(message + "\n")
    assert process.stdout == ""


def test_programs_are_told_where_it_is_whatever_they_had(monkeypatch):
    for name in (*emulate.PTXAS, "TRITON_LIBCUDA_PATH"):
        monkeypatch.setenv(name, "/theirs")
    code = (
        "import os, subprocess\n"
        f"for name in {emulate.PTXAS!r}:\n"
        "    subprocess.run([os.environ[name], '--version'], check=True)\n"
        "print(os.listdir(os.environ['TRITON_LIBCUDA_PATH']))\n"
    )
    command = [sys.executable, "-m", "minitorch", "emulate", "--"]
    process = call(*command, sys.executable, "-c", code, folder=ROOT)
    assert process.stdout.count("minitorch emulate") == 2, process.stderr
    assert "'libcuda.so.1'" in process.stdout.splitlines()[-1]

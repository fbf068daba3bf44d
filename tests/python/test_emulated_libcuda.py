"""The tests of libcuda.so.1 as `minitorch emulate` offers it to other programs.

The emulator never has NVIDIA's name itself: a library of that name, once loaded, is
what everyone in the process gets.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile

from minitorch import _core, cuda
from minitorch.tools import emulate

from .source_tree import ROOT

PROGRAM = r"""
#include <stdio.h>
int cuInit(unsigned);
int cuDeviceGetCount(int*);
int main(void) {
  int count = 0, status = cuInit(0);
  cuDeviceGetCount(&count);
  printf("%d %d\n", status, count);
  return 0;
}
"""
# Stands for NVIDIA's library: an answer that nobody could take for ours.
STAND_IN = "int cuDriverGetVersion(int* version) { *version = 4242; return 0; }"

OURS = """
import ctypes, os
import minitorch
from minitorch import cuda
def ours():
    cuda.to_device([1.0, 2.0])
    assert minitorch._core.driver_version() != 4242
def theirs():
    version = ctypes.c_int()
    ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version))
    assert version.value == 4242, version
"""

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="needs cc")


def dynamic(path, tag):
    """Values of a library's or program's dynamic entries: DT_SONAME, DT_NEEDED."""
    with path.open("rb") as file:
        section = ELFFile(file).get_section_by_name(".dynamic")
        return [
            getattr(entry, tag.lower()[3:])
            for entry in section.iter_tags()
            if entry.entry.d_tag == tag
        ]


def exported(path):
    with path.open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".dynsym").iter_symbols()
        return {each.name for each in symbols if each["st_shndx"] != "SHN_UNDEF"}


def compiled(folder, name, source, *flags):
    path = folder / name
    path.with_suffix(".c").write_text(source)
    command = ["cc", str(path.with_suffix(".c")), "-o", str(path), *flags]
    subprocess.run(command, check=True)
    return path


def run(command, **environment):
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
        env={**os.environ, **environment},
    )


EMULATE = [sys.executable, "-m", "minitorch", "emulate", "--"]


def test_only_the_linked_library_has_nvidias_name():
    (own,) = dynamic(emulate.emulator_library(), "DT_SONAME")
    (linked,) = dynamic(emulate.linked_library(), "DT_SONAME")
    assert (own, linked) == ("libminitorch_emulator.so", "libcuda.so.1")


def test_the_linked_library_has_every_function_of_the_driver():
    driver = exported(emulate.emulator_library())
    assert {name[:2] for name in driver} == {"cu", "mt"}
    assert exported(emulate.linked_library()) == {
        name for name in driver if name.startswith("cu")
    }


@needs_compiler
@pytest.mark.parametrize("flag", ["-Wl,--as-needed", "-Wl,--no-as-needed"])
def test_a_program_links_with_it_and_runs(tmp_path, flag):
    variables = emulate.environment(tmp_path, None, os.environ)
    folder = variables["LD_LIBRARY_PATH"].split(os.pathsep)[0]
    program = compiled(tmp_path, "program", PROGRAM, flag, f"-L{folder}", "-lcuda")
    # What it was linked with here works on a machine with a card, too.
    assert "libcuda.so.1" in dynamic(program, "DT_NEEDED")
    process = run([*EMULATE, str(program)])
    assert process.stdout == "0 1\n", process.stderr


@needs_compiler
def test_a_program_linked_elsewhere_runs(tmp_path):
    """With the stub of a toolkit: names of the driver, no code."""
    names = "int cuInit(void) { return 34; } int cuDeviceGetCount(void) { return 34; }"
    flags = ("-shared", "-fPIC", "-Wl,-soname,libcuda.so.1")
    compiled(tmp_path, "libcuda.so", names, *flags)
    program = compiled(tmp_path, "program", PROGRAM, f"-L{tmp_path}", "-lcuda")
    process = run([*EMULATE, str(program)])
    assert process.stdout == "0 1\n", process.stderr


@needs_compiler
@pytest.mark.parametrize("order", ["ours(); theirs()", "theirs(); ours(); theirs()"])
def test_our_emulator_is_never_taken_for_nvidias_library(tmp_path, order):
    """As PyTorch asks for it: by its name, before or after `import minitorch`."""
    flags = ("-shared", "-fPIC", "-Wl,-soname,libcuda.so.1")
    compiled(tmp_path, "libcuda.so.1", STAND_IN, *flags)
    variables = {"LD_LIBRARY_PATH": str(tmp_path), "MINITORCH_CUDA": "emulator"}
    process = run([sys.executable, "-c", OURS + order], **variables)
    assert process.returncode == 0, process.stderr


@needs_compiler
@pytest.mark.parametrize("ours_first", [True, False])
def test_a_process_has_one_emulator(tmp_path, ours_first):
    """Whether it is found by NVIDIA's name, by that of a link, or by this package."""
    flags = (
        "-shared",
        "-fPIC",
        f"-L{emulate.linked_library().parent}",
        "-l:libcuda.so.1",
    )
    library = compiled(
        tmp_path,
        "user.so",
        "int cuInit(unsigned); int go(void) { return cuInit(0); }",
        *flags,
    )
    ours = "cuda.to_device([1.0])\n"
    linked = (
        f"assert ctypes.CDLL({str(library)!r}).go() == 0\n"
        "for name in ('libcuda.so.1', 'libcuda.so'):\n"
        "    assert ctypes.CDLL(name).cuInit(0) == 0\n"
    )
    code = (
        "import ctypes\nfrom minitorch import cuda\n"
        + (ours + linked if ours_first else linked + ours)
        + "maps = [line.split()[-1] for line in open('/proc/self/maps')]\n"
        "print(len({path for path in maps if path.endswith('_emulator.so')}))\n"
        "print(len({path for path in maps if 'libcuda.so' in path}))\n"
    )
    process = run([*EMULATE, sys.executable, "-c", code])
    assert process.stdout == "1\n1\n", process.stderr


def test_without_the_emulator_it_says_so(tmp_path):
    folder = tmp_path / "alone"
    folder.mkdir()
    library = shutil.copy(emulate.linked_library(), folder)
    code = f"import ctypes; print(ctypes.CDLL({str(library)!r}).cuInit(0))"
    process = run([sys.executable, "-c", code])
    assert process.stdout == "34\n"  # CUDA_ERROR_STUB_LIBRARY
    assert "could not load the emulator" in process.stderr
    assert "libminitorch_emulator.so" in process.stderr


@pytest.mark.skipif(not cuda.is_emulated(), reason="a card's driver has its own")
def test_the_driver_is_as_new_as_the_nvrtc_here():
    kernel = cuda.RawKernel('extern "C" __global__ void k(int* x) { *x = 1; }', "k")
    (release,) = [
        line.split("release ")[1].split(",")[0]
        for line in kernel.ptx.splitlines()
        if "release " in line
    ]
    major, minor = (int(part) for part in release.split("."))
    assert _core.driver_version() >= 1000 * major + 10 * minor
    x = cuda.to_device(np.zeros(1, np.int32))
    kernel(1, 1, (x,))  # its .version is understood
    assert x.copy_to_host()[0] == 1

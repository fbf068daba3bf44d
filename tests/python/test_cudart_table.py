"""The table of our CUDA runtime library against NVIDIA's header and library."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from minitorch.tools import emulate, nvcc

from .source_tree import ROOT

TABLE = ROOT / "cpp/cudart/cudart.inc"


def toolkit() -> Path:
    try:
        return nvcc.find().resolve().parent.parent
    except nvcc.BuildError as error:
        pytest.skip(f"the header comes with nvcc: {error}")


def exported(library: Path) -> set[str]:
    elffile = pytest.importorskip("elftools.elf.elffile")
    with library.open("rb") as file:
        symbols = elffile.ELFFile(file).get_section_by_name(".dynsym")
        return {
            symbol.name
            for symbol in symbols.iter_symbols()
            if symbol["st_shndx"] != "SHN_UNDEF"
            and symbol["st_info"]["type"] == "STT_FUNC"
        }


def our_library() -> Path:
    return emulate.linked_library().with_name(emulate.RUNTIME_NAMES[0])


def facts(folder: Path, *flags: str) -> dict[str, str]:
    compiler = os.environ.get("CXX", "g++")
    if shutil.which(compiler) is None:
        pytest.skip("needs a C++ compiler")
    program = folder / "table"
    source = ROOT / "tests/cudart/table.cpp"
    includes = [*flags, f"-I{ROOT / 'cpp'}"]
    command = [compiler, "-std=c++20", "-w", *includes, source, "-o", program]
    subprocess.run(command, check=True)
    text = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return dict(line.split(" ", 1) for line in text.splitlines())


def same(ours: str, theirs: str) -> bool:
    """An address may be a number here and a pointer there."""
    pairs = list(zip(ours.split(), theirs.split(), strict=False))
    return len(ours.split()) == len(theirs.split()) and all(
        a == b or (a == "i8" and b[0] == "p") for a, b in pairs
    )


def declared(include: Path, folder: Path) -> str:
    """Copies of the tables with what this version of the header has; their folder."""
    names = ("cuda_runtime_api.h", "driver_types.h", "cuda_profiler_api.h")
    headers = [include / name for name in names if (include / name).exists()]
    known = set(re.findall(r"\w+", "".join(path.read_text() for path in headers)))
    for name in ("cudart/cudart.inc", "cuda_abi/runtime_errors.inc"):
        text = re.sub(r"//.*", "", (ROOT / "cpp" / name).read_text())
        rows = re.findall(r"CUDART\w*\([^()]*\)", text)
        rows = [row for row in rows if known & set(re.findall(r"\bcuda[A-Z]\w+", row))]
        copy = folder / name
        copy.parent.mkdir()
        copy.write_text("\n".join(rows))
    return str(folder)


def test_signatures_values_and_layouts_are_those_of_the_header(tmp_path):
    include = toolkit() / "include"
    own = facts(tmp_path)
    header = facts(
        tmp_path, "-DHEADER", f"-I{declared(include, tmp_path)}", f"-I{include}"
    )
    assert len(header) > 380
    differing = {
        name: (own[name], shape)
        for name, shape in header.items()
        if not same(own[name], shape)
    }
    assert not differing


def test_every_public_name_is_exported():
    library = next(iter(toolkit().glob("lib*/libcudart.so.13*")), None)
    if library is None:
        pytest.skip("no libcudart.so.13 beside nvcc")
    missing = exported(library) - exported(our_library())
    assert not missing


def test_the_table_and_the_library_have_the_same_names():
    text = re.sub(
        r"//.*", "", TABLE.read_text() + TABLE.with_name("absent.inc").read_text()
    )
    names = set()
    for kind, words in re.findall(r"(CUDART\w*)\(([^)]*)\)", text):
        row = [word.strip() for word in words.split(",")]
        if kind == "CUDART_PLAIN":
            names.add(row[1])
        elif kind.endswith("STREAM"):
            names |= {row[1], row[1] + row[0]}
        else:
            names.add(row[0])
    assert names == exported(our_library())


def test_the_library_needs_no_driver_and_no_other_cuda_library():
    elffile = pytest.importorskip("elftools.elf.elffile")
    with our_library().open("rb") as file:
        dynamic = elffile.ELFFile(file).get_section_by_name(".dynamic")
        needed = [tag.needed for tag in dynamic.iter_tags("DT_NEEDED")]
        (soname,) = [tag.soname for tag in dynamic.iter_tags("DT_SONAME")]
    assert soname == "libcudart.so.13"
    assert not [name for name in needed if "cuda" in name or "nv" in name]

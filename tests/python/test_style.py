"""Owns the house rules that a program can check: size, names, first lines, words."""

from __future__ import annotations

import ast
import re
import statistics
from pathlib import Path

import pytest

from .source_tree import name_of, source_files

CPP = (".h", ".cpp", ".inc")
CUDA = (".cu", ".cuh")
PYTHON = (".py",)
EVERYTHING = CPP + CUDA + PYTHON

# Longest file without a reason. A reason here says why the file is one piece. A file
# holds one idea, whole: most come out at 60 to 300 lines.
LINES = {**dict.fromkeys(CPP + PYTHON, 800), **dict.fromkeys(CUDA, 150)}
LONGER: dict[str, str] = {
    "minitorch/torch/__init__.py": "PyTorch's names, each where editors look for it",
    "tests/simt/data/mbarrier.cu": "right kernels beside their wrong twins",
}

# Shorter files have a reason, too: what is cut only to be short is read in two places.
# Headers, tables and packages' first files are short by nature, as are the topics of
# bindings/ and the passes.
FEWEST_LINES = 40
SHORTER: dict[str, str] = {
    "cpp/cuda_client/buffer.cpp": "the class of its header",
    "cpp/cuda_client/fork_stamp.cpp": "the class of its header",
    "cpp/kernels/kernels.cpp": "finds what the build embeds",
    "cpp/ptx/program.cpp": "the functions of its header",
    "cpp/simt/memory/allocation_table.cpp": "one of two classes of a header",
    "cpp/simt/memory/shared_pages.cpp": "the class of its header",
    "cpp/simt/observers/definedness/definedness.cpp": "the row of an observer",
    "cpp/simt/program/code.cpp": "the class of its header",
    "cpp/simt/program/engine.cpp": "chooses one of the instruction sets",
    "cpp/simt/warp/copies.cpp": "the function of its header",
    "minitorch/blas.py": "must load nothing",
    "minitorch/compat/numba_plugin.py": "pytest loads it by name",
    "minitorch/learn/lessons/task.py": "one kind of exercise: each has a file",
    "minitorch/cuda/arrays/lent_memory.py": "one owner of memory",
    "minitorch/cuda/compiling/debug_bools.py": "one fault of the compiler, mended",
    "minitorch/cuda/findings/finding_kinds.py": "the core's catalogue, for Python",
    "minitorch/data/digits.py": "one set of data, as the others have a file",
    "minitorch/data/progress.py": "one function for users",
    "minitorch/data/split.py": "one function for users",
    "minitorch/demo/student.py": "a program that the demo shows whole",
    "minitorch/functional/sliding.py": "below two families of functions",
    "minitorch/tensors/memory.py": "one topic of users",
    "minitorch/learn/puzzles/puzzle.py": "the type below all puzzles",
    "minitorch/tensor.py": "a name of upstream's",
    "minitorch/torch/on_host.py": "below several families of functions",
    "minitorch/torch/backends/cudnn.py": "a module that programs assign to",
    "minitorch/torch/cuda/amp.py": "an older name of torch.amp",
    "minitorch/torch/profiler.py": "the list of another package's names",
    "minitorch/torch/tensor.py": "the class; its methods are tables",
}

COLUMNS = 88
FUNCTION_LINES = 40
BANNED_STEMS = {"util", "utils", "common", "helper", "helpers", "manager", "impl"}
# Spelled so that this file does not hold them.
BANNED_WORDS = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]


def files(*suffixes: str) -> list[Path]:
    return [path for path in source_files(*suffixes) if path.read_text().strip()]


def test_files_stay_short():
    too_long = {}
    for path in files(*EVERYTHING):
        count = len(path.read_text().splitlines())
        if count > LINES[path.suffix] and name_of(path) not in LONGER:
            too_long[name_of(path)] = count
    assert not too_long


def is_short(path: Path) -> bool:
    name = name_of(path)
    library = name.startswith(("cpp/", "minitorch/")) and path.suffix in (".cpp", ".py")
    by_nature = path.stem.startswith("__") or "/passes/" in name
    few = len(path.read_text().splitlines()) < FEWEST_LINES
    return library and few and not by_nature


def test_short_files_have_a_reason():
    assert {name_of(path) for path in files(*CPP, *PYTHON) if is_short(path)} == set(
        SHORTER
    )


def test_reasons_are_still_needed():
    known = {name_of(path): path for path in files(*EVERYTHING)}
    for name in LONGER:
        path = known[name]
        assert len(path.read_text().splitlines()) > LINES[path.suffix], name


def test_the_typical_file_is_read_in_one_go():
    sizes = [len(path.read_text().splitlines()) for path in files(*EVERYTHING)]
    assert statistics.median(sizes) <= 150


def test_lines_fit():
    wide = []
    for path in files(*EVERYTHING):
        if "data" in path.parts:
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if len(line) > COLUMNS and "http" not in line:
                wide.append(f"{name_of(path)}:{number}: {len(line)} columns")
    assert not wide, "\n".join(wide)


def test_first_line_says_what_a_file_owns():
    silent = []
    for path in files(*EVERYTHING):
        if "data" in path.parts:
            continue
        first = path.read_text().splitlines()[0]
        openings = ('"""', 'r"""', "#") if path.suffix in PYTHON else ("//",)
        if not first.startswith(openings):
            silent.append(name_of(path))
    assert not silent, "\n".join(silent)


def test_file_names_say_something():
    vague = [
        name_of(path)
        for path in files(*EVERYTHING)
        if BANNED_STEMS & set(re.split(r"[_.]", path.stem))
    ]
    assert not vague


@pytest.mark.parametrize("word", BANNED_WORDS)
def test_nothing_is_left_for_later(word):
    pattern = re.compile(rf"\b{word}\b")
    found = [
        name_of(path) for path in files(*EVERYTHING) if pattern.search(path.read_text())
    ]
    assert not found


def _own_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its docstring and decorators."""
    assert node.end_lineno is not None
    count = node.end_lineno - node.lineno + 1
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        assert first.end_lineno is not None
        count -= first.end_lineno - first.lineno + 1
    return count


def test_python_functions_stay_short():
    long = []
    for path in files(*PYTHON):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                count = _own_lines(node)
                if count > FUNCTION_LINES:
                    long.append(f"{name_of(path)}:{node.lineno} {node.name}: {count}")
    assert not long, "\n".join(long)

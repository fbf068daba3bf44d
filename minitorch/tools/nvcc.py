"""Find nvcc, and build CUDA C++ programs once for each content of their files."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

MAJOR = 13  # of the runtime library that programs find here

HOW_TO_GET = (
    f"Get it with: pip install 'minitorch-cuda[nvcc]'; or install CUDA Toolkit {MAJOR} "
    "and add its bin folder to PATH"
)

SOURCES = (".cu", ".cpp", ".cc", ".cxx", ".c", ".o", ".a")

# Options of nvcc whose value is the next word.
_WITH_VALUE = {
    "-I", "-D", "-L", "-l", "-include", "-isystem", "-std", "--std", "-arch", "-code",
    "-cudart", "--cudart", "-default-stream", "--default-stream", "-dopt", "-t", "-x",
    "-gencode", "-Xcompiler", "-Xptxas", "-Xlinker", "-ccbin", "-maxrregcount",
}  # fmt: skip
_CHOOSES_CARD = ("-arch", "-gencode", "--gpu-architecture", "--generate-code")

# Programs in the cache that are this old, in seconds, go once there are so many.
_KEPT_SECONDS, _KEPT = 3600, 64


class BuildError(Exception):
    """Why there is no program; the text ends with one sentence for the user."""


class MissingError(BuildError):
    """There is no compiler; the text says how to get it."""


@dataclass
class Words:
    """What the words of a command line mean.

    Args:
        sources: files to compile and link.
        options: for nvcc.
        arguments: of the program.
    """

    sources: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)


def parse_words(words: Sequence[str]) -> Words:
    """Divide `[OPTIONS] FILES [OPTIONS] [--] [ARGUMENTS]`.

    Example:
        >>> parse_words(["-I", "include", "a.cu", "b.cu", "100"])
        Words(sources=['a.cu', 'b.cu'], options=['-I', 'include'], arguments=['100'])
    """
    found = Words()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            break
        if word in _WITH_VALUE and rest:
            found.options += [word, rest.pop(0)]
        elif word.startswith("-"):
            found.options.append(word)
        elif word.endswith(SOURCES):
            found.sources.append(word)
        else:
            rest.insert(0, word)
            break
    found.arguments = rest
    return found


def find() -> Path:
    """The first nvcc of the right version: in PATH, in a toolkit, or from PyPI.

    Raises:
        MissingError: there is none.
    """
    wrong = None
    for path in _candidates():
        version = _version(path)
        if version and version[0] == MAJOR:
            return path
        if version and wrong is None:
            wrong = f"got nvcc {version[0]}.{version[1]} ({path}); need {MAJOR}"
    raise MissingError(
        f"[nvcc] {wrong or f'nvcc was not found; need version {MAJOR}'}. {HOW_TO_GET}."
    )


def _candidates() -> Iterator[Path]:
    in_path = shutil.which("nvcc")
    if in_path:
        yield Path(in_path)
    folders = [os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH")]
    for folder in (*folders, "/usr/local/cuda"):
        if folder and Path(folder, "bin", "nvcc").is_file():
            yield Path(folder, "bin", "nvcc")
    spec = importlib.util.find_spec("nvidia")
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder, f"cu{MAJOR}", "bin", "nvcc")
        if path.is_file():
            yield path


def _version(nvcc: Path) -> tuple[int, int] | None:
    try:
        text = subprocess.run(
            [nvcc, "--version"], capture_output=True, text=True, check=False
        ).stdout
    except OSError:
        return None
    found = re.search(r"release (\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else None


def build(
    words: Words,
    flags: Sequence[str],
    link_flags: Sequence[str],
    capability: str,
    cache: Path | None,
) -> Path:
    """Compile and link, unless the cache has the program of the same files.

    Args:
        words: sources and options.
        flags: more options for nvcc.
        link_flags: more options for linking, on which the program does not depend.
        capability: PTX for this compute capability, as in "75", or "native" for the
            card of this machine; options that name a card win.
        cache: folder for programs; None builds in a temporary one.

    Returns:
        the program.

    Raises:
        BuildError: nvcc or a host compiler is missing, or it does not compile; the
            text begins with what nvcc had to say.
    """
    for source in words.sources:
        if not Path(source).is_file():
            raise BuildError(f"[nvcc] '{source}' does not exist.")
    nvcc = find()
    _check_host_compiler(words.options)
    flags = [*flags, "-g", *words.options]
    if "-G" not in words.options:  # which has more than lines
        flags.insert(0, "-lineinfo")
    if not any(word.startswith(_CHOOSES_CARD) for word in words.options):
        flags += (
            ["-arch=native"]
            if capability == "native"
            else ["-gencode", f"arch=compute_{capability},code=compute_{capability}"]
        )
    folder = Path(cache or tempfile.gettempdir(), "programs")
    folder.mkdir(parents=True, exist_ok=True)
    key = _key(nvcc, flags, _files_read(nvcc, flags, words.sources))
    program = folder / key / Path(words.sources[0]).stem
    if not program.is_file():
        _remove_old_programs(folder)
        with tempfile.TemporaryDirectory(dir=folder) as name:  # two builds never meet
            draft = Path(name, "draft")
            draft.mkdir()
            target = ["-o", str(draft / program.name)]
            _output_of([str(nvcc), *flags, *link_flags, *words.sources, *target])
            with contextlib.suppress(OSError):  # the other build was first
                draft.rename(program.parent)
    os.utime(program.parent)
    return program


def _check_host_compiler(options: Sequence[str]) -> None:
    named = any(word.startswith(("-ccbin", "--compiler-bindir")) for word in options)
    if not named and "NVCC_CCBIN" not in os.environ and shutil.which("g++") is None:
        raise MissingError(
            "[nvcc] nvcc needs a C++ compiler for host code, and g++ is not on PATH. "
            "Install one (apt install g++), or name one: -ccbin /path/to/g++."
        )


def _output_of(command: Sequence[str]) -> str:
    """Run nvcc; return what it prints, and pass on its warnings."""
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode != 0:
        raise BuildError(
            f"{done.stdout}{done.stderr}[nvcc] the program does not compile (exit "
            f"status {done.returncode})."
        )
    sys.stderr.write(done.stderr)  # a notebook's, too
    return done.stdout


def _files_read(
    nvcc: Path, flags: Sequence[str], sources: Sequence[str]
) -> Iterator[str]:
    """Yield the files that are built, and those that they include, by their paths.

    Those of the toolkit and the system are left out.
    """
    yield from sources
    toolkit = str(nvcc.resolve().parent.parent)
    texts = [source for source in sources if not source.endswith((".o", ".a"))]
    rules = _output_of([str(nvcc), *flags, "-M", *texts]) if texts else ""
    for rule in rules.replace("\\\n", " ").splitlines():
        for name in re.findall(r"(?:\\ |\S)+", rule.partition(" : ")[2]):
            path = name.replace("\\ ", " ")
            if not os.path.realpath(path).startswith((toolkit, "/usr/")):
                yield path


def _key(nvcc: Path, flags: Sequence[str], files: Iterable[str]) -> str:
    """Return a digest of all that a program depends on."""
    variables = ("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CPATH")
    parts = [
        str(nvcc),
        str(nvcc.stat().st_mtime_ns),
        [os.environ.get(name) for name in variables],
        list(flags),
        [
            (os.path.abspath(file), hashlib.sha256(Path(file).read_bytes()).hexdigest())
            for file in files
        ],
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def _remove_old_programs(folder: Path) -> None:
    programs = [path for path in folder.iterdir() if path.is_dir()]
    if len(programs) <= _KEPT:
        return
    for path in programs:
        if time.time() - path.stat().st_mtime > _KEPT_SECONDS:
            shutil.rmtree(path, ignore_errors=True)

"""Compile programs in CUDA C++ and run them, with or without a GPU."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import emulate, nvcc


def is_cuda_cpp(words: Sequence[str]) -> bool:
    """Is there a .cu file to compile among the words before `--`?"""
    own = words[: words.index("--")] if "--" in words else words
    return bool(own) and any(
        word.endswith(".cu") for word in nvcc.parse_words(own).sources
    )


def command(words: Sequence[str], on_gpu: bool = False) -> list[str]:
    """Compile what the words name, and return what to execute: program and arguments.

    Args:
        words: `[options for nvcc] files [--] [arguments]`.
        on_gpu: for the card of this machine and NVIDIA's runtime library.

    Raises:
        BuildError: there is no program.
    """
    from .. import _core

    own = nvcc.parse_words(words)
    cache = _core.cache_directory()
    folder = Path(cache) if cache else None
    if on_gpu:
        return [str(nvcc.build(own, [], [], "native", folder)), *own.arguments]
    card = _core.card(os.environ.get("MINITORCH_EMULATED_GPU") or "t4")
    major, minor = card["compute"]
    with tempfile.TemporaryDirectory(prefix="minitorch-link-") as name:
        runtime = emulate.linked_library().with_name(emulate.RUNTIME_NAMES[0])
        link = Path(name, emulate.RUNTIME_NAMES[1])  # PyPI's nvcc has none
        link.symlink_to(runtime)
        shared = ["-cudart", "shared"]
        program = nvcc.build(own, shared, [f"-L{name}"], f"{major}{minor}", folder)
    return [str(program), *own.arguments]


def run(words: Sequence[str], ignored: Sequence[str] = ()) -> int:
    """Run a program on the GPU, or on the emulator where there is none.

    Returns:
        its exit status.
    """
    from .. import _core

    on_gpu = not _core.is_emulated()
    own = command(words, on_gpu) if is_cuda_cpp(words) else _without_dashes(words)
    if not on_gpu:
        return emulate.emulate(own, ignored, where="run")
    sys.stdout.flush()
    os.execvp(own[0], list(own))


def check(words: Sequence[str], as_json: bool, ignored: Sequence[str] = ()) -> int:
    """Compile a program if it is CUDA C++, and check it on the emulator.

    Returns:
        as `emulate.check`.
    """
    own = command(words) if is_cuda_cpp(words) else _without_dashes(words)
    return emulate.check(own, as_json, ignored)


def _without_dashes(words: Sequence[str]) -> Sequence[str]:
    return words[1:] if words[0] == "--" else words

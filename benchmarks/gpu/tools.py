"""Owns finding and running NVIDIA's tools (ncu, compute-sanitizer), if they are there.

Must not know what is run under them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from .supervise import stop


def _folders() -> Iterator[Path]:
    for name in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(name):
            yield Path(os.environ[name]) / "bin"
    yield Path("/usr/local/cuda/bin")
    yield from sorted(Path("/opt/nvidia/nsight-compute").glob("*"), reverse=True)


def find_tool(name: str) -> str | None:
    """The path of a tool: on PATH, of CUDA_HOME, of the usual places; else None."""
    found = shutil.which(name)
    if found:
        return found
    places = (folder / name for folder in _folders())
    return next((str(each) for each in places if os.access(each, os.X_OK)), None)


def under(tool: Sequence[str], module: str, *words: str, seconds: float) -> str | None:
    """Run `python -m module words` under a tool; None when it does not end in time.

    Returns:
        What it wrote, both streams together.
    """
    with subprocess.Popen(
        [*tool, sys.executable, "-m", module, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.poll() is None:
                stop(process)
    return output

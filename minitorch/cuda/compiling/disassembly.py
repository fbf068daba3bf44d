"""Disassemble machine code with NVIDIA's tools."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from ... import _core

_TOOLS = {"nvdisasm": ["-c"], "cuobjdump": ["-sass"]}


def sass_of(kernel: _core.RawKernel) -> str:
    """Disassemble the machine code of a kernel for the device's GPU.

    Args:
        kernel: The core's kernel.

    Raises:
        RuntimeError: Neither nvdisasm nor cuobjdump is on the PATH, or it fails.
    """
    tool = next((name for name in _TOOLS if shutil.which(name)), None)
    if tool is None:
        raise RuntimeError(
            "[inspect_sass] neither nvdisasm nor cuobjdump is on the PATH. Install "
            "the CUDA Toolkit, or run: pip install nvidia-cuda-nvdisasm."
        )
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder, "kernel.cubin")
        image.write_bytes(_core.machine_code(kernel, ""))
        done = subprocess.run(
            [tool, *_TOOLS[tool], str(image)],
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode != 0:
        raise RuntimeError(f"[inspect_sass] {tool} failed: {done.stderr.strip()}")
    return done.stdout

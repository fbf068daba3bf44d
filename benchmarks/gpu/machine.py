"""Owns the facts about a machine that a result is worthless without."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from .place import ROOT
from .tools import find_tool

_CARD_FIELDS = (
    "name",
    "driver_version",
    "memory.total",
    "clocks.max.sm",
    "clocks.max.mem",
    "power.limit",
    "ecc.mode.current",
    "compute_cap",
)

# What the library and its neighbours say; in a process of its own, which may fail.
_LIBRARY = """
import json
from minitorch import _core, cuda
facts = {"device": cuda.device_name(), "emulated": cuda.is_emulated(),
         "compute capability": "%d.%d" % divmod(_core.compute_capability(), 10),
         "driver library": _core.driver_library(),
         "driver's CUDA": _core.driver_version()}
try:
    facts["NVRTC"] = "%s, %s" % (_core.nvrtc_version(), _core.nvrtc_location()[0])
except Exception as error:
    facts["NVRTC"] = str(error)
print(json.dumps(facts))
"""
_TORCH = """
import json, torch
print(json.dumps({"PyTorch": torch.__version__, "PyTorch's CUDA": torch.version.cuda}))
"""


def _said(command: Sequence[str], seconds: float = 60) -> str:
    """What a command prints; "" when it fails or is not there."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def _card() -> dict[str, str]:
    query = "--query-gpu=" + ",".join(_CARD_FIELDS)
    lines = _said(["nvidia-smi", query, "--format=csv,noheader"]).splitlines()
    if not lines:
        return {"nvidia-smi": "not found, or no card"}
    values = [value.strip() for value in lines[0].split(",")]
    facts = {f"card's {k}": v for k, v in zip(_CARD_FIELDS, values, strict=False)}
    return facts | {"cards": str(len(lines))}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    named = (line.split(":", 1)[1].strip() for line in lines if "model name" in line)
    return next(named, platform.processor())


def _commit() -> str:
    """The commit of these sources: from git, or as `pack` wrote it down."""
    written = ROOT / "COMMIT"
    if written.exists():
        return written.read_text().strip()
    commit = _said(["git", "-C", str(ROOT), "rev-parse", "HEAD"])
    changed = _said(["git", "-C", str(ROOT), "status", "--porcelain", "-uno"])
    return commit + (", with changes" if changed else "")


def _version(tool: str) -> str:
    path = find_tool(tool)
    lines = _said([path, "--version"]).splitlines() if path else []
    told = [line for line in lines if any(c.isdigit() for c in line)]
    return told[-1] if told else "not found"


def _asked(python: str, script: str, environment: dict[str, str]) -> dict[str, str]:
    """What a script says of itself as JSON, or its last line of complaint."""
    done = subprocess.run(
        [python, "-c", script],
        capture_output=True,
        text=True,
        env=environment,
        cwd=ROOT,
        check=False,
    )
    if done.returncode == 0:
        return dict(json.loads(done.stdout.splitlines()[-1]))
    complaint = done.stderr.strip().splitlines() or ["no reason given"]
    return {"complaint": complaint[-1]}


def facts(python: str, environment: dict[str, str]) -> dict[str, str]:
    """Everything about this machine.

    Args:
        python: the interpreter that has the library.
        environment: its environment, with the device that is measured.
    """
    torch = _asked(python, _TORCH, environment)
    library = _asked(python, _LIBRARY, environment)
    return {
        "commit": _commit(),
        "system": platform.platform(),
        "processor": _processor(),
        "processors": str(len(os.sched_getaffinity(0))),
        "python": sys.version.split()[0],
        **_card(),
        **{f"{tool}": _version(tool) for tool in ("nvcc", "ncu", "compute-sanitizer")},
        "PyTorch": torch.get("PyTorch", "not here"),
        "PyTorch's CUDA": torch.get("PyTorch's CUDA", "") or "",
        **library,
    }

"""`minitorch doctor`: report on this machine, with advice. Never raises."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from .. import _core
from ..cuda.device.nvrtc import INSTALL_ADVICE, locate


@dataclass(frozen=True)
class Line:
    """A fact, and advice on what to do ("" if nothing is wrong)."""

    name: str
    value: str
    advice: str = ""


def _version_text(number: int, minor_unit: int) -> str:
    return f"{number // 1000}.{number % 1000 // minor_unit}"


def _version() -> Iterator[Line]:
    yield Line("minitorch-cuda", metadata.version("minitorch-cuda"))


def _system() -> Iterator[Line]:
    yield Line("python", f"{platform.python_version()} ({sys.executable})")
    yield Line("machine", f"{platform.platform()}, {os.cpu_count()} processors")


def _device() -> Iterator[Line]:
    wanted = os.environ.get("MINITORCH_CUDA", "auto")
    profile = os.environ.get("MINITORCH_EMULATED_GPU", "t4")
    yield Line("settings", f"MINITORCH_CUDA={wanted} MINITORCH_EMULATED_GPU={profile}")
    if not _core.cuda_available():
        yield Line(
            "device",
            "none: there is no GPU, and the emulator's library is missing",
            "Reinstall minitorch-cuda: libminitorch_emulator.so is part of it.",
        )
        return
    capability = "{}.{}".format(*divmod(_core.compute_capability(), 10))
    yield Line("device", f"{_core.device_name()}, compute capability {capability}")
    driver = _version_text(_core.driver_version(), 10)
    yield Line("driver", f"{_core.driver_library()} (CUDA {driver})")
    if _core.is_emulated():
        advice = "" if wanted == "emulator" else _gpu_advice()
        yield Line("emulated profile", profile, advice)


def _gpu_advice() -> str:
    """Return why no GPU is used, if the machine has one."""
    if not Path("/proc/driver/nvidia").exists() and not Path("/dev/nvidia0").exists():
        return ""
    return (
        "This machine has an NVIDIA card, but its driver cannot be loaded. In a "
        "container, start it with access to the GPU (--gpus all)."
    )


def _nvrtc_advice(version: int) -> str:
    """Return advice if the compiler is newer than a real card's driver."""
    if not _core.cuda_available() or _core.is_emulated():
        return ""
    driver = _core.driver_version() // 1000
    if version // 1000 <= driver:
        return ""
    return (
        f"NVRTC {version // 1000} is newer than the driver (CUDA {driver}): "
        f"pip install 'minitorch-cuda[nvrtc{driver}]'"
    )


def _nvrtc() -> Iterator[Line]:
    library, folders = locate()
    if not library:
        yield Line("nvrtc", "not found", INSTALL_ADVICE)
        return
    library, folders = _core.nvrtc_location()
    version = _core.nvrtc_version()
    advice = _nvrtc_advice(version)
    yield Line("nvrtc", f"{_version_text(version, 1)}, {library}", advice)
    yield Line("headers", ", ".join(folders) or "none")


def _cache() -> Iterator[Line]:
    folder = _core.cache_directory()
    if not folder:
        yield Line(
            "kernel cache",
            "none",
            "Each process compiles its kernels again; set MINITORCH_CACHE_DIR.",
        )
        return
    advice = ""
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        advice = f"It cannot be written ({error.strerror}); set MINITORCH_CACHE_DIR."
    yield Line("kernel cache", folder, advice)


def _blas() -> Iterator[Line]:
    yield Line("blas", _core.blas_library())


_PARTS: tuple[Callable[[], Iterator[Line]], ...] = (
    _version,
    _system,
    _device,
    _nvrtc,
    _cache,
    _blas,
)


def _guarded(part: Callable[[], Iterator[Line]]) -> list[Line]:
    """Return the lines of `part`; an exception becomes its last line."""
    lines: list[Line] = []
    try:
        lines.extend(part())
    except Exception as error:
        name = part.__name__.strip("_")
        lines.append(Line(name, f"{type(error).__name__}: {error}", "See the message."))
    return lines


def lines() -> list[Line]:
    """Return all lines in order; never raises."""
    return [line for part in _PARTS for line in _guarded(part)]


def summary() -> str:
    """Return the version, the device, and each problem with advice, as text."""
    return _text([
        line
        for line in lines()
        if line.advice or line.name in ("minitorch-cuda", "device")
    ])  # fmt: skip


def report() -> str:
    """Return all that was found as text, each problem with one sentence of advice."""
    return _text(lines())


def _text(facts: list[Line]) -> str:
    width = max(len(line.name) for line in facts)
    rows = []
    for line in facts:
        rows.append(f"{line.name:<{width}}  {line.value}")
        if line.advice:
            rows.append(f"{'':<{width}}  -> {line.advice}")
    problems = sum(1 for line in facts if line.advice)
    rows.append("")
    counted = "1 problem" if problems == 1 else f"{problems or 'No'} problems"
    rows.append(f"{counted} found.")
    return "\n".join(rows)

"""What the demo runs on: names, and advice where something is missing."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from pathlib import Path

from minitorch import cuda
from minitorch.cuda.device.nvrtc import INSTALL_ADVICE, locate

_EMULATED = " (emulated by minitorch)"


class MissingError(RuntimeError):
    """Something that the demo needs is missing; the message says what."""


@dataclass(frozen=True)
class Machine:
    """The names of the processor and of the card that device `cuda` is."""

    processor: str
    card: str
    emulated: bool

    @property
    def device(self) -> str:
        """Device `cuda` in a sentence."""
        return f"an emulated {self.card}" if self.emulated else f"the GPU ({self.card})"


def _processor() -> str:
    """The processor's name; where the system does not tell it, its kind."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        lines = []
    named = (line.split(":", 1)[1].strip() for line in lines if "model name" in line)
    return next(named, "") or platform.machine()


def this_machine() -> Machine:
    """What this process runs on."""
    name = cuda.device_name()
    card = name.removesuffix(_EMULATED)
    return Machine(_processor(), card, cuda.is_emulated())


def require(page: Path) -> None:
    """Refuse to start where the demo could not end.

    Raises:
        MissingError: There is no device or no compiler for kernels.
        OSError: The page cannot be written.
    """
    if not cuda.is_available():
        raise MissingError(
            "[demo] there is no GPU, and the emulator's library is missing. Reinstall "
            "minitorch-cuda: libminitorch_emulator.so is part of it."
        )
    if not locate()[0]:
        raise MissingError(f"[demo] {INSTALL_ADVICE}")
    existed = page.exists()
    try:
        page.open("a").close()
    except OSError as error:
        raise OSError(
            f"[demo] {page.absolute()} cannot be written ({error.strerror}); need a "
            "writable folder. Go to one (cd) and run python -m examples.demo."
        ) from error
    if not existed:
        page.unlink()

"""Add measured multiprocessors to the kernels of an explanation."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ..cuda.inspecting.places import PlacedLaunch
from .records import Gpu, Kernel


def placed(
    kernels: Sequence[Kernel], launches: Sequence[PlacedLaunch], gpu: Gpu
) -> tuple[Kernel, ...]:
    """Return the kernels with the measured multiprocessors of their blocks.

    Nothing that was counted changes: the run that noted the places was another one.

    Args:
        kernels: of the counted run. launches: of the other, in the same order.

    Raises:
        RuntimeError: the two runs launched different things.
    """
    expected = [(entry.name, entry.grid, entry.block) for entry in kernels]
    actual = [(entry.kernel, entry.grid, entry.block) for entry in launches]
    if actual != expected:
        raise RuntimeError(
            "[explain] places='measured' runs the call twice, and the runs differ: "
            f"{len(expected)} launches, then {len(actual)}, or other kernels. The call "
            "must do the same each time."
        )
    pairs = zip(kernels, launches, strict=True)
    return tuple(_placed(kernel, launch, gpu) for kernel, launch in pairs)


def _placed(kernel: Kernel, launch: PlacedLaunch, gpu: Gpu) -> Kernel:
    if launch.why:
        words = f"b mod {gpu.sms}, modelled: {launch.why}"
        return dataclasses.replace(kernel, sm_of_block=words)
    return dataclasses.replace(
        kernel,
        sms_used=len(set(launch.sm.tolist())),
        sm_of_block="the emulator's" if launch.emulated else "measured",
        noted_places=tuple(enumerate(launch.sm.tolist())),
        seconds=launch.seconds,
    )

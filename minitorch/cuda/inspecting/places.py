"""`cuda.record_places`: on which multiprocessor, and when, each block ran."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import _core
from ..tracebacks import learner_frames, learner_methods

Triple = tuple[int, int, int]


@learner_methods
@dataclass(frozen=True, eq=False)
class PlacedLaunch:
    """One launch, with the multiprocessor of each of its blocks.

    The three arrays are in the order of the blocks: x first, then y, then z.

    Attributes:
        kernel: its name; file: such as "matmul_tiled.cu".
        grid, block: the shape.
        library: whether it is one of minitorch's own.
        sm: the number of each block's multiprocessor, uint32.
        begin_ns, end_ns: when its first thread entered and left the kernel's body,
            in nanoseconds of the device's timer, uint64; end_ns is 0 where it left by
            an `exit` in assembly.
        why: "", or why there is no note of this launch; then the arrays are empty.
        emulated: whether the emulator ran it.
    """

    kernel: str
    file: str
    grid: Triple
    block: Triple
    library: bool
    sm: npt.NDArray[np.uint32]
    begin_ns: npt.NDArray[np.uint64]
    end_ns: npt.NDArray[np.uint64]
    why: str
    emulated: bool

    @property
    def seconds(self) -> float | None:
        """Seconds from the first block's start to the last one's end, on a GPU.

        It goes in steps of the timer, see `PlaceRecording.timer_step_ns`, and the
        kernel's own notes are in it. None where a time is missing, and on the
        emulator: its timer is this computer's, which tells nothing of a card.
        """
        if self.emulated or not self.sm.size or not self.end_ns.all():
            return None
        return int(self.end_ns.max() - self.begin_ns.min()) * 1e-9

    def __repr__(self) -> str:
        if self.why:
            return f"PlacedLaunch({self.kernel}: no places, {self.why})"
        busy = np.unique(self.sm).size
        return f"PlacedLaunch({self.kernel}: {self.sm.size} blocks on {busy} SMs)"


@learner_methods
class PlaceRecording:
    """Launches of a thread within `with cuda.record_places() as run:`."""

    def __init__(self) -> None:
        self._core: _core.PlaceRecording | None = None
        self._launches: tuple[PlacedLaunch, ...] = ()
        self._ended = False

    def __enter__(self) -> PlaceRecording:
        if self._core is not None:
            raise RuntimeError(
                "[record_places] a recording can be entered only once. Call "
                "record_places() again."
            )
        self._core = _core.PlaceRecording.open()
        return self

    def __exit__(
        self, kind: object, error: BaseException | None, traceback: object
    ) -> None:
        assert self._core is not None
        self._ended = True
        self._core.close(quiet=error is not None)
        emulated = _core.is_emulated()
        self._launches = tuple(
            PlacedLaunch(**row, emulated=emulated) for row in self._core.launches()
        )

    @property
    def launches(self) -> tuple[PlacedLaunch, ...]:
        """All launches, in order; none if the block ended with an error.

        Raises:
            RuntimeError: the block has not ended.
        """
        if not self._ended:
            raise RuntimeError(
                "[record_places] launches are available only after the `with` block "
                "has ended."
            )
        return self._launches

    @property
    def timer_step_ns(self) -> int:
        """Resolution of the device's timer as a kernel sees it, measured now.

        Times are not known better than this: two blocks may begin in the same step.
        """
        step: Any = _core.timer_step()
        return int(step)

    def __repr__(self) -> str:
        if not self._ended:
            return "PlaceRecording(has not ended)"
        return f"PlaceRecording({len(self._launches)} launches)"


@learner_frames
def record_places() -> PlaceRecording:
    """Record which multiprocessor each block of this thread's launches runs on.

    Within the `with` block kernels are compiled once more, with a guard first in their
    bodies: the first thread of each block notes the registers %smid and %globaltimer.
    Results are the same. The library's kernels and your own, in CUDA C++ or Python, can
    be recorded, on a GPU and on the emulator, where block b has multiprocessor b
    modulo their number. On a GPU the card decides, and decides anew in each run.

    Some launches run as always, and their `why` says the reason: a kernel that came as
    PTX, whose text no guard fits into (its head is a macro's, or in a header), or whose
    module has variables; launches that `cuda.inspect` records meanwhile, or beyond
    8,388,608 blocks. Replays of graphs are not seen.

    Returns:
        An object whose `launches` have the places, after the block.

    Raises:
        RuntimeError: on entry, within another recording of this thread.
        GraphCaptureError: on entry, within a capture.
        KernelError: at the end, for a fault of a launch.

    Kernel: timer_step.cu, grid (1,), block (1,), for `timer_step_ns`.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda
        >>> double = cuda.RawKernel(
        ...     "__global__ void twice(float* x) { x[blockIdx.x] *= 2; }", "twice")
        >>> x = cuda.to_device(np.ones(64, np.float32))
        >>> with cuda.record_places() as run:
        ...     double[64, 1](x)
        >>> launch = run.launches[0]
        >>> launch.kernel, launch.sm.size
        ('twice', 64)
        >>> bool((launch.begin_ns <= launch.end_ns).all())
        True
    """
    return PlaceRecording()

"""`cuda.inspect`: findings, counters and traces of launches."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, Literal

import numpy as np

from ... import _core
from ..compiling.kernel_files import file_of_kernel
from ..device.device import check_level
from ..errors import Coordinates, CudaError, KernelError, finding_from, original_line
from ..launching.arguments import Argument, arguments_of
from ..launching.launch_data import RecordedLaunch
from ..launching.launch_notes import Note, NoteBook, close_book, open_book
from ..pictures import picture_of
from ..tracebacks import learner_frames, learner_methods
from .counters import Counters, by_original_line
from .roofline import Roofline, roofline
from .trace import Blocks, Numbers, Trace, trace_filter

# The library's own kernels, in their traces.
_FOLDER = "/minitorch/kernels/"


def _library_array(fields: dict[str, Any]) -> Argument:
    """Return an array argument of a kernel of the library."""
    # NumPy has no bfloat16: its bits.
    name = fields["dtype"].replace("bfloat16", "uint16")
    dtype = np.dtype(name)
    strides = tuple(step * dtype.itemsize for step in fields["strides"])
    region = fields["address"], tuple(fields["shape"]), strides, dtype
    return Argument(fields["parameter"], None, *region)


@learner_methods
class Launch:
    """One launch: its configuration, findings and counters.

    Attributes:
        kernel: name of the kernel.
        grid, block: its shape, (x, y, z).
        shared_bytes: shared memory of a block, declared and dynamic.
        stream: a number that tells streams apart; 0: the default stream.
        launch_site: the Python line that launched it ("train.py:12"), or "".
        time: seconds it ran on the emulator's host.
        library: whether it is a kernel of minitorch itself.
        sm_count, blocks_per_sm: block number b ran on multiprocessor b % sm_count of
            the emulated card, which holds blocks_per_sm at once.
        number: the number of what was queued, as recordings and profiles have it.
        arguments: of a traced launch, with what its arrays held before (see
            `Argument`), and of a launch of minitorch itself its arrays, without that;
            () where they are not known.
    """

    def __init__(
        self,
        core: _core.InspectedLaunch | RecordedLaunch,
        counters: bool,
        trace: bool,
        notes: NoteBook,
    ) -> None:
        self._core = core
        self._wanted = (counters, trace)
        self._facts: dict[str, Any] = core.facts()
        self._note: Note | None = notes.take(self._facts)
        self.arguments: tuple[Argument, ...] = ()
        if self._note is not None:
            self.arguments = self._note.arguments
        elif self._facts["library"]:
            self.arguments = tuple(map(_library_array, core.arrays()))
        self.kernel: str = self._facts["kernel"]
        self.grid: Coordinates = self._facts["grid"]
        self.block: Coordinates = self._facts["block"]
        self.shared_bytes: int = self._facts["shared_bytes"]
        self.stream: int = self._facts["stream"]
        self.launch_site: str = self._facts["launch_site"]
        self.time: float = self._facts["nanoseconds"] / 1e9
        self.library: bool = self._facts["library"]
        self.sm_count: int = self._facts["sm_count"]
        self.blocks_per_sm: int = self._facts["blocks_per_sm"]
        self.number: int = self._facts.get("launch", 0)

    @cached_property
    def source(self) -> str:
        """Source that the author wrote, or "": CUDA C++, or a Python file.

        The lines of the trace and of the counters are lines of it, except those of
        headers and of device functions in other files.
        """
        if self.library:
            return str(self._core.kernel().get("source", ""))
        return self._note.launched.source() if self._note else ""

    @cached_property
    def source_file(self) -> str:
        """File of the kernel itself, as `trace.file` names it, or ""."""
        if self.library:
            return _FOLDER + str(self._core.kernel().get("file", ""))
        if self._note is None:
            return ""
        file = file_of_kernel(self._note.launched.ptx(), self.kernel)
        original = original_line(self._facts["owner"], (file, 1))
        return original[0] if original else file

    @cached_property
    def ptx(self) -> str:
        """PTX that ran, whose lines the trace names; "" for library kernels."""
        return self._note.launched.ptx() if self._note else ""

    @cached_property
    def arrays(self) -> tuple[Argument, ...]:
        """Array arguments, traced or not, without `before`."""
        if self.library or self._note is None:
            return self.arguments
        launched = self._note.launched
        arguments = arguments_of(launched.names, launched.values, room=0)
        return tuple(argument for argument in arguments if argument.is_array)

    @property
    def debug(self) -> bool:
        """Whether a debug build ran, in which variables keep their names."""
        return self._note is not None and self._note.launched.debug

    @cached_property
    def findings(self) -> list[KernelError]:
        """Findings of the checks: errors, warnings and notes, as `KernelError`s.

        They are not raised; `severity` tells them apart.
        """
        results = [finding_from(fields) for fields in self._core.findings()]
        return [KernelError(finding.message, finding) for finding in results]

    @property
    @learner_frames
    def counters(self) -> Counters:
        """Counters by name, in total and by line.

        Raises:
            ValueError: the inspection was made with counters=False.
        """
        return self._counters

    @cached_property
    def _counters(self) -> Counters:
        values = self._core.counters() if self._wanted[0] else None
        if values is None:
            raise ValueError(
                "[inspect] counters are not available: nothing was counted. Use "
                "cuda.inspect(counters=True)."
            )
        owner = self._facts["owner"]
        return Counters(values, by_original_line(owner, self._core.line_counters()))

    @property
    @learner_frames
    def trace(self) -> Trace:
        """Trace of every instruction of every warp.

        Raises:
            ValueError: the inspection was made with trace=False.
        """
        return self._trace

    @cached_property
    def _trace(self) -> Trace:
        if not self._wanted[1]:
            raise ValueError(
                "[inspect] no trace was recorded. Use cuda.inspect(trace=True)."
            )
        if self._core.trace_columns() is None:
            raise ValueError(
                "[inspect] this launch was not traced. Add its number to "
                "trace_launches."
            )
        return Trace(self._core, self._facts, self._note)

    @property
    @learner_frames
    def footprint(self) -> dict[str, int]:
        """Distinct 32-byte sectors of global memory: "read", "written", "either".

        However often it is touched, a sector counts once. Atomics read and write.
        32 bytes for each sector is the least that must come from somewhere outside of
        the multiprocessors' caches and go back; the counters' sectors are what was
        asked for.

        Raises:
            ValueError: the inspection was made with footprint=False.

        Example:
            >>> import numpy as np
            >>> from minitorch import cuda
            >>> rotate = cuda.RawKernel('''__global__ void rotate(int* x, int n) {
            ...   int i = threadIdx.x;
            ...   int value = x[i] + x[(i + 1) % n];
            ...   __syncthreads();
            ...   x[i] = value;
            ... }''', "rotate")
            >>> with cuda.inspect(footprint=True) as run:
            ...     rotate[1, 64](cuda.to_device(np.ones(64, np.int32)), 64)
            >>> run.launches[0].footprint
            {'read': 8, 'written': 8, 'either': 8}
        """
        sectors: dict[str, int] | None = self._core.footprint()
        if sectors is None:
            raise ValueError(
                "[inspect] sectors were not recorded. Use cuda.inspect(footprint=True)."
            )
        return sectors

    def roofline(self, gpu: str | None = None) -> Roofline:
        """Return the launch's position under a GPU's roofline; None: the device."""
        x, y, z = self.grid
        return roofline(self.counters, gpu, blocks=x * y * z)

    def show(self) -> Any:
        """Draw the step of its first finding, else of the line that runs most often.

        The same as `viz.step(launch)`; `minitorch.viz` has the other views.

        Returns:
            A figure, which a notebook shows; it has `save(path)`.

        Raises:
            ValueError: the inspection was made with trace=False.

        Example:
            >>> from minitorch import cuda
            >>> fill = cuda.RawKernel(
            ...     "__global__ void k(int* x) { x[threadIdx.x] = 7; }", "k")
            >>> with cuda.inspect(trace=True) as run:
            ...     fill[1, 4](cuda.device_array(4, "int32"))
            >>> run.launches[0].show()
            Figure(Step 1 of 1: warp 0 runs line 1 with all 4 threads.)
        """
        return picture_of("launch", self)

    def __repr__(self) -> str:
        count = len(self._core.findings())
        findings = f", {count} findings" if count else ""
        return (
            f"Launch({self.kernel}, grid {self.grid}, block {self.block}{findings}, "
            f"{self.time * 1e3:.3g} ms)"
        )


@learner_methods
class Inspection:
    """Launches of a thread within `with cuda.inspect() as run:`."""

    def __init__(self, debug: bool, **options: Any) -> None:
        self._options = options
        self._core: _core.Inspection | None = None
        self._known: list[Launch] = []
        self._notes = NoteBook(debug, options["most_launches"])

    def __enter__(self) -> Inspection:
        if self._core is not None:
            raise RuntimeError(
                "[inspect] cuda.inspect() can be entered only once. Create a new one."
            )
        if not _core.is_emulated():
            raise CudaError(
                "[inspect] counters, traces and findings need the emulator; the "
                f"device is {_core.device_name()}, a GPU. Set MINITORCH_CUDA=emulator, "
                "or run one kernel in the emulator, with copies of its arguments: "
                "minitorch.viz.trace(kernel, grid, block, *args)."
            )
        self._core = _core.Inspection.open(**self._options)
        if self._options["trace"]:
            self._notes.traces_next = self._core.traces_next
        open_book(self._notes)
        return self

    def __exit__(
        self, kind: object, error: BaseException | None, traceback: object
    ) -> None:
        assert self._core is not None
        close_book(self._notes)
        self._core.close(quiet=error is not None)

    @property
    def launches(self) -> list[Launch]:
        """Launches that have ended, in order; all of them after the block."""
        if self._core is not None:
            wanted = (self._options["counters"], self._options["trace"])
            for core in self._core.launches()[len(self._known) :]:
                self._known.append(Launch(core, *wanted, self._notes))
        return list(self._known)

    @property
    def findings(self) -> list[KernelError]:
        """Findings of all launches."""
        return [finding for launch in self.launches for finding in launch.findings]

    @property
    def dropped(self) -> int:
        """Number of launches beyond `most_launches`, which were not recorded."""
        return self._core.dropped if self._core is not None else 0

    def raise_findings(self) -> None:
        """Raise the first finding that is an error, if any."""
        for finding in self.findings:
            if finding.severity == "error":
                raise finding

    def table(self) -> str:
        """Return a table with one line per launch, followed by its findings."""
        lines = []
        for number, launch in enumerate(self.launches):
            lines.append(f"{number}: {launch!r}")
            lines += [
                f"   {finding.severity}: {finding}" for finding in launch.findings
            ]
        if self.dropped:
            lines.append(f"and {self.dropped} launches that were not recorded")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return (
            f"Inspection({len(self.launches)} launches, {len(self.findings)} findings)"
        )


@learner_frames
def inspect(
    checks: Literal["full", "memory"] = "full",
    counters: bool = True,
    trace: bool = False,
    tolerate: Iterable[str] = (),
    *,
    debug: bool = False,
    library: bool = False,
    footprint: bool = False,
    trace_launches: Numbers | None = None,
    trace_blocks: Blocks | None = None,
    trace_warps: Numbers | None = None,
    most_launches: int = 1000,
    trace_bytes: int = 256 << 20,
) -> Inspection:
    """Record the launches of this thread within a `with` block.

    The end of the block waits for them. What the checks find is listed, not raised:
    see `launch.findings` and `run.raise_findings()`. (A call inside the block that
    waits raises as always.) Blocks may be nested: a launch belongs to all that are
    open.

    Args:
        checks: "full" or "memory", as for `cuda.checks`.
        counters: count; costs some time.
        trace: keep every instruction of every warp; for small launches, and parts of
            large ones: the three `trace_` choices below.
        tolerate: kinds of findings, such as "barrier_divergence", that only become
            notes while the kernel goes on as hardware would.
        debug: run builds for debuggers (NVRTC's `-G`) of the user's kernels, so that
            `trace.variables(block)` knows variables by name. They do the same and are
            not optimised: their counters count more instructions and accesses to
            local memory than those of a normal build. Kernels that came as PTX or
            machine code run as they are.
        library: record minitorch's own kernels too.
        footprint: keep which sectors of global memory a launch touches; see
            `launch.footprint`.
        trace_launches: numbers of the launches to trace, from 0 in the order in which
            this block records them; a number or a list, None: all.
        trace_blocks: the blocks to trace of each, at most 16: a number or a list of
            numbers and (x, y, z); None: all. A block that a grid does not have is
            passed over.
        trace_warps: the warps to trace of each of these blocks, 0 to 31: a number or a
            list; None: all. Where blocks overlap, a launch's trace has what any of
            them asked for.
        most_launches: launches to keep; later ones are only counted, in `run.dropped`.
        trace_bytes: memory for all traces together; then a trace is cut and says so.

    Returns:
        An object whose `launches` have findings, counters and trace.

    Raises:
        CudaError: on entry, on a real GPU, where this is not available.
        ValueError: on entry, for a kind that does not exist or that no kernel survives;
            for a choice of the trace that cannot be.
        TypeError: for a choice of the trace that is neither a number nor a list.
        KernelError: on entry, for a fault of an earlier launch.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda
        >>> double = cuda.RawKernel(
        ...     "__global__ void twice(float* x) { x[threadIdx.x] *= 2; }", "twice")
        >>> x = cuda.to_device(np.ones(64, np.float32))
        >>> with cuda.inspect() as run:
        ...     double[1, 64](x)
        >>> launch = run.launches[0]
        >>> launch.kernel, launch.grid, launch.block, launch.findings
        ('twice', (1, 1, 1), (64, 1, 1), [])
        >>> launch.counters["global_load_sectors"], launch.counters["flops_f32"]
        (8, 64)
    """
    if isinstance(tolerate, str):
        raise TypeError(
            f"[inspect] got tolerate {tolerate!r}; need a tuple of kinds of findings."
        )
    if debug and not trace:
        raise ValueError(
            "[inspect] debug=True needs a trace, which records variables. Pass "
            "trace=True, too."
        )
    for name, value in (("most_launches", most_launches), ("trace_bytes", trace_bytes)):
        if not isinstance(value, int) or value < 0:
            raise ValueError(
                f"[inspect] got {name} {value!r}; need an int of at least 0."
            )
    return Inspection(
        debug=debug,
        checks=check_level("inspect", checks),
        counters=bool(counters),
        trace=bool(trace),
        library=bool(library),
        most_launches=min(most_launches, 2**32 - 1),
        trace_bytes=trace_bytes,
        tolerate=list(tolerate),
        footprint=bool(footprint),
        **trace_filter(bool(trace), trace_launches, trace_blocks, trace_warps),
    )

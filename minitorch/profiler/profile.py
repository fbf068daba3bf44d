"""`profile`: start, stop and schedule a recording, and report it."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any

from ..cuda.pictures import picture_of
from ..cuda.tracebacks import learner_methods
from .chrome_trace import write_trace
from .event_building import EventOptions, build_events
from .events import EventList
from .flops import flops_of
from .notes import notes_of
from .recording import OpenRecording
from .records import Records, without_collection
from .schedule import ProfilerAction, ProfilerActivity, every_step
from .timeline import timeline_of
from .waits import Waits, waits_of

_NONE, _WARMUP = ProfilerAction.NONE, ProfilerAction.WARMUP
_SAVE = ProfilerAction.RECORD_AND_SAVE
_RECORDED = (ProfilerAction.RECORD, _SAVE)

_turn = threading.Lock()
_running: weakref.ref[profile] | None = None


@learner_methods
class profile:  # PyTorch's name
    """Record a program: ops, kernels, copies, waits, memory.

    Within `with profile() as prof:`, or between `start()` and `stop()`. All threads are
    recorded; the end waits for the device. There is one profile at a time.

    Args:
        activities: `ProfilerActivity.CPU`: ops, the way back, your own names.
            `ProfilerActivity.CUDA`: calls of the driver, waits, and what ran on the
            device. None: both.
        schedule: a function from a step's number to a `ProfilerAction`, as
            `schedule(...)` makes it. None: everything is recorded, in one piece.
        on_trace_ready: called with the profile at the end of each recorded cycle.
        record_shapes: keep shapes and dtypes of the tensors that ops are given.
        profile_memory: keep what memory is made and given back.
        with_stack: keep Python's lines of each op.
        with_flops: count operations of products, convolutions, sums by formula.
        with_modules: keep where in the model each op is, and give modules rows.
        counters: on the emulator, count sectors and multiply-adds of each launch, which
            is exact and takes time. Launches of the thread that starts the profile.

    Attributes:
        step_num: number of the present step.

    Raises:
        TypeError, ValueError: an argument that is not one of these.

    Example:
        >>> import minitorch
        >>> from minitorch.profiler import ProfilerActivity, profile
        >>> x = minitorch.ones(8, 8).to("cuda")
        >>> with profile(activities=[ProfilerActivity.CUDA]) as prof:
        ...     y = x @ x
        >>> [row.count for row in prof.key_averages() if row.key == "cuLaunchKernel"]
        [1]
        >>> print(prof.key_averages().table(sort_by="cuda_time_total"))
        --------...
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[profile], Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        counters: bool = False,
    ) -> None:
        self.activities = _activities(activities)
        _callable_or_none("schedule", schedule)
        _callable_or_none("on_trace_ready", on_trace_ready)
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self._schedule = schedule or every_step
        self._has_steps = schedule is not None
        self._options = EventOptions(
            host=ProfilerActivity.CPU in self.activities,
            device=ProfilerActivity.CUDA in self.activities,
            shapes=bool(record_shapes),
            memory=bool(profile_memory),
            stacks=bool(with_stack),
            modules=bool(with_modules),
            flops=flops_of if with_flops else None,
        )
        self._counters = bool(counters)
        self._action: ProfilerAction | None = None  # None: it does not run
        self._open: OpenRecording | None = None
        self._records: Records | None = None  # of the last cycle
        self._events: EventList | None = None
        self._step_began = 0
        self._thread = 0

    # Running.

    def start(self) -> None:
        """Begin, with the schedule's step 0.

        Raises:
            RuntimeError: a profile is running.
        """
        global _running
        with _turn:
            running = _running() if _running is not None else None
            if running is not None:
                subject = "this one" if running is self else "another profile"
                raise RuntimeError(
                    f"[profile] cannot start while {subject} is running. Stop that one "
                    "first; to label a part of it, use record_function."
                )
            _running = weakref.ref(self)
        self._thread = threading.get_native_id()
        self.step_num = 0
        try:
            self._enter(_action("start", self._schedule(0)))
        except BaseException:
            _no_longer_running()
            raise
        self._step_began = time.monotonic_ns()

    def step(self) -> None:
        """Say that the next step begins.

        Raises:
            RuntimeError: the profile does not run, or another thread started it.
        """
        before = self._ran("step")
        if threading.get_native_id() != self._thread:
            raise RuntimeError(
                "[profile.step] step() must be called on the thread that started the "
                "profile."
            )
        now = _action("step", self._schedule(self.step_num + 1))
        self._note_step()
        self.step_num += 1
        if before is _SAVE or now not in _RECORDED:
            if before is ProfilerAction.RECORD:
                warnings.warn(
                    f"[profile.step] the schedule returned {now.name} after RECORD, so "
                    "on_trace_ready is not called. Return RECORD_AND_SAVE for the "
                    "last step.",
                    stacklevel=3,
                )
            self._leave(before)
            if self._action is None:
                return  # the handler stopped it
        self._enter(now)
        self._step_began = time.monotonic_ns()

    def stop(self) -> None:
        """End, wait for the device, and call `on_trace_ready` if a cycle was recorded.

        Raises:
            RuntimeError: the profile does not run.
            KernelError: a kernel had a fault.
        """
        before = self._ran("stop")
        self._note_step()
        self._action = None
        _no_longer_running()
        self._leave(_SAVE if before in _RECORDED else before)

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._action is None:
            return  # stopped inside
        if error is None:
            self.stop()
            return
        # What went wrong first is what the caller has to see.
        with contextlib.suppress(Exception):
            self.stop()

    def __del__(self) -> None:
        """End a profile that nobody can stop any more, so that another one can run."""
        if getattr(self, "_action", None) is None or sys.is_finalizing():
            return
        opened, self._open = self._open, None
        if opened is not None:
            with contextlib.suppress(Exception):
                opened.abandon()
        warnings.warn(
            "[profile] a running profile was deleted. Keep it in a variable until "
            "stop(): prof = profile().",
            RuntimeWarning,
            stacklevel=2,
        )

    def _ran(self, where: str) -> ProfilerAction:
        if self._action is None:
            raise RuntimeError(
                f"[profile.{where}] the profile is not running. Call start(), or use "
                "`with profile() as prof:`."
            )
        return self._action

    def _enter(self, action: ProfilerAction) -> None:
        """Start what a step needs; discard the records of a warm-up."""
        was_recorded = self._action in _RECORDED
        self._action = action
        if self._open is not None and action in _RECORDED and not was_recorded:
            self._open.abandon()
            self._open = None
        if self._open is None and action is not _NONE:
            options = self._options
            self._open = OpenRecording(
                shapes=options.shapes or options.flops is not None,
                stack=options.stacks,
                memory=options.memory,
                device=options.device,
                counters=self._counters,
            )

    def _leave(self, action: ProfilerAction) -> None:
        """Close the open recording; `action` is that of the previous step."""
        opened, self._open = self._open, None
        if opened is None:
            return
        if action not in _RECORDED:
            opened.abandon()
            return
        records = opened.close()
        self._records = records
        self._events = None
        opened.raise_faults()
        if self._action is not None:
            self._action = _NONE  # the handler may ask for what was recorded
        if action is _SAVE and self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def _note_step(self) -> None:
        """Record the ending step as a scope, if it was recorded."""
        if self._open is None or not self._has_steps:
            return
        if self._action in _RECORDED:
            self._open.add_step(self.step_num, self._step_began, self._thread)

    # What was recorded.

    def _recorded(self, where: str) -> Records:
        if self._open is not None:
            raise RuntimeError(
                f"[{where}] the profile is still recording. Call this after the `with` "
                "block, or in on_trace_ready."
            )
        if self._records is None:
            ran = "no recorded step" if self._has_steps else "no recording"
            raise RuntimeError(
                f"[{where}] the profile has {ran}. Call start(), run the work, then "
                "call stop()."
            )
        return self._records

    def events(self) -> EventList:
        """Return all events: the host's, thread by thread, then the device's.

        Raises:
            RuntimeError: nothing was recorded yet, or it is being recorded.
        """
        return self._all_events("events")

    def _all_events(self, where: str) -> EventList:
        records = self._recorded(where)
        if self._events is None:
            with without_collection():
                events = build_events(records, self._options)
            self._events = EventList(events, notes_of(records, self._options))
        return self._events

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0
    ) -> EventList:
        """Merge events with the same name into one row; `.table()` prints them.

        Args:
            group_by_input_shape: other shapes are other rows. Needs record_shapes.
            group_by_stack_n: other innermost n lines are other rows. Needs with_stack.

        Returns:
            A list of `FunctionEventAvg`; what was not kept, its table says.

        Raises:
            RuntimeError: nothing was recorded yet, or it is being recorded.
            ValueError: a number of lines below 0.

        Example:
            >>> import minitorch
            >>> with profile(record_shapes=True) as prof:
            ...     y = minitorch.ones(2, 3) @ minitorch.ones(3, 4)
            >>> rows = prof.key_averages(group_by_input_shape=True)
            >>> [(row.count, row.input_shapes) for row in rows if "matmul" in row.key]
            [(1, [[2, 3], [3, 4]])]
        """
        events = self._all_events("key_averages")
        rows = events.key_averages(group_by_input_shape, group_by_stack_n)
        if group_by_input_shape and not self._options.shapes:
            rows.notes += ("No input shapes: profile(record_shapes=True) keeps them.",)
        if group_by_stack_n and not self._options.stacks:
            rows.notes += ("No source locations: profile(with_stack=True) keeps them.",)
        return rows

    def waits(self) -> Waits:
        """Return where the host waited for the device, why, how often and how long.

        Returns:
            Rows with `reason line count seconds`, which print as a table.

        Raises:
            RuntimeError: nothing was recorded yet, or it is being recorded.

        Example:
            >>> import minitorch
            >>> x = minitorch.ones(2, device="cuda")
            >>> with profile() as prof:
            ...     number = (x + x).sum().item()
            >>> [(row.reason, row.count) for row in prof.waits()]
            [('value', 1)]
        """
        return waits_of(self._recorded("waits"))

    def timeline(self) -> dict[str, Any]:
        """Return the last cycle as plain data, of the schema "minitorch.timeline/1".

        Returns:
            Times in nanoseconds of one clock. `begin end emulated`;
            `threads`: `id name`, `scopes` with `name kind begin end depth site`,
            `calls` of the driver with `name begin end work`, `waits` with
            `reason begin end site`; `streams`: `id`, `works` with
            `id name kind begin end bytes`; `depth`: `stream time depth`, what is
            queued from that time on.

        Raises:
            RuntimeError: nothing was recorded yet, or it is being recorded.
        """
        return timeline_of(self._recorded("timeline"))

    def show(self) -> Any:
        """Draw the last cycle: host, queue, streams, waits."""
        self._recorded("show")
        return picture_of("profile", self)

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write the last cycle for chrome://tracing or ui.perfetto.dev.

        Args:
            path: the file; its name may end with ".gz".

        Raises:
            RuntimeError: nothing was recorded yet, or it is being recorded.
        """
        records = self._recorded("export_chrome_trace")
        if isinstance(path, os.PathLike):
            path = os.fspath(path)
        if not isinstance(path, str):
            raise TypeError(
                f"[export_chrome_trace] got path {path!r}; need a str or a Path."
            )
        with without_collection():
            write_trace(path, records, self._options)

    def __repr__(self) -> str:
        state = "running" if self._action is not None else "stopped"
        return f"<profile: {state}>"


def _no_longer_running() -> None:
    global _running
    with _turn:
        _running = None


def _activities(given: Any) -> set[ProfilerActivity]:
    chosen = given or ProfilerActivity
    if isinstance(chosen, ProfilerActivity) or not all(
        isinstance(activity, ProfilerActivity) for activity in chosen
    ):
        raise TypeError(
            f"[profile] got activities={given}; need a list of ProfilerActivity.CPU "
            "and ProfilerActivity.CUDA."
        )
    return set(chosen)


def _callable_or_none(name: str, value: Any) -> None:
    if value is not None and not callable(value):
        raise TypeError(
            f"[profile] got {name}={value!r}; need a function"
            + (", such as schedule(wait=1, ...)." if name == "schedule" else ".")
        )


def _action(where: str, value: Any) -> ProfilerAction:
    if not isinstance(value, ProfilerAction):
        raise TypeError(
            f"[profile.{where}] the schedule returned {value!r}; it must return a "
            "ProfilerAction."
        )
    return value

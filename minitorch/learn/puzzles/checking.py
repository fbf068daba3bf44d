"""A puzzle with its judge: run a learner's kernel on the launches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ... import cuda
from .counting import counts_of, has_written
from .exercise import Array, Case, Counts, Exercise, Limit
from .learner import NotAKernel, launchable, rebound_output, uses
from .result import CaseResult, Cost, Result, State


class Puzzle(Exercise):
    """A kernel to write: `print(puzzle)`, write it, `puzzle.check(kernel)`.

    Its attributes are those of an `Exercise`.
    """

    def check(self, kernel: object, *, tolerate: Iterable[str] = ()) -> Result:
        """Run a kernel on all launches; see `minitorch.learn.puzzles.check`."""
        if kernel is None or kernel is ...:
            return Result(self, "not yet", [])
        cases = self.cases()
        run = _inspected if cuda.is_emulated() else _plain
        try:
            ready = launchable(kernel, self)
            # Counts are those of the first launch: counting takes longer than running.
            runs = [
                run(ready, case, tuple(tolerate), case is cases[0]) for case in cases
            ]
        except (cuda.CudaError, NotAKernel, NotImplementedError) as error:
            return Result(self, "does not run", [], error=error)
        results = [result for result, _, _ in runs]
        state = _state(results, any(written for _, _, written in runs))
        costs: tuple[Cost, ...] = ()
        if state == "solved":
            costs = _costs(results, self.limits)
            if self.without and uses(ready, self.without):
                state = "not as asked"
            elif any(cost.beyond for cost in costs):
                state = "too costly"
        rebound = rebound_output(ready)
        return Result(self, state, results, runs[0][1], rebound=rebound, costs=costs)


def _state(results: list[CaseResult], wrote: bool) -> State:
    """Return the state of a kernel that ran: findings weigh more than wrong values."""
    if any(result.findings for result in results):
        return "reported"
    if any(result.wrong for result in results):
        return "wrong values" if wrote else "not yet"
    return "solved"


def _costs(results: list[CaseResult], limits: tuple[Limit, ...]) -> tuple[Cost, ...]:
    """Return for each limit the first launch beyond it, or else the first."""
    selected = []
    for limit in limits:
        costs = [
            Cost(
                int(result.counters[limit.counter]),
                limit.most(*result.case.sizes),
                limit,
                result.case,
            )
            for result in results
            if result.counters is not None
        ]
        selected += sorted(costs, key=lambda cost: not cost.beyond)[:1]
    return tuple(selected)


_Run = tuple[CaseResult, Counts | None, bool]


def _inspected(
    kernel: Any, case: Case, tolerate: tuple[str, ...], counted: bool
) -> _Run:
    """Run one launch on the emulator, with all checks and a record of all accesses."""
    out, arguments = _arguments(case)
    with cuda.inspect(trace=True, tolerate=tolerate) as run:
        _launch(kernel, case, out, arguments)
    launch = run.launches[0]
    errors = [finding for finding in launch.findings if finding.severity == "error"]
    notes = [finding for finding in launch.findings if finding.severity != "error"]
    result = CaseResult(case, _values(out), errors, notes, launch.counters)
    counts = counts_of(launch.trace) if counted else None
    return result, counts, has_written(launch.trace)


def _plain(kernel: Any, case: Case, tolerate: tuple[str, ...], counted: bool) -> _Run:
    """Run one launch on a real GPU, which reports at most that something failed."""
    out, arguments = _arguments(case)
    _launch(kernel, case, out, arguments)
    try:
        got, errors = _values(out), []
    except cuda.KernelError as error:
        got, errors = np.full_like(case.expected, np.nan), [error]
    return CaseResult(case, got, errors), None, bool((got != case.before).any())


def _arguments(case: Case) -> tuple[cuda.DeviceArray, list[Any]]:
    out = cuda.to_device(np.full_like(case.expected, case.before))
    return out, [*map(cuda.to_device, case.inputs), *case.setup.scalars]


def _launch(
    kernel: Any, case: Case, out: cuda.DeviceArray, arguments: list[Any]
) -> None:
    kernel[case.setup.grid, case.setup.block](out, *arguments)


def _values(out: cuda.DeviceArray) -> Array:
    return np.asarray(out.copy_to_host())

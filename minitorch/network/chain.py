"""Chain of kernels that compute one element: run calls again, and follow it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress

from .described import Described
from .follow import Cell, Element, Follow
from .neuron import Neuron
from .owners import MOST_OF_ONE, MOST_STEPS, likely_owner, warp_steps
from .recorded_run import Ran, Traced, Wanted

_ROUNDS = 100  # each goes one kernel further back, or searches where a guess failed
_BLOCKS_OF_A_ROUND = 16  # of a search


class Chain:
    """Follows one element of a layer's output back to the layer's inputs.

    Args:
        described: the run with counters.
        run: makes another run, with traces, of the call; or of one of its calls of a
            layer alone.
        element: which one.
    """

    def __init__(
        self, described: Described, run: Callable[[Wanted], Ran], element: Element
    ) -> None:
        self._described, self._run, self._element = described, run, element
        self._follow = Follow(described, element)
        self._guessed: set[Cell] = set()
        self._searched: dict[int, int] = {}  # blocks that were, by launch

    def neuron(self) -> Neuron:
        """Return the parts: one for each kernel and element it depends on."""
        follow = self._follow
        for _ in range(_ROUNDS):
            if not follow.missing:
                return follow.neuron()
            traced = self._next()
            if not traced:
                break
            follow.read(self._traced_run(traced))
        raise ValueError(
            f"[neuron] cannot find the thread that computed {self._element.index} of "
            f"'{self._element.layer}': the launch is too large. Try a smaller batch."
        )

    def _next(self) -> list[Traced]:
        """Return what to trace for the missing cells; [] if all has been tried."""
        missing: dict[int, list[Cell]] = defaultdict(list)
        for cell in self._follow.missing:
            missing[cell.kernel].append(cell)
        parts = [self._likely(number, cells) for number, cells in missing.items()]
        traced = [part for part in parts if part is not None]
        # Launches before them may be needed next: small ones are traced as well.
        left, whole = MOST_STEPS, []
        for number in reversed(self._follow.own):
            steps = warp_steps(self._described.kernels[number])
            if number <= max(missing) and steps <= min(left, MOST_OF_ONE):
                left -= steps
                whole.append(number)
        earlier = tuple(sorted(set(whole) - missing.keys()))
        return [*traced, Traced(earlier)] if traced and earlier else traced

    def _likely(self, number: int, cells: list[Cell]) -> Traced | None:
        """Return the likely writers of cells of a launch; None if all were tried."""
        kernel = self._described.kernels[number]
        new = set(cells) - self._guessed
        self._guessed |= new
        if warp_steps(kernel) <= MOST_OF_ONE:
            return Traced((number,)) if new else None
        if not new:  # the guess was wrong
            first = self._searched.get(number, 0)
            last = min(first + _BLOCKS_OF_A_ROUND, kernel.blocks)
            self._searched[number] = last
            blocks = tuple(range(first, last))
            return Traced((number,), blocks) if blocks else None
        arrays = self._described.ran.arrays[number]
        owners = [
            likely_owner(kernel, arrays[cell.array], cell.element) for cell in new
        ]
        blocks = tuple(sorted({owner.block % kernel.blocks for owner in owners}))
        # What lies in shared memory came from all warps.
        warps = None if kernel.moved.shared else tuple({o.warp for o in owners})
        return Traced((number,), blocks, warps)

    def _traced_run(self, traced: list[Traced]) -> Ran:
        """Trace launches in a run of the smallest call of a layer that has them all."""
        numbers = sorted(number for part in traced for number in part.launches)
        explained = self._described.ran
        call, own = self._element.call, self._follow.own
        if numbers[0] in own:  # so are all: the call writes what it returns
            numbers, last = [own[0], own[-1]], call
        else:  # what it returns was there before
            last = len(explained.calls) - 1
        starts = [
            (len(launches), number, entry.start, launches.start)
            for number, (entry, launches) in enumerate(
                zip(explained.calls[: last + 1], explained.launches_of, strict=False)
            )
            if entry.start is not None
            and entry.start.is_unchanged
            and numbers[0] in launches
            and numbers[-1] in launches
        ]
        if starts:
            _, first, start, launch = min(starts, key=lambda entry: entry[:2])
            until = call if numbers[0] in own else first
            # What it needs of its surroundings may be gone.
            with suppress(Exception):
                return self._run(Wanted(False, traced, until, start, first, launch))
        return self._run(Wanted(traced=traced, until=call))

"""Chain of kernels that compute one element: run calls again, and follow it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from .described import Described
from .follow import Cell, Element, Follow
from .neuron import Neuron
from .owners import MOST_OF_ONE, MOST_STEPS, likely_owner, warp_steps
from .recorded_run import Ran, Traced, Wanted
from .records import Kernel

_ROUNDS = 100  # each goes one kernel further back, or corrects guesses
_BLOCKS_OF_A_TRACE = 16
_MORE_BLOCKS = 64  # that a round tries where a guess was wrong


@dataclass
class Asked:
    """What is to be traced of one launch.

    Attributes:
        blocks, warps: their numbers; None: all.
        guessed: cells that it was to have.
        tried: blocks that were traced whole, while something was missing.
    """

    blocks: set[int] | None = field(default_factory=set)
    warps: set[int] | None = field(default_factory=set)
    guessed: set[Cell] = field(default_factory=set)
    tried: set[int] = field(default_factory=set)


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
        self._asked: dict[int, Asked] = {}

    def neuron(self) -> Neuron:
        """Return the parts: one for each kernel and element it depends on."""
        follow = self._follow
        for _ in range(_ROUNDS):
            if not follow.missing:
                return follow.neuron()
            asked = self._small_ones(max(cell.kernel for cell in follow.missing))
            more = [self._ask(asked, cell) for cell in follow.missing]
            if not any(more):
                break
            follow.read(self._traced_run(sorted(asked)))
        raise ValueError(
            f"[neuron] cannot find the thread that computed {self._element.index} of "
            f"'{self._element.layer}': the launch is too large. Try a smaller batch."
        )

    def _traced_run(self, numbers: list[int]) -> Ran:
        """Trace launches in a run of the smallest call of a layer that has them all."""
        traced, explained = self._traced(numbers), self._described.ran
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

    def _small_ones(self, last: int) -> set[int]:
        """Return the call's launches that are small enough to trace fully."""
        left, numbers = MOST_STEPS, set()
        for number in reversed(self._follow.own):
            steps = warp_steps(self._described.kernels[number])
            if number <= last and steps <= min(left, MOST_OF_ONE):
                left -= steps
                numbers.add(number)
                self._asked.setdefault(number, Asked(None, None))
        return numbers

    def _ask(self, asked: set[int], cell: Cell) -> bool:
        """Trace the likely writers of a cell; return False if all have been tried."""
        number, kernel = cell.kernel, self._described.kernels[cell.kernel]
        asked.add(number)
        if number not in self._asked:
            is_small = warp_steps(kernel) <= MOST_OF_ONE
            self._asked[number] = Asked(None, None) if is_small else Asked()
        wanted = self._asked[number]
        is_new = cell not in wanted.guessed
        wanted.guessed.add(cell)
        if wanted.blocks is None:
            return is_new
        if is_new:
            wanted.tried.clear()  # it may be where others were not
            array = self._described.ran.arrays[number][cell.array]
            owner = likely_owner(kernel, array, cell.element)
            self._add(wanted, owner.block % kernel.blocks, owner.warp, kernel)
            return True
        # The guess was wrong. What was in other blocks has been found and is kept.
        if wanted.warps is None:
            wanted.tried |= wanted.blocks
        wanted.warps = None
        untried = [block for block in range(kernel.blocks) if block not in wanted.tried]
        wanted.blocks = set(untried[:_MORE_BLOCKS])
        return bool(untried)

    @staticmethod
    def _add(asked: Asked, block: int, warp: int, kernel: Kernel) -> None:
        if asked.blocks is not None:
            asked.blocks.add(block)
        if kernel.moved.shared:
            asked.warps = None  # what lies in shared memory came from all warps
        elif asked.warps is not None:
            asked.warps.add(warp)

    def _traced(self, numbers: list[int]) -> list[Traced]:
        complete = tuple(
            number for number in numbers if self._asked[number].blocks is None
        )
        parts = [Traced(complete)] if complete else []
        for number in numbers:
            request = self._asked[number]
            if request.blocks is None:
                continue
            warps = None if request.warps is None else tuple(sorted(request.warps))
            blocks = sorted(request.blocks)
            for first in range(0, len(blocks), _BLOCKS_OF_A_TRACE):
                some = tuple(blocks[first : first + _BLOCKS_OF_A_TRACE])
                parts.append(Traced((number,), some, warps))
        return parts

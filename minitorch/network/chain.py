"""Owns the chain of kernels behind one element: runs the call again, and follows it.

Must not know how a slice is found, or pictures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .arrays import PlacedArray
from .described import Described
from .follow import Follow
from .neuron import Neuron
from .owners import likely_owner
from .recorded_run import Ran, Traced
from .records import Kernel

#: Steps of a trace (instructions of warps) of all launches that are traced whole.
MOST_STEPS = 200_000
_ROUNDS = 100  # each goes one kernel further back, or corrects guesses
_MORE_BLOCKS = 16  # that a round adds where a guess was wrong: a trace's most
_MOST_BLOCKS = 128

# Makes a run that traces, up to the end of a layer's call.
Runner = Callable[[list[Traced], tuple[int, int]], Ran]


@dataclass
class Asked:
    """What is to be traced of one launch.

    Attributes:
        blocks, warps: their numbers; None: all.
        guessed: arrays and elements whose thread was guessed.
    """

    blocks: set[int] | None = field(default_factory=set)
    warps: set[int] | None = field(default_factory=set)
    guessed: set[tuple[str, tuple[int, ...]]] = field(default_factory=set)


class Chain:
    """Follows one element of a layer's output back to the layer's inputs.

    Args:
        described: the run with counters.
        run: makes another run, with traces.
        layer: the layer's number; call: which of its calls; index: the element.
    """

    def __init__(
        self,
        described: Described,
        run: Runner,
        layer: int,
        call: int,
        index: tuple[int, ...],
    ) -> None:
        self._described, self._run = described, run
        self._layer, self._call, self._index = layer, call, index
        self._asked: dict[int, Asked] = {}

    def neuron(self) -> Neuron:
        """The element's parts: one for each kernel and element behind it."""
        self._ask_for_the_layer()
        for _ in range(_ROUNDS):
            ran = self._run(self._traced(), (self._layer, self._call))
            follow = Follow(self._described, ran, self._layer, self._call, self._index)
            found = follow.neuron()
            if found is not None:
                return found
            asked = [
                self._ask(kernel, follow.arrays[kernel], address)
                for kernel, address in follow.missing
            ]
            if not any(asked):
                break
        name = self._described.layers[self._layer].name
        raise ValueError(
            f"[neuron] got {self._index} of '{name}', which a large launch wrote, and "
            "could not find the thread that did; need a smaller one. Try a smaller "
            "batch."
        )

    def _ask_for_the_layer(self) -> None:
        """Small launches of the layer are traced whole, the last ones first."""
        left = MOST_STEPS
        for kernel in reversed(self._described.layers[self._layer].kernels):
            steps = self._steps(self._described.kernels[kernel])
            if steps <= left:
                left -= steps
                self._asked[kernel] = Asked(None, None)

    @staticmethod
    def _steps(kernel: Kernel) -> int:
        assert kernel.launch is not None
        return int(kernel.launch.counters["ptx_warp_instructions"])

    def _ask(self, number: int, arrays: list[PlacedArray], address: int) -> bool:
        """Trace more of a launch; False where nothing is left to be tried."""
        kernel = self._described.kernels[number]
        if number not in self._asked:
            whole = self._steps(kernel) <= MOST_STEPS // 4
            self._asked[number] = Asked(None, None) if whole else Asked()
            if whole:
                return True
        asked = self._asked[number]
        if asked.blocks is None:
            return False
        for array in arrays:
            element = array.element(address)
            if element is not None and (array.parameter, element) not in asked.guessed:
                asked.guessed.add((array.parameter, element))
                owner = likely_owner(kernel, array, element)
                self._add(asked, owner.block % kernel.blocks, owner.warp, kernel)
                return True
        asked.warps = None  # the guesses were wrong
        untried = [at for at in range(kernel.blocks) if at not in asked.blocks]
        asked.blocks |= set(untried[:_MORE_BLOCKS])
        return bool(untried) and len(asked.blocks) <= _MOST_BLOCKS

    @staticmethod
    def _add(asked: Asked, block: int, warp: int, kernel: Kernel) -> None:
        if asked.blocks is not None:
            asked.blocks.add(block)
        if kernel.moved.shared:
            asked.warps = None  # what lies in shared memory came from all warps
        elif asked.warps is not None:
            asked.warps.add(warp)

    def _traced(self) -> list[Traced]:
        whole = tuple(at for at, each in self._asked.items() if each.blocks is None)
        parts = [Traced(whole)] if whole else []
        for at, each in self._asked.items():
            if each.blocks is not None:
                warps = None if each.warps is None else tuple(sorted(each.warps))
                blocks = sorted(each.blocks)
                for first in range(0, len(blocks), _MORE_BLOCKS):
                    some = tuple(blocks[first : first + _MORE_BLOCKS])
                    parts.append(Traced((at,), some, warps))
        return parts

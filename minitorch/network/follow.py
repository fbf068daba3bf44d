"""Follow one element through traces of kernels, from its store to its loads."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from .. import _core
from .described import Described
from .neuron import Neuron, Part
from .parts import PartMaker
from .recorded_run import Ran
from .records import place_of
from .slice import Slicer, Store, Value, in_order, stores_to

#: Parts of one neuron, and those of one kernel; those beyond are counted.
MOST_PARTS, MOST_OF_A_KERNEL = 128, 8


@dataclass(frozen=True, order=True)
class Cell:
    """An element that a kernel wrote: the same in all runs, unlike its address.

    Attributes:
        kernel: its number; array: which of its arrays; element: the index there.
    """

    kernel: int
    array: int
    element: tuple[int, ...]


@dataclass(order=True)
class Search:
    """Search for the store to a cell that a load read; later kernels come first."""

    order: int
    cell: Cell
    load: Value | None = field(compare=False)


@dataclass(frozen=True)
class Element:
    """An element of what a call of a layer returned.

    Attributes:
        layer: the layer's name; call: the number of the call.
        output: which of the tensors that it gave; index: the element.
    """

    layer: str
    call: int
    output: int
    index: tuple[int, ...]


class Follow:
    """Follows one element back; each run that traces more brings it further.

    Args:
        described: the run with counters.
        element: which one.

    Attributes:
        missing: cells whose stores no trace had yet.
        own: numbers of the launches of the element's call.

    Raises:
        ValueError: no kernel wrote the element.
    """

    def __init__(self, described: Described, element: Element) -> None:
        self._described, self._element = described, element
        self._waiting: list[Search] = []
        self._wanted: set[Cell] = set()
        self._left_out: set[Cell] = set()
        self._parts: dict[Cell, Part] = {}
        # Which arrays a kernel writes; where nobody knows, all of them.
        names = [
            {use.parameter for use in entry.outputs} for entry in described.kernels
        ]
        self._written = [
            [i for i, array in enumerate(arrays) if not out or array.parameter in out]
            for arrays, out in zip(described.ran.arrays, names, strict=True)
        ]
        self.own = described.ran.launches_of[element.call]
        given = described.ran.calls[element.call].outputs[element.output]
        self._address = given.array.address_of(element.index)
        self._search(self._first(self.own.stop), None)

    def _first(self, before: int) -> Cell | None:
        """Return the last cell at the element's address before a launch."""
        return self._writer(self._described.ran, self._address, range(before))

    def _writer(self, ran: Ran, address: int, numbers: range) -> Cell | None:
        """Return the cell at this address in the last launch that may have written
        it, of a run's launches with these numbers.
        """
        for number in reversed(numbers):
            if not 0 <= number - ran.first < len(ran.arrays):
                continue
            for index in self._written[number]:
                element = ran.arrays[number - ran.first][index].element(address)
                if element is not None:
                    return Cell(number, index, element)
        return None

    @property
    def missing(self) -> list[Cell]:
        """Cells whose stores are in no trace yet."""
        return [search.cell for search in self._waiting]

    def _search(self, cell: Cell | None, load: Value | None) -> None:
        if cell is None and not self._parts and not self._waiting:
            raise ValueError(
                f"[neuron] no kernel wrote the output of '{self._element.layer}': it "
                "is the layer's input, or a copy. Ask for the layer before it."
            )
        if cell is None or cell in self._wanted:
            return
        of_kernel = sum(wanted.kernel == cell.kernel for wanted in self._wanted)
        if len(self._wanted) >= MOST_PARTS or of_kernel >= MOST_OF_A_KERNEL:
            self._left_out.add(cell)
            return
        self._wanted.add(cell)
        heapq.heappush(self._waiting, Search(-cell.kernel, cell, load))

    def read(self, ran: Ran) -> None:
        """Continue the searches in the traces of a run."""
        slicers: dict[tuple[int, int], Slicer] = {}
        still = []
        while self._waiting:
            search = heapq.heappop(self._waiting)
            number, load = search.cell.kernel, search.load
            trace = ran.traces.get(number)
            store = None
            if trace is not None:
                array = ran.arrays[number - ran.first][search.cell.array]
                address = array.address_of(search.cell.element)
                store = next(stores_to(trace, address), None)
            if store is not None:
                self._add_part(ran, search, store, slicers)
            elif self._is_complete(ran, number):  # it did not write there
                self._wanted.discard(search.cell)
                if load is None:
                    self._search(self._first(number), None)
                else:
                    before = range(self.own.start, number)
                    self._search(self._writer(ran, address, before), load)
            else:
                still.append(search)
        self._waiting = still
        heapq.heapify(self._waiting)

    def _is_complete(self, ran: Ran, number: int) -> bool:
        """Return whether all warps of a launch were traced."""
        trace = ran.traces.get(number)
        if trace is None:
            return False
        kernel = self._described.kernels[number]
        seen = len({*zip(trace.block.tolist(), trace.warp.tolist(), strict=True)})
        return seen == kernel.blocks * -(-kernel.threads // 32)

    def _add_part(
        self,
        ran: Ran,
        search: Search,
        store: Store,
        slicers: dict[tuple[int, int], Slicer],
    ) -> None:
        if search.load is not None and not _is_same(search.load, store):
            return
        number, described = search.cell.kernel, self._described
        if (number, store.block) not in slicers:
            ptx = _ptx(described.ran, number)
            slicers[number, store.block] = Slicer(ran.traces[number], ptx, store.block)
        root = slicers[number, store.block].slice(store)
        kernel = described.kernels[number]
        position = place_of(kernel, described.layers, described.ops)
        arrays = ran.arrays[number - ran.first]
        maker = PartMaker(kernel, position, arrays, described.gpu.sms)
        self._parts[search.cell] = maker.part(store, root)
        for load in _loads(root):
            before = range(self.own.start, number)
            self._search(self._writer(ran, load.address, before), load)

    def neuron(self) -> Neuron:
        """Return the full chain; nothing may be missing."""
        chain = tuple(self._parts[cell] for cell in sorted(self._parts))
        last = self._parts[next(iter(self._parts))]  # the first that was found
        layer, index = self._element.layer, self._element.index
        return Neuron(layer, index, last.value, chain, len(self._left_out))


def _loads(root: Value) -> Iterator[Value]:
    """Yield a slice's loads from global memory, each address once, zeros last."""
    loads = {value.address: value for value in in_order(root) if value.address}
    # Zeros last: what a ReLU cut off has no chain of its own.
    yield from sorted(loads.values(), key=lambda value: not value.bits)


def _ptx(ran: Ran, number: int) -> str:
    work, launch = ran.works[number], ran.launches[number]
    if work["library"]:
        return _core.library_ptx(
            work["file"], work["entry"], work["spec"], work["options"]
        )
    return launch.ptx


def _is_same(load: Value, store: Store) -> bool:
    """Return whether the load read the stored bits, not a later host copy."""
    bits = re.search(r"(\d+)$", load.opcode)
    width = min(int(bits[1]) if bits else 64, 8 * store.size)
    return (load.bits ^ store.value) & ((1 << width) - 1) == 0

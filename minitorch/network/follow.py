"""Follow one element through traces of kernels, from its store to its loads."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from .. import _core
from .described import Described, arrays_of
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


class _Run:
    """Addresses of the arrays of a layer's call in one run."""

    def __init__(self, ran: Ran, described: Described, layer: int, call: int) -> None:
        self.ran = ran
        self.arrays = arrays_of(ran)
        kernels = described.kernels[: len(self.arrays)]
        names = [{array.parameter for array in kernel.outputs} for kernel in kernels]
        # Which arrays a kernel writes; where nobody knows, all of them.
        self._written = [
            [i for i, array in enumerate(arrays) if not out or array.parameter in out]
            for arrays, out in zip(self.arrays, names, strict=True)
        ]
        self.end, self.own = self._of_the_call(f"{layer} {call}")

    def _of_the_call(self, detail: str) -> tuple[int, set[int]]:
        """Return the kernels launched by the end of the call, and the call's own."""
        inside: set[int] = set()
        end = 0
        for scope in self.ran.scopes:
            if scope["name"] == self.ran.scope and scope["detail"] == detail:
                inside.add(scope["id"])
                end = scope["end"]
            elif scope["parent"] in inside:
                inside.add(scope["id"])
        works = self.ran.works
        numbers = {
            number for number, work in enumerate(works) if work["scope"] in inside
        }
        return sum(work["host_begin"] <= end for work in works), numbers

    def address_of(self, cell: Cell) -> int:
        """Return the address of a cell."""
        return self.arrays[cell.kernel][cell.array].address_of(cell.element)

    def writer(
        self, address: int, before: int, within_layer: bool = True
    ) -> Cell | None:
        """Return the cell at this address in the last kernel that may have written it.

        Args:
            within_layer: of the layer's kernels alone.
        """
        for number in range(before - 1, -1, -1):
            if within_layer and number not in self.own:
                continue
            for index in self._written[number]:
                element = self.arrays[number][index].element(address)
                if element is not None:
                    return Cell(number, index, element)
        return None


class Follow:
    """Follows one element back; each run that traces more brings it further.

    Args:
        described: the run with counters.
        layer: the layer's number; call: which of its calls.
        output: which of the tensors that it gave; index: the element.

    Attributes:
        missing: cells whose stores no trace had yet.

    Raises:
        ValueError: no kernel wrote the element.
    """

    def __init__(
        self,
        described: Described,
        layer: int,
        call: int,
        output: int,
        index: tuple[int, ...],
    ) -> None:
        self._described = described
        self._layer, self._call, self._index = layer, call, index
        self._waiting: list[Search] = []
        self._wanted: set[Cell] = set()
        self._left_out: set[Cell] = set()
        self._parts: dict[Cell, Part] = {}
        given = described.outputs_of(layer, call)[output]
        run = _Run(described.ran, described, layer, call)
        first = run.writer(given.address_of(index), run.end, within_layer=False)
        self._search(first, None)

    @property
    def missing(self) -> list[Cell]:
        """Cells whose stores are in no trace yet."""
        return [search.cell for search in self._waiting]

    def _search(self, cell: Cell | None, load: Value | None) -> None:
        if cell is None and not self._parts and not self._waiting:
            name = self._described.layers[self._layer].name
            raise ValueError(
                f"[neuron] got '{name}', whose output no kernel wrote: it is its "
                "input, or was copied. Ask for the layer before it."
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
        run = _Run(ran, self._described, self._layer, self._call)
        slicers: dict[tuple[int, int], Slicer] = {}
        still = []
        while self._waiting:
            search = heapq.heappop(self._waiting)
            cell = search.cell
            trace = ran.traces.get(cell.kernel)
            address = run.address_of(cell)
            store = next(stores_to(trace, address), None) if trace else None
            if store is not None:
                self._add_part(run, search, store, slicers)
            elif self._is_complete(ran, cell.kernel):  # it did not write there
                self._wanted.discard(cell)
                within_layer = search.load is not None
                self._search(
                    run.writer(address, cell.kernel, within_layer), search.load
                )
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
        run: _Run,
        search: Search,
        store: Store,
        slicers: dict[tuple[int, int], Slicer],
    ) -> None:
        if search.load is not None and not _is_same(search.load, store):
            return
        number = search.cell.kernel
        if (number, store.block) not in slicers:
            ptx = _ptx(run.ran, number)
            trace = run.ran.traces[number]
            slicers[number, store.block] = Slicer(trace, ptx, store.block)
        root = slicers[number, store.block].slice(store)
        described = self._described
        kernel = described.kernels[number]
        position = place_of(kernel, described.layers, described.ops)
        maker = PartMaker(kernel, position, run.arrays[number], described.gpu.sms)
        self._parts[search.cell] = maker.part(store, root)
        for load in _loads(root):
            self._search(run.writer(load.address, number), load)

    def neuron(self) -> Neuron:
        """Return the full chain; nothing may be missing."""
        chain = tuple(self._parts[cell] for cell in sorted(self._parts))
        last = self._parts[next(iter(self._parts))]  # the first that was found
        name = self._described.layers[self._layer].name
        return Neuron(name, self._index, last.value, chain, len(self._left_out))


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
    return (load.bits ^ store.bits) & ((1 << width) - 1) == 0

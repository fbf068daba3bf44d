"""Owns following one element through the traces of one run, from store to loads.

Must not know how traces are asked for: what is missing is told.
"""

from __future__ import annotations

import heapq
import re

from .. import _core
from .arrays import PlacedArray
from .described import Described, arrays_of
from .layers import SCOPE
from .neuron import Neuron, Part
from .parts import PartMaker
from .recorded_run import Ran
from .slice import Slicer, Store, Value, in_order, stores_to

#: Parts of one neuron, and those of one kernel; those beyond are counted.
MOST_PARTS, MOST_OF_A_KERNEL = 128, 8


class Follow:
    """One attempt, with what a run has traced.

    Args:
        described: the run with counters, for what does not depend on a run.
        ran: the run with traces.
        layer: the layer's number; call: which of its calls; index: the element.

    Attributes:
        arrays: of each kernel, where they lay in this run.
        missing: kernels whose traces lack an address: pairs (kernel, address).
    """

    def __init__(
        self,
        described: Described,
        ran: Ran,
        layer: int,
        call: int,
        index: tuple[int, ...],
    ) -> None:
        self._described, self._ran = described, ran
        self._layer, self._call, self._index = layer, call, index
        self._end, self._own = self._of_the_call()
        self._slicers: dict[tuple[int, int], Slicer] = {}
        self._wanted: set[tuple[int, int]] = set()  # parts: kernels and addresses
        self._left_out: set[tuple[int, int]] = set()
        self.arrays = arrays_of(ran)
        self._written = [self._writable(at) for at in range(len(self.arrays))]
        self.missing: list[tuple[int, int]] = []

    def neuron(self) -> Neuron | None:
        """The whole chain; None where traces are missing.

        Raises:
            ValueError: no kernel wrote the element.
        """
        layer = self._described.layers[self._layer]
        output = self._ran.layers[self._layer].outputs[self._call]
        assert output is not None
        address = output.address_of(self._index)
        first = self._producer(address, self._end, inside=False)
        if first is None and not self.missing:
            raise ValueError(
                f"[neuron] got '{layer.name}', whose output no kernel wrote: it is its "
                "input, or was copied. Ask for the layer before it."
            )
        slices = self._slices(first) if first else {}
        if self.missing or first is None:
            return None
        chain = tuple(self._part(key[0], *slices[key]) for key in sorted(slices))
        last = next(each for each in chain if each.kernel == first[0])
        left_out = len(self._left_out)
        return Neuron(layer.name, self._index, last.value, chain, left_out)

    def _of_the_call(self) -> tuple[int, set[int]]:
        """How many kernels there were at the end of the layer's call; its own ones."""
        detail = f"{self._layer} {self._call}"
        inside: set[int] = set()
        end = 0
        for scope in self._ran.scopes:
            if scope["name"] == SCOPE and scope["detail"] == detail:
                inside.add(scope["id"])
                end = scope["end"]
            elif scope["parent"] in inside:
                inside.add(scope["id"])
        works = self._ran.works
        own = {at for at, each in enumerate(works) if each["scope"] in inside}
        return sum(each["host_begin"] <= end for each in works), own

    def _producer(
        self, address: int, before: int, inside: bool
    ) -> tuple[int, Store] | None:
        """The last kernel before another that stored to an address, and its store."""
        for number in range(before - 1, -1, -1):
            if inside and number not in self._own:
                continue
            if not self._may_write(number, address):
                continue
            trace = self._ran.traces.get(number)
            store = next(stores_to(trace, address), None) if trace else None
            if store is not None:
                return number, store
            if trace is None or not self._is_whole(number):
                self.missing.append((number, address))
                return None
        return None

    def _may_write(self, number: int, address: int) -> bool:
        return any(each.element(address) is not None for each in self._written[number])

    def _writable(self, number: int) -> list[PlacedArray]:
        """Arrays that a kernel writes; where nobody knows, all of them."""
        written = {each.parameter for each in self._described.kernels[number].outputs}
        arrays = self.arrays[number]
        return [each for each in arrays if not written or each.parameter in written]

    def _is_whole(self, number: int) -> bool:
        """Were all warps of a launch traced?"""
        kernel = self._described.kernels[number]
        trace = self._ran.traces[number]
        seen = len({*zip(trace.block.tolist(), trace.warp.tolist(), strict=True)})
        return seen == kernel.blocks * -(-kernel.threads // 32)

    def _part(self, number: int, store: Store, root: Value) -> Part:
        kernel = self._described.kernels[number]
        maker = PartMaker(kernel, self.arrays[number], self._described.gpu.sms)
        return maker.part(store, root)

    def _slices(
        self, first: tuple[int, Store]
    ) -> dict[tuple[int, int], tuple[Store, Value]]:
        """Stores and their slices by kernel and address, from the last kernel back."""
        number, store = first
        waiting: list[tuple[int, int, Store]] = [(-number, store.address, store)]
        slices: dict[tuple[int, int], tuple[Store, Value]] = {}
        self._wanted = {(number, store.address)}
        while waiting:
            negative, address, store = heapq.heappop(waiting)
            number = -negative
            root = self._slicer(number, store.block).slice(store)
            slices[number, address] = store, root
            for earlier, found in self._before(number, root):
                heapq.heappush(waiting, (-earlier, found.address, found))
        return slices

    def _before(self, number: int, root: Value) -> list[tuple[int, Store]]:
        """What earlier kernels of the layer stored of that which a slice loaded."""
        loads = {each.address: each for each in in_order(root) if each.address}
        found = []
        # Zeros last: what a ReLU cut off has no chain of its own.
        for address, load in sorted(loads.items(), key=lambda each: not each[1].bits):
            writer = self._likely_writer(address, number)
            if writer is None or (writer, address) in self._wanted:
                continue
            of_writer = sum(kernel == writer for kernel, _ in self._wanted)
            if len(self._wanted) >= MOST_PARTS or of_writer >= MOST_OF_A_KERNEL:
                self._left_out.add((writer, address))
                continue
            self._wanted.add((writer, address))
            made = self._producer(address, number, inside=True)
            if made is not None and _is_same(load, made[1]):
                found.append(made)
        return found

    def _likely_writer(self, address: int, before: int) -> int | None:
        """The last kernel of the layer before another that may write there."""
        earlier = (each for each in range(before - 1, -1, -1) if each in self._own)
        return next((each for each in earlier if self._may_write(each, address)), None)

    def _slicer(self, number: int, block: int) -> Slicer:
        key = (number, block)
        if key not in self._slicers:
            trace = self._ran.traces[number]
            self._slicers[key] = Slicer(trace, self._ptx(number), block)
        return self._slicers[key]

    def _ptx(self, number: int) -> str:
        work, launch = self._ran.works[number], self._ran.launches[number]
        if work["library"]:
            return _core.library_ptx(
                work["file"], work["entry"], work["spec"], work["options"]
            )
        return launch.ptx


def _is_same(load: Value, store: Store) -> bool:
    """Was it the store's number that was read, and not a later copy from the host?"""
    bits = re.search(r"(\d+)$", load.opcode)
    width = min(int(bits[1]) if bits else 64, 8 * store.size)
    return (load.bits ^ store.bits) & ((1 << width) - 1) == 0

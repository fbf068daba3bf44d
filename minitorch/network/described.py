"""Build layers, ops and kernels of an explanation from the records of a run."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import _core
from ..cuda.inspecting.inspection import Launch
from . import kernel_facts
from .recorded_run import Ran
from .records import Gpu, Kernel, Layer, Op
from .work import useful_macs

_OPS = ("op", "backward")


@dataclass(frozen=True)
class _Place:
    """Layer and innermost op of a scope; within the call, or its way back."""

    layer: int
    op: int | None
    within: bool
    back: bool


_OUTSIDE = _Place(0, None, False, False)


@dataclass(frozen=True)
class _Op:
    scope: dict[str, Any]
    layer: int
    parent: int | None
    back: bool


class Described:
    """What a run was, as an explanation has it.

    Args:
        ran: the run, with counters.
        gpu: the card.

    Attributes:
        ran: the run; gpu: the card; layers, ops, kernels: of the explanation.
    """

    def __init__(self, ran: Ran, gpu: Gpu) -> None:
        self.ran, self.gpu = ran, gpu
        self._residencies = kernel_facts.Residencies(gpu)
        self._ops_begun: list[_Op] = []
        self._places = {-1: _OUTSIDE}
        forward: dict[int, int] = {}  # layers by the number of the graph's step
        for scope in ran.scopes:
            self._places[scope["id"]] = self._place_of(scope, forward)
        self.kernels = tuple(self._kernel(index) for index in range(len(ran.works)))
        self.ops = self._ops()
        self.layers = self._layers()

    def _place_of(self, scope: dict[str, Any], forward: dict[int, int]) -> _Place:
        around = self._places.get(scope["parent"], _OUTSIDE)
        layer, op, within, back = around.layer, around.op, around.within, around.back
        if scope["name"] == self.ran.scope:
            layer, within = self.ran.calls[int(scope["detail"])].layer, True
        elif scope["kind"] == "backward":  # of the forward's layer
            layer = forward.get(scope["sequence"], layer)
            within = back = True
        elif scope["sequence"] >= 0:
            forward[scope["sequence"]] = layer
        if within and scope["kind"] in _OPS:
            self._ops_begun.append(_Op(scope, layer, op, back))
            op = len(self._ops_begun) - 1
        return _Place(layer, op, within, back)

    def _ops(self) -> tuple[Op, ...]:
        launched = [(kernel.op, kernel.index) for kernel in self.kernels]
        kernels = _within(launched, [op.parent for op in self._ops_begun])
        return tuple(
            Op(
                name=op.scope["name"],
                layer=op.layer,
                parent=op.parent,
                backward=op.back,
                shapes=tuple(tuple(entry) for entry in op.scope["shapes"]),
                dtypes=tuple(op.scope["dtypes"]),
                python_line=op.scope["site"],
                file=op.scope["file"],
                line=op.scope["line"],
                kernels=tuple(kernels[number]),
            )
            for number, op in enumerate(self._ops_begun)
        )

    def _layers(self) -> tuple[Layer, ...]:
        called = self.ran.layers
        launched = [(kernel.layer, kernel.index) for kernel in self.kernels]
        kernels = _within(launched, [layer.parent for layer in called])
        return tuple(
            Layer(
                **vars(layer) | {"calls": len(layer.calls)},
                kernels=tuple(kernels[number]),
            )
            for number, layer in enumerate(called)
        )

    def _launched_by(self, work: Mapping[str, Any]) -> dict[str, Any]:
        """Return number and name of the layer and the op that launched a kernel."""
        place = self._places.get(work["scope"], _OUTSIDE)
        op = None if place.op is None else self._ops_begun[place.op]
        return {
            "layer": place.layer,
            "op": place.op,
            "layer_name": self.ran.layers[place.layer].name,
            "op_name": "" if op is None else op.scope["name"],
        }

    def _kernel(self, index: int) -> Kernel:
        work, launch = self.ran.works[index], self.ran.launches[index]
        counters = launch.counters
        grid, block = _triple(work["grid"]), _triple(work["block"])
        blocks, threads = math.prod(grid), math.prod(block)
        source = source_of(work, launch)
        moved = kernel_facts.moved(counters, launch.footprint)
        occupancy = self._residencies.of(work, threads)
        # A user's kernel may be compiled under another name than it has in its source.
        entry = work["entry"] if work["library"] else work["name"]
        written = kernel_facts.written_parameters(source, entry)
        uses = self.ran.arrays[index]
        at_once = occupancy.blocks_per_sm * self.gpu.sms if occupancy else 0
        shapes = {use.parameter: use.shape for use in uses}
        return Kernel(
            index=index,
            name=work["name"],
            file=work["file"],
            **self._launched_by(work),
            python_line=work["site"],
            grid=grid,
            block=block,
            blocks=blocks,
            threads=threads,
            source=source,
            macs_useful=useful_macs(work["entry"], shapes) if work["library"] else 0,
            macs_executed=kernel_facts.macs_executed(counters),
            moved=moved,
            occupancy=occupancy,
            sms_used=min(blocks, self.gpu.sms),
            waves=math.ceil(blocks / at_once) if at_once else None,
            sm_of_block=f"b mod {self.gpu.sms}",
            noted_places=None,
            sms=self.gpu.sms,
            at_least=kernel_facts.at_least(counters, moved.touched, self.gpu, blocks),
            seconds=None,
            inputs=tuple(use for use in uses if use.parameter not in written),
            outputs=tuple(use for use in uses if use.parameter in written),
            launch=launch,
        )


def _within(
    launched: Iterable[tuple[int | None, int]], parents: Sequence[int | None]
) -> dict[int, list[int]]:
    """Return the kernels of each layer or op, and of those within it."""
    kernels: dict[int, list[int]] = defaultdict(list)
    for current, kernel in launched:
        while current is not None:
            kernels[current].append(kernel)
            current = parents[current]
    return kernels


def _triple(extent: Any) -> tuple[int, int, int]:
    x, y, z = extent
    return int(x), int(y), int(z)


def source_of(work: Mapping[str, Any], launch: Launch) -> str:
    """Return the source text of a kernel, or ""."""
    if not work["library"]:
        return launch.source
    return work["source"] or _core.library_source(work["file"])

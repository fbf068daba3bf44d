"""Build layers, ops and kernels of an explanation from the records of a run."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from .. import _core
from ..cuda.inspecting.inspection import Launch
from . import kernel_facts
from .progress import Progress
from .recorded_run import Ran
from .records import Gpu, Kernel, Layer, Op
from .work import useful_macs

_OPS = ("op", "backward")


class Described:
    """What a run was, as an explanation has it.

    Args:
        ran: the run, with counters.
        gpu: the card.
        progress: told of each kernel.

    Attributes:
        ran: the run; gpu: the card; layers, ops, kernels: of the explanation.
    """

    def __init__(self, ran: Ran, gpu: Gpu, progress: Progress) -> None:
        self.ran, self.gpu, self._progress = ran, gpu, progress
        self._residencies = kernel_facts.Residencies(gpu)
        self._scopes = {entry["id"]: entry for entry in ran.scopes}
        self._layer_of_scope = self._layers_of_scopes()
        self._op_of_scope: dict[int, int | None] = {-1: None}
        self._op_scopes: list[dict[str, Any]] = []
        self._going_back: list[bool] = []  # of each of them
        for scope in ran.scopes:
            above = self._op_of_scope.get(scope["parent"])
            if scope["kind"] in _OPS and self._is_within(scope):
                within = above is not None and self._going_back[above]
                above = len(self._op_scopes)
                self._op_scopes.append(scope)
                self._going_back.append(within or scope["kind"] == "backward")
            self._op_of_scope[scope["id"]] = above
        self.kernels = tuple(self._kernel(index) for index in range(len(ran.works)))
        self.ops = self._ops()
        self.layers = self._layers()

    def _layers_of_scopes(self) -> dict[int, int]:
        """Return the layer of each scope; backward scopes have their forward's."""
        layers: dict[int, int] = {}
        forward: dict[int, int] = {}
        for scope in self.ran.scopes:
            layer = layers.get(scope["parent"], 0)
            if scope["kind"] == "user" and scope["name"] == self.ran.scope:
                layer = self.ran.calls[int(scope["detail"])].layer
            elif scope["kind"] == "backward":
                layer = forward.get(scope["sequence"], layer)
            elif scope["sequence"] >= 0:
                forward[scope["sequence"]] = layer
            layers[scope["id"]] = layer
        return layers

    def _is_within(self, scope: Mapping[str, Any]) -> bool:
        """Return whether a scope began in the call or in its backward pass."""
        ancestor: Mapping[str, Any] | None = scope
        while ancestor is not None:
            if ancestor["kind"] == "backward" or ancestor["name"] == self.ran.scope:
                return True
            ancestor = self._scopes.get(ancestor["parent"])
        return False

    def _ops(self) -> tuple[Op, ...]:
        kernels: dict[int, list[int]] = defaultdict(list)
        parents = [self._op_of_scope.get(entry["parent"]) for entry in self._op_scopes]
        for kernel in self.kernels:
            current = kernel.op
            while current is not None:
                kernels[current].append(kernel.index)
                current = parents[current]
        return tuple(
            Op(
                name=scope["name"],
                layer=self._layer_of_scope[scope["id"]],
                parent=parents[number],
                backward=self._going_back[number],
                shapes=tuple(tuple(entry) for entry in scope["shapes"]),
                dtypes=tuple(scope["dtypes"]),
                python_line=scope["site"],
                file=scope["file"],
                line=scope["line"],
                kernels=tuple(kernels[number]),
            )
            for number, scope in enumerate(self._op_scopes)
        )

    def _layers(self) -> tuple[Layer, ...]:
        kernels: dict[int, list[int]] = defaultdict(list)
        called = self.ran.layers
        for kernel in self.kernels:
            current: int | None = kernel.layer
            while current is not None:
                kernels[current].append(kernel.index)
                current = called[current].parent
        return tuple(
            Layer(
                name=layer.name,
                type=layer.type,
                parent=layer.parent,
                input_shapes=layer.input_shapes,
                output_shape=layer.output_shape,
                parameters=layer.parameters,
                parameter_bytes=layer.parameter_bytes,
                calls=len(layer.calls),
                kernels=tuple(kernels[number]),
            )
            for number, layer in enumerate(called)
        )

    def _launched_by(self, work: Mapping[str, Any]) -> dict[str, Any]:
        """Return number and name of the layer and the op that launched a kernel."""
        layer = self._layer_of_scope.get(work["scope"], 0)
        op = self._op_of_scope.get(work["scope"])
        return {
            "layer": layer,
            "op": op,
            "layer_name": self.ran.layers[layer].name,
            "op_name": "" if op is None else self._op_scopes[op]["name"],
        }

    def _kernel(self, index: int) -> Kernel:
        work, launch = self.ran.works[index], self.ran.launches[index]
        self._progress.update(f"kernel {index + 1} of {len(self.ran.works)}")
        counters = launch.counters
        grid, block = _triple(work["grid"]), _triple(work["block"])
        blocks, threads = math.prod(grid), math.prod(block)
        source = source_of(work, launch)
        moved = kernel_facts.moved(counters, launch.footprint)
        occupancy = self._residencies.of(work, threads)
        written = _written_by(work, source)
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
            sectors=kernel_facts.sectors(counters),
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


def _triple(extent: Any) -> tuple[int, int, int]:
    x, y, z = extent
    return int(x), int(y), int(z)


def _written_by(work: Mapping[str, Any], source: str) -> set[str]:
    # A user's kernel may be compiled under another name than it has in its source.
    name = work["entry"] if work["library"] else work["name"]
    return kernel_facts.written_parameters(source, name)


def source_of(work: Mapping[str, Any], launch: Launch) -> str:
    """Return the source text of a kernel, or ""."""
    if not work["library"]:
        return launch.source
    return work["source"] or _core.library_source(work["file"])

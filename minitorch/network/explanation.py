"""An explanation: layers, ops and kernels of one call, as plain data."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..cuda.pictures import picture_of
from ..cuda.tracebacks import learner_methods
from .neuron import Neuron
from .plain_data import plain
from .records import Gpu, Kernel, Layer, Op, Totals
from .steps import steps_of
from .table import table_of

SCHEMA = "minitorch.explain/1"


@learner_methods
@dataclass(frozen=True)
class Explanation:
    """How one call runs on a card: see `minitorch.explain`.

    Attributes:
        call: what was called: a module's class or a function's name.
        gpu: the card.
        layers, ops, kernels: in the order in which they began.
    """

    call: str
    gpu: Gpu
    layers: tuple[Layer, ...]
    ops: tuple[Op, ...]
    kernels: tuple[Kernel, ...]
    _neuron: Callable[..., Neuron] = field(metadata={"plain": False}, repr=False)
    # Of kernels with small results, who wrote each element; another run finds it.
    _owners: Callable[[], Mapping[int, tuple[int, ...]]] = field(
        metadata={"plain": False}, repr=False
    )

    @property
    def totals(self) -> Totals:
        """Sums over all kernels."""
        touched = [entry.moved.touched for entry in self.kernels]
        asked = [entry.moved.asked for entry in self.kernels]
        root = self.layers[0] if self.layers else None
        return Totals(
            kernels=len(self.kernels),
            macs_useful=sum(entry.macs_useful for entry in self.kernels),
            macs_executed=sum(entry.macs_executed for entry in self.kernels),
            asked=sum(entry.read + entry.written for entry in asked),
            touched=sum(entry.either for entry in touched if entry is not None),
            parameters=root.parameters if root else 0,
            parameter_bytes=root.parameter_bytes if root else 0,
            at_least=sum(entry.at_least.seconds for entry in self.kernels),
        )

    def table(self, by: str = "kernel") -> str:
        """Return a table to print: a line for each row, and one for their sum.

        Args:
            by: "kernel": a row for each launch, where launches that are alike are one
                row with their sums; "layer": a row for each layer that launches.

        Raises:
            ValueError: something else.
        """
        return table_of(self, by)

    def steps(self) -> str:
        """Return the steps with their numbers, as text to print."""
        return steps_of(self)

    def neuron(
        self,
        layer: str,
        index: tuple[int, ...],
        call: int = 0,
        output: int = 0,
    ) -> Neuron:
        """Return the threads that compute one element, and their inputs.

        The layer's call runs once more, with that element's threads recorded. It runs
        alone, on the inputs that it had; the whole call runs where they changed since,
        are more than 512 MiB in all, or an override was open.

        Args:
            layer: a layer's name, such as "layer1"; "" for the outermost.
            index: the element, one number for each dimension of the output.
            call: which of the layer's calls, from 0, where it ran more than once.
            output: which of the tensors that it gave, from 0, where there are several:
                of an LSTM's `(output, (h, c))` 2 is c.

        Returns:
            A part for each kernel that had a share in it, in the order of the launches.

        Raises:
            KeyError: no such layer.
            IndexError: the output has no such element.
            ValueError: the layer's result is no tensor of a kernel; it has no such
                call or output.
            RuntimeError: the call does something else when it runs again.
            TypeError: the index has something else than whole numbers.
        """
        return self._neuron(layer, index, call, output)

    def owners(self) -> Mapping[int, tuple[int, ...]]:
        """Which thread writes each element of the results of small kernels.

        The first time the call runs once more, to see it.

        Returns:
            By the kernel's number, for each element of its first output in the order of
            memory: the thread's number in the launch (the block's number times the
            threads of a block, and the thread's in it), -1 for none. Kernels with more
            than 4,096 elements, or many instructions, are missing.
        """
        return self._owners()

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data; "schema" is "minitorch.explain/1".

        Kernels have their `owners`, as that method gives them; it may run the call.
        """
        tree: dict[str, Any] = {"schema": SCHEMA, **plain(self)}
        tree["totals"] = plain(self.totals)
        owners = self.owners()
        for kernel, record in zip(tree["kernels"], self.kernels, strict=True):
            if record.noted_places is not None:
                kernel["places"] = plain(record.noted_places)
            if kernel["index"] in owners:
                kernel["owners"] = list(owners[kernel["index"]])
        return tree

    def save(self, path: str | Path) -> None:
        """Write it to a file: "x.json" as plain data, "x.html" as a page.

        Raises:
            ValueError: another ending.
        """
        path = Path(path)
        if path.suffix == ".json":
            path.write_text(json.dumps(self.to_dict(), indent=1), "utf-8")
        elif path.suffix == ".html":
            self.show().save(path)
        else:
            raise ValueError(
                f"[save] got {path.name!r}; the name must end in .json or .html."
            )

    def show(self) -> Any:
        """Draw layers, kernels, and the data they move; return a figure."""
        return picture_of("explanation", self)

    def __repr__(self) -> str:
        return (
            f"Explanation({self.call}: {len(self.layers)} layers, "
            f"{len(self.kernels)} kernels on {self.gpu.name})"
        )

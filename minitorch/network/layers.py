"""Record the layers of a call: names, shapes, and outputs.

A layer is a module that was called. Each call is a scope of the recorder, by which ops
and kernels find their layer.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from .. import _core
from .._core import Tensor
from ..module import Module
from .copies import parameters_within
from .progress import Progress

_watches = itertools.count()


class Reached(BaseException):
    """Raised after the requested call of a layer to end the run; not an error."""


@dataclass
class Output:
    """A tensor returned by a call of a layer, and its address when the call ended."""

    tensor: Tensor | None  # kept, so that its memory is not used again
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    address: int
    item: int
    dtype: str
    on_device: bool

    @classmethod
    def of(cls, tensor: Tensor) -> Output:
        """Create from a tensor; element (0, …, 0) is at `address`."""
        address, _, first = tensor._storage
        item = tensor.dtype.itemsize
        return cls(
            tensor=tensor,
            shape=tuple(tensor.shape),
            strides=tuple(tensor.strides),
            address=address + first * item,
            item=item,
            dtype=tensor.dtype.name,
            on_device=tensor.device == "cuda",
        )

    def release(self) -> None:
        """Release the tensor; its memory may then be reused."""
        self.tensor = None

    def address_of(self, index: tuple[int, ...]) -> int:
        """Return the address of an element."""
        steps = zip(index, self.strides, strict=True)
        return self.address + self.item * sum(i * step for i, step in steps)


@dataclass
class CalledLayer:
    """A layer as first called, and the outputs of all its calls."""

    name: str
    type: str
    parent: int | None
    parameters: int
    parameter_bytes: int
    input_shapes: tuple[tuple[int, ...], ...] = ()
    outputs: list[list[Output]] = field(default_factory=list)
    calls: int = 0

    @property
    def output_shape(self) -> tuple[int, ...] | None:
        """Shape of the first call's result, or None unless it is a single tensor."""
        first = self.outputs[0] if self.outputs else []
        return first[0].shape if len(first) == 1 else None


class LayerWatch:
    """Notes the layers of one call, whose modules are copies made for it.

    Args:
        roots: names and modules; those within have dotted names below.
        progress: told of each call that begins.
        until: the numbers of a layer and of one of its calls, whose end raises
            Reached; None: the run goes on to its end.

    Attributes:
        layers: in the order of their first calls.
        scope: the name of the scopes of their calls, whose detail is "LAYER CALL";
            no other watch has it, should one be within the call.
    """

    def __init__(
        self,
        roots: Iterable[tuple[str, Module]],
        progress: Progress,
        until: tuple[int, int] | None = None,
    ) -> None:
        self.layers: list[CalledLayer] = []
        self.scope = f"minitorch.explain {next(_watches)}"
        self._progress, self._until = progress, until
        self._numbers: dict[int, int] = {}
        self._open: list[int] = []
        self._watched: dict[int, Module] = {}
        for name, module in roots:
            self._watch(name, module)

    def _watch(self, name: str, module: Module | None) -> None:
        if module is None or id(module) in self._watched:
            return  # a module in two places has the name of the first
        self._watched[id(module)] = module
        plain: Callable[..., Any] = module.forward

        def forward(*values: Any, **options: Any) -> Any:
            if self._open and self._open[-1] == self._numbers.get(id(module)):
                return plain(*values, **options)  # it called itself: the same call
            with self._within(name, module, [*values, *options.values()]) as result:
                result.append(plain(*values, **options))
            return result[0]

        # In the instance, where it hides the method of the class from `__call__`.
        module.__dict__["forward"] = forward
        for part, inner in module._modules.items():
            self._watch(f"{name}.{part}" if name else part, inner)

    def release(self) -> None:
        """Restore the modules and release them: they would form reference cycles."""
        for module in self._watched.values():
            module.__dict__.pop("forward", None)
        self._watched.clear()

    @contextmanager
    def outermost(self, type_: str) -> Iterator[list[Any]]:
        """Open the outermost layer, around a call that is no module itself."""
        counts = _parameters(self._watched.values())
        layer = CalledLayer("", type_, None, *counts)
        self.layers.append(layer)
        with self._scope(0) as result:
            yield result

    @contextmanager
    def going_back(self) -> Iterator[None]:
        """Open a scope around the backward pass; it belongs to the outermost layer."""
        _core.begin_scope(self.scope, "user", "0 back")
        try:
            yield
        finally:
            _core.end_scope()

    @contextmanager
    def _within(
        self, name: str, module: Module, given: list[Any]
    ) -> Iterator[list[Any]]:
        number = self._numbers.get(id(module))
        if number is None:
            number = self._numbers[id(module)] = len(self.layers)
            parent = self._open[-1] if self._open else None
            counts = _parameters([module])
            layer = CalledLayer(name, type(module).__name__, parent, *counts)
            layer.input_shapes = tuple(
                tuple(value.shape) for value in given if isinstance(value, Tensor)
            )
            self.layers.append(layer)
        with self._scope(number) as result:
            yield result

    @contextmanager
    def _scope(self, number: int) -> Iterator[list[Any]]:
        layer = self.layers[number]
        self._progress.update(f"running {layer.name or layer.type}")
        result: list[Any] = []
        self._open.append(number)
        _core.begin_scope(self.scope, "user", f"{number} {layer.calls}")
        layer.calls += 1
        layer.outputs.append([])
        call = len(layer.outputs) - 1
        try:
            yield result
        finally:
            _core.end_scope()
            self._open.pop()
        layer.outputs[call] = [Output.of(tensor) for tensor in tensors_in(result)]
        if (number, call) == self._until:
            raise Reached


def tensors_in(result: Any) -> list[Tensor]:
    """Return the tensors of a result, also in tuples, lists and dicts, in order."""
    if isinstance(result, Tensor):
        return [result]
    if isinstance(result, dict):
        result = list(result.values())
    if not isinstance(result, list | tuple):
        return []
    return [tensor for part in result for tensor in tensors_in(part)]


def _parameters(modules: Iterable[Module]) -> tuple[int, int]:
    """Count the parameters of the modules and their bytes, shared ones once."""
    tensors: dict[int, Tensor] = {}
    for module in modules:
        tensors |= {id(tensor): tensor for tensor in parameters_within(module)}
    cells = [
        (math.prod(tensor.shape), tensor.dtype.itemsize) for tensor in tensors.values()
    ]
    return sum(n for n, _ in cells), sum(n * item for n, item in cells)

"""Record the layers of a call: names, shapes, outputs, and what calls began with.

A layer is a module that was called. Each call is a scope of the recorder, by which ops
and kernels find their layer.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from .. import _core
from .._core import DType, Tensor
from ..module import Module, Parameter
from .copies import modules_within
from .records import ArrayUse
from .thread_modes import ThreadModes

#: Bytes of inputs that an explanation keeps; where there are more, it keeps none.
MOST_KEPT = 512 << 20
_PLAIN = (type(None), bool, int, float, complex, str, DType)

_watches = itertools.count()


class Reached(BaseException):
    """Raised after the requested call of a layer to end the run; not an error."""


@dataclass
class Output:
    """A tensor returned by a call of a layer, and where it lay when the call ended."""

    tensor: Tensor | None  # kept, so that its memory is not used again
    array: ArrayUse
    on_device: bool

    @classmethod
    def of(cls, tensor: Tensor) -> Output:
        """Create from a tensor; element (0, …, 0) is at the array's address."""
        address, _, first = tensor._storage
        item = tensor.dtype.itemsize
        array = ArrayUse.of(
            "",
            shape=tensor.shape,
            dtype=tensor.dtype.name,
            address=address + first * item,
            strides=tensor.strides,
            item=item,
        )
        return cls(tensor, array, tensor.device == "cuda")


@dataclass
class Start:
    """What a call of a layer began with, so that it can run again alone.

    Attributes:
        layer: its name.
        arguments: by position and by name; their tensors are not copies.
        versions: of these tensors: in-place changes of their memory before the call.
        modes: of the thread.
    """

    layer: str
    arguments: tuple[list[Any], dict[str, Any]]
    versions: list[int]
    modes: ThreadModes

    def drop_history(self) -> None:
        """Replace the tensors by leaves of the same memory, which keep no graph."""
        self.arguments = _rebuilt(
            self.arguments,
            lambda tensor: tensor.detach().requires_grad_(tensor.requires_grad),
        )

    @property
    def is_unchanged(self) -> bool:
        """Whether the tensors are still as they were."""
        versions = [tensor._version for tensor in tensors_in(self.arguments)]
        return versions == self.versions


@dataclass
class LayerCall:
    """One call of a layer: the layer's number, and what it returned.

    `start` is None where the call cannot run alone: the outermost one, and one with
    arguments other than tensors and plain values, or under an override, which goes by
    the names of all modules around, or whose module had changed since the beginning.
    """

    layer: int
    start: Start | None = None
    outputs: list[Output] = field(default_factory=list)


@dataclass
class CalledLayer:
    """A layer as first called, and the numbers of its calls."""

    name: str
    type: str
    parent: int | None
    parameters: int
    parameter_bytes: int
    input_shapes: tuple[tuple[int, ...], ...] = ()
    output_shape: tuple[int, ...] | None = None  # of a single tensor
    calls: list[int] = field(default_factory=list)


class LayerWatch:
    """Notes the layers of one call, whose modules are copies made for it.

    Args:
        modules: with dotted names.
        first: the number of the first call of a layer.
        until: the number of the one whose end raises Reached; None: the run goes on.

    Attributes:
        layers: in the order of their first calls.
        calls: of the layers, in the order in which they began.
        scope: the name of the scopes of the calls, whose detail is the call's number;
            no other watch has it, should one be within the call.
    """

    def __init__(
        self,
        modules: Iterable[tuple[str, Module]],
        first: int = 0,
        until: int | None = None,
    ) -> None:
        self.layers: list[CalledLayer] = []
        self.calls: list[LayerCall] = []
        self.scope = f"minitorch.explain {next(_watches)}"
        self._first, self._until = first, until
        self._modes: ThreadModes | None = None  # of the last call: states are large
        self._numbers: dict[int, int] = {}
        self._open: list[int] = []
        self._modules = [self._watched(*named) for named in modules]
        self._states = {id(module): _state(vars(module)) for module in self._modules}

    def _watched(self, name: str, module: Module) -> Module:
        plain: Callable[..., Any] = module.forward

        def forward(*values: Any, **options: Any) -> Any:
            number = self._numbers.get(id(module))
            if self._open and self._open[-1] == number:
                return plain(*values, **options)  # it called itself: the same call
            start = self._start(name, module, values, options)
            if number is None:
                number = self._numbers[id(module)] = len(self.layers)
                given = [*values, *options.values()]
                self._add_layer(name, type(module).__name__, [module], given)
            with self._scope(number, start) as result:
                result.append(plain(*values, **options))
            return result[0]

        # In the instance, where it hides the method of the class from `__call__`.
        module.__dict__["forward"] = forward
        return module

    def release(self) -> None:
        """Restore the modules and release them: they would form reference cycles."""
        for module in self._modules:
            module.__dict__.pop("forward", None)
        self._modules.clear()

    def _start(
        self, name: str, module: Module, values: Iterable[Any], options: dict[str, Any]
    ) -> Start | None:
        modes = ThreadModes.now()
        self._modes = modes = self._modes if modes == self._modes else modes
        is_as_begun = self._open and all(
            self._states.get(id(part)) == _state(vars(part))
            for _, part in modules_within(name, module, set())
        )
        if not is_as_begun or any(modes.overrides):
            return None
        try:
            arguments = _rebuilt(([*values], options), lambda tensor: tensor)
        except TypeError:
            return None
        versions = [tensor._version for tensor in tensors_in(arguments)]
        return Start(name, arguments, versions, modes)

    def _add_layer(
        self, name: str, type_: str, modules: Iterable[Module], given: Iterable[Any]
    ) -> None:
        parent = self._open[-1] if self._open else None
        layer = CalledLayer(name, type_, parent, *_parameters(modules))
        layer.input_shapes = tuple(
            tuple(value.shape) for value in given if isinstance(value, Tensor)
        )
        self.layers.append(layer)

    @contextmanager
    def outermost(self, type_: str) -> Iterator[list[Any]]:
        """Open the outermost layer, around a call that is no module itself."""
        self._add_layer("", type_, self._modules, ())
        with self._scope(0, None) as result:
            yield result

    @contextmanager
    def going_back(self) -> Iterator[None]:
        """Open a scope around the backward pass; it belongs to the outermost layer."""
        _core.begin_scope(self.scope, "user", "0")
        try:
            yield
        finally:
            _core.end_scope()

    @contextmanager
    def _scope(self, number: int, start: Start | None) -> Iterator[list[Any]]:
        layer = self.layers[number]
        result: list[Any] = []
        call = LayerCall(number, start)
        index = self._first + len(self.calls)
        self.calls.append(call)
        layer.calls.append(index)
        self._open.append(number)
        _core.begin_scope(self.scope, "user", str(index))
        try:
            yield result
        finally:
            _core.end_scope()
            self._open.pop()
        call.outputs = [Output.of(tensor) for tensor in tensors_in(result)]
        if layer.calls[0] == index and len(call.outputs) == 1:
            layer.output_shape = call.outputs[0].array.shape
        if index == self._until:
            raise Reached


def keep_starts(calls: Sequence[LayerCall]) -> None:
    """Keep what calls began with, without history; nothing beyond MOST_KEPT bytes."""
    kept: dict[int, int] = {}  # bytes by the address of the memory
    for call in calls:
        start = call.start
        if start is None or not start.is_unchanged:
            call.start = None
            continue
        start.drop_history()
        for tensor in tensors_in(start.arguments):
            address, size, _ = tensor._storage
            kept[address] = size
    if sum(kept.values()) > MOST_KEPT:
        for call in calls:
            call.start = None


def tensors_in(result: Any) -> list[Tensor]:
    """Return the tensors of a result, also in tuples, lists and dicts, in order."""
    if isinstance(result, Tensor):
        return [result]
    if isinstance(result, dict):
        result = list(result.values())
    if not isinstance(result, list | tuple):
        return []
    return [tensor for part in result for tensor in tensors_in(part)]


def _rebuilt(value: Any, change: Callable[[Tensor], Tensor]) -> Any:
    """Return arguments with other tensors; TypeError for what is no plain value."""
    if isinstance(value, Tensor):
        return change(value)
    if type(value) is dict:
        return {key: _rebuilt(part, change) for key, part in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_rebuilt(part, change) for part in value)
    if isinstance(value, _PLAIN):
        return value
    raise TypeError(
        f"[explain] cannot copy an argument of type {type(value).__name__}. Pass "
        "modules, tensors and plain values."
    )


def _state(value: Any) -> Any:
    """Return what tells whether a module, or an attribute of it, has changed."""
    if isinstance(value, Parameter):
        value = value.value
    if isinstance(value, Tensor):
        return value.unique_id, value._version
    if isinstance(value, dict):
        return {key: _state(part) for key, part in value.items()}
    return value if isinstance(value, _PLAIN) else id(value)


def _parameters(modules: Iterable[Module]) -> tuple[int, int]:
    """Count the parameters of the modules and their bytes, shared ones once."""
    tensors = {
        id(parameter): parameter.value
        for module in modules
        for parameter in module.parameters()
        if isinstance(parameter.value, Tensor)
    }
    cells = [
        (math.prod(tensor.shape), tensor.dtype.itemsize) for tensor in tensors.values()
    ]
    return sum(n for n, _ in cells), sum(n * item for n, item in cells)

"""`minitorch.explain`: run a call on the emulator, and describe layers, ops and
kernels.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from .. import _core
from ..cuda.errors import CudaError
from ..cuda.tracebacks import learner_frames
from ..module import Module
from .chain import Chain
from .copies import Call
from .described import Described
from .explanation import Explanation
from .follow import Element
from .kernel_facts import gpu_named
from .neuron import Neuron
from .owners import owners_in, small_results
from .placed import placed
from .recorded_run import (
    Ran,
    Traced,
    Wanted,
    name_of,
    require_same_launches,
    run,
    run_for_places,
)
from .records import Gpu
from .thread_modes import ThreadModes

_PLACES = ("modelled", "measured")


@learner_frames
def explain(
    call: Callable[..., Any],
    *args: Any,
    gpu: str | None = None,
    backward: bool = False,
    places: str = "modelled",
) -> Explanation:
    """Run a call once on the emulator, and say how it is mapped onto a GPU.

    Modules and tensors among the arguments, and a module that is the call, are copied
    there with all that they hold, wherever they are; nothing of the caller's changes:
    no gradient, no running statistic, no random number. What a function finds
    elsewhere, such as a module of its closure, is used as it is: give it as an
    argument. New tensors lie on the emulator, too, unless they are made with a
    `device`. What the call launches from other threads is not seen.

    `neuron`, `to_dict` and pictures run the call again, under the overrides, default
    dtypes, recording of history and random numbers of now.

    Kernels, grids, counts and the bytes that warps ask for do not depend on the card;
    it only decides what the numbers mean: which multiprocessors have a block, how many
    blocks one holds, and the bound below which no run can be.

    Args:
        call: A module or a function.
        args: Its arguments.
        gpu: A card: "t4", "rtx3090", "a100", "h100" or "h200"; None: the device's.
        backward: Go back from the result, too, which must be one number with a
            gradient: a loss.
        places: "modelled": block b of a launch runs on multiprocessor b modulo their
            number. "measured": the call runs once more, with kernels that note
            their places (`cuda.record_places`); `gpu` must be the device's then. On
            the emulator that is its own rule, which is the same.

    Returns:
        The layers in the order of their first calls, the ops of each, and their
        kernels. A function's outermost layer is the function; modules among its
        arguments have the names of its parameters.

    Raises:
        ValueError: An unknown card; no launch; `backward` without a loss; "measured"
            places of a card that the device is not.
        TypeError: An argument that cannot be copied; `call` cannot be called.
        CudaError: On a GPU, where launches cannot be counted.
        Exception: What the call raises.

    Example:
        >>> import minitorch
        >>> from minitorch import nn
        >>> net = nn.Sequential(nn.Linear(32, 8), nn.ReLU(), nn.Linear(8, 1))
        >>> explained = minitorch.explain(net, minitorch.ones(64, 32), gpu="rtx3090")
        >>> explained
        Explanation(Sequential: 4 layers, 5 kernels on rtx3090)
        >>> kernel = explained.kernels[0]
        >>> kernel.name, kernel.grid, kernel.macs_useful, kernel.macs_executed
        ('matmul_tiled', (1, 4, 1), 16384, 32768)
        >>> neuron = explained.neuron("0", (37, 3))
        >>> part = neuron.chain[0]
        >>> part.block, part.thread, part.warp, part.lane, len(part.macs)
        ((0, 2, 0), (3, 5, 0), 2, 19, 32)
        >>> part.recompute() == part.value
        True
    """
    _check(call, backward, places)
    call = _module_of(call)
    _core.require_no_capture("minitorch.explain", "Explain it before the capture.")
    card = gpu_named(gpu)
    if places == "measured":
        _check_is_device(card)
    _require_emulator()
    start = ThreadModes.now()
    original = Call(call, args).copied()
    name = name_of(original.function)
    ran = run(original, start, Wanted(backward))
    if not ran.works:
        raise ValueError(
            f"[explain] {name} launched no kernel. Pass modules and tensors with "
            "elements as arguments: explain(lambda net, x: net(x), net, x)."
        )
    described = Described(ran, card)
    ran.release()
    kernels = described.kernels
    if places == "measured":
        launches = run_for_places(original, start, backward)
        kernels = placed(kernels, launches, card)
    return Explanation(
        call=name,
        gpu=card,
        layers=described.layers,
        ops=described.ops,
        kernels=kernels,
        _neuron=partial(_neuron, described, original, start),
        _owners=cache(partial(_owners, described, original, start, backward)),
    )


def _require_emulator() -> None:
    if not _core.is_emulated():
        raise CudaError(
            "[explain] explain() needs the emulator, which counts; the device is "
            f"{_core.device_name()}, a GPU. Start Python with MINITORCH_CUDA=emulator."
        )


def _owners(
    described: Described, original: Call, start: ThreadModes, backward: bool
) -> dict[int, tuple[int, ...]]:
    """Return the thread that wrote each element of small outputs, by kernel number."""
    small = small_results(described.kernels)
    if not small:
        return {}
    ran = run(original, start, Wanted(backward, [Traced(tuple(small))]))
    require_same_launches("to_dict", described.ran, ran)
    owners_of = {}
    for number in small:
        kernel = described.kernels[number]
        name = kernel.outputs[0].parameter
        array = next(
            candidate for candidate in ran.arrays[number] if candidate.parameter == name
        )
        owners = owners_in(ran.traces[number], array, kernel.threads)
        if owners is not None:
            owners_of[number] = owners
    return owners_of


def _neuron(
    described: Described,
    original: Call,
    start: ThreadModes,
    layer: str,
    index: tuple[int, ...],
    call: int,
    output: int,
) -> Neuron:
    element = _element_of(described, layer, index, call, output)

    def rerun(wanted: Wanted) -> Ran:
        ran = run(original, start, wanted)
        require_same_launches("neuron", described.ran, ran)
        return ran

    return Chain(described, rerun, element).neuron()


def _check(call: Any, backward: Any, places: Any) -> None:
    if not callable(call):
        raise TypeError(
            f"[explain] got {type(call).__name__}; need a module or a function."
        )
    if not isinstance(backward, bool):
        raise TypeError(f"[explain] got backward={backward!r}; need True or False.")
    if places not in _PLACES:
        raise ValueError(
            f"[explain] got places={places!r}; need one of {', '.join(_PLACES)}."
        )


def _check_is_device(card: Gpu) -> None:
    """Raise unless the card is the one on which the kernels run."""
    device = gpu_named(None)
    if card.name != device.name:
        raise ValueError(
            f"[explain] places='measured' needs the device itself, {device.name!r}, "
            f"but got gpu={card.name!r}. Use gpu=None or places='modelled', or start "
            f"Python with MINITORCH_EMULATED_GPU={card.name}."
        )


def _module_of(call: Any) -> Any:
    """Return the module whose `forward` this is, or else the call."""
    owner = getattr(call, "__self__", None)
    is_forward = isinstance(owner, Module) and call == owner.forward
    return owner if is_forward else call


def _element_of(
    described: Described, name: Any, index: Any, call: Any, output: Any
) -> Element:
    """Validate the arguments of `neuron`."""
    names = [entry.name for entry in described.layers]
    if name not in names:
        raise KeyError(
            f"[neuron] got layer {name!r}; need one of {', '.join(map(repr, names))}."
        )
    calls = described.ran.layers[names.index(name)].calls
    number = calls[_checked_number("call", call, name, len(calls))]
    outputs = described.ran.calls[number].outputs
    if not outputs:
        raise ValueError(
            f"[neuron] '{name}' returned no tensor; need a layer that returns one."
        )
    part = _checked_number("output", output, name, len(outputs))
    if not outputs[part].on_device:
        raise ValueError(
            f"[neuron] the result of '{name}' is not on the device; need a tensor on "
            "cuda."
        )
    shape = outputs[part].array.shape
    return Element(name, number, part, _index(name, index, shape))


def _checked_number(parameter: str, given: Any, layer: str, count: int) -> int:
    is_integer = isinstance(given, int) and not isinstance(given, bool)
    if not is_integer or not 0 <= given < count:
        raise ValueError(
            f"[neuron] got {parameter}={given!r} for '{layer}'; need 0 to {count - 1}."
        )
    return int(given)


def _index(name: str, index: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    given = index if isinstance(index, tuple | list) else (index,)
    try:
        numbers = tuple(operator.index(number) for number in given)
    except TypeError:
        raise TypeError(
            f"[neuron] got index {index!r}; need ints, such as (0, 3)."
        ) from None
    fits = len(numbers) == len(shape) and all(
        -extent <= i < extent for i, extent in zip(numbers, shape, strict=True)
    )
    if not fits:
        raise IndexError(
            f"[neuron] index {numbers} is out of range for '{name}' with output shape "
            f"{shape}."
        )
    return tuple(i % extent for i, extent in zip(numbers, shape, strict=True))

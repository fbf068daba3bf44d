"""`minitorch.source`: run a call under a recording, and return its call hierarchy."""

from __future__ import annotations

import difflib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ... import _core, functional
from ..._core import Tensor
from ...cuda.device.device import synchronize
from ...cuda.tracebacks import learner_frames, learner_methods
from ...module import Module
from ...tensors.create import new_tensors_on
from ..copies import Call
from ..layers import tensors_in
from ..scopes import Record
from .hierarchy import Hierarchy, KernelSource, Step, kernels_of
from .op_samples import SAMPLES_BY_NAME

MOST_RECORDS = 200_000
MOST_LINES = 200
DEVICES = ("cpu", "cuda")


@dataclass(frozen=True)
class Pass:
    """A call on one device, in one direction.

    Attributes:
        device: that of a sample; of a call "cuda" where it launched kernels, copied,
            or gave a tensor there, else "cpu".
        direction: "forward" or "backward".
        steps: the outermost steps of its call hierarchy.
        kernels: each kernel that it launched, once.
        dropped: records beyond the first 200,000, which are not in it.
    """

    device: str
    direction: str
    steps: tuple[Step, ...]
    kernels: tuple[KernelSource, ...]
    dropped: int = 0


@learner_methods
@dataclass(frozen=True)
class Source:
    """Source of a call and its call hierarchy; see `minitorch.source`.

    Attributes:
        call: what was called.
        passes: the ways that it went.
    """

    call: str
    passes: tuple[Pass, ...]

    @property
    def kernels(self) -> tuple[KernelSource, ...]:
        """Kernels of all passes, once for each specialisation."""
        return tuple(kernel for part in self.passes for kernel in part.kernels)

    def kernel(self, name: str) -> KernelSource:
        """Return the first kernel with this file or name.

        Args:
            name: such as "conv2d.cu", or "conv2d".

        Raises:
            KeyError: no kernel of that name ran.

        Example:
            >>> import minitorch
            >>> text = minitorch.source("relu").kernel("map.cu").text
            >>> "__global__" in text
            True
        """
        for kernel in self.kernels:
            if name in (kernel.file, kernel.name):
                return kernel
        ran = sorted({kernel.file or kernel.name for kernel in self.kernels})
        listed = ", ".join(ran) if ran else "no kernel"
        raise KeyError(f"[kernel] got {name!r}; need a kernel that ran: {listed}.")

    def text(self, most_lines: int | None = None) -> str:
        """Return the call hierarchy of each pass, to print.

        Args:
            most_lines: how many lines at most; by default all.
        """
        lines = [line for part in self.passes for line in _lines(self.call, part)]
        if most_lines is None or len(lines) <= most_lines:
            return "\n".join(lines)
        more = len(lines) - most_lines
        last = f"... {more:,} more lines: print all with .text()"
        return "\n".join([*lines[:most_lines], last])

    def __repr__(self) -> str:
        return self.text(MOST_LINES)


def _lines(call: str, part: Pass) -> list[str]:
    """Return a line for each step, indented below its caller."""
    rows = list(_rows(part.steps, 1))
    width = max((len(left) for left, _ in rows), default=0)
    lines = [f"{call}, {part.direction} on {part.device}"]
    lines += [f"{left:<{width}}  {right}".rstrip() for left, right in rows]
    if part.dropped:
        lines.append(f"  {part.dropped:,} more records were not kept")
    return lines


def _rows(steps: Sequence[Step], depth: int) -> Iterator[tuple[str, str]]:
    """Yield name and description of each step; merge equal neighbours."""
    index = 0
    while index < len(steps):
        step = steps[index]
        count = 1
        while index + count < len(steps) and steps[index + count] == step:
            count += 1
        times = f" ({count} times)" if count > 1 else ""
        left = "  " * depth + " ".join(filter(None, [step.place, step.name]))
        yield left, f"{step.kind} {step.detail}".rstrip() + times
        yield from _rows(step.children, depth + 1)
        index += count


@learner_frames
def source(
    op: str | Callable[..., Any],
    *args: Any,
    device: str | None = None,
    backward: bool = True,
    **named: Any,
) -> Source:
    """Find the source of an operation by running it and recording what it calls.

    The call hierarchy has Python lines, functions of `cpp/autograd` and `cpp/ops` with
    file and line, and at the end the loop of `cpp/cpu`, or the kernel of `cpp/kernels`
    with its grid. What is shown is what ran: kernels differ with dtype and shape.

    Args:
        op: the name of an operation, or its function in `minitorch.functional` without
            arguments: then a small sample runs, on both devices. Or a call of yours:
            any function or module with its arguments, or a lambda without.
        args, named: for your call, which gets copies: gradients, running statistics
            and random numbers of yours stay as they are. What a lambda reaches by
            itself is no copy.
        device: "cpu" or "cuda": of the sample, or where the copies of your arguments
            lie. By default both, or where your arguments lie.
        backward: go back as well where a result requires gradients, unless the call
            has done so itself.

    Returns:
        A Source: print it, or ask it for `kernel("conv2d.cu").text`.

    Raises:
        ValueError: no such operation or device, a device without arguments to lay
            there, or your call ran no operation.
        TypeError: neither a name nor something to call, arguments beside a name, or
            arguments that cannot be copied.
        KernelError: a kernel of your call had a fault.
        Exception: what your call raises.

    Example:
        >>> import minitorch, minitorch.nn as nn
        >>> found = minitorch.source("conv2d", device="cuda")
        >>> kernel = found.kernel("conv2d.cu")
        >>> kernel.grid, kernel.block
        ((1, 1, 1), (256, 1, 1))
        >>> x = minitorch.randn(4, 3)
        >>> [p.direction for p in minitorch.source(nn.Linear(3, 2), x).passes]
        ['forward', 'backward']
    """
    if device not in (None, *DEVICES):
        raise ValueError(f"[source] got device {device!r}; need 'cpu' or 'cuda'.")
    name = _sampled(op, args, named)
    if name is not None:
        row = SAMPLES_BY_NAME.get(name)
        if row is None:
            raise ValueError(_unknown(name))
        sample_passes: list[Pass] = []
        for target in (device,) if device else DEVICES:
            ways = _passes(row.on(target), backward)
            sample_passes += [replace(way, device=target) for way in ways]
        return Source(name, tuple(sample_passes))
    assert callable(op)
    passes = _passes(_copied(op, args, named, device), backward)
    name = Call(op, args).name
    if not any(step for part in passes for step in part.steps):
        raise ValueError(
            f"[source] {name} ran no operation of minitorch. Pass a call that "
            "computes with tensors, such as lambda: F.relu(x)."
        )
    return Source(name, tuple(passes))


def _sampled(op: object, args: tuple[Any, ...], named: dict[str, Any]) -> str | None:
    """Return the name of the requested sample, or None for a call."""
    if isinstance(op, str):
        if args or named:
            raise TypeError(
                f"[source] got the name {op!r} and arguments. Pass only a name, which "
                "runs a sample, or a function with its arguments."
            )
        return op
    if not callable(op):
        raise TypeError(
            f"[source] got {type(op).__name__}; need the name of an operation, such as "
            "'conv2d', or a function."
        )
    name = getattr(op, "__name__", "")
    if not args and not named and name and getattr(functional, name, None) is op:
        return str(name)
    return None


def _unknown(name: str) -> str:
    """Return the error message for an unknown name."""
    plain = name.rpartition(".")[2].lower()
    near = difflib.get_close_matches(plain, SAMPLES_BY_NAME, 6, 0.5)
    hint = f"Try one of: {', '.join(near or SAMPLES_BY_NAME)}."
    return f"[source] got {name!r}; need the name of an operation. {hint}"


def _copied(
    op: Callable[..., Any],
    args: tuple[Any, ...],
    named: dict[str, Any],
    device: str | None,
) -> Callable[[], Any]:
    """Return the call with copies of its arguments, so that it changes nothing."""
    if device is not None and not args and not named and not isinstance(op, Module):
        raise ValueError(
            f"[source] device {device!r} needs arguments, which are copied to it, but "
            f"{Call(op, ()).name} has none."
        )
    copied = Call(partial(op, **named), args).copied(device or "same", "source")

    def call() -> Any:
        with nullcontext() if device is None else new_tensors_on(device):
            return copied.function(*copied.arguments)

    return call


def _passes(call: Callable[[], Any], back: bool) -> list[Pass]:
    """Run the call forward, and backward where a result requires gradients."""
    results: list[Any] = []
    state = _core.random_state()
    try:
        scopes, works, dropped = _recorded(lambda: results.append(call()))
    finally:
        _core.set_random_state(*state)
    tensors = tensors_in(results)
    on_cuda = bool(works) or any(tensor.device != "cpu" for tensor in tensors)
    device = "cuda" if on_cuda else "cpu"
    forward = {
        scope["sequence"]: scope
        for scope in scopes
        if scope["sequence"] >= 0 and scope["kind"] != "backward"
    }
    ahead = Hierarchy(scopes, works, _is_runner, forward)
    ways = [Pass(device, "forward", ahead.steps(), kernels_of(works), dropped)]
    roots = [tensor for tensor in tensors if tensor.requires_grad]
    leaves = _leaves(roots) if back else []
    if leaves:
        seeds = [_core.full(one.shape, 1, one.dtype, one.device) for one in roots]
        # The graph may be the caller's, and reach behind the call: it is kept.
        scopes, works, dropped = _recorded(
            lambda: _core.gradients(roots, leaves, seeds, True, False)
        )
        home = Hierarchy(scopes, works, _is_runner, forward)
        ways.append(Pass(device, "backward", home.steps(), kernels_of(works), dropped))
    return ways


def _recorded(call: Callable[[], object]) -> tuple[list[Record], list[Record], int]:
    """Return a call's scopes and work on this thread, and the dropped records."""
    opened = _core.Recording.open(
        shapes=True, stack=True, most_records=MOST_RECORDS, loops=True
    )
    with closing(opened) as recording:
        call()
    scopes, works = recording.scopes(), recording.works()
    if works:
        synchronize()  # raises what went wrong on the device
    thread = threading.get_native_id()
    own_scopes = [record for record in scopes if record["thread"] == thread]
    launched = [record for record in works if record["thread"] == thread]
    return own_scopes, launched, recording.dropped


def _is_runner(file: str) -> bool:
    return file in (
        "minitorch/network/sources/calls.py",
        "minitorch/network/sources/op_samples.py",
    )


def _leaves(roots: Iterable[Tensor]) -> list[Tensor]:
    """Return the leaves of the results' graph, or [] if backward has run already."""
    leaves: dict[int, Tensor] = {}
    seen: set[int] = set()
    waiting: list[Any] = []
    for root in roots:
        step = _core.graph_step(root)
        waiting.append(root if step is None else step)
    while waiting:
        one = waiting.pop()
        if isinstance(one, Tensor):
            leaves[one.unique_id] = one
        elif one is not None and one.id not in seen:
            if one.released:
                return []
            seen.add(one.id)
            waiting += one.inputs
    return list(leaves.values())

"""Owns functions and modules whose two ways are graphs: replays that have a gradient.

Must not know how work is captured: `minitorch.cuda` does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..autodiff import Context
from ..autograd import grad
from ..cuda import CUDAGraph, graph, synchronize
from ..cuda.device.graphs import PoolHandle, graph_pool_handle
from ..cuda.findings.learner_frames import learner_frames
from ..tensor import Tensor
from ..tensors.create_ranges import ones_like
from .function import Function, no_grad

_WHERE = "make_graphed_callables"


class _GraphedCall(Function):
    """One step of a graph of operators, made of the two replays."""

    once = True

    @staticmethod
    def forward(ctx: Context, *values: Any) -> Tensor:
        graphed, *inputs = values
        ctx.save_for_backward(graphed, graphed.run_forward(inputs))
        output: Tensor = graphed.output.detach()
        return output

    @staticmethod
    def backward(ctx: Context, gradient: Tensor) -> Any:
        graphed, number = ctx.saved_values
        return (None, *graphed.run_backward(number, gradient))


class _Graphed:
    """A callable, the tensors that its graphs read and write, and the graphs."""

    def __init__(self, call: Any, samples: Sequence[Tensor], pool: PoolHandle) -> None:
        self.call = call.forward if _is_module(call) else call
        self.name = getattr(call, "__name__", type(call).__name__)
        self.training = getattr(call, "training", None)
        parameters = call.parameters() if _is_module(call) else ()
        self.parameters = [p for p in parameters if p.requires_grad]
        self.samples = list(samples)
        self.fixed: list[Tensor] = [*samples, *(p.value for p in self.parameters)]
        self.pool = pool
        self.ways = CUDAGraph(), CUDAGraph()
        self.calls = 0

    def wanted(self) -> list[Tensor]:
        return [t for t in self.fixed if t.requires_grad]

    def warm_up(self, times: int, allow_unused: bool) -> None:
        for _ in range(times):
            output = self._outcome()
            self.given = ones_like(output)
            if output.requires_grad:
                grad(output, self.wanted(), self.given, allow_unused=allow_unused)

    def _outcome(self) -> Tensor:
        output = self.call(*self.samples)
        if not isinstance(output, Tensor) or not output.device.startswith("cuda"):
            what = output.device if isinstance(output, Tensor) else type(output)
            raise TypeError(
                f"[{_WHERE}] got {what} from {self.name}; need one tensor on cuda."
            )
        return output

    def capture_forward(self) -> None:
        with graph(self.ways[0], pool=self.pool):
            self.output = self._outcome()

    def capture_backward(self, allow_unused: bool) -> None:
        self.gradients: list[Tensor | None] = [None] * len(self.fixed)
        if not self.output.requires_grad:
            return
        with graph(self.ways[1], pool=self.pool):
            found = iter(
                grad(self.output, self.wanted(), self.given, allow_unused=allow_unused)
            )
            self.gradients = [
                next(found) if t.requires_grad else None for t in self.fixed
            ]

    def run_forward(self, inputs: Sequence[Tensor]) -> int:
        with no_grad():
            for fixed, given in zip(self.fixed, inputs, strict=True):
                if given is not fixed:
                    fixed.copy_(given.detach())
        self.ways[0].replay()
        self.output._mark_changed()
        self.calls += 1
        return self.calls

    def run_backward(self, number: int, gradient: Tensor) -> list[Tensor | None]:
        if number != self.calls:
            raise RuntimeError(
                f"[{self.name}] got backward() of call {number} of a graphed callable "
                f"after call {self.calls}, which has overwritten what it needs; need "
                "backward() before the next call."
            )
        self.given.copy_(gradient)
        self.ways[1].replay()
        # Copies: the graph's own are overwritten by the next replay.
        return [None if g is None else g.detach().clone() for g in self.gradients]

    @learner_frames
    def __call__(self, *values: Any) -> Tensor:
        """Replays the graph of the forward pass."""
        self._check(values)
        output: Tensor = _GraphedCall.apply(
            self, *values, *(p.value for p in self.parameters)
        )
        return output

    def _check(self, values: Sequence[Any]) -> None:
        if len(values) != len(self.samples):
            raise ValueError(
                f"[{self.name}] got {len(values)} arguments; need {len(self.samples)}, "
                "as the graph was captured."
            )
        for i, (sample, value) in enumerate(zip(self.samples, values, strict=True)):
            if not isinstance(value, Tensor):
                raise TypeError(
                    f"[{self.name}] got {type(value).__name__} as argument {i + 1}; "
                    "need a tensor."
                )
            got, need = _kind(value), _kind(sample)
            if got != need:
                raise ValueError(
                    f"[{self.name}] got argument {i + 1} of {got}; need {need}, as the "
                    "graph was captured. Make another graphed callable for it."
                )


def _kind(tensor: Tensor) -> str:
    needs = "with a gradient" if tensor.requires_grad else "without a gradient"
    return f"shape {tuple(tensor.shape)}, {tensor.dtype}, {tensor.device}, {needs}"


def _is_module(call: Any) -> bool:
    return hasattr(call, "parameters") and hasattr(call, "forward")


def _checked(call: Any, samples: Any) -> tuple[Tensor, ...]:
    if not callable(call):
        raise TypeError(f"[{_WHERE}] got {call!r}; need a function or a module.")
    if not isinstance(samples, tuple | list):
        raise TypeError(
            f"[{_WHERE}] got sample_args {type(samples).__name__}; need a tuple of "
            "tensors, for a tuple of callables a tuple of those."
        )
    for i, sample in enumerate(samples):
        if not isinstance(sample, Tensor):
            raise TypeError(
                f"[{_WHERE}] got {type(sample).__name__} as sample {i + 1}; need a "
                "tensor."
            )
        if not sample.device.startswith("cuda"):
            raise ValueError(
                f"[{_WHERE}] got sample {i + 1} on {sample.device}; need cuda. Try "
                '.to("cuda").'
            )
    return tuple(samples)


def _in_its_place(call: Any, graphed: _Graphed) -> Any:
    """A module whose `forward` replays in the mode of the capture; else the graphed."""
    if not _is_module(call):
        return graphed
    former: Callable[..., Any] = call.forward

    def forward(*values: Any) -> Any:
        if getattr(call, "training", None) != graphed.training:
            return former(*values)
        return graphed(*values)

    call.forward = forward
    return call


def make_graphed(
    callables: Any,
    sample_args: Sequence[Any],
    num_warmup_iters: int,
    allow_unused_input: bool,
    pool: PoolHandle | None,
) -> Any:
    """What `cuda.make_graphed_callables` documents."""
    if isinstance(num_warmup_iters, bool) or not isinstance(num_warmup_iters, int):
        raise TypeError(f"[{_WHERE}] got {num_warmup_iters!r} runs; need an int.")
    if num_warmup_iters < 1:
        raise ValueError(f"[{_WHERE}] got {num_warmup_iters} runs; need at least 1.")
    several = isinstance(callables, tuple)
    calls = callables if several else (callables,)
    given = sample_args if several else (sample_args,)
    if not isinstance(given, tuple | list) or len(given) != len(calls):
        raise ValueError(
            f"[{_WHERE}] got {len(calls)} callables and other sample_args; need a "
            "tuple of tensors for each."
        )
    samples = [_checked(*each) for each in zip(calls, given, strict=True)]
    pool = pool or graph_pool_handle()
    made = [_Graphed(*each, pool) for each in zip(calls, samples, strict=True)]
    for one in made:
        one.warm_up(num_warmup_iters, allow_unused_input)
    synchronize()
    # In the order of the replays, since they share memory.
    for one in made:
        one.capture_forward()
    for one in reversed(made):
        one.capture_backward(allow_unused_input)
    done = tuple(_in_its_place(*each) for each in zip(calls, made, strict=True))
    return done if several else done[0]

"""Functions and modules captured as CUDA graphs, forward and backward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._core import Tensor
from ..autodiff import Context
from ..cuda import CUDAGraph, graph, synchronize
from ..cuda.device.graphs import PoolHandle, graph_pool_handle
from ..cuda.tracebacks import learner_frames
from ..tensors.create_ranges import ones_like
from .engine import grad
from .function import Function, no_grad

_WHERE = "make_graphed_callables"


class _GraphedCall(Function):
    """One node of a graph of operators, consisting of the two replays."""

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
    """A callable with its graphs and the tensors that they read and write."""

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
            self.output = self._outcome()
            self.given = ones_like(self.output)
            self._gradients_of_all(allow_unused)

    def _outcome(self) -> Tensor:
        """Return a call's result, which must be one tensor on cuda."""
        value = self.call(*self.samples)
        if isinstance(value, Tensor) and value.device.startswith("cuda"):
            return value
        on_cpu = isinstance(value, Tensor)
        got = f"a tensor on {value.device}" if on_cpu else f"a {type(value).__name__}"
        raise TypeError(
            f"[{_WHERE}] {self.name} returned {got}; need one tensor on cuda."
        )

    def _gradients_of_all(self, allow_unused: bool) -> list[Tensor | None]:
        """Return one gradient (or None) for each of `fixed`."""
        if not self.output.requires_grad:
            return [None] * len(self.fixed)
        results = iter(
            grad(self.output, self.wanted(), self.given, allow_unused=allow_unused)
        )
        return [next(results) if t.requires_grad else None for t in self.fixed]

    def capture_forward(self) -> None:
        before = _kind(self.output)
        with graph(self.ways[0], pool=self.pool):
            self.output = self._outcome()
        now = _kind(self.output)
        if now != before:
            raise RuntimeError(
                f"[{_WHERE}] {self.name} returned a tensor of {now} during capture, "
                f"but of {before} in the run before; it must be the same in each run."
            )

    def capture_backward(self, allow_unused: bool) -> None:
        self.gradients: list[Tensor | None] = [None] * len(self.fixed)
        if not self.output.requires_grad:
            return
        with graph(self.ways[1], pool=self.pool):
            self.gradients = self._gradients_of_all(allow_unused)

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
                f"[{self.name}] backward() of call {number} came after call "
                f"{self.calls}, which overwrote its saved tensors. Call backward() "
                "before the next call."
            )
        self.given.copy_(gradient)
        self.ways[1].replay()
        # Copies: the graph's own are overwritten by the next replay.
        return [None if g is None else g.detach().clone() for g in self.gradients]

    @learner_frames
    def __call__(self, *values: Any) -> Tensor:
        """Replay the graph of the forward pass."""
        self._check(values)
        if not self.output.requires_grad:
            self.run_forward(self._inputs(values))
            return self.output.detach()
        return _GraphedCall.apply(self, *self._inputs(values))

    def _inputs(self, values: Sequence[Tensor]) -> list[Tensor]:
        return [*values, *(p.value for p in self.parameters)]

    def _check(self, values: Sequence[Any]) -> None:
        if len(values) != len(self.samples):
            raise ValueError(
                f"[{self.name}] got {len(values)} argument(s); the graph was captured "
                f"with {len(self.samples)}."
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
                    f"[{self.name}] argument {i + 1} has {got}; the graph was captured "
                    f"with {need}. Make another graphed callable for it."
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
            f"[{_WHERE}] got sample_args of type {type(samples).__name__}; need a "
            "tuple of tensors, or for several callables a tuple of such tuples."
        )
    for i, sample in enumerate(samples):
        if not isinstance(sample, Tensor):
            raise TypeError(
                f"[{_WHERE}] got {type(sample).__name__} as sample {i + 1}; need a "
                "tensor."
            )
        if not sample.device.startswith("cuda"):
            raise ValueError(
                f"[{_WHERE}] sample {i + 1} is on {sample.device}; need cuda. Try "
                '.to("cuda").'
            )
    return tuple(samples)


def _with_replay(call: Any, graphed: _Graphed) -> Any:
    """Make a module's `forward` replay; return other callables graphed."""
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
    """Implementation of `cuda.make_graphed_callables`."""
    if isinstance(num_warmup_iters, bool) or not isinstance(num_warmup_iters, int):
        raise TypeError(
            f"[{_WHERE}] got num_warmup_iters {num_warmup_iters!r}; need an integer."
        )
    if num_warmup_iters < 1:
        raise ValueError(
            f"[{_WHERE}] got num_warmup_iters {num_warmup_iters}; need at least 1."
        )
    several = isinstance(callables, tuple)
    calls = callables if several else (callables,)
    given = sample_args if several else (sample_args,)
    if not isinstance(given, tuple | list) or len(given) != len(calls):
        raise ValueError(
            f"[{_WHERE}] got {len(calls)} callables; sample_args must have a tuple of "
            "tensors for each."
        )
    samples = [_checked(*pair) for pair in zip(calls, given, strict=True)]
    pool = pool or graph_pool_handle()
    graphed = [_Graphed(*pair, pool) for pair in zip(calls, samples, strict=True)]
    for one in graphed:
        one.warm_up(num_warmup_iters, allow_unused_input)
    synchronize()
    # In the order of the replays, since they share memory.
    for one in graphed:
        one.capture_forward()
    for one in reversed(graphed):
        one.capture_backward(allow_unused_input)
    done = tuple(_with_replay(*pair) for pair in zip(calls, graphed, strict=True))
    return done if several else done[0]

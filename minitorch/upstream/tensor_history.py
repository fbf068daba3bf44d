"""History of tensors for Python: MiniTorch's Variable protocol.

A graph keeps what its gradients need, not every value in between: an intermediate
result is shown as a GraphVariable, which has a name and parents but no numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .. import _core, tensor_functions
from .._core import Tensor
from ..autodiff import Context
from ..autograd.function import Function


@dataclass
class History:
    """Step that created a tensor: its function, saved context and inputs."""

    last_fn: type[Function] | None = None
    ctx: Context | None = None
    inputs: Sequence[Any] = ()


# Upstream's functions by the core's names of the ops.
_FUNCTIONS: dict[str, type[Function]] = {
    "add": tensor_functions.Add,
    "mul": tensor_functions.Mul,
    "neg": tensor_functions.Neg,
    "relu": tensor_functions.ReLU,
    "sigmoid": tensor_functions.Sigmoid,
    "exp": tensor_functions.Exp,
    "log": tensor_functions.Log,
    "sum": tensor_functions.Sum,
    "lt": tensor_functions.LT,
    "eq": tensor_functions.EQ,
    "permute": tensor_functions.Permute,
    "reshape": tensor_functions.View,
    "contiguous": tensor_functions.Copy,
    "matmul": tensor_functions.MatMul,
}


def _function_of(op: str) -> type[Function]:
    """Return the class of an op; a class with only a name if upstream has none."""
    if op not in _FUNCTIONS:
        _FUNCTIONS[op] = type(op, (Function,), {"__doc__": f"The core's {op}."})
    return _FUNCTIONS[op]


def _history_of(step: _core.GraphStep) -> History:
    inputs = [_variable(x) for x in step.inputs]
    if step.python is None:
        return History(_function_of(step.op), Context(), inputs)
    backward, context = step.python
    return History(backward.function, context, inputs)


def _variable(input: Any) -> Any:
    """Return a leaf itself, or the graph variable of a result or constant."""
    return input if isinstance(input, Tensor) else GraphVariable(input)


def _chain(step: _core.GraphStep, d_output: Any) -> list[tuple[Any, Any]]:
    pairs = zip(step.inputs, step.backward(d_output), strict=True)
    return [(_variable(x), d) for x, d in pairs if x is not None]


class GraphVariable:
    """Intermediate result of a graph: its position, without its values."""

    def __init__(self, step: _core.GraphStep | None) -> None:
        self._step = step
        self.unique_id = id(self) if step is None else step.id
        self.name = "constant" if step is None else step.op

    @property
    def history(self) -> History | None:
        """Step that created it; None for a constant."""
        return None if self._step is None else _history_of(self._step)

    def is_leaf(self) -> bool:
        """Return False: leaves are tensors."""
        return False

    def is_constant(self) -> bool:
        """Return whether no gradient flows through it."""
        return self._step is None

    @property
    def parents(self) -> Sequence[Any]:
        """Variables that it was computed from."""
        history = self.history
        return [] if history is None else history.inputs

    def chain_rule(self, d_output: Any) -> list[tuple[Any, Any]]:
        """Return pairs (input, gradient) for the inputs that need a gradient."""
        return [] if self._step is None else _chain(self._step, d_output)

    def accumulate_derivative(self, x: Any) -> None:
        """Raise ValueError: only leaves accumulate a gradient."""
        raise ValueError(f"[{self.name}] only leaf tensors accumulate a derivative.")

    def __repr__(self) -> str:
        return f"GraphVariable({self.name})"


def history(self: Tensor) -> Any:
    """History of how it was created; without a function for a leaf; else None.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([2.0], requires_grad=True)
        >>> (x * x).history.last_fn.__name__
        'Mul'
        >>> x.history
        History(last_fn=None, ctx=None, inputs=())
    """
    step = _core.graph_step(self)
    if step is not None:
        return _history_of(step)
    return History() if self.requires_grad else None


def parents(self: Tensor) -> Sequence[Any]:
    """Return the leaves and intermediate results that it was computed from."""
    record: History | None = history(self)
    if record is None:
        raise ValueError(
            "[parents] a constant has no parents; need a tensor with history."
        )
    return record.inputs


def chain_rule(self: Tensor, d_output: Any) -> list[tuple[Any, Any]]:
    """Return pairs (input, gradient) for the inputs that need a gradient.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([2.0], requires_grad=True)
        >>> [(v is x, d.item()) for v, d in (x * 5).chain_rule(minitorch.ones(1))]
        [(True, 5.0)]
    """
    step = _core.graph_step(self)
    if step is None:
        raise ValueError(
            "[chain_rule] a leaf has no chain rule; need the result of an operation."
        )
    return _chain(step, d_output)


def accumulate_derivative(self: Tensor, x: Any) -> None:
    """Add `x`, summed or repeated to this shape, to the gradient of a leaf."""
    if not self.is_leaf():
        raise ValueError(
            "[accumulate_derivative] only leaf tensors accumulate a derivative."
        )
    part = self.expand(x)
    self.grad = part if self.grad is None else self.grad + part

"""Graph steps under PyTorch's names: `x.grad_fn`.

A step is the core's; here it has PyTorch's name.
"""

from __future__ import annotations

from typing import Any

from .. import _core, autograd
from .tensor import METHODS, Tensor

# Names of the core's ops whose step has another name in PyTorch.
_NAMES = {
    "accumulate": "AccumulateGrad",
    "cast": "ToCopyBackward0",
    "clamp": "ClampBackward1",
    "contiguous": "CloneBackward0",
    "cross_entropy": "NllLossBackward0",
    "flip": "FlipBackward0",
    "index": "SelectBackward0",
    "log1p": "Log1PBackward0",
    "normalise": "NativeLayerNormBackward0",
    "slice": "SliceBackward0",
    "standardise": "NativeBatchNormBackward0",
    "take": "IndexSelectBackward0",
    "to_device": "ToCopyBackward0",
    "write": "CopySlices",
}


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def name_of_step(step: Any) -> str:
    """Return PyTorch's name of a graph step, such as `AddBackward0`."""
    if step.called:
        return str(step.called)
    if step.python is not None:
        return f"{step.op}Backward"
    if step.op == "pow":
        return (
            f"PowBackward{int(sum(source is not None for source in step.inputs) > 1)}"
        )
    if step.op == "add" and _is_linear_bias(step):
        return "AddmmBackward0"
    if step.op == "matmul":
        return "MmBackward0" if len(step.shape) == 2 else "BmmBackward0"
    return _NAMES.get(step.op) or f"{_camel(step.op)}Backward0"


def _is_linear_bias(step: Any) -> bool:
    """Return whether it adds a bias (m,) to (n, k) @ (k, m): one step in PyTorch.

    Of tensors that are no parameters it is two steps in PyTorch, too.
    """
    if len(step.shape) != 2 or len(step.inputs) != 2:
        return False
    product, bias = step.inputs
    if getattr(product, "op", None) != "matmul":
        return False
    return isinstance(bias, _core.Tensor) and type(bias).__name__ == "Parameter"


class Step:
    """Step of a graph, which created a tensor with a gradient.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> (x + 1).grad_fn.name()
        'AddBackward0'
    """

    def __init__(self, step: Any) -> None:
        self._step = step

    def name(self) -> str:
        """Return PyTorch's name of the step."""
        return type(self).__name__

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """Step of each input, `AccumulateGrad` for a leaf, or None."""
        return tuple((_before(source), 0) for source in self._step.inputs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Step) and self._step.id == other._step.id

    def __hash__(self) -> int:
        return hash(self._step.id)

    def __repr__(self) -> str:
        return f"<{self.name()} object at {self._step.id:#x}>"


class AccumulateGrad(Step):
    """End of a path: a leaf that accumulates its gradient."""

    def __init__(self, leaf: Tensor) -> None:
        self.variable = leaf

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """Empty: the path ends here."""
        return ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AccumulateGrad) and self.variable is other.variable

    def __hash__(self) -> int:
        return id(self.variable)

    def __repr__(self) -> str:
        return f"<AccumulateGrad object at {id(self.variable):#x}>"


_classes: dict[str, type[Step]] = {}


def _before(source: Any) -> Any:
    if source is None:
        return None
    if isinstance(source, _core.Tensor):
        return AccumulateGrad(source)  # type: ignore[arg-type]
    return as_torch_step(source)


def as_torch_step(step: Any) -> Step:
    """Return a step as an object whose class has PyTorch's name."""
    name = name_of_step(step)
    if name not in _classes:
        _classes[name] = type(name, (Step,), {"__module__": __name__})
    return _classes[name](step)


def grad_fn(input: Tensor) -> Any:
    """Step that created the tensor, if it requires a gradient; None for a leaf."""
    step = _core.graph_step(input) if input.requires_grad else None
    return None if step is None else as_torch_step(step)


def backward(
    self: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add the gradient of this tensor to `grad` of every leaf behind it.

    Args:
        gradient: d(loss)/d(self), of the same shape; by default 1, for one element.
        retain_graph: Keep what the graph saved; by default where `create_graph`.
        create_graph: Record the computation of the gradients as well.
        inputs: Only to these leaves; by default to all.

    Raises:
        RuntimeError: The tensor has no history, an earlier call freed the graph, or
            `gradient` does not fit or is missing for several elements.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([3.0], requires_grad=True)
        >>> (x * x).backward()
        >>> x.grad.item()
        6.0
    """
    autograd.backward([self], [gradient], retain_graph, create_graph, inputs)


METHODS |= {"backward": backward, "grad_fn": property(grad_fn)}

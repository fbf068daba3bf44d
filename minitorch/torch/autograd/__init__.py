"""`torch.autograd`: gradients, custom functions, gradient checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import autograd as _neutral
from ...autograd.function import set_grad_enabled
from ..arguments import require_torch
from ..create import zeros_like
from ..modes import enable_grad, inference_mode, no_grad
from .check import GradcheckError, gradcheck
from .function import Function

__all__ = [
    "Function",
    "GradcheckError",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "grad",
    "gradcheck",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]


def __dir__() -> list[str]:
    return sorted(__all__)


def _listed(where: str, given: Any) -> list[Any]:
    tensors = list(given) if isinstance(given, Sequence) else [given]
    require_torch(where, *tensors)
    return tensors


def _require_numbers(where: str, roots: list[Any]) -> None:
    """Raise RuntimeError for an output of several elements without a gradient."""
    for root in roots:
        if root.numel() != 1:
            raise RuntimeError(
                f"[{where}] the output has shape {tuple(root.shape)}; a gradient is "
                "created implicitly only for one element. Try .sum(), or pass a "
                "gradient."
            )


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """Return gradients of the sum of outputs with respect to the inputs.

    Args:
        outputs, inputs: A tensor or several.
        grad_outputs: One gradient for each output; None where it has one element.
        retain_graph: Keep what the graph saved; by default as `create_graph`.
        create_graph: Record the computation, so that gradients of gradients exist.
        only_inputs: For programs of PyTorch; True.
        allow_unused: Give None for an input that no output depends on.
        is_grads_batched: Not here: False.
        materialize_grads: Give zeros for such an input.

    Raises:
        RuntimeError: An input was not used, an output has no history, or an earlier
            call freed the graph.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> (first,) = torch.autograd.grad(x**3, x, create_graph=True)
        >>> torch.autograd.grad(first, x)[0].item()
        18.0
    """
    if is_grads_batched:
        raise ValueError(
            "[grad] does not support is_grads_batched=True. Try a loop over the rows."
        )
    wanted, roots = _listed("grad", inputs), _listed("grad", outputs)
    if grad_outputs is None:
        _require_numbers("grad", roots)
    gradients = _neutral.grad(
        roots,
        wanted,
        grad_outputs,
        retain_graph,
        create_graph,
        bool(allow_unused) or materialize_grads,
    )
    if not materialize_grads:
        return gradients
    pairs = zip(gradients, wanted, strict=True)
    return tuple(zeros_like(x) if g is None else g for g, x in pairs)


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add the gradients of the sum of all tensors to `grad` of their leaves.

    Args:
        tensors: A tensor or several.
        grad_tensors: One gradient for each; None where it has one element.
        retain_graph: Keep what the graph saved; by default as `create_graph`.
        create_graph: Record the computation of the gradients as well.
        inputs: The leaves that get gradients; all by default.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([3.0], requires_grad=True)
        >>> torch.autograd.backward([x * x, x * 2])
        >>> x.grad.tolist()
        [8.0]
    """
    retain = create_graph if retain_graph is None else retain_graph
    roots = _listed("backward", tensors)
    if grad_tensors is None:
        _require_numbers("backward", roots)
    if inputs is None:
        _neutral.backward(roots, grad_tensors, retain, create_graph)
        return
    leaves = _listed("backward", inputs)
    gradients = _neutral.grad(roots, leaves, grad_tensors, retain, create_graph, True)
    for leaf, one in zip(leaves, gradients, strict=True):
        if one is not None:
            leaf.grad = one if leaf.grad is None else leaf.grad + one


class detect_anomaly:
    """Context manager for this thread: NaN in the backward pass is an error."""

    def __init__(self, check_nan: bool = True) -> None:
        self._scope = _neutral.detect_anomaly() if check_nan else None

    def __enter__(self) -> None:
        if self._scope is not None:
            self._scope.__enter__()

    def __exit__(self, *error: object) -> None:
        if self._scope is not None:
            self._scope.__exit__(*error)


class set_detect_anomaly(detect_anomaly):
    """Set anomaly detection from now on; as a context manager, within the block."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        super().__init__(mode and check_nan)
        super().__enter__()

    def __enter__(self) -> None:
        pass

"""`torch.autograd`: gradients, custom functions, gradient checks."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from ... import autograd as _neutral
from ...autograd import detect_anomaly
from ...autograd.function import set_grad_enabled
from ..arguments import require_torch
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


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
) -> tuple[Any, ...]:
    """Return gradients of the sum of outputs with respect to the inputs.

    Args:
        outputs, inputs: A tensor or several.
        grad_outputs: One gradient for each output; None where it has one element.
        retain_graph: Keep what the graph saved; by default as `create_graph`.
        create_graph: Record the computation, so that gradients of gradients exist.
        only_inputs: For programs of PyTorch; True.
        allow_unused: Give None for an input that no output depends on.

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
    wanted, roots = _listed("grad", inputs), _listed("grad", outputs)
    return _neutral.grad(
        roots, wanted, grad_outputs, retain_graph, create_graph, bool(allow_unused)
    )


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
    roots = _listed("backward", tensors)
    leaves = None if inputs is None else _listed("backward", inputs)
    _neutral.backward(roots, grad_tensors, retain_graph, create_graph, leaves)


class set_detect_anomaly:
    """Set anomaly detection from now on; as a context manager, within the block."""

    def __init__(self, mode: bool) -> None:
        self._scope = detect_anomaly() if mode else nullcontext()
        self._scope.__enter__()

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        self._scope.__exit__(*error)

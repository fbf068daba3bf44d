"""Backward passes on request: gradients as values, several roots, anomaly mode.

`minitorch.autodiff` is the course's own machinery for scalars; this module asks the
engine in C++.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import _core
from .._core import FitError, Tensor
from ..cuda.tracebacks import cell_of

_PACKAGE = str(Path(__file__).parents[1])

Tensors = Tensor | Sequence[Tensor]
Gradients = Tensor | Sequence[Tensor | None] | None


def _list_of(tensors: Tensors, where: str, role: str) -> list[Tensor]:
    listed = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    for one in listed:
        if not isinstance(one, Tensor):
            raise TypeError(
                f"[{where}] got {type(one).__name__} among the {role}; need tensors."
            )
    return listed


def _gradients_of(gradients: Gradients, roots: int, where: str) -> list[Tensor | None]:
    if gradients is None:
        return [None] * roots
    listed: list[Tensor | None] = []
    listed += [gradients] if isinstance(gradients, Tensor) else list(gradients)
    if len(listed) != roots:
        raise FitError(
            f"[{where}] got {len(listed)} gradients for {roots} outputs; need one per "
            "output (None for an output of one element)."
        )
    _list_of([one for one in listed if one is not None], where, "gradients")
    return listed


def backward(
    outputs: Tensors,
    gradients: Gradients = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensors | None = None,
) -> None:
    """Add the gradients of the sum of all outputs to `grad` of their leaves.

    Args:
        outputs: A tensor or several.
        gradients: One for each output, of its shape; None where it has one element.
        retain_graph: Keep what the graph saved, so that it can be gone through again;
            by default as `create_graph`.
        create_graph: Record the computation of the gradients as well.
        inputs: The leaves that get gradients; all by default.

    Raises:
        RuntimeError: An output has no history, an earlier call freed the graph, or a
            saved tensor was changed in place.
        ValueError: A gradient does not fit, or is missing for several elements.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([3.0], requires_grad=True)
        >>> backward([x * x, x * 2])
        >>> x.grad.item()
        8.0
    """
    roots = _list_of(outputs, "backward", "outputs")
    if inputs is not None:
        leaves: Any = _list_of(inputs, "backward", "inputs")
        arrived = grad(roots, leaves, gradients, retain_graph, create_graph, True)
        for leaf, one in zip(leaves, arrived, strict=True):
            if one is not None:
                leaf.grad = one if leaf.grad is None else leaf.grad + one
        return
    given = _gradients_of(gradients, len(roots), "backward")
    retain = create_graph if retain_graph is None else retain_graph
    _core.backward(roots, given, retain, create_graph)


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Gradients = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool = False,
) -> tuple[Tensor | None, ...]:
    """Return gradients of the sum of all outputs with respect to the inputs.

    Nothing is added to `grad` of any tensor, and only the part of the graph between
    outputs and inputs is visited.

    Args:
        outputs: A tensor or several.
        inputs: A tensor or several, leaves or not.
        grad_outputs: One gradient for each output; None where it has one element.
        retain_graph: Keep what the graph saved; by default as `create_graph`.
        create_graph: Record the computation, so that gradients of gradients exist.
        allow_unused: Give None for an input that no output depends on.

    Returns:
        One tensor for each input, of its shape and dtype.

    Raises:
        RuntimeError: An input was not used and `allow_unused` is off, an output has no
            history, or an earlier call freed the graph.
        ValueError: A gradient does not fit, or is missing for several elements.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([2.0], requires_grad=True)
        >>> (first,) = grad(x * x * x, x, create_graph=True)
        >>> (second,) = grad(first, x)
        >>> first.item(), second.item()
        (12.0, 12.0)
    """
    roots = _list_of(outputs, "grad", "outputs")
    wanted = _list_of(inputs, "grad", "inputs")
    given = _gradients_of(grad_outputs, len(roots), "grad")
    retain = create_graph if retain_graph is None else retain_graph
    results = _core.gradients(roots, wanted, given, retain, create_graph)
    for i, one in enumerate(results):
        if one is None and not allow_unused:
            raise RuntimeError(
                f"[grad] no output depends on input {i} of shape "
                f"{tuple(wanted[i].shape)}. allow_unused=True returns None for it."
            )
    return tuple(results)


def detect_anomaly() -> Any:
    """A `with` block of this thread in which NaN in a backward pass is an error.

    Ops called in the block note their line. The first op whose gradient has a NaN ends
    the `backward` with a RuntimeError that names the op and that line. Slow: every
    gradient is looked through, and every op looks up who called it.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([0.0], requires_grad=True)
        >>> with detect_anomaly():
        ...     try:
        ...         (x.sqrt() * 0).backward()
        ...     except RuntimeError as error:
        ...         print(str(error).split(";")[0])
        [backward] got NaN from sqrt as the gradient of its input 0, of shape (1,)
    """
    return _core.AnomalyScope()


def _call_site() -> str:
    """Return the line outside this package that made the current call."""
    frame = sys._getframe()
    while frame.f_back and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    code, line = frame.f_code, frame.f_lineno
    text = linecache.getline(code.co_filename, line).strip()
    file = cell_of(code.co_filename) or code.co_filename
    position = f"{file}:{line}, in {code.co_name}"
    return f"{position}: {text}" if text else position


_core.set_call_site(_call_site)

"""Products of matrices and vectors as functions."""

from __future__ import annotations

from typing import Any

from .._core import FitError, Tensor
from ..tensors.op_calls import open_overrides
from .arguments import require_tensors

__all__ = ["linear", "matmul"]


def _value(operand: Any) -> Any:
    """Return the tensor of a parameter, or anything else unchanged."""
    if isinstance(operand, Tensor):  # asking one for a name it lacks takes long
        return operand
    return getattr(operand, "__minitorch_value__", operand)


def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Return the product of matrices, batches of them, or vectors; as `input @ other`.

    Args:
        input: (…, m, k), or (k,) for one row.
        other: (…, k, n), or (k,) for one column.

    Returns:
        (…, m, n), whose leading sizes broadcast; without m where `input` is a vector,
        and without n where `other` is one.

    Raises:
        ValueError: The inner sizes differ, or an operand has no dimensions.

    Kernel:
        cpp/kernels/matmul_tiled.cu, a tile of the result a block.

    Example:
        >>> import minitorch
        >>> a = minitorch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> matmul(a, minitorch.tensor([10.0, 1.0])).numpy()
        array([12., 34.])
    """
    left, right = _value(input), _value(other)
    require_tensors("matmul", left, right)
    if 0 in (left.dims, right.dims):
        raise FitError(
            f"[matmul] got shapes {tuple(left.shape)} and {tuple(right.shape)}; both "
            "need at least one dimension. Use * to multiply by a number."
        )
    inner = right.shape[-2] if right.dims > 1 else right.shape[0]
    if left.shape[-1] != inner:
        raise FitError(
            f"[matmul] a is {tuple(left.shape)}, b is {tuple(right.shape)}: inner "
            f"sizes differ ({left.shape[-1]} vs {inner})."
            + " Try b.permute(1, 0)."
            * (right.shape[:-1] == (inner,) and left.shape[-1] == right.shape[-1])
        )
    rows = left.unsqueeze(0) if left.dims == 1 else left  # (k,) -> (1, k)
    columns = right.unsqueeze(1) if right.dims == 1 else right  # (k,) -> (k, 1)
    out: Tensor = rows @ columns  # (…, m, k) @ (…, k, n) -> (…, m, n)
    if left.dims == 1:
        out = out.squeeze(out.dims - 2)  # without m
    if right.dims == 1:
        out = out.squeeze(out.dims - 1)  # without n
    return out


def linear_at_once(input: Any, weight: Any, bias: Any) -> Tensor | None:
    """Return `linear` for arguments that fit, without checks, or None.

    None where something may be wrong, or an override wants to be asked.
    """
    if open_overrides or not (
        isinstance(input, Tensor)
        and isinstance(weight, Tensor)
        and (bias is None or (isinstance(bias, Tensor) and bias.dims == 1))
    ):
        return None
    dtype = weight.dtype
    if weight.dims != 2 or input.dims < 2 or input.dtype is not dtype:
        return None
    try:
        # (…, in) @ (in, out) -> (…, out)
        out: Any = Tensor.__matmul__(input, Tensor._permute(weight, (1, 0)))
        if bias is None:
            return out  # type: ignore[no-any-return]
        if bias.dtype is not dtype or bias.numel() != weight.shape[0]:
            return None
        return Tensor.__add__(out, bias)
    except ValueError:
        return None


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias: (…, in) -> (…, out).

    Args:
        input: (…, in).
        weight: (out, in), or (in,) for one output that has no dimension.
        bias: (out,), or () for one output.

    Raises:
        ValueError: Shapes do not fit.

    Kernel:
        cpp/kernels/matmul_tiled.cu, then `zip.cu` for the bias.

    Example:
        >>> import minitorch
        >>> w, b = minitorch.tensor([[1.0, 2.0]]), minitorch.tensor([0.5])
        >>> linear(minitorch.tensor([[3.0, 4.0]]), w, b).numpy()
        array([[11.5]])
    """
    quick = linear_at_once(input, weight, bias)
    if quick is not None:
        return quick
    x, w, b = _value(input), _value(weight), _value(bias)
    require_tensors("linear", x, w, optional=(b,))
    if w.dims == 1:
        row = matmul(x, w)
        return row if b is None else row + b
    if b is not None and b.dims == 0:
        b = b._expand((w.shape[0],))
    if w.dims != 2 or x.dims == 0 or x.shape[-1] != w.shape[1]:
        raise FitError(
            f"[linear] got input {tuple(x.shape)} and weight {tuple(w.shape)}; need "
            "(…, in) and (out, in)."
        )
    if b is not None and b.shape != (w.shape[0],):
        raise FitError(f"[linear] got bias {tuple(b.shape)}; need ({w.shape[0]},).")
    # (…, in) @ (in, out) -> (…, out)
    columns = w._permute((1, 0))
    out: Tensor = matmul(x, columns) if x.dims == 1 else x @ columns
    return out if b is None else out + b

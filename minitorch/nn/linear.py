"""Linear and Embedding."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from .. import functional
from .._core import Tensor
from ..functional.arguments import require_tensors
from ..functional.products import linear_at_once
from ..module import Module, Parameter, tensor_of
from ..tensors.create import randn, tensor
from .fitting import naming, require_input, require_same_device
from .initialise import as_sizes, fan_in_bound, uniform

__all__ = ["Embedding", "Linear"]


class Linear(Module):
    """x @ weight.T + bias: (…, in_features) -> (…, out_features).

    weight (out_features, in_features) and bias (out_features,) start uniform in
    ±1/sqrt(in_features), as PyTorch's do.

    Example:
        >>> import minitorch
        >>> Linear(3, 2)(minitorch.zeros(4, 3)).shape
        (4, 2)
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        in_features, out_features = as_sizes(
            "Linear", least=0, in_features=in_features, out_features=out_features
        )
        self.in_features, self.out_features = in_features, out_features
        bound, target_device = fan_in_bound(in_features), device or "cpu"
        self.weight = uniform((out_features, in_features), bound, dtype, target_device)
        drawn = uniform((out_features,), bound, dtype, target_device) if bias else None
        self.register_parameter("bias", drawn)

    def forward(self, x: Tensor) -> Tensor:
        """Apply the layer."""
        weight, bias = tensor_of(self.weight), tensor_of(self.bias)
        quick = linear_at_once(x, weight, bias)
        if quick is not None:
            return quick
        name = f"Linear({self.in_features}, {self.out_features})"
        require_tensors(name, x)
        fits = len(x.shape) > 0 and x.shape[-1] == self.in_features
        require_input(name, x, fits, f"(..., {self.in_features})", self.weight)
        if len(x.shape) == 1:  # a matrix product needs rows
            row: Tensor = self.forward(x.unsqueeze(0)).squeeze(0)
            return row
        return functional.linear(x, weight, bias)

    def extra_repr(self) -> str:
        """Return the sizes, and whether there is a bias."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class Embedding(Module):
    """Rows of a table by number: integers (…) -> (…, embedding_dim).

    weight (num_embeddings, embedding_dim) starts normal with variance 1; the row
    `padding_idx` starts as 0 and gets no gradient.

    Args:
        num_embeddings: Rows of the table.
        embedding_dim: Their width.
        padding_idx: A row that starts as 0 and gets no gradient.
        sparse: Taken for old programs; gradients are always dense.

    Example:
        >>> import minitorch
        >>> layer = Embedding(10, 3)
        >>> layer(minitorch.tensor([[1, 2, 9]], dtype="int64")).shape
        (1, 3, 3)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        *,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        rows, width = as_sizes(
            name, num_embeddings=num_embeddings, embedding_dim=embedding_dim
        )
        if padding_idx is not None and not -rows <= padding_idx < rows:
            raise AssertionError(
                f"[{name}] got padding_idx {padding_idx}; need {-rows} to {rows - 1}."
            )
        self.num_embeddings, self.embedding_dim = rows, width
        self.padding_idx = None if padding_idx is None else padding_idx % rows
        self.sparse = sparse
        if _weight is not None:
            table = _weight.detach()
        else:
            table = randn(rows, width, dtype=dtype, device=device or "cpu")
            if padding_idx is not None:
                kept = np.ones((rows, 1))
                kept[padding_idx] = 0
                table = table * tensor(kept, table.dtype, table.device)
        self.weight = Parameter(table, requires_grad=not _freeze)

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, *args: Any, **options: Any
    ) -> Self:
        """Return a layer with a table (rows, width), whose memory it shares.

        Args:
            embeddings: The table.
            freeze: Without a gradient.
            args, options: As those of the class after its sizes.

        Example:
            >>> import minitorch
            >>> table = minitorch.ones(4, 2)
            >>> Embedding.from_pretrained(table).weight.requires_grad
            False
        """
        require_tensors("from_pretrained", embeddings)
        if embeddings.dims != 2:
            raise AssertionError(
                f"[from_pretrained] got shape {tuple(embeddings.shape)}; need (rows, "
                "width)."
            )
        rows, width = embeddings.shape
        layer = cls(rows, width, *args, **{**options, "_weight": embeddings})
        layer.weight.requires_grad = not freeze
        return layer

    def forward(self, input: Tensor) -> Tensor:
        """Look up the rows."""
        name = f"Embedding({self.num_embeddings}, {self.embedding_dim})"
        require_tensors(name, input)
        require_same_device(name, self.weight, input)
        with naming(name, input):
            weight = tensor_of(self.weight)
            return functional.embedding(input, weight, self.padding_idx)

    def extra_repr(self) -> str:
        """Return the sizes, and the options that differ from their defaults."""
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        return text + ", sparse=True" * self.sparse

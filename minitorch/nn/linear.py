"""The layers of a matrix: Linear and Embedding."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import functional
from .._core import Tensor
from ..functional.arguments import require_tensors
from ..module import Module, tensor_of
from ..tensors.create import tensor
from .fitting import naming, require_input, require_same_device
from .initialise import as_sizes, fan_in_bound, normal, uniform

__all__ = ["Embedding", "EmbeddingBag", "Linear"]


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
        dtype: Any = None,
        device: str = "cpu",
    ) -> None:
        super().__init__()
        in_features, out_features = as_sizes(
            "Linear", least=0, in_features=in_features, out_features=out_features
        )
        self.in_features, self.out_features = in_features, out_features
        bound = fan_in_bound(in_features)
        self.weight = uniform((out_features, in_features), bound, dtype, device)
        self.has_bias = bias
        drawn = uniform((out_features,), bound, dtype, device) if bias else None
        self.register_parameter("bias", drawn)

    def forward(self, x: Tensor) -> Tensor:
        """Applies the layer."""
        name = f"Linear({self.in_features}, {self.out_features})"
        require_tensors(name, x)
        fits = len(x.shape) > 0 and x.shape[-1] == self.in_features
        require_input(name, x, fits, f"(..., {self.in_features})", self.weight)
        if len(x.shape) == 1:  # a matrix product needs rows
            row: Tensor = self.forward(x.unsqueeze(0)).squeeze(0)
            return row
        return functional.linear(x, tensor_of(self.weight), tensor_of(self.bias))

    def __repr__(self) -> str:
        return f"Linear({self.in_features}, {self.out_features}, bias={self.has_bias})"


class Embedding(Module):
    """Rows of a table by number: integers (…) -> (…, embedding_dim).

    weight (num_embeddings, embedding_dim) starts normal with variance 1; the row
    `padding_idx` starts as 0 and gets no gradient.

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
        dtype: Any = None,
        device: str = "cpu",
    ) -> None:
        super().__init__()
        num_embeddings, embedding_dim = as_sizes(
            "Embedding", num_embeddings=num_embeddings, embedding_dim=embedding_dim
        )
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = padding_idx
        self.weight = normal((num_embeddings, embedding_dim), dtype, device)
        if padding_idx is not None:
            kept = np.ones((num_embeddings, 1))
            kept[padding_idx] = 0
            weight = self.weight.value
            weight._assign(weight.detach() * tensor(kept, weight.dtype, device))

    def forward(self, input: Tensor) -> Tensor:
        """Looks the rows up."""
        name = f"Embedding({self.num_embeddings}, {self.embedding_dim})"
        require_tensors(name, input)
        require_same_device(name, self.weight, input)
        with naming(name, input):
            return functional.embedding(input, tensor_of(self.weight), self.padding_idx)

    def __repr__(self) -> str:
        return f"Embedding({self.num_embeddings}, {self.embedding_dim})"


class EmbeddingBag(Embedding):
    """The mean, sum or maximum of the rows of each bag of numbers.

    weight (num_embeddings, embedding_dim) starts normal with variance 1.

    Args:
        num_embeddings: Rows of the table.
        embedding_dim: Their width.
        mode: "mean", "sum" or "max".
        include_last_offset: The last offset is the end of the last bag.
        padding_idx: A row that counts nothing.

    Raises:
        ValueError: Another mode; of a call, shapes or offsets that do not fit.

    Example:
        >>> import minitorch
        >>> layer = EmbeddingBag(10, 3, mode="sum")
        >>> numbers = minitorch.tensor([1, 2, 4, 5, 4], dtype="int64")
        >>> layer(numbers, minitorch.tensor([0, 3], dtype="int64")).shape
        (2, 3)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        mode: str = "mean",
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        dtype: Any = None,
        device: str = "cpu",
    ) -> None:
        if mode not in ("mean", "sum", "max"):
            raise ValueError(
                f"[EmbeddingBag] got mode {mode!r}; need 'mean', 'sum' or 'max'."
            )
        super().__init__(num_embeddings, embedding_dim, padding_idx, dtype, device)
        self.mode, self.include_last_offset = mode, include_last_offset

    def forward(
        self,
        input: Tensor,
        offsets: Tensor | None = None,
        per_sample_weights: Tensor | None = None,
    ) -> Tensor:
        """(bags, numbers), or (numbers,) with offsets (bags,) -> (bags, width)."""
        name = f"EmbeddingBag({self.num_embeddings}, {self.embedding_dim})"
        require_tensors(name, input)
        require_same_device(name, self.weight, input)
        return functional.embedding_bag(
            input,
            tensor_of(self.weight),
            offsets,
            self.mode,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def __repr__(self) -> str:
        sizes = f"{self.num_embeddings}, {self.embedding_dim}"
        return f"EmbeddingBag({sizes}, mode={self.mode!r})"

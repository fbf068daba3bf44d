"""The layers of a matrix with PyTorch's signatures."""

from __future__ import annotations

from typing import Any, Self, cast

from ... import nn
from ...autograd.function import no_grad
from ..tensor import Tensor
from . import functional as F
from .arguments import (
    computed,
    device_of,
    dtype_of,
    require_one_dtype,
    require_torch,
)
from .functional.convolution import linear_at_once
from .module import Module
from .parameter import Parameter

__all__ = ["Embedding", "EmbeddingBag", "Identity", "Linear"]


class Identity(Module, nn.Identity):
    """The input as it is; takes the arguments of any layer, whose place it keeps.

    Example:
        >>> import minitorch
        >>> x = minitorch.ones(2).as_torch()
        >>> Identity(54, bias=False)(x) is x
        True
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()


class Linear(Module, nn.Linear):
    """x @ weight.T + bias: (…, in_features) -> (…, out_features).

    Args:
        in_features: Width of the input.
        out_features: Width of the output.
        bias: With a bias; without, `bias` is None.
        device: Where the parameters are, by default "cpu".
        dtype: Of the parameters, by default the default dtype.

    Raises:
        ValueError: The last size of an input is not in_features.

    Example:
        >>> import minitorch
        >>> Linear(3, 2)(minitorch.zeros(4, 3, dtype="float32").as_torch()).shape[1]
        2
    """

    bias: Any  # a Parameter, or None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        kind, place = dtype_of(dtype), device_of(device)
        nn.Linear.__init__(self, in_features, out_features, bool(bias), kind, place)

    def reset_parameters(self) -> None:
        """Draws weight and bias anew, uniform in ±1/sqrt(in_features)."""
        fresh = nn.Linear(self.in_features, self.out_features)
        take_start(self, fresh)

    def forward(self, input: Any) -> Tensor:
        """Applies the layer."""
        kept: Any = self._parameters
        quick = linear_at_once(input, kept.get("weight"), kept.get("bias"))
        if quick is not None and ("bias" in kept or self.bias is None):
            return quick
        require_torch("Linear", input)
        require_one_dtype("Linear", input, self.weight)
        return cast(Tensor, computed(nn.Linear.forward, self, input))

    def extra_repr(self) -> str:
        """The sizes, and whether there is a bias."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


def take_start(layer: Any, fresh: Any) -> None:
    """The start of a layer that was made for it, in the memory that it has."""
    with no_grad():
        for name, value in layer._parameters.items():
            if value is not None:
                start = getattr(fresh, name).value.detach().as_torch()
                value.copy_(start._to_device(value.device))


class Embedding(Module, nn.Embedding):
    """Rows of a table by number: integers (…) -> (…, embedding_dim).

    Args:
        num_embeddings: Rows of the table.
        embedding_dim: Their width.
        padding_idx: A row that starts as 0 and gets no gradient.
        max_norm: Rows that are looked up are shortened to this norm, in the table.
        norm_type: Of which norm.
        scale_grad_by_freq: Divide a row's gradient by how often it is looked up.
        sparse: Taken for old programs; gradients are always dense.

    Raises:
        IndexError: A number lies outside the table.

    Example:
        >>> import minitorch
        >>> rows = minitorch.tensor([1, 2, 9], dtype="int64").as_torch()
        >>> Embedding(10, 3)(rows).shape == (3, 3)
        True
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        kind, place = dtype_of(dtype), device_of(device)
        rows = num_embeddings
        if padding_idx is not None and not -rows <= padding_idx < rows:
            raise AssertionError(
                f"[Embedding] got padding_idx {padding_idx}; need {-rows} to "
                f"{rows - 1}."
            )
        at = None if padding_idx is None else padding_idx % rows
        nn.Embedding.__init__(self, num_embeddings, embedding_dim, at, kind, place)
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        if _weight is not None:
            self.weight = cast(Any, Parameter(_weight))
        self.weight.requires_grad = not _freeze

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Self:
        """A layer with the table (rows, width) that is given.

        Args:
            embeddings: The table, whose memory the layer shares.
            freeze: Without a gradient.

        Example:
            >>> import minitorch
            >>> table = minitorch.ones(4, 2).as_torch()
            >>> Embedding.from_pretrained(table).weight.requires_grad
            False
        """
        require_torch("from_pretrained", embeddings)
        if embeddings.dims != 2:
            raise AssertionError(
                f"[from_pretrained] got shape {tuple(embeddings.shape)}; need (rows, "
                "width)."
            )
        rows, width = embeddings.shape
        options = max_norm, norm_type, scale_grad_by_freq, sparse
        return cls(rows, width, padding_idx, *options, embeddings, freeze)

    def reset_parameters(self) -> None:
        """Draws the table anew, normal with variance 1."""
        sizes = self.num_embeddings, self.embedding_dim, self.padding_idx
        take_start(self, nn.Embedding(*sizes))

    def forward(self, input: Any) -> Tensor:
        """Looks the rows up."""
        options = self.max_norm, self.norm_type, self.scale_grad_by_freq
        if self.max_norm is None and not self.scale_grad_by_freq:
            require_torch("Embedding", input)
            if input.dtype.is_floating_point:
                raise RuntimeError(
                    f"[Embedding] got {input.dtype}; need integers. Try .long()."
                )
            return cast(Tensor, computed(nn.Embedding.forward, self, input))
        weight = cast(Tensor, self.weight)
        return F.embedding(input, weight, self.padding_idx, *options)

    def extra_repr(self) -> str:
        """The sizes, and the options that are not the usual ones."""
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        usual = {
            "padding_idx": None,
            "max_norm": None,
            "norm_type": 2,
            "scale_grad_by_freq": False,
            "sparse": False,
        }
        for name, value in usual.items():
            if getattr(self, name) != value:
                parts.append(f"{name}={getattr(self, name)}")
        return ", ".join(parts)


class EmbeddingBag(Module, nn.EmbeddingBag):
    """The mean, sum or maximum of the rows of each bag of numbers.

    Args:
        num_embeddings: Rows of the table.
        embedding_dim: Their width.
        max_norm: Rows that are looked up are shortened to this norm, in the table.
        norm_type: Of which norm.
        scale_grad_by_freq: Only False: gradients are sums.
        mode: "mean", "sum" or "max".
        sparse: Taken for old programs; gradients are always dense.
        include_last_offset: The last offset is the end of the last bag.
        padding_idx: A row that counts nothing.

    Raises:
        ValueError: Another mode, or scale_grad_by_freq.

    Example:
        >>> import minitorch.torch as torch
        >>> layer = EmbeddingBag(10, 3)
        >>> layer(torch.tensor([1, 2, 4, 5, 4]), torch.tensor([0, 3])).shape
        torch.Size([2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if scale_grad_by_freq:
            raise ValueError(
                "[EmbeddingBag] got scale_grad_by_freq True; need False. Divide the "
                "gradient by how often each number occurs."
            )
        sizes = num_embeddings, embedding_dim, mode, include_last_offset, padding_idx
        nn.EmbeddingBag.__init__(self, *sizes, dtype_of(dtype), device_of(device))
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        if _weight is not None:
            self.weight = cast(Any, Parameter(_weight))

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, **options: Any
    ) -> Self:
        """A layer with the table (rows, width) that is given; options as above."""
        require_torch("from_pretrained", embeddings)
        rows, width = embeddings.shape
        made = cls(rows, width, _weight=embeddings, **options)
        made.weight.requires_grad = not freeze  # type: ignore[attr-defined]
        return made

    def reset_parameters(self) -> None:
        """Draws the table anew, normal with variance 1."""
        sizes = self.num_embeddings, self.embedding_dim, self.padding_idx
        take_start(self, nn.Embedding(*sizes))

    def forward(
        self, input: Any, offsets: Any = None, per_sample_weights: Any = None
    ) -> Tensor:  # type: ignore[override]
        """(bags, numbers), or (numbers,) with offsets (bags,) -> (bags, width)."""
        given = [t for t in (offsets, per_sample_weights) if t is not None]
        require_torch("EmbeddingBag", input, *given)
        if self.max_norm is not None:
            weight = cast(Tensor, self.weight)
            F.embedding(input, weight, None, self.max_norm, self.norm_type)
        arguments = input, offsets, per_sample_weights
        return cast(Tensor, computed(nn.EmbeddingBag.forward, self, *arguments))

    def extra_repr(self) -> str:
        """The sizes, the mode, and the options that are not the usual ones."""
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        usual = {"max_norm": None, "norm_type": 2, "padding_idx": None}
        for name, value in usual.items():
            if getattr(self, name) != value:
                parts.append(f"{name}={getattr(self, name)}")
        return ", ".join([*parts, f"mode={self.mode!r}"])

"""The Transformer, its encoder and decoder layers, and stacks of them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, ClassVar

from .. import _core, functional
from .._core import FitError, Tensor
from ..functional.arguments import require_tensors
from ..functional.attention import allowed
from ..module import Module
from .attention import MultiheadAttention
from .containers import ModuleList
from .fitting import require_input
from .init import xavier_uniform_
from .initialise import as_sizes
from .linear import Linear
from .normalisation import Dropout, LayerNorm

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]

_Activation = str | Callable[[Tensor], Tensor]


class _Block(Module):
    """Base of encoder and decoder layers: sizes, activation, feed-forward."""

    def _start(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        activation: _Activation,
        norm_first: bool,
        batch_first: bool,
    ) -> None:
        name = type(self).__name__
        self.d_model, _, _ = as_sizes(
            name, d_model=d_model, nhead=nhead, dim_feedforward=dim_feedforward
        )
        self.norm_first = norm_first
        self.batch_first, self.activation = batch_first, _activation(name, activation)

    def _require(self, *inputs: Tensor) -> None:
        name = f"{type(self).__name__}({self.d_model})"
        require_tensors(name, *inputs)
        for input_ in inputs:
            shape = tuple(input_.shape)
            fits = len(shape) in (2, 3) and shape[-1] == self.d_model
            axes = "n, length" if self.batch_first else "length, n"
            need = f"({axes}, {self.d_model}) or (length, {self.d_model})"
            require_input(name, input_, fits, need)


def _activation(where: str, activation: Any) -> Callable[[Tensor], Tensor]:
    named: dict[str, Callable[[Tensor], Tensor]] = {
        "relu": functional.relu,
        "gelu": functional.gelu,
    }
    if isinstance(activation, str):
        if activation not in named:
            raise FitError(
                f"[{where}] got activation {activation!r}; need 'relu', 'gelu' or a "
                "function."
            )
        return named[activation]
    if not callable(activation):
        raise TypeError(f"[{where}] got activation {activation!r}; need a function.")
    return activation  # type: ignore[no-any-return]


class _Layer(_Block):
    """Base of encoder and decoder layers: their parts, each with a residual."""

    attentions: ClassVar[tuple[str, ...]]

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: _Activation = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        fixed = dim_feedforward, activation, norm_first, batch_first
        self._start(d_model, nhead, *fixed)
        kind = {"device": device or "cpu", "dtype": dtype}
        # In PyTorch's order, that of their parameters.
        heads: dict[str, Any] = {"dropout": dropout, "bias": bias, **kind}
        for name in self.attentions:
            attention = MultiheadAttention(
                d_model, nhead, batch_first=batch_first, **heads
            )
            setattr(self, name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias, **kind)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **kind)
        parts = range(1, len(self.attentions) + 2)
        norm = {"eps": layer_norm_eps, "bias": bias, **kind}
        for i in parts:
            setattr(self, f"norm{i}", LayerNorm(d_model, **norm))
        for i in parts:
            setattr(self, f"dropout{i}", Dropout(dropout))

    def _residual(
        self, x: Tensor, number: int, block: Callable[[Tensor], Tensor]
    ) -> Tensor:
        """Return x plus a block's output, normalised before or after."""
        norm = getattr(self, f"norm{number}")
        drop = getattr(self, f"dropout{number}")
        if self.norm_first:
            return x + drop(block(norm(x)))  # type: ignore[no-any-return]
        return norm(x + drop(block(x)))  # type: ignore[no-any-return]

    def _attended(
        self,
        x: Tensor,
        number: int,
        memory: Tensor | None,
        mask: Tensor | None,
        padding: Tensor | None,
        is_causal: bool,
    ) -> Tensor:
        """Return x plus its attention to `memory`, to itself by default."""

        def attend(x: Tensor) -> Tensor:
            source = x if memory is None else memory
            out: Tensor = getattr(self, self.attentions[number - 1])(
                x,
                source,
                source,
                key_padding_mask=padding,
                need_weights=False,
                attn_mask=mask,
                is_causal=is_causal and mask is None,
            )[0]
            return out

        return self._residual(x, number, attend)

    def _fed_forward(self, x: Tensor) -> Tensor:
        """Return x plus the two linear maps of it."""
        return self._residual(
            x,
            len(self.attentions) + 1,
            lambda x: self.linear2(self.dropout(self.activation(self.linear1(x)))),
        )


class TransformerEncoderLayer(_Layer):
    """Attention of a sequence to itself, then two linear maps, each with a residual.

    Vaswani et al., "Attention is all you need" (2017), section 3.1. Parameters have
    PyTorch's names: self_attn.in_proj_weight, linear1.weight, norm1.weight and so on.

    Args:
        d_model: Width of input and output.
        nhead: Heads, which divide it.
        dim_feedforward: Width between the linear maps.
        dropout: Probability of leaving out a cell while training.
        activation: "relu", "gelu" or a function of a tensor.
        layer_norm_eps: Of the normalisations.
        batch_first: Sequences are (n, length, width) rather than (length, n, width).
        norm_first: Normalise before each block rather than after its residual.
        bias: With biases.

    Raises:
        ValueError: Sizes or shapes do not fit, or the activation is unknown.

    Example:
        >>> import minitorch
        >>> layer = TransformerEncoderLayer(8, 2, 16, batch_first=True)
        >>> layer(minitorch.zeros(3, 5, 8)).shape
        (3, 5, 8)
    """

    attentions = ("self_attn",)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """Apply the layer to (length, n, d_model), or (n, length, d_model) if
        batch_first.

        Args:
            src: The sequence.
            src_mask: (length, length), True where a source takes no part, or numbers
                added to the scores.
            src_key_padding_mask: (n, length), True for what takes no part.
            is_causal: A place sees those up to itself only.
        """
        self._require(src)
        x = self._attended(src, 1, None, src_mask, src_key_padding_mask, is_causal)
        return self._fed_forward(x)


class TransformerDecoderLayer(_Layer):
    """An encoder layer with attention to `memory`, an encoder's output, in between.

    Arguments as for TransformerEncoderLayer; the second attention is multihead_attn.

    Example:
        >>> import minitorch
        >>> layer = TransformerDecoderLayer(8, 2, 16, batch_first=True)
        >>> layer(minitorch.zeros(3, 5, 8), minitorch.zeros(3, 7, 8)).shape
        (3, 5, 8)
    """

    attentions = ("self_attn", "multihead_attn")

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Map (targets, n, d_model), (sources, n, d_model) -> (targets, n, d_model).

        Args:
            tgt: The sequence.
            memory: What it attends to.
            tgt_mask, tgt_key_padding_mask, tgt_is_causal: As of an encoder layer.
            memory_mask: (targets, sources).
            memory_key_padding_mask: (n, sources).
            memory_is_causal: Target i sees the sources 0 to i only.
        """
        self._require(tgt, memory)
        own = tgt_mask, tgt_key_padding_mask, tgt_is_causal
        other = memory_mask, memory_key_padding_mask, memory_is_causal
        x = self._attended(tgt, 1, None, *own)
        x = self._attended(x, 2, memory, *other)
        return self._fed_forward(x)


class _Stack(Module):
    """Copies of a layer in sequence, with an optional final normalisation."""

    def __init__(self, layer: Module, num_layers: int, norm: Module | None) -> None:
        super().__init__()
        name = type(self).__name__
        (num_layers,) = as_sizes(name, num_layers=num_layers)
        if not isinstance(layer, Module):
            raise TypeError(
                f"[{name}] got {type(layer).__name__}; need an nn.Module, the layer."
            )
        copies = [copy.deepcopy(layer) for _ in range(num_layers)]
        self.layers = ModuleList(copies)
        self.num_layers, self.norm = num_layers, norm


class TransformerEncoder(_Stack):
    """Encoder layers, one after another: copies of `encoder_layer`.

    Args:
        encoder_layer: A TransformerEncoderLayer.
        num_layers: Copies of it, which start with the same numbers.
        norm: Applied to the result, if given.
        enable_nested_tensor, mask_check: Taken as PyTorch takes them, and not used.

    Example:
        >>> import minitorch
        >>> net = TransformerEncoder(TransformerEncoderLayer(8, 2, 16), 2)
        >>> net(minitorch.zeros(5, 3, 8)).shape
        (5, 3, 8)
    """

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__(encoder_layer, num_layers, norm)
        self.enable_nested_tensor, self.mask_check = enable_nested_tensor, mask_check

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """Apply the layers; arguments as for one layer."""
        out = src
        for layer in self.layers:
            out = layer(out, mask, src_key_padding_mask, bool(is_causal))
        return out if self.norm is None else self.norm(out)


class TransformerDecoder(_Stack):
    """Decoder layers, one after another: copies of `decoder_layer`.

    Example:
        >>> import minitorch
        >>> net = TransformerDecoder(TransformerDecoderLayer(8, 2, 16), 2)
        >>> net(minitorch.zeros(5, 3, 8), minitorch.zeros(7, 3, 8)).shape
        (5, 3, 8)
    """

    def __init__(
        self, decoder_layer: Module, num_layers: int, norm: Module | None = None
    ) -> None:
        super().__init__(decoder_layer, num_layers, norm)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Apply the layers; arguments as for one layer."""
        masks = tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
        out = tgt
        for layer in self.layers:
            out = layer(out, memory, *masks, bool(tgt_is_causal), memory_is_causal)
        return out if self.norm is None else self.norm(out)


class Transformer(_Block):
    """An encoder of one sequence and a decoder of another that attends to it.

    Vaswani et al., "Attention is all you need" (2017): the model without embeddings and
    last linear map. Its matrices start uniform in ±sqrt(6 / (rows + columns)).

    Args:
        d_model, nhead: As of the layers.
        num_encoder_layers, num_decoder_layers: How many of each.
        dim_feedforward, dropout, activation: As of the layers.
        custom_encoder, custom_decoder: Modules in their place.
        layer_norm_eps, batch_first, norm_first, bias: As of the layers.

    Example:
        >>> import minitorch
        >>> net = Transformer(8, 2, 1, 1, 16, batch_first=True)
        >>> net(minitorch.zeros(3, 7, 8), minitorch.zeros(3, 5, 8)).shape
        (3, 5, 8)
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: _Activation = "relu",
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        fixed = dim_feedforward, activation, norm_first, batch_first
        self._start(d_model, nhead, *fixed)
        self.nhead = nhead
        sizes = d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps
        placement = {"device": device or "cpu", "dtype": dtype}
        options = {"batch_first": batch_first, "norm_first": norm_first, "bias": bias}
        norm = {"eps": layer_norm_eps, "bias": bias, **placement}

        def stack(kind: Any, layer: Any, count: int) -> Any:
            one = layer(*sizes, **options, **placement)
            return kind(one, count, LayerNorm(d_model, **norm))

        self.encoder = custom_encoder or stack(
            TransformerEncoder, TransformerEncoderLayer, num_encoder_layers
        )
        self.decoder = custom_decoder or stack(
            TransformerDecoder, TransformerDecoderLayer, num_decoder_layers
        )
        for parameter in self.parameters():
            if len(parameter.shape) == 2:
                xavier_uniform_(parameter)

    @staticmethod
    def generate_square_subsequent_mask(
        sz: int, device: Any = None, dtype: Any = None
    ) -> Tensor:
        """(sz, sz): 0 on and below the diagonal, -inf above.

        Example:
            >>> Transformer.generate_square_subsequent_mask(2).numpy()
            array([[  0., -inf],
                   [  0.,   0.]], dtype=float32)
        """
        kind = _core.float32 if dtype is None else _core.as_dtype(dtype)
        ones = _core.full((sz, sz), 1, kind, device or "cpu")
        return allowed(functional.tril(ones), ones)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Return the decoder's result for `tgt`, attending to the encoded `src`.

        Masks as of the layers.

        Raises:
            ValueError: The shapes do not fit, or the batches differ.
        """
        self._require(src, tgt)
        batch_dim = 0 if self.batch_first else 1
        if len(src.shape) != len(tgt.shape) or (
            len(src.shape) == 3 and src.shape[batch_dim] != tgt.shape[batch_dim]
        ):
            raise FitError(
                f"[Transformer] got src {tuple(src.shape)} and tgt {tuple(tgt.shape)}; "
                "need equal batch sizes."
            )
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        masks = tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
        out: Tensor = self.decoder(tgt, memory, *masks, tgt_is_causal, memory_is_causal)
        return out

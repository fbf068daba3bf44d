"""Owns what derived layers say of themselves, as PyTorch prints them in a network.

A row a layer whose words are not simply its options. Must not know what they compute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

Words = Callable[[Any], str]


def _pairs(layer: Any, names: Iterable[str]) -> str:
    return ", ".join(f"{name}={getattr(layer, name)!r}" for name in names)


def _options(*names: str) -> Words:
    """These options; `inplace` is said only where it is so."""

    def words(layer: Any) -> str:
        kept = [n for n in names if n != "inplace" or getattr(layer, n, False)]
        return _pairs(layer, kept)

    return words


def _value(name: str) -> Words:
    """One option without its name."""
    return lambda layer: str(getattr(layer, name))


def _first(name: str, *more: str) -> Words:
    """The first option without its name, others with theirs."""
    return lambda layer: f"{getattr(layer, name)}, {_pairs(layer, more)}"


def _dropout(layer: Any) -> str:
    return f"p={layer.p}, inplace={getattr(layer, 'inplace', False)}"


def _upsample(layer: Any) -> str:
    factor = layer.scale_factor
    if factor is None:
        said = f"size={layer.size}"
    elif isinstance(factor, tuple | list):
        said = f"scale_factor={tuple(map(float, factor))}"
    else:
        said = f"scale_factor={float(factor)}"
    return f"{said}, mode={layer.mode!r}"


def _group_norm(layer: Any) -> str:
    return (
        f"{layer.num_groups}, {layer.num_channels}, eps={layer.eps}, "
        f"affine={layer.affine}, bias={layer.bias is not None}"
    )


def _batch_norm(layer: Any) -> str:
    bias = getattr(layer, "bias", None) is not None
    return (
        f"{layer.num_features}, eps={layer.eps}, momentum={layer.momentum}, "
        f"affine={layer.affine}, bias={bias}, "
        f"track_running_stats={layer.track_running_stats}"
    )


def _unpooling(dimensions: int) -> Words:
    def words(layer: Any) -> str:
        def whole(value: Any) -> tuple[int, ...]:
            values = value if isinstance(value, Sequence) else (value,) * dimensions
            return tuple(values)

        stride = layer.kernel_size if layer.stride is None else layer.stride
        return (
            f"kernel_size={whole(layer.kernel_size)}, stride={whole(stride)}, "
            f"padding={whole(layer.padding)}"
        )

    return words


def _nothing(layer: Any) -> str:
    return ""


def _pool3d(layer: Any) -> str:
    stride = layer.kernel_size if layer.stride is None else layer.stride
    said = f"kernel_size={layer.kernel_size}, stride={stride}, padding={layer.padding}"
    if not hasattr(layer, "dilation"):
        return said
    return f"{said}, dilation={layer.dilation}, ceil_mode={layer.ceil_mode}"


_OF_DROPOUT = ("AlphaDropout", "Dropout1d", "Dropout2d", "Dropout3d")
_WITHOUT_WORDS = [
    "CTCLoss",
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "KLDivLoss",
    "MarginRankingLoss",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "PairwiseDistance",
    "PoissonNLLLoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]

WORDS: dict[str, Words] = {
    **dict.fromkeys((*_OF_DROPOUT, "FeatureAlphaDropout"), _dropout),
    **dict.fromkeys(_WITHOUT_WORDS, _nothing),
    **{f"InstanceNorm{n}d": _batch_norm for n in (1, 2, 3)},
    **{f"MaxUnpool{n}d": _unpooling(n) for n in (1, 2)},
    **{f"AdaptiveMaxPool{n}d": _options("output_size") for n in (1, 2, 3)},
    "AvgPool3d": _pool3d,
    "BatchNorm3d": _batch_norm,
    "CELU": _options("alpha", "inplace"),
    "ELU": _options("alpha", "inplace"),
    "GroupNorm": _group_norm,
    "Hardshrink": _value("lambd"),
    "Hardsigmoid": _nothing,
    "Hardswish": _nothing,
    "Hardtanh": _options("min_val", "max_val", "inplace"),
    "LocalResponseNorm": _first("size", "alpha", "beta", "k"),
    "MaxPool3d": _pool3d,
    "Mish": _options("inplace"),
    "RReLU": _options("lower", "upper", "inplace"),
    "ReLU6": _options("inplace"),
    "SELU": _options("inplace"),
    "Softshrink": _value("lambd"),
    "Threshold": _options("threshold", "value", "inplace"),
    "Upsample": _upsample,
    "UpsamplingBilinear2d": _upsample,
    "UpsamplingNearest2d": _upsample,
}

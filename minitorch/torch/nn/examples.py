"""Owns an example call of each derived layer, with the shape that comes of it.

Docstrings show them, and so the tests run them. Must not know layers.
"""

from __future__ import annotations

# The layer, its inputs and the shape of its (first) result: `2 3` is torch.rand(2, 3).
CALLS = """
AdaptiveAvgPool1d(2): 1 3 7 -> 1 3 2
AdaptiveAvgPool3d(2): 1 3 7 5 4 -> 1 3 2 2 2
AdaptiveMaxPool1d(2): 1 3 7 -> 1 3 2
AdaptiveMaxPool2d(2): 1 3 7 5 -> 1 3 2 2
AdaptiveMaxPool3d(2): 1 3 7 5 4 -> 1 3 2 2 2
AlphaDropout(0.2): 2 3 -> 2 3
AvgPool3d(2): 1 3 4 4 4 -> 1 3 2 2 2
BatchNorm3d(3): 2 3 4 4 4 -> 2 3 4 4 4
Bilinear(3, 4, 2): 5 3; 5 4 -> 5 2
CELU(): 2 3 -> 2 3
ChannelShuffle(2): 1 4 2 2 -> 1 4 2 2
CircularPad1d(1): 1 2 5 -> 1 2 7
CircularPad2d(1): 1 2 5 5 -> 1 2 7 7
CircularPad3d(1): 1 2 5 5 5 -> 1 2 7 7 7
ConstantPad1d(1, 0.5): 1 2 5 -> 1 2 7
ConstantPad2d(1, 0.5): 1 2 5 5 -> 1 2 7 7
ConstantPad3d(1, 0.5): 1 2 5 5 5 -> 1 2 7 7 7
ConvTranspose1d(3, 6, 4, stride=2): 1 3 8 -> 1 6 18
ConvTranspose2d(3, 6, 4, stride=2): 1 3 8 8 -> 1 6 18 18
CosineEmbeddingLoss(): 2 3; 2 3; torch.ones(2) -> one number
CosineSimilarity(): 2 3; 2 3 -> 2
Dropout1d(0.2): 1 3 8 -> 1 3 8
Dropout2d(0.2): 1 3 8 8 -> 1 3 8 8
Dropout3d(0.2): 1 3 4 4 4 -> 1 3 4 4 4
ELU(): 2 3 -> 2 3
FeatureAlphaDropout(0.2): 1 3 4 4 4 -> 1 3 4 4 4
Fold((4, 4), 2): 1 12 9 -> 1 3 4 4
GLU(): 2 6 -> 2 3
GRU(4, 8): 5 1 4 -> 5 1 8
GRUCell(4, 8): 2 4 -> 2 8
GaussianNLLLoss(): 4; 4; 4 -> one number
GroupNorm(2, 4): 1 4 8 8 -> 1 4 8 8
Hardshrink(): 2 3 -> 2 3
Hardsigmoid(): 2 3 -> 2 3
Hardswish(): 2 3 -> 2 3
Hardtanh(): 2 3 -> 2 3
HingeEmbeddingLoss(): 4; torch.ones(4) -> one number
HuberLoss(): 4; 4 -> one number
InstanceNorm1d(3): 1 3 8 -> 1 3 8
InstanceNorm2d(3): 1 3 8 8 -> 1 3 8 8
InstanceNorm3d(3): 1 3 4 4 4 -> 1 3 4 4 4
KLDivLoss(): 4; 4 -> one number
LPPool1d(2, 2): 1 3 8 -> 1 3 4
LPPool2d(2, 2): 1 3 8 8 -> 1 3 4 4
LSTM(4, 8): 5 1 4 -> 5 1 8
LSTMCell(4, 8): 2 4 -> 2 8
LocalResponseNorm(2): 1 4 8 8 -> 1 4 8 8
LogSigmoid(): 2 3 -> 2 3
MarginRankingLoss(): 4; 4; torch.ones(4) -> one number
MaxPool3d(2): 1 3 4 4 4 -> 1 3 2 2 2
Mish(): 2 3 -> 2 3
MultiLabelMarginLoss(): 1 3; torch.tensor([[0, 2, -1]]) -> one number
MultiLabelSoftMarginLoss(): 2 3; torch.ones(2, 3) -> one number
MultiMarginLoss(): 2 3; torch.tensor([0, 2]) -> one number
PReLU(): 2 3 -> 2 3
PairwiseDistance(): 2 3; 2 3 -> 2
PixelShuffle(2): 1 8 3 3 -> 1 2 6 6
PixelUnshuffle(2): 1 2 6 6 -> 1 8 3 3
PoissonNLLLoss(): 4; 4 -> one number
RMSNorm(8): 2 8 -> 2 8
RNN(4, 8): 5 1 4 -> 5 1 8
RNNCell(4, 8): 2 4 -> 2 8
RReLU(): 2 3 -> 2 3
ReLU6(): 2 3 -> 2 3
ReflectionPad1d(1): 1 2 5 -> 1 2 7
ReflectionPad2d(1): 1 2 5 5 -> 1 2 7 7
ReflectionPad3d(1): 1 2 5 5 5 -> 1 2 7 7 7
ReplicationPad1d(1): 1 2 5 -> 1 2 7
ReplicationPad2d(1): 1 2 5 5 -> 1 2 7 7
ReplicationPad3d(1): 1 2 5 5 5 -> 1 2 7 7 7
SELU(): 2 3 -> 2 3
SmoothL1Loss(): 4; 4 -> one number
SoftMarginLoss(): 4; torch.ones(4) -> one number
Softmax2d(): 1 3 4 4 -> 1 3 4 4
Softmin(dim=1): 2 3 -> 2 3
Softplus(): 2 3 -> 2 3
Softshrink(): 2 3 -> 2 3
Softsign(): 2 3 -> 2 3
Tanhshrink(): 2 3 -> 2 3
Threshold(0.1, 0.0): 2 3 -> 2 3
Transformer(8, 2, 1, 1, 16): 7 1 8; 5 1 8 -> 5 1 8
TransformerDecoderLayer(8, 2, 16): 5 1 8; 7 1 8 -> 5 1 8
TransformerEncoderLayer(8, 2, 16): 5 1 8 -> 5 1 8
TripletMarginLoss(): 2 3; 2 3; 2 3 -> one number
TripletMarginWithDistanceLoss(): 2 3; 2 3; 2 3 -> one number
Unflatten(1, (2, 3)): 4 6 -> 4 2 3
Unfold(2): 1 3 4 4 -> 1 12 9
Upsample(scale_factor=2): 1 3 4 4 -> 1 3 8 8
UpsamplingBilinear2d(scale_factor=2): 1 3 4 4 -> 1 3 8 8
UpsamplingNearest2d(scale_factor=2): 1 3 4 4 -> 1 3 8 8
ZeroPad1d(1): 1 2 5 -> 1 2 7
ZeroPad2d(1): 1 2 5 5 -> 1 2 7 7
ZeroPad3d(1): 1 2 5 5 5 -> 1 2 7 7 7
"""

# These give a tuple, the result first.
_TUPLES = ("RNN", "GRU", "LSTM", "LSTMCell")


def _input(words: str) -> str:
    """How a docstring makes an input of a row."""
    return words if "(" in words else f"torch.rand({', '.join(words.split())})"


def _lines(row: str) -> list[str]:
    """A row as the lines of a docstring's example."""
    layer, _, call = row.partition(": ")
    inputs, _, sizes = call.partition(" -> ")
    given = ", ".join(_input(each) for each in inputs.split("; "))
    first = "[0]" if layer.partition("(")[0] in _TUPLES else ""
    shape = "" if sizes == "one number" else f"[{', '.join(sizes.split())}]"
    return [
        "",
        "Example:",
        "    >>> import minitorch.torch as torch",
        f"    >>> layer = torch.nn.{layer}",
        f"    >>> layer({given}){first}.shape",
        f"    torch.Size({shape or '[]'})",
    ]


_OF = {row.partition("(")[0]: row for row in CALLS.split("\n") if row}


def example(name: str) -> str:
    """The example of a layer, to stand below what is said of it; "" without one."""
    return "\n".join(["", *_lines(_OF[name])]) if name in _OF else ""

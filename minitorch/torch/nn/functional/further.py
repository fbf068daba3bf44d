"""The functions of networks that are minitorch.functional's by the same name.

They take tensors of this dialect alone.
"""

from __future__ import annotations

from .... import functional
from ..adapters import function_of

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cosine_similarity",
    "cross_entropy",
    "dropout2d",
    "elu",
    "embedding_bag",
    "group_norm",
    "huber_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "l1_loss",
    "logsigmoid",
    "mse_loss",
    "nll_loss",
    "normalize",
    "pad",
    "pixel_shuffle",
    "relu6",
    "rms_norm",
    "smooth_l1_loss",
    "softplus",
]


binary_cross_entropy = function_of(functional.binary_cross_entropy)
binary_cross_entropy_with_logits = function_of(
    functional.binary_cross_entropy_with_logits
)
cross_entropy = function_of(functional.cross_entropy)
l1_loss = function_of(functional.l1_loss)
mse_loss = function_of(functional.mse_loss)
nll_loss = function_of(functional.nll_loss)
cosine_similarity = function_of(functional.cosine_similarity)
dropout2d = function_of(functional.dropout2d)
elu = function_of(functional.elu)
embedding_bag = function_of(functional.embedding_bag)
group_norm = function_of(functional.group_norm)
huber_loss = function_of(functional.huber_loss)
instance_norm = function_of(functional.instance_norm)
interpolate = function_of(functional.interpolate)
kl_div = function_of(functional.kl_div)
logsigmoid = function_of(functional.logsigmoid)
normalize = function_of(functional.normalize)
pad = function_of(functional.pad)
pixel_shuffle = function_of(functional.pixel_shuffle)
relu6 = function_of(functional.relu6)
rms_norm = function_of(functional.rms_norm)
smooth_l1_loss = function_of(functional.smooth_l1_loss)
softplus = function_of(functional.softplus)

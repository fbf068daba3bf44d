"""Owns the functions of networks that are minitorch.functional's by the same name.

They take tensors of this dialect alone. Must not know what functions compute.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from .... import _core, functional
from ..arguments import computed, require_torch
from .losses import rename_reduction


def _here(name: str) -> Callable[..., Any]:
    """The function, for tensors of PyTorch's dialect."""
    function = getattr(functional, name)
    is_loss = "reduction" in inspect.signature(function).parameters

    @functools.wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        require_torch(name, *args[:1])
        if is_loss:
            rename_reduction(name, options)
        given = (*args[1:], *options.values())
        require_torch(name, *(v for v in given if isinstance(v, _core.Tensor)))
        return computed(function, *args, **options)

    return called


def _in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with its result in the memory of its first tensor."""

    def called(input: Any, *args: Any, **options: Any) -> Any:
        return function(input, *args, inplace=True, **options)

    called.__name__ = called.__qualname__ = f"{function.__name__}_"
    called.__doc__ = f"{function.__name__} in the memory of the input."
    return called


adaptive_avg_pool1d = _here("adaptive_avg_pool1d")
adaptive_avg_pool3d = _here("adaptive_avg_pool3d")
adaptive_max_pool1d = _here("adaptive_max_pool1d")
adaptive_max_pool2d = _here("adaptive_max_pool2d")
adaptive_max_pool3d = _here("adaptive_max_pool3d")
alpha_dropout = _here("alpha_dropout")
avg_pool3d = _here("avg_pool3d")
bilinear = _here("bilinear")
cdist = _here("cdist")
celu = _here("celu")
channel_shuffle = _here("channel_shuffle")
conv3d = _here("conv3d")
conv_transpose1d = _here("conv_transpose1d")
cosine_embedding_loss = _here("cosine_embedding_loss")
cosine_similarity = _here("cosine_similarity")
ctc_loss = _here("ctc_loss")
dropout1d = _here("dropout1d")
dropout2d = _here("dropout2d")
dropout3d = _here("dropout3d")
elu = _here("elu")
embedding_bag = _here("embedding_bag")
feature_alpha_dropout = _here("feature_alpha_dropout")
fold = _here("fold")
gaussian_nll_loss = _here("gaussian_nll_loss")
glu = _here("glu")
group_norm = _here("group_norm")
gumbel_softmax = _here("gumbel_softmax")
hardshrink = _here("hardshrink")
hardsigmoid = _here("hardsigmoid")
hardswish = _here("hardswish")
hardtanh = _here("hardtanh")
hinge_embedding_loss = _here("hinge_embedding_loss")
huber_loss = _here("huber_loss")
instance_norm = _here("instance_norm")
interpolate = _here("interpolate")
kl_div = _here("kl_div")
local_response_norm = _here("local_response_norm")
logsigmoid = _here("logsigmoid")
lp_pool1d = _here("lp_pool1d")
lp_pool2d = _here("lp_pool2d")
margin_ranking_loss = _here("margin_ranking_loss")
max_pool3d = _here("max_pool3d")
max_unpool1d = _here("max_unpool1d")
max_unpool2d = _here("max_unpool2d")
mish = _here("mish")
multi_margin_loss = _here("multi_margin_loss")
multilabel_margin_loss = _here("multilabel_margin_loss")
multilabel_soft_margin_loss = _here("multilabel_soft_margin_loss")
normalize = _here("normalize")
pad = _here("pad")
pairwise_distance = _here("pairwise_distance")
pixel_shuffle = _here("pixel_shuffle")
pixel_unshuffle = _here("pixel_unshuffle")
poisson_nll_loss = _here("poisson_nll_loss")
prelu = _here("prelu")
relu6 = _here("relu6")
rms_norm = _here("rms_norm")
rrelu = _here("rrelu")
selu = _here("selu")
smooth_l1_loss = _here("smooth_l1_loss")
soft_margin_loss = _here("soft_margin_loss")
softplus = _here("softplus")
softshrink = _here("softshrink")
softsign = _here("softsign")
tanhshrink = _here("tanhshrink")
threshold = _here("threshold")
triplet_margin_loss = _here("triplet_margin_loss")
triplet_margin_with_distance_loss = _here("triplet_margin_with_distance_loss")
unfold = _here("unfold")
celu_ = _in_place(celu)
elu_ = _in_place(elu)
hardtanh_ = _in_place(hardtanh)
rrelu_ = _in_place(rrelu)
selu_ = _in_place(selu)
threshold_ = _in_place(threshold)

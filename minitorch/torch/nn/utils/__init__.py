"""`torch.nn.utils`: limits on gradients, and sequences of several lengths."""

from __future__ import annotations

from . import rnn
from .gradients import clip_grad_norm_, clip_grad_value_

__all__ = ["clip_grad_norm_", "clip_grad_value_", "rnn"]

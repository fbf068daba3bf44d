"""Owns the package that explains how a network runs: layers, kernels, one neuron.

Must not know pictures.
"""

from .explanation import Explanation, Kernel, Layer, Op
from .neuron import Factor, Mac, Neuron, Part

__all__ = ["Explanation", "Factor", "Kernel", "Layer", "Mac", "Neuron", "Op", "Part"]

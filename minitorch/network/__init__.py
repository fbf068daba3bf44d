"""The package that explains how a network runs: layers, kernels, one neuron."""

from .explanation import Explanation
from .neuron import Factor, Mac, Neuron, Part
from .records import Kernel, Layer, Op

__all__ = ["Explanation", "Factor", "Kernel", "Layer", "Mac", "Neuron", "Op", "Part"]

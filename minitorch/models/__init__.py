"""The list of whole networks, under the names of PyTorch's torchvision.

Parameters have torchvision's names and shapes, so that its weights load. Nothing is
downloaded: docs/training.md has the line that writes the weights to a file.
"""

from __future__ import annotations

from .lenet import LeNet5, lenet5
from .resnet import BasicBlock, Bottleneck, ResNet, resnet18, resnet34, resnet50

__all__ = [
    "BasicBlock",
    "Bottleneck",
    "LeNet5",
    "ResNet",
    "lenet5",
    "resnet18",
    "resnet34",
    "resnet50",
]


def __dir__() -> list[str]:
    return list(__all__)

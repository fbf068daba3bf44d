"""The residual networks of He et al. (2015), with torchvision's names and shapes.

"Deep Residual Learning for Image Recognition"; the stride of a bottleneck stands at its
3 x 3 convolution, as torchvision's (v1.5).
"""

from __future__ import annotations

from typing import Any, ClassVar

from .._core import Tensor
from ..functional import flatten
from ..module import Module
from ..nn import init
from ..nn.activations import ReLU
from ..nn.containers import Sequential
from ..nn.conv import Conv2d
from ..nn.linear import Linear
from ..nn.normalisation import BatchNorm2d
from ..nn.pooling import AdaptiveAvgPool2d, MaxPool2d
from .weights import with_weights


def _conv(inputs: int, outputs: int, size: int, stride: int, kind: Any) -> Conv2d:
    """Return a convolution without bias; it keeps the size, except for the stride."""
    layer = Conv2d(inputs, outputs, size, stride, padding=size // 2, bias=False, **kind)
    init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")
    return layer


class BasicBlock(Module):
    """relu(x + bn(conv 3 x 3(relu(bn(conv 3 x 3(x)))))), the block of ResNet-18 and 34.

    Args:
        inplanes: Channels of the input.
        planes: Channels of the output.
        stride: Of the first convolution.
        downsample: What makes x as large as the sum's other part; None where it is.
        kind: dtype and device of the parameters.

    Example:
        >>> import minitorch
        >>> BasicBlock(4, 4)(minitorch.ones(1, 4, 8, 8)).shape
        (1, 4, 8, 8)
    """

    expansion: ClassVar[int] = 1  # channels of the output for one of the inside

    def __init__(
        self,
        inplanes: int,
        planes: int,
        stride: int = 1,
        downsample: Module | None = None,
        **kind: Any,
    ) -> None:
        super().__init__()
        self.conv1 = _conv(inplanes, planes, 3, stride, kind)
        self.bn1 = BatchNorm2d(planes, **kind)
        self.relu = ReLU(inplace=True)
        self.conv2 = _conv(planes, planes, 3, 1, kind)
        self.bn2 = BatchNorm2d(planes, **kind)
        self.downsample = downsample

    def forward(self, x: Tensor) -> Tensor:
        """Map (n, inplanes, h, w) -> (n, planes, h / stride, w / stride)."""
        kept = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        out: Tensor = self.relu(self.bn2(self.conv2(x)) + kept)
        return out


class Bottleneck(Module):
    """As BasicBlock, of convolutions 1 x 1, 3 x 3, 1 x 1: the block of ResNet-50.

    Example:
        >>> import minitorch
        >>> Bottleneck(16, 4)(minitorch.ones(1, 16, 8, 8)).shape
        (1, 16, 8, 8)
    """

    expansion: ClassVar[int] = 4

    def __init__(
        self,
        inplanes: int,
        planes: int,
        stride: int = 1,
        downsample: Module | None = None,
        **kind: Any,
    ) -> None:
        super().__init__()
        self.conv1 = _conv(inplanes, planes, 1, 1, kind)
        self.bn1 = BatchNorm2d(planes, **kind)
        self.conv2 = _conv(planes, planes, 3, stride, kind)
        self.bn2 = BatchNorm2d(planes, **kind)
        self.conv3 = _conv(planes, planes * self.expansion, 1, 1, kind)
        self.bn3 = BatchNorm2d(planes * self.expansion, **kind)
        self.relu = ReLU(inplace=True)
        self.downsample = downsample

    def forward(self, x: Tensor) -> Tensor:
        """Map (n, inplanes, h, w) -> (n, 4 planes, h / stride, w / stride)."""
        kept = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.relu(self.bn2(self.conv2(x)))
        out: Tensor = self.relu(self.bn3(self.conv3(x)) + kept)
        return out


class ResNet(Module):
    """conv1 bn1 relu maxpool layer1 … layer4 avgpool fc: images to scores of classes.

    Convolutions start by `kaiming_normal_` of fan_out, batch norms as 1 and 0.

    Args:
        block: BasicBlock or Bottleneck.
        layers: How many blocks each of the four layers has.
        num_classes: Outputs of `fc`.
        dtype: Of the parameters; the default dtype if None.
        device: "cpu" or "cuda".

    Example:
        >>> import minitorch
        >>> net = ResNet(BasicBlock, (1, 1, 1, 1), num_classes=5, dtype="float32")
        >>> net.eval()(minitorch.zeros(2, 3, 32, 32, dtype="float32")).shape
        (2, 5)
    """

    def __init__(
        self,
        block: type[BasicBlock] | type[Bottleneck],
        layers: tuple[int, int, int, int],
        num_classes: int = 1000,
        dtype: Any = None,
        device: str = "cpu",
    ) -> None:
        super().__init__()
        kind = {"dtype": dtype, "device": device}
        self._inplanes = 64
        self.conv1 = _conv(3, 64, 7, 2, kind)
        self.bn1 = BatchNorm2d(64, **kind)
        self.relu = ReLU(inplace=True)
        self.maxpool = MaxPool2d(3, stride=2, padding=1)
        self.layer1 = self._layer(block, 64, layers[0], 1, kind)
        self.layer2 = self._layer(block, 128, layers[1], 2, kind)
        self.layer3 = self._layer(block, 256, layers[2], 2, kind)
        self.layer4 = self._layer(block, 512, layers[3], 2, kind)
        self.avgpool = AdaptiveAvgPool2d((1, 1))
        self.fc = Linear(512 * block.expansion, num_classes, **kind)

    def _layer(
        self,
        block: type[BasicBlock] | type[Bottleneck],
        planes: int,
        count: int,
        stride: int,
        kind: Any,
    ) -> Sequential:
        """Return `count` blocks; the first one has the stride."""
        inputs, outputs = self._inplanes, planes * block.expansion
        downsample = None
        if stride != 1 or inputs != outputs:
            downsample = Sequential(
                _conv(inputs, outputs, 1, stride, kind), BatchNorm2d(outputs, **kind)
            )
        self._inplanes = outputs
        first = block(inputs, planes, stride, downsample, **kind)
        return Sequential(
            first, *(block(outputs, planes, **kind) for _ in range(count - 1))
        )

    def forward(self, x: Tensor) -> Tensor:
        """Return scores: (n, 3, height, width) -> (n, num_classes)."""
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))  # a quarter of each side
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))  # an eighth of that
        out: Tensor = self.fc(flatten(self.avgpool(x), 1))
        return out


def resnet18(*, weights: Any = None, num_classes: int = 1000, **kind: Any) -> ResNet:
    """ResNet-18: 11,689,512 parameters; arguments as for resnet50.

    Example:
        >>> len(resnet18(dtype="float32").state_dict())
        122
    """
    net = ResNet(BasicBlock, (2, 2, 2, 2), num_classes, **kind)
    return with_weights("resnet18", net, weights)


def resnet34(*, weights: Any = None, num_classes: int = 1000, **kind: Any) -> ResNet:
    """ResNet-34: 21,797,672 parameters; arguments as for resnet50."""
    net = ResNet(BasicBlock, (3, 4, 6, 3), num_classes, **kind)
    return with_weights("resnet34", net, weights)


def resnet50(*, weights: Any = None, num_classes: int = 1000, **kind: Any) -> ResNet:
    """ResNet-50: 25,557,032 parameters, 4,089,184,256 MACs an image of 224 x 224.

    Args:
        weights: A state dict, or a file of one (.pth, .safetensors). None starts
            at random. Nothing is downloaded.
        num_classes: Outputs; other weights than those of 1,000 classes need others.
        kind: `dtype` and `device` of the parameters.

    Raises:
        ValueError: Weights under a name, which would have to be downloaded; or a shape
            differs.
        KeyError: Names of the state dict are missing or unexpected.

    Example:
        >>> net = resnet50(dtype="float32").eval()
        >>> net.layer1[0].conv1
        Conv2d(64, 64, kernel_size=(1, 1), stride=(1, 1), bias=False)
    """
    net = ResNet(Bottleneck, (3, 4, 6, 3), num_classes, **kind)
    return with_weights("resnet50", net, weights)

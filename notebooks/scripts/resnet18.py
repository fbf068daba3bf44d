"""Runs ResNet-18 forward and backward on images of 32 × 32 and prints the cost.

python notebooks/scripts/resnet18.py [--batch 8] [--device cuda --width 4 --batch 2]

He et al., "Deep residual learning for image recognition" (2016), in the form for small
images: a 3 × 3 convolution first, and no pooling after it. Names are torchvision's.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from kernel_report import Clock

import minitorch
from minitorch import Module, Tensor, nn, optim

SEED = 1


def convolution(inputs: int, outputs: int, size: int, stride: int, **kind: Any) -> Any:
    """A convolution that keeps the size except for its stride; norms add the biases."""
    return nn.Conv2d(
        inputs, outputs, size, stride, padding=size // 2, bias=False, **kind
    )


class BasicBlock(Module):
    """relu(x + two convolutions of x), each with batch normalisation."""

    def __init__(self, inputs: int, outputs: int, stride: int, **kind: Any) -> None:
        super().__init__()
        self.conv1 = convolution(inputs, outputs, 3, stride, **kind)
        self.bn1 = nn.BatchNorm2d(outputs, **kind)
        self.conv2 = convolution(outputs, outputs, 3, 1, **kind)
        self.bn2 = nn.BatchNorm2d(outputs, **kind)
        self.shortens = stride != 1 or inputs != outputs
        if self.shortens:
            self.downsample = nn.Sequential(
                convolution(inputs, outputs, 1, stride, **kind),
                nn.BatchNorm2d(outputs, **kind),
            )

    def forward(self, x: Tensor) -> Tensor:
        """(n, inputs, h, w) -> (n, outputs, h / stride, w / stride)."""
        kept = self.downsample(x) if self.shortens else x
        out = self.bn1(self.conv1(x)).relu()
        joined: Tensor = (self.bn2(self.conv2(out)) + kept).relu()
        return joined


class ResNet18(Module):
    """Four stages of two blocks: (n, 3, 32, 32) -> (n, classes)."""

    def __init__(self, classes: int, width: int, **kind: Any) -> None:
        super().__init__()
        self.conv1 = convolution(3, width, 3, 1, **kind)
        self.bn1 = nn.BatchNorm2d(width, **kind)
        widths = [width, width, 2 * width, 4 * width, 8 * width]
        for stage in (1, 2, 3, 4):
            inputs, outputs = widths[stage - 1], widths[stage]
            stride = 1 if stage == 1 else 2
            blocks = nn.Sequential(
                BasicBlock(inputs, outputs, stride, **kind),
                BasicBlock(outputs, outputs, 1, **kind),
            )
            setattr(self, f"layer{stage}", blocks)
        self.fc = nn.Linear(8 * width, classes, **kind)

    def forward(self, x: Tensor) -> Tensor:
        """(n, 3, 32, 32) -> (n, classes)."""
        x = self.bn1(self.conv1(x)).relu()
        for stage in (self.layer1, self.layer2, self.layer3, self.layer4):
            x = stage(x)
        n, channels = x.shape[:2]
        # (n, channels, rows, columns) -> (n, channels): the mean of each image
        means = x.reshape(n, channels, x.size // (n * channels)).mean(2, keepdim=False)
        scores: Tensor = self.fc(means)
        return scores


def run(steps: int, batch: int, width: int, device: str) -> list[float]:
    """Takes `steps` steps on one batch of noise; prints and returns the losses."""
    minitorch.manual_seed(SEED)
    kind: dict[str, Any] = {"dtype": "float32", "device": device}
    net = ResNet18(10, width, **kind)
    count = sum(p.value.size for p in net.parameters())
    print(f"ResNet-18 of width {width}: {count:,} parameters, batch {batch}")
    images = minitorch.randn(batch, 3, 32, 32, **kind)
    labels = np.arange(batch) % 10
    targets = minitorch.tensor(labels, device=device)
    optimizer = optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
    losses, clock = [], Clock(device)
    for step in range(steps):
        start = clock.seconds()
        optimizer.zero_grad()
        scores = net(images)
        loss = nn.cross_entropy(scores, targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        right = float((scores.detach().numpy().argmax(1) == labels).mean())
        print(
            f"step {step + 1}  loss {losses[-1]:.4f}  accuracy {100 * right:.0f} %  "
            f"{clock.seconds() - start:.2f} s"
        )
    clock.print_kernels()
    return losses


def main(arguments: list[str] | None = None) -> list[float]:
    """Reads the options and runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    given = parser.parse_args(arguments)
    return run(given.steps, given.batch, given.width, given.device)


if __name__ == "__main__":
    main()

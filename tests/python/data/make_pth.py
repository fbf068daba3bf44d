"""Writes torch_saved.pth beside itself, with PyTorch, which no test needs.

    python tests/python/data/make_pth.py

Owns what the file holds: a state dict in PyTorch's own form with what its network
computes, and a checkpoint of views, dtypes and containers. Must not know minitorch.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn


class Block(nn.Module):
    """The block of ResNet-18, with torchvision's names."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = nn.Sequential(
            nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """relu(two convolutions + one)"""
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(y + self.downsample(x))


def saved() -> dict[str, object]:
    """What is in the file; the numbers of the views are those of arange(12)."""
    torch.manual_seed(17)
    block = Block(2, 3, 2)
    with torch.no_grad():
        for _ in range(3):  # running statistics that are not those of the start
            block(torch.randn(4, 2, 6, 6) * 2 + 1)
        x = torch.randn(2, 2, 6, 6)
        y = block.eval()(x)
    base = torch.arange(12.0).reshape(3, 4)
    return {
        "block": block.state_dict(),
        "input": x,
        "output": y,
        "views": [base, base.t(), base[1:, 2], base[:1].expand(5, 4)],
        "dtypes": {
            str(dtype).removeprefix("torch."): base.gt(5)
            if dtype == torch.bool
            else base.to(dtype)
            for dtype in (
                *(torch.float16, torch.bfloat16, torch.float32, torch.float64),
                *(torch.int32, torch.int64, torch.uint8, torch.bool),
            )
        },
        "parameter": nn.Parameter(base[0]),
        "nothing": torch.zeros(0, 3),
        "epoch": 3,
        "big": 2**70,
        "facts": (1.5, None, True, "text", base.shape, torch.float32, base.device),
    }


if __name__ == "__main__":
    torch.save(saved(), Path(__file__).with_name("torch_saved.pth"))

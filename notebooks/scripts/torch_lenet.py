"""LeNet learns scanned digits: a program of PyTorch whose import lines alone differ.

python notebooks/scripts/torch_lenet.py [--device cuda --images 40] [--save lenet.pth]

With `import torch` and so on in the lines marked below it runs on PyTorch. The digits
are scikit-learn's, 8 x 8 dots each.
"""

from __future__ import annotations

import argparse
from typing import Any

from sklearn.datasets import load_digits

import minitorch.torch as torch  # import torch
import minitorch.torch.nn.functional as F  # import torch.nn.functional as F
from minitorch.torch import nn, optim  # from torch import nn, optim
from minitorch.torch.utils.data import (  # from torch.utils.data import ...
    DataLoader,
    TensorDataset,
    random_split,
)


class LeNet(nn.Module):
    """(n, 1, 8, 8) -> (n, 10)"""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 3, padding=1)
        self.conv2 = nn.Conv2d(6, 16, 3, padding=1)
        self.fc1 = nn.Linear(16 * 2 * 2, 60)
        self.fc2 = nn.Linear(60, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)  # (n, 6, 4, 4)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)  # (n, 16, 2, 2)
        x = F.relu(self.fc1(torch.flatten(x, 1)))
        return self.fc2(x)


def train_epoch(model: Any, device: Any, loader: Any, optimizer: Any) -> float:
    """One pass over the images; their mean loss."""
    model.train()
    total = 0.0
    for images, labels in loader:
        images, labels = images.to(device), labels.to(device)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(images)
    return total / len(loader.dataset)


@torch.no_grad()
def accuracy(model: Any, device: Any, loader: Any) -> float:
    """The share of images whose highest score is that of their label."""
    model.eval()
    right = 0
    for images, labels in loader:
        found = model(images.to(device)).argmax(dim=1)
        right += (found == labels.to(device)).sum().item()
    return right / len(loader.dataset)


def main(arguments: list[str] | None = None) -> tuple[float, float]:
    """Reads the options, trains, prints; the last loss and the share of right ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--images", type=int, default=1797)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--save", help="file for the state dict")
    given = parser.parse_args(arguments)

    torch.manual_seed(0)
    device = torch.device(given.device)
    scans = load_digits()
    images = torch.from_numpy(scans.images[: given.images]).float().unsqueeze(1) / 16
    labels = torch.from_numpy(scans.target[: given.images]).long()
    data = TensorDataset(images, labels)
    seen, unseen = random_split(
        data, [len(data) * 4 // 5, len(data) - len(data) * 4 // 5]
    )
    loader = DataLoader(seen, batch_size=32, shuffle=True)
    model = LeNet().to(device)
    print(model)
    optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    schedule = optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=0.3)
    loss = share = 0.0
    for epoch in range(given.epochs):
        loss = train_epoch(model, device, loader, optimizer)
        share = accuracy(model, device, DataLoader(unseen, batch_size=100))
        schedule.step()
        print(f"epoch {epoch + 1:>2}  loss {loss:.4f}  test accuracy {share:.1%}")
    if given.save:
        torch.save(model.state_dict(), given.save)
    return loss, share


if __name__ == "__main__":
    main()

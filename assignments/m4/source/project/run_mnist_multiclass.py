"""A network of convolutions that learns to read digits (4.5).

    python -m project.run_mnist_multiclass --EPOCHS 8

The digits are drawn here, eight by eight cells, moved and with noise, so that nothing
has to be downloaded.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import minitorch
from minitorch import Tensor, TensorBackend

Backend = minitorch.TensorBackend(minitorch.FastOps)
BATCH = 10
SIZE = 8

Image = Sequence[Sequence[float]]
# Cells of the seven strokes of a digit, as in old clocks: a above, then round about.
STROKES = {
    "a": [(1, x) for x in range(2, 6)],
    "b": [(y, 5) for y in range(1, 4)],
    "c": [(y, 5) for y in range(3, 7)],
    "d": [(6, x) for x in range(2, 6)],
    "e": [(y, 2) for y in range(3, 7)],
    "f": [(y, 2) for y in range(1, 4)],
    "g": [(3, x) for x in range(2, 6)],
}
DIGITS = ["abcdef", "bc", "abged", "abgcd"]


def parameter(*shape: int, backend: TensorBackend) -> minitorch.Parameter:
    """Numbers by chance between -0.25 and 0.25, to begin with."""
    return minitorch.Parameter((minitorch.rand(shape, backend=backend) - 0.5) * 0.5)


class Linear(minitorch.Module):
    """x @ weights + bias: (images, in_size) -> (images, out_size)"""

    def __init__(self, in_size: int, out_size: int, backend: TensorBackend) -> None:
        super().__init__()
        self.weights = parameter(in_size, out_size, backend=backend)
        self.bias = parameter(out_size, backend=backend)

    def forward(self, x: Tensor) -> Tensor:
        """One product of matrices for all images at once."""
        return x @ self.weights.value + self.bias.value


class Conv2d(minitorch.Module):
    """A convolution with a bias for each channel: (b, in, h, w) -> (b, out, h, w)"""

    def __init__(
        self, inputs: int, outputs: int, size: int, backend: TensorBackend
    ) -> None:
        super().__init__()
        self.weights = parameter(outputs, inputs, size, size, backend=backend)
        self.bias = parameter(outputs, 1, 1, backend=backend)

    def forward(self, x: Tensor) -> Tensor:
        """The bias is broadcast to all places of its channel."""
        ### BEGIN SOLUTION
        ### BEGIN STARTER
        # raise NotImplementedError("Task 4.5")
        ### END STARTER
        return minitorch.conv2d(x, self.weights.value) + self.bias.value
        ### END SOLUTION


class Network(minitorch.Module):
    """A convolution to 4 channels, the largest of 2 x 2 cells each, a linear layer."""

    def __init__(self, classes: int, backend: TensorBackend) -> None:
        super().__init__()
        self.conv = Conv2d(1, 4, 3, backend)
        self.linear = Linear(4 * (SIZE // 2) ** 2, classes, backend)

    def forward(self, x: Tensor) -> Tensor:
        """(images, 1, 8, 8) -> (images, classes), logarithms of probabilities"""
        ### BEGIN SOLUTION
        ### BEGIN STARTER
        # raise NotImplementedError("Task 4.5")
        ### END STARTER
        seen = minitorch.maxpool2d(self.conv.forward(x).relu(), (2, 2))
        row = seen.contiguous().view(x.shape[0], 4 * (SIZE // 2) ** 2)
        return minitorch.logsoftmax(self.linear.forward(row), 1)
        ### END SOLUTION


def train(
    images: Sequence[Image],
    labels: Sequence[int],
    *,
    classes: int = 4,
    rate: float = 0.5,
    epochs: int = 8,
    backend: TensorBackend = Backend,
    log: Callable[[int, float], None] | None = None,
) -> Callable[[Sequence[Image]], list[list[float]]]:
    """Learn from labelled images, in batches of 10 that are drawn anew each time.

    Args:
        images: Each 8 rows of 8 numbers between 0 and 1.
        labels: From 0 to classes - 1, one for each.
        classes: How many different labels there are.
        rate: How far a step goes.
        epochs: How often all images are seen.
        backend: What computes.
        log: Called with the epoch and its loss.

    Returns:
        A function from images to the probabilities of each label.
    """
    network = Network(classes, backend)
    optimizer = minitorch.SGD(network.parameters(), rate)

    def stacked(some: Sequence[Image]) -> Tensor:
        return minitorch.tensor([[[list(r) for r in image]] for image in some], backend)

    def predict(some: Sequence[Image]) -> list[list[float]]:
        out = network.forward(stacked(some)).exp()
        return [[float(out[i, j]) for j in range(classes)] for i in range(len(some))]

    ### BEGIN SOLUTION
    ### BEGIN STARTER
    # # The loss of an image is -log of the probability that its label got.
    # raise NotImplementedError("Task 4.5")
    ### END STARTER
    order = list(range(len(images)))
    for epoch in range(epochs):
        random.shuffle(order)
        total = 0.0
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            rows = [[float(labels[i] == j) for j in range(classes)] for i in batch]
            optimizer.zero_grad()
            out = network.forward(stacked([images[i] for i in batch]))
            loss = -(out * minitorch.tensor(rows, backend)).sum() / len(batch)
            loss.backward()
            optimizer.step()
            total += loss[0]
        if log is not None:
            log(epoch, total)
    return predict
    ### END SOLUTION


def draw(digit: int) -> list[list[float]]:
    """An image of a digit, moved aside by chance, with noise."""
    across = random.randint(-1, 1)
    image = [[random.uniform(0.0, 0.3) for _ in range(SIZE)] for _ in range(SIZE)]
    for stroke in DIGITS[digit]:
        for y, x in STROKES[stroke]:
            image[y][x + across] = random.uniform(0.7, 1.0)
    return image


def main() -> None:
    """Learn from drawn digits, and say how many others are read."""
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--IMAGES", type=int, default=60, help="to learn from")
    parser.add_argument("--RATE", type=float, default=0.5, help="learning rate")
    parser.add_argument("--EPOCHS", type=int, default=8)
    options = parser.parse_args()
    labels = [i % len(DIGITS) for i in range(options.IMAGES)]
    predict = train(
        [draw(label) for label in labels],
        labels,
        rate=options.RATE,
        epochs=options.EPOCHS,
        log=lambda epoch, loss: print(f"epoch {epoch}, loss {loss:.3f}"),
    )
    asked = [i % len(DIGITS) for i in range(40)]
    found = predict([draw(label) for label in asked])
    right = sum(p.index(max(p)) == label for p, label in zip(found, asked, strict=True))
    print(f"{right} of {len(asked)} other digits right")


if __name__ == "__main__":
    main()

"""A small network that learns to tell two kinds of points apart (3.5).

    python -m project.run_fast_tensor --PTS 50 --HIDDEN 10 --DATASET xor

Runs on the operations of module 3: `--BACKEND cpu` or `gpu`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import minitorch
from minitorch import Tensor, TensorBackend

FastBackend = minitorch.TensorBackend(minitorch.FastOps)
BATCH = 10

Point = Sequence[float]


def parameter(*shape: int, backend: TensorBackend) -> minitorch.Parameter:
    """Numbers by chance between -0.5 and 0.5, to begin with."""
    return minitorch.Parameter(minitorch.rand(shape, backend=backend) - 0.5)


class Linear(minitorch.Module):
    """x @ weights + bias: (points, in_size) -> (points, out_size)"""

    def __init__(self, in_size: int, out_size: int, backend: TensorBackend) -> None:
        super().__init__()
        self.weights = parameter(in_size, out_size, backend=backend)
        self.bias = minitorch.Parameter(minitorch.zeros((out_size,), backend) + 0.1)

    def forward(self, x: Tensor) -> Tensor:
        """One product of matrices for all points at once."""
        ### BEGIN SOLUTION
        ### BEGIN STARTER
        # raise NotImplementedError("Task 3.5")
        ### END STARTER
        return x @ self.weights.value + self.bias.value
        ### END SOLUTION


class Network(minitorch.Module):
    """Three layers: 2 -> hidden -> hidden -> 1, a probability for each point."""

    def __init__(self, hidden: int, backend: TensorBackend) -> None:
        super().__init__()
        self.layer1 = Linear(2, hidden, backend)
        self.layer2 = Linear(hidden, hidden, backend)
        self.layer3 = Linear(hidden, 1, backend)

    def forward(self, x: Tensor) -> Tensor:
        """(points, 2) -> (points, 1)"""
        ### BEGIN SOLUTION
        ### BEGIN STARTER
        # raise NotImplementedError("Task 3.5")
        ### END STARTER
        hidden = self.layer1.forward(x).relu()
        hidden = self.layer2.forward(hidden).relu()
        return self.layer3.forward(hidden).sigmoid()
        ### END SOLUTION


def loss_of(out: Tensor, y: Tensor) -> Tensor:
    """-log of the probability that the network gives to what is true, for each point.

    Args:
        out: (points,), the network's probability of 1.
        y: (points,), 0 or 1.
    """
    ### BEGIN SOLUTION
    ### BEGIN STARTER
    # raise NotImplementedError("Task 3.5")
    ### END STARTER
    return -(out * y + (out - 1.0) * (y - 1.0)).log()
    ### END SOLUTION


def train(
    points: Sequence[Point],
    labels: Sequence[int],
    *,
    hidden: int = 10,
    rate: float = 0.5,
    epochs: int = 60,
    backend: TensorBackend = FastBackend,
    log: Callable[[int, float], None] | None = None,
) -> Callable[[Sequence[Point]], list[float]]:
    """Learn from labelled points, in batches of 10 that are drawn anew each time.

    Args:
        points: Pairs of numbers between 0 and 1.
        labels: 0 or 1 for each.
        hidden: How wide the network is.
        rate: How far a step goes.
        epochs: How often all points are seen.
        backend: What computes.
        log: Called with the epoch and its loss.

    Returns:
        A function from points to probabilities of label 1.
    """
    network = Network(hidden, backend)
    optimizer = minitorch.SGD(network.parameters(), rate)

    def predict(some: Sequence[Point]) -> list[float]:
        out = network.forward(minitorch.tensor([list(p) for p in some], backend))
        return [float(out[i, 0]) for i in range(len(some))]

    ### BEGIN SOLUTION
    ### BEGIN STARTER
    # # For each epoch, for each batch: forward, loss, backward, step.
    # raise NotImplementedError("Task 3.5")
    ### END STARTER
    order = list(range(len(points)))
    for epoch in range(epochs):
        random.shuffle(order)
        total = 0.0
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            x = minitorch.tensor([list(points[i]) for i in batch], backend)
            y = minitorch.tensor([float(labels[i]) for i in batch], backend)
            optimizer.zero_grad()
            loss = loss_of(network.forward(x).view(len(batch)), y)
            (loss.sum() / len(batch)).backward()
            optimizer.step()
            total += loss.sum()[0]
        if log is not None:
            log(epoch, total)
    return predict
    ### END SOLUTION


def main() -> None:
    """Train on one of the datasets, and say how many points are told apart."""
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--PTS", type=int, default=50, help="number of points")
    parser.add_argument("--HIDDEN", type=int, default=10, help="width of the network")
    parser.add_argument("--RATE", type=float, default=0.5, help="learning rate")
    parser.add_argument("--EPOCHS", type=int, default=60)
    parser.add_argument("--BACKEND", default="cpu", choices=["cpu", "gpu"])
    parser.add_argument("--DATASET", default="simple")
    options = parser.parse_args()
    backend = FastBackend
    if options.BACKEND == "gpu":
        backend = minitorch.TensorBackend(minitorch.CudaOps)
    known = {name.lower(): make for name, make in minitorch.datasets.items()}
    data = known[options.DATASET.lower()](options.PTS)
    predict = train(
        data.X,
        data.y,
        hidden=options.HIDDEN,
        rate=options.RATE,
        epochs=options.EPOCHS,
        backend=backend,
        log=lambda epoch, loss: print(f"epoch {epoch}, loss {loss:.3f}"),
    )
    found = [int(p > 0.5) for p in predict(data.X)]
    right = sum(a == b for a, b in zip(found, data.y, strict=True))
    print(f"{right} of {len(data.y)} right")


if __name__ == "__main__":
    main()

"""A classifier that nobody trains: you choose its numbers (task 0.5).

Run it with `python project/run_manual.py`. A point (x1, x2) of the unit square gets the
probability sigmoid(w1 * x1 + w2 * x2 + b) of the label 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import minitorch

# Task 0.5: w1, w2 and b for each set of points. What line is w1*x1 + w2*x2 + b = 0, on
# which side of it lies the label 1, and how sure is the classifier near it?
NUMBERS: dict[str, tuple[float, float, float]] = {
    ### BEGIN SOLUTION
    "Simple": (-50.0, 0.0, 25.0),  # 1 where x1 < 0.5
    "Diag": (-50.0, -50.0, 25.0),  # 1 where x1 + x2 < 0.5
    ### BEGIN STARTER
    # "Simple": (0.0, 0.0, 0.0),  # 1 where x1 < 0.5
    # "Diag": (0.0, 0.0, 0.0),  # 1 where x1 + x2 < 0.5
    ### END STARTER
    ### END SOLUTION
}


class Linear(minitorch.Module):
    """w1 * x1 + w2 * x2 + b, with three parameters of those names."""

    def __init__(self, w1: float, w2: float, b: float) -> None:
        super().__init__()
        for name, value in {"w1": w1, "w2": w2, "b": b}.items():
            self.add_parameter(name, value)

    def forward(self, point: Sequence[float]) -> float:
        """The height of a point over the line; below 0 on the other side."""
        return self.w1.value * point[0] + self.w2.value * point[1] + self.b.value


class Network(minitorch.Module):
    """A linear layer and a sigmoid."""

    def __init__(self, w1: float, w2: float, b: float) -> None:
        super().__init__()
        self.linear = Linear(w1, w2, b)

    def forward(self, point: Sequence[float]) -> float:
        """The probability of the label 1."""
        return minitorch.operators.sigmoid(self.linear(point))


def predict(name: str, points: Sequence[Sequence[float]]) -> list[float]:
    """The probability of the label 1 for each point of a set.

    Args:
        name: Of the set, a key of NUMBERS.
        points: Pairs of numbers from 0 to 1.
    """
    network = Network(*NUMBERS[name])
    return [network(point) for point in points]


def main() -> None:
    """Says how many points of each set are on their side of the line."""
    for name in NUMBERS:
        data = minitorch.datasets[name](200)
        found = [probability > 0.5 for probability in predict(name, data.X)]
        right = sum(
            got == bool(label) for got, label in zip(found, data.y, strict=True)
        )
        print(f"{name}: {right} of {data.N} points are right")


if __name__ == "__main__":
    main()

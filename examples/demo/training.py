"""The network of the demo and its training, the same code for every device."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minitorch import (
    Context,
    Function,
    Module,
    Tensor,
    cross_entropy,
    manual_seed,
    nn,
    no_grad,
    optim,
    tensor,
)
from minitorch.data import Split
from minitorch.tensor_ops import map as tensor_map
from minitorch.tensor_ops import zip as tensor_zip

BATCH = 32
EPOCHS = 15
CHANNELS = (8, 16)
LEARNING_RATE = 0.1
MOMENTUM = 0.9
SEED = 1


def leaky(x: float) -> float:
    """The activation, a function of one number: minitorch makes it a kernel."""
    return x if x > 0 else 0.1 * x


def leaky_gradient(x: float, gradient: float) -> float:
    """What `leaky` passes back: the gradient, damped where x was negative."""
    return gradient if x > 0 else 0.1 * gradient


class Leaky(Function):
    """`leaky` as a differentiable operator."""

    @staticmethod
    def forward(ctx: Context, *values: Any) -> Tensor:
        """(…) -> (…), cell by cell."""
        ctx.save_for_backward(values[0])
        return tensor_map(leaky)(values[0])

    @staticmethod
    def backward(ctx: Context, gradient: Tensor) -> Tensor:
        """(…) -> (…), cell by cell."""
        return tensor_zip(leaky_gradient)(ctx.saved_values[0], gradient)


class Network(Module):
    """A small LeNet: two convolutions, each halved by pooling, then 10 scores.

    LeCun et al., "Gradient-based learning applied to document recognition" (1998).
    """

    def __init__(self, device: str) -> None:
        super().__init__()
        first, second = CHANNELS
        self.first = nn.Conv2d(1, first, 3, padding=1, device=device)
        self.second = nn.Conv2d(first, second, 3, padding=1, device=device)
        self.halved = nn.MaxPool2d(2)
        self.flat = nn.Flatten()
        self.scores = nn.Linear(second * 2 * 2, 10, device=device)

    def forward(self, images: Any) -> Tensor:
        """(n, 1, 8, 8) -> (n, 10)."""
        x = self.halved(Leaky.apply(self.first(images)))  # (n, 8, 4, 4)
        x = self.halved(Leaky.apply(self.second(x)))  # (n, 16, 2, 2)
        scores: Tensor = self.scores(self.flat(x))
        return scores


@dataclass
class History:
    """Loss of every step and test accuracy (0 to 1) of every epoch."""

    loss: list[float] = field(default_factory=list)
    accuracy: list[float] = field(default_factory=list)


class Trainer:
    """A network on one device and the steps that train it, from the same seed."""

    def __init__(self, device: str) -> None:
        manual_seed(SEED)
        self.device = device
        self.network = Network(device)
        self._optimizer = optim.SGD(
            self.network.parameters(), lr=LEARNING_RATE, momentum=MOMENTUM
        )

    def step(self, images: np.ndarray, labels: np.ndarray) -> float:
        """One step of gradient descent on a batch; returns its loss."""
        self._optimizer.zero_grad()
        x = tensor(images, device=self.device)
        y = tensor(labels, device=self.device)
        loss = cross_entropy(self.network(x), y)
        loss.backward()
        self._optimizer.step()
        return float(loss.item())

    def gradients(self) -> dict[str, np.ndarray]:
        """The gradients of the last step by parameter name."""
        return {
            name: parameter.grad.numpy()
            for name, parameter in self.network.named_parameters()
        }

    def read(self, images: np.ndarray) -> np.ndarray:
        """The digit with the highest score for each image: (n, 1, 8, 8) -> (n,)."""
        with no_grad():
            scores = self.network(tensor(images, device=self.device)).numpy()
        digits: np.ndarray = scores.argmax(axis=1)
        return digits

    @property
    def size(self) -> int:
        """How many numbers the network learns."""
        return sum(each.value.size for each in self.network.parameters())

    def first_filter(self) -> np.ndarray:
        """The weights of the first filter of the first convolution: (3, 3)."""
        weights: np.ndarray = self.network.first.weight.value.numpy()[0, 0]
        return weights

    def accuracy(self, images: np.ndarray, labels: np.ndarray) -> float:
        """Share of images whose highest score is that of their label."""
        return float((self.read(images) == labels).mean())

    def copy_to(self, device: str) -> Trainer:
        """A trainer on another device whose network has the same numbers."""
        copy = Trainer(device)
        copy.network.load_state_dict(self.network.state_dict())
        return copy


def batches(digits: Split, epoch: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The training images of an epoch in shuffled batches, the same on every device."""
    order = np.random.default_rng(epoch).permutation(len(digits.train_labels))
    for start in range(0, len(order), BATCH):
        chosen = order[start : start + BATCH]
        yield digits.train_images[chosen], digits.train_labels[chosen]


def train(
    trainer: Trainer, digits: Split, epochs: int, progress: Callable[[float], None]
) -> History:
    """Trains for `epochs`, calling `progress(loss)` after every step."""
    history = History()
    for epoch in range(epochs):
        for images, labels in batches(digits, epoch):
            history.loss.append(trainer.step(images, labels))
            progress(history.loss[-1])
        history.accuracy.append(
            trainer.accuracy(digits.test_images, digits.test_labels)
        )
    return history


@dataclass(frozen=True)
class Agreement:
    """The largest differences seen between two devices over some steps."""

    steps: int
    loss: float
    gradient: float
    last_loss: dict[str, float]


def compare_devices(digits: Split, steps: int) -> Agreement:
    """Runs the same first steps on `cpu` and on `cuda` and compares what they get."""
    pair = [Trainer("cpu"), Trainer("cuda")]
    worst_loss = worst_gradient = 0.0
    losses = [0.0, 0.0]
    for _, (images, labels) in zip(range(steps), batches(digits, 0), strict=False):
        losses = [trainer.step(images, labels) for trainer in pair]
        worst_loss = max(worst_loss, abs(losses[0] - losses[1]))
        on_cpu, on_cuda = (trainer.gradients() for trainer in pair)
        for name, gradient in on_cpu.items():
            difference = float(np.abs(gradient - on_cuda[name]).max())
            worst_gradient = max(worst_gradient, difference)
    named = {trainer.device: loss for trainer, loss in zip(pair, losses, strict=True)}
    return Agreement(steps, worst_loss, worst_gradient, named)

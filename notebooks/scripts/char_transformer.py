"""Trains a transformer to continue a text, letter by letter, and lets it write.

python notebooks/scripts/char_transformer.py [--steps 600] [--device cuda --steps 2]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from kernel_report import Clock

import minitorch
from minitorch import Module, Parameter, Tensor, nn, optim

TEXT = Path(__file__).with_name("warp_story.txt")
SEED = 1


class Block(Module):
    """x + attention(norm(x)), then x + feed_forward(norm(x)).

    Vaswani et al., "Attention is all you need" (2017), with the norms first.
    """

    def __init__(self, width: int, heads: int, **kind: Any) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(width, **kind)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True, **kind)
        self.norm2 = nn.LayerNorm(width, **kind)
        self.feed_forward = nn.Sequential(
            nn.Linear(width, 4 * width, **kind),
            nn.ReLU(),
            nn.Linear(4 * width, width, **kind),
        )

    def forward(self, x: Tensor) -> Tensor:
        """(n, length, width) -> (n, length, width)."""
        y = self.norm1(x)
        x = x + self.attention(y, y, y, need_weights=False, is_causal=True)[0]
        out: Tensor = x + self.feed_forward(self.norm2(x))
        return out


class Writer(Module):
    """Letters (n, length) -> scores of the next letter (n, length, letters)."""

    def __init__(
        self,
        letters: int,
        width: int,
        heads: int,
        blocks: int,
        context: int,
        device: str,
    ) -> None:
        super().__init__()
        kind: dict[str, Any] = {"dtype": "float32", "device": device}
        self.letters = nn.Embedding(letters, width, **kind)
        places = minitorch.randn(context, width, **kind) * 0.1
        self.places = Parameter(places.detach())
        self.blocks = nn.ModuleList(Block(width, heads, **kind) for _ in range(blocks))
        self.norm = nn.LayerNorm(width, **kind)
        self.scores = nn.Linear(width, letters, **kind)

    def forward(self, x: Tensor) -> Tensor:
        """(n, length) -> (n, length, letters)."""
        out = self.letters(x) + self.places.value[: x.shape[1]]
        for block in self.blocks:
            out = block(out)
        scores: Tensor = self.scores(self.norm(out))
        return scores


class Text:
    """The text as numbers, and randomly chosen parts of it."""

    def __init__(self, text: str, context: int) -> None:
        self.alphabet = sorted(set(text))
        self.numbers = np.array([self.alphabet.index(letter) for letter in text])
        self.context = context

    def batch(self, generator: Any, count: int) -> tuple[Any, Any]:
        """`count` parts (count, context), and the letter after each letter in them."""
        starts = generator.integers(0, len(self.numbers) - self.context, count)
        at = starts[:, None] + np.arange(self.context)
        return self.numbers[at], self.numbers[at + 1]


def write(net: Writer, text: Text, count: int, device: str) -> str:
    """`count` letters, each the most likely one after the letters before it."""
    letters = list(text.numbers[: text.context // 2])
    with minitorch.no_grad():
        for _ in range(count):
            seen = np.array([letters[-text.context :]])
            scores = net(minitorch.tensor(seen, device=device)).numpy()
            letters.append(int(scores[0, -1].argmax()))
    return "".join(text.alphabet[i] for i in letters)


def train(steps: int, batch: int, width: int, context: int, device: str) -> list[float]:
    """Trains and prints; loss and accuracy at the start and at the end."""
    minitorch.manual_seed(SEED)
    text = Text(TEXT.read_text("utf-8"), context)
    net = Writer(len(text.alphabet), width, 4, 2, context, device)
    optimizer = optim.AdamW(net.parameters(), lr=3e-3)
    schedule = optim.WarmupCosineLR(optimizer, max(1, steps // 10), steps + 1)
    generator, clock = np.random.default_rng(SEED), Clock(device)
    seen = []
    for step in range(steps):
        given, next_ones = text.batch(generator, batch)
        optimizer.zero_grad()
        scores = net(minitorch.tensor(given, device=device))
        rows = scores.reshape(batch * context, len(text.alphabet))
        labels = minitorch.tensor(next_ones.reshape(-1), device=device)
        loss = nn.cross_entropy(rows, labels)
        loss.backward()
        optim.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        right = rows.detach().numpy().argmax(1) == next_ones.reshape(-1)
        seen.append((loss.item(), float(right.mean())))
        if step % max(1, steps // 10) == 0 or step == steps - 1:
            print(
                f"step {step + 1:>4}  loss {seen[-1][0]:.4f}  next letter right "
                f"{100 * seen[-1][1]:.1f} %  {clock.seconds():.1f} s"
            )
    print(write(net, text, 2 * context, device))
    clock.print_kernels()
    return [*seen[0], *seen[-1]]


def main(arguments: list[str] | None = None) -> list[float]:
    """Reads the options and trains."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--context", type=int, default=48)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    given = parser.parse_args(arguments)
    return train(given.steps, given.batch, given.width, given.context, given.device)


if __name__ == "__main__":
    main()

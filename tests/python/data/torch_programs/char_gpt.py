"""A small GPT over letters: causal attention, tied weights, groups, sampling."""

import inspect
import math
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.nn import functional as F

TEXT = "a row of gulls sat on the wall; a row of boats sat on the sand. " * 6


@dataclass
class Sizes:
    letters: int = 32
    context: int = 24
    layers: int = 2
    heads: int = 2
    width: int = 24
    dropout: float = 0.0
    bias: bool = False


class Norm(nn.Module):
    """nn.LayerNorm whose bias may be left out."""

    def __init__(self, width, bias):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width)) if bias else None

    def forward(self, x):
        return F.layer_norm(x, self.weight.shape, self.weight, self.bias, 1e-5)


class Attention(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        assert sizes.width % sizes.heads == 0
        self.heads = sizes.heads
        self.asked = nn.Linear(sizes.width, 3 * sizes.width, bias=sizes.bias)
        self.joined = nn.Linear(sizes.width, sizes.width, bias=sizes.bias)
        self.drop = nn.Dropout(sizes.dropout)
        self.fused = False
        past = torch.tril(torch.ones(1, 1, sizes.context, sizes.context))
        self.register_buffer("past", past, persistent=False)

    def forward(self, x):
        B, T, C = x.size()
        shape = (B, T, self.heads, C // self.heads)
        q, k, v = (t.view(shape).transpose(1, 2) for t in self.asked(x).split(C, dim=2))
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            fit = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
            fit = fit.masked_fill(self.past[:, :, :T, :T] == 0, float("-inf"))
            y = self.drop(F.softmax(fit, dim=-1)) @ v
        return self.joined(y.transpose(1, 2).contiguous().view(B, T, C))


class Layer(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        width = sizes.width
        self.norm_1, self.norm_2 = Norm(width, sizes.bias), Norm(width, sizes.bias)
        self.attention = Attention(sizes)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width, bias=sizes.bias),
            nn.GELU(),
            nn.Linear(4 * width, width, bias=sizes.bias),
            nn.Dropout(sizes.dropout),
        )

    def forward(self, x):
        x = x + self.attention(self.norm_1(x))
        return x + self.mlp(self.norm_2(x))


class CharModel(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.sizes = sizes
        parts = {
            "letters": nn.Embedding(sizes.letters, sizes.width),
            "places": nn.Embedding(sizes.context, sizes.width),
            "layers": nn.ModuleList([Layer(sizes) for _ in range(sizes.layers)]),
            "norm": Norm(sizes.width, bias=sizes.bias),
        }
        self.body = nn.ModuleDict(parts)
        self.head = nn.Linear(sizes.width, sizes.letters, bias=False)
        self.body.letters.weight = self.head.weight
        self.apply(self.start)
        for name, p in self.named_parameters():
            if name.endswith("joined.weight"):
                nn.init.normal_(p, mean=0.0, std=0.02 / math.sqrt(2 * sizes.layers))

    @staticmethod
    def start(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            torch.nn.init.zeros_(module.bias)

    def forward(self, read, wanted=None):
        count = read.size(1)
        places = torch.arange(0, count, dtype=torch.long, device=read.device)
        x = self.body.letters(read) + self.body["places"](places)
        for layer in self.body.layers:
            x = layer(x)
        x = self.body.norm(x)
        if wanted is None:
            return self.head(x[:, [-1], :]), None
        scores = self.head(x)
        rows = scores.view(-1, scores.size(-1))
        return scores, F.cross_entropy(rows, wanted.view(-1), ignore_index=-1)

    def optimizer(self, rate, decay):
        learned = [p for _, p in self.named_parameters() if p.requires_grad]
        groups = [
            {"params": [p for p in learned if p.dim() >= 2], "weight_decay": decay},
            {"params": [p for p in learned if p.dim() < 2], "weight_decay": 0.0},
        ]
        known = inspect.signature(torch.optim.AdamW).parameters
        extra = {"fused": False} if "fused" in known else {}
        return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.95), **extra)

    @torch.no_grad()
    def sample(self, read, count, heat=1.0, best=None):
        for _ in range(count):
            scores, _ = self(read[:, -self.sizes.context :])
            scores = scores[:, -1, :] / heat
            if best is not None:
                kept, _ = torch.topk(scores, min(best, scores.size(-1)))
                scores[scores < kept[:, [-1]]] = -float("Inf")
            chosen = torch.multinomial(F.softmax(scores, dim=-1), num_samples=1)
            read = torch.cat((read, chosen), dim=1)
        return read


def some_lines(ids, length, count):
    starts = torch.randint(len(ids) - length, (count,))
    lines = torch.stack([ids[n : n + length + 1] for n in starts])
    return lines[:, :-1], lines[:, 1:].contiguous()


def rate_at(step, last, top, warm=5):
    if step < warm:
        return top * (step + 1) / (warm + 1)
    turn = math.pi * (step - warm) / (last - warm)
    return top * (0.55 + 0.45 * math.cos(turn))


def train(model, ids, steps):
    optimizer = model.optimizer(1e-2, 0.1)
    print("groups:", [len(group["params"]) for group in optimizer.param_groups])
    losses = []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, steps, 1e-2)
        _, loss = model(*some_lines(ids, model.sizes.context, 8))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(loss.item())
    return losses


def main():
    torch.manual_seed(1337)
    letters = sorted(set(TEXT))
    ids = torch.tensor([letters.index(c) for c in TEXT], dtype=torch.long)
    model = CharModel(Sizes(letters=len(letters)))
    print("letters:", len(letters), "text:", ids.shape)
    print("parameters:", sum(p.numel() for p in model.parameters()))
    losses = train(model, ids, 30)
    print(f"losses: {losses[0]:.3f} ... {losses[-1]:.3f}")
    print("loss fell:", losses[-1] < losses[0] - 0.5)
    start = torch.zeros((1, 1), dtype=torch.long)
    out = model.eval().sample(start, 20, heat=0.8, best=5)[0].tolist()
    print("sample:", "".join(letters[n] for n in out), len(out))
    with torch.no_grad():
        for number, p in enumerate(model.parameters()):
            row = torch.arange(p.numel(), dtype=torch.float32)
            p.copy_(torch.sin(row * 0.9 + number).view(p.shape) * 0.3)
    scores, loss = model(ids[:24][None], ids[1:25][None])
    print(f"known loss: {loss.item():.4f}")
    for layer in model.body.layers:
        layer.attention.fused = True
    again, _ = model(ids[:24][None], ids[1:25][None])
    print("both ways of attention agree:", torch.allclose(scores, again, atol=1e-4))


if __name__ == "__main__":
    main()

"""A language model with nn.TransformerEncoder, trained on repeated sentences."""

import math
import os
from tempfile import TemporaryDirectory

import torch
from torch import Tensor, nn
from torch.nn import TransformerEncoder, TransformerEncoderLayer

TEXT = "the cat saw the dog . the dog saw the bird . the bird saw the cat . " * 30


class Places(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, max_len: int = 100):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        slower = torch.exp(torch.arange(0, d_model, 2) * (-math.log(1e4) / d_model))
        angles = torch.arange(max_len).unsqueeze(1) * slower
        table = torch.zeros(max_len, 1, d_model)
        table[:, 0, 0::2] = angles.sin()
        table[:, 0, 1::2] = angles.cos()
        self.register_buffer("table", table)

    def forward(self, x: Tensor) -> Tensor:
        """x: (seq_len, batch_size, embedding_dim)"""
        return self.dropout(x + self.table[: x.size(0)])


class TransformerModel(nn.Module):
    def __init__(self, ntoken, d_model, nhead, d_hid, nlayers, dropout=0.1):
        super().__init__()
        self.places = Places(d_model, dropout)
        layer = TransformerEncoderLayer(d_model, nhead, d_hid, dropout)
        self.layers = TransformerEncoder(layer, nlayers, enable_nested_tensor=False)
        self.embedding = nn.Embedding(ntoken, d_model)
        self.d_model = d_model
        self.linear = nn.Linear(d_model, ntoken)
        self.start()

    def start(self) -> None:
        for weight in (self.embedding.weight, self.linear.weight):
            weight.data.uniform_(-0.1, 0.1)
        self.linear.bias.data.zero_()

    def forward(self, src: Tensor, src_mask: Tensor | None = None) -> Tensor:
        """src: (seq_len, batch_size); returns (seq_len, batch_size, ntoken)"""
        x = self.places(self.embedding(src) * math.sqrt(self.d_model))
        if src_mask is None:
            src_mask = nn.Transformer.generate_square_subsequent_mask(len(src))
        return self.linear(self.layers(x, src_mask))


def in_columns(ids: Tensor, count: int) -> Tensor:
    """The text cut into `count` pieces, side by side: (length, count)."""
    length = ids.size(0) // count
    return ids[: length * count].view(count, length).t().contiguous()


def lines(source: Tensor, length: int):
    """Pieces of some lines, each with the words that follow."""
    for first in range(0, source.size(0) - 1, length):
        last = min(first + length, len(source) - 1)
        yield source[first:last], source[first + 1 : last + 1].reshape(-1)


def train(model, source, criterion, optimizer, length):
    model.train()
    for words, following in lines(source, length):
        scores = model(words)
        loss = criterion(scores.view(-1, scores.size(-1)), following)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()


def evaluate(model, source, criterion, length):
    model.eval()
    summed = 0.0
    with torch.no_grad():
        for words, following in lines(source, length):
            scores = model(words).flatten(0, 1)
            summed += words.size(0) * criterion(scores, following).item()
    return summed / (len(source) - 1)


def run_epochs(model, ids, ntokens):
    length = 10
    train_data, val_data = in_columns(ids[:480], 8), in_columns(ids[480:], 4)
    print("data:", tuple(train_data.shape), tuple(val_data.shape))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1.0, gamma=0.9)
    best, losses = float("inf"), []
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, "best.pt")
        for _ in range(4):
            train(model, train_data, criterion, optimizer, length)
            losses.append(evaluate(model, val_data, criterion, length))
            if losses[-1] < best:
                best = losses[-1]
                torch.save(model.state_dict(), path)
            scheduler.step()
        model.load_state_dict(torch.load(path))
    print("validation:", " ".join(f"{v:.3f}" for v in losses))
    print("loss fell:", best < math.log(ntokens))
    print("rate:", round(scheduler.get_last_lr()[0], 4))


def main():
    torch.manual_seed(6)
    words = TEXT.split()
    vocab = {w: n for n, w in enumerate(dict.fromkeys(words))}
    ids = torch.tensor([vocab[w] for w in words], dtype=torch.long)
    model = TransformerModel(len(vocab), 16, 2, 32, 2, dropout=0.1)
    print("words:", len(vocab), ids.shape[0])
    print("parameters:", sum(p.numel() for p in model.parameters()))
    print("buffers:", [name for name, _ in model.named_buffers()])
    run_epochs(model, ids, len(vocab))

    for number, p in enumerate(model.parameters()):
        row = torch.arange(p.numel(), dtype=torch.float32)
        p.data.copy_(torch.sin(row * 0.8 + number).view(p.size()) * 0.3)
    model.eval()
    out = model(ids[:12].view(6, 2))
    print("known logits:", " ".join(f"{v:.4f}" for v in out[-1, 0].tolist()))
    early = model(ids[:6].view(3, 2))
    print("later words are not seen:", torch.allclose(out[:3], early, atol=1e-5))
    print(f"known encoding: {model.places.table[7].sum().item():.5f}")


if __name__ == "__main__":
    main()

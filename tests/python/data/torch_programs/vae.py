"""A variational autoencoder of small pictures: two heads, a drawn code, two losses."""

import torch
import torch.utils.data
from torch import nn, optim
from torch.nn import functional as F

SIDE = 12


def bars():
    """Every picture of one or two bars: (count, 1, SIDE, SIDE) of 0.0 and 1.0."""
    pictures = []
    for n in range(SIDE):
        for m in range(n, SIDE):
            picture = torch.zeros(1, SIDE, SIDE)
            picture[:, n, :] = 1
            picture[:, :, m] = 1
            pictures.append(picture)
    return torch.stack(pictures)


class Autoencoder(nn.Module):
    def __init__(self, width=64, code=4):
        super(Autoencoder, self).__init__()  # noqa: UP008 - as older programs write it
        self.inner = nn.Linear(SIDE * SIDE, width)
        self.mean = nn.Linear(width, code)
        self.log_variance = nn.Linear(width, code)
        self.outer = nn.Linear(code, width)
        self.pixels = nn.Linear(width, SIDE * SIDE)

    def heads(self, pictures):
        inner = F.relu(self.inner(pictures.view(-1, SIDE * SIDE)))
        return self.mean(inner), self.log_variance(inner)

    @staticmethod
    def drawn(mean, log_variance):
        spread = log_variance.div(2).exp()
        return torch.randn_like(spread).mul(spread).add(mean)

    def picture(self, code):
        return torch.sigmoid(self.pixels(F.relu(self.outer(code))))

    def forward(self, pictures):
        mean, log_variance = self.heads(pictures)
        return self.picture(self.drawn(mean, log_variance)), mean, log_variance


def divergence(mean, log_variance):
    """How far the codes are from a standard normal distribution, in nats."""
    terms = mean.pow(2) + log_variance.exp() - log_variance - 1
    return torch.sum(terms) / 2


def total_loss(made, wanted, mean, log_variance):
    wanted = wanted.view(-1, SIDE * SIDE)
    likeness = F.binary_cross_entropy(made, wanted, reduction="sum")
    return likeness + divergence(mean, log_variance)


def epoch(model, loader, optimizer):
    model.train()
    summed = 0
    for _, (pictures,) in enumerate(loader):
        loss = total_loss(*_made_and_wanted(model, pictures))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        summed += loss.item()
    return summed / len(loader.dataset)


def _made_and_wanted(model, pictures):
    made, *code = model(pictures)
    return made, pictures, *code


def known(model):
    """The parts that need no random number, with weights made by arithmetic."""
    for number, p in enumerate(model.parameters()):
        row = torch.arange(p.nelement()).float()
        p.data = (torch.sin(row * 1.7 + number) * 0.15).reshape(p.shape)
    with torch.no_grad():
        mean, log_variance = model.heads(bars()[:3].flatten(1))
        return mean, log_variance, model.picture(mean)


def main():
    torch.manual_seed(5)
    device = torch.device("cuda" if torch.cuda.device_count() > 99 else "cpu")
    model = Autoencoder().to(device)
    optimizer = optim.Adam(model.parameters(), lr=5e-3)
    dataset = torch.utils.data.TensorDataset(bars())
    loader = torch.utils.data.DataLoader(
        dataset, batch_size=26, shuffle=True, num_workers=0, pin_memory=False
    )
    print("pictures:", len(dataset), "batches:", len(loader))
    print("parameters:", sum(p.numel() for p in model.parameters()))
    losses = [epoch(model, loader, optimizer) for _ in range(12)]
    print(f"average loss: {losses[0]:.2f} ... {losses[-1]:.2f}")
    print("loss fell:", losses[-1] < losses[0])

    model.eval()
    with torch.no_grad():
        sample = model.picture(torch.randn(2, 4).to(device)).cpu()
        sample = sample.view(2, 1, SIDE, SIDE)
    print("sample:", sample.shape, bool(((sample > 0) & (sample < 1)).all()))

    mean, log_variance, pictures = known(model)
    print("known means:", " ".join(f"{v:.4f}" for v in mean[0].tolist()))
    print(f"known pictures: {pictures.mean().item():.5f} {pictures.std().item():.5f}")
    print(f"known loss: {total_loss(pictures, bars()[:3], mean, log_variance):.3f}")


if __name__ == "__main__":
    main()

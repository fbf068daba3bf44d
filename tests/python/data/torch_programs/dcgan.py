"""A small DCGAN: transposed convolutions against convolutions, in turns."""

import torch
import torch.nn as nn
import torch.optim as optim

NZ, NGF, NDF, NC = 8, 8, 8, 1  # noise, generator's and discriminator's width, colours


def start(module):
    kind = module.__class__.__name__
    if "Conv" in kind:
        nn.init.normal_(module.weight.data, 0.0, 0.02)
    if "Norm" in kind:
        nn.init.normal_(module.weight.data, 1.0, 0.02)
        nn.init.constant_(module.bias.data, 0)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            # (n, NZ, 1, 1) -> (n, 2 NGF, 4, 4)
            nn.ConvTranspose2d(NZ, NGF * 2, 4, 1, 0, bias=False),
            nn.BatchNorm2d(NGF * 2),
            nn.ReLU(True),
            # -> (n, NGF, 8, 8)
            nn.ConvTranspose2d(NGF * 2, NGF, 4, 2, 1, bias=False),
            nn.BatchNorm2d(NGF),
            nn.ReLU(True),
            # -> (n, NC, 16, 16)
            nn.ConvTranspose2d(NGF, NC, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, input):
        return self.main(input)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(NC, NDF, 4, 2, 1, bias=False),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(NDF, NDF * 2, 4, 2, 1, bias=False),
            nn.BatchNorm2d(NDF * 2),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(NDF * 2, 1, 4, 1, 0, bias=False),
            nn.Sigmoid(),
        )

    def forward(self, input):
        return self.main(input)


def rings(count):
    """Pictures of rings, from -1 to 1: (count, 1, 16, 16)."""
    line = torch.linspace(-1, 1, 16)
    y, x = torch.meshgrid(line, line, indexing="ij")
    radius = torch.sqrt(x**2 + y**2)
    sizes = torch.linspace(0.4, 0.8, count).view(-1, 1, 1)
    return torch.tanh(6 * (0.2 - (radius - sizes).abs())).unsqueeze(1)


def turn(judge, maker, judge_step, maker_step, real, criterion):
    """One step of each; losses of both, mean scores of real and of made pictures."""
    count, device = real.size(0), real.device
    made = maker(torch.randn(count, NZ, 1, 1, device=device))
    answer = torch.full((count,), 1.0, dtype=torch.float, device=device)
    judge.zero_grad()
    of_real = judge(real).view(-1)
    loss_real = criterion(of_real, answer)
    loss_real.backward()
    loss_made = criterion(judge(made.detach()).view(-1), answer.fill_(0.0))
    loss_made.backward()
    judge_step.step()
    maker.zero_grad()
    of_made = judge(made).view(-1)
    loss = criterion(of_made, answer.fill_(1.0))
    loss.backward()
    maker_step.step()
    told = (loss_real + loss_made, loss, of_real.mean(), of_made.mean())
    return [value.item() for value in told]


def known_weights(net):
    for number, p in enumerate(net.parameters()):
        row = torch.arange(p.numel(), dtype=p.dtype)
        p.data.copy_((torch.sin(row * 2.1 + number) * 0.3).view_as(p))


def main():
    torch.manual_seed(999)
    maker, judge = Generator(), Discriminator()
    maker.apply(start)
    judge.apply(start)
    print(judge)
    print(
        "parameters:", *(sum(p.numel() for p in n.parameters()) for n in (maker, judge))
    )
    criterion = nn.BCELoss()
    fixed_noise = torch.randn(4, NZ, 1, 1)
    judge_step = optim.Adam(judge.parameters(), lr=2e-3, betas=(0.5, 0.999))
    maker_step = optim.Adam(maker.parameters(), lr=2e-3, betas=(0.5, 0.999))
    history = []
    for epoch in range(6):
        for real in rings(32).split(16):
            history.append(turn(judge, maker, judge_step, maker_step, real, criterion))
        form = "[%d/6] D: %.3f G: %.3f D(x): %.3f D(G(z)): %.3f"
        print(form % (epoch, *history[-1]))
    print("D learned to tell:", history[-1][2] > history[0][2])
    with torch.no_grad():
        fake = maker(fixed_noise).detach().cpu()
    print("fake:", fake.shape, bool(fake.min() >= -1), bool(fake.max() <= 1))

    maker, judge = Generator(), Discriminator()
    known_weights(maker)
    known_weights(judge)
    noise = torch.linspace(-1, 1, 3 * NZ).view(3, NZ, 1, 1)
    maker.eval()
    judge.eval()
    picture = maker(noise)
    print("known scores:", " ".join(f"{v:.5f}" for v in judge(picture).view(-1)))
    criterion(judge(picture).view(-1), torch.ones(3)).backward()
    first = next(maker.parameters())
    print(f"known gradient: {first.grad.abs().sum().item():.5f}")


if __name__ == "__main__":
    main()

"""A GRU cell by hand as a module that learns to continue a wave, beside nn.GRU."""

import math

import torch
import torch.nn as nn
from torch import optim
from torch.nn import Parameter


class GRUCell(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.weight_ih = Parameter(torch.Tensor(3 * hidden_size, input_size))
        self.weight_hh = Parameter(torch.Tensor(3 * hidden_size, hidden_size))
        self.bias_ih = Parameter(torch.Tensor(3 * hidden_size))
        self.bias_hh = Parameter(torch.Tensor(3 * hidden_size))
        self.reset_parameters()

    def reset_parameters(self):
        bound = self.hidden_size**-0.5
        for parameter in self.parameters():
            parameter.data.uniform_(-bound, bound)

    def forward(self, x, hx=None):
        if hx is None:
            hx = x.new_zeros(x.size(0), self.hidden_size)
        seen = (x @ self.weight_ih.t() + self.bias_ih).chunk(3, 1)
        kept = (hx @ self.weight_hh.t() + self.bias_hh).chunk(3, 1)
        reset, update = (torch.sigmoid(seen[n] + kept[n]) for n in (0, 1))
        new = torch.tanh(seen[2] + reset * kept[2])
        return new + update * (hx - new)


class GRUModel(nn.Module):
    def __init__(self, input_dim, hidden_dim, layer_dim, output_dim):
        super().__init__()
        sizes = [input_dim] + [hidden_dim] * (layer_dim - 1)
        self.cells = nn.ModuleList(GRUCell(size, hidden_dim) for size in sizes)
        self.fc = nn.Linear(hidden_dim, output_dim)

    def forward(self, x):
        hidden = [None] * len(self.cells)
        for step in range(x.size(1)):
            value = x[:, step, :]
            for level, cell in enumerate(self.cells):
                hidden[level] = value = cell(value, hidden[level])
        return self.fc(hidden[-1].squeeze())


def waves(count, length):
    start = torch.linspace(0, 2 * math.pi, count).unsqueeze(1)
    steps = torch.arange(length + 1).float() * 0.4
    values = torch.sin(start + steps)
    return values[:, :-1].unsqueeze(-1), values[:, -1]


def equals_layer(cell):
    layer = nn.GRU(cell.input_size, cell.hidden_size, batch_first=True)
    layer.load_state_dict({f"{k}_l0": v for k, v in cell.state_dict().items()})
    x, _ = waves(3, 5)
    hx = None
    for t in range(5):
        hx = cell(x[:, t], hx)
    out, hn = layer(x)
    close = torch.allclose(out[:, -1], hx, atol=1e-6)
    return close and torch.allclose(hn.squeeze(0), hx, atol=1e-6)


def main():
    torch.manual_seed(4)
    model = GRUModel(1, 16, 2, 1)
    print("parameters:", sum(p.numel() for p in model.parameters()))
    print("names:", [name for name, _ in model.named_parameters()][:4])
    inputs, targets = waves(32, 12)
    print("shapes:", tuple(inputs.shape), tuple(targets.shape))
    criterion = nn.MSELoss()
    optimizer = optim.Adam(model.parameters(), lr=0.02)
    losses = []
    for epoch in range(25):
        optimizer.zero_grad()
        outputs = model(inputs).squeeze(-1)
        loss = criterion(outputs, targets)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        losses.append(loss.item())
        if epoch % 10 == 0:
            print(f"epoch {epoch:2d}, loss {loss.item():.4f}")
    print("loss fell:", losses[-1] < 0.5 * losses[0])
    print("equals nn.GRU:", equals_layer(model.cells[0]))
    for number, p in enumerate(model.parameters()):
        row = torch.arange(p.numel(), dtype=p.dtype, device=p.device)
        p.data = torch.cos(row * 1.3 + number).view(p.size()) * 0.4
    model.zero_grad()
    loss = criterion(model(inputs).squeeze(-1), targets)
    loss.backward()
    print(f"known loss: {loss:.5f}")
    total = torch.norm(torch.stack([p.grad.norm() for p in model.parameters()]))
    print("known gradient: %.5f" % total)  # noqa: UP031


if __name__ == "__main__":
    main()

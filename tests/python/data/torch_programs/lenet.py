"""LeNet on small pictures of strokes, with a Dataset, a DataLoader and a checkpoint."""

import io

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.utils.data import DataLoader, Dataset, random_split


class Strokes(Dataset):
    """Pictures of 28 x 28 with a stroke whose place is the class."""

    def __init__(self, count, transform=None):
        self.count = count
        self.transform = transform

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        label = index % 10
        picture = torch.zeros(1, 28, 28)
        picture[0, 2 * label + 3 : 2 * label + 6, 4 + index % 5 : 24] = 1.0
        if self.transform:
            picture = self.transform(picture)
        return picture, label


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


def train(model, device, loader, optimizer, criterion):
    model.train()
    summed = 0.0
    for data, target in loader:
        data, target = data.to(device), target.to(device)
        optimizer.zero_grad()
        loss = criterion(model(data), target)
        loss.backward()
        optimizer.step()
        summed += loss.item() * data.size(0)
    return summed / len(loader.dataset)


def test(model, device, loader):
    model.eval()
    correct, total, mean_loss = 0, 0, 0.0
    with torch.no_grad():
        for data, target in loader:
            data, target = data.to(device), target.to(device)
            output = model(data)
            mean_loss += F.cross_entropy(output, target, reduction="sum").item()
            _, predicted = torch.max(output.data, 1)
            total += target.size(0)
            correct += (predicted == target).sum().item()
    return mean_loss / total, 100.0 * correct / total


def known_weights(model):
    with torch.no_grad():
        for number, p in enumerate(model.parameters()):
            row = torch.arange(p.numel(), dtype=torch.float32)
            p.copy_(((row * 7 + number) % 13 - 6).view_as(p) / (4 * p.shape[-1] ** 0.5))


def main():
    torch.manual_seed(1)
    device = torch.device("cpu")
    model = Net().to(device)
    print(model)
    print("parameters:", sum(p.numel() for p in model.parameters() if p.requires_grad))
    scale = lambda picture: (picture - 0.1307) / 0.3081  # noqa: E731
    train_set, test_set = random_split(Strokes(120, scale), [100, 20])
    train_loader = DataLoader(train_set, batch_size=20, shuffle=True)
    test_loader = DataLoader(test_set, batch_size=10)
    print("batches:", len(train_loader), len(test_loader))

    optimizer = optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    losses = [
        train(model, device, train_loader, optimizer, nn.CrossEntropyLoss())
        for epoch in range(5)
    ]
    print("loss by epoch:", " ".join(f"{loss:.3f}" for loss in losses))
    print("loss fell:", losses[-1] < losses[0])
    mean_loss, accuracy = test(model, device, test_loader)
    print(f"test: loss {mean_loss:.3f}, {accuracy:.1f} % right")

    buffer = io.BytesIO()
    torch.save(model.state_dict(), buffer)
    buffer.seek(0)
    twin = Net()
    print(twin.load_state_dict(torch.load(buffer, weights_only=True)))
    sample = Strokes(4)[3][0].unsqueeze(0)
    print("twin agrees:", torch.equal(model(sample), twin(sample)))

    known_weights(model)
    with torch.no_grad():
        logits = model(torch.stack([Strokes(10)[n][0] for n in (0, 7)]))
    print("known logits:", " ".join(f"{v:.4f}" for v in logits.view(-1)[:6].tolist()))
    print("known shape:", logits.shape)


if __name__ == "__main__":
    main()

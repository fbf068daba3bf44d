"""Linear regression, softmax regression and a perceptron from scratch, without nn."""

import random

import torch


def measurements(weights, offset, count):
    """Points and the noisy heights of a plane there: (count, 2), (count, 1)."""
    points = torch.normal(0, 1, (count, len(weights)))
    heights = torch.matmul(points, weights) + offset
    heights += torch.normal(0, 0.01, heights.shape)
    return points, heights.reshape((-1, 1))


def in_batches(size, *tensors):
    order = list(range(len(tensors[0])))
    random.shuffle(order)
    while order:
        rows, order = torch.tensor(order[:size]), order[size:]
        yield [t[rows] for t in tensors]


def descend(parameters, rate):
    """One step against the gradients, which are forgotten."""
    with torch.no_grad():
        for p in parameters:
            p -= rate * p.grad
            p.grad.zero_()


def half_square(guess, wanted):
    return (guess - wanted.reshape(guess.shape)) ** 2 / 2


def linear_regression():
    true_w, true_b = torch.tensor([2, -3.4]), 4.2
    X, y = measurements(true_w, true_b, 200)
    print("points:", X.shape, "heights:", y.shape)
    w = torch.normal(0, 0.01, size=(2, 1), requires_grad=True)
    b = torch.zeros(1, requires_grad=True)

    def plane(points):
        return torch.matmul(points, w) + b

    for epoch in range(4):
        for some_x, some_y in in_batches(10, X, y):
            half_square(plane(some_x), some_y).sum().backward()
            descend([w, b], 0.1 / len(some_y))
        with torch.no_grad():
            print(f"epoch {epoch + 1}, loss {float(half_square(plane(X), y).mean()):f}")
    error = (true_w - w.reshape(true_w.shape)).abs().max()
    print("w found:", bool(error < 0.05), "b found:", bool((true_b - b).abs() < 0.05))


def softmax(scores):
    raised = torch.exp(scores)
    return raised / raised.sum(1, keepdim=True)


def surprise(chances, labels):
    """-log of the chance that each label was given."""
    return -torch.log(chances[range(len(chances)), labels])


def share_right(chances, labels):
    found = chances.argmax(axis=1).type(labels.dtype) == labels
    return float(found.type(torch.float32).mean())


def clusters(count):
    """Points around three corners of a square: (count, 2), and which."""
    y = torch.arange(count) % 3
    centers = torch.tensor([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])
    angle = torch.arange(count, dtype=torch.float32) * 2.4
    offsets = torch.stack((torch.cos(angle), torch.sin(angle)), 1)
    return centers[y] + offsets * (angle.view(-1, 1) % 1), y


def softmax_regression():
    X, y = clusters(90)
    W = torch.zeros(2, 3, requires_grad=True)
    b = torch.zeros(3, requires_grad=True)
    for _ in range(30):
        surprise(softmax(torch.matmul(X, W) + b), y).sum().backward()
        descend([W, b], 0.5 / len(y))
    chances = softmax(X @ W + b)
    print("known rows sum to one:", torch.allclose(chances.sum(1), torch.ones(90)))
    print(f"known loss: {surprise(chances, y).mean().item():.4f}")
    print("known share right:", share_right(chances, y))
    print("known W:", " ".join(f"{v:.4f}" for v in W.detach().numpy().reshape(-1)))


def perceptron():
    X, y = clusters(90)
    W1 = (torch.arange(32).reshape(2, 16) % 7 - 3) * 0.2
    W2 = (torch.arange(48).reshape(16, 3) % 5 - 2) * 0.2
    W1.requires_grad_()
    W2.requires_grad_(True)
    b1, b2 = torch.zeros(16, requires_grad=True), torch.zeros(3, requires_grad=True)
    for _ in range(20):
        first = X @ W1 + b1
        hidden = torch.max(first, torch.zeros_like(first))
        loss = surprise(softmax(hidden @ W2 + b2), y).mean()
        loss.backward()
        descend([W1, b1, W2, b2], rate=0.2)
    print(f"known loss of the perceptron: {loss:.4f}")
    print("known bias:", [round(v, 4) for v in b2.tolist()])


def first_steps():
    """Tensors as the first chapter of a course has them."""
    row = torch.arange(12)
    X = row.reshape(3, 4)
    Y = torch.tensor([[5.0, 1, 4, 2], [4, 5, 6, 7], [3, 9, 10, 8]])
    print("known size:", row.numel(), X.shape, torch.cat((X, Y), dim=0).shape)
    print("known sum:", (X == Y).sum().item(), X.sum(), Y.mean(axis=0))
    X[1:, :] = -1
    print(X)
    A = torch.arange(20, dtype=torch.float32).reshape(5, 4)
    print("known mean:", A.mean(), A.sum(axis=0) / A.shape[0])
    print("known norm:", torch.norm(torch.ones((4, 9))), torch.abs(-A).sum())


def main():
    random.seed(0)
    torch.manual_seed(7)
    linear_regression()
    softmax_regression()
    perceptron()
    first_steps()


if __name__ == "__main__":
    main()
